"""Operators that PyTorch itself does not decompose, written as others: scans, ranks and elements put."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .sampled import grid_sample_3d

aten = torch.ops.aten

LANCZOS = (
    *(676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059),
    *(12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7),
)
"""Lanczos' coefficients of the gamma function with g = 7 and n = 9, behind the first, 1 - 1.9e-13."""
DIGAMMA = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132)
"""Coefficients of the asymptotic series of digamma in 1 / x^2, from -B_2 / 2 on."""

ERROR_FIT = (
    *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
    *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
)
"""Coefficients of the exponent of the complementary error function in 1 / (1 + |x| / 2)."""


def _scan(parts: Sequence[Tensor], dim: int, combine: Callable[..., Sequence[Tensor]]) -> Sequence[Tensor]:
    """Running results of an associative ``combine(*earlier, *later)``, each round over twice as many."""
    size, step = (parts[0].shape[dim], 1) if parts[0].ndim else (1, 1)
    while step < size:
        earlier, later = ([p.narrow(dim, at, size - step) for p in parts] for at in (0, step))
        merged = combine(*earlier, *later)
        parts = [
            torch.cat([part.narrow(dim, 0, step), more], dim)
            for part, more in zip(parts, merged, strict=True)
        ]
        step *= 2
    return parts


def _running_extreme(comes_first: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Any]:
    """The last of equal elements counts, and a NaN from there on."""

    def combine(value: Tensor, place: Tensor, later: Tensor, later_place: Tensor) -> Sequence[Tensor]:
        taken = (later != later) | ((value == value) & comes_first(later, value))
        return torch.where(taken, later, value), torch.where(taken, later_place, place)

    def decomposed(self: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        places = torch.zeros_like(self, dtype=torch.int64)
        if self.ndim:
            shape = [-1 if axis == dim % self.ndim else 1 for axis in range(self.ndim)]
            places = places + torch.arange(self.shape[dim]).reshape(shape)
        values, places = _scan([self, places], dim, combine)
        return values, places

    return decomposed


def _log_cumsum_exp(self: Tensor, dim: int) -> Tensor:
    return _scan([self], dim, lambda one, other: [torch.logaddexp(one, other)])[0]


def _number_or(chosen: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """An extreme of two that is NaN only where both are."""

    def decomposed(self: Tensor, other: Tensor) -> Tensor:
        known = torch.where(other != other, self, chosen(self, other))
        return torch.where(self != self, other, known)

    return decomposed


def _gamma_logarithm(self: Tensor) -> Tensor:
    """Computed in float64, of arguments below 1/2 by reflection."""
    x = self.double()
    reflected = x < 0.5
    z = torch.where(reflected, 1 - x, x) - 1
    series = 0.99999999999980993 + sum(c / (z + place) for place, c in enumerate(LANCZOS, start=1))
    base = z + 7.5
    result = 0.9189385332046727 + (z + 0.5) * base.log() - base + series.log()
    rest = x - x.floor()  # the sine of pi x, but for its sign, without the digits that large x lack
    mirrored = 1.1447298858494002 - (torch.pi * rest).sin().abs().log() - result
    return torch.where(reflected, mirrored, result).to(_float_of(self))


def _digamma(self: Tensor) -> Tensor:
    """Computed in float64: by recurrence to where the asymptotic series holds, below 0 by reflection."""
    x = self.double()
    y = torch.where(x < 0, 1 - x, x)
    far = y + 8
    series, square = far.log() - 0.5 / far, 1 / (far * far)
    power = square
    for coefficient in DIGAMMA:
        series = series + coefficient * power
        power = power * square
    result = series - sum(1 / (y + step) for step in range(8))
    angle = torch.pi * (x - x.floor())
    result = torch.where(x < 0, result - torch.pi * angle.cos() / angle.sin(), result)
    return torch.where((x < 0) & (x == x.floor()), torch.nan, result).to(_float_of(self))


def _float_of(value: Tensor) -> torch.dtype:
    return value.dtype if value.dtype.is_floating_point else torch.get_default_dtype()


def _index_reduce(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    if not self.ndim:
        return _index_reduce(
            self.reshape(1), 0, index.reshape(1), source.reshape(1), reduce, include_self=include_self
        ).reshape(())
    shape = [-1 if axis == dim % self.ndim else 1 for axis in range(self.ndim)]
    places = index.reshape(shape).expand_as(source)
    return torch.scatter_reduce(self, dim, places, source, reduce, include_self=include_self)


def _scatter_with(self: Tensor, dim: int, index: Tensor, src: Tensor | float, *, reduce: str) -> Tensor:
    name = {"add": "sum", "multiply": "prod"}[reduce]
    if not isinstance(src, Tensor):
        src = torch.full(index.shape, src, dtype=self.dtype)
    return torch.scatter_reduce(self, dim, index, src, name)


def _scatter_reduce(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Scatter over the identity where what is there does not count; a mean is a sum over its count."""
    if reduce != "mean":
        if include_self:
            return NotImplemented
        return torch.scatter_reduce(
            self.scatter(dim, index, _identity(reduce, self.dtype)), dim, index, src, reduce
        )
    ones = torch.ones_like(src)
    count = torch.ones_like(self).scatter_add(dim, index, ones)
    if not include_self:
        self, count = self.scatter(dim, index, 0), torch.maximum(count - 1, torch.ones_like(count))
    total = self.scatter_add(dim, index, src)
    return total / count if self.dtype.is_floating_point else total // count


def _identity(reduce: str, dtype: torch.dtype) -> float:
    if reduce in ("sum", "prod"):
        return float(reduce == "prod")
    if dtype.is_floating_point:
        return -torch.inf if reduce == "amax" else torch.inf
    limits = torch.iinfo(dtype)
    return limits.min if reduce == "amax" else limits.max


def _put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = self.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(self.shape)


def _masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of ``source`` in turn where the mask is true."""
    data, mask = torch.broadcast_tensors(self, mask)
    if not source.numel():
        return data.clone()
    places = mask.reshape(-1).to(torch.int64).cumsum(0) - 1
    taken = source.reshape(-1)[places.clamp(0, source.numel() - 1)].reshape(data.shape)
    return torch.where(mask, taken, data)


def _nan_median(self: Tensor, dim: int = 0, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower one in the middle of what is a number."""
    if not self.ndim:
        return self.clone(), torch.zeros((), dtype=torch.int64)
    last = torch.inf if self.dtype.is_floating_point else 0
    values, places = torch.where(self == self, self, last).sort(dim)
    count = (self == self).sum(dim, keepdim=True)
    middle = (count - 1).clamp(min=0) // 2
    value = values.gather(dim, middle)
    if self.dtype.is_floating_point:
        value = torch.where(count > 0, value, torch.nan)
    found = value, places.gather(dim, middle)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def _mode(self: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest of the most frequent elements, and the last place of it."""
    if not self.ndim:
        return self.clone(), torch.zeros((), dtype=torch.int64)
    rows = self.movedim(dim, -1)
    ordered = rows.sort(-1).values
    counts = (ordered.unsqueeze(-1) == ordered.unsqueeze(-2)).sum(-1)
    value = ordered.gather(-1, counts.argmax(-1, keepdim=True))
    place = torch.where(rows == value, torch.arange(rows.shape[-1]), -1).amax(-1, keepdim=True)
    found = value.movedim(-1, dim), place.movedim(-1, dim)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def _search(
    sorted_sequence: Tensor,
    self: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """How many elements come before each value."""
    ordered = sorted_sequence if sorter is None else sorted_sequence.gather(-1, sorter)
    one, other = ordered.unsqueeze(-2), self.unsqueeze(-1)
    if ordered.ndim == 1:
        one = ordered
    before = one <= other if right or side == "right" else one < other
    return before.sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def _diagonal_scatter(self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    places = torch.arange(self.numel()).reshape(self.shape).diagonal(offset, dim1, dim2)
    return _put(self, places, src)


def _sum_of_products(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    if not self.dtype.is_floating_point:
        beta, alpha = int(beta), int(alpha)
    product = (batch1 @ batch2).sum(0) * alpha
    return product if beta == 0 else self * beta + product


def _pairwise_distances(self: Tensor, p: float = 2.0) -> Tensor:
    one, other = torch.triu_indices(self.shape[0], self.shape[0], 1).unbind(0)
    return torch.linalg.vector_norm(self[one] - self[other], p, -1)


def _random_slope(
    self: Tensor,
    noise: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """Return the rows with the middle slope, as in evaluation."""
    if training:
        return NotImplemented
    return torch.nn.functional.leaky_relu(self, (lower + upper) / 2), noise


def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, ...]:
    """The sum, mean or maximum (modes 0, 1, 2) of each bag's rows; further results are those of training."""
    bags = offsets.shape[0] - int(include_last_offset)
    bag = (torch.arange(indices.shape[0]).unsqueeze(1) >= offsets[:bags]).sum(1) - 1
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    kept = (indices != padding_idx).unsqueeze(1) if padding_idx >= 0 else torch.ones(len(indices), 1).bool()
    zeros = torch.zeros(bags, weight.shape[1], dtype=weight.dtype)
    count = torch.zeros(bags, 1, dtype=weight.dtype).index_add(0, bag, kept.to(weight.dtype))
    if mode == 2:
        hidden = torch.where(kept, rows, -torch.inf)
        places = bag.unsqueeze(1).expand_as(rows)
        largest = torch.scatter_reduce(zeros - torch.inf, 0, places, hidden, "amax")
        result = torch.where(count > 0, largest, 0)
    else:
        result = zeros.index_add(0, bag, torch.where(kept, rows, 0))
        result = result / count.clamp(min=1) if mode == 1 else result
    nothing = torch.zeros(0, dtype=indices.dtype)
    return result, nothing, nothing, nothing


def _embedding_renorm(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """The rows that are looked up, scaled down to a norm of at most ``max_norm``."""
    read = torch.zeros(self.shape[0], dtype=torch.bool).index_fill(0, indices.reshape(-1), True)
    norms = torch.linalg.vector_norm(self, norm_type, 1)
    scales = torch.where(read & (norms > max_norm), max_norm / (norms + 1e-7), 1)
    return self * scales.unsqueeze(1)


def _running_product(self: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Any:
    """Return running products of a tensor without axes; others stay as they are."""
    if self.ndim:
        return NotImplemented
    return torch.cumprod(self.reshape(1), 0, dtype=dtype).reshape(())


def _spaced(start: float, end: float, steps: int, *, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
    """Between integers, where the results are: PyTorch's own decomposition takes the ends as they are."""
    if dtype is not None and not dtype.is_floating_point and not dtype.is_complex:
        start, end = int(start), int(end)
    return torch._refs.linspace(start, end, steps, dtype=dtype)


def _complementary_error(self: Tensor) -> Tensor:
    """The rest of the error function to 1, by a fit of relative error 1.2e-7 (Numerical Recipes, erfcc)."""
    x = self.to(_float_of(self)).double()
    t = 1 / (1 + 0.5 * x.abs())
    power = torch.full_like(t, ERROR_FIT[-1])
    for coefficient in reversed(ERROR_FIT[:-1]):
        power = power * t + coefficient
    small = t * (power - x * x).exp()
    return torch.where(x < 0, 2 - small, small).to(_float_of(self))


TABLE: dict[Any, Callable[..., Any]] = {
    aten.cummax.default: _running_extreme(torch.ge),
    aten.cummin.default: _running_extreme(torch.le),
    aten.logcumsumexp.default: _log_cumsum_exp,
    aten.fmax.default: _number_or(torch.maximum),
    aten.fmin.default: _number_or(torch.minimum),
    aten.exp2.default: lambda self: torch.pow(2.0, self),
    aten.lgamma.default: _gamma_logarithm,
    aten.digamma.default: _digamma,
    aten.polygamma.default: lambda n, self: NotImplemented if n else _digamma(self),
    aten.index_reduce.default: _index_reduce,
    aten.scatter.reduce: _scatter_with,
    aten.scatter.value_reduce: lambda self, dim, index, value, *, reduce: _scatter_with(
        self, dim, index, value, reduce=reduce
    ),
    aten.scatter_reduce.two: _scatter_reduce,
    aten.diagonal_scatter.default: _diagonal_scatter,
    aten.addbmm.default: _sum_of_products,
    aten._pdist_forward.default: _pairwise_distances,
    aten.rrelu_with_noise_functional.default: _random_slope,
    aten._embedding_bag_forward_only.default: _embedding_bag,
    aten.embedding_renorm.default: _embedding_renorm,
    aten.cumprod.default: _running_product,
    aten.linspace.default: _spaced,
    aten.grid_sampler_3d.default: grid_sample_3d,
    aten.erfc.default: _complementary_error,
    aten.put.default: _put,
    aten.masked_scatter.default: _masked_scatter,
    aten.nanmedian.default: lambda self: _nan_median(self.reshape(-1))[0],
    aten.nanmedian.dim: _nan_median,
    aten.mode.default: _mode,
    aten.searchsorted.Tensor: _search,
    aten.searchsorted.Scalar: lambda sorted_sequence, self, **named: _search(
        sorted_sequence, torch.as_tensor(self), **named
    ),
}
