"""The errors users see: a class per thing that can be wrong; messages say what, where, and what to do."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any


class DirectConvError(Exception):
    """Base of every error this package raises on bad input: one line, whatever names it quotes."""

    def __init__(self, message: str) -> None:
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in str(message)))


class TargetError(DirectConvError, ValueError):
    """A target string, CPU name or option that is not understood, or an ISA the host lacks."""


class WorkloadError(DirectConvError, ValueError):
    """A convolution whose shape, strides, padding or descriptor is not valid."""


class AlgorithmError(DirectConvError, ValueError):
    """An unknown algorithm, or one that does not apply to the workload or target it was forced on."""


class ParameterError(AlgorithmError):
    """Parameters of an algorithm that violate one of its constraints, which the message names."""


class ModelError(DirectConvError, ValueError):
    """A model file that is missing, malformed, or has shapes that are not static."""


class DataDependentError(WorkloadError, ModelError):
    """A choice of code by a size that is known when the model runs."""


class UnsupportedOperatorError(ModelError):
    """A model with operators no importer handles; all of them are named, and are its ``nodes``."""

    def __init__(self, message: str, nodes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.nodes = tuple(nodes)


class InputError(DirectConvError, ValueError):
    """An input to a compiled model or layer with the wrong name, shape or dtype, or an index out of range."""


class DeviceError(DirectConvError):
    """A device, or the library that reaches it, that is not there, or that refuses a program or its
    memory."""


class TuningError(DirectConvError):
    """Tuning records, or a tuning run, that cannot be used."""


class VerificationError(DirectConvError):
    """A kernel whose code is not what its name says; ``verifications`` are those of all kernels."""

    def __init__(self, message: str, verifications: Iterable[Any] = ()) -> None:
        super().__init__(message)
        self.verifications = tuple(verifications)


class BenchmarkError(DirectConvError, ValueError):
    """A benchmark that cannot be run or shown as asked: unknown contestant, too many threads, no results."""


def let_through(error: BaseException) -> None:
    """Raise an exception again that a signal handler has raised, as Ctrl-C and time limits do: it is not one
    of the code that it met, whatever its class, nor is one that such code made of it, as ``inspect`` does.
    Handlers are known by their file and name, which TVM keeps where it carries an exception through compiled
    code."""
    import traceback  # where something went wrong alone: what is run first takes no time for it

    raised: BaseException | None = error
    while raised is not None:
        frames = traceback.walk_tb(raised.__traceback__)
        met = {(frame.f_code.co_filename, frame.f_code.co_name) for frame, _ in frames}
        if not met.isdisjoint(_handlers()):
            raise raised
        raised = raised.__cause__


def _handlers() -> Iterator[tuple[str, str]]:
    """File and name of the functions that handle signals in this process."""
    import signal

    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        while isinstance(handler, functools.partial):
            handler = handler.func
        handler = getattr(handler, "__func__", handler)  # a method's
        code = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
        if code is not None:
            yield code.co_filename, code.co_name


def first_line(error: Exception) -> str:
    """What an exception of others says first; the name of its class where it says nothing."""
    return _lines(error)[0]


def last_line(error: Exception) -> str:
    """What it says last: in TVM's errors what was wrong, before which stands where. The pass it was in and a
    picture of the program may come behind it, and are left out."""
    return [*takewhile(lambda line: not line.startswith("Error in pass:"), _lines(error))][-1]


def _lines(error: Exception) -> list[str]:
    return [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]


def nearest(word: str, candidates: Iterable[str]) -> str:
    """``" (did you mean 'x'?)"`` for the candidate closest to ``word``, or an empty string."""
    import difflib

    close = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f" (did you mean '{close[0]}'?)" if close else ""
