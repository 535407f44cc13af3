"""Single ONNX nodes of drawn parameters, many in one model, compared with ONNX's reference implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import tvm_directconv as directconv

TARGET = "llvm -mcpu=x86-64"
"""Small vectors, and little code, wherever the tests run; layouts and meanings are the same."""


@dataclass(frozen=True)
class Single:
    """One node: ``inputs`` are given at run time, ``constants`` are initializers; None is an input left out.

    Operands are the two in the order of ``order``, by default inputs first.
    """

    kind: str
    inputs: Mapping[str, np.ndarray]
    constants: Mapping[str, np.ndarray | None] = field(default_factory=dict)
    attributes: Mapping[str, object] = field(default_factory=dict)
    opset: int = 18
    outputs: int = 1
    order: Sequence[str] = ()
    domain: str = ""

    def __str__(self) -> str:
        operands = {**self.inputs, **self.constants}
        shown = ", ".join(
            f"{name}={'-' if value is None else value.tolist() if value.size < 9 else value.shape}"
            for name, value in operands.items()
        )
        return f"{self.kind}-{self.opset}({shown}, {dict(self.attributes)})"


def model_of(singles: Sequence[Single]) -> ModelProto:
    """A model of independent nodes; results are named by their node's number and their own."""
    nodes: list[NodeProto] = []
    inputs: list[ValueInfoProto] = []
    initializers = []
    outputs: list[str] = []
    for number, single in enumerate(singles):
        operands = {**single.inputs, **single.constants}
        names = ["" if operands[name] is None else f"n{number}_{name}" for name in single.order or operands]
        while names and not names[-1]:
            names.pop()
        results = [f"n{number}_out{i}" for i in range(single.outputs)]
        outputs.extend(results)
        nodes.append(
            helper.make_node(
                single.kind, names, results, f"node{number}", domain=single.domain, **single.attributes
            )
        )
        for name, array in single.inputs.items():
            dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(helper.make_tensor_value_info(f"n{number}_{name}", dtype, array.shape))
        for name, constant in single.constants.items():
            if constant is not None:
                initializers.append(numpy_helper.from_array(np.asarray(constant), f"n{number}_{name}"))
    (opset,) = {single.opset for single in singles}
    declared = [helper.make_value_info(name, onnx.TypeProto()) for name in outputs]
    graph = helper.make_graph(nodes, "singles", inputs, declared, initializers)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    model = onnx.shape_inference.infer_shapes(model)
    for value in model.graph.output:  # ONNX infers none for GroupNormalization
        if value.type.WhichOneof("value") is None:
            first = next(i for i in inputs if i.name.startswith(value.name.split("_")[0] + "_"))
            value.type.CopyFrom(first.type)
    return model


def feeds(singles: Sequence[Single]) -> dict[str, np.ndarray]:
    return {
        f"n{number}_{name}": array
        for number, single in enumerate(singles)
        for name, array in single.inputs.items()
    }


def by_reference(model: ModelProto, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    results = ReferenceEvaluator(model).run(None, dict(given))
    names = [output.name for output in model.graph.output]
    return {name: np.asarray(result) for name, result in zip(names, results, strict=True)}


def by_onnxruntime(model: ModelProto, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in model.graph.output]
    return dict(zip(names, session.run(None, dict(given)), strict=True))


def differences(
    singles: Sequence[Single], *, wanted=by_reference, rtol: float = 1e-5, atol: float = 1e-5
) -> list[str]:
    """What our results differ in, node by node; nodes of one opset are compiled as one model."""
    found = []
    for opset in sorted({single.opset for single in singles}):
        chosen = [single for single in singles if single.opset == opset]
        model, given = model_of(chosen), feeds(chosen)
        references = wanted(model, given)
        compiled = directconv.compile(model)
        results = dict(zip(compiled.output_names, compiled.run(given), strict=True))
        for name, reference in references.items():
            single, result = chosen[int(name[1 : name.index("_")])], results[name]
            if (result.shape, result.dtype) != (reference.shape, reference.dtype):
                found.append(
                    f"{single}: {name} is {result.dtype}{result.shape}, "
                    f"not {reference.dtype}{reference.shape}"
                )
            elif not np.allclose(
                result.astype(np.float64), reference.astype(np.float64), rtol, atol, equal_nan=True
            ):
                found.append(f"{single}: {name} is {_shown(result)}, not {_shown(reference)}")
    return found


def _shown(array: np.ndarray) -> str:
    return np.array2string(array.ravel(), threshold=16, separator=",", max_line_width=1000)
