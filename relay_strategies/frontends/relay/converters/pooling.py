"""Pooling and resizing of Relay, in any layout. Definitions: relay.op.nn."""

from __future__ import annotations

from collections.abc import Callable

from tvm import relax

from relay_strategies.functional.convolution import LETTERS
from relay_strategies.functional.pooling import adaptive_pool, pool

from .call import Converter, OperatorCall, Value, of_constants
from .maps import maps_in, maps_out

MAX_CELLS = 4096
"""An adaptive pool has at most this many along one axis."""


def _pool(rank: int, kind: str) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data, layout = _maps(call, rank)
        window, strides, dilations = (
            call.each(*of) for of in (("pool_size", rank), ("strides", rank, 1), ("dilation", rank, 1))
        )
        result = pool(
            call,
            data,
            kind,
            window,
            strides=strides,
            padding=call.padding(rank),
            dilations=dilations,
            layout=layout,
            ceil_mode=call.flag("ceil_mode", False),
            count_include_pad=kind == "avg" and call.flag("count_include_pad", False),
        )
        return maps_out(call, call.emit(result), layout, "layout")

    return convert


def _maps(call: OperatorCall, rank: int = 2) -> tuple[relax.Expr, str]:
    layout = call.text("layout", f"NC{LETTERS[rank]}")
    if call.optional("out_layout") and call.text("out_layout") != layout:
        raise call.error(f"out_layout '{call.text('out_layout')}' other than the layout is not supported")
    return maps_in(call, "layout", rank)


def _whole_map(reduction: Callable[..., relax.Expr], rank: int) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data, layout = _maps(call, rank)
        axes = [layout.index(letter) for letter in LETTERS[rank]]
        return maps_out(call, call.emit(reduction(data, axes, keepdims=True)), layout, "layout")

    return convert


def _output_size(call: OperatorCall, extents: list[int]) -> tuple[int, ...]:
    """An adaptive pool's result: the map's own size where none is given."""
    size, rank = call.ints("output_size", ()) if call.get("output_size", ()) is not None else (), len(extents)
    cells = size * rank if len(size) == 1 else size or tuple(extents)
    if len(cells) != rank or not 1 <= min(cells) <= max(cells) <= MAX_CELLS:
        raise call.error(f"output_size={list(size)} should be one or {rank} integers from 1 to {MAX_CELLS}")
    return cells


def _adaptive(kind: str, rank: int) -> Converter:
    def convert(call: OperatorCall) -> Value:
        data, plain = _maps(call, rank)
        cells = _output_size(call, [call.shape_of(data)[plain.index(letter)] for letter in LETTERS[rank]])
        return maps_out(call, call.emit(adaptive_pool(call, data, kind, cells, plain)), plain, "layout")

    return convert


def _upsampling(call: OperatorCall) -> Value:
    """Relay's upsampling, by any method, puts first pixels upon each other unless it aligns corners."""
    data, plain = _maps(call)
    shape = call.shape_of(data)
    scales = (call.number("scale_h", 1.0), call.number("scale_w", 1.0))
    size = [round(shape[plain.index(letter)] * scale) for letter, scale in zip("HW", scales, strict=True)]
    method, corners = call.text("method", "nearest_neighbor"), call.flag("align_corners", False)
    method = {"bilinear": "linear", "bicubic": "cubic"}.get(method, method)
    mode = "align_corners" if corners else "asymmetric"
    resized = relax.op.image.resize2d(
        data, size, None, plain, method, mode, rounding_method=_rounding("", mode), cubic_alpha=-0.5
    )
    return maps_out(call, call.emit(resized), plain, "layout")


def _rounding(given: str, mode: str) -> str:
    """Return how places between two pixels are rounded.

    Relay's "round" rounds halves, which are never negative here, up; TVM's today rounds them to even.
    """
    known = given or ("round" if mode == "align_corners" else "floor")
    return "round_prefer_ceil" if known == "round" else known


def _resize2d(call: OperatorCall) -> Value:
    data, plain = _maps(call)
    method = call.text("method", "linear")
    mode = call.text("coordinate_transformation_mode", "half_pixel")
    known = {"nearest_neighbor", "linear", "cubic"}
    if method not in known:
        raise call.error(f"method '{method}' is none of {', '.join(sorted(known))}")
    if mode not in (
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
    ):
        raise call.error(f"coordinate_transformation_mode '{mode}' is not supported")
    call.ignore("roi", "extrapolation_value")  # for a mode that crops
    if call.optional("out_dtype"):
        raise call.error("an out_dtype is not supported; cast the result")
    resized = relax.op.image.resize2d(
        data,
        call.each("size", 2),
        None,
        plain,
        method,
        mode,
        rounding_method=_rounding(call.text("rounding_method", "round"), mode),
        cubic_alpha=call.number("cubic_alpha", -0.5),
        cubic_exclude=call.integer("cubic_exclude", 0),
    )
    return maps_out(call, call.emit(resized), plain, "layout")


CONVERTERS: dict[str, Converter] = {
    **{f"nn.{kind}_pool{rank}d": _pool(rank, kind) for rank in LETTERS for kind in ("avg", "max")},
    **{f"nn.global_max_pool{rank}d": _whole_map(relax.op.max, rank) for rank in LETTERS},
    **{f"nn.global_avg_pool{rank}d": _whole_map(relax.op.mean, rank) for rank in LETTERS},
    **{
        f"nn.adaptive_{kind}_pool{rank}d": _adaptive(kind, rank)
        for rank in LETTERS
        for kind in ("avg", "max")
    },
    **{f"contrib.adaptive_{kind}_pool2d": _adaptive(kind, 2) for kind in ("avg", "max")},
    "nn.upsampling": _upsampling,
    "image.resize2d": _resize2d,
    "dyn.nn.upsampling": of_constants(_upsampling, "scale_h", "scale_w"),
    "dyn.image.resize2d": of_constants(_resize2d, "size", "roi"),
}
