"""The TensorIntrin through which schedules hand work to micro-kernels: one output strip.

A *strip* is one row of output pixels by ``nr`` channels, with the whole reduction (filter rows, filter
columns, input channels) inside: what a few exact micro-kernel tiles cover. The intrinsic's description says
what a strip computes; its implementation is a marker, ``call_extern("<strip name>")``, that the lowering
pass replaces by kernel calls once the schedule is final. Traces and tuning records thus hold the strip's
name alone, and outlive changes of the kernel generator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

import tvm
from tvm.s_tir import TensorIntrin

PREFIX = "directconv_strip"


@dataclass(frozen=True)
class Strip:
    """``C[x, i] += sum_{h, w, k} A[h * dilation_h, x * stride_w + w * dilation_w, k or i] * B[h, w, k, i]``.

    ``channels`` is the reduction's input channels; 0 means depthwise: A is read at channel ``i``.
    """

    width: int
    nr: int
    kernel_h: int
    kernel_w: int
    channels: int
    stride_w: int
    dilation_h: int
    dilation_w: int

    @property
    def name(self) -> str:
        return "_".join([PREFIX, *(str(getattr(self, f.name)) for f in fields(self))])

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
        loops = {
            "x": ("S", self.width),
            "i": ("S", self.nr),
            "h": ("R", self.kernel_h),
            "w": ("R", self.kernel_w),
            "k": ("R", self.channels or 1),
        }
        axes = [name for name in loops if name != "k" or self.channels]
        present = [name for name, (_, extent) in loops.items() if extent > 1]
        kinds = "".join(loops[name][0] for name in present)
        v = {name: f"v{name}" if name in present else "0" for name in loops}
        height = (self.kernel_h - 1) * self.dilation_h + 1
        width = (self.width - 1) * self.stride_w + (self.kernel_w - 1) * self.dilation_w + 1
        b_shape: tuple[int, ...]
        if self.channels:
            b_shape = (self.kernel_h, self.kernel_w, self.channels, self.nr)
            b_index = f"{v['h']}, {v['w']}, {v['k']}, {v['i']}"
        else:
            b_shape = (self.kernel_h, self.kernel_w, self.nr)
            b_index = f"{v['h']}, {v['w']}, {v['i']}"
        operands = {
            "A": (height, width, self.channels or self.nr),
            "B": b_shape,
            "C": (self.width, self.nr),
        }
        regions = {
            name: f"{name}[{', '.join(f'0:{extent}' for extent in shape)}]"
            for name, shape in operands.items()
        }
        lines = [
            "# from tvm.script import tirx as T",
            "@T.prim_func(s_tir=True)",
            f"def {role}({', '.join(f'{name.lower()}: T.handle' for name in operands)}):",
        ]
        for name, shape in operands.items():
            lines.append(
                f"    {name} = T.match_buffer({name.lower()}, {shape}, 'float32', offset_factor=1)"
                if role == "desc"
                else _strided_match(name, shape)
            )
        lines += [
            "    with T.sblock('root'):",
            f"        T.reads({regions['C']}, {regions['A']}, {regions['B']})",
            f"        T.writes({regions['C']})",
        ]
        if role == "impl":
            lines.append(f"        T.evaluate(T.call_extern('int32', '{self.name}'))")
            return "\n".join(lines)
        a_index = (
            f"{v['h']} * {self.dilation_h}, {v['x']} * {self.stride_w} + {v['w']} * {self.dilation_w}, "
            f"{v['k'] if self.channels else v['i']}"
        )
        c_index = f"{v['x']}, {v['i']}"
        lines += [
            f"        for {', '.join(axes)} in T.grid({', '.join(str(loops[n][1]) for n in axes)}):",
            "            with T.sblock('update'):",
            f"                {', '.join(v[n] for n in present)}"
            + (
                f" = T.axis.remap('{kinds}', [{', '.join(present)}])"
                if len(present) > 1
                else f" = T.axis.spatial({loops[present[0]][1]}, {present[0]})"
            ),
            f"                C[{c_index}] = C[{c_index}] + A[{a_index}] * B[{b_index}]",
        ]
        return "\n".join(lines)


def strip_named(name: str) -> Strip:
    """The strip a marker call names; the inverse of ``Strip.name``."""
    match = re.fullmatch(PREFIX + r"((?:_\d+){8})", name)
    if not match:
        raise ValueError(f"'{name}' is not the name of a strip")
    return Strip(*map(int, match[1][1:].split("_")))


def _strided_match(name: str, shape: tuple[int, ...]) -> str:
    strides = [f"{name}_s{axis}" for axis in range(len(shape) - 1)]
    declared = "".join(f"    {stride} = T.int32()\n" for stride in strides)
    return (
        f"{declared}    {name} = T.match_buffer({name.lower()}, {shape}, 'float32', offset_factor=1, "
        f"strides=[{', '.join([*strides, '1'])}])"
    )
