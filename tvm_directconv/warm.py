"""compile, of a network that was compiled before: found in the cache and run without TVM.

The compiler's own key (``relay_strategies/compiler/content.py``) takes TVM to be computed. Here a note beside
the entries leads to it: its name is a digest of what a call of ``compile`` says, of the model's bytes, of
this CPU, and of what is installed, and it is written when a model has been compiled. What a note cannot tell
apart, models in memory, files that name others, and options that are not plain values, has none; and where
the compiler is imported already, it is asked itself."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tvm_directconv import cache
from tvm_directconv.cache import Cache, Contents
from tvm_directconv.errors import let_through
from tvm_directconv.files import opened
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.other_files import names_other_files
from tvm_directconv.runtime.compiled_model import CompiledModel
from tvm_directconv.runtime.library_format import open_library
from tvm_directconv.runtime.loading import network_model
from tvm_directconv.runtime.network import address_of
from tvm_directconv.runtime.network_model import NetworkModel
from tvm_directconv.runtime.taking_apart import from_compiler
from tvm_directconv.threads import check_thread_variables
from tvm_directconv.version import __version__
from tvm_directconv.workers import of_blocks

FORMAT = 1
COMPILER = "relay_strategies.compiler.compiler"
LIBRARY, WEIGHTS, DESCRIPTION = "kernels.so", "weights.bin", "network.json"
"""The files of an entry that a run needs."""
NATIVE = "llvm -mcpu=native"
HERE = ("threads", "on_phase")
"""Options that do not change what is compiled."""
FILES = ("tuning", "params", "data_folder", "example_inputs")
"""Options that are, or may be, the content of files and of memory."""
ZOO_NAME = re.compile(r"[\w:.-]+")
SETTLED_SECONDS = 2.0
"""A file that was written later may be written again without another time."""
PLAIN = (str, int, float, bool, type(None))
ONNX, TFLITE = ".onnx", ".tflite"
PACKAGES = re.compile(r"(apache_tvm|numpy|onnx|ml_dtypes|tflite|torch|timm)[a-z_]*-[^-]*\.dist-info")
OWN = ("intrinsics", "relay_strategies", "tvm_directconv")
OWN_SUFFIXES = (".py", ".json", ".lark", ".c", ".ll")
CPU = ("vendor_id", "model name", "flags", "Features", "CPU part", "cpu", "isa", "cache size")
"""What the system says of a CPU that does not change while it runs."""
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def compile(
    model: Any,
    target: Any = NATIVE,
    *,
    algorithm: str | Mapping[str, str] = "auto",
    precision: str | Mapping[str, str] = "float32",
    layout: str = "NHWC",
    accuracy: str = "exact",
    max_workspace_bytes: int | None = None,
    max_filter_bytes: int | None = None,
    memory: str = "fastest",
    max_memory_bytes: int | None = None,
    tuning: Any = None,
    params: Any = None,
    shapes: Any = None,
    batch: int | Sequence[int] | None = None,
    on_demand: bool = False,
    typical: Mapping[str, int] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    max_tensor_bytes: int | None = None,
    data_folder: str | os.PathLike[str] | None = None,
    on_phase: Callable[[str], None] | None = None,
    example_inputs: Any = None,
    cache: bool = True,
    threads: int | None = None,
    fallback: str | None = None,
    verify: bool = False,
) -> CompiledModel:
    """Compile a network to one fused kernel per layer: an ONNX, TensorFlow Lite, Relay or Relax model, or a
    PyTorch module.

    Args:
        model: A path, bytes, a ModelProto, an IRModule, Relay's text, a torch.nn.Module, an ExportedProgram,
            or what torch.onnx.export returns. A text that does not name a file names a network of the zoo, as
            "resnet50", "unet" or "timm:resnet18", with seeded random weights; "resnet50_int8" is the same
            quantized.
        target: A target string, dict, tag or tvm.target.Target, as of ``resolve_target``. For a GPU,
            "opencl -device=mali -model=g72" and the like, the result is a DeviceModel, which is written by
            ``export``, is not cached, and does not support bfloat16 (docs/gpu.md).
        algorithm: One convolution algorithm for every layer, or a mapping to algorithms from layers' names
            (their ONNX nodes') or patterns such as "block1/*". "auto" leaves the choice to the target's
            strategy.
        precision: "float32", "bfloat16", "float16", or "auto", the fastest by estimate; or a mapping from
            layers' names and patterns (docs/precision.md).
        layout: The layout of activations inside, NHWC, NCHW or blocked; inputs and outputs keep the model's
            own.
        accuracy: "exact", or "standard" or "fast", which allow algorithms that round more (docs/accuracy.md),
            or "portable": results have the same bits on every CPU.
        max_workspace_bytes: The most workspace that a call of a kernel may allocate.
        max_filter_bytes: The most bytes that a layer's packed filter may take.
        memory: "fastest", or "balanced" or "least", which have layers go by blocks of rows so that a run
            takes less memory (docs/algorithms/rows.md).
        max_memory_bytes: The most bytes that a run on one thread may take, beside inputs and weights: what
            takes more is compiled with less ``memory``.
        tuning: A file of records that ``tune`` made, used for the layers that it knows.
        params: The weights of a Relay or Relax model: arrays by name, or a file of relay.save_param_dict. For
            an ONNX model, values of inputs that stay what they are, as ``{"sr": 16000}``.
        shapes: Shapes of inputs, by name. A number fixes an open dimension, None leaves it to another input
            with the same symbol, or to ``batch``; a name, as in ``{"x": ("n", 3, "h", "w")}``, opens one that
            an ONNX model fixes. Several, ``[{...}, {...}]``, are several sizes of one model, which share
            weights and kernels; a run takes that of its inputs.
        batch: The first dimension of every input that leaves it open; several, ``(1, 8)``, are several sizes.
        on_demand: Whether inputs of a size that is not compiled have it compiled then.
        typical: What open dimensions typically are, by name: tiles are chosen for that. What nothing is said
            of is guessed: a batch of 1, and images of 224 pixels (docs/open_sizes.md).
        sizes: Bounds of open dimensions, as ``{"h": (32, 1333)}``, which inputs have to keep.
        max_tensor_bytes: The largest tensor, in bytes, that is not refused; 2 GiB by default.
        data_folder: Where an ONNX model's external data is; by default its own folder.
        on_phase: A function that is told the name of each phase as it begins.
        example_inputs: What torch.export traces a module with, a tuple or a mapping by forward's parameters.
        cache: Whether a model that was compiled before may come from the user's cache on disk
            (docs/cache.md); the environment variable TVM_DIRECTCONV_CACHE=0 turns it off for all.
        threads: How many of TVM's threads a run uses, all of them by default; ``model.threads`` changes it.
        fallback: "onnxruntime" has ONNX Runtime compute those nodes of an ONNX model that do not compile;
            ``report().stays`` names them and says why (docs/fallback.md).
        verify: Whether every micro-kernel is proven to compute what its name says (docs/verification.md);
            ``model.verifications`` has the outcomes. The model does not come from the cache, proofs do.

    A model that was compiled before comes from the cache, and runs without TVM being imported.

    Returns:
        The model, ready to run. Dimensions that the model leaves open stay open: one compilation serves all
        sizes.

    Raises:
        ModelError: The model cannot be read or imported; UnsupportedOperatorError names its operators. Or
            ``max_memory_bytes`` is less than the least that a run takes, which the message says.
        TargetError: The target is unknown or not supported.
        AlgorithmError: An algorithm is unknown, or does not take a layer; the message says what does.
        WorkloadError: A layer has impossible shapes, or a type that does not exist.
        TuningError: The records cannot be read.
        VerificationError: ``verify``, and a kernel is refuted.

    Examples:
        >>> import numpy as np
        >>> import tvm_directconv as directconv
        >>> model = directconv.compile("squeezenet")
        >>> [output] = model.run([np.zeros((1, 3, 224, 224), np.float32)])
        >>> output.shape
        (1, 1000, 1, 1)
    """
    options = {name: value for name, value in locals().items() if name not in ("model", "target")}
    return _compiled(model, target, options)


def _compiled(model: Any, target: Any, options: Mapping[str, Any]) -> CompiledModel:
    """Return the model from the cache, or as the compiler compiles it; one that is kept then runs from
    there, as it will in later processes."""
    place = cache.user_cache() if cache.is_on() and options["cache"] else None
    kept = place if COMPILER not in sys.modules else None
    names = [] if kept is None else _names(model, target, options)
    if kept is not None:
        found = _found(kept, names, model, target, options)
        if found is not None:
            return found
    state = _state_of(model)
    compiled: CompiledModel = from_compiler("compiler", "compile")(model, target, **options)
    entry = "" if place is None or options["verify"] else getattr(compiled.executable, "entry", "")
    if not entry or place is None:
        return compiled
    if names and _state_of(model) == state:  # else somebody wrote the file meanwhile
        _note(place, names, entry)
    alone = place.get(entry, lambda contents: _loaded(contents, lambda _: compiled))
    if alone is None:
        return compiled
    alone.threads = compiled.threads
    return alone


def _state_of(model: Any) -> list[Any]:
    """What changes when somebody writes a model's file; nothing for another model."""
    try:
        found = os.stat(os.fsdecode(model))
    except (OSError, TypeError, ValueError):
        return []
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


@one_at_a_time
def _found(
    kept: Cache,
    names: Sequence[Callable[[], str]],
    model: Any,
    target: Any,
    options: Mapping[str, Any],
) -> NetworkModel | None:
    """Return the model that a note leads to; None where none leads anywhere."""
    entries = (kept.notes.get(name()) for name in names)
    place, entry = next(((n, entry) for n, entry in enumerate(entries) if entry is not None), (0, None))
    if entry is None:
        return None
    check_thread_variables()
    on_phase = options.get("on_phase")
    if on_phase is not None:
        on_phase("import")

    def whole(_: str) -> Any:
        return from_compiler("compiler", "compile")(model, target, **options)

    found = kept.get(entry.decode(), lambda contents: _loaded(contents, whole))
    if found is not None:
        found.threads = options.get("threads")
        _note(kept, names[:place], entry.decode())
    return found


def _note(kept: Cache, names: Sequence[Callable[[], str]], entry: str) -> None:
    for name in names:
        kept.notes.put(name(), entry.encode())
    kept.notes.trim()


def _loaded(contents: Contents, whole: Callable[[str], Any]) -> NetworkModel:
    """Return an entry's model. Raises ValueError and OSError for one that is not as it was written."""
    text, weights, path = contents.memory(DESCRIPTION), contents.memory(WEIGHTS), contents.path(LIBRARY)
    library = open_library(path)
    return network_model(library, text, address_of(weights), path, whole, weights)


def _names(model: Any, target: Any, options: Mapping[str, Any]) -> list[Callable[[], str]]:
    """Return the names of a call's notes, computed when they are asked for: by the state of the model's file,
    and by its content. There are none where a call may mean something else another time."""
    asked = {name: value for name, value in options.items() if name not in HERE}
    if (
        asked.pop("verify", False)
        or not asked.pop("cache", True)
        or not isinstance(target, str)
        or "machine=" in target
    ):
        return []
    if any(asked.pop(name, None) is not None for name in FILES):
        return []
    try:
        models = _of_model(model)
        said = [FORMAT, __version__, target, _plain(asked), _of_host(), _of_packages(), _of_own_files()]
    except (OSError, ValueError, TypeError) as error:
        let_through(error)
        return []

    def name(content: Callable[[], list[Any]]) -> str:
        return hashlib.sha256(json.dumps([*said, content()]).encode()).hexdigest()

    return [functools.cache(functools.partial(name, content)) for content in models]


def _plain(value: Any) -> Any:
    """Return options as JSON has them. Raises TypeError for one that is more than plain values."""
    if isinstance(value, Mapping):
        return [[_plain(name), _plain(each)] for name, each in value.items()]
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    if isinstance(value, PLAIN):
        return value
    raise TypeError(f"{type(value).__name__} is not a plain value")


def _of_model(model: Any) -> list[Callable[[], list[Any]]]:
    """Return what tells a model from others: a name of the zoo, or a file's state, if nobody has written it
    just now, and digests of its content. Raises ValueError, TypeError and OSError for another model, or one
    that may have values in other files."""
    if isinstance(model, str) and ZOO_NAME.fullmatch(model) and not os.path.exists(model):
        return [lambda: ["zoo", model]]
    path = None if isinstance(model, bytes) else Path(os.fsdecode(model))
    if path is not None and path.suffix not in (ONNX, TFLITE):
        raise ValueError("the compiler knows what it is")
    suffix = "" if path is None else path.suffix
    with io.BytesIO(model) if path is None else opened(path) as file:
        if suffix != TFLITE and names_other_files(file):
            raise ValueError("the model may have values in other files")
    state = [] if path is None else _state_of(path)

    def content() -> list[Any]:
        with io.BytesIO(model) if path is None else opened(path) as file:
            return [suffix, *of_blocks(file, _digest)]

    if path is None or not state or time.time() - max(state[-2:]) / 1e9 < SETTLED_SECONDS:
        return [content]
    return [lambda: ["state", str(path.resolve()), *state], content]


def _digest(block: memoryview) -> str:
    return hashlib.sha256(block).hexdigest()


def _of_host() -> list[str]:
    """What the system says of this CPU and its caches."""
    said = [sys.platform, platform.machine(), *sorted(map(str, CACHES.glob("*/size")))]
    with suppress(OSError), Path("/proc/cpuinfo").open() as file:
        for line in file:
            name = line.partition(":")[0].strip()
            if name in CPU:
                said.append(line.strip())
            if not name and len(said) > 2:
                break
    for path in sorted(CACHES.glob("*/size")):
        with suppress(OSError):
            said.append(path.read_text().strip())
    return said


def _of_packages() -> list[str]:
    """The versions of the packages that import models or make code, as folders beside them name these."""
    found = []
    for folder in sys.path:
        with suppress(OSError):
            found += [name for name in os.listdir(folder or ".") if PACKAGES.fullmatch(name)]
    return sorted(found)


def _of_own_files() -> str:
    """A digest of when this package's files were written: who develops it must get no code of yesterday's."""
    found = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path, state in sorted(each for name in OWN for each in _files(str(root / name))):
        found.update(f"{path} {state}\0".encode())
    return found.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(OWN_SUFFIXES):
                state = entry.stat()
                yield entry.path, f"{state.st_size} {state.st_mtime_ns}"
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _files(entry.path)
