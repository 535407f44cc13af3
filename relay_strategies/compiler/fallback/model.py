"""PartedModel: a model of which ONNX Runtime computes what does not compile."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from tvm_directconv.errors import DirectConvError, InputError
from tvm_directconv.runtime.arrays import buffers_of, is_torch_tensor, typed
from tvm_directconv.runtime.compiled_model import Inputs
from tvm_directconv.runtime.given_inputs import by_name, unnested
from tvm_directconv.runtime.lanes import Lane, Lanes
from tvm_directconv.runtime.metadata import Metadata, Size, TensorInfo, check_shapes
from tvm_directconv.targets.target import resolve_target

from ..model.executable_model import ExecutableModel
from ..model.profile import ROUNDS, CallProfile, Profile, check_rounds
from ..model.running import drawn
from ..report import Report
from .parts import PartRun, Parts
from .session import ONNXRUNTIME

NO_TENSORS = ("seq", "optional", "map", "sparse", "opaque")
"""What types begin with that are not tensors'."""
NAMED = 8


class PartedModel(ExecutableModel):
    """A model in parts, some compiled, the others in ONNX Runtime; all of ``ExecutableModel`` but what needs
    one executable. ``executable`` are the parts. ``stays`` says of each node that ONNX Runtime computes why.

    Inputs and outputs that are not tensors of numbers are numpy's arrays of str, and lists of arrays for
    sequences, as ONNX Runtime has them.
    """

    executable: Parts

    @property
    def stays(self) -> Mapping[str, str]:
        """Return why nodes are not compiled, by their names."""
        return self.sizes[0].report().stays

    def memory(self, **dimensions: int) -> int:
        """Return what ``ExecutableModel.memory`` does, of the compiled parts together."""
        known = {dim for info in self.inputs for dim in info.shape if isinstance(dim, str)}
        unknown = [name for name in dimensions if name not in known]
        if unknown:
            names = ", ".join(sorted(known)) or "none"
            raise InputError(f"'{unknown[0]}' is not an open dimension, which are: {names}")
        models = [step.model for step in self.executable.steps if step.model is not None]
        return sum(
            model.memory(**{n: size for n, size in dimensions.items() if n in model.sizes[0].typical})
            for model in models
        )

    def report(self, timed: bool = False, size: Size | None = None) -> Report:
        """Return the layers and kernels of all compiled parts, and the nodes that stay."""
        of = (size or self.sizes[0]).report()
        if not timed:
            return of
        shares = self.profile(size=size).by_kind()
        return replace(of, time_shares={kind: shares.get(kind, 0.0) for kind in of.other_kernels})

    def profile(
        self, inputs: Inputs | None = None, *, rounds: int = ROUNDS, size: Size | None = None
    ) -> Profile:
        """Return what ``ExecutableModel.profile`` does, part by part; one of ONNX Runtime's is one call."""
        check_rounds(rounds)
        arrays = self._arrays(self._ordered(drawn(size or self.sizes[0]) if inputs is None else inputs))
        profiles = list[Profile]()

        def each(step: PartRun, values: Mapping[str, Any]) -> None:
            given = {name: values[name] for name in step.part.inputs}
            begin = sum(min(profile.instrumented) for profile in profiles)
            if step.model is not None:
                profiles.append(_later(step.model.profile(given, rounds=rounds), begin))
            else:
                profiles.append(_of_session(step, given, rounds, begin, self.target))

        self._lanes.use(
            lambda lane: self.executable.run(lane, dict(zip(self.input_names, arrays, strict=True)), each)
        )
        return _together(profiles, self.target, str(self.sizes[0]))

    def _run(self, lanes: Lanes, inputs: Any, outputs: Any) -> list[Any]:
        arrays = self._arrays(self._ordered(inputs))
        buffers = None if outputs is None else buffers_of(outputs, self._outputs_for(arrays))
        results = lanes.use(lambda lane: self._results(lane, arrays))
        for buffer, result in zip(buffers or (), results, strict=False):
            np.copyto(buffer, result)
        return results if buffers is None else buffers

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The output for inputs by position or by name, a tuple of several outputs; torch tensors for torch
        tensors. Raises as ``run`` does."""
        given, named = unnested(inputs, named, self.input_names)
        values = self._ordered(by_name(given, named, self.inputs) if named else given)
        results = self._run(self._lanes, values, None)
        if any(map(is_torch_tensor, values)):
            import torch

            results = [torch.from_numpy(each) if isinstance(each, np.ndarray) else each for each in results]
        return results[0] if len(results) == 1 else tuple(results)

    def set_inputs(self, inputs: Inputs) -> None:
        """Copy inputs, which this thread's ``invoke`` uses from now on. Raises as ``run`` does."""
        own: Any = self._own
        own.arguments = [
            np.array(each) if isinstance(each, np.ndarray) else each
            for each in self._arrays(self._ordered(inputs))
        ]
        own.runner = self

    def invoke(self) -> None:
        """Run on the inputs this thread last set."""
        own: Any = self._own
        if own.runner is None:
            raise InputError("this thread has set no inputs; call set_inputs first")
        own.results = self._lanes.use(lambda lane: self._results(lane, own.arguments))

    def get_outputs(self) -> list[Any]:
        """The outputs of this thread's last ``invoke``."""
        if self._own.results is None:
            raise InputError("this thread has run nothing yet; call invoke first")
        return list(self._own.results)

    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> NoReturn:
        """Raise DirectConvError, which names nodes that are not compiled."""
        raise DirectConvError(_not_written(self.stays))

    def export_c(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "",
        weights: str = "",
        size: Size | None = None,
    ) -> NoReturn:
        """Raise DirectConvError, which names nodes that are not compiled."""
        raise DirectConvError(_not_written(self.stays))

    def _results(self, lane: Lane, arrays: Sequence[Any]) -> list[Any]:
        """The outputs, each in memory of its own: some are inputs, constants or another output."""
        for step in self.executable.steps:
            if step.model is not None:
                step.model.threads = self.threads
        results = self.executable.run(lane, dict(zip(self.input_names, arrays, strict=True)))
        seen = {id(each) for each in (*arrays, *self.executable.constants.values())}
        for place, each in enumerate(results):
            if id(each) in seen and isinstance(each, np.ndarray):
                results[place] = each.copy()
            seen.add(id(each))
        return results

    def _arrays(self, values: Sequence[Any]) -> list[Any]:
        """Inputs in order as arrays, checked; what is not a tensor of numbers as it is."""
        arrays = [_typed(value, info) for value, info in zip(values, self.inputs, strict=True)]
        tensors = [(i, a) for i, a in zip(self.inputs, arrays, strict=True) if _is_tensor(i)]
        check_shapes(
            [i for i, _ in tensors], {i.name: a.shape for i, a in tensors}, self._state.metadata.bounds
        )
        return arrays

    def _outputs_for(self, arrays: Sequence[Any]) -> tuple[TensorInfo, ...]:
        """The outputs for inputs of these shapes, as far as they follow from them."""
        size = self.sizes[0]
        if not size.is_open:
            return size.outputs
        found = size.at({i.name: a.shape for i, a in zip(self.inputs, arrays, strict=True)})
        return (found or size).outputs


def _is_tensor(info: TensorInfo) -> bool:
    return not info.dtype.startswith(NO_TENSORS)


def _typed(value: Any, info: TensorInfo) -> Any:
    if not _is_tensor(info):
        return value
    return np.asarray(value, object) if info.dtype == "string" else typed(value, info)


def _not_written(stays: Mapping[str, str]) -> str:
    names = [f"'{name}'" for name in stays]
    listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return (
        f"nodes of the model are computed by ONNX Runtime, which a library does not have inside: {listed}; "
        "tvm-directconv split writes what compiles, and the rest, as two models"
    )


def _later(profile: Profile, begin: float) -> Profile:
    return replace(profile, calls=tuple(replace(call, begin=call.begin + begin) for call in profile.calls))


def _of_session(step: PartRun, inputs: Mapping[str, Any], rounds: int, begin: float, target: str) -> Profile:
    """Time a part of ONNX Runtime's as one call."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        step.session.run(inputs)
        seconds.append(time.perf_counter() - start)
    size = sum(value.nbytes for value in inputs.values() if isinstance(value, np.ndarray))
    taken = tuple(seconds)
    call = CallProfile(ONNXRUNTIME, ONNXRUNTIME, "", step.text, "", 0, size, begin, taken)
    return Profile(target, "", 0, "", {}, (call,), taken, taken)


def _together(profiles: Sequence[Profile], target: str, size: str) -> Profile:
    """One profile of all parts."""
    compiled = next((profile for profile in profiles if profile.threads), None)
    peaks: dict[str, tuple[float, ...]] = {}
    for profile in profiles:
        peaks = {**profile.peaks, **peaks}
    sums = [
        tuple(map(sum, zip(*(getattr(profile, kind) for profile in profiles), strict=True)))
        for kind in ("instrumented", "plain")
    ]
    return Profile(
        target,
        size,
        compiled.threads if compiled is not None else 1,
        compiled.instruction if compiled is not None else str(resolve_target(target)),
        peaks,
        tuple(call for profile in profiles for call in profile.calls),
        *sums,
    )


def parted(
    parts: Parts,
    target: str,
    inputs: Sequence[TensorInfo],
    outputs: Sequence[TensorInfo],
    typical: Mapping[str, int],
    bounds: Mapping[str, tuple[int, int]],
    stays: Mapping[str, str],
    seconds: float,
) -> PartedModel:
    """Return the model of ``parts``."""
    reports = [step.model.sizes[0].report() for step in parts.steps if step.model is not None]
    compile_seconds = Counter({"partition": seconds})
    for report in reports:
        compile_seconds.update(report.compile_seconds)
    others = _sum(report.other_kernels for report in reports)
    report = Report(
        target,
        tuple(layer for report in reports for layer in report.layers),
        {**others, ONNXRUNTIME: sum(step.model is None for step in parts.steps)},
        _sum(report.default_kernels for report in reports),
        _sum(report.reductions_by_default for report in reports),
        sum(report.activation_bytes for report in reports),
        tuple(call for report in reports for call in report.calls),
        dict(compile_seconds),
        stays=dict(stays),
    )
    size = Size(tuple(inputs), tuple(outputs), report, typical=dict(typical))
    metadata = Metadata(target, tuple(inputs), tuple(outputs), (size,), bounds=dict(bounds))
    return PartedModel(parts, metadata)


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for each in counts:
        total.update(each)
    return dict(total)
