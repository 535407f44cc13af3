"""The inputs that commands run networks on: those given as files, random ones for the rest."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tvm_directconv.errors import InputError, let_through
from tvm_directconv.files import open_regular

if TYPE_CHECKING:
    import numpy as np

    from relay_strategies.frontends.declared import Given
    from tvm_directconv.runtime.compiled_model import CompiledModel

input_option = click.option(
    "--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="An input; repeatable."
)


def given_inputs(
    model: CompiledModel, texts: tuple[str, ...], size: tuple[Given | None, int | None], seed: int = 0
) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the names of the inputs that are drawn, and all inputs: those that ``texts`` name as NAME=FILE,
    and random ones, from ``seed``, in the size named, else in the first that the others fit."""
    import numpy as np

    from tvm_directconv.zoo.inputs import draw

    given = read_inputs(texts)
    drawn = [name for name in model.input_names if name not in given]
    shapes, rng = _run_shapes(model, given, size), np.random.default_rng(seed)
    for info in model.inputs:
        if info.name in drawn:
            given[info.name] = draw(rng, shapes[info.name], info.dtype)
    return drawn, given


def _run_shapes(
    model: CompiledModel, given: dict[str, np.ndarray], size: tuple[Given | None, int | None]
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the size to run: the one named, else the first that the inputs given fit."""
    if size != (None, None):
        return model.size(*size).shapes
    fitting = (
        each
        for each in model.sizes
        if all(each.shapes.get(name) == array.shape for name, array in given.items())
    )
    return next(fitting, model.sizes[0]).shapes


def read_inputs(texts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return the arrays that NAME=FILE.npy name."""
    values = {}
    for text in texts:
        name, separator, file = text.partition("=")
        if not separator:
            raise InputError(f"--input '{text}' is not NAME=FILE.npy")
        values[name] = read_array(Path(file), f"--input '{text}': '{file}'")
    return values


def read_array(file: Path, where: str) -> np.ndarray:
    """Return the array of a .npy file; InputError, which begins with ``where``, if it does not hold one."""
    import numpy as np

    wrong = f"{where} is not a .npy array of numbers; numpy.save writes one"
    array = _loaded(file, where, wrong)
    if not isinstance(array, np.ndarray):  # several, an archive of numpy.savez
        raise InputError(wrong)
    return array


def read_arrays(file: Path, where: str) -> dict[str, np.ndarray]:
    """Return the arrays by name of an .npz file; InputError, which begins with ``where``, otherwise."""
    wrong = f"{where} is not an .npz archive of arrays; numpy.savez writes one"
    found = _loaded(file, where, wrong)
    if not isinstance(found, dict):
        raise InputError(wrong)
    return found


def _loaded(file: Path, where: str, wrong: str) -> np.ndarray | dict[str, np.ndarray]:
    import numpy as np

    try:
        with open_regular(file, where, InputError) as opened:
            found = np.load(opened, allow_pickle=False)
            return found if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
    except InputError:
        raise
    except OSError as error:
        let_through(error)
        raise InputError(f"{where}: cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile) as error:  # numpy speaks of pickles here
        let_through(error)
        raise InputError(wrong) from error
