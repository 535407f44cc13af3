"""The operands that a layer's function takes, and the checks that it takes these and is given these.

Kernels are compiled without TVM's checks of their arguments, which take LLVM about as long as the kernels do,
and a call with other operands would read and write outside of them. So operands are checked once, before a
function is compiled or bound; whole networks' calls are checked by ``CheckCalls`` (passes/lower).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tvm
from tvm import tirx
from tvm_ffi import structural_walk

from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.element_types import FLOAT32, numpy_type
from tvm_directconv.problem.workload import Conv2dWorkload


class Operand(NamedTuple):
    """A tensor by its type; a shape of None is any shape, a dtype of "" any type."""

    dtype: str
    shape: tuple[int, ...] | None

    def __str__(self) -> str:
        return f"{self.dtype or 'integer'} {'of its own shape' if self.shape is None else self.shape}"

    def takes(self, other: Operand) -> bool:
        return self.dtype in ("", other.dtype) and self.shape in (None, other.shape)


def layer_operands(workload: Conv2dWorkload, *, packs: bool) -> dict[str, Operand]:
    """Return the operands of a layer's function, in order (``Plan``). A function that ``packs`` its filter
    takes that in a shape of its own, and a quantized one's bias table depends on the taps that it skips."""
    w = workload
    quantized, residual = w.quantized is not None, w.epilogue.residual
    operands = {
        "data": Operand(w.dtype, w.stored_input_shape),
        "filter": Operand("" if quantized else w.dtype, None if packs else w.filter_shape),
    }
    if quantized:
        operands["bias table"] = Operand("int32", None)
    elif w.epilogue.bias:
        operands["bias"] = Operand(FLOAT32, w.bias_shape)
    if residual:
        operands["residual"] = Operand(w.out_dtype, w.output_shape)
    elif quantized and w.out_dtype != "int32":
        operands["scale"] = Operand(FLOAT32, (w.out_channels,))
    return {**operands, "output": Operand(w.out_dtype, w.stored_output_shape)}


def check_function(
    name: str,
    what: str,
    function: Any,
    workload: Conv2dWorkload,
    *,
    packs: bool,
    plain: bool = False,
) -> None:
    """Raise AlgorithmError where ``function``, which ``what`` ("compute", "schedule") of the implementation
    ``name`` returned, is not one of the layer's operands in their order; a ``plain`` one's are data, filter
    and output, which may be float32 of a layer in half precision."""
    if not isinstance(function, tirx.PrimFunc):
        raise _refused(name, workload, f"{what} returns a {type(function).__name__}, not a PrimFunc")
    wanted = layer_operands(workload, packs=packs)
    found = [(str(param.name), operand_of(param)) for param in function.params]
    if plain:
        wanted.pop("bias table", None)
        stored = found[-1][1] if found and workload.is_half else None
        if stored is not None and stored.dtype == FLOAT32:
            wanted["output"] = wanted["output"]._replace(dtype=FLOAT32)
    takes = f"the function of {what} takes ({_told(found)}), the layer has ({_told(wanted.items())})"
    if len(found) != len(wanted):
        lacking = f", without {' and '.join(_lacking(found, wanted))}" if len(found) < len(wanted) else ""
        raise _refused(name, workload, f"{len(found)} operands for {len(wanted)}{lacking}: {takes}")
    for (param, got), (role, expected) in zip(found, wanted.items(), strict=True):
        misplaced = param != role and param in wanted
        if got is None or got.shape is None or not expected.takes(got) or misplaced:
            told = f"'{param}'" if got is None else f"'{param}', {got}"
            raise _refused(name, workload, f"the {role} is {expected}, and {told} stands there: {takes}")
    written = _stored_to(function)
    for param, role in zip(function.params[:-1], wanted, strict=False):
        if any(param.same_as(buffer) for buffer in written):
            raise _refused(
                name, workload, f"it writes to the {role}; the output is its last operand: {takes}"
            )


def _lacking(found: Sequence[tuple[str, Operand | None]], wanted: Mapping[str, Operand]) -> list[str]:
    """The inputs that none of ``found`` is by its type, in order; the last that is found is the output."""
    left = [operand for _, operand in found[:-1]]
    lacking = []
    for role, expected in [*wanted.items()][:-1]:
        if left and left[0] is not None and expected.takes(left[0]):
            left.pop(0)
        else:
            lacking.append(role)
    return lacking


def check_unpacked(chosen: Conv2dImplementation) -> None:
    """Raise AlgorithmError where a filter that the network computes would have to be packed while it runs,
    and nothing does."""
    weights = np.empty(chosen.workload.filter_shape, numpy_type(chosen.workload.dtype))
    if chosen.pack(weights) is not weights:
        problem = "its filter is computed by the network, and it lacks a pack_func that packs it"
        raise _refused(chosen.name, chosen.workload, problem)


def check_packing(name: str, function: Any, packed: tirx.Buffer, workload: Conv2dWorkload) -> None:
    """Raise AlgorithmError where ``function``, a pack_func's result, does not make the packed filter that the
    implementation ``name`` takes of the workload's filter."""
    wanted = [Operand(workload.dtype, workload.filter_shape), operand_of(packed)]
    found = [operand_of(p) for p in function.params] if isinstance(function, tirx.PrimFunc) else []
    if found != wanted:
        takes, needs = (", ".join(map(str, each)) or "nothing" for each in (found, wanted))
        raise _refused(name, workload, f"the function of pack_func takes ({takes}), not ({needs})")


def check_arguments(chosen: Conv2dImplementation, tensors: Mapping[str, Any]) -> None:
    """Raise AlgorithmError where tensors by role, numpy's or TVM's in the order of a call, are not what the
    chosen function takes."""
    params = chosen.prim_func.params
    if len(params) != len(tensors):
        problem = f"it takes {len(params)} operands, and is given {', '.join(tensors)}"
        raise _refused(chosen.name, chosen.workload, problem)
    for (role, tensor), param in zip(tensors.items(), params, strict=True):
        check_given(chosen.name, role, tensor, param, chosen.workload)


def check_given(name: str, role: str, tensor: Any, param: tirx.Buffer, workload: Conv2dWorkload) -> None:
    """Raise AlgorithmError where a tensor, numpy's or TVM's, is not what the function of the implementation
    ``name`` takes in its place."""
    is_tensor = isinstance(tensor, np.ndarray | tvm.runtime.Tensor)
    got = Operand(str(tensor.dtype), tuple(map(int, tensor.shape))) if is_tensor else None
    wanted = operand_of(param)
    if got is None or got != wanted:
        told = f"a {type(tensor).__name__}" if got is None else str(got)
        raise _refused(name, workload, f"the {role} is {told}, and its function takes {wanted}")


def operand_of(param: Any) -> Operand | None:
    """The type of a parameter; None for a scalar, without a shape for one not known or with gaps."""
    if not isinstance(param, tirx.Buffer):
        return None
    extents = [*param.shape]
    fixed = all(isinstance(extent, tirx.IntImm) for extent in extents)
    shape = tuple(map(int, extents)) if fixed and not param.strides else None
    return Operand(str(param.dtype), shape)


def _stored_to(function: tirx.PrimFunc) -> list[tirx.Buffer]:
    """The buffers that a function stores elements to; calls of kernels are not looked into."""
    found: list[tirx.Buffer] = []
    structural_walk(function.body, (tirx.BufferStore, lambda node: found.append(node.buffer)))
    return found


def _told(operands: Iterable[tuple[str, Operand | None]]) -> str:
    return ", ".join(f"{name} {'a scalar' if operand is None else operand}" for name, operand in operands)


def _refused(name: str, workload: Conv2dWorkload, problem: str) -> AlgorithmError:
    return AlgorithmError(
        f"implementation '{name}' of {workload}: {problem}; give its function these operands, or have the "
        "strategy offer it only for layers that it computes"
    )
