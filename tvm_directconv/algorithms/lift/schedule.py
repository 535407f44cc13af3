"""The schedule of Lift's convolution: a workgroup for each tile and group of filters, a thread for each chunk
of a group of windows (Table 1 of the paper), and the kernels before and after it.

The views are computed in registers at the loop over a chunk's vectors. Where partial sums are added up, and
where the output is cropped, is the point's to say; each is a kernel of its own, or part of one before.
"""

from __future__ import annotations

from functools import cache
from math import gcd, prod

from tvm import tirx
from tvm.s_tir import SBlockRealize, Schedule, TensorIntrin
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.script import tirx as T
from tvm_ffi import structural_map

from tvm_directconv.algorithms.lowering import STAGE
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload

from .compute import OUTPUT, PADDED, PARTIAL, SUMS, WEIGHTS, WINDOW
from .geometry import Geometry, is_channelwise
from .knobs import KERNEL, LOCAL, STORE, LiftKnobs

FLAT_THREADS = 64
"""Threads of a workgroup of the kernels that go through a tensor element by element."""
ELEMENTS = "lift.elements"
"""Annotates a loop that has, with the threads inside it, more iterations than there are elements."""
Dealt = tuple[str, int]
"""A kind of threads, and how many."""


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, has_dot: bool
) -> tirx.PrimFunc:
    """Return ``compute``'s function with its loops bound to threads. ``has_dot``: the language has dot()."""
    return _Schedule(func, workload, knobs, g, has_dot).result()


class _Schedule:
    """A schedule under way."""

    def __init__(
        self, func: tirx.PrimFunc, workload: Conv2dWorkload, knobs: LiftKnobs, g: Geometry, has_dot: bool
    ) -> None:
        self.sch = Schedule(func)
        self.knobs, self.g, self.has_dot = knobs, g, has_dot
        self.channelwise = is_channelwise(workload)
        # TVM makes a buffer of vectors of one that only vectors are stored to; of halves nothing loads them.
        self.lanes = 1 if workload.is_half else gcd(4, workload.in_channels)
        self.partial = self.sch.get_sblock(PARTIAL)
        self.output = self.sch.get_sblock(OUTPUT)
        self.sch.unannotate(self.output, STAGE)

    def result(self) -> tirx.PrimFunc:
        self.pad()
        self.convolve()
        (func,) = self.sch.mod.functions.values()
        return _guarded(func)

    def pad(self) -> None:
        padded = self.sch.get_sblock(PADDED)
        if self.knobs.pad == KERNEL:
            self.flat(padded, self.sch.get_loops(padded), self.lanes)
        else:
            self.sch.compute_inline(padded)

    def convolve(self) -> None:
        """The kernel of partial sums, and those behind it."""
        sch, knobs, g = self.sch, self.knobs, self.g
        n, y, x, m, c, *terms = sch.get_loops(self.partial)
        tile_y, group_y, own_y = sch.split(y, [None, g.rows // knobs.windows_h, knobs.windows_h])
        tile_x, group_x, own_x = sch.split(x, [None, g.columns // knobs.windows_w, knobs.windows_w])
        lanes = knobs.vector if self.channelwise else 1
        filters, f, own, lane = sch.split(m, [None, knobs.filter_threads, g.thread_filters, lanes])
        step = terms.pop(0)
        terms = [lane] if self.channelwise else terms
        sch.reorder(n, tile_y, tile_x, filters, group_y, group_x, c, f, step, own, own_y, own_x, *terms)
        tile, windows, parts = sch.fuse(n, tile_y, tile_x), sch.fuse(group_y, group_x), sch.fuse(c, f)
        for loop, tag in zip(
            (tile, filters, windows, parts),
            ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x"),
            strict=True,
        ):
            sch.bind(loop, tag)
        self.finish(filters, parts)
        self.inside(step, own, [own_y, own_x], terms[0])

    def finish(self, group: LoopRV, thread: LoopRV) -> None:
        """What becomes of a thread's sums: the partial ones are added up, the output is cropped."""
        sch, knobs = self.sch, self.knobs
        if self.g.chunks == 1 and knobs.crop == STORE:
            sch.set_scope(self.partial, 0, "local")
            sch.reverse_compute_at(self.output, thread)
            return
        copied = self.kept(self.partial, thread)
        if self.g.chunks > 1:
            sums = sch.get_sblock(SUMS)
            if knobs.sum == LOCAL:
                sch.set_scope(copied, 0, "shared")
                sch.reverse_compute_at(sums, group, preserve_unit_loops=True)
                threads = ("threadIdx.y", self.g.threads_y), ("threadIdx.x", self.g.threads_x)
                adding = self.spread(sch.get_loops(sums)[2:-1], *threads)[-1]
            else:
                adding = self.flat(sums, sch.get_loops(sums)[:-1])
            if knobs.crop == KERNEL:
                self.kept(sums, adding)
            else:
                sch.reverse_compute_at(self.output, adding)
                sch.set_scope(sums, 0, "local")
        if knobs.crop == KERNEL:
            self.flat(self.output, sch.get_loops(self.output))

    def inside(self, step: LoopRV, own: LoopRV, windows: list[LoopRV], lane: LoopRV) -> None:
        """A thread's loops: views in registers, sums over the filters and windows that are its own."""
        sch, knobs = self.sch, self.knobs
        unrolled = [own, *windows]
        for name, loop in ((WINDOW, own if self.channelwise else step), (WEIGHTS, own)):
            view, before = sch.get_sblock(name), len(sch.get_loops(self.partial))
            sch.compute_at(view, loop)
            sch.set_scope(view, 0, "local")
            outside = {sch.get(outer).loop_var for outer in sch.get_loops(self.partial)[:before]}
            loops = [own for own in sch.get_loops(view) if sch.get(own).loop_var not in outside]
            if knobs.vector > 1:
                sch.vectorize(loops.pop())
            unrolled += loops
        if self.channelwise and knobs.vector > 1:
            sch.vectorize(lane)
        init = sch.decompose_reduction(self.partial, step)
        unrolled += sch.get_loops(init)[4:7]
        if knobs.vector > 1 and not self.channelwise:
            if self.has_dot:
                sch.tensorize(lane, dot_intrinsic(knobs.vector))
            else:
                sch.unroll(lane)
        for loop in unrolled if knobs.unroll else ():
            sch.unroll(loop)

    # ---- moves that are repeated

    def kept(self, block: SBlockRV, loop: LoopRV) -> SBlockRV:
        """Have what the block computes in registers, and copied from there once; return what copies it."""
        copy = self.sch.cache_write(block, 0, "local")
        self.sch.reverse_compute_at(copy, loop)
        return copy

    def flat(self, block: SBlockRV, loops: list[LoopRV], lanes: int = 1) -> LoopRV:
        """Deal all elements to workgroups of a kernel of its own; return the threads' loop."""
        if lanes > 1:
            *loops, last = loops
            last, lane = self.sch.split(last, [None, lanes])
            self.sch.vectorize(lane)
            loops.append(last)
        groups, threads = self.spread(loops, ("threadIdx.x", FLAT_THREADS))
        self.sch.bind(groups, "blockIdx.x")
        return threads

    def spread(self, loops: list[LoopRV], *threads: Dealt) -> list[LoopRV]:
        """Deal the elements of loops to so many threads at once; return the loop over these, then theirs."""
        sch = self.sch
        fused = sch.fuse(*loops)
        elements, at_once = int(sch.get(fused).extent), prod(count for _, count in threads)
        dealt = list(sch.split(fused, [-(-elements // at_once), *(count for _, count in threads)]))
        for loop, (tag, _) in zip(dealt[1:], threads, strict=True):
            sch.bind(loop, tag)
        if elements % at_once:
            sch.annotate(dealt[0], ELEMENTS, elements)
        return dealt


def _guarded(func: tirx.PrimFunc) -> tirx.PrimFunc:
    """Keep threads without an element from what follows the first block of their loop: TVM infers for it
    where those would be, and makes of that no condition."""

    def visit(loop: tirx.For) -> tirx.For:
        elements = loop.annotations.get(ELEMENTS)
        if elements is None:
            return loop
        at, body = loop.loop_var, loop.body
        while isinstance(body, tirx.For) and body.kind == tirx.ForKind.THREAD_BINDING:
            at, body = at * body.extent + body.loop_var, body.body

        def realize(block: SBlockRealize) -> SBlockRealize:
            return SBlockRealize(block.iter_values, tirx.all(block.predicate, at < elements), block.block)

        body = structural_map(loop.body, [(SBlockRealize, realize)])
        return tirx.For(loop.loop_var, loop.min, loop.extent, loop.kind, body, loop.thread_binding, {})

    return func.with_body(structural_map(func.body, [(tirx.For, visit)]))


@cache
def dot_intrinsic(width: int) -> str:
    """Return the intrinsic of OpenCL's dot() of so many lanes, 2 to 4."""
    name, vectors = f"lift_dot{width}", f"float32x{width}"

    @T.prim_func(s_tir=True)
    def meaning(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (width,), offset_factor=1, scope="local")
        B = T.match_buffer(b, (width,), offset_factor=1, scope="local")
        C = T.match_buffer(c, (1,), offset_factor=1, scope="local")
        with T.sblock("root"):
            T.reads(C[0], A[0:width], B[0:width])
            T.writes(C[0])
            for v in range(width):
                with T.sblock("dot"):
                    lane = T.axis.reduce(width, v)
                    C[0] = C[0] + A[lane] * B[lane]

    @T.prim_func(s_tir=True)
    def text(a: T.handle, b: T.handle, c: T.handle) -> None:
        A = T.match_buffer(a, (width,), offset_factor=1, scope="local")
        B = T.match_buffer(b, (width,), offset_factor=1, scope="local")
        C = T.match_buffer(c, (1,), offset_factor=1, scope="local")
        with T.sblock("root"):
            T.reads(C[0], A[0:width], B[0:width])
            T.writes(C[0])
            C[0] = C[0] + T.call_pure_extern(
                FLOAT32, "dot", A.vload([0], dtype=vectors), B.vload([0], dtype=vectors)
            )

    TensorIntrin.register(name, meaning, text, override=True)
    return name
