"""Operators that torch.export keeps whole and nobody converts, written as others that are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table, get_decompositions

from . import linear_algebra, written_out

aten = torch.ops.aten

WRITTEN_OUT = (aten._native_batch_norm_legit_functional, aten.ldexp)
"""Operators that PyTorch itself decomposes. The statistics of a normalization in training mode are then
apart from its result."""


def decompositions() -> dict[Any, Callable[..., Any]]:
    """What takes the place of each operator. Those of quantizers are known once one was imported."""
    quantizers = torch.ops.quantized_decomposed
    chosen = {
        getattr(quantizers, name).tensor: choose
        for name, choose in OF_QUANTIZERS.items()
        if hasattr(quantizers, name)
    }
    return get_decompositions(WRITTEN_OUT) | written_out.TABLE | linear_algebra.TABLE | OWN | chosen


def decompositions_of_rest(converted: Collection[str]) -> dict[Any, Callable[..., Any]]:
    """PyTorch's own decompositions of operators that are not ``converted``, by names with overloads."""
    return {
        operator: _once(function)
        for operator, function in (decomposition_table | _primitives()).items()
        if isinstance(operator, torch._ops.OpOverload)
        and not operator._schema.is_mutable
        and operator.__name__ not in converted
    }


@functools.cache
def _primitives() -> dict[Any, Callable[..., Any]]:
    """PyTorch's primitive operators, which its decompositions end in, by the operators that compute them."""
    prims = torch.ops.prims
    packets = [getattr(prims, name) for name in torch._prims.__all__ if hasattr(prims, name)]
    return {packet.default: packet.impl_aten for packet in packets if hasattr(packet, "impl_aten")}


def _once(decomposition: Callable[..., Any]) -> Callable[..., Any]:
    """A decomposition that leaves its operator as it is where it leads to it again."""
    running = False

    @functools.wraps(decomposition)
    def decomposed(*args: Any, **kwargs: Any) -> Any:
        nonlocal running
        if running:
            return NotImplemented
        running = True
        try:
            return decomposition(*args, **kwargs)
        finally:
            running = False

    return decomposed


def _signbit(self: Tensor) -> Tensor:
    if not self.dtype.is_floating_point:
        return torch.zeros_like(self) if self.dtype is torch.bool else self < 0
    return (self < 0) | ((self == 0) & (self.reciprocal() < 0))  # -0 has one, too


def _copysign(self: Tensor, other: Tensor) -> Tensor:
    if not self.dtype.is_floating_point:
        self = self.to(other.dtype if other.dtype.is_floating_point else torch.get_default_dtype())
    return torch.where(_signbit(other), -self.abs(), self.abs())


def _hypot(self: Tensor, other: Tensor) -> Tensor:
    """Compute from the quotient of the smaller by the larger, whose square does not overflow."""
    larger, smaller = torch.maximum(self.abs(), other.abs()), torch.minimum(self.abs(), other.abs())
    quotient = smaller / torch.where(larger > 0, larger, 1)
    return larger * (1 + quotient * quotient).sqrt()


def _trilinear(
    i1: Tensor,
    i2: Tensor,
    i3: Tensor,
    expand1: list[int],
    expand2: list[int],
    expand3: list[int],
    sumdim: list[int],
    unroll_dim: int = 1,
) -> Tensor:
    """The sum over axes of a product of three, each with new axes."""
    operands = []
    for value, axes in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for axis in sorted(axes):
            value = value.unsqueeze(axis)
        operands.append(value)
    return (operands[0] * operands[1] * operands[2]).sum(sumdim)


def _distances(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """The norms of all differences of two sets of vectors."""
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return torch.linalg.vector_norm(apart, p, -1)


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Return attention with each row's heads side by side in memory, as the operator itself leaves them.

    The network was traced with views of that layout. PyTorch's own decomposition does not allow them where
    there are several images.
    """
    result, _ = aten._scaled_dot_product_attention_math.default(
        query,
        key,
        value,
        attn_mask,
        dropout_p,
        is_causal,
        scale=scale,
        enable_gqa=query.shape[1] != key.shape[1],
    )
    groups = query.shape[1] // max(key.shape[1], 1)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    wide = query.dtype if query.dtype is torch.float64 else torch.float32
    scores = query.to(wide) @ key.to(wide).repeat_interleave(groups, 1).transpose(-1, -2) * scale
    if is_causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    if attn_mask is not None:
        scores = scores + attn_mask
    return result.transpose(1, 2).contiguous().transpose(1, 2), scores.logsumexp(-1)


def _overlapped(grad_in: Tensor, input_sizes: list[int], dim: int, size: int, step: int) -> Tensor:
    """Return the sums of windows where they overlap, as istft wants them: of parts of a step's length, each
    shifted by its number."""
    windows = grad_in.movedim(dim, -2)
    count, parts = windows.shape[-2], -(-size // step)
    windows = torch.nn.functional.pad(windows, (0, parts * step - size))
    result = 0
    for part in range(parts):
        one = windows[..., part * step : (part + 1) * step].reshape(*windows.shape[:-2], count * step)
        result = result + torch.nn.functional.pad(one, (part * step, (parts - 1 - part) * step))
    rest = input_sizes[dim] - (count + parts - 1) * step
    return torch.nn.functional.pad(result, (0, rest)).movedim(-1, dim)


def _safe_softmax(self: Tensor, dim: int, dtype: torch.dtype | None = None) -> Tensor:
    """Rows of nothing but -infinity become zeros. ``FuseProducts`` knows it by these operators."""
    hidden = self.amax(dim, keepdim=True) == -torch.inf
    return torch.where(hidden, 0.0, self.softmax(dim, dtype))


def _kth(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    if not self.ndim:
        return self.clone(), torch.zeros((), dtype=torch.int64)
    values, places = self.sort(dim)
    taken = values.select(dim, k - 1), places.select(dim, k - 1)
    return (taken[0].unsqueeze(dim), taken[1].unsqueeze(dim)) if keepdim else taken


def _median(self: Tensor) -> Tensor:
    return _median_along(self.flatten(), 0)[0]


def _median_along(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the median; of an even number of elements, the lower of the two in the middle."""
    return _kth(self, (self.shape[dim] + 1) // 2 if self.ndim else 1, dim, keepdim)


def _choose(
    input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Scale and zero point of a tensor, by its extremes, which zero is between."""
    low, high = input.amin().clamp(max=0), input.amax().clamp(min=0)
    scale = ((high - low) / (quant_max - quant_min)).clamp(min=eps)
    zero = (quant_min - (low / scale).round()).clamp(quant_min, quant_max)
    return scale.reshape(1).double(), zero.reshape(1).long()


def _choose_symmetric(
    input: Tensor, quant_min: int, quant_max: int, eps: float, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Scale of a tensor, by its largest magnitude, and the zero point of its type."""
    scale = (input.abs().amax() / ((quant_max - quant_min) / 2)).clamp(min=eps)
    zero = torch.full((1,), 128 if dtype is torch.uint8 else 0, dtype=torch.int64)
    return scale.reshape(1).double(), zero


OF_QUANTIZERS = {"choose_qparams": _choose, "choose_qparams_symmetric": _choose_symmetric}
OWN: dict[Any, Callable[..., Any]] = {
    aten.signbit.default: _signbit,
    aten.copysign.Tensor: _copysign,
    aten.hypot.default: _hypot,
    aten._trilinear.default: _trilinear,
    aten._cdist_forward.default: _distances,
    aten._scaled_dot_product_flash_attention_for_cpu.default: _attention,
    aten._safe_softmax.default: _safe_softmax,
    aten.unfold_backward.default: _overlapped,
    aten.kthvalue.default: _kth,
    aten.median.default: _median,
    aten.median.dim: _median_along,
}
