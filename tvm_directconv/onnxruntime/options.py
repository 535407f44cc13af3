"""Options of sessions and runs: which mean something here, and a warning, once, about those that do not."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Any


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
        """Warn: code for custom operators is not run."""
        ignore("register_custom_ops_library", "code for custom operators is not run")

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
