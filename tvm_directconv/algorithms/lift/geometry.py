"""Lift's convolution of one workload written as an expression, and the sizes of one point of it.

The window of an output pixel is a flat vector of terms: its rows are what is contiguous in the padded input,
KW x IC numbers where pixels and channels follow each other, else the channels of one tap. Tiles overlap by
what the kernel's extent exceeds the stride by, as the paper's nested slides have it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu_machine import GpuMachine

from .expression import Expression
from .knobs import KERNEL, LOAD, LOCAL, STORE, LiftKnobs

FLOAT_BYTES = 4
VECTORS = (1, 2, 3, 4)
"""dot() takes these."""
MOST_UNROLLED = 256
"""Multiply-adds written out in a loop's body, beyond which compilers take minutes."""
CROWDED = {"mali": 2}
"""A thread keeps so many times the floats at most that leave room for as many threads as a unit holds: Mali's
units halve their threads once."""
CROWDED_ELSEWHERE = 4
WASTE = 8
"""Inverse of the largest share of the rows, or of a row, that is computed for nothing; less than a tile is
always allowed."""


def is_channelwise(workload: Conv2dWorkload) -> bool:
    """Return whether each output channel is convolved with one channel of several: nothing is summed over
    channels, so that vectors are of channels and not of terms."""
    return workload.groups > 1 and workload.in_channels == workload.groups


@dataclass(frozen=True)
class Geometry:
    """The sizes of one point, by the names that the expression has them under."""

    padded_h: int
    padded_w: int
    """Rows and pixels of the padded input."""
    rows: int
    columns: int
    """Windows of a tile."""
    grid_h: int
    grid_w: int
    """Windows of all tiles: the output, and what is cropped."""
    row: int
    """Terms of a window that are contiguous."""
    chunks: int
    """Parts that its terms are in."""
    steps: int
    """Vectors in a part."""
    thread_filters: int
    """Filters, or vectors of channels, of a thread."""
    threads_x: int
    threads_y: int
    groups_x: int
    groups_y: int
    """The launch of the convolution's kernel."""
    padded_bytes: int
    partial_bytes: int
    sums_bytes: int
    """Bytes of the buffers in global memory between kernels; 0 for buffers that do not exist."""
    local_bytes: int
    """Bytes of local memory in a workgroup."""
    registers: int
    """Floats that a thread keeps."""


SIZES = tuple(f.name for f in fields(Geometry))


@lru_cache(maxsize=512)
def expression(workload: Conv2dWorkload, machine: GpuMachine) -> Expression:
    """Return the convolution of a workload, in NHWC, with what a device allows."""
    e = Expression()
    _tiles(e, workload)
    _filters(e, workload)
    _terms(e, workload, machine)
    _threads(e, workload, machine)
    _memory(e, workload, machine)
    return e


def geometry(workload: Conv2dWorkload, knobs: LiftKnobs, machine: GpuMachine) -> Geometry | None:
    """Return the sizes of a point; None where it violates a constraint."""
    e = expression(workload, machine)
    sizes = e.sizes_of(**vars(knobs))
    if sizes is None:
        return None
    found = dict(zip(e.sizes, sizes, strict=True))
    return Geometry(*(found[name] for name in SIZES))


def extents(workload: Conv2dWorkload) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return for rows and columns the pixels that a kernel spans, and those that all windows do."""
    spans = [(k - 1) * d + 1 for k, d in zip(workload.kernel, workload.dilation, strict=True)]
    outputs = (workload.out_height, workload.out_width)
    needs = [(o - 1) * s + k for o, s, k in zip(outputs, workload.strides, spans, strict=True)]
    return (spans[0], needs[0]), (spans[1], needs[1])


def _tiles(e: Expression, w: Conv2dWorkload) -> None:
    axes = zip("hw", ("rows", "columns"), (w.out_height, w.out_width), w.strides, extents(w), strict=True)
    for axis, name, outputs, stride, (span, needed) in axes:
        tile, pad, windows = f"tile_{axis}", f"pad_{axis}", f"windows_{axis}"
        e.parameter(tile, range(span, 2 * needed + 1))
        e.parameter(pad, range(needed + 1))
        e.size(f"padded_{axis}", f"{needed} + {pad}")
        e.size(name, f"({tile} - {span}) // {stride} + 1")
        e.require(
            f"stride of {tile}",
            f"({tile} - {span}) % {stride} == 0",
            "the last window ends with the tile",
            [tile],
        )
        e.require(f"size of {tile}", f"{name} <= {outputs}", "no tile is larger than the output", [tile])
        e.slide(
            f"cover by {tile}",
            tile,
            f"{tile} - {span - stride}",
            f"padded_{axis}",
            [pad],
            "tiles cover the padded input exactly",
        )
        e.size(f"tiles_{axis}", f"(padded_{axis} - {tile}) // ({tile} - {span - stride}) + 1")
        e.size(f"grid_{axis}", f"tiles_{axis} * {name}")
        e.require(
            f"waste by {pad}",
            f"grid_{axis} - {outputs} < max({name}, {outputs // WASTE + 1})",
            "hardly anything is computed to be cropped",
            [pad],
        )
        e.parameter(windows, range(1, outputs + 1))
        e.split(f"split by {windows}", name, windows, "threads take equal parts of a tile")


def _filters(e: Expression, w: Conv2dWorkload) -> None:
    # Channels that are convolved alone have nothing to share but the launch, so that any of them go together.
    count = w.out_channels if is_channelwise(w) else w.out_channels // w.groups
    e.parameter("filters", range(1, count + 1))
    e.split("split by filters", count, "filters", "workgroups take equal parts of a group's filters")
    e.parameter("filter_threads", range(1, count + 1))
    e.split("split by filter_threads", "filters", "filter_threads", "threads take equal parts of these")


def _terms(e: Expression, w: Conv2dWorkload, machine: GpuMachine) -> None:
    (kh, kw), channels = w.kernel, w.in_channels // w.groups
    e.parameter("pad", (KERNEL, LOAD))
    top, left, _, _ = w.padding
    inside = f"padded_h <= {w.height - top} and padded_w <= {w.width - left}" if top == left == 0 else "False"
    e.require("pad", f"pad == '{LOAD}' or not ({inside})", "there is something to pad", ["pad"])
    e.parameter("vector", VECTORS)
    if machine.kind == "cuda" and w.is_half:
        e.require("vector of halves", "vector != 3", "TVM's CUDA has halves in pairs", ["vector"])
    e.parameter("chunk", range(1, kh * kw * channels + 1))
    e.split("split by chunk", kh * kw * channels, "chunk", "threads take equal parts of a window")
    e.size("chunks", f"{kh * kw * channels} // chunk")
    if is_channelwise(w):
        per_group = w.out_channels // w.groups
        e.size("row", "1")
        e.size("steps", "chunk")
        e.require(
            "chunk of channels", f"chunk == {kh * kw}", "a window of one channel is one thread's", ["chunk"]
        )
        e.size("thread_filters", "filters // filter_threads // vector")
        e.as_vector(
            "vector", "(filters // filter_threads)", "vector", "a thread's channels are whole vectors"
        )
        if per_group > 1:
            e.require(
                "vector of channels", "vector == 1", "neighbouring filters share an input channel", ["vector"]
            )
    else:
        contiguous = w.groups == 1 and w.dilation[1] == 1
        e.size(
            "row", f"({kw * channels} if pad == '{KERNEL}' else {channels})" if contiguous else str(channels)
        )
        e.size("steps", "chunk // vector")
        e.size("thread_filters", "filters // filter_threads")
        e.as_vector("vector of chunk", "chunk", "vector", "a chunk is whole vectors")
        e.as_vector("vector of row", "row", "vector", "no vector goes on in another row of the input")
    e.parameter("coalesce", (False, True))
    e.require("coalesce", "coalesce or chunks > 1", "threads share windows", ["coalesce"])
    e.parameter("unroll", (False, True))


def _threads(e: Expression, w: Conv2dWorkload, machine: GpuMachine) -> None:
    e.size("threads_x", "chunks * filter_threads")
    e.size("threads_y", "(rows // windows_h) * (columns // windows_w)")
    e.size("groups_x", f"{w.out_channels} // filters")
    e.size("groups_y", f"{w.batch} * tiles_h * tiles_w")
    e.map_threads("threads of x", "threads_x", machine.threads_per_dimension[0])
    e.map_threads("threads of y", "threads_y", machine.threads_per_dimension[1])
    most = machine.threads_per_group
    e.keep(
        "threads of group", "threads_x * threads_y", most, f"the device runs at most {most} in a workgroup"
    )


def _memory(e: Expression, w: Conv2dWorkload, machine: GpuMachine) -> None:
    e.parameter("sum", (KERNEL, LOCAL))
    e.require("sum", f"sum == '{LOCAL}' or chunks > 1", "there are partial sums", ["sum"])
    e.parameter("crop", (KERNEL, STORE))
    pixel = w.in_channels * w.element_bytes
    e.size("padded_bytes", f"{w.batch * pixel} * padded_h * padded_w if pad == '{KERNEL}' else 0")
    sums = f"{w.batch * w.out_channels * FLOAT_BYTES} * grid_h * grid_w"
    e.size("partial_bytes", f"{sums} * chunks if sum == '{KERNEL}' and chunks > 1 else 0")
    e.size("sums_bytes", f"{sums} if crop == '{KERNEL}' else 0")
    e.size(
        "local_bytes",
        f"{FLOAT_BYTES} * rows * columns * filters * chunks if sum == '{LOCAL}' and chunks > 1 else 0",
    )
    lanes = "vector" if is_channelwise(w) else "1"
    e.size("sums_of_thread", f"thread_filters * windows_h * windows_w * {lanes}")
    e.size("registers", "sums_of_thread + vector * (windows_h * windows_w + 1)")
    largest, local = machine.largest_buffer_bytes, machine.local_memory_bytes
    for buffer in ("padded_bytes", "partial_bytes", "sums_bytes"):
        e.keep(f"buffer of {buffer}", buffer, largest, f"the device's buffers are of at most {largest} bytes")
    e.keep("local memory", "local_bytes", local, f"a workgroup has at most {local} bytes of it")
    kept = CROWDED.get(machine.device, CROWDED_ELSEWHERE) * machine.registers_per_thread
    e.keep("registers", "registers", kept, "a thread keeps them in registers")
    e.keep(
        "unroll",
        "(sums_of_thread if unroll else 0)",
        MOST_UNROLLED,
        f"at most {MOST_UNROLLED} multiply-adds are written out",
    )
