"""TensorFlow Lite models in: a .tflite file becomes a checked Relax IRModule.

The conversion is TVM's own (``tvm.relax.frontend.tflite``), which writes quantized operators as float ones
between dequantization and quantization, as ONNX's QDQ does; what can stay in 8 bits, graph passes find. The
``tflite`` package, which reads the format, is the extra ``tvm-directconv[tflite]``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import tvm
from tvm import relax

from relay_strategies.frontends.checked import INPUT_NAMES, check_module
from relay_strategies.frontends.declared import Declared, Shape
from relay_strategies.frontends.sizes import refuse_size
from relay_strategies.relax.graph import Rewriter, operator_name, rewrite_module
from relay_strategies.relax.names import named
from relay_strategies.relax.outputs import OUTPUT_NAMES
from relay_strategies.relax.parameters import size_params
from tvm_directconv.errors import (
    DirectConvError,
    ModelError,
    UnsupportedOperatorError,
    last_line,
    let_through,
)
from tvm_directconv.files import path_of, read_file

from .converter import converter_class, stored_behind
from .open_shapes import declared_inputs, sizes_in_tvm

SUFFIX = ".tflite"
MAGIC = b"TFL3"
"""Files have this behind the offset of their root."""
MOST_BYTES = (1 << 31) - 1
"""Offsets of a flatbuffer are of 32 bits."""
SHARED = 16
"""Tensors may share what they hold, up to so many times the file in all."""
LAYERS = ("relax.nn.conv2d", "relax.matmul")


@dataclass(frozen=True)
class File:
    """A .tflite file that was read: the dimensions of its inputs, and what is typical of open ones."""

    what: str
    data: bytes
    inputs: Declared
    typical: Mapping[str, int]

    @property
    def leaves_open(self) -> bool:
        return any(isinstance(dim, str) for dims in self.inputs.values() for dim in dims or ())


def read_tflite(model: str | os.PathLike[str] | bytes, max_tensor_bytes: int | None = None) -> File:
    """Read the path or the bytes of a .tflite file. Raises ModelError for what is not such a model."""
    if isinstance(model, bytes):
        data, what = model, "the given bytes"
    else:
        path = path_of(model, "a TensorFlow Lite model", ModelError)
        what = f"'{path}'"
        data = read_file(path, what, ModelError, MOST_BYTES)
    try:
        import tflite  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise ModelError(f"{what} needs the tflite package: pip install 'tvm-directconv[tflite]'") from None
    if data[4:8] != MAGIC:
        raise ModelError(f"{what} is not a TensorFlow Lite model, or a truncated one")
    with _errors_of(what):
        proto = tflite.Model.GetRootAsModel(data, 0)
        _names(proto, len(data))
        _refuse_sharing(proto, len(data))
        _refuse_sizes(proto.Subgraphs(0), max_tensor_bytes)
        return File(what, data, *declared_inputs(proto.Subgraphs(0)))


def import_tflite(
    file: File, shapes: Mapping[str, Shape] | None = None, max_tensor_bytes: int | None = None
) -> tvm.IRModule:
    """A Relax IRModule of a file, its weights in it, its open dimensions as in ``shapes`` by input.

    Inputs and outputs keep their names, layouts (NHWC) and types; quantized ones stay integers. Raises
    ModelError for a damaged file, UnsupportedOperatorError for what cannot be converted.
    """
    import tflite

    with _errors_of(file.what):
        proto = tflite.Model.GetRootAsModel(file.data, 0)
        inputs, outputs = _names(proto, len(file.data))
        module = _converted(proto, shapes if file.leaves_open else None)
    main = module["main"].without_attr("num_input").without_attr("params")
    main = main.with_attr({INPUT_NAMES: inputs, OUTPUT_NAMES: outputs})
    if parts := size_params():
        main = relax.Function(
            [*main.params, *parts], main.body, main.ret_ty, main.is_pure, main.attrs, main.span
        )
    module.update_func(module.get_global_var("main"), main)
    return check_module(rewrite_module(module, _NameLayers), {}, max_tensor_bytes)


@contextmanager
def _errors_of(what: str) -> Iterator[None]:
    """Say of which model errors are."""
    try:
        yield
    except tvm.error.OpNotImplemented as error:
        raise UnsupportedOperatorError(f"{what}: {_reason(error)}") from None
    except DirectConvError as error:
        raise type(error)(f"{what}: {error}") from None
    except (
        Exception
    ) as error:  # the reader checks nothing, and the importer asserts what it takes for granted
        let_through(error)
        raise ModelError(f"{what} is damaged, or TVM fails to import it: {last_line(error)}") from error


def _names(proto: Any, size: int) -> tuple[list[str], list[str]]:
    """Return the names of inputs and outputs. Raises ModelError for counts that a model cannot have."""
    if proto.SubgraphsLength() != 1:
        raise ModelError(f"it has {proto.SubgraphsLength()} subgraphs; models of one are supported")
    graph = proto.Subgraphs(0)
    counts = graph.TensorsLength(), graph.OperatorsLength(), graph.InputsLength(), graph.OutputsLength()
    if max(*counts, proto.BuffersLength()) * 4 > size or not graph.OutputsLength():
        raise ModelError("it is damaged: its lists are longer than the file, or it lacks outputs")

    def names(indices: Any) -> list[str]:
        return [graph.Tensors(int(index)).Name().decode("utf-8", "replace") for index in indices]

    return names(graph.InputsAsNumpy() if graph.InputsLength() else ()), names(graph.OutputsAsNumpy())


def _refuse_sharing(proto: Any, size: int) -> None:
    """Raise ModelError where tensors and operators have more in all than the file: each place in a file may
    be referred to as often as there are references."""
    graph, held = proto.Subgraphs(0), 0
    for number in range(graph.TensorsLength()):
        tensor = graph.Tensors(number)
        held += len(tensor.Name() or b"") + 4 * (tensor.ShapeLength() + tensor.ShapeSignatureLength())
        buffer = proto.Buffers(tensor.Buffer())
        held += buffer.DataLength() + stored_behind(buffer)
        _refuse_held(held, size)
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        held += 4 * (operator.InputsLength() + operator.OutputsLength())
        _refuse_held(held, size)


def _refuse_held(held: int, size: int) -> None:
    if held > SHARED * size:
        raise ModelError(f"its tensors and operators have more than {SHARED} times the bytes of the file")


def _refuse_sizes(graph: Any, most: int | None) -> None:
    """Before anything is imported; to the byte only afterwards."""
    for number in range(graph.TensorsLength()):
        tensor = graph.Tensors(number)
        shape = tensor.ShapeAsNumpy() if tensor.ShapeLength() else ()
        name = (tensor.Name() or b"").decode("utf-8", "replace")
        refuse_size([int(extent) for extent in shape], 1, f"tensor '{name}'", most)


def _converted(proto: Any, shapes: Mapping[str, Shape] | None) -> tvm.IRModule:
    from tvm.relax.frontend.tflite import from_tflite as by_tvm

    converter = partial(converter_class(), leaves_open=shapes is not None)
    with warnings.catch_warnings(), nullcontext() if shapes is None else sizes_in_tvm():
        warnings.simplefilter("ignore")
        return by_tvm(proto, shape_dict=shapes and dict(shapes), op_converter=converter)


def _reason(error: Exception) -> str:
    """All operators that TVM's importer names."""
    text = " ".join(str(error).split())
    return text.replace("in frontend TFLite", "by TVM's importer").rstrip()


class _NameLayers(Rewriter):
    """Layers are named by their number, as the file lacks names of operators."""

    count = 0

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        if operator_name(value) not in LAYERS:
            return new
        self.count += 1
        kind = operator_name(value).rpartition(".")[-1]
        return named(new, f"{kind}_{self.count}")
