"""Networks that PyTorch's quantizers by torch.export (pt2e) wrote: their layers are computed in 8 bits."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.ao.quantization.fx import _decomposed  # noqa: E402, F401  (it registers the operators)
from torch.nn import functional as F  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv import Conv2dWorkload  # noqa: E402

OPERATORS = torch.ops.quantized_decomposed
BYTES = torch.uint8, 0, 255
NARROW = torch.int8, -127, 127


def _stored(x: torch.Tensor, scale: float, zero: int, kind: tuple[torch.dtype, int, int]) -> torch.Tensor:
    """Quantized and dequantized, as a quantizer leaves activations."""
    dtype, *ends = kind
    numbers = OPERATORS.quantize_per_tensor(x, scale, zero, *ends, dtype)
    return OPERATORS.dequantize_per_tensor(numbers, scale, zero, *ends, dtype)


def _filter(*shape: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Integers, and a scale and zero point for each output channel."""
    numbers = torch.from_numpy(np.random.default_rng(0).integers(-60, 60, shape).astype(np.int8))
    return numbers, torch.linspace(0.002, 0.01, shape[0]), torch.zeros(shape[0], dtype=torch.int64)


CONVOLUTION, MATRIX, BIAS = _filter(8, 4, 3, 3), _filter(6, 8), drawn(8)


def _network(x: torch.Tensor) -> torch.Tensor:
    weights = OPERATORS.dequantize_per_channel(*CONVOLUTION, 0, -128, 127, torch.int8)
    x = F.relu(F.conv2d(_stored(x, 0.03, 120, BYTES), weights, BIAS, padding=1))
    x = _stored(x, 0.02, 0, BYTES).mean((2, 3))
    weights = OPERATORS.dequantize_per_channel(*MATRIX, 0, -128, 127, torch.int8)
    return _stored(F.linear(_stored(x, 0.01, 3, NARROW), weights), 0.02, -4, NARROW)


def test_layers_are_computed_in_8_bits() -> None:
    module, x = Function(_network), drawn(1, 4, 9, 9)
    wanted = module(x).numpy()
    model = directconv.compile(torch.export.export(module, (x,)))
    (got,) = model.run(x.numpy())
    unit = 0.02
    assert np.abs(got - wanted).max() <= 1.01 * unit  # PyTorch multiplies by the scale's reciprocal
    types = [Conv2dWorkload.parse(layer.workload).quantized for layer in model.report().layers]
    assert [(t.out_dtype, t.data_zero, t.out_zero) for t in types if t] == [
        ("uint8", 120, 0),
        ("int8", 3, -4),
    ]


@pytest.mark.parametrize("choose", ["choose_qparams", "choose_qparams_symmetric"])
@pytest.mark.parametrize("kind", [BYTES, NARROW], ids=["uint8", "int8"])
def test_scales_of_activations_known_at_run_time_only(
    choose: str, kind: tuple[torch.dtype, int, int]
) -> None:
    dtype, *ends = kind

    def stored(x: torch.Tensor) -> torch.Tensor:
        scale, zero = getattr(OPERATORS, choose)(x, *ends, 2.0**-12, dtype)
        numbers = OPERATORS.quantize_per_tensor.tensor(x, scale, zero, *ends, dtype)
        return OPERATORS.dequantize_per_tensor.tensor(numbers, scale, zero, *ends, dtype)

    def network(x: torch.Tensor) -> torch.Tensor:
        weights = OPERATORS.dequantize_per_channel(*CONVOLUTION, 0, -128, 127, torch.int8)
        x = F.relu(F.conv2d(stored(x), weights, BIAS, padding=1, stride=2)).flatten(2).transpose(1, 2)
        weights = OPERATORS.dequantize_per_channel(*MATRIX, 0, -128, 127, torch.int8)
        return F.linear(stored(x), weights)

    module, examples = Function(network), drawn(2, 4, 9, 7)
    model = directconv.compile(module, example_inputs=examples)
    for x in (examples, 5 * examples + 3, -examples.abs(), torch.zeros_like(examples)):
        assert_same([model(x)], module(x))
    types = [Conv2dWorkload.parse(layer.workload).quantized for layer in model.report().layers]
    assert [t.out_dtype for t in types if t] == ["int32", "int32"]


def test_networks_trained_for_quantization_are_computed_in_8_bits() -> None:
    """Fake quantization of activations and weights, by numbers and by tensors."""
    scale, zero = torch.tensor(0.02), torch.tensor(0, dtype=torch.int32)
    numbers, scales, zeros = CONVOLUTION

    def network(x: torch.Tensor) -> torch.Tensor:
        filters = torch.fake_quantize_per_channel_affine(numbers * 0.004, scales, zeros.int(), 0, -127, 127)
        x = torch.fake_quantize_per_tensor_affine(x, 0.03, 120, 0, 255)
        return torch.fake_quantize_per_tensor_affine(F.relu(F.conv2d(x, filters, BIAS)), scale, zero, 0, 127)

    module, x = Function(network), drawn(1, 4, 9, 9)
    model = directconv.compile(module, example_inputs=(x,))
    assert np.abs(model.run(x.numpy())[0] - module(x).numpy()).max() <= 1.01 * 0.02
    (layer,) = model.report().layers
    quantized = Conv2dWorkload.parse(layer.workload).quantized
    assert quantized and (quantized.data_zero, quantized.out_dtype) == (120, "uint8")


def test_products_of_bytes_are_sums() -> None:
    """As torchao writes dense layers whose activations it quantizes by the row."""

    def network(x: torch.Tensor) -> torch.Tensor:
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-6) / 127
        numbers = (x / scale).round().clamp(-127, 127).to(torch.int8)
        return torch._int_mm(numbers, MATRIX[0].t().contiguous()) * scale * MATRIX[1]

    module, x = Function(network), drawn(24, 8)
    model = directconv.compile(module, example_inputs=x)
    assert_same([model(x)], module(x))
    (layer,) = model.report().layers
    assert layer.kind == "qdense"


def test_scales_of_channels_known_at_run_time_only_are_refused() -> None:
    def network(x: torch.Tensor) -> torch.Tensor:
        zeros = torch.zeros(4, dtype=torch.int64)
        return OPERATORS.quantize_per_channel(x, x.abs().amax(0), zeros, 1, 0, 255, torch.uint8)

    program = torch.export.export(Function(network), (drawn(3, 4),))
    with pytest.raises(directconv.errors.UnsupportedOperatorError, match="scales are known at run time only"):
        directconv.compile(program)
