"""Options of sessions and runs: which mean something here, and a warning, once, about those that do not."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from .errors import Fail


class GraphOptimizationLevel(IntEnum):
    """How far a graph is changed; every level is compiled alike."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(IntEnum):
    """Whether nodes may run beside each other; here they run one after the other."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(IntEnum):
    """The order of nodes; here it is the compiler's."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


_said: set[str] = set()


def ignore(what: str, why: str) -> None:
    """Warn, once in a process, that something of ONNX Runtime's is ignored."""
    if what not in _said:
        _said.add(what)
        warnings.warn(f"{what} is ignored by tvm_directconv.onnxruntime: {why}", stacklevel=3)


class _Configured:
    """What has entries of text by name."""

    _kind = ""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def _entry(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"{self._kind} does not have configuration with key: {key}")
        return self._entries[key]


WITHOUT_EFFECT: dict[str, tuple[Any, str]] = {
    "execution_mode": (ExecutionMode.ORT_SEQUENTIAL, "kernels run one after the other, on all threads"),
    "execution_order": (ExecutionOrder.DEFAULT, "the compiler orders kernels"),
    "inter_op_num_threads": (0, "kernels run one after the other, on all threads"),
    "optimized_model_filepath": ("", "what is compiled is not a graph; export_library writes it"),
    "use_per_session_threads": (True, "threads are TVM's pool of the thread that runs"),
}
"""Options of sessions that mean nothing here, their defaults, and why."""


class SessionOptions(_Configured):
    """ONNX Runtime's options of a session.

    ``intra_op_num_threads``, free dimension overrides, ``enable_profiling`` and ``profile_file_prefix`` do
    what they say. Those of memory and graph optimization are accepted, since what they are about is always
    done or does not exist here. The others warn when a session begins.
    """

    _kind = "SessionOptions"

    def __init__(self) -> None:
        super().__init__()
        self._initializers: dict[str, Any] = {}
        self._providers: list[tuple[str, dict[str, str]]] = []
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_profiling = False
        self.profile_file_prefix = "onnxruntime_profile_"
        self.optimized_model_filepath = ""
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.use_deterministic_compute = False
        self.use_per_session_threads = True
        self._dimensions: dict[str, int] = {}
        self._is_complete = True

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option. Raises AttributeError for one that does not exist and TypeError for a wrong type."""
        if "_is_complete" in self.__dict__:
            if name not in self.__dict__:
                raise AttributeError(f"'SessionOptions' object lacks an attribute '{name}'")
            wanted = type(self.__dict__[name])
            if not isinstance(value, wanted) and not (wanted is int and hasattr(value, "__index__")):
                raise TypeError(
                    f"SessionOptions.{name} is {value!r}, and has to be of type {wanted.__name__}"
                )
        super().__setattr__(name, value)

    def add_initializer(self, name: str, ortvalue: Any) -> None:
        """Replace the value of an initializer of the model. Raises TypeError for what is not an OrtValue."""
        if not hasattr(ortvalue, "_array"):
            raise TypeError(f"initializer '{name}' is {type(ortvalue).__name__}, not an OrtValue")
        self._initializers[name] = ortvalue

    def add_external_initializers(self, names: Sequence[str], ortvalues: Sequence[Any]) -> None:
        """Replace the values of initializers of the model."""
        for name, value in zip(names, ortvalues, strict=True):
            self.add_initializer(name, value)

    def add_provider(self, name: str, options: Mapping[str, str]) -> None:
        """Have sessions use a provider that are not given others."""
        self._providers.append((name, dict(options)))

    def has_providers(self) -> bool:
        """Return whether ``add_provider`` was called."""
        return bool(self._providers)

    def add_provider_for_devices(self, devices: Sequence[Any], options: Mapping[str, str]) -> None:
        """Raise Fail: there are no providers from libraries here, and so no devices."""
        raise Fail("providers from libraries are ONNX Runtime's own: there are no devices of theirs here")

    def set_provider_selection_policy(self, policy: Any) -> None:
        """Warn: all is computed by this library's provider."""
        ignore("set_provider_selection_policy", "all is computed by this library's provider")

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fix an open dimension by its name."""
        self._dimensions[name] = size

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        """Warn: dimensions are known by their names."""
        ignore("add_free_dimension_override_by_denotation", "dimensions are known by their names")

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keep an entry, which ``get_session_config_entry`` returns."""
        self._entries[key] = value
        if not key.startswith("session."):
            ignore(f"the session's entry '{key}'", "provider options are compile's arguments")

    def get_session_config_entry(self, key: str) -> str:
        """Return an entry. Raises RuntimeError for one that was not added."""
        return self._entry(key)

    def register_custom_ops_library(self, path: str) -> None:
        """Raise Fail: code for custom operators is not run."""
        raise Fail(f"Failed to load library {path} with error: code for custom operators is not run here")

    def check(self) -> None:
        """Warn about options that were set and are ignored."""
        for name, (usual, why) in WITHOUT_EFFECT.items():
            if getattr(self, name) != usual:
                ignore(f"SessionOptions.{name}", why)


class RunOptions(_Configured):
    """ONNX Runtime's options of a run: kept, and without effect."""

    _kind = "RunOptions"

    def __init__(self) -> None:
        super().__init__()
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.terminate = False

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keep an entry."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """Return an entry. Raises RuntimeError for one that was not added."""
        return self._entry(key)


def provider_options(providers: Any, options: Any) -> dict[str, Any]:
    """Return the options that providers are given, as names alone, pairs, or beside ``options``; warn about
    providers that are not this library's."""
    found: dict[str, Any] = {}
    for place, provider in enumerate(providers or ()):
        if not isinstance(provider, str) and len(provider) != 2:
            raise ValueError("'providers' values must be either strings or (string, dict) tuples.")
        name, own = provider if isinstance(provider, tuple | list) else (provider, {})
        if options is not None and place < len(options):
            own = {**options[place], **own}
        if name == PROVIDER:
            found |= own
        elif name != CPU:
            warnings.warn(
                f"Specified provider '{name}' is not in available provider names."
                f"Available providers: '{', '.join(AVAILABLE)}'",
                stacklevel=3,
            )
    return found


PROVIDER = "DirectConvExecutionProvider"
CPU = "CPUExecutionProvider"
AVAILABLE = (PROVIDER, CPU)
"""What computes here is called by both names: packages ask for the second."""
