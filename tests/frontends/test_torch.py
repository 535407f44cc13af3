"""Modules and exported programs of PyTorch: what they compile to, how they are called, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402
from tvm.relax.frontend import detach_params  # noqa: E402
from tvm.relax.frontend.torch import from_exported_program  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from relay_strategies.tuning.tune import tuned_layers  # noqa: E402
from tvm_directconv.errors import InputError, ModelError, UnsupportedOperatorError  # noqa: E402
from tvm_directconv.targets.target import resolve_target  # noqa: E402


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(4, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.ConvTranspose2d(8, 4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv2(self.bn1(self.conv1(x)).relu())


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer1 = nn.Sequential(Block(), nn.Sequential(nn.Conv2d(4, 6, 1)))
        self.head = nn.Linear(6, 5)
        self.eval()

    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> dict[str, Any]:
        y = self.layer1(x) * scale
        return {"map": y, "scores": [self.head(y.mean((2, 3)))]}


X, SCALE = drawn(2, 4, 6, 6), drawn(1, 6, 1, 1)
LAYER_NAMES = {"layer1.0.conv1", "layer1.0.conv2", "layer1.1.0", "head"}


@pytest.fixture(scope="module")
def network() -> Network:
    return Network()


@pytest.fixture(scope="module")
def model(network: Network) -> Any:
    return directconv.compile(network, example_inputs=(X, SCALE))


def test_a_module_has_its_names(network: Network, model: Any) -> None:
    assert model.input_names == ("x", "scale")
    assert model.output_names == ("map", "scores_0")
    assert {layer.name for layer in model.report().layers} == LAYER_NAMES
    assert_same(model.run({"scale": SCALE, "x": X}), network(X, SCALE))


def test_modules_are_tuned(network: Network, model: Any) -> None:
    found = tuned_layers(network, resolve_target("llvm -mcpu=native"), example_inputs=(X, SCALE))
    assert sum(found.values()) == len(model.report().layers)


def test_weights_are_the_models_own(network: Network) -> None:
    layer = nn.Conv2d(4, 4, 1).eval()
    compiled = directconv.compile(layer, example_inputs=X)
    wanted = layer(X).detach()
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.zero_()
    assert_same([compiled(X)], wanted)


def test_a_call_returns_what_it_is_given(network: Network, model: Any) -> None:
    wanted = network(X, SCALE)
    for given in ((X, SCALE), (X.transpose(2, 3).contiguous().transpose(2, 3), SCALE.numpy())):
        found = model(*given)
        assert isinstance(found, tuple) and all(isinstance(value, torch.Tensor) for value in found)
        assert_same(found, wanted)
    arrays = model(X.numpy(), scale=SCALE.numpy())
    assert all(type(value) is np.ndarray for value in arrays)
    assert_same(arrays, wanted)


def test_a_tensor_given_twice_is_two_inputs() -> None:
    likeness = nn.CosineSimilarity().eval()
    compiled = directconv.compile(likeness, example_inputs=(X, X))
    assert_same([compiled(X, X.flip(1))], likeness(X, X.flip(1)))


def test_results_are_nobody_elses() -> None:
    """Results that the network merely hands on are copies, the others stay as they are in later runs."""
    table = drawn(3)
    function = Function(lambda x: (x.flatten(), x + 1, table.clone()))
    compiled = directconv.compile(function, example_inputs=X)
    kept = []
    for _ in range(3):
        kept.append(compiled(X))
        before = X.clone()
        kept[-1][0].zero_()
        kept[-1][2].zero_()
        assert torch.equal(X, before)
    assert_same(compiled(X), (X.flatten(), X + 1, table))
    assert all(torch.equal(result[1], X + 1) for result in kept)


@pytest.mark.parametrize(
    ("inputs", "named", "message"),
    [
        ((X,), {}, "1 inputs given, 2 expected"),
        ((X, SCALE, X), {"scale": SCALE}, "3 inputs given, 2 expected"),
        ((X,), {"x": X}, "'x' is given by position and by name"),
        ((X,), {"scal": SCALE}, "no input 'scal' .did you mean 'scale'"),
        ((X.double(), SCALE), {}, r"dtype float64, expected float32; .*\.to\(torch\.float32\)"),
        ((X[:1], SCALE), {}, "shape"),
    ],
)
def test_calls_that_do_not_fit(model: Any, inputs: Any, named: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model(*inputs, **named)


def _dynamic() -> Any:
    dims = {0: torch.export.Dim("n"), 2: torch.export.Dim("h", min=4)}
    network = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(2)).eval()
    return network, torch.export.export(network, (drawn(2, 4, 6, 6),), dynamic_shapes=({**dims},))


def test_shapes_fix_an_exported_program() -> None:
    network, program = _dynamic()
    x = drawn(3, 4, 5, 6)
    compiled = directconv.compile(program, shapes={"input": x.shape})
    assert_same([compiled(x)], network(x))
    assert [layer.name for layer in compiled.report().layers] == ["0"]


def test_symbolic_programs_are_compiled_in_sizes() -> None:
    network, program = _dynamic()
    compiled = directconv.compile(program, shapes={"input": (None, 4, 5, 6)}, batch=(1, 3), on_demand=True)
    assert [size.shapes["input"][0] for size in compiled.sizes] == [1, 3]
    for batch in (3, 1, 2, 3, 2, 1):
        x = drawn(batch, 4, 5, 6)
        assert_same([compiled(x)], network(x))
    assert len(compiled.sizes) == 3


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"inptu": (1, 4, 5, 6)}, "names 'inptu'.*did you mean 'input'"),
        ({"input": (1, 4, 5)}, r"'input' cannot have shape \(1, 4, 5\): .*\(n, 4, h, 6\)"),
        ({"input": (1, 3, 5, 6)}, r"'input' cannot have shape \(1, 3, 5, 6\)"),
    ],
)
def test_shapes_that_do_not_fit(shapes: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        directconv.compile(_dynamic()[1], shapes=shapes)


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x * self.calls


def test_collections_of_inputs_by_position_and_by_name() -> None:
    class Nested(nn.Module):
        def forward(self, x: torch.Tensor, state: Any, sizes: Any) -> Any:
            return {"sum": x + state[0] - 2 * state[1], "rest": (sizes["low"] * 3, sizes["High"] - x)}

    x, h, c, low, high = (drawn(2, 3, seed=seed) for seed in range(5))
    network = Nested().eval()
    wanted = network(x, (h, c), {"low": low, "High": high})
    compiled = directconv.compile(network, example_inputs=(x, (h, c), {"low": low, "High": high}))
    # Keys may come in any order.
    assert_same(compiled(x, [h, c], {"High": high, "low": low}), wanted)
    assert_same(compiled(x, sizes={"High": high, "low": low}, state=(h, c)), wanted)
    with pytest.raises(InputError, match="a dictionary of 'low', 'wide' is given where .* by name"):
        compiled(x, (h, c), {"low": low, "wide": high})


def test_states_that_no_result_follows_from_are_left_alone() -> None:
    """A normalization in training mode counts, and normalizes by its input's own moments."""

    class Normalized(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", torch.zeros(1))
            self.norm = nn.BatchNorm2d(4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            return self.norm(x)

    network = Normalized()
    program = torch.export.export(network, (X,))
    compiled = directconv.compile(program)
    assert_same([compiled(X)], network(X))


def test_modules_of_exported_programs() -> None:
    """Their attribute says training, whatever the mode was, and their eval() raises."""
    network = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Dropout(), nn.ReLU()).eval()
    module = torch.export.export(network, (X,)).module()
    assert module.training
    assert_same([directconv.compile(module, example_inputs=(X,))(X)], network(X))


@pytest.mark.parametrize("norm", [nn.GroupNorm(4, 8), nn.LayerNorm(4), nn.InstanceNorm2d(8, affine=True)])
def test_autocast_leaves_normalizations_weights_of_float32(norm: nn.Module) -> None:
    network = nn.Sequential(nn.Conv2d(4, 8, 3), norm, nn.ReLU()).eval()

    def autocast(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return network(x).float()

    module = Function(autocast)
    module.network = network
    with torch.no_grad():
        wanted = module(X)
    assert_same([directconv.compile(module, example_inputs=(X,))(X)], wanted, 3e-2)


REFUSED: dict[str, tuple[Callable[[], Any], Any, type[Exception], str]] = {
    "no inputs": (Network, None, ModelError, "example_inputs"),
    "wrong inputs": (Network, (X, X), ModelError, "torch.export cannot trace the network"),
    "training": (lambda: Network().train(), (X, SCALE), ModelError, "call its eval"),
    "no values": (lambda: nn.Linear(6, 2, device="meta").eval(), (X,), ModelError, "meta device"),
    "random": (
        lambda: Function(lambda x: x + torch.rand_like(x)),
        (X,),
        UnsupportedOperatorError,
        r"not supported: aten.rand_like.default \('rand_like'\)",
    ),
    "several": (
        lambda: Function(lambda x: (torch.special.airy_ai(x), torch.special.bessel_j0(x))),
        (X,),
        UnsupportedOperatorError,
        "airy_ai.*; .*bessel_j0",
    ),
    "sizes that data decide": (
        lambda: Function(lambda x: x.unique_consecutive() * 2),
        (X,),
        UnsupportedOperatorError,
        "not supported: aten.unique_consecutive",
    ),
    "no tensor": (lambda: Function(lambda x: (x, 3)), (X,), UnsupportedOperatorError, "output1' is 3"),
    "script": (lambda: torch.jit.trace(nn.ReLU().eval(), (X,)), (X,), ModelError, "a ScriptModule has none"),
    "branch": (
        lambda: Function(lambda x: torch.cond(x.sum() > 0, torch.neg, torch.exp, (x,))),
        (X,),
        UnsupportedOperatorError,
        "cond",
    ),
    "complex": (lambda: Function(lambda x: torch.fft.fft(x).exp().abs()), (X,), ModelError, "exp.*complex"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compiled_is_named(name: str) -> None:
    make, inputs, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message) as caught:
        directconv.compile(make(), example_inputs=inputs)
    assert "\n" not in str(caught.value)


def test_modules_of_tvms_own_importer() -> None:
    network = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(128, 3)).eval()
    program = torch.export.export(network, (X,))
    whole = from_exported_program(program, keep_params_as_input=True)
    module, params = detach_params(whole)
    for given in ({"model": module, "params": params}, {"model": whole}):
        assert_same([directconv.compile(**given).run([X])[0]], network(X))
    with pytest.raises(ModelError, match="params has 12 tensors for main"):
        directconv.compile(module, params={"main": params["main"] * 2})


def test_what_the_onnx_exporter_returns_is_a_model() -> None:
    pytest.importorskip("onnxscript")
    network = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU()).eval()
    program = torch.onnx.export(network, (X,), dynamo=True)
    assert_same(directconv.compile(program).run([X]), network(X))
