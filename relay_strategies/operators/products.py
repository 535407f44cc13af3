"""Products of computed matrices, and attention: composites whose kernels take views of their operands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tvm import tirx

from relay_strategies.relax.composite import ATTENTION, MATMUL, Composite
from relay_strategies.relax.kernels import FLOPS
from tvm_directconv.operators.attention import Attention, attention
from tvm_directconv.operators.attention import halves_taken as of_attention
from tvm_directconv.operators.matmul import halves_taken as of_product
from tvm_directconv.operators.matmul import matmul
from tvm_directconv.operators.matrix_cost import attention_cycles, product_cycles
from tvm_directconv.operators.matrix_product import MatrixProduct
from tvm_directconv.operators.matrix_terms import Term
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.problem.extents import typical
from tvm_directconv.problem.open_sizes import read_size
from tvm_directconv.targets.target import CompileTarget

from .operator import CompositeOperator, Kernel, Operator, Shape

DESCRIPTION, HALF = "what", "half"
"""These attributes of the composites hold their views and terms, and the type of half precision that they
multiply numbers of, if any."""


def described(what: MatrixProduct | Attention) -> dict[str, str]:
    """The attributes of a composite that ``what`` computes."""
    return {DESCRIPTION: json.dumps(asdict(what), default=str)}


def _read(found: Composite) -> dict[str, Any]:
    fields = json.loads(str(found.attributes[DESCRIPTION]))
    terms = tuple(Term(term["kind"], _view(term["view"])) for term in fields.pop("terms"))
    read = {name: _view(value) if isinstance(value, dict) else value for name, value in fields.items()}
    return read | {"terms": terms}


def _view(fields: Mapping[str, Any]) -> View:
    """The view of what a description has of it: its sizes are numbers, or texts of extents."""
    tensor, shape, strides = (tuple(map(read_size, fields[name])) for name in ("tensor", "shape", "strides"))
    return View(tensor, shape, strides, read_size(fields["offset"]))


def _half(found: Composite) -> str:
    return str(found.attributes[HALF]) if HALF in found.attributes else ""


def _matmul(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    product = MatrixProduct(**_read(found))
    half = _half(found)
    made = _counted(matmul(product, target, half=half), product)
    return Kernel("matrix_product", made, found.arguments, of_product(product, target, half), half)


def _attention(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    what = Attention(**_read(found))
    half = _half(found)
    made = _counted(attention(what, target, half=half), what)
    return Kernel("attention", made, found.arguments, of_attention(what, target, half), half)


def cycles_of_product(found: Composite, target: CompileTarget) -> float:
    """Return what a product's or attention's kernel is estimated to take on one core."""
    fields, half = _read(found), _half(found)
    if found.name == MATMUL:
        return product_cycles(MatrixProduct(**fields), target, half)
    return attention_cycles(Attention(**fields), target, half)


def _counted(function: tirx.PrimFunc, what: MatrixProduct | Attention) -> tirx.PrimFunc:
    return function.with_attr(FLOPS, 2 * typical(what.multiplies))


OPERATORS: tuple[Operator, ...] = ()
COMPOSITES = (
    CompositeOperator(MATMUL, kernel=_matmul),
    CompositeOperator(ATTENTION, kernel=_attention),
)
