"""A walk that goes on behind what does not compile, to find all such nodes of a model at once.

A node that is refused, or whose conversion fails, stays. Its results are read by others as if they came from
outside, with the types that ONNX's shape inference, the model itself, or ONNX Runtime, where it is installed,
has for them; sizes that none of these know are open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorShapeProto, TypeProto, ValueInfoProto, helper, numpy_helper

from relay_strategies.frontends.budget import forgiven
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import DirectConvError, ModelError, first_line, last_line, let_through
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.ties import Affine
from tvm_directconv.zoo.inference import infer_shapes
from tvm_directconv.zoo.inputs import true_inputs

from .checks import ELEMENTS, UNSUPPORTED
from .functions import is_converted
from .inference import infer_types
from .nodes import node_name, operator_name, static_dims, tensor_type
from .open_shapes import is_open_array
from .order import reads
from .runtime import installed, type_of
from .walk import Walk

Opened = tuple[OpenSizes, Mapping[str, "tuple[int, ...]"]]
MOST_TURNS = 8
"""The number of walks that may find which dimensions have to be the same."""
UNKNOWN_SIZE = 16
"""What is typical of a size that nothing is known of."""
NO_TENSOR = "its result '{}' is not a tensor"
UNKNOWN = "the shape or the type of '{}', which it reads, is known when the model runs"


@dataclass(frozen=True)
class Findings:
    """What a walk found: why nodes stay, by their index, the arrays and types of values that are known, in
    ``sizes``, some of which may be open."""

    reasons: Mapping[int, str]
    known: Mapping[str, np.ndarray]
    types: Mapping[str, TypeProto.Tensor]
    sizes: OpenSizes


def tried(
    model: ModelProto, opened: Callable[[Mapping[str, Affine]], Opened], max_tensor_bytes: int | None
) -> Findings:
    """Walk over a model whose nodes are in order. ``opened`` is as of ``partition``."""
    ties: Mapping[str, Affine] = {}
    for turn in itertools.count(1):
        sizes, shapes = opened(ties)
        with sizes.active():
            try:
                walk = Trial(model, shapes, max_tensor_bytes, sizes, ties_more=turn < MOST_TURNS)
                break
            except _Tied:
                ties = dict(sizes.found)
    return Findings(walk.reasons, walk.known, walk.types, sizes)


class _Tied(Exception):
    """Dimensions have to be the same, so that the walk begins anew."""


class Trial(Walk):
    """The walk over a model; ``reasons`` say why nodes stay, by their index."""

    def __init__(
        self,
        model: ModelProto,
        shapes: Mapping[str, tuple[int, ...]],
        most: int | None,
        sizes: OpenSizes,
        ties_more: bool,
    ) -> None:
        """``ties_more`` says whether the walk begins anew where dimensions have to be the same."""
        self.reasons: dict[int, str] = {}
        self._model, self._sizes, self._ties_more = model, sizes, ties_more
        self._named: dict[str, int] = {}
        self._index = {name: i for i, node in enumerate(model.graph.node) for name in node.output if name}
        self._inferred = _inferred(model, shapes)
        said = {name: kind for name, kind in self._inferred.items() if kind.HasField("tensor_type")}
        self._said = {name: kind.tensor_type for name, kind in said.items()}
        inputs, self._unknown = dict[str, TypeProto.Tensor](), set[str]()
        for value in true_inputs(model.graph):
            kind = value.type.tensor_type
            if kind.elem_type in ELEMENTS and value.name in shapes:
                inputs[value.name] = tensor_type(kind.elem_type, shapes[value.name])
            else:
                self._unknown.add(value.name)
        super().__init__(model, inputs, most)

    def _step(self, node: NodeProto) -> None:
        made = [name for name in node.output if name]
        if made[0] not in self._index:  # it gives an output that is listed twice its second name
            self._unknown.update(made)
            return
        self._refusals.clear()
        self._failure = None
        unknown = sorted(self._unknown & reads(node))
        why = UNKNOWN.format(unknown[0]) if unknown else self._why_not(node)
        if unknown and not is_converted(node):
            why = UNSUPPORTED.format(operator_name(node))
        if why is None:
            return
        self.reasons[self._index[made[0]]] = why
        self._refusals.clear()
        self._failure = None
        self._take_from_outside(node)

    def _why_not(self, node: NodeProto) -> str | None:
        """Convert a node; return why that fails, None where it does not."""
        try:
            with forgiven():
                super()._step(node)
                texts = list(self._refusals.texts())
                if self._failure is not None:
                    texts.append(last_line(self._failure))
                others = [n for n in node.output if n in self._inferred and n not in self._said]
                if not texts and not others:
                    return None
                texts += [NO_TENSOR.format(name) for name in others]
                raise ModelError("; ".join(texts))
        except DirectConvError as error:
            if self._ties_more and self._sizes.found and self._sizes.found != self._sizes.ties:
                raise _Tied from None
            return first_line(error)

    def _finish_outputs(self) -> None:
        """The function returns what is known of the model's outputs."""
        self._refusals.clear()
        self._failure = None
        self._outputs = [
            value
            for value in self._outputs
            if value.name in self._values or value.name in self.known or value.name in self._weights
        ]

    # ---- results of nodes that stay

    def _take_from_outside(self, node: NodeProto) -> None:
        """Have the results of a node be what comes from outside, where their types are known."""
        found = list(self._types_of(node))
        for name in filter(None, node.output):
            self._made.add(name)
            self.known.pop(name, None)
            self._values.pop(name, None)
            self.types.pop(name, None)
            kinds = [kinds[name] for kinds in found if name in kinds]
            kind = self._together(name, kinds)
            if kind is None:
                self._unknown.add(name)
                continue
            self.types[name] = kind
            dtype = str(helper.tensor_dtype_to_np_dtype(kind.elem_type))
            self._values[name] = self._converter.zeros(static_dims(kind) or (), dtype)

    def _together(self, name: str, kinds: list[TypeProto.Tensor]) -> TypeProto.Tensor | None:
        """Return one type of what several say of a value; None where it is of no use."""
        elements = [kind.elem_type for kind in kinds if kind.elem_type]
        shaped = [kind for kind in kinds if kind.HasField("shape")]
        if not elements or elements[0] not in ELEMENTS or not shaped:
            return None
        shaped = [kind for kind in shaped if len(kind.shape.dim) == len(shaped[0].shape.dim)]
        dims = []
        for axis, said in enumerate(zip(*(kind.shape.dim for kind in shaped), strict=True)):
            sizes = [size for dim in said if (size := self._size(dim)) is not None]
            names = [dim.dim_param for dim in said if dim.dim_param]
            dims.append(sizes[0] if sizes else self._new_size(names[0] if names else f"{name}.{axis}"))
        kind = tensor_type(elements[0], dims)
        refuse_size([d.dim_value for d in kind.shape.dim], 1, f"tensor '{name}'", self._most)
        return kind

    def _size(self, dim: TensorShapeProto.Dimension) -> int | None:
        if dim.HasField("dim_value"):
            return int(dim.dim_value) if dim.dim_value >= 0 else None
        return self._sizes.parsed(dim.dim_param) if dim.dim_param and self._sizes.has_any else None

    def _new_size(self, name: str) -> int:
        """Return the open dimension that stands for what the model, or a runtime, calls ``name``."""
        if name not in self._named:
            label = f"size{len(self._named)}"
            while label in self._sizes.variables:
                label += "_"
            self._named[name] = self._sizes.dimension(label, UNKNOWN_SIZE)
        return self._named[name]

    def _types_of(self, node: NodeProto) -> Iterator[Mapping[str, TypeProto.Tensor]]:
        """Yield what is said of the types of a node's results."""
        alone = self._alone(node)
        ways: list[Callable[[], Mapping[str, TypeProto.Tensor]]] = [
            lambda: infer_types(node, self.known, self.types, self._opset),
            lambda: self._said,
            lambda: _types_by_body(node),
        ]
        if alone is not None:
            ways += [lambda: _types_by_onnx(alone), lambda: _types_by_onnxruntime(alone)]
        for way in ways:
            try:
                yield way()
            except Exception as error:  # they raise whatever their functions for operators do
                let_through(error)

    def _alone(self, node: NodeProto) -> ModelProto | None:
        """Return a model of one node; None where not all that it reads has a type."""
        model = ModelProto(ir_version=max(self._model.ir_version, 4), opset_import=self._model.opset_import)
        model.graph.name = node_name(node)
        model.graph.node.append(node)
        model.graph.output.extend(ValueInfoProto(name=name) for name in node.output if name)
        for name in sorted(reads(node)):
            array = self.known.get(name)
            if array is not None and array.dtype != object and not is_open_array(array):
                model.graph.initializer.append(numpy_helper.from_array(array, name))
            elif name in self.types:
                kind = TypeProto(tensor_type=self.types[name])
                model.graph.input.append(ValueInfoProto(name=name, type=kind))
            elif name in self._inferred:
                model.graph.input.append(ValueInfoProto(name=name, type=self._inferred[name]))
            elif name in self._made or name in self._unknown:
                return None
        return model


def _inferred(model: ModelProto, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, TypeProto]:
    """Return the types of values as the model, and ONNX's shape inference of it, say them: also of sequences
    and the like, which the walk has not."""
    sized = ModelProto()
    sized.CopyFrom(model)
    for value in sized.graph.input:
        if value.name in shapes and value.type.HasField("tensor_type"):
            value.type.tensor_type.CopyFrom(tensor_type(value.type.tensor_type.elem_type, shapes[value.name]))
    try:
        sized = infer_shapes(sized)
    except Exception as error:  # it raises whatever its functions for operators do
        let_through(error)
    graph = sized.graph
    values = (*graph.value_info, *graph.output, *graph.input)
    return {value.name: value.type for value in values if value.type.WhichOneof("value")}


def _types_by_body(node: NodeProto) -> dict[str, TypeProto.Tensor]:
    """Return the types that a branch of an If, or the body of a Loop, declares of what it makes."""
    graphs = {each.name: each.g for each in node.attribute if each.HasField("g")}
    if node.op_type == "If" and "then_branch" in graphs:
        kinds = [value.type.tensor_type for value in graphs["then_branch"].output]
    elif node.op_type == "Loop" and "body" in graphs:
        kinds = [value.type.tensor_type for value in graphs["body"].output][1 : len(node.input) - 1]
    else:
        return {}
    return {name: kind for name, kind in zip(node.output, kinds, strict=False) if kind.HasField("shape")}


def _types_by_onnx(model: ModelProto) -> dict[str, TypeProto.Tensor]:
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    return {value.name: value.type.tensor_type for value in inferred.graph.output}


def _types_by_onnxruntime(model: ModelProto) -> dict[str, TypeProto.Tensor]:
    """Return the types that ONNX Runtime infers of a model's outputs; none where it is not installed."""
    try:
        onnxruntime = installed()
    except ImportError:
        return {}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    found = {}
    for value in session.get_outputs():
        element = ELEMENTS_OF_RUNTIME.get(value.type)
        if element is not None and value.shape:  # without dimensions it is a scalar, or of unknown rank
            found[value.name] = helper.make_tensor_type_proto(element, value.shape).tensor_type
    return found


ELEMENTS_OF_RUNTIME = {
    type_of(str(helper.tensor_dtype_to_np_dtype(element))): element for element in ELEMENTS
}
"""ONNX's element types by what ONNX Runtime calls tensors of them."""
