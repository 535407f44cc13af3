"""What a compiled model says of itself: its inputs and outputs, the sizes it has, and their reports.

It travels inside a library as JSON, the value of one more function of the executable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tvm_directconv.errors import DirectConvError, InputError, ModelError, TargetError

from .size_values import evaluated, names_in, with_computed
from .taking_apart import from_compiler

Shape = tuple[int, ...]
BASELINE = "baseline"
"""The name of a target's own instruction set, which is taken where a CPU lacks all others."""
FORMAT = 9


def shapes_text(shapes: Mapping[str, Sequence[int | str]]) -> str:
    """Return shapes by name as the command line takes them: ``x=1x3x224x224,mask=1x224``."""
    return ",".join(f"{name}={'x'.join(map(str, shape))}" for name, shape in shapes.items())


@dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model. A dimension of which the model has several sizes has a name, or is an
    expression over such names."""

    name: str
    shape: tuple[int | str, ...]
    dtype: str
    changes: str = ""
    """The input of which an output is the new value, if it is one that the network changes."""
    is_complex: bool = False
    """Whether the last axis, of two, holds the parts of complex numbers, which a call takes and returns."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Size:
    """One size that a model is compiled for.

    All dimensions of ``inputs`` and ``outputs`` are numbers, or, of a size that stands for many, expressions
    over open dimensions: ``typical`` has the values that it was compiled at by name, and ``conditions`` say
    which others it takes. ``function`` is the name of its code in the executable.
    """

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    described: Any = field(repr=False, compare=False)
    """The compiler's Report, or its fields in a model that was loaded without the compiler."""
    function: str = "main"
    typical: Mapping[str, int] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    arena: str = ""
    """Bytes that intermediate results and outputs take, of open dimensions: an expression over these."""
    dimensions: Mapping[str, int] = field(default_factory=dict, compare=False)
    """The values of open dimensions of a size that another one stands for."""
    formulas: Mapping[str, str] = field(default_factory=dict)
    """Sizes that follow from open dimensions by floats, as expressions over these and those before, by
    name."""

    def report(self) -> Any:
        """Return what it consists of, per convolution and in total: a Report. Raises DirectConvError where
        the compiler is not installed."""
        if isinstance(self.described, Mapping):
            read: Callable[[Mapping[str, Any]], Any] = from_compiler("report", "Report").from_fields
            return read(self.described)
        return self.described

    @property
    def activation_bytes(self) -> int:
        """The bytes that intermediate results and outputs take, at typical sizes."""
        said = self.described
        return int(said["activation_bytes"] if isinstance(said, Mapping) else said.activation_bytes)

    @property
    def shapes(self) -> dict[str, Shape]:
        """The inputs' shapes by name, as ``compile`` takes them; typical ones where they are open."""
        return self.shapes_of(self.typical)

    def shapes_of(self, values: Mapping[str, int]) -> dict[str, Shape]:
        """Return the inputs' shapes by name where open dimensions have these values."""
        return {info.name: _shape(info, values) for info in self.inputs}

    @property
    def is_open(self) -> bool:
        """Return whether it stands for many sizes."""
        return bool(self.typical)

    def values(self, shapes: Mapping[str, Shape]) -> dict[str, int]:
        """Return the open dimensions of inputs of these shapes, which fit ``inputs``, and what is computed
        from them, by name."""
        given = {
            dim: extent
            for info in self.inputs
            for dim, extent in zip(info.shape, shapes[info.name], strict=True)
            if isinstance(dim, str) and dim in self.typical
        }
        return with_computed(given, self.formulas)

    def fits(self, shapes: Mapping[str, Shape]) -> bool:
        """Return whether inputs of these shapes have as many dimensions each."""
        return all(len(shapes[info.name]) == len(info.shape) for info in self.inputs)

    def broken(self, shapes: Mapping[str, Shape]) -> list[str]:
        """Return what inputs of these shapes lack of what this size takes, as text."""
        values = self.values(shapes)
        known = zip(self.inputs, _at(self.inputs, values), strict=True)
        others = [str(info) for info, at in known if at.shape != tuple(shapes[info.name])]
        return others + self._unmet(values)

    def _unmet(self, values: Mapping[str, int]) -> list[str]:
        few = [f"{name} >= 1" for name, size in values.items() if size < 1]  # sizes are proved from 1 on
        return few + [text for text in self.conditions if not evaluated(text, values)]

    def at(self, shapes: Mapping[str, Shape]) -> Size | None:
        """Return the size that inputs of these shapes have; None where this one does not stand for it."""
        values = self.values(shapes)
        inputs = _at(self.inputs, values)
        if self.broken(shapes):
            return None
        outputs = _at(self.outputs, values)
        return Size(inputs, outputs, self.described, self.function, dimensions=values)

    def memory(self, dimensions: Mapping[str, int]) -> int:
        """Return the bytes that intermediate results and outputs take, of open ``dimensions`` by name; others
        are typical. Raises InputError for what this size does not take."""
        unknown = [name for name in dimensions if name not in self.typical]
        if unknown:
            names = ", ".join(self.typical) or "none"
            raise InputError(f"'{unknown[0]}' is not an open dimension, which are: {names}")
        if not self.is_open:
            return self.activation_bytes
        values = with_computed({**self.typical, **dimensions}, self.formulas)
        if unmet := self._unmet(values):
            raise InputError(f"this size is not compiled: {unmet[0]} does not hold")
        return evaluated(self.arena, values)

    def __str__(self) -> str:
        return shapes_text({info.name: info.shape for info in self.inputs})


@dataclass(frozen=True)
class Metadata:
    """The description of a model inside its library; ``inputs`` and ``outputs`` are those of all ``sizes``
    together."""

    target: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    sizes: tuple[Size, ...]
    grows: bool = False
    """Whether further sizes are compiled when inputs ask for them."""
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The least and the most that open dimensions may be, by name."""
    instruction_set: str = BASELINE
    """The name of the one among several instruction sets that the code is for."""

    def to_bytes(self) -> bytes:
        return json.dumps(self.fields()).encode()

    def fields(self) -> dict[str, Any]:
        """Return what ``from_fields`` reads."""
        return {
            "format": FORMAT,
            "target": self.target,
            "instruction_set": self.instruction_set,
            "grows": self.grows,
            "bounds": dict(self.bounds),
            **_tensor_fields(self),
            "sizes": [
                {
                    "function": size.function,
                    "typical": dict(size.typical),
                    "conditions": list(size.conditions),
                    "arena": size.arena,
                    "formulas": dict(size.formulas),
                    **_tensor_fields(size),
                    "report": dict(size.described)
                    if isinstance(size.described, Mapping)
                    else json.loads(size.described.to_json(None)),
                }
                for size in self.sizes
            ],
        }

    @staticmethod
    def from_bytes(data: bytes) -> Metadata:
        """Read what ``to_bytes`` wrote; ModelError for anything else."""
        try:
            return Metadata.from_fields(json.loads(data))
        except ValueError as error:
            if isinstance(error, DirectConvError):
                raise
            raise _unreadable(error) from None

    @staticmethod
    def from_fields(fields: Any) -> Metadata:
        """Return what ``fields`` says; ModelError for anything else."""
        try:
            if fields["format"] != FORMAT:
                raise ModelError(
                    f"library format {fields['format']} is not {FORMAT}, which this version reads; compile "
                    "the model again"
                )
            sizes = tuple(
                Size(
                    *_tensors(size),
                    dict(size["report"]),
                    str(size["function"]),
                    {str(name): int(value) for name, value in size["typical"].items()},
                    tuple(map(str, size["conditions"])),
                    str(size["arena"]),
                    formulas={str(name): str(text) for name, text in size["formulas"].items()},
                )
                for size in fields["sizes"]
            )
            if not sizes:
                raise ModelError("the library does not contain a size of the model")
            bounds = {str(name): (int(ends[0]), int(ends[1])) for name, ends in fields["bounds"].items()}
            ends = _tensors(fields)
            grows, name = bool(fields["grows"]), str(fields["instruction_set"])
            return Metadata(str(fields["target"]), *ends, sizes, grows, bounds, name)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, DirectConvError):
                raise
            raise _unreadable(error) from None


def sets_to_bytes(sets: Sequence[Metadata]) -> bytes:
    """Return a model's descriptions in all of its instruction sets, the best first, as bytes."""
    return json.dumps([each.fields() for each in sets]).encode()


def sets_from_bytes(data: bytes) -> list[Metadata]:
    """Read what ``sets_to_bytes`` wrote; ModelError for anything else."""
    try:
        described = json.loads(data)
    except ValueError as error:
        raise _unreadable(error) from None
    return list(map(Metadata.from_fields, described if isinstance(described, list) else [described]))


def taken_set(
    sets: Sequence[Metadata], runs: Callable[[Metadata], bool], wanted: str | None = None
) -> Metadata:
    """Return the first of a model's instruction sets that runs here, the last where none does; or the one
    that is wanted by name. Raises TargetError where the model does not have that."""
    names = [each.instruction_set for each in sets]
    if wanted is None:
        return next(filter(runs, sets), sets[-1])
    if wanted not in names:
        raise TargetError(f"instruction set {wanted!r} is not in the model; it has {', '.join(names)}")
    return sets[names.index(wanted)]


def _unreadable(error: Exception) -> ModelError:
    return ModelError(f"what the library says of itself is not readable: {error!r}")


def check_shapes(
    infos: Sequence[TensorInfo], given: Mapping[str, Shape], bounds: Mapping[str, tuple[int, int]]
) -> None:
    """Raise InputError for the first shape, by name, that its input cannot have in any size, or that is not
    within the ``bounds`` of a dimension."""
    values: dict[str, int] = {}
    for info in infos:
        shape = given[info.name]
        if len(shape) != len(info.shape) or not all(
            isinstance(dim, str) or size == dim for dim, size in zip(info.shape, shape, strict=True)
        ):
            expected = ", ".join(map(str, info.shape)) + ("," if len(info.shape) == 1 else "")
            raise InputError(f"input '{info.name}' has shape {shape}, expected ({expected})")
        for dim, size in zip(info.shape, shape, strict=True):
            if isinstance(dim, str) and values.setdefault(dim, size) != size:
                raise InputError(f"input '{info.name}' has shape {shape}, and '{dim}' was {values[dim]}")
            least, most = bounds.get(str(dim), (size, size))
            if not least <= size <= most:
                raise InputError(
                    f"input '{info.name}' has shape {shape}, and '{dim}' is compiled for {least} to {most}"
                )


def _shape(info: TensorInfo, values: Mapping[str, int]) -> tuple[Any, ...]:
    """A shape where dimensions have these values; what is known after a run stays a text."""
    return tuple(
        evaluated(dim, values) if isinstance(dim, str) and names_in(dim) <= values.keys() else dim
        for dim in info.shape
    )


def _at(infos: Sequence[TensorInfo], values: Mapping[str, int]) -> tuple[TensorInfo, ...]:
    return tuple(replace(info, shape=_shape(info, values)) for info in infos)


def _tensor_fields(described: Metadata | Size) -> dict[str, object]:
    return {
        "inputs": [asdict(info) for info in described.inputs],
        "outputs": [asdict(info) for info in described.outputs],
    }


def _tensors(fields: Mapping[str, list[dict]]) -> tuple[tuple[TensorInfo, ...], tuple[TensorInfo, ...]]:
    inputs, outputs = (
        tuple(
            TensorInfo(i["name"], tuple(i["shape"]), i["dtype"], i["changes"], bool(i["is_complex"]))
            for i in fields[kind]
        )
        for kind in ("inputs", "outputs")
    )
    return inputs, outputs
