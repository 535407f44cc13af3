"""One budget for what an import makes: small files that expand are refused by their limit, others compile."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from fuzz.hostile import VECTOR, doubling_functions, nested_branches, nested_loops, relay_functions
from graph_support import network, node
from onnx import ModelProto, helper, numpy_helper

import tvm_directconv as directconv
from relay_strategies.frontends import budget
from relay_strategies.frontends.budget import allow, limited, spend
from relay_strategies.frontends.onnx.importer import import_onnx, walk_model
from relay_strategies.passes.fuse import fuse_affine
from tvm_directconv.errors import ModelError

RELU = [node("Relu", "s", "o")]


def overloaded_recursion() -> ModelProto:
    """A function calls itself, and another of its name, which is listed behind it, does not."""
    model = doubling_functions(1, 1)
    recursive, plain = model.functions
    recursive.name, recursive.overload = "f", "a"
    recursive.node[0].op_type, recursive.node[0].domain, recursive.node[0].overload = "f", "own", "a"
    recursive.opset_import.append(helper.make_opsetid("own", 1))
    plain.name, plain.overload = "f", "b"
    plain.node[0].op_type, plain.node[0].domain = "Relu", ""
    model.graph.node[0].op_type, model.graph.node[0].overload = "f", "a"
    return model


def written_out(layers: int) -> ModelProto:
    """LSTM layers of 20 steps that no kernel has, since they clip."""
    weights = {"w": np.zeros((1, 4, 1), np.float32), "r": np.zeros((1, 4, 1), np.float32)}
    names = ["x", *(f"h{layer}" for layer in range(layers - 1)), "y"]
    nodes = []
    for layer in range(layers):
        nodes += [
            node("LSTM", f"{names[layer]} w r", f"l{layer}", hidden_size=1, clip=1.0),
            node("Squeeze", f"l{layer} axis", names[layer + 1]),
        ]
    return network(nodes, {"x": (20, 1, 1)}, {"y": (20, 1, 1)}, {**weights, "axis": np.array([1])})


EXPANDING: dict[str, tuple[Callable[[], ModelProto | str], str]] = {
    "functions": (lambda: doubling_functions(14, 2), "make more than .* which is the limit"),
    "functions, many levels": (lambda: doubling_functions(150, 3), "make more than .* which is the limit"),
    "functions in a row": (lambda: doubling_functions(1500, 1), "nested more than 200 levels deep"),
    "a function that calls itself": (overloaded_recursion, "'own::f' calls itself"),
    "nested loops": (lambda: nested_loops([60, 60, 60], RELU), "make more than .* which is the limit"),
    "nested empty loops": (lambda: nested_loops([70, 70, 70], []), "make more than .* which is the limit"),
    "functions of Relay": (lambda: relay_functions(16, 2), "make more than .* which is the limit"),
}


@pytest.mark.parametrize(("make", "message"), EXPANDING.values(), ids=EXPANDING)
def test_what_expands_is_refused(make: Callable[[], ModelProto | str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        directconv.compile(make(), cache=False)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nested_branches(25),
        lambda: doubling_functions(6, 2),
        lambda: nested_loops([5, 6, 7], RELU),
        lambda: relay_functions(6, 2),
    ],
    ids=["branches", "functions", "loops", "Relay"],
)
def test_what_expands_a_little_compiles(make: Callable[[], ModelProto | str]) -> None:
    (result,) = directconv.compile(make(), cache=False).run(VECTOR)
    np.testing.assert_array_equal(result, np.maximum(VECTOR, 0))


def test_names_of_nested_branches_do_not_double() -> None:
    names = [name for node in walk_model(nested_branches(29)).nodes for name in (*node.input, *node.output)]
    assert sum(map(len, names)) < 20_000


def test_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse tensors, and constants that each turn of a loop copies."""
    monkeypatch.setattr(budget, "MOST_BYTES", 1 << 20)
    sparse = network([node("Add", "x a", "t"), node("Add", "t b", "y")], {"x": (1,)}, {"y": (1 << 17,)})
    for name in ("a", "b", "c"):
        made = sparse.graph.sparse_initializer.add(dims=[1 << 17])
        made.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), name))
        made.indices.CopyFrom(numpy_helper.from_array(np.zeros(1, np.int64), f"{name}_at"))
    import_onnx(sparse)  # "c" is not read
    sparse.graph.node.append(node("Relu", "c", "z"))
    sparse.graph.output.append(helper.make_tensor_value_info("z", 1, [1 << 17]))
    with pytest.raises(ModelError, match="more than 1048576 bytes"):
        import_onnx(sparse)
    weights = helper.make_node(
        "Constant", [], ["c"], value=numpy_helper.from_array(np.ones(2000, np.float32))
    )
    with pytest.raises(ModelError, match="more than 1048576 bytes"):
        import_onnx(nested_loops([100], [weights, node("Identity", "s", "o")]))


def test_recurrent_steps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "NODES_EACH", 0)
    monkeypatch.setattr(budget, "LEAST_NODES", 50)
    import_onnx(written_out(2))
    with pytest.raises(ModelError, match="make more than 50 nodes of the model's 6"):
        import_onnx(written_out(3))


def test_seconds_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_SECONDS", -1)
    with pytest.raises(ModelError, match="takes more than -1 seconds of a CPU"):
        import_onnx(nested_loops([3], RELU))


def test_a_budget_grows_with_the_model_and_is_of_one_import() -> None:
    for _ in range(2):
        with limited():
            allow(100)
            spend(budget.LEAST_NODES + 50 * budget.NODES_EACH)
            with limited():
                spend(50 * budget.NODES_EACH)
            with pytest.raises(ModelError, match="100 where they are written out"):
                spend(1)
    spend(1 << 40)  # nothing is imported


@pytest.mark.parametrize("of_constants", [False, True])
def test_a_tensor_joined_with_itself_again_and_again_stays_so(
    of_constants: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels take a few tensors each, and constants that would only become larger are not folded."""
    monkeypatch.setattr(fuse_affine, "MOST_TERMS", 4)
    names = ["w" if of_constants else "x", *(f"c{i}" for i in range(5))]
    nodes = [node("Concat", f"{before} {before}", name, axis=0) for before, name in itertools.pairwise(names)]
    many = " ".join([names[-1]] * 9)
    model = network([*nodes, node("Concat", f"{many} x", "y", axis=0)], {"x": (1, 3)}, {"y": (289, 3)})
    row, given = np.array([[1, 2, 3]], np.float32), np.array([[4, 5, 6]], np.float32)
    if of_constants:
        model.graph.initializer.append(numpy_helper.from_array(row, "w"))
    compiled = directconv.compile(model, cache=False)
    repeated = np.repeat(row if of_constants else given, 288, axis=0)
    np.testing.assert_array_equal(compiled(given), np.concatenate([repeated, given]))
    assert compiled.report().other_kernels["concat"] >= 4
