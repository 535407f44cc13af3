"""Operators between 8-bit tensors in networks: recognised, one kernel each, and still what they were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import tvm
from graph_support import operators, run_by_plain_tvm
from quantized_support import Body, Emit, const, dequantize, integers, module_of, quantize_to
from tvm import relax

from relay_strategies import passes
from relay_strategies.operators.normalization import lrn
from relay_strategies.relax.graph import Rewriter, dtype_of, operator_name, rewrite_module
from tvm_directconv.targets.target import resolve_target

TARGET = resolve_target("llvm -mcpu=native")
MAP = (1, 9, 7, 37)


@dataclass(frozen=True)
class Case:
    """A network of one quantized operator, its inputs and the kernels it becomes."""

    body: Body
    inputs: tuple[np.ndarray, ...]
    kernels: tuple[str, ...]


def bytes_of(*shapes: Sequence[int], dtype: str = "uint8") -> tuple[np.ndarray, ...]:
    return tuple(integers(dtype, *shape, seed=seed) for seed, shape in enumerate(shapes))


def _added(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    total = emit(relax.op.add(emit(dequantize(x[0])), emit(dequantize(x[1], 0.031, 7))))
    return quantize_to(emit(relax.op.nn.relu(total)), 0.06, 11)


def _three_added(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    first, second, third = (emit(dequantize(each, 0.02 * (i + 1), 5)) for i, each in enumerate(x))
    total = emit(relax.op.add(third, emit(relax.op.add(first, second))))
    return quantize_to(total, 0.1, -3, "int8")


def _averaged(count_include_pad: bool, ceil_mode: bool) -> Body:
    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        pooled = relax.op.nn.avg_pool2d(
            emit(dequantize(x[0])),
            [3, 3],
            [2, 2],
            [1, 1, 0, 0],
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            layout="NHWC",
        )
        return quantize_to(emit(pooled), 0.043, 90)

    return body


def _mean(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return quantize_to(emit(relax.op.mean(emit(dequantize(x[0])), [1, 2], keepdims=True)), 0.013, 90)


def _rescaled(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    clipped = relax.op.clip(
        emit(dequantize(x[0])), tvm.tirx.const(-1.0, "float32"), tvm.tirx.const(4.0, "float32")
    )
    return quantize_to(emit(clipped), 0.0613, 20, "int8")


def _silu_in_parts(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    """As quantizers leave it: every operator between (de)quantizations, the operand dequantized twice."""
    gate = emit(relax.op.sigmoid(emit(dequantize(x[0]))))
    gate = emit(dequantize(emit(quantize_to(gate, 0.004, 3)), 0.004, 3))
    return quantize_to(emit(relax.op.multiply(emit(dequantize(x[0])), gate)), 0.07, 20, "int8")


def _gelu_in_parts(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    """Its constants are quantized, too."""
    real = emit(dequantize(x[0]))
    error = emit(relax.op.erf(emit(relax.op.divide(real, relax.const(1.4142135, "float32")))))
    error = emit(dequantize(emit(quantize_to(error, 0.008, 127)), 0.008, 127))
    one = emit(dequantize(const(np.uint8(255), "uint8"), 1 / 255, 0))
    total = emit(dequantize(emit(quantize_to(emit(relax.op.add(error, one)), 0.008, 0)), 0.008, 0))
    return quantize_to(emit(relax.op.multiply(real, total)), 0.11, 9)


def _with_own_tanh(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    """A function of one number, and a sum of two."""
    bent = emit(quantize_to(emit(relax.op.tanh(emit(dequantize(x[0])))), 0.008, 120))
    both = emit(relax.op.add(emit(dequantize(bent, 0.008, 120)), emit(dequantize(x[1]))))
    return quantize_to(both, 0.07, 100)


def _gated(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return quantize_to(emit(relax.op.multiply(emit(dequantize(x[1])), emit(dequantize(x[0])))), 0.2, 99)


def _multiplied(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    product = emit(relax.op.multiply(emit(dequantize(x[0])), emit(dequantize(x[1]))))
    return quantize_to(emit(relax.op.nn.relu(product)), 0.1937, -99, "int8")


def _layer_scale(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    scale = emit(dequantize(const(np.arange(37), "int8"), 0.03, 5))
    return quantize_to(emit(relax.op.multiply(emit(dequantize(x[0])), scale)), 0.2, 99)


def _normalized(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    """Two scales and shifts per channel, one of which has no other axes, and an activation."""
    scale, shift = np.linspace(-1.0, 2.0, 37), np.linspace(3.0, -1.0, 37)
    result = emit(relax.op.multiply(emit(dequantize(x[0])), const(scale)))
    result = emit(relax.op.add(result, const(shift.reshape(1, 1, 1, 37))))
    result = emit(relax.op.multiply(result, const(shift.reshape(1, 1, 37))))
    return quantize_to(emit(relax.op.nn.relu(emit(relax.op.add(result, const(scale))))), 0.1137, 3)


def _joined(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    first = emit(quantize_to(emit(dequantize(x[0], 0.031, 7)), 0.06, 11))
    third = emit(quantize_to(emit(dequantize(x[2], 0.11, 250)), 0.06, 11))
    return relax.op.concat([first, x[1], third], -1)


def _largest(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return relax.op.nn.max_pool2d(x[0], [3, 3], [2, 2], [1, 1, 1, 1], layout="NHWC")


def _moved(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return relax.op.permute_dims(x[0], [0, 3, 1, 2])


def _copied(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return relax.op.concat(list(x), 3)


def _peak(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return relax.op.max(x[0], [1, 2], keepdims=True)


CASES = {
    "add_relu": Case(_added, bytes_of(MAP, MAP), ("qadd",)),
    "add_three": Case(_three_added, bytes_of(MAP, MAP, MAP), ("qadd",)),
    "average": Case(_averaged(False, False), bytes_of(MAP), ("qavg_pool2d",)),
    "average_with_padding": Case(_averaged(True, True), bytes_of(MAP, dtype="int8"), ("qavg_pool2d",)),
    "global_average": Case(_mean, bytes_of(MAP), ("qglobal_avg_pool2d",)),
    "rescale": Case(_rescaled, bytes_of(MAP), ("lookup",)),
    "silu": Case(_silu_in_parts, bytes_of(MAP, dtype="int8"), ("lookup",)),
    "gelu": Case(_gelu_in_parts, bytes_of(MAP), ("lookup",)),
    "sum_with_own_function": Case(_with_own_tanh, bytes_of(MAP, MAP), ("lookup", "qadd")),
    "gate": Case(_gated, bytes_of(MAP, (1, 1, 1, 37)), ("qmul",)),
    "product": Case(_multiplied, bytes_of(MAP, MAP, dtype="int8"), ("qmul",)),
    "scale_per_channel": Case(_layer_scale, bytes_of(MAP), ("qmul",)),
    "normalization": Case(_normalized, bytes_of(MAP), ("qaffine",)),
    "concat": Case(_joined, bytes_of(MAP, MAP, MAP), ("qconcat",)),
    "max_pool": Case(_largest, bytes_of(MAP, dtype="int8"), ("max_pool2d",)),
    "layout": Case(_moved, bytes_of(MAP), ("nhwc_to_nchw",)),
    "copy": Case(_copied, bytes_of(MAP, MAP, dtype="int8"), ("concat",)),
    "global_max": Case(_peak, bytes_of(MAP), ("global_max_pool2d",)),
}


def fused(module: tvm.IRModule) -> tvm.IRModule:
    return passes.FuseQuantizedOperators(passes.HoistQuantize(module))


def run_by_our_kernels(module: tvm.IRModule, inputs: Sequence[np.ndarray]) -> np.ndarray:
    """The result of a module whose operators ``LowerOperators`` may have made kernels."""
    with TARGET.tvm_target:
        steps = [passes.LowerOperators(TARGET), passes.InlineComposites]
        steps += [*passes.kernel_passes(TARGET), *passes.finish_passes()]
        module = tvm.transform.Sequential(steps)(module)
    machine = relax.VirtualMachine(relax.build(module, TARGET.tvm_target, relax_pipeline=None), tvm.cpu())
    return machine["main"](*(tvm.runtime.tensor(array) for array in inputs)).numpy()


def kernels_of(module: tvm.IRModule) -> list[str]:
    """Names of the functions main calls, without the numbers that tell equal ones apart."""
    called = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            assert dtype_of(binding.var) in ("uint8", "int8"), f"{binding.var} is a float tensor"
            if operator_name(binding.value) == "relax.call_tir":
                called.append(binding.value.args[0].name_hint.rstrip("0123456789_"))
            else:
                assert isinstance(binding.value, relax.Var), f"{binding.value} is no kernel"
    return called


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_kernel_of_bytes(name: str) -> None:
    case = CASES[name]
    module = module_of(case.body, *case.inputs)
    (want,) = run_by_plain_tvm(module, case.inputs)
    recognised = fused(module)
    relax.analysis.well_formed(recognised)
    (meant,) = run_by_plain_tvm(recognised, case.inputs)
    np.testing.assert_array_equal(meant, want)
    lowered = passes.LowerOperators(TARGET)(recognised)
    assert kernels_of(lowered) == list(case.kernels)
    got = run_by_our_kernels(recognised, case.inputs)
    units = np.abs(got.astype(int) - want)
    assert units.max() <= 1 and (units == 0).mean() > 0.99, name
    assert want.std() > 0, f"{name}: the reference is a constant"


@pytest.mark.parametrize("clipped", [False, True])
def test_normalization_is_one_kernel(clipped: bool) -> None:
    """A clip behind it is left to other kernels."""
    (data,) = bytes_of((1, 4, 4, 37))

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        normal = emit(relax.op.nn.softmax(emit(dequantize(x[0])), 3))
        normal = emit(relax.op.nn.relu(normal)) if clipped else normal
        return quantize_to(normal, 0.021, 3)

    module = rewrite_module(module_of(body, data), _NormalizeForSoftmax)
    (want,) = run_by_plain_tvm(module, [data])
    recognised = fused(module)
    (meant,) = run_by_plain_tvm(recognised, [data])
    np.testing.assert_array_equal(meant, want)
    assert operators(recognised)["fused_qlrn"] == (not clipped)
    got = run_by_our_kernels(recognised, [data])
    assert np.abs(got.astype(int) - want).max() <= 1
    assert want.std() > 0


class _NormalizeForSoftmax(Rewriter):
    """Relax has no LRN: here a softmax holds its place until the composite is made."""

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if not isinstance(new, relax.Call) or getattr(new.op, "name", "") != "relax.nn.softmax":
            return new
        return lrn(self, new.args[0], 5, 0.3, 0.75, 1.0, 3)


@pytest.mark.parametrize("per_channel", [False, True])
def test_inputs_are_quantized_by_one_kernel(per_channel: bool) -> None:
    """To the bit; a quantization behind an operator without a kernel is left for FuseOps."""
    data = np.random.default_rng(0).standard_normal(MAP, np.float32)
    scale = np.linspace(0.01, 0.05, 37) if per_channel else 0.03
    zero = np.arange(37) if per_channel else 7

    def of_input(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        return relax.op.quantize(x[0], const(scale), const(zero, "uint8"), axis=3, out_dtype="uint8")

    def of_sum(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        return of_input(emit, [emit(relax.op.add(x[0], x[0]))])

    for body, kernels in ((of_input, 1), (of_sum, 0)):
        module = module_of(body, data)
        assert operators(passes.LowerOperators(TARGET)(module))["call_tir"] == kernels
        (want,) = run_by_plain_tvm(module, [data])
        np.testing.assert_array_equal(run_by_our_kernels(module, [data]), want)


def test_quantization_is_hoisted_to_what_makes_the_numbers() -> None:
    """Two equal ones, of which one is behind a pooling layer, meet and pass another."""
    (data,) = bytes_of(MAP)

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        numbers = emit(relax.op.exp(emit(dequantize(x[0], 0.01))))
        pooled = emit(relax.op.nn.max_pool2d(numbers, [2, 2], [2, 2], layout="NHWC"))
        once = emit(quantize_to(pooled, 0.04, 3))
        again = emit(relax.op.nn.max_pool2d(pooled, [3, 3], padding=[1, 1, 1, 1], layout="NHWC"))
        twice = emit(quantize_to(again, 0.04, 3))
        return relax.op.concat([once, twice], 3)

    module = module_of(body, data)
    hoisted = passes.HoistQuantize(module)
    np.testing.assert_array_equal(*(run_by_plain_tvm(each, [data])[0] for each in (module, hoisted)))
    assert operators(hoisted)["quantize"] == 1
    floats = [b.var for b in hoisted["main"].body.blocks[0].bindings if dtype_of(b.var) == "float32"]
    assert len(floats) == 2, "only the numbers themselves are floats"


def _broadcast(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return quantize_to(emit(relax.op.add(emit(dequantize(x[0])), emit(dequantize(x[1])))))


def _used_as_float(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    total = emit(relax.op.add(emit(dequantize(x[0])), emit(dequantize(x[1]))))
    return relax.op.multiply(total, emit(dequantize(emit(quantize_to(total)))))


def _per_channel(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    scales, zeros = np.linspace(0.01, 0.05, 37).astype("float32"), np.full(37, 9, "uint8")
    real = emit(relax.op.dequantize(x[0], relax.const(scales), relax.const(zeros), axis=3))
    return quantize_to(emit(relax.op.add(real, real)))


def _negative(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    return quantize_to(emit(relax.op.add(emit(dequantize(x[0], -0.1)), emit(dequantize(x[1])))))


def _wide(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    total = emit(relax.op.add(emit(dequantize(x[0])), emit(dequantize(x[1]))))
    return relax.op.quantize(
        total, relax.const(0.1, "float32"), relax.const(0, "int16"), axis=0, out_dtype="int16"
    )


def _widened(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
    factors = const(np.linspace(0.5, 2, 37).reshape(1, 1, 1, 37))
    return quantize_to(emit(relax.op.multiply(emit(dequantize(x[0])), factors)))


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        (_broadcast, bytes_of(MAP, (37,))),
        (_widened, bytes_of((9, 37))),
        (_widened, bytes_of((1, 9, 7, 1))),
        (_used_as_float, bytes_of(MAP, MAP)),
        (_per_channel, bytes_of(MAP)),
        (_negative, bytes_of(MAP, MAP)),
        (_wide, bytes_of(MAP, MAP)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_does_not_fit_is_left_alone(
    body: Callable[..., relax.Expr], inputs: tuple[np.ndarray, ...]
) -> None:
    module = module_of(body, *inputs)
    recognised = fused(module)
    assert not any(name.startswith(("fused_q", "fused_lookup")) for name in operators(recognised))
    np.testing.assert_array_equal(*(run_by_plain_tvm(each, inputs)[0] for each in (module, recognised)))


def test_what_is_quantized_per_channel_is_joined_as_it_is() -> None:
    """Beside what is requantized to one scale for all."""
    scales, zeros = np.linspace(0.01, 0.05, 37).astype("float32"), np.full(37, 9, "uint8")

    def body(emit: Emit, x: Sequence[relax.Var]) -> relax.Expr:
        one = emit(quantize_to(emit(dequantize(x[0], 0.03, 5))))
        real = emit(dequantize(x[1], 0.02, 3))
        other = emit(
            relax.op.quantize(real, relax.const(scales), relax.const(zeros), axis=3, out_dtype="uint8")
        )
        return relax.op.concat([one, other], 3)

    inputs = bytes_of(MAP, MAP)
    module = module_of(body, *inputs)
    recognised = fused(module)
    assert operators(recognised)["fused_qconcat"] == 1
    np.testing.assert_array_equal(*(run_by_plain_tvm(each, inputs)[0] for each in (module, recognised)))
