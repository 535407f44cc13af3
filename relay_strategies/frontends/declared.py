"""What a model declares of its inputs, and the shapes that follow with what is said of one size.

Symbolic dimensions have names, and one name has one value, in whichever inputs it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tvm_directconv.errors import ModelError, nearest
from tvm_directconv.problem.integers import integer
from tvm_directconv.runtime.metadata import Shape, shapes_text

Declared = Mapping[str, "tuple[int | str, ...] | None"]
"""The dimensions of a model's inputs, numbers or names, None where not even their number is known."""
Given = Mapping[str, Sequence["int | None"]]
"""What is said of one size: shapes by the names of inputs, None for a dimension that is left open."""


def complete(
    declared: Declared, given: Given, batch: int | None, may_stay_open: bool = True
) -> dict[str, Shape]:
    """Return the shapes of all inputs in one size; ``batch`` is the first dimension where that is still open.

    Raises ModelError for what does not fit the model, or leaves a dimension open; its message proposes
    ``typical`` if that ``may_stay_open``.
    """
    for name in given:
        if name not in declared:
            raise ModelError(
                f"shapes names '{name}', which is not an input of the model{nearest(name, declared)}"
            )
    given = {
        name: tuple(None if size is None else integer(size, name) for size in s) for name, s in given.items()
    }
    # Where a model does not say how many dimensions an input has, what is given does.
    known = {
        name: tuple(f"{name}.{axis}" for axis in range(len(given[name])))
        if dims is None and name in given
        else dims
        for name, dims in declared.items()
    }
    values = _named_values(known, given)
    if batch is not None:
        firsts = {dims[0] for dims in known.values() if dims and isinstance(dims[0], str)} - set(values)
        if not firsts:
            raise ModelError(
                "batch= sets the first dimensions that the model and shapes leave open, and there are none: "
                f"{shapes_text({name: dims or ('?',) for name, dims in known.items()})}; export the model "
                "with a symbolic batch"
            )
        values |= dict.fromkeys(map(str, firsts), int(batch))
    symbolic = {
        name: [
            (axis, "" if dim == f"{name}.{axis}" else dim)
            for axis, dim in enumerate(dims or ())
            if isinstance(dim, str) and dim not in values
        ]
        for name, dims in known.items()
    }
    if any(symbolic.values()):
        raise _symbolic({name: dims for name, dims in symbolic.items() if dims}, may_stay_open)
    return {
        name: tuple(_value(name, axis, dim, values, given) for axis, dim in enumerate(dims))
        for name, dims in known.items()
        if dims is not None
    }


def open_dimensions(declared: Declared, given: Given) -> dict[str, list[tuple[str, int]]]:
    """Return where the dimensions are that a model and ``given`` shapes leave open: (input, axis) by name."""
    values = _named_values(declared, {name: shape for name, shape in given.items() if name in declared})
    places: dict[str, list[tuple[str, int]]] = {}
    for name, dims in declared.items():
        for axis, dim in enumerate(dims or ()):
            if isinstance(dim, str) and dim not in values:
                places.setdefault(dim, []).append((name, axis))
    return places


def _symbolic(dims: Mapping[str, Sequence[tuple[int, str]]], may_stay_open: bool) -> ModelError:
    """Return an error that lists input dimensions without a size, by axis and name, and how to give one."""
    where = [
        f"input '{name}': "
        + " and ".join(f"dimension {axis}{f' {dim!r}' if dim else ''}" for axis, dim in open_)
        for name, open_ in dims.items()
    ]
    count = sum(map(len, dims.values()))
    batch = "batch=, or with " if any(axis == 0 for open_ in dims.values() for axis, _ in open_) else ""
    shapes = ", ".join(f"'{name}': (...)" for name in dims)
    stay = ", or what is typical of them with typical={...}, and they stay open" if may_stay_open else ""
    return ModelError(
        f"{'; '.join(where)} {'is' if count == 1 else 'are'} symbolic; say how large with "
        f"{batch}shapes={{{shapes}}}{stay}"
    )


def _named_values(declared: Declared, given: Given) -> dict[str, int]:
    """The values that given shapes give to the names of dimensions."""
    values: dict[str, int] = {}
    for name, shape in given.items():
        dims = declared[name]
        if dims is None:
            continue
        fits = len(dims) == len(shape)
        for dim, wanted in zip(dims, shape, strict=False):
            if wanted is None:
                continue
            if isinstance(dim, str) and values.setdefault(dim, wanted) != wanted:
                raise ModelError(f"shapes gives '{dim}' two values, {values[dim]} and {wanted}")
            fits = fits and (isinstance(dim, str) or dim in (0, wanted))
        if not fits:
            shown = tuple("?" if size is None else int(size) for size in shape)
            raise ModelError(
                f"input '{name}' cannot have shape ({_listed(shown)}): the model declares ({_listed(dims)})"
            )
    return values


def _value(name: str, axis: int, dim: int | str, values: Mapping[str, int], given: Given) -> int:
    if isinstance(dim, str):
        return values[dim]
    wanted = given[name][axis] if dim == 0 and name in given else None
    return dim if wanted is None else wanted


def _listed(dims: Sequence[int | str]) -> str:
    return ", ".join(map(str, dims))
