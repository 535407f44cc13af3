"""A program on an OpenCL device: kernels compiled once, buffers bound once, launched again and again in one
queue.

Above source.py, whose kernels it runs. NVIDIA's GPUs run the same kernels through their OpenCL driver.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tvm_directconv.errors import DeviceError, first_line, let_through

from .opencl import choose_device, label_of, opencl, queue_of
from .source import DeviceFunction, DeviceKernels, Launch

if TYPE_CHECKING:
    import pyopencl

NANOSECONDS = 1e-9


@dataclass(frozen=True)
class Step:
    """A kernel with its buffers, ready to be launched. Buffers are numbers of a sequence that goes with
    it."""

    launch: Launch
    buffers: tuple[int, ...]


class DeviceProgram:
    """The kernels of one source, compiled for a device."""

    def __init__(self, kernels: DeviceKernels) -> None:
        """Raise DeviceError where there is no device, or it refuses the source or a launch's size."""
        if kernels.kind != "opencl":
            raise DeviceError(f"kernels of {kernels.kind} cannot be launched here; compile them for 'opencl'")
        cl = opencl()
        self.device = choose_device()
        self.queue = queue_of(self.device)
        self.functions = dict(kernels.functions)
        self.check(launch for function in self.functions.values() for launch in function.launches)
        try:
            with warnings.catch_warnings():  # compilers have remarks on generated code
                warnings.simplefilter("ignore", cl.CompilerWarning)
                self._program = cl.Program(self.queue.context, kernels.source).build()
        except cl.Error as error:
            raise DeviceError(f"{label_of(self.device)} refuses the kernels: {_fault(error)}") from error

    def check(self, launches: Iterable[Launch]) -> None:
        """Raise DeviceError for a launch that the device cannot do."""
        for launch in launches:
            check_launch(launch, self.device)

    def buffer(self, size: int) -> pyopencl.Buffer:
        """Return new memory on the device. Raises DeviceError where there is no more."""
        return self._new_buffer(size, None)

    def upload(self, array: np.ndarray) -> pyopencl.Buffer:
        """Return new memory on the device with an array's bytes. Raises DeviceError as ``buffer`` does."""
        return self._new_buffer(array.nbytes, np.ascontiguousarray(array))

    def steps(self, function: str, buffers: Sequence[int], workspaces: Sequence[int]) -> list[Step]:
        """Return the launches of a function on numbered buffers, its parameters' and its workspaces'."""
        everything = (*buffers, *workspaces)
        launches = self.functions[function].launches
        return [Step(launch, tuple(everything[at] for at in launch.arguments)) for launch in launches]

    def bind(self, steps: Iterable[Step], buffers: Sequence[Any]) -> Launches:
        """Return launches that can be run, whose kernels have these buffers as their arguments."""
        cl = opencl()
        bound = []
        for step in steps:
            kernel = cl.Kernel(self._program, step.launch.kernel)
            kernel.set_args(*(buffers[number] for number in step.buffers))
            bound.append((step.launch, kernel))
        return Launches(self, bound, buffers)

    def load(self, function: str, arrays: Sequence[np.ndarray]) -> tuple[list[Any], Launches]:
        """Return copies of ``arrays`` on the device, a function's parameters in order, the results among
        them, and its launches on these."""
        buffers = [self.upload(array) for array in arrays]
        spaces = [self.buffer(size) for size in self.functions[function].workspaces]
        numbers = range(len(buffers))
        steps = self.steps(function, numbers, range(len(buffers), len(buffers) + len(spaces)))
        return buffers, self.bind(steps, [*buffers, *spaces])

    def call(self, function: str, arrays: Sequence[np.ndarray]) -> tuple[list[np.ndarray], Launches]:
        """Run a function once on copies of ``arrays``, its parameters in order, the results among them.

        Returns what is in the parameters' buffers afterwards, and the launches, to be timed.
        """
        buffers, launches = self.load(function, arrays)
        launches.run()
        return [self.download(b, a.shape, a.dtype) for b, a in zip(buffers, arrays, strict=True)], launches

    def download(self, buffer: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return a buffer's bytes as an array, when all that was launched before is done."""
        array = np.empty(shape, dtype)
        if array.nbytes:
            self._checked(opencl().enqueue_copy, self.queue, array, buffer)
        return array

    def copy_in(self, buffer: Any, array: np.ndarray) -> None:
        """Copy an array to a buffer, before all that is launched afterwards."""
        if array.nbytes:
            self._checked(opencl().enqueue_copy, self.queue, buffer, np.ascontiguousarray(array))

    def _new_buffer(self, size: int, array: np.ndarray | None) -> Any:
        largest = self.device.max_mem_alloc_size
        if size > largest:
            raise DeviceError(
                f"{label_of(self.device)} has buffers of at most {largest} bytes; one of {size} is needed"
            )
        cl = opencl()
        flags = cl.mem_flags.READ_WRITE
        if array is None or not size:
            return self._checked(cl.Buffer, self.queue.context, flags, max(size, 1))
        copied = flags | cl.mem_flags.COPY_HOST_PTR
        return self._checked(cl.Buffer, self.queue.context, copied, hostbuf=array)

    def _checked(self, action: Any, *arguments: Any, **named: Any) -> Any:
        cl = opencl()
        try:
            return action(*arguments, **named)
        except (cl.Error, MemoryError) as error:
            let_through(error)
            raise DeviceError(f"{label_of(self.device)}: {first_line(error)}") from error


class Launches:
    """Kernels bound to their buffers, in order."""

    def __init__(
        self, program: DeviceProgram, bound: list[tuple[Launch, Any]], buffers: Sequence[Any]
    ) -> None:
        # A kernel does not keep what its arguments are alive.
        self.program, self.bound, self._buffers = program, bound, tuple(buffers)
        self._sizes = [(kernel, launch.items, launch.group) for launch, kernel in bound]

    @property
    def kernels(self) -> list[str]:
        """Return the kernels' names, in order of launch."""
        return [launch.kernel for launch, _ in self.bound]

    def enqueue(self) -> list[pyopencl.Event]:
        """Launch all and return their events, without waiting. Raises DeviceError for what the device
        refuses."""
        launch, queue = opencl().enqueue_nd_range_kernel, self.program.queue
        return [self.program._checked(launch, queue, *sizes) for sizes in self._sizes]

    def run(self, calls: int = 1) -> list[float]:
        """Launch all so often, wait, and return the mean seconds that each kernel took on the device, by its
        own clock."""
        events = [self.enqueue() for _ in range(calls)]
        self.program._checked(self.program.queue.finish)
        return [sum(map(_seconds, of_kernel)) / calls for of_kernel in zip(*events, strict=True)]


def check_launch(launch: Launch, device: Any) -> None:
    """Raise DeviceError for a work group that is larger than the device's."""
    most, along = device.max_work_group_size, tuple(device.max_work_item_sizes)
    size = int(np.prod(launch.group))
    if size > most or any(n > limit for n, limit in zip(launch.group, along, strict=False)):
        raise DeviceError(
            f"kernel '{launch.kernel}' has work groups of {' x '.join(map(str, launch.group))}; "
            f"{label_of(device)} has at most {most}, and {' x '.join(map(str, along))} along the axes: "
            f"compile for it ('opencl -device=native')"
        )


def _seconds(event: Any) -> float:
    return (event.profile.end - event.profile.start) * NANOSECONDS


def _fault(error: Exception) -> str:
    """The first error that a compiler tells of."""
    lines = (line.strip() for line in str(error).splitlines())
    return next((line for line in lines if "error:" in line), first_line(error))


def shared_workspaces(functions: Mapping[str, DeviceFunction], called: Iterable[str]) -> list[int]:
    """Return the bytes of workspaces that serve all functions called one after the other, the largest
    first."""
    wanted = [sorted(functions[name].workspaces, reverse=True) for name in called]
    slots = max(map(len, wanted), default=0)
    return [max((sizes[slot] for sizes in wanted if slot < len(sizes)), default=0) for slot in range(slots)]
