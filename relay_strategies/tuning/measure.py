"""How candidates are built and timed: MetaSchedule's builder and runners, here or on boards of a tracker.

Candidates are built in processes of their own, which outlive batches, and linked as libraries for the
target; so a board needs no compiler. Here, building and timing take turns, so that builds may use all CPUs
and disturb no timing; that stays on the idlest.
"""

from __future__ import annotations

import functools
import os
import signal
import socket
import statistics
import struct
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvm
from tvm.ir.utils import derived_object
from tvm.rpc import RPCSession
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.builder import BuilderInput, BuilderResult, PyBuilder
from tvm.support.popen_pool import PopenPoolExecutor, StatusKind

from relay_strategies.compiler.library.linking import shared_library_maker
from tvm_directconv.errors import TuningError, last_line, let_through
from tvm_directconv.measure.timing import calls_within
from tvm_directconv.targets.target import CompileTarget, resolve_target
from tvm_directconv.threads import core_count

from .designs import designs_of, is_design
from .measure_option import BATCH_MS, BUILD_SECONDS, REPEATS, RUN_SECONDS

BOARD_SECONDS = 60
"""A candidate on a board has so long, waiting for one that is free included."""
GREETING_SECONDS = 5
LEAST_CALLS, MOST_CALLS = 3, 50
"""A batch has at least, and at most, so many calls."""
FLUSH = "cache_flush_cpu_non_first_arg"
"""This is TVM's own, for boards: the output leaves the caches with the filter. On POWER it does nothing."""
FLUSH_FILTER = "directconv.flush_filter"
"""The function that the timing process on this host defines instead: it leaves the output in the caches."""
FAST_CORES = 1
"""This is a mode of runtime.config_threadpool."""


@dataclass(frozen=True)
class Board:
    """Boards to time on: those that ask the tracker at ``host``:``port`` for work under ``key``."""

    host: str
    port: int
    key: str

    @staticmethod
    def parse(tracker: str, key: str) -> Board:
        """Read "host:port"."""
        host, _, port = tracker.rpartition(":")
        if not host or not port.isdigit() or int(port) >= 1 << 16:
            raise TuningError(f"tracker '{tracker}' is not HOST:PORT, such as 192.168.1.10:9190")
        return Board(host, int(port), key)

    def servers(self) -> int:
        """Return how many boards there are for the key; TuningError where there is none, or no tracker."""
        from tvm import rpc
        from tvm.rpc.base import RPC_TRACKER_MAGIC

        greeting = struct.pack("<i", RPC_TRACKER_MAGIC)
        try:
            # TVM would try for a minute, and wait forever for something else that listens there.
            with socket.create_connection((self.host, self.port), timeout=GREETING_SECONDS) as connection:
                connection.sendall(greeting)
                if connection.recv(len(greeting)) != greeting:
                    raise RuntimeError("what listens there is something else")
            summary = rpc.connect_tracker(self.host, self.port).summary()
        except (RuntimeError, OSError) as error:
            let_through(error)
            raise TuningError(f"no RPC tracker at {self.host}:{self.port}: {last_line(error)}") from None
        keys = [
            str(server["key"]).partition(":")[2] or str(server["key"]) for server in summary["server_info"]
        ]
        if self.key not in keys:
            raise TuningError(
                f"the tracker at {self.host}:{self.port} lacks a server of key '{self.key}'; there are "
                f"{', '.join(sorted(set(keys))) or 'none'}"
            )
        return keys.count(self.key)


def make_builder(
    target: CompileTarget, folder: Path, workers: int | None = None, seconds: float = BUILD_SECONDS
) -> Builder:
    """Return a builder for the target, into that folder, with so many processes, by default one for each
    usable CPU, each build of which may take ``seconds``."""
    shared_library_maker(target, None)
    return Builder(str(target), folder, workers or core_count(), seconds)


@derived_object
class Builder(PyBuilder):
    """MetaSchedule's local builder with processes that outlive a batch."""

    def __init__(self, target: str, folder: Path, workers: int, seconds: float) -> None:
        super().__init__()
        self.target, self.folder, self.seconds = target, str(folder), seconds
        self.pool = PopenPoolExecutor(workers, timeout=seconds, initializer=outlive_interrupt)
        start_deaf(self.pool, workers)

    def build(self, build_inputs: list[BuilderInput]) -> list[BuilderResult]:
        arguments = [(tvm.ir.save_json(given.mod), self.target, self.folder) for given in build_inputs]
        late = f"not built within {self.seconds:g} s"
        return [
            BuilderResult(result.value, None)
            if result.status == StatusKind.COMPLETE
            else BuilderResult(None, late if result.status == StatusKind.TIMEOUT else str(result.value))
            for result in self.pool.map_with_error_catching(_build, arguments)
        ]


def _build(arguments: tuple[str, str, str]) -> str:
    """Build the library of (a module as JSON, scheduled or one of a design, a target, a folder); return its
    path."""
    module, target, folder = arguments
    scheduled, resolved = tvm.ir.load_json(module), resolve_target(target)
    func = scheduled["main"]
    if is_design(scheduled):
        designs = designs_of(scheduled)
        func = designs.space.scheduled(designs.candidate_of(scheduled))
    func = func.with_attr("global_symbol", "main")
    executable = tvm.compile(tvm.IRModule({"main": func}), target=resolved.tvm_target)
    path = Path(tempfile.mkdtemp(dir=folder)) / "candidate.so"
    executable.export_library(str(path), fcompile=shared_library_maker(resolved, None))
    return str(path)


def make_runner(
    board: Board | None,
    threads: int,
    cpus: Sequence[int],
    as_in_network: bool = False,
    seconds: float | None = None,
    config: ms.runner.EvaluatorConfig | None = None,
) -> ms.Runner:
    """Return a runner on this host, with ``threads`` on those CPUs, or on all boards of a tracker at once.

    Candidates are timed ``as_in_network``, or by MetaSchedule's own evaluator, one call after another. Each
    may take ``seconds``, by default RUN_SECONDS, and is timed in REPEATS batches of BATCH_MS, unless
    ``config`` says otherwise.
    """
    seconds = RUN_SECONDS if seconds is None else seconds
    config = config or ms.runner.EvaluatorConfig(number=1, repeat=REPEATS, min_repeat_ms=BATCH_MS)
    if board is None:
        prepare = functools.partial(_prepare_runner, tuple(cpus), threads)
        here = time_as_in_network if as_in_network else None
        local = ms.runner.LocalRunner(seconds, config, f_run_evaluator=here, initializer=prepare)
        start_deaf(local.pool, 1)
        return local
    servers = board.servers()
    rpc = ms.runner.RPCConfig(board.host, board.port, board.key, session_timeout_sec=seconds)
    connect = functools.partial(open_session, threads)
    there = time_on_board if as_in_network else None
    runner = ms.runner.RPCRunner(
        rpc, config, f_create_session=connect, f_run_evaluator=there, max_workers=servers
    )
    # RPCRunner's own would wait forever for a board that hangs.
    runner.pool.shutdown()
    runner.pool = PopenPoolExecutor(servers, timeout=BOARD_SECONDS, initializer=outlive_interrupt)
    start_deaf(runner.pool, servers)
    return runner


def time_as_in_network(
    module: tvm.runtime.Module, device: Any, config: ms.runner.EvaluatorConfig, repeated: list[Any]
) -> list[float]:
    """Return seconds per call, the median of each batch, where filters come from memory.

    A network's input is in the caches that the layer before left it in; by the time a layer runs again, the
    others have evicted its filter. Calls one after another would find it in L2, and make prefetching look
    useless.
    """
    (arguments,) = repeated
    flush = FLUSH_FILTER if tvm.get_global_func(FLUSH_FILTER, allow_missing=True) else FLUSH

    def timed(calls: int) -> list[float]:
        run = module.time_evaluator(module.entry_name, device, number=1, repeat=calls, f_preproc=flush)
        return list(run(*arguments).results)

    once = statistics.median(timed(LEAST_CALLS))
    calls = min(MOST_CALLS, calls_within(config.min_repeat_ms / 1e3, once, LEAST_CALLS))
    return [statistics.median(timed(calls)) for _ in range(config.repeat)]


def time_on_board(session: RPCSession, *arguments: Any) -> list[float]:
    """Do ``time_as_in_network`` as RPCRunner calls it."""
    return time_as_in_network(*arguments)


def open_session(threads: int, config: ms.runner.RPCConfig) -> RPCSession:
    """Open a session on the next free board, which runs functions with ``threads`` on its fast cores."""
    session = config.connect_server()
    session.get_function("runtime.config_threadpool")(FAST_CORES, threads)
    return session


def start_deaf(pool: PopenPoolExecutor, workers: int) -> None:
    """Let a pool that has not begun start its processes from threads in which interrupts are blocked.

    Processes inherit that, and are not interrupted before ``outlive_interrupt`` runs in them, while they
    import; they would say so on standard error.
    """
    pool._threadpool = ThreadPoolExecutor(
        workers, "pool", signal.pthread_sigmask, (signal.SIG_BLOCK, {signal.SIGINT})
    )


def outlive_interrupt() -> None:
    """Leave the end of this process to the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _prepare_runner(cpus: tuple[int, ...], threads: int) -> None:
    outlive_interrupt()
    os.environ["TVM_NUM_THREADS"] = str(threads)
    os.sched_setaffinity(0, cpus)
    flush = tvm.get_global_func(FLUSH)
    tvm.register_global_func(FLUSH_FILTER, lambda data, filter, *others: flush(data, filter), override=True)
