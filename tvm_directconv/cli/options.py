"""The options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from tvm_directconv.errors import InputError

NATIVE = "llvm -mcpu=native"
DEMO_NETWORK = "resnet50"
DEFAULTS = {"algorithm": "auto", "precision": "float32"}
"""The values of options that layers may have by name."""

OLD_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

if TYPE_CHECKING:
    from relay_strategies.frontends.declared import Given

    Sizes = tuple[Given, ...] | None
    Batches = tuple[int, ...] | None

Command = TypeVar("Command", bound=Callable[..., Any])


class Renamed(click.Option):
    """An option that also goes by the names it had before, which help does not show."""

    def __init__(self, *args: Any, formerly: tuple[str, ...], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._formerly = formerly

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *self._formerly]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


class NewFile(click.ParamType[Path]):
    """A file to be written: what is in its way is said before anything is computed for it."""

    name = "file"

    def __init__(self, image: bool = False) -> None:
        self.image = image

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if path.is_dir():
            raise InputError(f"cannot write '{path}': it is a folder")
        if path.exists() and not path.is_file():
            # A file would take its place: of /dev/null, for one, where root asks for it.
            raise InputError(f"cannot write '{path}': it is a device or a pipe")
        _check_folder(path, path.parent)
        if self.image:
            _check_image(path)
        return path


class NewFolder(click.ParamType[Path]):
    """A folder that files are written in, made with those above it where there is none."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        existing = next(folder for folder in (path, *path.parents) if folder.exists())
        if not existing.is_dir():
            raise InputError(f"cannot write in '{path}': '{existing}' is not a folder")
        _check_folder(path, existing)
        return path


class Shapes(click.ParamType[dict[str, tuple[int | str | None, ...]]]):
    """The shapes of inputs: NAME=1x3x224x224, several between commas, ? or a name for an extent that is left
    open."""

    name = "shapes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        shapes: dict[str, tuple[int | str | None, ...]] = {}
        for part in value.split(","):
            name, _, extents = part.rpartition("=")
            sizes = [size.strip() for size in extents.split("x")] if extents.strip() else []
            if not name or not all(size == "?" or _is_extent(size) or size.isidentifier() for size in sizes):
                self.fail(
                    f"'{part}' is not NAME=1x3x224x224, with a ? or a name for what is left open", param, ctx
                )
            if name in shapes:
                self.fail(f"'{name}' is there twice; give --shapes once for each size", param, ctx)
            shapes[name] = tuple(
                None if size == "?" else int(size) if _is_extent(size) else size for size in sizes
            )
        return shapes


class Batch(click.ParamType[tuple[int, ...]]):
    """Numbers of images, between commas."""

    name = "batch"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        parts = [part.strip() for part in value.split(",")]
        if not all(map(_is_extent, parts)):
            self.fail(f"'{value}' is not a positive integer or a comma-separated list of them", param, ctx)
        return tuple(map(int, parts))


class Typical(click.ParamType[dict[str, int]]):
    """What is typical of open dimensions: NAME=SIZE, several between commas."""

    name = "typical"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        pairs = [part.rpartition("=") for part in value.split(",")]
        wrong = [part for part in pairs if not part[0].strip() or not _is_extent(part[2].strip())]
        if wrong:
            self.fail(f"'{''.join(wrong[0])}' is not NAME=SIZE, as h=224", param, ctx)
        return {name.strip(): int(size) for name, _, size in pairs}


class Bounds(click.ParamType[dict[str, tuple[int, int]]]):
    """The least and the most of open dimensions: NAME=LEAST..MOST, several between commas."""

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        bounds: dict[str, tuple[int, int]] = {}
        for part in value.split(","):
            name, _, ends = part.rpartition("=")
            least, _, most = (end.strip() for end in ends.partition(".."))
            if not name.strip() or not _is_extent(least) or not _is_extent(most):
                self.fail(f"'{part}' is not NAME=LEAST..MOST, as h=32..1333", param, ctx)
            bounds[name.strip()] = int(least), int(most)
        return bounds


class Params(click.ParamType["Path | tuple[str, int | float]"]):
    """A file of weights, or NAME=NUMBER, an input that stays what it is."""

    name = "params"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, separator, number = value.rpartition("=")
        if not separator or Path(value).is_file():
            return OLD_FILE.convert(value, param, ctx)
        for kind in (int, float):
            with suppress(ValueError):
                return name, kind(number)
        self.fail(f"'{value}' is neither a file nor NAME=NUMBER", param, ctx)


def _params(
    ctx: click.Context, param: click.Parameter, values: tuple[Path | tuple[str, int | float], ...]
) -> Path | dict[str, int | float] | None:
    """Return the values of --params as ``compile`` takes them: one file, or numbers by name."""
    numbers = dict(value for value in values if not isinstance(value, Path))
    files = [value for value in values if isinstance(value, Path)]
    if len(files) + bool(numbers) > 1:
        raise click.UsageError("--params is one file, or NAME=NUMBER once for each input")
    return files[0] if files else numbers or None


def _is_extent(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 1 << 63


def _check_image(path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(f"plots need matplotlib ({error}): pip install matplotlib") from None
    kinds = Figure().canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".").lower() not in kinds:
        raise InputError(f"'{path}' names no kind of image; end it in one of {', '.join(kinds)}")


def _check_folder(path: Path, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"cannot write '{path}': no folder '{folder}'")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write '{path}': you may not write in the folder '{folder}'")


def _by_layer(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> str | dict[str, str] | None:
    """Return an option's values [LAYER=]NAME as ``compile`` takes them: a name alone, or names by layer or
    pattern, of which "*" has a name alone; the option's default where there are none."""
    named = {}
    for text in values:
        layer, separator, name = text.rpartition("=")
        if separator and not layer:
            raise InputError(f"{param.opts[0]} '{text}' names no layer: give {name}, or LAYER={name}")
        named[layer or "*"] = name
    return named["*"] if set(named) == {"*"} else named or DEFAULTS[str(param.name)]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
target_option = click.option(
    "--target", default=NATIVE, show_default=True, help="Target string, e.g. 'llvm -mcpu=znver5'."
)
threads_option = click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
run_threads_option = click.option(
    "--threads", type=click.IntRange(1), help="Threads of a run; all of TVM's pool without it."
)
instruction_set_option = click.option(
    "--instruction-set",
    metavar="NAME",
    help="One of several that a library has, as avx2; without it the best that this CPU has.",
)
plot_option = click.option("--plot", type=NewFile(image=True), help="Image file to draw.")
save_option = click.option("--save", type=NewFile(), help="File for the result as JSON.")

verbose_option = click.option("-v", "--verbose", is_flag=True, help="Show all there is.")

shapes_option = click.option(
    "--shapes",
    type=Shapes(),
    multiple=True,
    callback=lambda ctx, param, values: values or None,
    metavar="NAME=1x3x?xw,...",
    help="Shapes of inputs; ? or a name for what stays open. Repeatable, once for each size.",
)
batch_option = click.option(
    "--batch",
    type=Batch(),
    metavar="N,...",
    help="First dimension of inputs that leave it open; several are several sizes.",
)

precision_option = click.option(
    "--precision",
    multiple=True,
    callback=_by_layer,
    metavar="[LAYER=]NAME",
    help="float32, bfloat16, float16 or auto, for all layers or those whose name matches LAYER; repeatable.",
)

accuracy_option = click.option(
    "--accuracy",
    type=click.Choice(["portable", "exact", "standard", "fast"]),
    default="exact",
    show_default=True,
    help="Whether layers may be computed by algorithms that round more, or in one order on every CPU.",
)
max_filter_option = click.option(
    "--max-filter-bytes", type=click.IntRange(0), help="Bytes a layer's packed filter may take."
)

typical_option = click.option(
    "--typical",
    type=Typical(),
    metavar="NAME=SIZE,...",
    help="Dimensions that stay open, and sizes of them that tiles are chosen for.",
)
params_option = click.option(
    "--params",
    type=Params(),
    multiple=True,
    callback=_params,
    metavar="FILE|NAME=NUMBER",
    help="A Relay model's weights; or an ONNX model's input that stays a number; repeatable.",
)
_COMPILE_OPTIONS = (
    target_option,
    shapes_option,
    batch_option,
    typical_option,
    click.option(
        "--sizes",
        type=Bounds(),
        metavar="NAME=LEAST..MOST,...",
        help="Dimensions that stay open, and bounds of them.",
    ),
    click.option(
        "--algorithm",
        multiple=True,
        callback=_by_layer,
        metavar="[LAYER=]NAME",
        help="Force an algorithm, for all layers or for those whose name matches LAYER; repeatable.",
    ),
    precision_option,
    accuracy_option,
    click.option(
        "--layout",
        type=click.Choice(["NHWC", "NCHW", "blocked"]),
        default="NHWC",
        show_default=True,
        help="Layout of activations between layers.",
    ),
    click.option(
        "--max-workspace-bytes",
        type=click.IntRange(0),
        help="Workspace a kernel may allocate.",
    ),
    max_filter_option,
    click.option(
        "--memory",
        type=click.Choice(["fastest", "balanced", "least"]),
        default="fastest",
        show_default=True,
        help="Less of it by blocks of rows.",
    ),
    click.option(
        "--max-memory-bytes", type=click.IntRange(0), help="Refuse to take more memory on one thread."
    ),
    click.option(
        "--max-tensor-bytes", type=click.IntRange(0), help="Refuse models with larger tensors. [2 GiB]"
    ),
    params_option,
    click.option(
        "--records",
        "tuning",
        cls=Renamed,
        formerly=("--tuning",),
        type=OLD_FILE,
        help="Records that tune made; known layers use them.",
    ),
    click.option(
        "--fallback",
        type=click.Choice(["onnxruntime"]),
        help="What computes those nodes of an ONNX model that do not compile.",
    ),
)


COMPILE_PARAMETERS = (
    "target",
    "algorithm",
    "precision",
    "accuracy",
    "layout",
    "max_workspace_bytes",
    "max_filter_bytes",
    "memory",
    "max_memory_bytes",
    "max_tensor_bytes",
    "params",
    "tuning",
    "typical",
    "sizes",
    "fallback",
)
"""Names of the options' values."""


def compile_options(command: Command) -> Command:
    """Give a command the options by which MODEL is compiled: keyword arguments of networks.compiled."""
    return _with(command, _COMPILE_OPTIONS)


def layers_options(command: Command) -> Command:
    """Give a command the options of those that look at MODEL's convolutions: its size, the target, and what
    the result is written to."""
    return _with(command, (shapes_option, batch_option, plot_option, save_option, target_option, json_option))


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def only_size(shapes: Sizes, batch: Batches) -> tuple[Given | None, int | None]:
    """Return the values of --shapes and --batch for a command that takes one size."""
    if len(shapes or ()) > 1 or len(batch or ()) > 1:
        raise click.UsageError("give one size: --shapes once, --batch with one number")
    return (shapes[0] if shapes else None), (batch[0] if batch else None)


def is_given(name: str | None) -> bool:
    """Return whether the command line gives an option of the current command, by its value's name."""
    return click.get_current_context().get_parameter_source(name or "") is ParameterSource.COMMANDLINE


def refuse_options(*names: str, reason: str) -> None:
    """Raise UsageError for the first of the current command's options, by their values' names, that the
    command line gives."""
    for option in click.get_current_context().command.params:
        if option.name in names and is_given(option.name):
            raise click.UsageError(f"{option.opts[0]} does not apply: {reason}")
