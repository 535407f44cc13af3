"""CUDA kernels: compiled by nvrtc, and launched by a driver that is made up here, as there is no GPU."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from test_devices import SIZE, two_stages
from tuning_support import lines_of

import tvm_directconv as directconv
from relay_strategies.tuning.reference import drawn_operands, reference_output
from tvm_directconv.devices import cuda, cuda_driver, nvrtc
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import DeviceError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

GOLDEN = Path(__file__).parents[1] / "golden" / "lift_cuda.cu"
DONE, OUT_OF_MEMORY, REFUSED = 0, 2, 1
ATTRIBUTES = {
    **{1: 1024, 2: 1024, 3: 1024, 4: 64, 8: 49152, 10: 32, 39: 2048, 75: 9, 76: 0, 82: 65536},
    **{13: 1_980_000, 16: 132, 36: 2_619_000, 37: 5120, 38: 52_428_800},
}
"""What an H100 says, by the numbers of the driver's interface."""
MEMORY_BYTES = 85_520_809_984


class Gpu:
    """The driver's functions on the host's memory; its two kernels are those of ``two_stages``."""

    def __init__(self):
        self.memory, self.kernels, self.launches, self.clock = {}, [], [], 0.0

    def __getattr__(self, name):
        if not name.startswith("cu"):
            raise AttributeError(name)
        return lambda *arguments: DONE

    def cuDeviceGetName(self, name, size, device):
        name.value = b"made up"
        return DONE

    def cuDeviceGetAttribute(self, value, number, device):
        value._obj.value = ATTRIBUTES[number]
        return DONE

    def cuDeviceTotalMem_v2(self, size, device):
        size._obj.value = MEMORY_BYTES
        return DONE

    def cuMemAlloc_v2(self, pointer, size):
        if size.value > 1 << 30:
            return OUT_OF_MEMORY
        memory = ctypes.create_string_buffer(size.value)
        pointer._obj.value = ctypes.addressof(memory)
        self.memory[pointer._obj.value] = memory
        return DONE

    def cuMemFree_v2(self, pointer):
        del self.memory[pointer.value]
        return DONE

    def cuMemcpyHtoD_v2(self, to, given, size):
        ctypes.memmove(to.value, given, size.value)
        return DONE

    def cuMemcpyDtoH_v2(self, to, given, size):
        ctypes.memmove(to, given.value, size.value)
        return DONE

    def cuModuleLoadData(self, module, binary):
        assert binary.startswith(b"\x7fELF")
        return DONE

    def cuModuleGetFunction(self, kernel, module, name):
        self.kernels.append(name.decode())
        kernel._obj.value = len(self.kernels)
        return DONE

    def cuLaunchKernel(self, kernel, *given):
        *sizes, _shared, _stream, arguments, _extra = given
        name = self.kernels[kernel.value - 1]
        self.launches.append((name, tuple(size.value for size in sizes)))
        self.compute(name, [ctypes.c_uint64.from_address(each).value for each in arguments])
        return DONE

    def compute(self, name, pointers):
        first, second = (np.ctypeslib.as_array((ctypes.c_float * SIZE).from_address(p)) for p in pointers)
        if name == "main_kernel":
            second[:] = first * 2
        else:
            first[:] = second + 1

    def cuEventElapsedTime(self, milliseconds, start, end):
        milliseconds._obj.value = 0.5
        return DONE

    def cuGetErrorString(self, status, text):
        text._obj.value = {OUT_OF_MEMORY: b"out of memory", REFUSED: b"invalid argument"}[status]
        return DONE


class OneLayer(Gpu):
    """Its kernels leave ``answer`` in what was never written, and is as large."""

    answer: np.ndarray

    def compute(self, name, pointers):
        for pointer in pointers:
            floats = np.frombuffer(self.memory[pointer], np.float32)
            if floats.size == self.answer.size and np.isnan(floats).all():
                floats[:] = self.answer.ravel()


@pytest.fixture
def gpu(monkeypatch):
    return installed(monkeypatch, Gpu())


def installed(monkeypatch, made):
    found = cuda_driver.Driver(made)
    monkeypatch.setattr(cuda_driver, "driver", lambda: found)
    return made


def kernels():
    return lower_kernels(two_stages(), resolve_gpu_target("cuda -model=h200").tvm_target)


def test_launches_have_their_sizes_and_buffers_and_tell_their_time(gpu):
    data = np.arange(SIZE, dtype=np.float32)
    program = cuda.program_for(kernels())
    (same, result), launches = program.call("main", [data, np.zeros_like(data)])
    np.testing.assert_array_equal(same, data)
    np.testing.assert_array_equal(result, data * 2 + 1)
    assert gpu.launches == [("main_kernel", (4, 1, 1, 16, 1, 1)), ("main_kernel_1", (4, 1, 1, 16, 1, 1))]
    assert launches.run(3) == [0.0005, 0.0005] and len(gpu.launches) == 8
    del program, launches
    assert not gpu.memory, "what is used no more is freed"


def test_what_the_driver_refuses_is_one_error(gpu, monkeypatch):
    with pytest.raises(DeviceError, match="cuMemAlloc_v2: out of memory"):
        cuda.program_for(kernels()).buffer(1 << 40)
    monkeypatch.setattr(Gpu, "cuLaunchKernel", lambda *given: REFUSED)
    with pytest.raises(DeviceError, match="cuLaunchKernel: invalid argument"):
        cuda.program_for(kernels()).call("main", [np.zeros(SIZE, np.float32)] * 2)


@pytest.mark.parametrize("text", ["cuda -device=native", "cuda -machine=native"])
def test_a_gpu_at_hand_tells_its_own_limits(gpu, text):
    target = resolve_gpu_target(text)
    described, machine = resolve_gpu_target("cuda -model=h200").machine, target.machine
    assert str(target) == text and str(target.tvm_target.attrs["arch"]) == "sm_90"
    for number in ("compute_units", "fma_per_cycle", "clock_mhz", "cache_bytes", "registers_per_thread"):
        assert getattr(machine, number) == getattr(described, number), number
        assert machine.sources[number] == "reported by made up (CUDA, sm_90)"
    assert machine.largest_buffer_bytes == MEMORY_BYTES
    assert machine.bandwidth_gb_s == pytest.approx(3352, rel=1e-3)


def test_what_a_gpu_does_not_tell_is_its_class_s(monkeypatch):
    for number, value in {13: 0, 75: 7, 76: 6}.items():
        monkeypatch.setitem(ATTRIBUTES, number, value)
    installed(monkeypatch, Gpu())
    machine, any_gpu = (resolve_gpu_target(f"cuda{of}").machine for of in (" -device=native", ""))
    assert machine.clock_mhz == any_gpu.clock_mhz
    assert machine.sources["clock_mhz"] == any_gpu.sources["clock_mhz"]
    assert machine.fma_per_cycle == 64, "7.6 is unknown, and taken for a 7.5"


def test_points_are_tuned_by_the_gpus_clock_and_checked(monkeypatch, tmp_path):
    layer = Conv2dWorkload(1, 5, 5, 4, 8, (3, 3), padding=(1, 1, 1, 1))
    gpu, path = installed(monkeypatch, OneLayer()), tmp_path / "r.jsonl"
    gpu.answer = reference_output(layer, *drawn_operands(layer))
    (tuned,) = directconv.tune(layer, "cuda", 2, path).layers
    assert tuned.trials == 2 and tuned.best is not None and tuned.gain == 1
    for record in lines_of(path):
        kernels = 1 + (record["knobs"]["pad"] == "kernel") + (record["knobs"]["crop"] == "kernel")
        partial = record["knobs"]["sum"] == "kernel"
        assert record["seconds"] == [pytest.approx(0.0005 * (kernels + partial))]
    gpu.answer = gpu.answer + 1
    directconv.tune(layer, "cuda", 1, tmp_path / "wrong.jsonl")
    assert "wrong result" in lines_of(tmp_path / "wrong.jsonl")[0]["error"]


def test_a_missing_driver_and_a_missing_compiler_are_told(monkeypatch):
    monkeypatch.setattr(cuda_driver, "DRIVERS", ("libno_such_driver.so",))
    cuda_driver.driver.cache_clear()
    with pytest.raises(DeviceError, match="there is no CUDA driver"):
        cuda.program_for(kernels())
    monkeypatch.setattr(nvrtc, "_library", lambda: None)
    with pytest.raises(DeviceError, match=r"pip install 'tvm-directconv\[cuda\]'"):
        nvrtc.compile_cuda("", "sm_90")


def test_the_golden_source_compiles_without_a_toolkit():
    assert nvrtc.compile_cuda(GOLDEN.read_text(), "sm_90").startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("source", "arch", "said"),
    [("garbage(", "sm_90", r"kernels.cu\(1\): error"), ("", "sm_1", "invalid value for --gpu-architecture")],
)
def test_what_the_compiler_refuses_is_told_with_its_reason(source, arch, said):
    with pytest.raises(DeviceError, match=f"nvrtc refuses the kernels for {arch}.*{said}"):
        nvrtc.compile_cuda(source, arch)
