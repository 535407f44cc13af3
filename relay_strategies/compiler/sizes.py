"""The sizes a model is to be compiled for: what users say of them, and what the model leaves open.

What a size has to be for a model to take it, ``frontends/declared.py`` knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tvm
from onnx import ModelProto, TensorShapeProto
from tvm import relax

from relay_strategies.frontends.checked import INPUT_NAMES
from relay_strategies.frontends.declared import Declared, Given, Shape, complete, open_dimensions, shapes_text
from relay_strategies.frontends.onnx.nodes import onnx_dims
from relay_strategies.relax.outputs import result_names, result_types
from relay_strategies.relax.parameters import tensor_params
from tvm_directconv.errors import InputError, ModelError
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.problem.ties import Affine
from tvm_directconv.runtime.metadata import Size, TensorInfo
from tvm_directconv.runtime.size_values import is_name
from tvm_directconv.zoo.inputs import true_inputs

IMAGE_AXES = 4
GUESSED_OF_IMAGES, GUESSED, GUESSED_NEXT = 224, 64, 512
"""What an open dimension is taken to be where nothing says what is typical of it: one of an input of four
axes or more, which is an image, and another, as a sequence's length, where a model does not take the first
the second. A dimension that is first somewhere is a batch, of 1."""

Bounds = Mapping[str, Sequence[int]]
"""The least and the most that dimensions are, by name."""


@dataclass(frozen=True)
class ShapeSpec:
    """The sizes of a model that are compiled.

    ``shapes`` are those of inputs by name, once or several times. ``batch``, one number or several, is the
    first dimension of every input in which that is symbolic and not given by ``shapes``. Several of both are
    combined. With ``on_demand``, further sizes are compiled when inputs ask for them.

    Where neither says what a dimension is, it stays open, and one size stands for all: ``typical`` values of
    open dimensions by name are those that kernels are chosen for, and ``bounds`` the least and the most of
    them that come. In ``shapes``, names take the place of what an ONNX model has there.
    """

    shapes: Given | Sequence[Given] | None = None
    batch: int | Sequence[int] | None = None
    on_demand: bool = False
    typical: Mapping[str, int] | None = None
    bounds: Bounds | None = None

    def opened(
        self, declared: Declared, ties: Mapping[str, Affine], examples: Mapping[str, int] | None = None
    ) -> tuple[OpenSizes, dict[str, Shape]] | None:
        """Return the open dimensions of a model and the shapes of its inputs with them; None where all are to
        be numbers.

        ``ties`` say what some are of others, ``examples`` what is typical where nothing else is said; where
        they do not, it is guessed.
        """
        if self.batch is not None or self.on_demand or not isinstance(self.shapes or {}, Mapping):
            for said, of in (("typical", self.typical), ("sizes", self.bounds)):
                if of:
                    raise ModelError(
                        f"{said}= is of dimensions that stay open; batch=, on_demand= and several shapes= "
                        "compile each size by itself: give one or the other"
                    )
            return None
        given = numbers_of(self.shapes or {})
        places, bounds = open_dimensions(declared, given), dict(self.bounds or {})
        for said, of in (("typical", self.typical), ("sizes", bounds)):
            unknown = [name for name in of or {} if name not in places]
            if unknown:
                names = ", ".join(places) or "none"
                raise ModelError(f"{said} names '{unknown[0]}', and the open dimensions are: {names}")
        of_batch = {name for name, where in places.items() if all(axis == 0 for _, axis in where)}
        of_batch -= {name for name in examples or {} if name not in bounds}
        typical = {**guessed(declared, given), **(examples or {})}
        typical |= {name: _middle(*ends) for name, ends in bounds.items()}
        typical |= {name: bounds.get(name, (1,))[0] for name in of_batch} | dict(self.typical or {})
        for name, (least, most) in bounds.items():
            if not least <= typical[name] <= most:
                raise ModelError(f"{typical[name]} is typical of '{name}', and sizes are {least} to {most}")
        if not places:
            return None
        opened = OpenSizes(ties=ties)
        called = {dim: dim if is_name(dim) else opened.unused(places) for dim in places}
        extents = {dim: opened.dimension(called[dim], typical[dim], *bounds.get(dim, ())) for dim in places}
        shapes = {
            name: [extents.get(str(dim), known[axis]) for axis, dim in enumerate(dims)]
            for name, dims in declared.items()
            if dims is not None and (known := given.get(name) or [None] * len(dims))
        }
        return opened, complete(declared, {**given, **shapes}, None)

    def sizes(self, declared: Declared, may_stay_open: bool = True) -> list[dict[str, Shape]]:
        """Return the shapes of all inputs of a model, once for each size. Raises ModelError for what does not
        fit the model, or leaves a dimension open; its message proposes ``typical`` if that
        ``may_stay_open``."""
        shapes: Any = numbers_of(self.shapes or {})
        batches: Any = self.batch if isinstance(self.batch, list | tuple) else [self.batch]
        found: list[dict[str, Shape]] = []
        for given in [shapes] if isinstance(shapes, Mapping) else shapes:
            for images in batches:
                size = complete(declared, given, images, may_stay_open)
                if size not in found:
                    found.append(size)
        return found

    def guesses(self, declared: Declared, examples: Mapping[str, int] | None = None) -> dict[str, int]:
        """Return what is guessed to be typical of dimensions that are not batches."""
        if self.batch is not None or self.on_demand or not isinstance(self.shapes or {}, Mapping):
            return {}
        said = {*(self.typical or {}), *(self.bounds or {}), *(examples or {})}
        found = guessed(declared, numbers_of(self.shapes or {}))
        return {name: size for name, size in found.items() if name not in said and size > 1}

    def guessed_again(self, guesses: Mapping[str, int]) -> ShapeSpec | None:
        """Return the sizes with the next guess in place of these, None if there is none."""
        again = {name: GUESSED_NEXT for name, size in guesses.items() if size == GUESSED}
        return replace(self, typical={**again, **(self.typical or {})}) if again else None

    @property
    def options(self) -> tuple[Any, ...]:
        """The fields as plain values, equal for equal sizes: a list of one is written like the one."""
        alone = [
            given[0] if isinstance(given, list | tuple) and len(given) == 1 else given
            for given in (self.shapes, self.batch)
        ]
        return (*alone, self.on_demand, self.typical, self.bounds)


def guessed(declared: Declared, given: Given) -> dict[str, int]:
    """Return sizes for all dimensions that ``given`` shapes leave open, by name."""

    def size(places: Sequence[tuple[str, int]]) -> int:
        if any(axis == 0 for _, axis in places):
            return 1
        of_images = any(len(declared[name] or ()) >= IMAGE_AXES for name, _ in places)
        return GUESSED_OF_IMAGES if of_images else GUESSED

    return {name: size(places) for name, places in open_dimensions(declared, given).items()}


def guessed_shapes(declared: Declared, given: Given, batch: int | None) -> Given:
    """Return the shapes given, and of the inputs that leave dimensions open those that are guessed."""
    sizes, shapes = guessed(declared, numbers_of(given)), dict(given)

    def size(axis: int, dim: int | str) -> int | None:
        """A number; None of what ``batch`` says, or another input of that name."""
        return dim if isinstance(dim, int) else None if batch and not axis else sizes.get(dim)

    for name, dims in declared.items():
        if name not in given and any(dim in sizes for dim in dims or ()):
            shapes[name] = [size(axis, dim) for axis, dim in enumerate(dims or ())]
    return shapes


def _middle(least: int, most: int) -> int:
    """What is typical of a dimension of which the ends alone are known: about the same factor from both, and
    a multiple of the largest power of two, for networks halve maps."""
    mean = math.sqrt(least * most)
    near = range(math.ceil(max(least, mean / 1.25)), math.floor(min(most, mean * 1.25)) + 1)
    return max(near, key=lambda size: size & -size, default=round(mean))


def numbers_of(shapes: Any) -> Any:
    """Return shapes by name, once or several times, without the names that they give to dimensions."""
    if not isinstance(shapes, Mapping):
        return [numbers_of(each) for each in shapes]
    return {
        name: [None if isinstance(size, str) else size for size in shape] for name, shape in shapes.items()
    }


def onnx_inputs(model: ModelProto) -> Declared:
    """Return what an ONNX model declares of its inputs."""
    return {value.name: onnx_dims(value) for value in true_inputs(model.graph)}


def relax_inputs(module: tvm.IRModule, bound: Mapping[str, object]) -> Declared:
    """Return what a Relax module declares of the parameters of ``main`` that are not ``bound``."""
    functions = {var.name_hint: function for var, function in module.functions_items()}
    main = functions.get("main")
    if not isinstance(main, relax.Function):
        return {}
    return {
        name: _relax_dims(name, param.ty)
        for name, param in zip(relax_names(main), tensor_params(main), strict=True)
        if param.name not in bound
    }


def relax_outputs(module: tvm.IRModule) -> Declared:
    """Return what a Relax module declares of the results of ``main``."""
    main = module["main"]
    types = result_types(main)
    return {name: _relax_dims(name, ty) for name, ty in zip(result_names(main), types, strict=True)}


def relax_names(main: relax.Function) -> list[str]:
    """Return the inputs' own names where the importer kept them, else those of the parameters."""
    attributes = dict(main.attrs) if main.attrs else {}
    return [str(name) for name in attributes.get(INPUT_NAMES, [param.name for param in tensor_params(main)])]


def _relax_dims(name: str, ty: tvm.ir.Type) -> tuple[int | str, ...] | None:
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        return None
    return tuple(
        int(dim)
        if isinstance(dim, tvm.tirx.IntImm)
        else dim.name
        if isinstance(dim, tvm.tirx.Var)
        else f"{name}.{axis}"
        for axis, dim in enumerate(ty.shape.values)
    )


def at_typical(given: Given, typical: Mapping[str, Shape]) -> Given:
    """Return shapes with what they leave open, by None or a name, in its ``typical`` size."""
    return {
        name: [
            size if isinstance(size, int) else usual
            for size, usual in zip(shape, typical[name], strict=False)
        ]
        if name in typical and len(typical[name]) == len(shape)
        else shape
        for name, shape in given.items()
    }


def compiled_shapes(
    described: Mapping[str, tuple[int | str, ...]], given: Given, batch: int | None
) -> dict[str, Shape]:
    """Return the shapes of all inputs in the size that ``given`` and ``batch`` name, as they did when it was
    compiled; of a compiled model's inputs, ``described``, only dimensions that differ between sizes are open.
    Raises ModelError, and InputError for a batch that no size has."""
    firsts = {dims[0] for dims in described.values() if dims}
    if batch is None or any(isinstance(dim, str) for dim in firsts):
        return complete(described, given, batch)
    if batch not in firsts:
        raise InputError(
            f"the model does not have a size of batch {batch}; it is compiled for {shapes_text(described)}"
        )
    return complete(described, given, None)


def refuse_names(shapes: Any) -> None:
    """Raise ModelError where ``shapes`` name dimensions of a model that is not ONNX."""
    for name in _named(shapes):
        raise ModelError(f"shapes names dimensions of '{name}', which ONNX models alone can be given")


def _named(shapes: Any) -> dict[str, Sequence[int | str | None]]:
    """Find the shapes that name dimensions, by input; ``shapes`` are given once or several times."""
    several = [shapes] if isinstance(shapes, Mapping) else shapes or []
    return {
        name: shape
        for given in several
        for name, shape in given.items()
        if any(isinstance(size, str) for size in shape)
    }


def with_names(model: ModelProto, shapes: Any) -> ModelProto:
    """Return an ONNX model with the dimensions called as ``shapes`` call them, fixed ones among them; as it
    is where they name none. A name that a dimension had changes in all inputs. Raises ModelError."""
    declared = onnx_inputs(model)
    changed: dict[str, list[int | str]] = {}
    called: dict[str, str] = {}
    for name, shape in _named(shapes).items():
        dims = declared.get(name)
        if name not in declared or dims is None or len(dims) != len(shape):
            raise ModelError(
                f"shapes names dimensions of '{name}', and the inputs are {shapes_text(_known(declared))}"
            )
        changed[name] = [new if isinstance(new, str) else old for old, new in zip(dims, shape, strict=True)]
        for old, new in zip(dims, shape, strict=True):
            if isinstance(old, str) and isinstance(new, str) and called.setdefault(old, new) != new:
                raise ModelError(f"shapes calls '{old}' both '{called[old]}' and '{new}'")
    if not changed:
        return model
    dims_of = {
        name: [called.get(str(dim), dim) for dim in changed.get(name, dims)]
        for name, dims in declared.items()
        if dims is not None
    }
    renamed = _with_dims(model, dims_of)
    if any(
        isinstance(dim, int) for name in changed for dim in declared[name] or () if dim not in changed[name]
    ):
        for value in renamed.graph.output:  # what follows from fixed sizes is open, too
            value.type.tensor_type.ClearField("shape")
    return renamed


def _known(declared: Declared) -> dict[str, tuple[int | str, ...]]:
    return {name: dims or ("?",) for name, dims in declared.items()}


def with_size(model: ModelProto, shapes: Given | None, batch: int | None) -> ModelProto:
    """Return an ONNX model whose inputs have the size that ``shapes`` and ``batch`` name, for others than
    this compiler; as it is where they are fixed. Raises ModelError."""
    declared = onnx_inputs(model)
    size = complete(declared, shapes or {}, batch)
    if all(size.get(name) == dims for name, dims in declared.items()):
        return model
    return _with_dims(model, size)


def _with_dims(model: ModelProto, shapes: Mapping[str, Sequence[int | str]]) -> ModelProto:
    """A copy of an ONNX model whose inputs have these shapes, by name, of numbers and names."""
    changed = ModelProto()
    changed.CopyFrom(model)
    for value in changed.graph.input:
        if value.name in shapes:
            dims = [
                TensorShapeProto.Dimension(**{"dim_param" if isinstance(dim, str) else "dim_value": dim})
                for dim in shapes[value.name]
            ]
            value.type.tensor_type.shape.CopyFrom(TensorShapeProto(dim=dims))
    # What was inferred for other sizes says nothing of these.
    del changed.graph.value_info[:]
    return changed


def described(
    sizes: Sequence[Size],
    declared: Declared,
    grows: bool,
) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
    """Return the inputs and outputs of several sizes as one.

    A dimension that differs between them has the name that ``declared`` has for it, else that of an input's
    dimension which is the same in every size, else one of its own. Of a model that ``grows``, every declared
    name stays.
    """
    named: dict[tuple[int, ...], str] = {}

    def together(infos: Sequence[TensorInfo]) -> TensorInfo:
        name, dims = infos[0].name, []
        own = declared.get(name) or ()
        for axis, values in enumerate(zip(*(info.shape for info in infos), strict=True)):
            said = own[axis] if len(own) == len(infos[0].shape) else None
            symbol = said if isinstance(said, str) else None
            if len(set(values)) == 1 and not (grows and symbol is not None):
                dims.append(values[0])
                continue
            dims.append(symbol or named.get(values, f"{name}.{axis}"))
            named.setdefault(values, dims[-1])
        return replace(infos[0], shape=tuple(dims))

    inputs = tuple(map(together, zip(*(size.inputs for size in sizes), strict=True)))
    outputs = tuple(map(together, zip(*(size.outputs for size in sizes), strict=True)))
    return inputs, outputs


def may_be_empty(shapes: Mapping[str, Shape]) -> bool:
    """Return whether dimensions other than a batch are open, as of a past that begins without a step."""
    return any(is_open(shape[1:]) for shape in shapes.values())
