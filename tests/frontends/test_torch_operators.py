"""Operators of exported programs, as many in one network as share their inputs, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.errors import InputError  # noqa: E402

MAP = drawn(2, 8, 6, 7)
ROWS = drawn(3, 4, 5)
FILTER = drawn(4, 4, 3, 2)
INTEGERS = torch.arange(24).reshape(2, 3, 4) - 7
WEIGHTS = {name: drawn(*shape, seed=seed) for seed, (name, shape) in enumerate({
    "w3": (6, 4, 3, 3), "w1": (4, 8, 3), "w33": (4, 2, 3, 3, 3), "t": (8, 3, 3, 3), "b": (6,), "m": (7, 9),
    "c": (8,), "table": (11, 5), "pairs": (6, 5, 5),
}.items(), start=1)}  # fmt: skip


def _activations(x: torch.Tensor) -> tuple[Any, ...]:
    names = ("relu", "relu6", "silu", "gelu", "elu", "celu", "selu", "hardswish", "hardsigmoid", "hardtanh")
    rest = ("leaky_relu", "softplus", "softsign", "mish", "logsigmoid", "tanhshrink", "softshrink")
    return (
        *(getattr(F, name)(x) for name in (*names, *rest)),
        F.gelu(x, approximate="tanh"),
        F.elu(x, alpha=0.3),
        F.celu(x, alpha=2.0),
        F.prelu(x, WEIGHTS["c"]),
        F.softmax(x, 1),
        F.log_softmax(x, -1),
        F.threshold(x, 0.1, 20.0),
        F.glu(x, 1),
    )


def _elementwise(x: torch.Tensor) -> tuple[Any, ...]:
    a = x.abs() + 0.5
    return (
        *(
            getattr(torch, f)(x)
            for f in ("exp", "sin", "cos", "tanh", "erf", "floor", "ceil", "round", "sign")
        ),
        *(getattr(torch, f)(a) for f in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal")),
        torch.expm1(x),
        torch.add(x, x, alpha=3),
        torch.sub(x, 2, alpha=4),
        torch.rsub(x, 1.5),
        x % 0.7,
        torch.fmod(x, 0.7),
        torch.div(x, 0.3, rounding_mode="floor"),
        torch.div(x, 0.3, rounding_mode="trunc"),
        a**2,
        a**0.5,
        a**-1.3,
        torch.pow(2.0, x),
        x.clamp(-0.5, 0.5),
        x.clamp(min=-0.1),
        x.clamp_max(0.2),
        torch.where(x > 0, x, 0.25),
        x.masked_fill(x > 1, float("-inf")),
        torch.maximum(x, -x),
        torch.atan2(x, a),
        torch.isnan(x) | ~(x > 0) & torch.logical_not(x <= -1),
        (x > 0) ^ (x < 1),
        torch.lerp(x, a, 0.3),
        x.to(torch.int32),
        (x > 0).float(),
        torch.addcmul(x, a, a, value=0.5),
        torch.full_like(x, 3.0) + torch.zeros_like(x),
        torch.full_like(x, float("-inf")).maximum(x),
        torch.ldexp(x, torch.tensor([2, -1, 0, 3, 1])),
        torch.hypot(x, a),
        torch.copysign(a, x),
        torch.signbit(x * 0),
        torch.kthvalue(x, 2, 1).values,
        torch.cdist(x, a[:, :3]),
        F.bilinear(x, a, WEIGHTS["pairs"], WEIGHTS["b"]),
    )


def _integers(i: torch.Tensor) -> tuple[Any, ...]:
    return (
        i + 0.5,
        i / 2,
        i // 3,
        i % 5,
        i * i,
        i > 2.5,
        i.sum(),
        i.float().mean(1),
        i.bool(),
        i.abs().sqrt(),
        i**2,
        i.clamp(-2, 3),
        (i > 0).sum(1),
        i.amax(0),
        *torch.sort((i % 3).to(torch.uint8), dim=2, stable=True),
        i.to(torch.int8).topk(2, 1, largest=False).values,
        i.to(torch.int16).median(2).values,
    )


def _truths(x: torch.Tensor) -> tuple[Any, ...]:
    t = x > 0
    return (t == t[0], t != t[0], t < t[0], t.max(), t.amin(1), *t.max(1))


def _put_by_positions(x: torch.Tensor) -> tuple[Any, ...]:
    """At positions that follow from the data."""
    pairs, apart = x.clone(), x.clone()
    pairs[:, x.argmax(1)[:, :1] - 4, x.argmax(2)[0]] = x[:, :1, :1].expand(3, 3, 4)
    apart[x.argmax(0)[0, :3], :, x.argmax(2)[:, 1]] += x[:, :, 0]
    rows = (torch.arange(3)[:, None].expand(3, 5), x.argmax(1))
    return pairs, apart, torch.zeros(3, 6).index_put(rows, x[:, 0], accumulate=True)


def _boxes(x: torch.Tensor) -> tuple[Any, ...]:
    """Of scaled maps, with corners of pixels and centres; one of them is empty."""
    from torchvision.ops import roi_align

    boxes = torch.tensor([[0, 1.0, 2, 9, 8], [1, 0, 0, 5, 5], [1, 6, 6, 3, 3]])
    return tuple(roi_align(x, boxes, (2, 3), 0.5, r, a) for r in (2, -1) for a in (False, True))


def _deformed(x: torch.Tensor) -> tuple[Any, ...]:
    from torchvision.ops import deform_conv2d

    two = {"padding": (1, 1), "dilation": (1, 2)}
    mask = x[:, :6, :, :].sigmoid()
    return (
        deform_conv2d(x, torch.cat([x, x[:, :4]], 1), FILTER, FILTER[:, 0, 0, 0], mask=mask, **two),
        deform_conv2d(x, x[:, :4, ::2, ::2], FILTER.reshape(12, 8, 1, 1), stride=2),
    )


def _movement(x: torch.Tensor) -> tuple[Any, ...]:
    return (
        x.transpose(1, 2),
        x.permute(2, 0, 1),
        x.flatten(1),
        x.unsqueeze(1),
        x[:, 1:3, ::2],
        x[..., -1],
        x[1],
        x[:, None, [2, 0, 0]],
        x[[0, 2], :, [1, 1]],
        x[torch.tensor([[0], [2]]), torch.tensor([[1, -1]])],
        torch.cat([x, x * 2], 1),
        torch.stack([x, -x], 1),
        *x.split(2, 1),
        *x.split([1, 4], 2),
        *x.chunk(2, 1),
        *x.unbind(0),
        x.flip(0, 2),
        x.roll((1, -2), (0, 2)),
        x.roll(3),
        x.repeat(2, 1, 3),
        x[:, :1].expand(3, 6, 5),
        F.pad(x, (1, 2)),
        F.pad(x, (-1, 2, 1, -1), value=3.0),
        F.pad(x, (1, 2), mode="reflect"),
        F.pad(x, (2, 1), mode="replicate"),
        F.pad(x, (2, 1), mode="circular"),
        x.index_select(1, torch.tensor([3, 0])),
        torch.arange(5) + x,
        x.tril(),
        x.cumsum(1),
        x.unfold(1, 2, 1),
        x.clone().fill_(2.0) * x,
        torch.einsum("abc,adc->abd", x, x),
        x.swapaxes(0, 2).contiguous().view(5, 12),
    )


def _changed_in_place(x: torch.Tensor) -> Any:
    y = x.clone()
    y[:, 1:3] = 0.5
    y[0] += 1
    y[:, ::2, 1::3] = x[:, 1::2, :2]
    y[y > 1] = -0.5
    y[x[..., 0] > 1] = 4
    return y


def _reductions(x: torch.Tensor) -> tuple[Any, ...]:
    return (
        x.sum(),
        x.sum(1),
        x.mean((0, 2), keepdim=True),
        x.amax(1),
        x.max(2).values,
        x.max(2).indices,
        x.min(0, keepdim=True).values,
        x.argmax(1),
        x.argmin(),
        x.var(1),
        x.var(1, correction=0),
        x.std(2, keepdim=True),
        *torch.var_mean(x, (1, 2)),
        x.norm(dim=1),
        x.norm(p=1, dim=2),
        F.normalize(x, dim=-1),
        x.logsumexp(1),
        (x > 3).any(1),
        (x > -3).all(),
        x.prod(2),
        _changed_in_place(x),
    )


def _by_positions(x: torch.Tensor) -> tuple[Any, ...]:
    """Of these most are TVM's own importer's."""
    places = torch.tensor([[0, 3, 1, 2, 2]])
    return (
        x.gather(1, places.expand(3, 1, 5)),
        x[torch.arange(3), x.argmax(1)[:, 0]],
        x[:, x.argmax(1)[:, :1] - 4, x.argmax(2)[0]],
        x[x.argmax(0)[0, :3], :, x.argmax(2)[:, 1]],
        x.scatter(1, places.expand(3, 1, 5), x[:, :1]),
        x.scatter(1, places.expand(3, 1, 5), 2.0),
        x.scatter(1, places[:, :3].expand(2, 1, 3), -x),
        x.scatter_add(1, places.expand(3, 4, 5), x),
        *x.topk(2, 1),
        x.sort(2).values,
        x.argsort(2, descending=True),
        torch.bucketize(x, torch.tensor([-1.0, 0.0, 0.5])),
        x.cumprod(1),
        x.triu(1),
        torch.isin(x.round(), torch.tensor([0.0, 1.0])),
        F.one_hot((x[0] > 0).long(), 3),
        F.fold(F.unfold(x[:, None], 2), (4, 5), 2),
        x.index_put((torch.tensor([0, 2]), torch.tensor([1, -1])), x[:2, 0]),
        x.diagonal(0, 1, 2),
    )


def _samples(x: torch.Tensor) -> tuple[Any, ...]:
    grid = x[:, :2].permute(0, 2, 3, 1) * 0.8
    modes = ("bilinear", "nearest")
    return (
        *(F.grid_sample(x, grid, mode=m, align_corners=c) for m in modes for c in (False, True)),
        *(F.grid_sample(x, grid, padding_mode=p, align_corners=False) for p in ("border", "reflection")),
    )


def _layers(x: torch.Tensor) -> tuple[Any, ...]:
    w = WEIGHTS
    return (
        F.conv2d(x, w["w3"], w["b"], stride=2, padding=1, groups=2),
        F.conv2d(x, w["w3"], padding="same", groups=2, dilation=2),
        F.conv1d(x[:, :, 0], w["w1"], padding=1),
        F.conv3d(x[:, None].expand(2, 2, 8, 6, 7), w["w33"], padding=1),
        F.conv_transpose2d(x, w["t"], stride=2, padding=1, output_padding=1),
        F.linear(x, w["m"].T),
        x @ w["m"],
        torch.addmm(w["table"][:2, :1], x[:, :, 0, 0], w["table"][:8], beta=0.5, alpha=2.0),
        torch.bmm(x[:, 0], x[:, 1].transpose(1, 2)),
        F.layer_norm(x, (6, 7)),
        F.layer_norm(x, (7,), w["m"][:, 0], w["m"][:, 1], eps=0.1),
        F.group_norm(x, 4),
        F.instance_norm(x),
        F.batch_norm(x, w["c"], w["c"].abs() + 1),
        F.scaled_dot_product_attention(x, x * 2, x + 1),
        F.scaled_dot_product_attention(x, x * 2, x + 1, attn_mask=x[..., :1] > 1.5),
        F.scaled_dot_product_attention(x, x * 2, x + 1).transpose(1, 2).reshape(2, 6, 56).view(12, 56),
        F.embedding((x[:, :, 0, 0] > 0).long() + 2, w["table"]),
        F.pixel_shuffle(x, 2),
        F.pixel_unshuffle(x[..., :6], 2),
        F.channel_shuffle(x, 4),
    )


def _windows(x: torch.Tensor) -> tuple[Any, ...]:
    return (
        F.max_pool2d(x, 3, 2, 1),
        F.max_pool2d(x, 2, ceil_mode=True),
        F.max_pool2d(x, (2, 3), (1, 2), dilation=2),
        F.max_pool1d(x[:, 0], 3, 2),
        *F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True),
        F.max_unpool2d(*F.max_pool2d(x[0], 2, return_indices=True), 2, output_size=x.shape[2:]),
        F.avg_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
        F.avg_pool2d(x, 2, 2, ceil_mode=True),
        F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        F.avg_pool2d(x, 3, 2, 1, divisor_override=5),
        F.avg_pool1d(x[:, 0], 3, 2, 1),
        F.adaptive_avg_pool2d(x, 1),
        F.adaptive_avg_pool2d(x, (3, 7)),
        F.adaptive_avg_pool2d(x, (4, 5)),
        F.adaptive_max_pool2d(x, (3, 1)),
        F.adaptive_max_pool2d(x, (4, 5)),
        F.adaptive_max_pool1d(x[:, 0], 4),
    )


def _interpolations(x: torch.Tensor) -> tuple[Any, ...]:
    resized = F.interpolate
    return (
        *(resized(x, scale_factor=1.5, mode=m) for m in ("nearest", "nearest-exact", "bilinear", "bicubic")),
        resized(x, scale_factor=1.5, mode="bilinear", recompute_scale_factor=True),
        *(resized(x, scale_factor=1.5, mode=m, align_corners=True) for m in ("bilinear", "bicubic")),
        *(resized(x, size=(4, 13), mode=m) for m in ("nearest", "bilinear", "bicubic")),
        *(resized(x, size=(4, 3), mode=m, antialias=True) for m in ("bilinear", "bicubic")),
        *(
            resized(x, size=s, mode=m, antialias=True, align_corners=True)
            for m in ("bilinear", "bicubic")
            for s in ((3, 9), (1, 2))
        ),
        resized(x, scale_factor=2),
        resized(x[:, :, 0], scale_factor=1.7, mode="linear"),
        *(
            resized(x.repeat(1, 1, 3, 7), scale_factor=(s, 1.3), mode=m, recompute_scale_factor=again)
            for s in (0.3, 1.2)
            for m in ("nearest", "nearest-exact")
            for again in (False, True)
        ),
        *(resized(x, scale_factor=(2, 1.05), mode=m) for m in ("nearest", "bilinear", "bicubic")),
    )


GROUPS: dict[str, tuple[Callable[..., Any], Any]] = {
    "activations": (_activations, MAP),
    "elementwise": (_elementwise, ROWS),
    "integers": (_integers, INTEGERS),
    "movement": (_movement, ROWS),
    "reductions": (_reductions, ROWS),
    "by positions": (_by_positions, ROWS),
    "put by positions": (_put_by_positions, ROWS),
    "truths": (_truths, ROWS),
    "samples": (_samples, MAP),
    "boxes": (_boxes, MAP),
    "deformed": (_deformed, MAP),
    "layers": (_layers, MAP),
    "windows": (_windows, MAP),
    "interpolations": (_interpolations, drawn(1, 2, 5, 5)),
}


@pytest.mark.parametrize("group", GROUPS)
def test_operators_are_pytorchs(group: str) -> None:
    if group in ("boxes", "deformed"):
        pytest.importorskip("torchvision")
    function, data = GROUPS[group]
    model = directconv.compile(Function(function), example_inputs=(data,))
    assert_same(model.run([data]), function(data))


@pytest.mark.parametrize("name", ["gather", "scatter"])
def test_positions_outside_are_errors(name: str) -> None:
    def function(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x.gather(1, places) if name == "gather" else x.scatter(1, places, x)

    places = torch.zeros(3, 4, 5, dtype=torch.int64)
    model = directconv.compile(Function(function), example_inputs=(ROWS, places))
    with pytest.raises(InputError, match="an index is outside the data's axis of 4"):
        model(ROWS, places + 10**7)


def test_nan_is_sorted_as_the_largest() -> None:
    def function(x: torch.Tensor) -> tuple[Any, ...]:
        half = x.half().sort(1, descending=True).values
        return half, *x.sort(dim=1, stable=True), x.topk(3, 0).values, x.kthvalue(7, 1).values

    data = drawn(6, 9)
    data[0, 2:8:3], data[1], data[2, 1:3] = torch.nan, torch.nan, -torch.inf
    data[0, 3], data[0, 6], data[3, 8] = torch.inf, torch.inf, torch.nan
    model = directconv.compile(Function(function), example_inputs=(data,), cache=False)
    for got, wanted in zip(model.run([data]), function(data), strict=True):
        np.testing.assert_array_equal(got, wanted.numpy())


def test_constants_keep_their_order_and_their_roundings() -> None:
    """Rounding by 1.5 * 2^23, clipping by 1e38, and a quotient, to the bit."""

    def function(x: torch.Tensor) -> tuple[Any, ...]:
        return (x + 12582912.0) - 12582912.0, (x * 1e38) / 1e38, x / 3.0, x - (x - 1e6)

    program = torch.export.export(Function(function), (MAP * 7,))
    for got, wanted in zip(directconv.compile(program).run(MAP.numpy() * 7), function(MAP * 7), strict=True):
        assert (got == wanted.numpy()).all()
