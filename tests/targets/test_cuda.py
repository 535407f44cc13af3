"""CUDA kernels: compiled by nvrtc, and launched by a driver that is made up here, as there is no GPU."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
import tvm
from emulation.cuda import ATTRIBUTES, MEMORY_BYTES, REFUSED, ComputingGpu, Gpu, installed
from test_devices import SIZE, two_stages
from tuning_support import lines_of

import tvm_directconv as directconv
from tvm_directconv.algorithms.lift.algorithm import Lift
from tvm_directconv.devices import cuda, cuda_driver, nvrtc
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import DeviceError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import resolve_gpu_target

GOLDEN = Path(__file__).parents[1] / "golden" / "lift_cuda.cu"


class TwoStages(Gpu):
    """Its two kernels are those of ``two_stages``."""

    def compute(self, name, sizes, arguments):
        pointers = [ctypes.c_uint64.from_address(each).value for each in arguments]
        first, second = (np.ctypeslib.as_array((ctypes.c_float * SIZE).from_address(p)) for p in pointers)
        if name == "main_kernel":
            second[:] = first * 2
        else:
            first[:] = second + 1


@pytest.fixture
def gpu(monkeypatch):
    return installed(monkeypatch, TwoStages())


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
    monkeypatch.setattr(TwoStages, "cuLaunchKernel", lambda *given: REFUSED)
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
    installed(monkeypatch, TwoStages())
    machine, any_gpu = (resolve_gpu_target(f"cuda{of}").machine for of in (" -device=native", ""))
    assert machine.clock_mhz == any_gpu.clock_mhz
    assert machine.sources["clock_mhz"] == any_gpu.sources["clock_mhz"]
    assert machine.fma_per_cycle == 64, "7.6 is unknown, and taken for a 7.5"


def test_points_are_tuned_by_the_gpus_clock_and_checked(monkeypatch, tmp_path):
    layer = Conv2dWorkload(1, 5, 5, 4, 8, (3, 3), padding=(1, 1, 1, 1))
    path = tmp_path / "r.jsonl"
    installed(monkeypatch, ComputingGpu())
    (tuned,) = directconv.tune(layer, "cuda", 2, path).layers
    assert tuned.trials == 2 and tuned.best is not None and tuned.gain == 1
    for record in lines_of(path):
        kernels = 1 + (record["knobs"]["pad"] == "kernel") + (record["knobs"]["crop"] == "kernel")
        partial = record["knobs"]["sum"] == "kernel"
        assert record["seconds"] == [pytest.approx(0.0005 * (kernels + partial))]
    monkeypatch.setattr(ComputingGpu, "compute", lambda *launch: None)
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


def test_halves_compile_without_a_toolkit():
    layer = Conv2dWorkload(1, 5, 5, 6, 8, (3, 3), dtype="float16")
    target = resolve_gpu_target("cuda")
    plan = Lift().plan(layer, target)
    module = tvm.IRModule({"layer": plan.schedule(plan.compute())})
    assert nvrtc.compile_cuda(lower_kernels(module, target.tvm_target).source, "sm_90").startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("source", "arch", "said"),
    [("garbage(", "sm_90", r"kernels.cu\(1\): error"), ("", "sm_1", "invalid value for --gpu-architecture")],
)
def test_what_the_compiler_refuses_is_told_with_its_reason(source, arch, said):
    with pytest.raises(DeviceError, match=f"nvrtc refuses the kernels for {arch}.*{said}"):
        nvrtc.compile_cuda(source, arch)
