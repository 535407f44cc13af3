"""LLVM IR of several instruction sets as one module, of which TVM's LLVM makes one object without a linker.

Each set's functions keep the CPU that they are compiled for in their attributes. What a module says once, its
triple and its flags, is the first's; so is the CPU of functions that do not name one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBERED = re.compile(r'"[^"]*"|#(\d+)|!(\d+)\b')
NAMED = re.compile(r'"[^"]*"|@([\w.$-]+)')
DEFINED = re.compile(r"^(?:@([\w.$-]+) = |define [^@]*@([\w.$-]+)\()", re.MULTILINE)
DECLARED = re.compile(r"^declare [^@]*@([\w.$-]+)\(.*\n", re.MULTILINE)
OF_MODULE = re.compile(
    r"^(?:; ModuleID|source_filename|target datalayout|target triple|@llvm\.|!llvm\.).*\n", re.MULTILINE
)
OF_TARGET = re.compile(
    r'^(?:attributes #|![0-9]+ = !\{i32 \d+, !"tvm_target").*\n| #\d+|(?<=!")0x[0-9a-f]+', re.MULTILINE
)
"""What does not make code another: CPUs, and the addresses that TVM calls buffers by."""
OF_LLVM = "llvm."


def with_suffix(text: str, suffix: str, but: str) -> str:
    """Return a module's IR whose functions and constants have names that end in ``suffix``, but for those
    that begin with ``but``, and LLVM's own."""
    names = {name for found in DEFINED.findall(text) for name in found if name}
    own = {name for name in names if not name.startswith((OF_LLVM, but))}

    def renamed(found: re.Match[str]) -> str:
        return f"{found[0]}{suffix}" if found[1] in own else found[0]

    return NAMED.sub(renamed, text)


def joined(texts: Sequence[str]) -> str:
    """Return the IR of modules that define no name twice as that of one."""
    whole, declared = list[str](), set[str]()
    first_group = first_node = 0
    for text in texts:
        groups, nodes = [0], [0]

        def renumbered(found: re.Match[str], group: int = first_group, node: int = first_node) -> str:
            if found[1] is not None:
                groups.append(int(found[1]) + 1)  # noqa: B023
                return f"#{int(found[1]) + group}"
            if found[2] is not None:
                nodes.append(int(found[2]) + 1)  # noqa: B023
                return f"!{int(found[2]) + node}"
            return found[0]

        def once(found: re.Match[str]) -> str:
            is_new = found[1] not in declared
            declared.add(found[1])
            return found[0] if is_new else ""

        numbered = DECLARED.sub(once, NUMBERED.sub(renumbered, text))
        whole.append(OF_MODULE.sub("", numbered) if whole else numbered)
        first_group, first_node = first_group + max(groups), first_node + max(nodes)
    return "\n".join(whole)


def is_same_code(one: str, other: str) -> bool:
    """Return whether two modules differ in nothing but the CPUs that they are compiled for."""
    return OF_TARGET.sub("", one) == OF_TARGET.sub("", other)
