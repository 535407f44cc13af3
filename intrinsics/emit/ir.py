"""Writing LLVM IR line by line: fresh names, addresses and shuffles of float32 vectors."""

from __future__ import annotations

from collections.abc import Sequence


class IrLines:
    """The lines of one function's body."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.fresh = 0

    def line(self, text: str) -> None:
        self.lines.append(text if text.endswith(":") else f"  {text}")

    def value(self, text: str) -> str:
        self.fresh += 1
        self.line(f"%v{self.fresh} = {text}")
        return f"%v{self.fresh}"

    def label(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}{self.fresh}"

    def address(self, pointer: str, offset: int | str) -> str:
        """``offset`` float32 elements from ``pointer``."""
        return self.value(f"getelementptr float, ptr {pointer}, i64 {offset}")

    def shuffle(self, a: str, b: str, size: int, select: Sequence[int]) -> str:
        """Elements of a and b, vectors of ``size``; b's count from ``size``."""
        vector, indices = f"<{size} x float>", ", ".join(f"i32 {i}" for i in select)
        return self.value(f"shufflevector {vector} {a}, {vector} {b}, <{len(select)} x i32> <{indices}>")

    def splat_i64(self, scalar: str | int, lanes: int) -> str:
        """A vector of ``lanes`` equal 64-bit integers."""
        first = self.value(f"insertelement <{lanes} x i64> poison, i64 {scalar}, i64 0")
        return self.value(
            f"shufflevector <{lanes} x i64> {first}, <{lanes} x i64> poison, <{lanes} x i32> zeroinitializer"
        )
