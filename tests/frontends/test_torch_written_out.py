"""Operators that are written as others, tensors without elements, and what programs change."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from relay_strategies import torch_backend  # noqa: E402

X = drawn(3, 4, 5)
PLACES = torch.tensor([2, 0, 2])
TABLE, FILTER = drawn(6, 4, seed=1), drawn(2, 4, 2, 1)
NAN = X.masked_fill(X > 0.5, float("nan"))


def _scans(x: torch.Tensor) -> tuple[Any, ...]:
    whole = (x * 2).round()
    return (*whole.cummax(2), *whole.cummin(-3), x.logcumsumexp(1), torch.tensor(3.0).cummax(0)[1] + x)


def _ranks(x: torch.Tensor) -> tuple[Any, ...]:
    whole, ordered = (x * 2).round(), x.sort(2).values
    return (
        *(*whole.mode(1), whole.mode(2, keepdim=True).values),
        *(torch.searchsorted(ordered, x), torch.searchsorted(ordered[0, 0], x, right=True)),
        *(x[0, 0, 0].max(0).indices, x[0, 0, 0].topk(1).values, x[0, 0, 0].sort().indices),
    )


def _numbers(x: torch.Tensor) -> tuple[Any, ...]:
    return (
        *(torch.fmax(x, X), torch.fmin(x, X), x.nanmedian(), *x.nanmedian(1)),
        *(f(X + x.nan_to_num() * 0) for f in (torch.lgamma, torch.digamma, torch.erfc, torch.exp2)),
        *(torch.angle(x), torch.full((), 0.5) * x.var(0, correction=3)),
    )


def _scatters(x: torch.Tensor) -> tuple[Any, ...]:
    index = PLACES.reshape(3, 1, 1).expand(3, 4, 5)
    return (
        *(x.scatter_reduce(0, index, x + 1, kind) for kind in ("sum", "prod", "amax", "mean")),
        *(x.scatter_reduce(0, index, x, kind, include_self=False) for kind in ("sum", "amin", "mean")),
        x.index_reduce(0, PLACES, x, "amin"),
        x.masked_scatter(x > 0, x - 9),
        x.put(PLACES, x[0, 0, :3], accumulate=True),
        torch.diagonal_scatter(x[0], x[0, 0, :4]),
        x.as_strided((2, 3), (1, 7), 4),
        torch.as_strided_scatter(x, x[0, :2, :3], (2, 3), (20, 2), 1),
    )


def _layers(x: torch.Tensor) -> tuple[Any, ...]:
    bags = torch.tensor([1, 5, 0, 3, 3, 2, 4])
    return (
        *F.adaptive_max_pool2d(x, (3, 2), return_indices=True),
        *F.adaptive_max_pool3d(x.reshape(1, 3, 4, 5), 2, return_indices=True),
        *torch.native_layer_norm(x, [5], None, None, 1e-5),
        *torch.native_group_norm(x, None, None, 3, 4, 5, 2, 1e-5),
        *(
            F.embedding_bag(bags, TABLE * x.sum(), torch.tensor([0, 2, 2]), mode=m)
            for m in ("sum", "mean", "max")
        ),
        F.pad(x, (-2, 1), "replicate"),
        F.pdist(x[0]),
        x.flip(()),
        torch.addbmm(x[0, :, :4], x, x.transpose(1, 2), beta=0.5),
    )


@pytest.mark.parametrize(
    ("function", "inputs"),
    [(_scans, X), (_ranks, X), (_numbers, NAN), (_scatters, X), (_layers, X)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_written_as_others(function: Callable[..., Any], inputs: torch.Tensor) -> None:
    module = Function(function)
    model = directconv.compile(module, example_inputs=(inputs,))
    assert_same(model(inputs), function(inputs))


def _of_integers(i: torch.Tensor, t: torch.Tensor) -> tuple[Any, ...]:
    return (
        *(
            torch.div(i, 3, rounding_mode="trunc"),
            i**3,
            i << 2,
            i >> 1,
            torch.maximum(t, ~t),
        ),
        *(torch.zeros(4).bool().index_put((i[0].abs() % 4,), t[0], accumulate=True), torch.sgn(t)),
        *(F.pad(t, (1, 0), value=2.0), torch.linspace(4.3, 1, 50, dtype=torch.int64) + i.sum()),
        *(i[0, 0].cumprod(0), F.avg_pool2d(i.reshape(1, 3, 4), 3, 2, 1, True, False)),
        *(F.avg_pool2d(i.reshape(1, 3, 4), 2, divisor_override=k) for k in (3, 7, -2)),
        F.avg_pool3d((i * 100003).reshape(1, 3, 2, 2), (3, 2, 1), 1, (1, 1, 0)),
    )


def test_integers_and_truths() -> None:
    integers = torch.arange(12).reshape(3, 4) - 6
    inputs = integers, integers % 3 == 0
    model = directconv.compile(Function(_of_integers), example_inputs=inputs)
    assert_same(model(*inputs), _of_integers(*inputs))


def _with_nothing(x: torch.Tensor, nothing: torch.Tensor) -> tuple[Any, ...]:
    """Batches of 0 go through layers; sums, concatenations and scatters have nothing of them."""
    layer = F.relu(F.conv2d(nothing.reshape(0, 4, 5, 1), FILTER))
    return (
        layer,
        torch.cat([x, nothing]),
        nothing.sum(0) + x,
        x[x.argmax(0)[0, :0]],
        x.index_add(0, torch.zeros(0, dtype=torch.int64), nothing),
        nothing,
    )


def test_tensors_without_elements() -> None:
    inputs = X, torch.zeros(0, 4, 5)
    model = directconv.compile(Function(_with_nothing), example_inputs=inputs)
    assert_same(model(*inputs), _with_nothing(*inputs))


def test_operators_that_relax_lacks_in_bfloat16() -> None:
    maps, limits = drawn(2, 6, 8, 8).bfloat16(), torch.arange(8, dtype=torch.int32) - 3

    def function(maps: torch.Tensor, limits: torch.Tensor) -> tuple[Any, ...]:
        return (
            F.group_norm(maps, 3, torch.ones(6).bfloat16()),
            *F.max_pool2d(maps, 3, 2, 1, return_indices=True),
            F.prelu(maps, torch.full((6,), 0.25).bfloat16()),
            torch.clamp(maps, limits),
        )

    model = directconv.compile(Function(function), example_inputs=(maps, limits))
    for one, other in zip(model(maps, limits), function(maps, limits), strict=True):
        torch.testing.assert_close(one, other, atol=3e-2, rtol=3e-2)


def test_volumes_read_at_places() -> None:
    volume, grid = drawn(2, 3, 4, 5, 6), 1.3 * drawn(2, 2, 3, 4, 3, seed=1)

    def function(volume: torch.Tensor, grid: torch.Tensor) -> tuple[Any, ...]:
        return tuple(
            F.grid_sample(volume, grid, mode, padding, align)
            for mode in ("bilinear", "nearest")
            for padding in ("zeros", "border", "reflection")
            for align in (True, False)
        )

    model = directconv.compile(Function(function), example_inputs=(volume, grid))
    assert_same(model(volume, grid), function(volume, grid))


class Counting(nn.Module):
    """Counts its calls in a buffer that its result follows from."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: torch.Tensor
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x * self.calls


def test_a_buffer_that_changes_is_an_input_that_is_written_back(tmp_path: Path) -> None:
    network = Counting().eval()
    model = directconv.compile(network, example_inputs=(X,))
    assert [info.name for info in model.inputs] == ["x", "b_calls"]
    assert [(info.name, info.changes) for info in model.outputs] == [
        ("output0", ""),
        ("b_calls.changed", "b_calls"),
    ]
    model.export_library(tmp_path / "counting.so")
    calls, there = network.calls.clone(), np.zeros(1, np.float32)
    loaded = directconv.load(tmp_path / "counting.so")
    for _ in range(3):
        wanted = network(X)
        torch.testing.assert_close(model(X, calls), wanted)
        np.testing.assert_allclose(loaded(X.numpy(), there), wanted.numpy())
        assert calls == network.calls == there.item()
    assert [array.tolist() for array in model.run([X, calls])[1:]] == [[4.0]]


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x: x.add_(1) * 2, (X,)),
        (lambda x, mean, var: F.batch_norm(x, mean, var, training=True), (X, torch.zeros(4), torch.ones(4))),
        (lambda x, mean, var: F.instance_norm(x, mean, var), (X, torch.zeros(4), torch.ones(4))),
        (lambda at, rows: F.embedding(at, rows, max_norm=0.5), (PLACES, TABLE)),
    ],
)
def test_inputs_that_change_are_written_back(function: Callable[..., Any], inputs: Any) -> None:
    model = directconv.compile(Function(function), example_inputs=inputs)
    own, theirs = ([tensor.clone() for tensor in inputs] for _ in range(2))
    torch.testing.assert_close(model(*own), function(*theirs), atol=2e-5, rtol=2e-5)
    torch.testing.assert_close(own, theirs, atol=2e-5, rtol=2e-5)


class Cache(nn.Module):
    """Rows that are written into a buffer, and statistics that a call updates."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.rows: torch.Tensor
        self.register_buffer("rows", torch.zeros(1, 6, 4))
        self.query, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(1)

    def forward(self, x: torch.Tensor, at: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        self.rows.index_copy_(1, at, self.query(self.norm(x)))
        seen += 1
        return torch.softmax(x @ self.rows.transpose(1, 2), -1) @ self.rows


@pytest.fixture
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    torch_backend._said.clear()
    yield
    torch._dynamo.reset()


def test_what_a_graph_changes_is_written_back(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers and inputs; the graph is compiled once, whatever the buffers hold."""
    compiled: list[Any] = []
    own = torch_backend.compile
    monkeypatch.setattr(torch_backend, "compile", lambda *a, **k: compiled.append(0) or own(*a, **k))
    module = Cache()
    other = copy.deepcopy(module)
    fast = torch.compile(module, backend=torch_backend.directconv)
    seen, wanted = torch.zeros(2), torch.zeros(2)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(3):
            x, at = drawn(2, 1, 4, seed=step)[:1], torch.tensor([step])
            torch.testing.assert_close(fast(x, at, seen), other(x, at, wanted), atol=2e-5, rtol=2e-5)
    torch.testing.assert_close(seen, wanted)
    for one, two in zip(module.state_dict().values(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(one, two, atol=2e-5, rtol=2e-5)
    assert len(compiled) == 1


def test_memory_that_is_changed_is_not_shared(fresh: None) -> None:
    """A view of what is changed would be read too early: PyTorch computes such calls."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * y

    fast, x = torch.compile(function, backend=torch_backend.directconv), torch.ones(4)
    with torch.no_grad():
        torch.testing.assert_close(fast(torch.ones(4), torch.ones(4)), torch.full((4,), 2.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.testing.assert_close(fast(x, x.view(4)), torch.full((4,), 4.0))
