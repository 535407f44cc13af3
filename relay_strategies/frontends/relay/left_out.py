"""Operators of Relay that are not supported, and why: for errors, and for the documentation's table."""

from __future__ import annotations

TRANSFORMED = "takes what other kernels' AlterOpLayout transformed; save the text before that pass"
DRAWN = "draws random numbers by a key of Relay's own"
TRAINS = "computes gradients, which inference does not need"
FEW_BITS = "computes on single bits; write such layers as 8-bit ones"
CALIBRATES = "simulates quantization for calibration; save the text when the network is quantized"
NPU = "is an instruction of the Ethos-U"
INSIDE = "belongs to Relay's own passes"

LEFT_OUT: dict[str, tuple[str, ...]] = {
    TRANSFORMED: (
        "auto_scheduler_layout_transform",
        "meta_schedule_layout_transform",
        "nn.contrib_conv2d_gemm_weight_transform",
        "nn.contrib_conv2d_gemm_without_weight_transform",
        "nn.contrib_conv2d_winograd_nnpack_weight_transform",
        "nn.contrib_conv2d_winograd_weight_transform",
        "nn.contrib_conv2d_winograd_without_weight_transform",
        "nn.contrib_conv3d_winograd_weight_transform",
        "nn.contrib_conv3d_winograd_without_weight_transform",
        "nn.internal.sparse_dense_padded",
        "qnn.contrib_dense_pack",
    ),
    FEW_BITS: ("nn.bitpack", "nn.bitserial_conv2d", "nn.bitserial_dense"),
    TRAINS: ("nn.avg_pool2d_grad", "nn.conv2d_backward_weight", "nn.max_pool2d_grad"),
    DRAWN: (
        "random.multinomial",
        "random.normal",
        "random.threefry_generate",
        "random.threefry_split",
        "random.uniform",
    ),
    CALIBRATES: (
        "qnn.simulated_dequantize",
        "qnn.simulated_quantize",
        "relay.op.annotation.simulated_quantize",
    ),
    NPU: (
        "contrib.ethosu.binary_elementwise",
        "contrib.ethosu.conv2d",
        "contrib.ethosu.depthwise_conv2d",
        "contrib.ethosu.identity",
        "contrib.ethosu.pooling",
        "contrib.ethosu.unary_elementwise",
    ),
    INSIDE: (
        "annotation.bitpack_end",
        "annotation.bitpack_start",
        "annotation.with_funcid",
        "call_lowered",
        "hardswish",
        "parser.MetaRef",
    ),
}
"""The operators by the reason."""


def reason(operator: str) -> str:
    """Return why an operator is not supported; empty for one that Relay lacks."""
    return next((why for why, names in LEFT_OUT.items() if operator in names), "")
