"""A network's calls as data, for a runtime without TVM: what a run calls, on which tensors, and where these
lie.

Kernels are those that TVM's virtual machine calls, compiled once. The calls are read as for C
(``c_export/launches.py``), and become JSON that ``tvm_directconv/runtime/calls.py`` reads: numbers are in one
list, and of open sizes texts over the dimensions, as a library's metadata has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi
from tvm import ir, tirx
from tvm_ffi import structural_walk

from relay_strategies.c_export.launches import Launch, Weights, launches_of
from relay_strategies.c_export.lowering import operands_of
from relay_strategies.c_export.plain_kernels import RUNTIME_CALLS
from relay_strategies.passes import call_passes
from tvm_directconv.errors import ModelError
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.open_sizes import active_sizes
from tvm_directconv.problem.size_text import text_of

COPY = ""
"""The name of the kernel that copies its first operand to its second, which a library has without one."""
BYTES = ("uint8", 1)


@dataclass(frozen=True)
class Plan:
    """The calls of a program's sizes by the names of their functions, and the weights of all of them."""

    sizes: Mapping[str, Any]
    weights: Weights


def calls_of(module: tvm.IRModule, symbols: Mapping[str, str], weights: Weights) -> dict[str, Any]:
    """Return the calls of a size, whose kernels and their calls are in ``module`` with nothing planned, and
    whose kernels are called as ``symbols`` say; its constants are put among the ``weights``.

    Raises ModelError for what a straight list of calls cannot say, and for kernels that call TVM's runtime.
    """
    module = tvm.transform.Sequential(call_passes())(module)
    launches = launches_of(module, weights, "run without TVM")
    kernels = {var.name_hint: body for var, body in module.functions_items()}
    table = _Table()
    steps = [
        [table.kernel(COPY), _copied(table, call)]
        if call.kernel in launches.copies
        else [table.kernel(symbols[call.kernel]), _arguments(table, call, kernels[call.kernel])]
        for call in launches.calls
    ]
    workspace = table.number(launches.arena_bytes)
    return {"steps": steps, "workspace": workspace, **table.fields()}


class _Table:
    """What steps refer to by number, each once."""

    def __init__(self) -> None:
        self._lists: dict[str, dict[Any, int]] = {
            name: {} for name in ("numbers", "kernels", "types", "shapes", "tensors")
        }

    def fields(self) -> dict[str, list[Any]]:
        return {name: list(found) for name, found in self._lists.items()}

    def number(self, value: Any) -> int:
        """Return the place of a number, or of a text where it is open."""
        sizes = active_sizes()
        open_size = is_open([value]) and sizes is not None
        return self._place("numbers", text_of(sizes.outward(value)) if open_size and sizes else int(value))

    def kernel(self, symbol: str) -> int:
        return self._place("kernels", symbol)

    def tensor(self, block: int, offset: Any, shape: Iterable[Any], dtype: str) -> int:
        """Return the place of a tensor: its block of memory and offset there, its shape and type."""
        described = tvm_ffi.dtype(dtype)
        kind = self._place("types", (described.type_code, described.bits, described.lanes))
        dims = self._place("shapes", tuple(map(self.number, shape)))
        return self._place("tensors", (block, self.number(offset), dims, kind))

    def _place(self, name: str, value: Any) -> int:
        known = self._lists[name]
        return known.setdefault(value, len(known))


def _copied(table: _Table, call: Launch) -> list[int]:
    (size,) = call.shapes[0]
    return [table.tensor(place.block, place.offset, (size,), BYTES[0]) for place in call.operands]


def _arguments(table: _Table, call: Launch, kernel: tirx.PrimFunc) -> list[int]:
    """A call's arguments in the kernel's order: tensors, and numbers as -1 less their place."""
    _check(call.kernel, kernel)
    tensors, operands = list(operands_of(kernel)), iter(zip(call.operands, call.shapes, strict=False))
    numbers = iter(call.shapes[len(call.operands)] if len(call.shapes) > len(call.operands) else ())
    found = []
    for param in kernel.params:
        if param in tensors:
            place, shape = next(operands)
            found.append(table.tensor(place.block, place.offset, shape, str(param.dtype)))
        else:
            found.append(-1 - table.number(next(numbers)))
    return found


def _check(name: str, kernel: tirx.PrimFunc) -> None:
    calls: list[ir.Call] = []
    structural_walk(kernel.body, (ir.Call, calls.append))
    if any(getattr(call.op, "name", "") in RUNTIME_CALLS for call in calls):
        raise ModelError(f"'{name}' calls TVM's runtime")
