"""Factorizations of matrices; ``linear_algebra.py`` writes other operators in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import fx
from tvm import relax

from relay_strategies.functional import factorizations
from relay_strategies.relax.graph import make_constant

from .node import Converter, Node


def _failing(node: Node, place: int) -> str | None:
    """What an error says where the network checks the result at ``place``, which says what failed."""
    for user in node.source.users:
        if user.target.__name__ == "getitem" and user.args[1] == place:
            for reader in user.users:
                if isinstance(reader, fx.Node) and torch.ops.aten._linalg_check_errors.default in reader.args:
                    return f"{node.label}: a matrix is singular, or not positive definite"
    return None


def _results(node: Node, values: list[relax.Expr | None]) -> relax.Expr:
    """Return results in PyTorch's types; what is left out is empty."""
    found = []
    for value, known in zip(values, node.meta, strict=True):
        dtype = str(known.dtype).removeprefix("torch.")
        if value is None:
            value = make_constant(np.zeros(tuple(known.shape), dtype))
        found.append(node.cast(value, dtype))
    return relax.Tuple(found)


def _lu(node: Node) -> relax.Expr:
    if not node["pivot"]:
        raise node.refusal("it is to exchange no rows, which PyTorch does on GPUs alone")
    return _results(node, [*factorizations.lu(node, node.tensor("A"), _failing(node, 2))])


def _unpacked(node: Node) -> relax.Expr:
    """The permutation as a matrix, and both factors, the first with ones on its diagonal."""
    data = node.cast(node.tensor("LU_data"), node.dtype)
    rows, columns = node.shape("LU_data")[-2:]
    steps, parts = min(rows, columns), list[relax.Expr | None]([None, None, None])
    if node["unpack_pivots"]:
        order = factorizations.row_order(node, node.tensor("LU_pivots"), rows)
        places = node.emit(relax.op.expand_dims(order, -2))
        own = make_constant(np.arange(rows).reshape(rows, 1))
        parts[0] = node.cast(node.emit(relax.op.equal(own, places)), node.dtype)
    if node["unpack_data"]:
        identity = make_constant(np.eye(rows, steps, dtype=node.dtype))
        lower = node.emit(relax.op.tril(_corner(node, data, rows, steps), -1))
        parts[1] = node.emit(relax.op.add(lower, identity))
        parts[2] = node.emit(relax.op.triu(_corner(node, data, steps, columns), 0))
    return _results(node, parts)


def _corner(node: Node, data: relax.Expr, rows: int, columns: int) -> relax.Expr:
    rank = len(node.shape_of(data))
    return node.emit(relax.op.strided_slice(data, [rank - 2, rank - 1], [0, 0], [rows, columns]))


def _transposed(node: Node, data: relax.Expr) -> relax.Expr:
    rank = len(node.shape_of(data))
    return node.emit(relax.op.permute_dims(data, [*range(rank - 2), rank - 1, rank - 2]))


def _cholesky(node: Node) -> relax.Expr:
    data = node.tensor("self")
    data = _transposed(node, data) if node["upper"] else data
    lower, failed = factorizations.cholesky(node, data, _failing(node, 1))
    return _results(node, [_transposed(node, lower) if node["upper"] else lower, failed])


def _householder_product(node: Node) -> relax.Expr:
    """The first columns of the product of the reflections."""
    data, shape = node.tensor("input"), node.shape("input")
    identity = make_constant(np.ascontiguousarray(np.broadcast_to(np.eye(shape[-2], shape[-1]), shape)))
    return node.cast(factorizations.reflected(node, data, node.tensor("tau"), identity), node.dtype)


def _reflected(node: Node) -> relax.Expr:
    """The product's or its transpose's product with a matrix, at its left or right."""
    data, factors, other = (node.tensor(name) for name in ("self", "input2", "input3"))
    left, backward = bool(node["left"]), bool(node["transpose"])
    other = other if left else _transposed(node, other)
    result = factorizations.reflected(node, data, factors, other, backward == left)
    return node.cast(result if left else _transposed(node, result), node.dtype)


def _triangular(node: Node) -> relax.Expr:
    data, other = node.tensor("self"), node.tensor("B")
    batch, size = node.result_shape[:-2], node.shape("self")[-1]
    data = node.emit(relax.op.broadcast_to(data, (*batch, size, size)))
    other = node.emit(relax.op.broadcast_to(other, node.result_shape))
    upper, unit = bool(node["upper"]), bool(node["unitriangular"])
    if node["left"]:
        return node.cast(factorizations.triangular_solution(node, data, other, upper, unit), node.dtype)
    data, other = _transposed(node, data), _transposed(node, other)
    solution = factorizations.triangular_solution(node, data, other, not upper, unit)
    return node.cast(_transposed(node, solution), node.dtype)


def _singular_values(node: Node) -> relax.Expr:
    data = node.cast(node.tensor("A"), factorizations.KIND)
    found = factorizations.singular_values(node, data, bool(node["compute_uv"]), bool(node["full_matrices"]))
    return _results(node, list(found))


def _eigenvalues(node: Node) -> relax.Expr:
    """Convert the eigenvalues of the matrix whose lower or upper half is read."""
    data = node.cast(node.tensor("A"), factorizations.KIND)
    half: Callable[..., relax.Expr] = relax.op.tril if node["UPLO"].upper() == "L" else relax.op.triu
    strict = -1 if half is relax.op.tril else 1
    other = _transposed(node, node.emit(half(data, strict)))
    data = node.emit(relax.op.add(node.emit(half(data, 0)), other))
    values, vectors = factorizations.symmetric_eigenvalues(node, data)
    return _results(node, [values, vectors if node["compute_v"] else None])


CONVERTERS: dict[str, Converter] = {
    "linalg_lu_factor_ex.default": _lu,
    "lu_unpack.default": _unpacked,
    "linalg_cholesky_ex.default": _cholesky,
    "geqrf.default": lambda node: _results(node, [*factorizations.reflectors(node, node.tensor("self"))]),
    "linalg_householder_product.default": _householder_product,
    "ormqr.default": _reflected,
    "linalg_solve_triangular.default": _triangular,
    "_linalg_svd.default": _singular_values,
    "_linalg_eigh.default": _eigenvalues,
}
