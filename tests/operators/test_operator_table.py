"""The table of operators: one entry for each, all of them operators that TVM has."""

from __future__ import annotations

import numpy as np
import pytest
import tvm
from graph_support import draw, run_by_plain_tvm
from quantized_support import module_of
from support import assert_matches
from tvm import relax

import tvm_directconv as directconv
from intrinsics.epilogue import Clip, Elu, Gelu, LeakyRelu, Silu, Step
from relay_strategies import operators
from relay_strategies.operators import COMPOSITES, OPERATORS, UNKNOWN, Values, names_of, operator_of
from relay_strategies.relax.epilogue_steps import RECOGNISERS, apply_steps, step_of, steps_attribute, steps_of
from tvm_directconv.problem.steps import numpy_steps

KNOWN = set(tvm.ir.Op.list_op_names())


@pytest.mark.parametrize("name", [*OPERATORS, *RECOGNISERS])
def test_tvm_has_every_operator(name: str) -> None:
    assert name in KNOWN


def test_every_operator_has_one_entry() -> None:
    assert sum(len(file.OPERATORS) for file in operators._FILES) == len(OPERATORS)
    assert sum(len(getattr(file, "COMPOSITES", ())) for file in operators._FILES) == len(COMPOSITES)


def test_nothing_is_known_of_other_operators() -> None:
    x = relax.Var("x", relax.TensorType((4, 4), "float32"))
    assert operator_of(relax.op.tril(x)) is UNKNOWN and operator_of(x) is UNKNOWN
    assert operator_of(relax.op.exp(x)) is OPERATORS["relax.exp"]


def test_names_by_values() -> None:
    assert "relax.reshape" in names_of(Values.REARRANGED)
    assert set(names_of(Values.LARGEST)) == {"relax.nn.max_pool2d"}


# ---- steps


@pytest.mark.parametrize(
    ("build", "step"),
    [
        (relax.op.nn.relu, Clip(low=0.0)),
        (lambda x: relax.op.clip(x, 0.5, 6.0), Clip(0.5, 6.0)),
        (lambda x: relax.op.clip(x, 5.0, 3.0), Clip(3.0, 3.0)),
        (lambda x: relax.op.maximum(x, relax.const(0.25, "float32")), Clip(low=0.25)),
        (lambda x: relax.op.maximum(relax.const(0.25, "float32"), x), Clip(low=0.25)),
        (lambda x: relax.op.minimum(x, relax.const(np.float32([[2.5]]))), Clip(high=2.5)),
        (lambda x: relax.op.minimum(x, relax.const(np.zeros((2, 3), "float32"))), None),
        (lambda x: relax.op.maximum(x, relax.const(np.ones((1, 1, 1), "float32"))), None),
        (lambda x: relax.op.maximum(x, relax.const(float("nan"), "float32")), None),
        (relax.op.exp, None),
    ],
)
def test_steps_are_recognised(build, step: Step | None) -> None:  # type: ignore[no-untyped-def]
    x = relax.Var("x", relax.TensorType((2, 3), "float32"))
    found = step_of(build(x))
    assert found is None if step is None else found == (x, step)


@pytest.mark.parametrize(
    "steps",
    [(), (Clip(low=0.0),), (Clip(-1.0, 1.5), Clip(high=1.0)), (Silu(), Clip(-0.2, 1.0)), (Gelu(), Elu())],
)
def test_steps_are_kept_by_attributes_and_written_as_operators(steps: tuple[Step, ...]) -> None:
    assert steps_of(steps_attribute(steps)) == steps
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 3), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            result = builder.emit_output(apply_steps(builder.emit, steps, x))
        builder.emit_func_output(result)
    data = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    (got,) = run_by_plain_tvm(builder.get(), [data])
    np.testing.assert_allclose(got, numpy_steps(steps, data), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "blocked"])
def test_what_is_recognised_is_fused(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Graph passes know no step by name: one that they are told to recognise becomes part of its layer."""
    leaky = "relax.nn.leakyrelu"
    monkeypatch.setitem(RECOGNISERS, leaky, lambda call: (call.args[0], LeakyRelu(call.attrs.alpha)))

    def body(emit, inputs):  # type: ignore[no-untyped-def]
        (x,) = inputs
        for seed in (1, 2):
            convolution = relax.op.nn.conv2d(x, relax.const(draw(8, 8, 3, 3, seed=seed)), padding=1)
            x = emit(relax.op.nn.leakyrelu(emit(convolution), 0.25))
        return relax.op.nn.relu(x)

    data = draw(1, 8, 6, 6)
    module = module_of(body, data)
    model = directconv.compile(module, layout=layout)
    assert_matches(model.run([data])[0], run_by_plain_tvm(module, [data])[0], layout)
    first, second = (layer.workload for layer in model.report().layers)
    assert first.endswith("_leakyrelu(0.25)") and second.endswith("_leakyrelu(0.25)+relu")
