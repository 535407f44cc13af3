"""Scheduled CPU functions for the non-convolution operators of convolutional networks.

Activations are NHWC, float32 or quantized to 8 bits. Each function takes shapes, attributes and the
CompileTarget, and returns a ``tirx.PrimFunc`` whose last parameter is the output. Buffers must be contiguous,
and outputs must not alias inputs.
"""

from .axis_reductions import global_avg_pool2d, global_max_pool2d, quantized_global_avg_pool2d
from .concat import concat, concat_affine, quantized_concat
from .default_schedule import schedule_default
from .elementwise import add, elementwise, multiply
from .layout import channel_shuffle, nchw_to_nhwc, nhwc_to_nchw
from .lookup import lookup
from .lrn import lrn
from .pooling import Pool2d, avg_pool2d, max_pool2d, quantized_avg_pool2d
from .quantized_elementwise import (
    dequantize,
    dequantize_channels,
    quantize,
    quantize_channels,
    quantized_add,
    quantized_affine,
    quantized_multiply,
)
from .quantized_type import QuantizedType
from .resizing import resize2d
from .softmax import softmax

__all__ = [
    "Pool2d",
    "QuantizedType",
    "add",
    "avg_pool2d",
    "channel_shuffle",
    "concat",
    "concat_affine",
    "dequantize",
    "dequantize_channels",
    "elementwise",
    "global_avg_pool2d",
    "global_max_pool2d",
    "lookup",
    "lrn",
    "max_pool2d",
    "multiply",
    "nchw_to_nhwc",
    "nhwc_to_nchw",
    "quantize",
    "quantize_channels",
    "quantized_add",
    "quantized_affine",
    "quantized_avg_pool2d",
    "quantized_concat",
    "quantized_global_avg_pool2d",
    "quantized_multiply",
    "resize2d",
    "schedule_default",
    "softmax",
]
