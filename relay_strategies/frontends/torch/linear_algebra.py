"""Operators of linear algebra written in factorizations, as PyTorch and LAPACK define them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


def _solution(lu: Tensor, pivots: Tensor, other: Tensor, adjoint: bool = False) -> Tensor:
    """Solve A x = ``other``, or A^T x, of the factors of A."""
    order, lower, upper = aten.lu_unpack.default(lu, pivots)
    solve = aten.linalg_solve_triangular.default
    if adjoint:
        found = solve(upper.mT, other, upper=False)
        return order @ solve(lower.mT, found, upper=True, unitriangular=True)
    return solve(upper, solve(lower, order.mT @ other, upper=False, unitriangular=True), upper=True)


def _lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    if left:
        return _solution(LU, pivots, B, adjoint)
    return _solution(LU, pivots, B.mT, not adjoint).mT


def _solve(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    lu, pivots, failed = aten.linalg_lu_factor_ex.default(A)
    is_vector = B.ndim == 1 or B.shape == A.shape[:-1]
    other = B.unsqueeze(-1) if is_vector else B
    result = _lu_solve(lu, pivots, other, left=left or is_vector)
    return (result.squeeze(-1) if is_vector else result), lu, pivots, failed


def _inverse(A: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    lu, pivots, failed = aten.linalg_lu_factor_ex.default(A)
    return _solution(lu, pivots, torch.eye(A.shape[-1], dtype=A.dtype)), failed


def _signs(lu: Tensor, pivots: Tensor) -> Tensor:
    """The signs of the exchanges of rows."""
    exchanged = pivots != torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype)
    return 1 - 2 * (exchanged.sum(-1) % 2).to(lu.dtype)


def _determinant(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    lu, pivots, _ = aten.linalg_lu_factor_ex.default(A)
    return lu.diagonal(0, -2, -1).prod(-1) * _signs(lu, pivots), lu, pivots


def _log_determinant(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    lu, pivots, _ = aten.linalg_lu_factor_ex.default(A)
    diagonal = lu.diagonal(0, -2, -1)
    return diagonal.sign().prod(-1) * _signs(lu, pivots), diagonal.abs().log().sum(-1), lu, pivots


def _lu(A: Tensor, *, pivot: bool = True) -> Any:
    lu, pivots, _ = aten.linalg_lu_factor_ex.default(A, pivot=pivot)
    return aten.lu_unpack.default(lu, pivots)


def _cholesky_solve(self: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    lower = input2.mT if upper else input2
    solve = aten.linalg_solve_triangular.default
    return solve(lower.mT, solve(lower, self, upper=False), upper=True)


def _cholesky_inverse(self: Tensor, upper: bool = False) -> Tensor:
    return _cholesky_solve(torch.eye(self.shape[-1], dtype=self.dtype).expand_as(self), self, upper)


def _qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """The modes "reduced", "complete", and "r", of which Q is empty."""
    rows, columns = A.shape[-2:]
    data, factors = aten.geqrf.default(A)
    width = rows if mode == "complete" else min(rows, columns)
    upper = data[..., :width, :].triu()
    if mode == "r":
        return torch.empty(0, dtype=A.dtype), upper
    identity = torch.eye(rows, width, dtype=A.dtype).expand(*A.shape[:-2], rows, width)
    return aten.ormqr.default(data, factors, identity, True, False), upper


def _triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    factor, upper = (A.mT, not upper) if transpose else (A, upper)
    solve = aten.linalg_solve_triangular.default
    batch = torch.broadcast_shapes(self.shape[:-2], A.shape[:-2])
    return (
        solve(factor, self, upper=upper, unitriangular=unitriangular),
        A.expand(*batch, *A.shape[-2:]).clone(),
    )


def _pseudo_inverse(
    self: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False
) -> Tensor:
    if not self.numel():
        return torch.zeros_like(self.mT)
    least = torch.finfo(self.dtype).eps * max(self.shape[-2:])
    relative: Any = rtol
    if relative is None:
        relative = least if atol is None else torch.where(atol > 0, 0.0, least)
    absolute: Any = 0.0 if atol is None else atol
    if hermitian:
        values, left = aten._linalg_eigh.default(self)
        right, magnitudes = left.mT, values.abs()
    else:
        left, values, right = aten._linalg_svd.default(self)
        magnitudes = values
    largest = magnitudes.amax(-1, keepdim=True)
    bound = torch.maximum(_column(absolute, values), _column(relative, values) * largest)
    inverse = torch.where(magnitudes > bound, values.reciprocal(), 0)
    return (right.mT * inverse.unsqueeze(-2)) @ left.mT


def _column(value: Any, like: Tensor) -> Tensor:
    value = torch.as_tensor(value, dtype=like.dtype)
    return value.unsqueeze(-1) if value.ndim else value


def _polar(A: Tensor) -> tuple[Tensor, Tensor]:
    left, values, right = aten._linalg_svd.default(A)
    return left @ right, (right.mT * values.unsqueeze(-2)) @ right


TABLE: dict[Any, Callable[..., Any]] = {
    aten.linalg_lu_solve.default: _lu_solve,
    aten._linalg_solve_ex.default: _solve,
    aten.linalg_inv_ex.default: _inverse,
    aten._linalg_det.default: _determinant,
    aten._linalg_slogdet.default: _log_determinant,
    aten.linalg_lu.default: _lu,
    aten.cholesky_solve.default: _cholesky_solve,
    aten.cholesky_inverse.default: _cholesky_inverse,
    aten.linalg_qr.default: _qr,
    aten.triangular_solve.default: _triangular_solve,
    aten.linalg_pinv.atol_rtol_tensor: _pseudo_inverse,
}
if hasattr(aten, "linalg_polar"):  # from 2.14 on
    TABLE[aten.linalg_polar.default] = _polar
