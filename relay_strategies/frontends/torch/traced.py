"""Functions that torch.export cannot trace, since they look at values, written so that it can.

What they would refuse after a look at values, as a negative variance, is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


class Traced(TorchFunctionMode):
    """Calls of functions of ``TABLE`` while a network is traced."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        own = TABLE.get(func)
        found = NotImplemented if own is None else own(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {})) if found is NotImplemented else found


def _covariance(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Return the covariances of variables in rows; each column is an observation with its weights."""
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    rows = rows if rows.dtype.is_floating_point or rows.is_complex() else rows.to(torch.get_default_dtype())
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        mean, weights = rows.mean(1, keepdim=True), torch.ones((), dtype=rows.dtype)
        factor = torch.full((), float(rows.shape[1] - correction))
    else:
        whole = weights.sum().to(rows.real.dtype)
        mean = (rows * weights).sum(1, keepdim=True) / whole
        squares = whole if aweights is None else (weights * aweights).sum() / whole
        factor = whole - correction * (1 if aweights is None else squares)
    rows = rows - mean
    products = (rows * weights) @ rows.mT.conj()
    found = products / factor.clamp(min=0).to(rows.real.dtype)
    return found.squeeze() if input.ndim < 2 or input.shape[0] == 1 else found


def _correlation(input: Tensor) -> Tensor:
    found = _covariance(input)
    if not found.ndim:
        return found / found
    deviations = found.diagonal().real.sqrt()
    found = found / deviations.unsqueeze(-1) / deviations
    if found.is_complex():
        return torch.complex(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)


def _gaussian_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    if isinstance(var, float):
        var = var * torch.ones_like(input)
    if var.size() != input.size() and input.size()[:-1] == var.size():
        var = var.unsqueeze(-1)
    var = var.clamp(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.9189385332046727
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def _narrow(input: Tensor, dim: int, start: Tensor | int, length: int) -> Any:
    """Return a part from a place that is computed."""
    if not isinstance(start, Tensor):
        return NotImplemented
    start = torch.where(start < 0, start + input.shape[dim], start)
    return input.index_select(dim, start + torch.arange(length))


def _alignment_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Compute connectionist temporal classification of targets in rows."""
    if targets.ndim != 2 or log_probs.ndim != 3:
        return NotImplemented
    times, lengths = (
        torch.as_tensor(each, dtype=torch.int64).reshape(-1) for each in (input_lengths, target_lengths)
    )
    loss = alignment_loss(log_probs, targets, times, lengths, blank)
    if zero_infinity:
        loss = torch.where(loss == torch.inf, 0.0, loss)
    if reduction == "mean":
        return (loss / lengths.clamp(min=1)).mean()
    return loss.sum() if reduction == "sum" else loss


@torch.library.custom_op("directconv::alignment_loss", mutates_args=())
def alignment_loss(scores: Tensor, targets: Tensor, times: Tensor, lengths: Tensor, blank: int) -> Tensor:
    """Return each target's loss, as ``ctc_loss`` does, in an operator that can be traced."""
    return torch.nn.functional.ctc_loss(scores, targets, times, lengths, blank, "none")


@alignment_loss.register_fake
def _of_batch(scores: Tensor, targets: Tensor, times: Tensor, lengths: Tensor, blank: int) -> Tensor:
    return scores.new_empty(scores.shape[1])


def _least_squares(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Return the solution of the least norm, residuals of full ranks, and what the driver gives of ranks and
    singular values."""
    rows, columns = A.shape[-2:]
    driver = driver or "gelsy"
    is_vector = B.ndim == 1 or A.shape[:-1] == B.shape
    other = B.unsqueeze(-1) if is_vector else B
    least = torch.finfo(A.dtype).eps * max(rows, columns) if rcond is None else rcond
    left, values, right = torch.linalg.svd(A, full_matrices=False)
    kept = values > least * values[..., :1]
    inverse = torch.where(kept, values.reciprocal(), 0)
    solution = right.mT @ (inverse.unsqueeze(-1) * (left.mT @ other))
    nothing = torch.empty(0, dtype=A.dtype)
    rank = torch.empty(0, dtype=torch.int64) if driver == "gels" else kept.sum(-1)
    residuals = nothing
    if rows > columns and driver != "gelsy":
        residuals = (A @ solution - other).square().sum(-2)
    found = values if driver in ("gelsd", "gelss") else nothing
    kind = torch.return_types.linalg_lstsq
    return kind((solution.squeeze(-1) if is_vector else solution, residuals, rank, found))


TABLE: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((torch.cov, Tensor.cov), _covariance),
    **dict.fromkeys((torch.corrcoef, Tensor.corrcoef), _correlation),
    **dict.fromkeys((torch.narrow, Tensor.narrow), _narrow),
    torch.nn.functional.gaussian_nll_loss: _gaussian_loss,
    torch.nn.functional.ctc_loss: _alignment_loss,
    torch.linalg.lstsq: _least_squares,
}

if hasattr(torch.nn.functional, "linear_cross_entropy"):  # from 2.14 on
    _entropy = torch.nn.functional.linear_cross_entropy

    def _whole_entropy(*args: Any, options: Any = None, **named: Any) -> Tensor:
        """Compute it without its options, which say in which pieces a batch is, for the sake of memory."""
        return _entropy(*args, **named)

    TABLE[_entropy] = _whole_entropy
