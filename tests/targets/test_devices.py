"""Kernels lowered to source, and launched on the OpenCL device at hand."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import tvm
from tvm import te
from tvm.s_tir import Schedule

from tvm_directconv.devices import opencl
from tvm_directconv.devices.device_program import DeviceProgram, check_launch, shared_workspaces
from tvm_directconv.devices.source import DeviceFunction, DeviceKernels, Launch, lower_kernels
from tvm_directconv.errors import DeviceError
from tvm_directconv.targets.gpu import resolve_gpu_target

SIZE, LANES = 256, 4


def two_stages(threads=16):
    """(A * 2 + 1) in two kernels, whose parameters have one name and whose argument orders differ."""
    a = te.placeholder((SIZE,), name="A")
    b = te.compute((SIZE,), lambda i: a[i] * 2.0, name="B")
    c = te.compute((SIZE,), lambda i: b[i] + 1.0, name="A")
    sch = Schedule(te.create_prim_func([a, c]))
    for block in ("B", "A"):
        (loop,) = sch.get_loops(sch.get_sblock(block))
        outer, inner, lane = sch.split(loop, [None, threads, LANES])
        sch.bind(outer, "blockIdx.x")
        sch.bind(inner, "threadIdx.x")
        sch.vectorize(lane)
    return sch.mod["main"]


def test_a_function_is_its_launches_its_order_of_arguments_and_its_workspace():
    kernels = lower_kernels(two_stages(), resolve_gpu_target("opencl -device=mali").tvm_target)
    (function,) = kernels.functions.values()
    assert function == DeviceFunction(
        parameters=2,
        workspaces=(SIZE * 4,),
        launches=(
            Launch("main_kernel", (0, 2), (4, 1, 1), (16, 1, 1)),
            Launch("main_kernel_1", (1, 2), (4, 1, 1), (16, 1, 1)),
        ),
    )
    assert function.launches[0].items == (64, 1, 1)
    assert kernels.source.count("__kernel void main_kernel_1(") == 1


@pytest.mark.parametrize(
    ("target", "word"),
    [("opencl -device=adreno", "vload4"), ("cuda -model=h200", "__launch_bounds__(16) main_kernel(")],
)
def test_other_targets_give_source_of_the_same_launches(target, word):
    kernels = lower_kernels(two_stages(), resolve_gpu_target(target).tvm_target)
    assert word in kernels.source
    assert [launch.groups for launch in kernels.functions["main"].launches] == [(4, 1, 1)] * 2


def test_functions_have_opencls_names():
    a = te.placeholder((SIZE,), name="A")
    sch = Schedule(te.create_prim_func([a, te.compute((SIZE,), lambda i: tvm.tirx.acosh(a[i]), name="B")]))
    sch.bind(sch.get_loops(sch.get_sblock("B"))[0], "threadIdx.x")
    program = DeviceProgram(lower_kernels(sch.mod["main"], resolve_gpu_target("opencl").tvm_target))
    data = np.linspace(1, 9, SIZE, dtype=np.float32)
    (_, result), _ = program.call("main", [data, np.zeros_like(data)])
    np.testing.assert_allclose(result, np.arccosh(data), rtol=1e-5, atol=1e-6)


def test_kernels_run_and_tell_their_time():
    program = DeviceProgram(lower_kernels(two_stages(), resolve_gpu_target("opencl").tvm_target))
    data = np.random.default_rng(0).standard_normal(SIZE, np.float32)
    (same, result), launches = program.call("main", [data, np.zeros_like(data)])
    np.testing.assert_array_equal(same, data)
    np.testing.assert_allclose(result, data * 2 + 1, rtol=1e-6)
    assert launches.kernels == ["main_kernel", "main_kernel_1"]
    assert all(0 < seconds < 1 for seconds in launches.run())


def test_functions_of_one_module_are_one_source():
    module = tvm.IRModule({"first": two_stages(), "second": two_stages(8)})
    kernels = lower_kernels(module, resolve_gpu_target("opencl").tvm_target)
    names = [launch.kernel for function in kernels.functions.values() for launch in function.launches]
    assert set(kernels.functions) == {"first", "second"} and len(set(names)) == 4
    assert shared_workspaces(kernels.functions, ["first", "second", "first"]) == [SIZE * 4]


def test_workspaces_are_shared_by_size():
    functions = {name: DeviceFunction(0, sizes, ()) for name, sizes in {"a": (1, 9), "b": (5, 5, 2)}.items()}
    assert shared_workspaces(functions, ["a", "b"]) == [9, 5, 2]
    assert shared_workspaces(functions, []) == []


def unbound():
    a = te.placeholder((SIZE,), name="A")
    return te.create_prim_func([a, te.compute((SIZE,), lambda i: a[i] * 2.0, name="B")])


FAULTS = {
    "not contain a kernel": lambda: lower_kernels(unbound(), resolve_gpu_target("opencl").tvm_target),
    "kernels of cuda cannot be launched here": lambda: DeviceProgram(DeviceKernels("cuda", "", {})),
    "refuses the kernels": lambda: DeviceProgram(DeviceKernels("opencl", "__kernel void f( {", {})),
    "has buffers of at most": lambda: DeviceProgram(DeviceKernels("opencl", "", {})).buffer(1 << 60),
    "has work groups of 1000000 x 2 x 1": lambda: check_launch(
        Launch("f", (), (1, 1, 1), (1000000, 2, 1)), opencl.choose_device()
    ),
}


@pytest.mark.parametrize("said", FAULTS)
def test_what_a_device_refuses_is_one_error(said):
    with pytest.raises(DeviceError) as error:
        FAULTS[said]()
    assert said in str(error.value)


def test_a_missing_pyopencl_is_told_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    with pytest.raises(DeviceError, match=r"pip install 'tvm-directconv\[opencl\]'"):
        opencl.opencl()


class _Platforms:
    """pyopencl, of a machine with other devices."""

    Error = RuntimeError
    device_type = SimpleNamespace(GPU=4)

    def __init__(self, *devices):
        platform = SimpleNamespace(name="Platform", get_devices=lambda: list(self.devices))
        self.devices = [SimpleNamespace(name=name, type=kind, platform=platform) for name, kind in devices]
        self.platforms = [platform]

    def get_platforms(self):
        return self.platforms


@pytest.mark.parametrize(
    ("there", "word", "chosen"),
    [
        ([("cpu", 2)], None, "cpu"),
        ([("cpu", 2), ("gpu", 4)], None, "gpu"),
        ([("cpu", 2), ("gpu", 4)], "CPU", "cpu"),
        ([("first", 4), ("second", 4)], "second", "second"),
        ([("cpu", 2)], "gpu", None),
        ([], None, None),
    ],
)
def test_a_gpu_is_preferred_and_a_name_decides(monkeypatch, there, word, chosen):
    machine = _Platforms(*there)
    monkeypatch.setattr(opencl, "opencl", lambda: machine)
    monkeypatch.setattr(opencl, "devices", opencl.devices.__wrapped__)
    if chosen is None:
        with pytest.raises(DeviceError, match="there are Platform: cpu|finds no device"):
            opencl.choose_device(word)
    else:
        assert opencl.choose_device(word).name == chosen
