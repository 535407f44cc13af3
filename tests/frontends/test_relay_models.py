"""Whole Relay models: TVM 0.18's own outputs again, through every way in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi
from click.testing import CliRunner
from graph_support import draw, operators, run_by_plain_tvm
from relay_printer import print_module
from relay_support import (
    NAMES,
    SAMPLES,
    close,
    compiled,
    program,
    sample_input,
    sample_output,
    sample_params,
    sample_text,
)
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.frontends.parameters import load_params, read_params
from relay_strategies.frontends.relay.parser import parse
from tvm_directconv import from_relay
from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import ModelError

SAMPLE_TOLERANCE = 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_samples_give_tvm_0_18s_outputs(name: str) -> None:
    model = directconv.compile(SAMPLES / f"{name}.relay", params=sample_params(name))
    assert model.input_names == ("data",)
    (output,) = model.run({"data": sample_input(name)})
    close(output.reshape(-1)[:1000], sample_output(name).reshape(-1), SAMPLE_TOLERANCE)


def test_samples_mean_tvm_0_18s_outputs_without_this_library() -> None:
    module = from_relay(sample_text("mlp"), SAMPLES / "mlp.params")
    (output,) = run_by_plain_tvm(module, [sample_input("mlp")])
    close(output.reshape(-1), sample_output("mlp").reshape(-1), SAMPLE_TOLERANCE)


def test_parameters_come_from_a_file_or_a_dict() -> None:
    path = SAMPLES / "mlp.params"
    drawn, read = sample_params("mlp"), load_params(path)
    assert set(drawn) == set(read)
    for name, array in read.items():
        np.testing.assert_array_equal(array, drawn[name])
    for name, tensor in tvm.runtime.load_param_dict(path.read_bytes()).items():
        np.testing.assert_array_equal(tensor.numpy(), read[name])
    module = from_relay(sample_text("mlp"), drawn)
    tensors = {name: tvm.runtime.tensor(array) for name, array in drawn.items()}
    for params in (path, str(path), path.read_bytes(), tensors):
        assert tvm_ffi.structural_equal(from_relay(sample_text("mlp"), params), module)


def test_params_files_of_todays_tvm_are_read() -> None:
    arrays = {
        "a": np.arange(6, dtype=np.int8).reshape(2, 3),
        "b": np.array(2.5, np.float64),
        "c": draw(2, 1, 3).astype(np.float16),
    }
    data = tvm.runtime.save_param_dict({name: tvm.runtime.tensor(a) for name, a in arrays.items()})
    found = read_params(bytes(data), "the file")
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_parameters_may_be_inside_the_text() -> None:
    weight = draw(4, 3, 3, 3)
    text = program("nn.conv2d(%x, meta[relay.Constant][0], padding=[1, 1])", {"x": draw(1, 3, 6, 6)})
    printed = print_module(parse(text), [weight])
    expected = compiled("nn.conv2d(%x, %w, padding=[1, 1])", {"x": draw(1, 3, 6, 6)}, {"w": weight})
    (found,) = directconv.compile(printed).run(draw(1, 3, 6, 6))
    close(found, expected[0], 1e-6)


def test_a_migrated_module_is_plain_relax() -> None:
    module = from_relay(sample_text("mlp"), sample_params("mlp"))
    relax.analysis.well_formed(module)  # raises where it is not
    assert operators(module) == {
        **{"reshape": 1, "permute_dims": 3, "matmul": 3, "add": 3},
        **{"nn.relu": 2, "nn.softmax": 1},
    }
    assert list(module["main"].attrs["input_names"]) == ["data"]


def test_without_params_weights_stay_inputs() -> None:
    text = sample_text("mlp")
    module = from_relay(text)
    names = [parameter.name for parameter in parse(text).definitions[0].function.parameters]
    assert list(module["main"].attrs["input_names"]) == names
    inputs = {"data": sample_input("mlp"), **sample_params("mlp")}
    (output,) = run_by_plain_tvm(module, [inputs[name] for name in names])
    close(output.reshape(-1), sample_output("mlp").reshape(-1), SAMPLE_TOLERANCE)
    with pytest.raises(ModelError, match="weights without a value: %fc1_weight"):
        directconv.compile(text)


def test_names_of_inputs_outputs_and_layers() -> None:
    x, w = draw(1, 3, 6, 6), draw(4, 3, 3, 3)
    text = program(
        "%0 = nn.conv2d(%gpu_0/data, %w) /* span=first/conv:0:0 */; "
        "%1 = nn.conv2d(%gpu_0/data, %w); let %third = nn.conv2d(%gpu_0/data, meta[relay.Constant][0]); "
        "(%0, %1, %third)",
        {"gpu_0/data": x, "w": w},
    )
    model = directconv.compile(text + _section(w), params={"w": w})
    assert model.input_names == ("gpu_0/data",)
    assert model.output_names == ("output0", "output1", "output2")
    assert [layer.name for layer in model.report().layers] == ["first/conv", "w", "third"]
    for output in model.run(x):
        close(output, compiled("nn.conv2d(%x, %w)", {"x": x}, {"w": w})[0], 1e-6)


def _section(*constants: np.ndarray) -> str:
    text = print_module(parse("def @main() { 1 }"), constants)
    return text[text.index("#[metadata]") :]


def test_parameters_are_found_by_the_names_the_printer_gave_them() -> None:
    """Names that begin with a digit were printed with a v before them."""
    x, w = draw(2, 5), draw(3, 5)
    text = program("nn.dense(%x, %v0.weight)", {"x": x, "v0.weight": w})
    (output,) = directconv.compile(text, params={"0.weight": w}).run(x)
    close(output, x @ w.T)


def test_functions_are_inlined_and_lets_are_chained() -> None:
    x, w = draw(2, 5), draw(5, 5)
    text = """
    #[version = "0.0.5"]
    def @scaled(%a: Tensor[(2, 5), float32], %k: float32) -> Tensor[(2, 5), float32] {
      multiply(%a, %k)
    }
    def @main(%x: Tensor[(2, 5), float32], %w: Tensor[(5, 5), float32]) -> (Tensor[(2, 5), float32],) {
      let %layer = fn (%v: Tensor[(2, 5), float32], Primitive=1) {
        %0 = nn.dense(%v, %w);
        nn.relu(%0)
      };
      let %t = (%layer(%x), @scaled(%x, 3f));
      %1 = fn (%p: Tensor[(2, 5), float32], Compiler="none", global_symbol="g") { @scaled(%p, -1f) };
      let %sum = add(%t.0, %1(%t.1));
      (%sum,)
    }
    """
    (output,) = directconv.compile(text, params={"w": w}).run(x)
    close(output, np.maximum(x @ w.T, 0) - 3 * x)


def test_a_bare_function_and_free_variables_are_models() -> None:
    x = draw(2, 5)
    for text in (
        "fn (%x: Tensor[(2, 5), float32]) { nn.relu(%x) }",
        "free_var %x: Tensor[(2, 5), float32];\n%0 = nn.relu(%x); %0",
    ):
        (output,) = directconv.compile(text).run({"x": x})
        close(output, np.maximum(x, 0))


def test_every_form_of_a_model_is_recognised(tmp_path: Path) -> None:
    x = draw(2, 5)
    text = program("nn.relu(%x)", {"x": x})
    for name in ("model.relay", "model.txt"):
        path = tmp_path / name
        path.write_text(text)
        for form in (path, str(path)):
            close(directconv.compile(form).run(x), np.maximum(x, 0))
    close(directconv.compile(text).run(x), np.maximum(x, 0))


def test_params_files_serve_relax_modules_too() -> None:
    module = from_relay(sample_text("mlp"))
    model = directconv.compile(module, params=SAMPLES / "mlp.params")
    (output,) = model.run({"data": sample_input("mlp")})
    close(output.reshape(-1), sample_output("mlp").reshape(-1), SAMPLE_TOLERANCE)


def test_the_command_line_takes_params(tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", sample_input("mlp"))
    arguments = [
        *("run", str(SAMPLES / "mlp.relay"), "--params", str(SAMPLES / "mlp.params")),
        *("--input", f"data={tmp_path / 'data.npy'}", "--output", str(tmp_path), "--rounds", "1"),
    ]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    close(np.load(tmp_path / "output.npy").reshape(-1), sample_output("mlp").reshape(-1), SAMPLE_TOLERANCE)
    result = CliRunner().invoke(main, arguments[:2])
    assert (
        result.exit_code == 1 and "weights without a value: %fc1_weight (line 2, column 92)" in result.stderr
    )
