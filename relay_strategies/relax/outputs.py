"""The outputs of a network's function: their names, where the importer kept them, and their types."""

from __future__ import annotations

import tvm
from tvm import relax

OUTPUT_NAMES = "output_names"
"""The attribute of a function that holds the names of its results."""


def result_types(main: relax.Function) -> list[tvm.ir.Type]:
    """Return the types of the function's results, one or a tuple's, with the sizes that it measures."""
    result = main.body.body.ty
    return list(result.fields) if isinstance(result, relax.TupleType) else [result]


def result_names(main: relax.Function) -> list[str]:
    """Return the outputs' own names where the importer kept them, else their places."""
    attributes = dict(main.attrs) if main.attrs else {}
    return [
        str(n) for n in attributes.get(OUTPUT_NAMES, [f"output{i}" for i in range(len(result_types(main)))])
    ]
