"""The outputs of a network's function: their names, where the importer kept them, and their types."""

from __future__ import annotations

import tvm
from tvm import relax

OUTPUT_NAMES = "output_names"
"""The attribute of a function that holds the names of its results."""
CHANGED_INPUTS = "changed_inputs"
"""The attribute that holds, by names of results, those of the inputs whose new values they are."""
COMPLEX = "complex_tensors"
"""The attribute that holds the names of inputs and results whose last axis has complex numbers' parts."""


def result_types(main: relax.Function) -> list[tvm.ir.Type]:
    """Return the types of the function's results, one or a tuple's.

    A size that is known when the function runs is one of its body alone.
    """
    each = zip(*map(_parts, (main.ret_ty, main.body.body.ty)), strict=True)
    return [outside if isinstance(outside.shape, relax.ShapeExpr) else inside for outside, inside in each]


def _parts(ty: tvm.ir.Type) -> list[tvm.ir.Type]:
    return list(ty.fields) if isinstance(ty, relax.TupleType) else [ty]


def result_names(main: relax.Function) -> list[str]:
    """Return the outputs' own names where the importer kept them, else their places."""
    attributes = dict(main.attrs) if main.attrs else {}
    return [
        str(n) for n in attributes.get(OUTPUT_NAMES, [f"output{i}" for i in range(len(result_types(main)))])
    ]


def changed_inputs(main: relax.Function) -> dict[str, str]:
    """Return the inputs that the network changes, by the names of the results that are their new values."""
    attributes = dict(main.attrs) if main.attrs else {}
    return {str(result): str(name) for result, name in dict(attributes.get(CHANGED_INPUTS, {})).items()}


def complex_tensors(main: relax.Function) -> frozenset[str]:
    """Return the names of inputs and results that are complex numbers, as pairs of real ones."""
    attributes = dict(main.attrs) if main.attrs else {}
    return frozenset(map(str, attributes.get(COMPLEX, ())))
