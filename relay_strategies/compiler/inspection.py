"""inspect: what a model is, and what of it does not compile, without compiling it."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import tvm
from onnx import ModelProto, TensorProto, ValueInfoProto, helper
from tvm import relax

from relay_strategies.frontends.declared import Given
from relay_strategies.frontends.onnx.nodes import all_nodes, onnx_dims, operator_name
from relay_strategies.frontends.onnx.partition import NO_LAYER, partition
from relay_strategies.frontends.parameters import ParamsSource
from relay_strategies.relax.graph import constant
from relay_strategies.relax.outputs import result_names, result_types
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.problem.ties import Affine
from tvm_directconv.runtime.metadata import TensorInfo
from tvm_directconv.text import Tabular, TextTable, bytes_label
from tvm_directconv.zoo.inputs import true_inputs

from .fallback.compiler import opened_sizes
from .model_kinds import kind_of
from .sizes import ShapeSpec, guessed, numbers_of, onnx_inputs, relax_names
from .source import ModelInput, is_onnx, onnx_model, read_source


@dataclass(frozen=True)
class Inspection(Tabular):
    """What a model is.

    ``operators`` counts its nodes by operator, ``refused`` has why nodes do not compile, by their names, and
    ``open_sizes`` the dimensions that are open, with the sizes that they were looked at in.
    ``weights_bytes`` is what its constants take.
    """

    kind: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    operators: Mapping[str, int]
    refused: Mapping[str, str]
    open_sizes: Mapping[str, int]
    weights_bytes: int
    opsets: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values; of a tensor what is seldom true only where it is."""
        return asdict(
            self,
            dict_factory=lambda items: {k: v for k, v in items if k not in ("changes", "is_complex") or v},
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return the operators and how many there are of each, the most frequent first."""
        counts = sorted(self.operators.items(), key=lambda item: (-item[1], item[0]))
        return [{"operator": operator, "nodes": count} for operator, count in counts]

    def table(self) -> TextTable:
        """Return the operators and how many there are of each, below what the model is."""
        sizes = ", ".join(f"{name} ({size} looked at)" for name, size in self.open_sizes.items())
        opsets = ", ".join(f"{name} {version}" for name, version in self.opsets.items())
        lines = [
            f"{self.kind}; {bytes_label(self.weights_bytes)} of weights",
            *(f"input   {value}" for value in self.inputs),
            *(f"output  {value}" for value in self.outputs),
            *([f"opset   {opsets}"] if opsets else []),
            *([f"open    {sizes}"] if sizes else []),
        ]
        reasons = [f"{name}: {why}" for name, why in self.refused.items()]
        caption = "\n".join(["does not compile:", *reasons] if reasons else ["everything compiles"])
        found = TextTable("\n".join(lines), ("operator", "nodes"), left=("operator",), caption=caption)
        for row in self.rows():
            found.add_row(*row.values())
        return found


def inspect(
    model: Any,
    *,
    example_inputs: Any = None,
    shapes: Given | None = None,
    typical: Mapping[str, int] | None = None,
    params: ParamsSource | None = None,
    data_folder: str | os.PathLike[str] | None = None,
) -> Inspection:
    """Return what a model is: inputs and outputs, operators, open sizes, weights, and which nodes of it would
    be refused and why. Nothing is compiled.

    Args:
        model: What ``compile`` takes; so are the other arguments.
        example_inputs: What torch.export traces a module with.
        shapes: Shapes of inputs, by name.
        typical: What open dimensions typically are, by name; what nothing is said of is guessed.
        params: Weights of a Relay or Relax model, or inputs of an ONNX model that stay what they are.
        data_folder: Where an ONNX model's external data is.

    Raises:
        ModelError: The model cannot be read, or, where it is not ONNX, has operators that are not supported.

    Examples:
        >>> import tvm_directconv as directconv
        >>> found = directconv.inspect("squeezenet")
        >>> found.operators["Conv"], found.refused
        (26, {})
    """
    given = ModelInput(model, example_inputs, params, data_folder=data_folder, shapes=shapes)
    kind = kind_of(model)
    name = kind.name if kind is not None else "a model"
    if is_onnx(model):
        return _of_onnx(name, onnx_model(given, keeps=False), shapes, typical)
    source = read_source(given, keeps=False)
    spec = _spec(source.inputs, shapes, {**source.typical, **(typical or {})})
    opened = spec.opened(source.inputs, {}, source.typical)
    if opened is None:
        return _of_module(name, source.module(spec.sizes(source.inputs)[0]), {})
    with opened[0].active():
        return _of_module(name, source.module(opened[1]), dict(spec.typical or {}))


def _spec(declared: Mapping[str, Any], shapes: Given | None, typical: Mapping[str, int] | None) -> ShapeSpec:
    """Return the sizes to look at: what nothing is said of is guessed, or 1 where it is a batch."""
    return ShapeSpec(shapes, typical={**guessed(declared, numbers_of(shapes or {})), **(typical or {})})


def _of_onnx(
    kind: str, model: ModelProto, shapes: Given | None, typical: Mapping[str, int] | None
) -> Inspection:
    spec = _spec(onnx_inputs(model), shapes, typical)

    def opened(ties: Mapping[str, Affine]) -> Any:
        return opened_sizes(model, spec, ties)

    found = partition(model, opened)
    domains = {node.domain for node in all_nodes(model.graph)}
    return Inspection(
        kind,
        tuple(_onnx_info(value) for value in true_inputs(model.graph)),
        tuple(_onnx_info(value) for value in model.graph.output),
        dict(Counter(operator_name(node) for node in all_nodes(model.graph))),
        {name: why for name, why in found.named_reasons.items() if why != NO_LAYER},
        dict(spec.typical or {}),
        sum(_tensor_bytes(tensor) for tensor in model.graph.initializer),
        {given.domain or "ai.onnx": given.version for given in model.opset_import if given.domain in domains},
    )


def _onnx_info(value: ValueInfoProto) -> TensorInfo:
    kind = value.type.tensor_type.elem_type
    dtype = str(helper.tensor_dtype_to_np_dtype(kind)) if kind else "unknown"
    return TensorInfo(value.name, onnx_dims(value) or (), "string" if kind == TensorProto.STRING else dtype)


def _tensor_bytes(tensor: TensorProto) -> int:
    """Return what a tensor's elements take, also where they are in another file."""
    if tensor.data_type == TensorProto.STRING:
        return sum(map(len, tensor.string_data))
    return math.prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize


def _of_module(kind: str, module: tvm.IRModule, typical: Mapping[str, int]) -> Inspection:
    """Describe a model that was imported: its operators are Relax's."""
    main = module["main"]
    operators = Counter[str]()
    weights = dict[int, int]()

    def visit(expr: relax.Expr) -> None:
        if isinstance(expr, relax.Call):
            operators[str(getattr(expr.op, "name", expr.op)).removeprefix("relax.")] += 1
        elif (array := constant(expr)) is not None:
            weights[array.ctypes.data] = array.nbytes

    relax.analysis.post_order_visit(main.body, visit)
    return Inspection(
        kind,
        tuple(
            _info(name, param.ty) for name, param in zip(relax_names(main), tensor_params(main), strict=True)
        ),
        tuple(_info(n, ty) for n, ty in zip(result_names(main), result_types(main), strict=True)),
        dict(operators),
        {},
        typical,
        sum(weights.values()),
        {},
    )


def _info(name: str, kind: relax.Type) -> TensorInfo:
    dims = getattr(kind.shape, "values", ())
    return TensorInfo(
        name, tuple(int(dim) if isinstance(dim, tvm.tirx.IntImm) else str(dim) for dim in dims), kind.dtype
    )
