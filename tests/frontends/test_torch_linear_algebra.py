"""Linear algebra, special functions, and what torch.export cannot trace, against PyTorch."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.errors import InputError  # noqa: E402

X = drawn(2, 5, 5)
WIDE = drawn(2, 3, 7, seed=1)
VALUES = torch.linspace(-4, 12, 60).reshape(3, 20)


def _positive(x: torch.Tensor) -> torch.Tensor:
    return x @ x.mT + torch.eye(5)


def _solutions(x: torch.Tensor, wide: torch.Tensor) -> tuple[Any, ...]:
    linalg, other = torch.linalg, wide[:, :, :5].mT
    factor = linalg.cholesky(_positive(x))
    lu, pivots = linalg.lu_factor(x)
    return (
        *(linalg.inv(x), linalg.solve(x, other), linalg.solve(x, other.mT, left=False)),
        *(linalg.det(x), *linalg.slogdet(x), torch.logdet(_positive(x)), linalg.matrix_power(x, -2)),
        *(lu, pivots, *linalg.lu(wide), *linalg.lu(wide.mT), linalg.lu_solve(lu, pivots, other)),
        linalg.lu_solve(lu, pivots, other.mT, left=False, adjoint=True),
        *(factor, linalg.cholesky(_positive(x), upper=True), torch.cholesky_inverse(factor)),
        *(torch.cholesky_solve(other, factor), torch.cholesky_solve(other, factor.mT, upper=True)),
        *torch.triangular_solve(other, x + 5 * torch.eye(5), upper=False, transpose=True),
        linalg.solve_triangular(x + 5 * torch.eye(5), other.mT, upper=True, left=False, unitriangular=True),
    )


def _bases(x: torch.Tensor, wide: torch.Tensor) -> tuple[Any, ...]:
    """Of vectors whose signs are not determined, products."""
    linalg = torch.linalg
    u, s, vh = linalg.svd(wide, full_matrices=True)
    values, vectors = linalg.eigh(x)
    data, factors = torch.geqrf(wide.mT)
    flat = x * torch.tensor([1.0, 1, 1, 0, 0])
    left, kept, right = linalg.svd(flat)
    return (
        *(*linalg.qr(wide), *linalg.qr(wide.mT, "complete"), linalg.qr(x, "r")[1]),
        *(data, factors, linalg.householder_product(data, factors), torch.ormqr(data, factors, wide.mT)),
        torch.ormqr(data, factors, wide, left=False, transpose=True),
        *(s, (u * s.unsqueeze(-2)) @ vh[:, :3], vh @ vh.mT, u @ u.mT, linalg.svdvals(x)),
        *(kept.clamp(min=1e-3), left @ left.mT, (left * kept.unsqueeze(-2)) @ right),
        *(values, (vectors * values.unsqueeze(-2)) @ vectors.mT, linalg.eigvalsh(x, UPLO="U")),
        *(linalg.pinv(wide), linalg.pinv(_positive(x), hermitian=True), linalg.pinv(flat, rtol=1e-3)),
        *(linalg.matrix_rank(flat), linalg.cond(x), linalg.matrix_norm(wide, "nuc")),
        *(linalg.lstsq(wide.mT, x[:, :, :2].repeat(1, 2, 1)[:, :7]).solution, linalg.lstsq(wide, wide).rank),
    )


def _specials(x: torch.Tensor, wide: torch.Tensor) -> tuple[Any, ...]:
    special, degree = torch.special, torch.arange(-2, 18)
    place = (x[0, 0, 0] > 100).long()
    small, above = VALUES / 9 + 0 * x[0, 0, 0], VALUES.abs() + 0.1 + 0 * x[0, 0, 0]
    families = (
        *("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v"),
        *("chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he"),
        *("laguerre_polynomial_l", "legendre_polynomial_p", "shifted_chebyshev_polynomial_v"),
    )
    edges = torch.tensor([0.0, 1.0, 3.0, float("inf"), float("nan")]) + 0 * x[0, 0, 0]
    return (
        *(getattr(special, f"{name}")(small, degree) for name in families),
        *(special.zeta(above + 1, small), special.zeta(torch.tensor([1.0, 3.0, 2.5]), edges[:3])),
        *(torch.polygamma(order, above) for order in range(4)),
        *(torch.igamma(above, above.flip(1)), torch.igammac(above, above.flip(0))),
        *(torch.igamma(edges, edges.unsqueeze(1)), torch.igammac(edges, edges.unsqueeze(1))),
        *(torch.gcd(degree * 6 + place, torch.tensor(-9)), torch.lcm(degree, torch.tensor([4])) + 0 * place),
    )


def _untraceable(x: torch.Tensor, wide: torch.Tensor) -> tuple[Any, ...]:
    logits = wide.permute(2, 0, 1).log_softmax(2)
    targets, lengths = torch.tensor([[1, 1, 2], [2, 1, 0]]), torch.tensor([3, 2])
    weights, place = x[0, 0].abs(), (x[0, 0, 0] > 0).long()
    return (
        *(torch.cov(x[0]), torch.cov(x[0], correction=0, fweights=torch.arange(5), aweights=weights)),
        *(torch.corrcoef(x[1]), torch.cov(x[0, 0]), torch.narrow(wide, 2, place, 3)),
        F.gaussian_nll_loss(x, x * 2, x.abs(), full=True),
        F.ctc_loss(logits, targets, torch.tensor([7, 5]), lengths, reduction="none"),
        F.ctc_loss(logits, targets, (7, 2), (3, 3), zero_infinity=True),
    )


@pytest.mark.parametrize(
    "function", [_solutions, _bases, _specials, _untraceable], ids=lambda function: function.__name__
)
def test_they_are_pytorchs(function: Callable[..., Any]) -> None:
    inputs = X, WIDE
    model = directconv.compile(Function(function), example_inputs=inputs)
    assert_same(model.run([*inputs]), function(*inputs), tolerance=2e-4)


def test_a_singular_matrix_is_an_error_where_pytorch_checks_it() -> None:
    checked = directconv.compile(Function(lambda x: torch.linalg.inv(x)), example_inputs=(X,))
    told = directconv.compile(Function(lambda x: torch.linalg.inv_ex(x).info), example_inputs=(X,))
    singular = copy.deepcopy(X)
    singular[1, 2] = 0
    assert torch.linalg.inv_ex(singular).info.tolist() == told(singular).tolist() == [0, 5]
    with pytest.raises(InputError, match="a matrix is singular"):
        checked(singular)
    assert_same([checked(X)], torch.linalg.inv(X), tolerance=2e-4)
