"""Plain convolutions of a user's made whole layers: what such a function leaves out is computed around it.

A plain function (data, filter, output) is a convolution in NHWC with its filter in OIHW, and nothing else.
Bias, residual, activation and requantization become one block behind it, in the function's own loops where
TVM can move it there. Where an 8-bit input has a zero point, the border of an image gets it first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import tvm
from tvm import relax, te, tirx
from tvm.s_tir import SBlockRealize, Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm_ffi import structural_walk

from tvm_directconv.algorithms.epilogue import cast, finished, requantized
from tvm_directconv.errors import let_through
from tvm_directconv.problem.element_types import FLOAT32, element_bytes
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.taps import Taps, bias_table
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

LANES = 16
"""Elements of a vector of the epilogue."""


def plain_workload(workload: Conv2dWorkload) -> Conv2dWorkload:
    """Return what a plain function computes of a layer: sums of products, in the layer's layouts with the
    filter as OIHW. Of 8 bits these are int32; an input with a zero point has its border already."""
    plain = replace(workload, epilogue=Epilogue(), filter_layout="OIHW", storage=WHOLE, to_float32=False)
    q = workload.quantized
    if q is None:
        return plain
    plain = replace(plain, quantized=QuantizedTypes("int32", 0, 0, q.filter_dtype, q.largest_weight))
    if not bordered(workload):
        return plain
    top, left, bottom, right = workload.padding
    height, width = workload.height + top + bottom, workload.width + left + right
    return replace(plain, height=height, width=width, padding=(0, 0, 0, 0))


def bordered(workload: Conv2dWorkload) -> bool:
    """Return whether the image gets a border of its zero point before the plain function."""
    return workload.quantized is not None and workload.quantized.data_zero != 0 and any(workload.padding)


def oihw(workload: Conv2dWorkload, weights: np.ndarray) -> np.ndarray:
    """Return a filter of the workload's layout in OIHW."""
    axes = [workload.filter_layout.index(axis) for axis in "OIHW"]
    return weights if axes == [0, 1, 2, 3] else np.ascontiguousarray(weights.transpose(axes))


def oihw_function(workload: Conv2dWorkload) -> tirx.PrimFunc | None:
    """Return the PrimFunc that does ``oihw``, None where the filter has that layout."""
    layout = workload.filter_layout
    if layout == "OIHW":
        return None
    source = te.placeholder(workload.filter_shape, workload.dtype, name="filter")
    shape = tuple(workload.filter_shape[layout.index(axis)] for axis in "OIHW")

    def element(*at: tirx.Var) -> tirx.Expr:
        return source(*(at["OIHW".index(axis)] for axis in layout))

    return te.create_prim_func([source, te.compute(shape, element, name="oihw")])


def table_of(workload: Conv2dWorkload, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """Return the int32 row (1, OC) that is added to the sums of a plain 8-bit function."""
    whole = [Taps((0,), ((0, extent),)) for extent in workload.kernel]
    assert workload.quantized is not None
    return bias_table(workload, workload.quantized.data_zero, oihw(workload, weights), bias, whole)


def as_layer(func: tirx.PrimFunc, workload: Conv2dWorkload) -> tuple[tirx.PrimFunc, int]:
    """Return the function of a layer's operands that a plain, scheduled function makes, and the bytes of what
    it holds between its parts; the function itself, where the layer is plain."""
    sums = func.params[-1]
    finishing = _finishing(workload, str(sums.dtype))
    if finishing is None:
        return func, 0
    pad = _border(workload) if bordered(workload) else None
    functions = [*([pad] if pad else []), func, finishing]
    function, held = _in_loops(joined(functions))
    padded = 0 if pad is None else element_bytes(workload.dtype) * math.prod(map(int, pad.params[-1].shape))
    return function.with_attr("global_symbol", "main"), held + padded


def _finishing(workload: Conv2dWorkload, dtype: str) -> tirx.PrimFunc | None:
    """Return the function (sums[, bias][, residual or scale], output), None if there is nothing to do."""
    w, q = workload, workload.quantized
    sums = te.placeholder(w.output_shape, dtype, name="sums")
    if q is not None:
        table = te.placeholder((1, w.table_row), "int32", name="table")
        return requantized(w, sums, None, table, lambda *at: sums(*at) + table[0, at[-1]])
    if w.epilogue == Epilogue() and dtype == w.out_dtype:
        return None
    return finished(w, sums, None, lambda *at: cast(sums(*at), dtype, FLOAT32))


def _border(workload: Conv2dWorkload) -> tirx.PrimFunc:
    """Return the function (data, the same with a border of its zero point)."""
    w, plain = workload, plain_workload(workload)
    assert w.quantized is not None
    top, left, *_ = w.padding
    zero = tirx.const(w.quantized.data_zero, w.dtype)
    data = te.placeholder(w.input_shape, w.dtype, name="data")

    def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
        inside = tirx.all(y >= top, y < top + w.height, x >= left, x < left + w.width)
        return tirx.if_then_else(inside, data[n, y - top, x - left, c], zero)

    sch = Schedule(te.create_prim_func([data, te.compute(plain.input_shape, element, name="border")]))
    n, y, *_ = sch.get_loops(sch.get_sblock("border"))
    sch.parallel(sch.fuse(n, y))
    return sch.mod["main"]


def joined(functions: Sequence[tirx.PrimFunc]) -> tirx.PrimFunc:
    """Return one function of several, each the first operand of the next: TVM's FuseTIR of a Relax function
    that calls them."""
    builder = relax.BlockBuilder()

    def variable(param: tirx.Buffer) -> relax.Var:
        return relax.Var(str(param.name), relax.TensorType(list(map(int, param.shape)), str(param.dtype)))

    first, *others = functions[0].params[:-1]
    params = [variable(param) for param in (first, *others)]
    extras = [[variable(param) for param in each.params[1:-1]] for each in functions[1:]]
    every = [*params, *(param for extra in extras for param in extra)]
    with builder.function("joined", every, attrs={"Primitive": True}, private=True):
        with builder.dataflow():
            result, given = params[0], params[1:]
            for at, function in enumerate(functions):
                kernel = builder.add_func(function.without_attr("global_symbol"), f"part{at}")
                result = builder.emit(
                    relax.call_tir(kernel, [result, *given], variable(function.params[-1]).ty)
                )
                given = extras[at] if at < len(extras) else []
            output = builder.emit_output(result)
        builder.emit_func_output(output)
    module = builder.get()
    primitive = next(var for var in module.functions if var.name_hint == "joined")
    builder = relax.BlockBuilder(module)
    again = [relax.Var(f"input{at}", param.ty) for at, param in enumerate(every)]
    with builder.function("main", again):
        with builder.dataflow():
            output = builder.emit_output(relax.Call(primitive, again))
        builder.emit_func_output(output)
    fused = relax.transform.FuseTIR()(builder.get())
    found: tirx.PrimFunc = next(f for var, f in fused.functions.items() if var.name_hint == "joined")
    return found


def _in_loops(func: tirx.PrimFunc) -> tuple[tirx.PrimFunc, int]:
    """Return the function with its last block in the loops that make its input, as deep as may be, vectorized
    there; and the bytes of that input that it then holds. A block that stays behind these loops is parallel.
    """
    sch = Schedule(tvm.IRModule({"main": func}))
    last = sch.get_sblock(_writer(func))
    read = sch.get(last).reads[0].source
    size = element_bytes(str(read.dtype))
    producers = list(sch.get_producers(last))
    loops = _loops_of_sums(sch, producers[-1]) if producers else []
    for depth in range(len(loops), 0, -1):
        trial = sch.copy()
        try:
            trial.reverse_compute_at(last, loops[depth - 1])
        except Exception as error:  # TVM refuses many a shape of loops
            let_through(error)
            continue
        inner = trial.get_loops(last)[depth:]
        held = size * math.prod(int(trial.get(loop).extent) for loop in inner)
        _vectorize(trial, inner)
        return trial.mod["main"], held
    outer = sch.get_loops(last)[:-1]
    _vectorize(sch, sch.get_loops(last))
    if outer:
        sch.parallel(sch.fuse(*outer))
    return sch.mod["main"], size * math.prod(map(int, read.shape))


def _writer(func: tirx.PrimFunc) -> str:
    """Return the name of the block that stores the function's output."""
    names = [realize.block.name_hint for realize in _realizes(func) if _writes(realize, func.params[-1])]
    return str(names[-1])


def _writes(realize: SBlockRealize, buffer: tirx.Buffer) -> bool:
    return any(region.source.same_as(buffer) for region in realize.block.writes)


def _realizes(func: tirx.PrimFunc) -> list[SBlockRealize]:
    found: list[SBlockRealize] = []
    structural_walk(func.body, (SBlockRealize, found.append))
    return [realize for realize in found if realize.block.name_hint != "root"]


def _loops_of_sums(sch: Schedule, block: SBlockRV) -> list[LoopRV]:
    """Return the loops of a block from the outermost to before the first that sums: in these the sums are
    whole."""
    (realize,) = [r for r in _realizes(sch.mod["main"]) if r.block.same_as(sch.get(block))]
    summed: list[tirx.Var] = []
    for axis, value in zip(realize.block.iter_vars, realize.iter_values, strict=True):
        if axis.iter_type == tirx.IterVar.CommReduce:
            structural_walk(value, (tirx.Var, summed.append))
    loops: list[LoopRV] = []
    for loop in sch.get_loops(block):
        if any(sch.get(loop).loop_var.same_as(var) for var in summed):
            break
        loops.append(loop)
    return loops


def _vectorize(sch: Schedule, loops: Sequence[LoopRV]) -> None:
    """Vectorize the last of the loops, if there is one, by whole vectors."""
    if not loops:
        return
    extent = int(sch.get(loops[-1]).extent)
    if extent > LANES and extent % LANES == 0:
        sch.vectorize(sch.split(loops[-1], [None, LANES])[1])
    elif 1 < extent <= LANES:
        sch.vectorize(loops[-1])
