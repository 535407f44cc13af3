"""What does not compile is not refused: the parts of an ONNX model that compile are, the others stay."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from relay_strategies.frontends.onnx.nodes import onnx_dims, operator_name
from relay_strategies.frontends.onnx.partition import Part, Partition, partition
from relay_strategies.frontends.onnx.runtime import ONNXRUNTIME, dtype_of
from relay_strategies.frontends.onnx.trial import Opened
from tvm_directconv.errors import DirectConvError, ModelError, UnsupportedOperatorError, last_line
from tvm_directconv.log import LOG
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.ties import Affine
from tvm_directconv.runtime.metadata import TensorInfo
from tvm_directconv.zoo.inputs import true_inputs

from ..model.executable_model import ExecutableModel
from ..sizes import ShapeSpec, onnx_inputs
from .model import PartedModel, parted
from .parts import PartRun, Parts
from .session import Session, require_onnxruntime

FALLBACKS = (ONNXRUNTIME,)
CompilePart = Callable[..., ExecutableModel]
NAMED = 6
WAYS_OUT = (
    f"; fallback='{ONNXRUNTIME}' has ONNX Runtime compute such nodes, and tvm-directconv split cuts them off"
)


def check_fallback(fallback: Any) -> None:
    """Raise ModelError for a fallback that is not one."""
    if fallback is not None and fallback not in FALLBACKS:
        raise ModelError(
            f"fallback must be one of {', '.join(map(repr, FALLBACKS))}, or None, not {fallback!r}"
        )


def with_ways_out(error: DirectConvError) -> DirectConvError:
    """Return an error with what else can be done about operators that are not supported; others as they
    are."""
    if type(error) is not UnsupportedOperatorError:
        return error
    return UnsupportedOperatorError(f"{error}{WAYS_OUT}", error.nodes)


def compile_in_parts(
    proto: ModelProto,
    wanted: ShapeSpec,
    target: str,
    compile_part: CompilePart,
    max_tensor_bytes: int | None,
    refused: DirectConvError,
) -> PartedModel:
    """Compile the parts of a model that compile. It was ``refused`` as a whole.

    ``compile_part`` compiles one, given what ``compile`` is told of sizes. Raises ModelError for a model that
    ONNX Runtime does not take either.
    """
    require_onnxruntime(str(refused))
    start = time.perf_counter()
    found = partition(proto, lambda ties: opened_sizes(proto, wanted, ties), max_tensor_bytes)
    seconds = time.perf_counter() - start
    steps: dict[Part, PartRun] = {}
    while missing := [part for part in found.parts if part not in steps]:
        for part in missing:
            try:
                steps[part] = _step(found, part, wanted, compile_part)
            except DirectConvError as error:
                if not part.compiles:
                    raise ModelError(f"{error}; it does not compile: {refused}") from None
                LOG.info("a part is left to ONNX Runtime: %s", last_line(error))
                found = found.staying(part.nodes, last_line(error))
                break
    ordered = [steps[part] for part in found.parts]
    results = [value.name for value in proto.graph.output]
    others = {value.name for value in true_inputs(proto.graph)}
    others.update(name for step in ordered for name in step.part.outputs)
    parts = Parts(ordered, results, {n: found.constant(n) for n in results if n not in others})
    infos, stays = _infos(found, ordered), found.named_reasons
    return parted(parts, target, *infos, found.open_dimensions, _bounds(wanted), stays, seconds)


def opened_sizes(proto: ModelProto, wanted: ShapeSpec, ties: Mapping[str, Affine]) -> Opened:
    """Return the sizes that a model is walked over in: several of one model are open dimensions."""
    declared = onnx_inputs(proto)
    opened = wanted.opened(declared, ties)
    if opened is not None:
        return opened
    first, *others = wanted.sizes(declared)
    if others or wanted.on_demand:
        typical = {
            dim: max(1, size)
            for name, dims in declared.items()
            for dim, size in zip(dims or (), first.get(name, ()), strict=False)
            if isinstance(dim, str)
        }
        opened = ShapeSpec(typical=typical).opened(declared, ties) if typical else None
    return opened or (OpenSizes(), first)


def _step(found: Partition, part: Part, wanted: ShapeSpec, compile_part: CompilePart) -> PartRun:
    proto = found.proto(part)
    operators = [operator_name(found.model.graph.node[i]) for i in part.nodes]
    kinds = ", ".join(list(dict.fromkeys(operators))[:NAMED])
    text = f"{len(operators)} node{'s' * (len(operators) > 1)}: {kinds}"
    if not part.compiles:
        session = Session(proto)
        _ = session.outputs  # what it does not take is an error now
        return PartRun(part, None, session, text)
    dims = {value.name: onnx_dims(value) or () for value in proto.graph.input}
    names = {dim for shape in dims.values() for dim in shape if isinstance(dim, str)}
    several = (
        wanted.on_demand
        or not isinstance(wanted.batch, int | None)
        or isinstance(wanted.shapes, list | tuple)
    )
    if not names:
        model = compile_part(proto)
    elif several:
        shapes = {n: [found.typical.get(str(dim), dim) for dim in shape] for n, shape in dims.items()}
        model = compile_part(proto, shapes=shapes, on_demand=True)
    else:
        bounds = {name: ends for name, ends in (wanted.bounds or {}).items() if name in names}
        typical = {name: found.typical[name] for name in names}
        model = compile_part(proto, typical=typical, sizes=bounds or None)
    return PartRun(part, model, Session(proto), text)


def _infos(found: Partition, steps: list[PartRun]) -> tuple[list[TensorInfo], list[TensorInfo]]:
    """Return what the model's inputs and outputs are."""
    by_runtime = {
        name: said for step in steps if step.model is None for name, said in step.session.outputs.items()
    }
    graph = found.model.graph
    inputs = [_info(found, value, by_runtime) for value in true_inputs(graph)]
    outputs = [_info(found, value, by_runtime) for value in graph.output]
    return inputs, outputs


def _info(
    found: Partition, value: ValueInfoProto, by_runtime: Mapping[str, tuple[tuple[int | str, ...], str]]
) -> TensorInfo:
    """Return what a value is: as the walk has found, else as ONNX Runtime says, else as it is declared."""
    known = found.described(value.name)
    if known is not None:
        return TensorInfo(value.name, *known)
    kind = value.type.WhichOneof("value") or "tensor_type"
    if value.name in by_runtime:
        shape, dtype = by_runtime[value.name]
        dims = tuple(f"{value.name}.{axis}" if dim is None else dim for axis, dim in enumerate(shape))
        return TensorInfo(value.name, dims, dtype_of(dtype))
    if kind != "tensor_type":
        return TensorInfo(value.name, (), kind.removesuffix("_type"))
    return TensorInfo(value.name, onnx_dims(value) or (), _element_text(value.type.tensor_type.elem_type))


def _element_text(element: int) -> str:
    """Return the name of an element type, as numpy has it where it does."""
    if element == TensorProto.STRING:
        return "string"
    return str(helper.tensor_dtype_to_np_dtype(element)) if element else "float32"


def _bounds(wanted: ShapeSpec) -> dict[str, tuple[int, int]]:
    return {name: (int(ends[0]), int(ends[1])) for name, ends in (wanted.bounds or {}).items()}
