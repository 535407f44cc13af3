"""Entries of the table of operators, and the types of the rules that they refer to.

Graph passes ask for what they need of an operator instead of knowing it by name. A property that is left out
is None, and the passes that ask for it leave the operator as it is.
"""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from tvm import relax, tirx

from relay_strategies.relax.composite import Composite
from relay_strategies.relax.graph import Rewriter
from relay_strategies.relax.scales import Affine
from tvm_directconv.targets.target import CompileTarget

from .layouts import Layout
from .linear import Linear
from .spatial import Spatial

Shape = tuple[int, ...]


class Simplifier(Rewriter, abc.ABC):
    """The pass that simplification rules run in: it can be asked to simplify what a rule made."""

    def prepare(self) -> None:
        self.normalized: dict[relax.Var, tuple[relax.Expr, Affine]] = {}
        """The results of batch normalizations: their data, and what is done to it."""

    @abc.abstractmethod
    def simplified(self, expr: relax.Expr) -> relax.Expr:
        """``expr`` after its operator's rule."""


class Values(enum.Enum):
    """How the values of a result are values of the first argument.

    Such an operator does to quantized integers what it does to the numbers they stand for.
    """

    REARRANGED = "all of them, in another order or shape"
    SELECTED = "some of them"
    LARGEST = "the largest of several, which takes integers in the numbers' order"
    JOINED = "those of several tensors"


class Kernel(NamedTuple):
    """A scheduled kernel and the arguments of its call. Where it calls micro-kernels, ``halves`` are the
    parameters, by number, that may be stored in half precision all the same, of type ``half`` alone."""

    name: str
    function: tirx.PrimFunc
    arguments: Sequence[relax.Expr]
    halves: Sequence[int] = ()
    half: str = ""


Evaluate = Callable[[relax.Call, Sequence[np.ndarray]], np.ndarray]
"""A function that evaluates a call whose type is known, given its constant arguments as arrays. It may raise
NotImplementedError, TypeError or ValueError for a call that it does not evaluate."""
Simplify = Callable[[Simplifier, relax.Call], relax.Expr | None]
"""A function that returns the replacement of a call, or None to keep the call. The call's arguments are
simplified, and its type is known."""
KernelOf = Callable[[relax.Call, Shape, CompileTarget], Kernel | None]
"""A function that returns the kernel of a call, given the shape of its result. It returns None or raises
WorkloadError for a call without a kernel."""
Legalize = Callable[[relax.BlockBuilder, relax.Call], relax.Expr]
"""A function that writes a call in TE, as a rule of LegalizeOps does."""
CompositeKernel = Callable[[Composite, Shape, CompileTarget], Kernel | None]
"""The counterpart of ``KernelOf`` for a call of a composite function."""
Rebuild = Callable[[Rewriter, Sequence[relax.Expr], Mapping[str, Any], int], relax.Call]
"""A function that makes a composite again on other data, given its attributes and the axis of channels."""


@dataclass(frozen=True)
class Operator:
    """Describe one operator of Relax.

    ``evaluate`` computes it on constants. ``layout`` says how it follows its data into another layout.
    ``values`` says that its results are values of its first argument. ``simplify`` brings it to the one form
    that later passes look for. ``kernel`` makes its scheduled kernel; where ``joins_kernels`` is set, TVM's
    fusion joins it to a kernel made by default that computes its argument, and its own kernel is for other
    arguments. ``begins_with`` is a call that its kernel wants done to its data first, None where it takes the
    call as it is. ``legalize`` takes the place of TVM's definition of it. ``linear`` says how a scale and
    shift of its results are ones of its operands. ``spatial`` says what it does to maps, and of how many
    dimensions these are. ``finds_places`` says that its results are integers, where its kernel found what it
    looks for. ``between_bytes`` names the composite that computes it from one 8-bit tensor to
    another, None where there is none for that call.
    """

    name: str
    evaluate: Evaluate | None = None
    layout: Layout | None = None
    values: Values | None = None
    simplify: Simplify | None = None
    kernel: KernelOf | None = None
    joins_kernels: bool = False
    begins_with: Callable[[relax.Call], relax.Call | None] | None = None
    legalize: Legalize | None = None
    linear: Linear | None = None
    spatial: Spatial | None = None
    finds_places: bool = False
    between_bytes: Callable[[relax.Call], str | None] | None = None


@dataclass(frozen=True)
class CompositeOperator:
    """Describe one composite that a pass makes out of several operators.

    ``kernel`` makes its scheduled kernel. ``rebuild`` makes it for channels at another axis or for other
    data; with ``wants_nhwc`` it asks for channels last, and does not only follow its data there. ``values``
    says the same as for an ``Operator``.
    """

    name: str
    kernel: CompositeKernel | None = None
    rebuild: Rebuild | None = None
    wants_nhwc: bool = False
    values: Values | None = None


def on_arrays(function: Callable[..., np.ndarray]) -> Evaluate:
    """The evaluation of an operator that is a function of its arguments' elements."""
    return lambda call, arrays: function(*arrays)
