"""TensorIntrins through which schedules hand work to micro-kernels and packing routines.

An intrinsic's description says what a block computes; its implementation is a marker, a call of the
intrinsic's own name, that the lowering pass replaces by kernel calls once the schedule is final. Traces and
tuning records thus hold that name alone, and outlive changes of the kernel generator. Tensorized blocks are
larger than one micro-kernel tile (a *strip* is a whole row of output pixels), so that exact tiles of several
heights may cover them.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

import tvm
from tvm.s_tir import TensorIntrin

PREFIX = "directconv_"


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
    def statement(self, v: Mapping[str, str]) -> str:
        """The body, with the index of each loop given by ``v``."""

    def register(self) -> str:
        """Register the TensorIntrin, once per process, and return its name."""
        if TensorIntrin.get(self.name, allow_missing=True) is None:
            desc, impl = (tvm.script.from_source(self._script(role)) for role in ("desc", "impl"))
            TensorIntrin.register(self.name, desc, impl)
        return self.name

    def _script(self, role: str) -> str:
        """TVMScript of the description or the implementation; both declare the same operands.

        Axes of extent 1 keep their loop and lose their block variable, as blockizing a schedule does.
        """
        loops, operands = self.loops(), self.operands()
        present = [name for name, (_, extent) in loops.items() if extent > 1]
        kinds = "".join(loops[name][0] for name in present)
        v = {name: f"v{name}" if name in present else "0" for name in loops}
        regions = {
            name: f"{name}[{', '.join(f'0:{extent}' for extent in shape)}]"
            for name, shape in operands.items()
        }
        updates = any(kind == "R" for kind, _ in loops.values())
        # TVM lists what an update reads as it meets it: its own old value first.
        reads = [regions[self.written]] * updates + [r for n, r in regions.items() if n != self.written]
        lines = [
            "# from tvm.script import tirx as T",
            "@T.prim_func(s_tir=True)",
            f"def {role}({', '.join(f'{name.lower()}: T.handle' for name in operands)}):",
        ]
        for name, shape in operands.items():
            dtype = self.dtypes.get(name, "float32")
            lines.append(
                f"    {name} = T.match_buffer({name.lower()}, {shape}, '{dtype}', offset_factor=1)"
                if role == "desc"
                else _strided_match(name, shape, dtype)
            )
        lines += [
            "    with T.sblock('root'):",
            f"        T.reads({', '.join(reads)})",
            f"        T.writes({regions[self.written]})",
        ]
        if role == "impl":
            lines.append(f"        T.evaluate(T.call_extern('int32', '{self.name}'))")
            return "\n".join(lines)
        extents = ", ".join(str(extent) for _, extent in loops.values())
        lines += [
            f"        for {', '.join(loops)} in T.grid({extents}):",
            "            with T.sblock('update'):",
        ]
        if len(present) > 1:
            bound = f"T.axis.remap('{kinds}', [{', '.join(present)}])"
            lines.append(f"                {', '.join(v[n] for n in present)} = {bound}")
        elif present:
            axis = "spatial" if kinds == "S" else "reduce"
            lines.append(
                f"                {v[present[0]]} = T.axis.{axis}({loops[present[0]][1]}, {present[0]})"
            )
        return "\n".join([*lines, f"                {self.statement(v)}"])


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

    def statement(self, v: Mapping[str, str]) -> str:
        at = f"{v['h']} * {self.dilation_h}, {v['x']} * {self.stride_w} + {v['w']} * {self.dilation_w}"
        a = f"A[{at}, {v['k'] if self.channels else v['i']}]"
        k = f"{v['k']}, " if self.channels else ""
        b = f"B[{v['h']}, {v['w']}, {k}{v['i']}]"
        c = f"C[{v['x']}, {v['i']}]"
        return f"{c} = {c} + {a} * {b}"


@dataclass(frozen=True)
class RowsOfGroups(Intrinsic):
    """``C[y, 0, x, i] += sum_{h, w, k} A[y * stride_h + h * dilation_h, x * stride_w + w * dilation_w,
    i // group * group + k] * B[h, w, k, i]``.

    ``rows`` output rows of ``width`` pixels by ``nr`` channels, in groups of ``group``, in and out.
    """

    rows: int
    width: int
    nr: int
    kernel_h: int
    kernel_w: int
    group: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int

    kind = "rowsofgroups"

    def loops(self) -> Mapping[str, tuple[str, int]]:
        spatial = {"y": ("S", self.rows), "x": ("S", self.width), "i": ("S", self.nr)}
        return spatial | {"h": ("R", self.kernel_h), "w": ("R", self.kernel_w), "k": ("R", self.group)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        height = (self.rows - 1) * self.stride_h + (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        return {
            "A": (height, width, self.nr),
            "B": (self.kernel_h, self.kernel_w, self.group, self.nr),
            "C": (self.rows, 1, self.width, self.nr),
        }

    def statement(self, v: Mapping[str, str]) -> str:
        row = f"{v['y']} * {self.stride_h} + {v['h']} * {self.dilation_h}"
        column = f"{v['x']} * {self.stride_w} + {v['w']} * {self.dilation_w}"
        channel = f"{v['i']} // {self.group} * {self.group} + {v['k']}" if self.group > 1 else v["i"]
        c, b = f"C[{v['y']}, 0, {v['x']}, {v['i']}]", f"B[{v['h']}, {v['w']}, {v['k']}, {v['i']}]"
        return f"{c} = {c} + A[{row}, {column}, {channel}] * {b}"


@dataclass(frozen=True)
class ByteStrip(Intrinsic):
    """A strip of 8-bit operands, as the kernels' groups of ``group`` channels see it:

    ``C[x, i] += sum_{h, w, k, g} A[h * dilation_h, x * stride_w + w // terms * dilation_w, k * group + g]
    * B[h, w, k, i, g]``, with ``terms`` filter columns for each of the input's, and A in int32 less or plus
    what kernels move it by. ``groups`` 0 means depthwise: ``A[..., i] * B[h, w, i]``.
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

    kind = "bytestrip"

    @property
    def dtypes(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"A": "int32", "B": self.filter_dtype, "C": "int32"}

    def loops(self) -> Mapping[str, tuple[str, int]]:
        axes = {"x": ("S", self.width), "i": ("S", self.nr)}
        axes |= {"h": ("R", self.kernel_h), "w": ("R", self.kernel_w * self.terms)}
        return axes | ({"k": ("R", self.groups), "g": ("R", self.group)} if self.groups else {})

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        height = (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        taps = (self.kernel_h, self.kernel_w * self.terms)
        filters = (self.groups, self.nr, self.group) if self.groups else (self.nr,)
        return {
            "A": (height, width, self.groups * self.group or self.nr),
            "B": (*taps, *filters),
            "C": (self.width, self.nr),
        }

    def statement(self, v: Mapping[str, str]) -> str:
        column = f"{v['w']} // {self.terms}" if self.terms > 1 else v["w"]
        at = f"{v['h']} * {self.dilation_h}, {v['x']} * {self.stride_w} + {column} * {self.dilation_w}"
        c = f"C[{v['x']}, {v['i']}]"
        if not self.groups:
            return f"{c} = {c} + A[{at}, {v['i']}] * T.Cast('int32', B[{v['h']}, {v['w']}, {v['i']}])"
        a = f"A[{at}, {v['k']} * {self.group} + {v['g']}]"
        return f"{c} = {c} + {a} * T.Cast('int32', B[{v['h']}, {v['w']}, {v['k']}, {v['i']}, {v['g']}])"


@dataclass(frozen=True)
class ByteGemm(Intrinsic):
    """``C[m, n] += sum_{t, k, g} A[k, m, g] * B[t, k, n, g]``: a packed panel of 8-bit elements by a block of
    a filter of ``terms``, in int32."""

    m: int
    n: int
    groups: int
    group: int
    terms: int
    data_dtype: str
    filter_dtype: str

    kind = "bytegemm"

    @property
    def dtypes(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"A": self.data_dtype, "B": self.filter_dtype, "C": "int32"}

    def loops(self) -> Mapping[str, tuple[str, int]]:
        spatial = {"m": ("S", self.m), "n": ("S", self.n)}
        return spatial | {"t": ("R", self.terms), "k": ("R", self.groups), "g": ("R", self.group)}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        return {
            "A": (self.groups, self.m, self.group),
            "B": (self.terms, self.groups, self.n, self.group),
            "C": (self.m, self.n),
        }

    def statement(self, v: Mapping[str, str]) -> str:
        a = f"T.Cast('int32', A[{v['k']}, {v['m']}, {v['g']}])"
        b = f"T.Cast('int32', B[{v['t']}, {v['k']}, {v['n']}, {v['g']}])"
        return f"C[{v['m']}, {v['n']}] = C[{v['m']}, {v['n']}] + {a} * {b}"


def _strided_match(name: str, shape: tuple[int, ...], dtype: str) -> str:
    strides = [f"{name}_s{axis}" for axis in range(len(shape) - 1)]
    declared = "".join(f"    {stride} = T.int32()\n" for stride in strides)
    return (
        f"{declared}    {name} = T.match_buffer({name.lower()}, {shape}, '{dtype}', offset_factor=1, "
        f"strides=[{', '.join([*strides, '1'])}])"
    )
