"""The generated routines that kernels call, taken out of these and put together.

Each kernel imports the LLVM IR of its routines, and TVM links them into a module one by one, which takes time
with the square of their number. As one text they are linked at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tvm import ir, tirx
from tvm_ffi import structural_map

IMPORT = "pragma_import_llvm"
QUOTED_OR_GROUP = re.compile(r'"[^"]*"|#(\d+)')
DECLARED = re.compile(r"^declare .*\n?", re.MULTILINE)
GROUP = re.compile(r"^attributes #(\d+) = (.*)\n?", re.MULTILINE)


def with_routines_together(functions: Mapping[str, tirx.PrimFunc]) -> dict[str, tirx.PrimFunc]:
    """Return functions of which the first imports the routines of all."""
    texts: dict[str, None] = {}

    def taken(node: tirx.AttrStmt) -> tirx.Stmt:
        if node.attr_key != IMPORT:
            return node
        texts[node.value.value] = None
        return node.body

    bodies = {symbol: structural_map(f.body, [(tirx.AttrStmt, taken)]) for symbol, f in functions.items()}
    if texts:
        first, zero = next(iter(bodies)), tirx.IntImm("int32", 0)
        bodies[first] = tirx.AttrStmt(zero, IMPORT, ir.StringImm(together(texts)), bodies[first])
    return {
        symbol: tirx.PrimFunc(function.params, bodies[symbol], function.ret_type).with_attrs(function.attrs)
        for symbol, function in functions.items()
    }


def together(texts: Iterable[str]) -> str:
    """Return LLVM IR with the routines of all texts, and what they declare, each once; their groups of
    attributes are numbered anew."""
    numbers: dict[str, int] = {}
    declared: dict[str, None] = {}
    routines: dict[str, None] = {}
    for text in texts:
        own = {number: numbers.setdefault(said, len(numbers)) for number, said in GROUP.findall(text)}

        def renumbered(found: re.Match[str], own: dict[str, int] = own) -> str:
            return found[0] if found[1] is None else f"#{own[found[1]]}"  # assembly has numbers of its own

        text = QUOTED_OR_GROUP.sub(renumbered, GROUP.sub("", text))
        declared |= dict.fromkeys(DECLARED.findall(text))
        routines[DECLARED.sub("", text)] = None
    groups = (f"attributes #{number} = {said}\n" for said, number in numbers.items())
    return "\n".join([*declared, *routines, *groups])
