"""Another body for the function that a network is."""

from __future__ import annotations

from collections.abc import Mapping

from tvm import relax

MAIN = "main"


def update_main(
    builder: relax.BlockBuilder, body: relax.SeqExpr, attributes: Mapping[str, object] | None = None
) -> None:
    """Give ``main`` of a builder's module this body, normalized, and further attributes."""
    module = builder.get()
    old, body = module[MAIN], builder.normalize(body)
    new = relax.Function(old.params, body, old.ret_ty, old.is_pure, old.attrs)
    builder.update_func(module.get_global_var(MAIN), new.with_attrs(attributes) if attributes else new)
