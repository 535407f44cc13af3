"""TensorIntrins through which schedules hand work to micro-kernels and packing routines.

An intrinsic's description says what a block computes; its implementation is a marker, a call of the
intrinsic's own name, that the lowering pass replaces by kernel calls once the schedule is final. Traces and
tuning records thus hold that name alone, and outlive changes of the kernel generator. Tensorized blocks are
larger than one micro-kernel tile (a *strip* is a whole row of output pixels), so that exact tiles of several
heights may cover them.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from tvm import tirx
from tvm.s_tir import TensorIntrin
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

PREFIX = "directconv_"

Operands = Mapping[str, tirx.Buffer]
Update = tuple[Sequence[Any], tirx.Expr]
"""Indices of an element of the operand that is written, and its new value."""


class Intrinsic(abc.ABC):
    """A dataclass of integers and words that names a tensor intrinsic and describes it."""

    kind: str
    written = "C"
    """The block writes this operand."""
    dtypes: Mapping[str, str] = MappingProxyType({})
    """The operands that are not float32 are of these types."""

    @property
    def name(self) -> str:
        values = (str(getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return "_".join([PREFIX + self.kind, *values])

    @abc.abstractmethod
    def loops(self) -> Mapping[str, tuple[str, int]]:
        """Loops, outermost first: name to ("S" or "R" for reductions, extent)."""

    @abc.abstractmethod
    def operands(self) -> Mapping[str, tuple[int, ...]]:
        """Shapes of the operands' regions, by name in upper case, those read before the one written."""

    @abc.abstractmethod
    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        """The body, with the index of each loop given by ``v``."""

    def register(self) -> str:
        """Register the TensorIntrin, once per process, and return its name."""
        if TensorIntrin.get(self.name, allow_missing=True) is None:
            # Written with the builder: TVMScript as text takes dozens of times as long to parse.
            TensorIntrin.register(self.name, self._function(self._describe), self._function(self._call))
        return self.name

    def _function(self, body: Callable[[Operands], None]) -> tirx.PrimFunc:
        """The description or the implementation; both declare the same operands."""
        strided = body == self._call
        with IRBuilder() as builder, T.prim_func(s_tir=True):
            T.func_name(self.name)
            handles = {name: T.arg(name.lower(), T.handle()) for name in self.operands()}
            operands = {
                name: self._declared(name, handles[name], shape, strided=strided)
                for name, shape in self.operands().items()
            }
            regions = {
                name: operand[tuple(slice(0, extent) for extent in operand.shape)]
                for name, operand in operands.items()
            }
            updates = any(kind == "R" for kind, _ in self.loops().values())
            # TVM lists what an update reads as it meets it: its own old value first.
            reads = [regions[self.written]] * updates
            reads += [region for name, region in regions.items() if name != self.written]
            with T.sblock("root"):
                T.reads(reads)
                T.writes(regions[self.written])
                body(operands)
        return builder.get()

    def _declared(self, name: str, handle: tirx.Var, shape: tuple[int, ...], *, strided: bool) -> tirx.Buffer:
        strides = [tirx.Var(f"{name}_s{axis}", "int32") for axis in range(len(shape) - 1)] + [1]
        dtype = self.dtypes.get(name, "float32")
        operand = T.match_buffer(handle, shape, dtype, strides=strides if strided else None, offset_factor=1)
        IRBuilder.name(name, operand)
        return operand

    def _call(self, operands: Operands) -> None:
        T.evaluate(T.call_extern("int32", self.name))

    def _describe(self, operands: Operands) -> None:
        """The loops around the update.

        Axes of extent 1 keep their loop and lose their block variable, as blockizing a schedule does.
        """
        loops = self.loops()
        with T.grid(*(extent for _, extent in loops.values())) as variables, T.sblock("update"):
            v: dict[str, Any] = {}
            for (name, (kind, extent)), variable in zip(loops.items(), variables, strict=True):
                IRBuilder.name(name, variable)
                axis = T.axis.spatial if kind == "S" else T.axis.reduce
                v[name] = IRBuilder.name(f"v{name}", axis(extent, variable)) if extent > 1 else 0
            at, value = self.update(v, operands)
            T.buffer_store(operands[self.written], value, list(at))


@dataclass(frozen=True)
class Strip(Intrinsic):
    """``C[x, i] += sum_{h, w, k} A[h * dilation_h, x * stride_w + w * dilation_w, k or i] * B[h, w, k, i]``.

    A row of ``width`` output pixels by ``nr`` channels, with filter rows and columns inside. ``channels`` is
    the reduction's input channels; 0 means depthwise: A is read at channel ``i``.
    """

    width: int
    nr: int
    kernel_h: int
    kernel_w: int
    channels: int
    stride_w: int
    dilation_h: int
    dilation_w: int

    kind = "strip"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        axes = {"x": ("S", self.width), "i": ("S", self.nr)}
        axes |= {"h": ("R", self.kernel_h), "w": ("R", self.kernel_w)}
        return axes | ({"k": ("R", self.channels)} if self.channels else {})

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        height = (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        channels = (self.channels,) if self.channels else ()
        return {
            "A": (height, width, self.channels or self.nr),
            "B": (self.kernel_h, self.kernel_w, *channels, self.nr),
            "C": (self.width, self.nr),
        }

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        a, b, c = operands.values()
        pixel = v["h"] * self.dilation_h, v["x"] * self.stride_w + v["w"] * self.dilation_w
        at, element = (v["x"], v["i"]), (*pixel, v["i"])
        tap: Any = v["h"], v["w"], v["i"]
        if self.channels:
            element, tap = (*pixel, v["k"]), (*tap[:2], v["k"], v["i"])
        return at, c[at] + a[element] * b[tap]


@dataclass(frozen=True)
class RowsOfGroups(Intrinsic):
    """``C[y, 0, x, i] += sum_{h, w, k} A[y * stride_h + h * dilation_h, x * stride_w + w * dilation_w,
    i // group_out * group_in + k] * B[h, w, k, i]``.

    ``rows`` output rows of ``width`` pixels by ``nr`` channels, in groups of ``group_out``, of ``group_in``.
    """

    rows: int
    width: int
    nr: int
    kernel_h: int
    kernel_w: int
    group_in: int
    group_out: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    dtype: str = "float32"

    kind = "rowsofgroups"

    @property
    def dtypes(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"B": self.dtype}

    def loops(self) -> Mapping[str, tuple[str, int]]:
        spatial = {"y": ("S", self.rows), "x": ("S", self.width), "i": ("S", self.nr)}
        return spatial | {"h": ("R", self.kernel_h), "w": ("R", self.kernel_w), "k": ("R", self.group_in)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        height = (self.rows - 1) * self.stride_h + (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        return {
            "A": (height, width, self.nr // self.group_out * self.group_in),
            "B": (self.kernel_h, self.kernel_w, self.group_in, self.nr),
            "C": (self.rows, 1, self.width, self.nr),
        }

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        a, b, c = (operands[name] for name in "ABC")
        row = v["y"] * self.stride_h + v["h"] * self.dilation_h
        column = v["x"] * self.stride_w + v["w"] * self.dilation_w
        channel = v["i"] if self.group_out == 1 else v["i"] // self.group_out * self.group_in + v["k"]
        at = (v["y"], 0, v["x"], v["i"])
        tap = b[v["h"], v["w"], v["k"], v["i"]]
        tap = tap if self.dtype == "float32" else tirx.Cast("float32", tap)
        return at, c[at] + a[row, column, channel] * tap


@dataclass(frozen=True)
class GroupedStrip(Intrinsic):
    """A strip of 8-bit or half-precision operands, as the kernels' groups of ``group`` channels see it:

    ``C[x, i] += sum_{h, w, k, g} A[h * dilation_h, x * stride_w + w // terms * dilation_w, k * group + g]
    * B[h, w, k, i, g]``, with ``terms`` filter columns for each of the input's. A is of the sums' type, int32
    less or plus what kernels move bytes by, or float32. ``groups`` 0 means depthwise:
    ``A[..., i] * B[h, w, i]``.
    """

    width: int
    nr: int
    kernel_h: int
    kernel_w: int
    groups: int
    group: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    terms: int
    filter_dtype: str
    rows: int = 0
    """Rows of strips, whose ``stride_h`` is the next; 0 for one strip, without an axis for them."""
    stride_h: int = 1

    kind = "groupedstrip"

    @property
    def dtypes(self) -> Mapping[str, str]:  # type: ignore[override]
        sums = type_of_sums(self.filter_dtype)
        return {"A": sums, "B": self.filter_dtype, "C": sums}

    def loops(self) -> Mapping[str, tuple[str, int]]:
        axes = {"y": ("S", self.rows)} if self.rows else {}
        axes |= {"x": ("S", self.width), "i": ("S", self.nr)}
        axes |= {"h": ("R", self.kernel_h), "w": ("R", self.kernel_w * self.terms)}
        return axes | ({"k": ("R", self.groups), "g": ("R", self.group)} if self.groups else {})

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        height = (max(self.rows, 1) - 1) * self.stride_h + (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        taps = (self.kernel_h, self.kernel_w * self.terms)
        filters = (self.groups, self.nr, self.group) if self.groups else (self.nr,)
        return {
            "A": (height, width, self.groups * self.group or self.nr),
            "B": (*taps, *filters),
            "C": (self.rows, 1, self.width, self.nr) if self.rows else (self.width, self.nr),
        }

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        a, b, c = operands.values()
        column = v["w"] // self.terms if self.terms > 1 else v["w"]
        row = v["h"] * self.dilation_h + v.get("y", 0) * self.stride_h
        pixel = row, v["x"] * self.stride_w + column * self.dilation_w
        at: tuple[Any, ...] = v["x"], v["i"]
        at = (v["y"], 0, *at) if self.rows else at
        element = *pixel, v["i"]
        tap: Any = v["h"], v["w"], v["i"]
        if self.groups:
            element = (*pixel, v["k"] * self.group + v["g"])
            tap = (*tap[:2], v["k"], v["i"], v["g"])
        return at, c[at] + a[element] * tirx.Cast(type_of_sums(self.filter_dtype), b[tap])


@dataclass(frozen=True)
class GroupedGemm(Intrinsic):
    """``C[m, n] += sum_{t, k, g} A[k, m, g] * B[t, k, n, g]``: a packed panel of 8-bit or half-precision
    elements by a block of a filter of ``terms``, in int32 or float32."""

    m: int
    n: int
    groups: int
    group: int
    terms: int
    data_dtype: str
    filter_dtype: str

    kind = "groupedgemm"

    @property
    def dtypes(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"A": self.data_dtype, "B": self.filter_dtype, "C": type_of_sums(self.filter_dtype)}

    def loops(self) -> Mapping[str, tuple[str, int]]:
        spatial = {"m": ("S", self.m), "n": ("S", self.n)}
        return spatial | {"t": ("R", self.terms), "k": ("R", self.groups), "g": ("R", self.group)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        return {
            "A": (self.groups, self.m, self.group),
            "B": (self.terms, self.groups, self.n, self.group),
            "C": (self.m, self.n),
        }

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        a, b, c = operands.values()
        at = v["m"], v["n"]
        sums = type_of_sums(self.filter_dtype)
        left = tirx.Cast(sums, a[v["k"], v["m"], v["g"]])
        return at, c[at] + left * tirx.Cast(sums, b[v["t"], v["k"], v["n"], v["g"]])


def type_of_sums(filter_dtype: str) -> str:
    """The type that products of filters of that type are summed in."""
    return "float32" if "float" in filter_dtype else "int32"
