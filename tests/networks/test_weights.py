"""Weights on their way into a network and from the cache: the same values, at addresses kernels can read."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
import tvm
from graph_support import draw
from onnx import helper, numpy_helper
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.c_export.launches import Weights
from relay_strategies.compiler.library.weights import LEAST_BYTES, placed, read
from relay_strategies.relax.graph import constant, make_constant
from tvm_directconv.cache import FOLDER, SWITCH
from tvm_directconv.memory import (
    ALIGNMENT,
    LARGE_PAGE,
    file_memory,
    large_memory,
    large_zeros,
    memory_of,
    page_aligned,
)


def large(dtype: str = "float32") -> np.ndarray:
    count = LARGE_PAGE // np.dtype(dtype).itemsize + 64
    return (np.arange(count) % 101).astype(dtype)


@pytest.mark.parametrize("size", [0, 1, 4096, LARGE_PAGE - 1, LARGE_PAGE, LARGE_PAGE + 1])
def test_memory_is_of_the_size_asked_for(size: int) -> None:
    memory = large_memory(size)
    assert len(memory) == size and not any(memory[:: max(1, size // 7)])
    assert size == 0 or np.frombuffer(memory, np.uint8).ctypes.data % mmap_page() == 0


def mmap_page() -> int:
    import mmap

    return mmap.PAGESIZE


def test_large_memory_may_have_large_pages() -> None:
    """The kernel says of each range of addresses whether it may."""
    setting, ranges = Path("/sys/kernel/mm/transparent_hugepage/enabled"), Path("/proc/self/smaps")
    if not (setting.exists() and ranges.exists()) or "[never]" in setting.read_text():
        pytest.skip("this system has no large pages on request")
    memory = np.frombuffer(large_memory(4 * LARGE_PAGE), np.uint8)
    begin = f"{memory.ctypes.data:x}-"
    _, found, after = ("\n" + ranges.read_text()).partition(f"\n{begin}")
    said = next((line for line in after.splitlines() if line.startswith("THPeligible:")), None)
    if not found or said is None:
        pytest.skip("this kernel does not say so, or of a larger range")
    assert said.split()[1] == "1"


@pytest.mark.parametrize("size", [0, 5, LARGE_PAGE, LARGE_PAGE + 5])
def test_a_files_memory_is_what_it_was(size: int, tmp_path: Path) -> None:
    """Another file in its place, or its end, changes nothing; and large ones are the file's own pages."""
    path, content = tmp_path / "file", np.random.default_rng(size).bytes(size)
    path.write_bytes(content)
    with path.open("rb") as file:
        memory = file_memory(file)
    maps = Path("/proc/self/maps")
    if maps.exists() and size:
        (begin,) = {line for line in maps.read_text().splitlines() if str(path) in line} or {"-"}
        address = np.frombuffer(memory, np.uint8).ctypes.data
        assert begin.startswith(f"{address:x}-") == (size >= LARGE_PAGE)
    (tmp_path / "other").write_bytes(bytes(size))
    (tmp_path / "other").replace(path)
    path.unlink()
    assert bytes(memory) == content


VIEWS = {
    "whole": lambda array: array,
    "transposed": lambda array: array.reshape(64, -1).T,
    "every second": lambda array: np.repeat(array, 2)[::2],
    "of its end": lambda array: np.concatenate([array, array])[7:],
    "small": lambda array: array[:5],
}


@pytest.mark.parametrize("dtype", ["float32", "uint8", "float16", "int64", "bool"])
@pytest.mark.parametrize("view", VIEWS)
def test_constants_hold_an_arrays_values(view: str, dtype: str) -> None:
    for array in (VIEWS[view](large(dtype)), VIEWS[view](page_aligned(large(dtype)))):
        made = make_constant(array)
        assert made.value.data_ptr() % ALIGNMENT == 0
        got = constant(made)
        assert got is not None and got.dtype == array.dtype and np.array_equal(got, array)


def test_what_is_page_aligned_is_not_copied() -> None:
    once = page_aligned(large())
    assert memory_of(once) is not None and page_aligned(once) is once
    assert make_constant(once).value.data_ptr() == once.ctypes.data
    # What begins elsewhere is, and so is a large part that kernels could not read.
    shifted = page_aligned(np.concatenate([once, once]))[1:]
    moved = page_aligned(shifted)
    assert moved.ctypes.data % ALIGNMENT == 0 and np.array_equal(moved, shifted)
    assert moved is not shifted
    assert memory_of(large_zeros((3,), np.dtype("float32"))) is None


def test_weights_are_read_as_they_were_written() -> None:
    arrays = [large(), np.arange(3, dtype="uint8"), large("float16")[:70000].reshape(7, -1), np.float32(3)]
    tensors = [make_constant(np.asarray(array)).value for array in arrays]
    among = Weights()
    kinds = placed(tensors, among)
    memory = large_memory(among.size)
    memory[:] = among.content()
    got = read(memory, kinds)
    for tensor, array in zip(got, arrays, strict=True):
        # As a kernel sees it, which knows of no offset.
        assert tensor.data_ptr() % ALIGNMENT == 0
        assert np.array_equal(np.from_dlpack(tensor), array)
        pointer = np.frombuffer(memory, np.uint8).ctypes.data
        assert pointer <= tensor.data_ptr() < pointer + len(memory)
    assert len({tensor.data_ptr() for tensor in got}) == len(got)
    assert placed(tensors, among) == kinds and among.size == len(memory)  # equal ones are there once
    assert read(memoryview(b""), placed([], Weights())) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")
def test_a_network_of_large_weights_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH)
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    generator = np.random.default_rng(0)
    shapes = {"a": (64, 64, 3, 3), "b": (64, 64, 3, 3), "c": (64, 96, 1, 1)}
    weights = {name: (generator.random(shape) - 0.5).astype(np.float32) for name, shape in shapes.items()}
    weights["c"] = np.ascontiguousarray(weights["c"][:, :64])
    assert weights["a"].nbytes >= LEAST_BYTES
    nodes = [
        helper.make_node("Conv", ["x", "a"], ["p"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["p", "b"], ["q"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["q", "c"], ["y"]),
    ]
    kind = onnx.TensorProto.FLOAT
    given = helper.make_tensor_value_info("x", kind, [1, 64, 6, 6])
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(
        nodes, "large", [given], [helper.make_tensor_value_info("y", kind, None)], tensors
    )
    path = tmp_path / "large.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    image = draw(1, 64, 6, 6)
    anew, first, second = (directconv.compile(path, cache=cached) for cached in (False, True, True))
    wanted = anew.run(image)
    for number, model in enumerate((first, second)):
        assert isinstance(model.executable, relax.VMExecutable)
        assert all(map(np.array_equal, model.run(image), wanted))
        machine = relax.VirtualMachine(model.executable, tvm.cpu())
        assert np.array_equal(machine["main"](tvm.runtime.tensor(image)).numpy(), wanted[0])
        model.export_library(tmp_path / f"{number}.so")
        assert all(map(np.array_equal, directconv.load(tmp_path / f"{number}.so").run(image), wanted))
