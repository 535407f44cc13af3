"""Networks of open sizes as C: one object for all sizes, the same numbers to the last bit, and nothing
touched beyond the workspace that it asks for."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from c_support import Linked, host_compiler, in_reverse, numbers
from cli_support import succeed
from emulation import CPUS
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto
from support import assert_matches
from test_open_lengths import encoder, gated, recurrent
from test_open_sizes import pyramid, residual
from test_tied_sizes import encoder_and_decoder, windows

import tvm_directconv as directconv
from relay_strategies.c_export.export import ExportedC
from relay_strategies.compiler import compiler
from relay_strategies.compiler.compilation import keeping_lowered
from tvm_directconv.errors import ModelError
from tvm_directconv.zoo.inputs import true_inputs

WRONG_SIZES = 4


class Case(NamedTuple):
    """A model, its typical sizes, sizes that are run, and some that the code does not take."""

    model: ModelProto
    typical: Mapping[str, int]
    taken: Sequence[Mapping[str, int]]
    refused: Sequence[Mapping[str, int]]


def returned() -> ModelProto:
    """Outputs that are an input, a result used elsewhere, and one value twice; a number that nobody reads."""
    nodes = [
        node("Relu", "x", "a"),
        node("Sigmoid", "a", "b"),
        node("Concat", "a b", "c", axis=1),
        node("Identity", "x", "y"),
        node("Identity", "a", "z"),
    ]
    return network(nodes, {"x": ("n", 3, "l")}, {f: ("n", 3, "l") for f in "yzab"} | {"c": ("n", 6, "l")}, {})


def sizes(*drawn: Sequence[int], names: str = "nhw") -> list[dict[str, int]]:
    return [dict(zip(names, each, strict=True)) for each in drawn]


CASES = {
    "a residual network": Case(residual(), {}, sizes([1], [2], [7], names="n"), sizes([0], names="n")),
    "a pyramid": Case(
        pyramid(), {"h": 64, "w": 64}, sizes((1, 64, 64), (2, 48, 80), (1, 97, 53)), sizes((1, 0, 9))
    ),
    "ties": Case(
        encoder_and_decoder().model,
        {"h": 32, "w": 48},
        sizes((1, 32, 48), (2, 52, 36), (3, 64, 24)),
        sizes((1, 34, 48), (1, 32, 47)),
    ),
    "windows": Case(windows().model, windows().typical, (), ()),
    "an encoder": Case(
        encoder(), {"l": 128}, sizes((1, 7), (3, 31), (2, 128), names="nl"), sizes((1, 161), names="nl")
    ),
    "LSTM": Case(recurrent("LSTM"), {"l": 16}, sizes((1, 16), (3, 31), names="nl"), ()),
    "gates": Case(gated(), {"l": 128}, sizes((1, 128), (3, 211), names="nl"), ()),
    "returned": Case(returned(), {"l": 32}, sizes((1, 32), (2, 5), names="nl"), ()),
}


def drawn(model: ModelProto, given: Mapping[str, int]) -> dict[str, np.ndarray]:
    """Inputs of these sizes."""
    inputs = {}
    for value in true_inputs(model.graph):
        kind = value.type.tensor_type
        shape = [dim.dim_value or given[dim.dim_param] for dim in kind.shape.dim]
        is_index = kind.elem_type == TensorProto.INT64
        inputs[value.name] = np.random.default_rng(3).integers(0, 50, shape) if is_index else draw(*shape)
    return inputs


def order(header: Path) -> list[str]:
    """The names of the sizes that functions take."""
    found = re.search(r"In this order: (.*)\.", header.read_text())
    assert found is not None
    return found[1].split(", ")


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_one_object_is_right_at_every_size(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made of what the model was lowered to when it was compiled."""
    case = CASES[name]
    with keeping_lowered():
        model = directconv.compile(case.model, typical=case.typical, cache=False)
        monkeypatch.setattr(compiler, "lower", None)
        exported = model.export_c(tmp_path)
    linked, names = Linked(exported), order(exported.header)
    assert linked.init() == 0
    input_bytes, output_bytes = (
        linked.function(f"{end}_bytes", ctypes.c_uint64) for end in ("input", "output")
    )
    extent = linked.function("output_extent", ctypes.c_int64)
    taken = case.taken or [dict(model.sizes[0].typical)]
    for given in taken:
        inputs, each = drawn(case.model, given), [given[size] for size in names]
        wanted = model.run(inputs)
        arrays = list(inputs.values())
        for count, threads in enumerate((1, 3)):
            outputs = model.size({key: value.shape for key, value in inputs.items()}).outputs
            parallel = in_reverse if count else None
            status, results = linked.run(arrays, outputs, parallel, threads, sizes=each)
            assert status == 0
            assert [a.tobytes() for a in results] == [b.tobytes() for b in wanted], given
        (told,) = numbers(each)
        assert [input_bytes(told, n) for n in range(len(arrays))] == [array.nbytes for array in arrays]
        assert [output_bytes(told, n) for n in range(len(wanted))] == [array.nbytes for array in wanted]
        shapes = [[extent(told, n, axis) for axis in range(array.ndim)] for n, array in enumerate(wanted)]
        assert shapes == [list(array.shape) for array in wanted]
        assert input_bytes(told, len(arrays)) == extent(told, len(wanted), 0) == extent(told, 0, 9) == 0
    assert len(model.sizes) == 1
    for given in case.refused:
        (told,) = numbers([given[size] for size in names])
        assert linked.workspace_bytes(told, 1) == output_bytes(told, 0) == 0
        assert linked.function("run")(ctypes.byref(linked.model), told, None, None, None) == WRONG_SIZES


def test_the_header_is_c_and_says_what_sizes_are(tmp_path: Path) -> None:
    case = CASES["ties"]
    exported = directconv.compile(case.model, typical=case.typical, cache=False).export_c(
        tmp_path, name="net"
    )
    header = exported.header.read_text()
    assert (
        "#define NET_SIZES 3\n" in header and "h % 4 == 0" in header and "NET_WORKSPACE_BYTES" not in header
    )
    assert "/* input 0, x: float[n][3][h][w] */" in header
    lines = [
        '#include "net.h"',
        "int64_t sizes[NET_SIZES];",
        "int main(void) { return net_run(0, sizes, 0, 0, 0); }",
    ]
    (tmp_path / "main.c").write_text("\n".join(lines))
    command = [host_compiler(), "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "main.c"]
    subprocess.run(command, cwd=tmp_path, check=True)


def program(exported: ExportedC, compiler: str) -> Path:
    """The tutorial's program for a network "net" of open sizes."""
    page = Path(__file__).parents[2] / "docs" / "tutorials" / "c.md"
    _, text = re.findall(r"```c\n(.*?)```", page.read_text(), re.DOTALL)
    folder = exported.header.parent
    (folder / "sizes.c").write_text(text)
    command = [compiler, "-O1", "-Wall", "-Werror", "sizes.c", exported.object.name, "-lm", "-o", "sizes"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "sizes"


@pytest.mark.slow
def test_the_tutorials_program_takes_any_size(tmp_path: Path) -> None:
    succeed(
        "export-c",
        "unet",
        tmp_path,
        *["--name", "net", "--shapes", "image=nx3xhxw", "--typical", "h=64,w=64"],
    )
    exported = ExportedC(tmp_path / "net.h", tmp_path / "net.o", None, 0, 0)
    sizes = program(exported, host_compiler())
    model = directconv.compile("unet", shapes={"image": ("n", 3, "h", "w")}, typical={"h": 64, "w": 64})
    for n, h, w in ((1, 64, 64), (2, 32, 80)):
        image = draw(n, 3, h, w)
        done = subprocess.run([sizes, *map(str, (n, h, w))], input=image.tobytes(), capture_output=True)
        assert done.returncode == 0 and done.stdout == model.run([image])[0].tobytes()
    done = subprocess.run([sizes, "1", "30", "32"], input=b"", capture_output=True)
    assert done.returncode == 3


@pytest.mark.emulated
@pytest.mark.parametrize("cpu", ["cortex-a57", "power9", "rvv"])
def test_other_cpus_take_any_size(cpu: str, tmp_path: Path) -> None:
    emulated = CPUS[cpu]
    emulated.architecture.require()
    case, target = CASES["ties"], emulated.target_string
    here = directconv.compile(case.model, typical=case.typical, cache=False)
    foreign = directconv.compile(case.model, target=target, typical=case.typical, cache=False)
    sizes = program(foreign.export_c(tmp_path, name="net"), emulated.architecture.compiler)
    command = [*emulated.emulator, str(sizes)]
    for given in case.taken:
        inputs = drawn(case.model, given)
        (wanted,) = here.run(inputs)
        (image,) = inputs.values()
        words = [str(given[size]) for size in order(tmp_path / "net.h")]
        done = subprocess.run([*command, *words], input=image.tobytes(), capture_output=True, check=True)
        assert_matches(np.frombuffer(done.stdout, np.float32).reshape(wanted.shape), wanted, f"{given}")


def test_what_depends_on_data_is_refused(tmp_path: Path) -> None:
    made = network(
        [node("Relu", "x", "a"), node("NonZero", "a", "b"), node("Cast", "b", "y", to=TensorProto.FLOAT)],
        {"x": ("n", 4)},
        {"y": (2, "m")},
        {},
    )
    with pytest.raises(ModelError, match="cannot be exported as C"):
        directconv.compile(made, cache=False).export_c(tmp_path)
    assert list(tmp_path.iterdir()) == []
