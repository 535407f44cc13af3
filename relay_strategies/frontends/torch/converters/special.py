"""Special functions that loop as long as their values ask for."""

from __future__ import annotations

import math
from typing import Any

from tvm import relax

from relay_strategies.functional import special
from relay_strategies.functional.alignment import alignment_loss

from .node import Converter, Node


def _polynomial(family: str, shifted: bool) -> Converter:
    """The value at x, or at 2 x - 1 of those that are ``shifted`` to the interval from 0 to 1."""

    def convert(node: Node) -> relax.Expr:
        x, degree = (node.cast(node[name], special.KIND) for name in ("x", "n"))
        if shifted:
            twice = node.emit(relax.op.multiply(x, node.cast(2, special.KIND)))
            x = node.emit(relax.op.subtract(twice, node.cast(1, special.KIND)))
        return node.cast(special.polynomial(node, x, degree, family), node.dtype)

    return convert


def _zeta(node: Node) -> relax.Expr:
    return node.cast(special.zeta(node, *(_wide(node, name) for name in ("self", "other"))), node.dtype)


def _polygamma(node: Node) -> relax.Expr:
    """The derivatives of digamma from the first on, by the zeta function."""
    order = int(node["n"])
    factor = math.factorial(order) * (1 if order % 2 else -1)
    found = special.zeta(node, node.cast(order + 1, special.KIND), _wide(node, "self"))
    return node.cast(node.emit(relax.op.multiply(found, node.cast(factor, special.KIND))), node.dtype)


def _incomplete_gamma(upper: bool) -> Converter:
    def convert(node: Node) -> relax.Expr:
        found = special.incomplete_gamma(node, _wide(node, "self"), _wide(node, "other"), upper)
        return node.cast(found, node.dtype)

    return convert


def _alignment_loss(node: Node) -> relax.Expr:
    scores, targets, times, lengths = map(node.tensor, ("scores", "targets", "times", "lengths"))
    found = alignment_loss(node, scores, targets, times, lengths, int(node["blank"]))
    return node.cast(found, node.dtype)


def _common_divisor(node: Node) -> relax.Expr:
    return node.cast(special.common_divisor(node, node.tensor("self"), node.tensor("other")), node.dtype)


def _wide(node: Node, name: str) -> Any:
    return node.cast(node[name], special.KIND)


CONVERTERS: dict[str, Converter] = {
    **{
        f"special_{prefix}{family}.{overload}": _polynomial(family, bool(prefix))
        for family in special.POLYNOMIALS
        for prefix in ("", "shifted_")
        for overload in ("default", "x_scalar", "n_scalar")
    },
    **{f"special_zeta.{kind}": _zeta for kind in ("default", "other_scalar", "self_scalar")},
    "alignment_loss.default": _alignment_loss,
    "polygamma.default": _polygamma,
    "gcd.default": _common_divisor,
    "igamma.default": _incomplete_gamma(False),
    "igammac.default": _incomplete_gamma(True),
}
