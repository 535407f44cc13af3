"""InferenceSession: a model compiled by this library, called as ONNX Runtime's sessions are.

A model whose inputs leave open what is not a batch is compiled when it first runs, once for all sizes: tiles
are then chosen for the powers of two nearest to that run's.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from relay_strategies.frontends.onnx.runtime import ONNXRUNTIME
from tvm_directconv.files import write_atomically
from tvm_directconv.threads import core_count
from tvm_directconv.zoo.inputs import true_inputs

from .binding import IOBinding
from .description import (
    ModelMetadata,
    NodeArg,
    argument_of,
    metadata_of,
    read,
    with_dimensions,
    with_initializers,
    without_initializers,
)
from .errors import Fail, InvalidArgument, translated
from .feeds import fitting, is_whole_number
from .options import AVAILABLE, PROVIDER, RunOptions, SessionOptions, ignore, provider_options
from .values import OrtDevice, OrtValue

if TYPE_CHECKING:
    from tvm_directconv.runtime.compiled_model import CompiledModel


class InferenceSession:
    """A model that is run by ``run(output_names, input_feed)``.

    ``path_or_bytes`` is a file, its bytes, or an ``onnx.ModelProto``. ``providers`` may have this library's,
    "DirectConvExecutionProvider", with options: those of ``tvm_directconv.compile`` by their names, such as
    ``precision``, ``accuracy``, ``target`` and ``typical``. Raises the classes that ONNX Runtime raises:
    NoSuchFile, InvalidProtobuf, NotImplemented for operators that are not supported, Fail for other models
    that cannot be compiled.
    """

    def __init__(
        self,
        path_or_bytes: str | os.PathLike[str] | bytes | onnx.ModelProto,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        self._sess_options = sess_options or SessionOptions()
        self._sess_options.check()
        self._model_path = path_or_bytes if isinstance(path_or_bytes, str | os.PathLike) else None
        self._begin = time.perf_counter_ns()
        self._began = time.time_ns()
        self._events: list[dict[str, Any]] = []
        self._ran: tuple[CompiledModel, dict[str, np.ndarray]] | None = None
        """What ran last, where runs are profiled."""
        proto, self._folder = read(path_or_bytes)
        proto = with_dimensions(proto, self._sess_options._dimensions)
        own = {name: value.numpy() for name, value in self._sess_options._initializers.items()}
        proto = with_initializers(proto, own)
        self._describe(proto)
        self._proto = proto
        self._models: dict[tuple[int, ...], CompiledModel] = {}
        """The model, for each value of the inputs that decide what is computed."""
        self._deciding: tuple[str, ...] = ()
        self._opened: dict[frozenset[str], CompiledModel] = {}
        """Models that take initializers as inputs, by the names of these."""
        self._compiling = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self.set_providers(providers, provider_options)

    def set_providers(
        self,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Compile the model with the options of this library's provider."""
        self._options = _options(providers or self._sess_options._providers, provider_options)
        self._falls_back = self._options.pop("fallback", ONNXRUNTIME) == ONNXRUNTIME
        self._models = {}
        self._opened = {}
        if all(isinstance(size, int) for each in self._inputs_meta for size in each.shape[1:]):
            self._model_of({})

    def get_inputs(self) -> list[NodeArg]:
        """Return what the model takes, but for initializers that may be overridden."""
        return self._inputs_meta

    def get_outputs(self) -> list[NodeArg]:
        """Return what the model gives."""
        return self._outputs_meta

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return the inputs that are initializers.

        Where a run is given some, a model that takes these as inputs is compiled, once for each set of them.
        """
        return self._overridable_initializers

    def get_modelmeta(self) -> ModelMetadata:
        """Return what the model's file says of itself."""
        return self._model_meta

    def get_providers(self) -> list[str]:
        """Return the names of what computes."""
        return list(AVAILABLE)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of this library's provider, as text."""
        return {name: dict(self._options) if name == PROVIDER else {} for name in AVAILABLE}

    def get_session_options(self) -> SessionOptions:
        """Return the session's options."""
        return self._sess_options

    def get_tuning_results(self) -> list[Any]:
        """Return an empty list: kernels that ONNX Runtime tunes are not here."""
        return []

    def set_tuning_results(self, results: Sequence[Any], *, error_on_invalid: bool = False) -> None:
        """Warn: kernels that ONNX Runtime tunes are not here."""
        ignore("set_tuning_results", "tuning records are provider options")

    def set_ep_dynamic_options(self, options: Mapping[str, str]) -> None:
        """Warn: a compiled model does not have options that change."""
        ignore("set_ep_dynamic_options", "a compiled model does not have options that change")

    def disable_fallback(self) -> None:
        """Return at once: a session does not change its providers."""

    enable_fallback = disable_fallback

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Return the outputs of these names, all without names, for inputs by name.

        Raises ValueError for missing inputs and InvalidArgument for wrong ones, as ONNX Runtime does.
        """
        if isinstance(output_names, str):
            raise TypeError(f"output names are a list of names, and not '{output_names}'")
        if run_options is not None and run_options.terminate:
            raise Fail("Exiting due to terminate flag being set to true.")
        wanted = self._wanted(output_names)
        arrays = self._checked(input_feed)
        begin = time.perf_counter_ns()
        with translated():
            model = (
                self._opened_model(arrays) or self._models.get(self._values(arrays)) or self._model_of(arrays)
            )
            given = {name: arrays[name] for name in model.input_names}
            found = dict(zip(model.output_names, model.run(given), strict=True))
        if self._sess_options.enable_profiling:
            self._ran = model, given
            self._record("Session", "model_run", begin)
        return [found[name] for name in wanted]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any] | None, Any, str], None],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Run in another thread, which calls ``callback(results, user_data, error)``."""

        def run() -> None:
            try:
                results, error = self.run(output_names, input_feed, run_options), ""
            except Exception as raised:  # it is the callback's to handle
                results, error = None, str(raised)
            callback(results, user_data, error)

        with self._compiling:
            self._pool = self._pool or ThreadPoolExecutor(1, "onnxruntime")
        self._pool.submit(run)

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """Return ``run``'s outputs as values."""
        feed = {name: value._array for name, value in input_dict_ort_values.items()}
        return [OrtValue(array) for array in self.run(output_names, feed, run_options)]

    def run_with_ortvaluevector(
        self,
        run_options: RunOptions | None,
        feed_names: Sequence[str],
        feeds: Sequence[OrtValue],
        fetch_names: Sequence[str],
        fetches: list[OrtValue],
        fetch_devices: Sequence[OrtDevice] = (),
    ) -> None:
        """Run on values in the order of ``feed_names``, and put the outputs into ``fetches``."""
        given = dict(zip(feed_names, feeds, strict=True))
        fetches[:] = self.run_with_ort_values(fetch_names, given, run_options)

    def io_binding(self) -> IOBinding:
        """Return a binding of inputs and outputs."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Run on what is bound."""
        iobinding.run()

    def get_profiling_start_time_ns(self) -> int:
        """Return when the session began, in nanoseconds since the epoch."""
        return self._began

    def end_profiling(self) -> str:
        """Write the runs so far, and the calls of one more, in Chrome's trace format; return the file's
        name, which is empty without ``enable_profiling``."""
        if not self._sess_options.enable_profiling:
            return ""
        events = list(self._events)
        if self._ran is not None:
            model, arrays = self._ran
            at = (time.perf_counter_ns() - self._begin) // 1000
            for call in model.profile(arrays, rounds=1).calls:
                micros = round(call.median * 1e6)
                events.append(_event("Node", f"{call.name}_kernel_time", at, micros))
                at += micros
        name = f"{self._sess_options.profile_file_prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        write_atomically(Path(name), json.dumps(events).encode())
        return name

    def _describe(self, proto: onnx.ModelProto) -> None:
        graph = proto.graph
        inputs = true_inputs(graph)
        names = {value.name for value in inputs}
        self._inputs_meta = [argument_of(value) for value in inputs]
        self._outputs_meta = [argument_of(value) for value in graph.output]
        self._overridable_initializers = [argument_of(v) for v in graph.input if v.name not in names]
        self._model_meta = metadata_of(proto)

    def _wanted(self, names: Sequence[str] | None) -> list[str]:
        known = [output.name for output in self._outputs_meta]
        for name in names or ():
            if name not in known:
                raise InvalidArgument(f"Invalid output name:{name}")
        return list(names or known)

    def _checked(self, feed: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Return the inputs as arrays. Raises what ONNX Runtime raises for wrong ones, in its words."""
        given = list(feed.keys())
        missing = [each.name for each in self._inputs_meta if each.name not in given]
        if missing:
            raise ValueError(f"Required inputs ({missing}) are missing from input feed ({given}).")
        known = {each.name: each for each in (*self._inputs_meta, *self._overridable_initializers)}
        for name in feed:
            if name not in known:
                raise InvalidArgument(f"Invalid input name: {name}")
        return {name: fitting(each, feed[name]) for name, each in known.items() if name in given}

    def _model_of(self, arrays: Mapping[str, np.ndarray]) -> CompiledModel:
        """Return the model, compiled now with typical sizes near those of these inputs if it was not before.

        A model that cannot be compiled as it is may be one in which a whole number among the inputs, as a
        sampling rate, decides what is computed: it is compiled for each value of these that comes. If that
        fails, too, ONNX Runtime computes the nodes that cannot be compiled, where it is installed.
        """
        with self._compiling, translated():
            if not self._models:
                return self._first(arrays)
            values = self._values(arrays)
            if values not in self._models:
                self._add(values, self._compiled(arrays, self._deciding, None))
            return self._models[values]

    def _opened_model(self, arrays: Mapping[str, np.ndarray]) -> CompiledModel | None:
        """Return the model that takes the initializers among these arrays as inputs, if there are any."""
        names = frozenset(each.name for each in self._overridable_initializers if each.name in arrays)
        if not names:
            return None
        with self._compiling:
            if names not in self._opened:
                fallback = ONNXRUNTIME if self._falls_back else None
                self._opened[names] = self._compiled(arrays, (), fallback, names)
            return self._opened[names]

    def _first(self, arrays: Mapping[str, np.ndarray]) -> CompiledModel:
        from tvm_directconv.errors import ModelError

        whole = tuple(name for name, array in arrays.items() if is_whole_number(array))
        ways: list[tuple[tuple[str, ...], str | None]] = [((), None)]
        ways += [(whole, None)] if whole else []
        ways += [((), ONNXRUNTIME)] if self._falls_back else []
        errors: list[ModelError] = []
        for deciding, fallback in ways:
            try:
                model = self._compiled(arrays, deciding, fallback)
            except ModelError as error:
                errors.append(error)
            else:
                self._deciding = deciding
                return self._add(self._values(arrays), model)
        raise errors[0]

    def _add(self, values: tuple[int, ...], model: CompiledModel) -> CompiledModel:
        self._models = {**self._models, values: model}
        return model

    def _values(self, arrays: Mapping[str, np.ndarray]) -> tuple[int, ...]:
        """Return the values of the inputs that decide what is computed."""
        return tuple(int(arrays[name].item()) for name in self._deciding)

    def _compiled(
        self,
        first: Mapping[str, np.ndarray],
        deciding: Sequence[str],
        fallback: str | None,
        opened: Collection[str] = (),
    ) -> CompiledModel:
        from relay_strategies.compiler.compiler import compile as compiled

        begin = time.perf_counter_ns()
        model = compiled(
            without_initializers(self._proto, opened),
            data_folder=self._folder,
            params={name: first[name] for name in deciding} or None,
            fallback=fallback,
            **{"typical": self._typical(first) or None, **self._options},
        )
        threads = self._sess_options.intra_op_num_threads
        model.threads = min(threads, core_count()) if threads > 0 else None
        self._record("Session", "session_initialization", begin)
        return model

    def _typical(self, first: Mapping[str, np.ndarray]) -> dict[str, int]:
        """Return typical values of open dimensions that are not a batch."""
        from relay_strategies.frontends.onnx.nodes import onnx_dims

        return {
            dim: 2 ** round(np.log2(max(1, size)))
            for value in true_inputs(self._proto.graph)
            if value.name in first
            for dim, size in list(zip(onnx_dims(value) or (), first[value.name].shape, strict=False))[1:]
            if isinstance(dim, str)
        }

    def _record(self, category: str, name: str, begin: int) -> None:
        end = time.perf_counter_ns()
        self._events.append(_event(category, name, (begin - self._begin) // 1000, (end - begin) // 1000))


def _options(providers: Any, own: Any) -> dict[str, Any]:
    """Return provider options as arguments of compile: sizes may be text, as h=224,w=224."""
    options = provider_options(providers, own)
    if isinstance(options.get("typical"), str):
        pairs = (each.split("=") for each in options["typical"].split(","))
        options["typical"] = {name.strip(): int(size) for name, size in pairs}
    return options


def _event(category: str, name: str, micros: int, duration: int) -> dict[str, Any]:
    """Return one entry of Chrome's trace format, with times in microseconds."""
    return {
        "cat": category, "pid": os.getpid(), "tid": threading.get_ident(), "dur": duration, "ts": micros,
        "ph": "X", "name": name, "args": {},
    }  # fmt: skip
