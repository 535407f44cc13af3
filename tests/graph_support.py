"""Small ONNX networks for the tests of importer, passes and compiler, and what they should compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import tvm
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from tvm import relax

from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.operators import orders
from relay_strategies.relax.graph import operator_name, shape_of

OPSET = 13
IR_VERSION = 8
Shapes = Mapping[str, Sequence[int | str]]


def node(kind: str, inputs: str, outputs: str, **attributes: object) -> NodeProto:
    """A node; ``inputs`` and ``outputs`` are names between blanks, "-" an input left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), name=f"{kind}:{outputs.split()[0]}", **attributes)


def network(
    nodes: Sequence[NodeProto],
    inputs: Shapes,
    outputs: Shapes,
    weights: Mapping[str, np.ndarray] | None = None,
    *,
    opset: int = OPSET,
) -> ModelProto:
    def infos(shapes: Shapes) -> list[onnx.ValueInfoProto]:
        return [helper.make_tensor_value_info(n, TensorProto.FLOAT, list(s)) for n, s in shapes.items()]

    initializers = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    graph = helper.make_graph(list(nodes), "network", infos(inputs), infos(outputs), initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    """Seeded float32 numbers, different for every shape."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32) * np.float32(0.3)


def inputs_of(model: ModelProto) -> dict[str, np.ndarray]:
    given = {tensor.name for tensor in model.graph.initializer}
    shapes = {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in model.graph.input
        if value.name not in given
    }
    return {name: draw(*shape, seed=index) for index, (name, shape) in enumerate(shapes.items())}


def run_by_plain_tvm(module: tvm.IRModule, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A Relax module built by TVM's own pipeline alone: what the module means."""
    # LLVM's optimizations take most of the time and change no meaning.
    executable = relax.build(module, tvm.target.Target({"kind": "llvm", "opt-level": 0}))
    machine = relax.VirtualMachine(executable, tvm.cpu())
    results = machine["main"](*(tvm.runtime.tensor(array) for array in inputs))
    tensors = [results] if isinstance(results, tvm.runtime.Tensor) else list(results)
    return [tensor.numpy() for tensor in tensors]


def with_composites(model: ModelProto, target: str = "llvm -mcpu=x86-64") -> tvm.IRModule:
    """The network as graph passes leave it, kernels not yet chosen."""
    order = passes.graph_passes(target)
    stop = [each.info.name for each in order].index("directconv.LowerConv2d")
    return tvm.transform.Sequential(order[:stop])(import_model(model))


def operators(module: tvm.IRModule) -> Counter[str]:
    """How often main calls each operator; calls of functions count under the function's name."""
    names: Counter[str] = Counter()
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            if isinstance(value, relax.Call):
                is_function = isinstance(value.op, tvm.ir.GlobalVar)
                name = value.op.name_hint.rstrip("0123456789") if is_function else operator_name(value)
                names[name.removeprefix("relax.")] += 1
    return names


EDGE_KERNELS = frozenset({"nchw_to_nhwc", "nhwc_to_nchw"})
"""Layout changes at the inputs and outputs of a network."""


def layout_changes(module: tvm.IRModule) -> list[tuple[int, ...]]:
    """The shapes of what main permutes between its inputs and its outputs; weights are not counted, nor what
    stays where it is in memory."""
    main = module["main"]
    bindings = [binding for block in main.body.blocks for binding in block.bindings]
    outputs = set(relax.analysis.free_vars(main.body.body))
    for binding in reversed(bindings):
        passes_on = isinstance(binding.value, relax.Var | relax.Tuple)
        if binding.var in outputs and (passes_on or operator_name(binding.value) == "relax.reshape"):
            outputs.update(relax.analysis.free_vars(binding.value))
    inputs = set(main.params)
    for binding in bindings:
        passes_on = isinstance(binding.value, relax.Var) or operator_name(binding.value) == "relax.reshape"
        if passes_on and set(relax.analysis.free_vars(binding.value)) & inputs:
            inputs.add(binding.var)
    made = {binding.var for binding in bindings if relax.analysis.free_vars(binding.value)} - inputs
    moved = []
    for binding in bindings:
        call = binding.value
        if (
            operator_name(call) == "relax.permute_dims"
            and call.args[0] in made
            and binding.var not in outputs
        ):
            shape = shape_of(call.args[0]) or ()
            axes = range(len(shape))[::-1] if call.attrs.axes is None else [int(a) for a in call.attrs.axes]
            if not orders.is_free(shape, axes):
                moved.append(shape)
    return moved


SEQUENCES = {16000: 512, 8000: 256}
"""By sampling rate, the length that ``two_rates`` takes."""


def two_rates() -> ModelProto:
    """One of two products, by the sampling rate; the other one does not fit what is heard at that rate."""

    def branch(rate: int) -> onnx.GraphProto:
        result = helper.make_tensor_value_info(f"y{rate}", TensorProto.FLOAT, None)
        return helper.make_graph([node("MatMul", f"x w{rate}", result.name)], f"at{rate}", [], [result])

    fast, slow = map(branch, SEQUENCES)
    nodes = [
        node("Equal", "sr fast", "is_fast"),
        node("If", "is_fast", "y", then_branch=fast, else_branch=slow),
    ]
    weights = {f"w{rate}": draw(length, 5) for rate, length in SEQUENCES.items()}
    model = network(nodes, {"x": (1, "n")}, {"y": (1, 5)}, weights | {"fast": np.array(16000)})
    model.graph.input.append(helper.make_tensor_value_info("sr", TensorProto.INT64, []))
    return model
