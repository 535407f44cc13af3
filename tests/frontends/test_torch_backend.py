"""torch.compile(backend="directconv"): graphs, recompiles, changed weights, and what PyTorch keeps."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from documentation_support import register_entry_points  # noqa: E402
from torch import nn  # noqa: E402
from torch_support import drawn  # noqa: E402

from relay_strategies import torch_backend  # noqa: E402
from relay_strategies.torch_backend import directconv  # noqa: E402
from tvm_directconv.errors import ModelError  # noqa: E402

ROOT = Path(__file__).parents[2]


class Broken(nn.Module):
    """Two graphs, one on each side of a decision, which hand a map and a number on."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
        self.body = nn.Conv2d(8, 4, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, int]:
        y = self.stem(x)
        y = y + 1 if y.sum() > 0 else y - 1
        return self.body(y).flatten(1), x.shape[0]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch._dynamo.reset()
    torch_backend._said.clear()
    yield
    torch._dynamo.reset()


def compiled(module: nn.Module, **options: Any) -> Any:
    return torch.compile(module, backend=directconv, options=options or None)


def same(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, atol=2e-5, rtol=2e-5)


def test_graph_breaks_and_batches() -> None:
    module = Broken().eval()
    fast = compiled(module, algorithm="direct_nhwc")
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in (1, 2, 3, 2):
            x = drawn(batch, 3, 7, 7, seed=batch)
            same(fast(x), module(x))


class Tokens(nn.Module):
    """A map's positions become a sequence, in two graphs; sizes are handed on, and are outputs."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.convolution, self.linear = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.Linear(8, 5)
        self.norm = nn.BatchNorm2d(8)

    def forward(self, x: torch.Tensor) -> tuple[Any, ...]:
        y = self.norm(self.convolution(x)).relu()
        batch, channels, height, width = y.shape
        tokens = y.reshape(batch, channels, height * width).transpose(1, 2)
        torch._dynamo.graph_break()
        return self.linear(tokens), x[:, :, 1:], height * width, width / 2


def marked(x: torch.Tensor) -> torch.Tensor:
    for axis in (0, 2, 3):
        torch._dynamo.mark_dynamic(x, axis)
    return x


OPENED: dict[str, tuple[dict[str, Any], Any, int]] = {
    "dynamic": ({"dynamic": True}, lambda x: x, 2),
    "marked": ({}, marked, 3),
    "automatic": ({}, lambda x: x, 4),
}
"""How dimensions are left open, and how often two graphs are compiled. Dynamo fixes the sizes that come first
where it isn't told: of all inputs, or of those of the second graph."""


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is compiled."""
    counted: list[Any] = []

    def counting(*given: Any, **options: Any) -> Any:
        counted.append(real(*given, **options))
        return counted[-1]

    real = torch_backend.compile
    monkeypatch.setattr(torch_backend, "compile", counting)
    return counted


@pytest.mark.parametrize("how", OPENED)
def test_open_dimensions_are_compiled_once(how: str, count: list[Any]) -> None:
    options, given, compilations = OPENED[how]
    module = Tokens().eval()
    fast = torch.compile(module, backend=directconv, **options)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        # The last ones are beyond what Dynamo assumes of small images and batches when it meets the first.
        for seed, shape in enumerate(
            [(2, 3, 16, 18), (3, 3, 31, 9), (5, 3, 7, 53), (2, 3, 97, 61), (17, 3, 9, 9)]
        ):
            x = drawn(*shape, seed=seed)
            same(fast(given(x)), module(x))
    assert len(count) == compilations and all(len(model.sizes) == 1 for model in count)


def test_what_cannot_stay_open_is_compiled_for_each_size(
    count: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise ModelError("torch.export cannot trace the network")

    monkeypatch.setattr(torch_backend, "opened_program", refused)
    module = Broken().eval()
    fast = torch.compile(module, backend=directconv, dynamic=True)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in (2, 3, 2):
            x = drawn(batch, 3, 7, 7)
            same(fast(x), module(x))
    assert len(count) == 4


def test_changed_weights_are_seen() -> None:
    module, x = Broken().eval(), drawn(1, 3, 7, 7)
    fast = compiled(module)
    with torch.no_grad():
        before = fast(x)
        module.body.weight.mul_(2)
        after = fast(x)
        same(after, module(x))
        assert not torch.allclose(before[0], after[0])
        module.load_state_dict(Broken().state_dict())
        same(fast(x), module(x))


def test_modules_that_share_a_graph_keep_their_weights() -> None:
    layers = [nn.Conv2d(3, 3, 1).eval() for _ in range(3)]
    fast = [compiled(layer) for layer in layers]
    x = drawn(1, 3, 4, 4)
    with torch.inference_mode():
        for _ in range(2):
            for one, layer in zip(fast, layers, strict=True):
                same(one(x), layer(x))


def test_variants_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    class Times(nn.Module):
        def forward(self, x: torch.Tensor, number: int) -> torch.Tensor:
            return x.relu() * number

    monkeypatch.setattr(torch_backend, "MOST_VARIANTS", 1)
    fast = torch.compile(Times(), backend=directconv, dynamic=True)
    with torch.no_grad(), pytest.warns(UserWarning, match="compiled for 1 sets of shapes"):
        for number in (2, 3):
            x = drawn(2, 3, 4, 4)
            same(fast(x, number), Times()(x, number))


@torch._dynamo.disable
def written(part: torch.Tensor, flat: torch.Tensor, column: torch.Tensor, largest: torch.Tensor) -> None:
    part.copy_(flat)
    flat.add_(1)
    column.mul_(largest)


class Cache(nn.Module):
    """A graph that hands on views, which are written to: of a buffer, of an argument and of a result."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 8))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * 2
        written(self.cache[:, : x.shape[1]], x.view(2, -1), y[:, 0], y.relu().amax())
        return x, y, self.cache


def test_views_stay_views_across_graphs() -> None:
    module, fast = Cache(), compiled(Cache())
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(3):
            x = drawn(2, 3, seed=seed)
            same(fast(x.clone()), module(x.clone()))


def test_a_graph_that_only_writes_to_what_it_is_given_is_pytorchs() -> None:
    class Written(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x[:, 1] = 0
            return x.transpose(0, 1)

    given = drawn(2, 3)
    with torch.no_grad(), pytest.warns(UserWarning, match="'setitem' changes in place"):
        found = torch.compile(Written(), backend="directconv")(x := given.clone())
    wanted = Written()(given)
    assert torch.equal(found, wanted) and torch.equal(x, given)


def test_what_several_outputs_share_may_not_change_in_a_graph() -> None:
    class Changed(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = x * 2
            return y, y.view(-1).add_(1)

    x = drawn(2, 3)
    with torch.no_grad(), pytest.warns(UserWarning, match="'add_' changes in place"):
        same(compiled(Changed())(x), Changed()(x))


def test_gradients_stay_pytorchs() -> None:
    module, x = Broken().eval(), drawn(1, 3, 7, 7)
    with pytest.warns(UserWarning, match=r"gradients are wanted.*torch.no_grad\(\)") as said:
        fast = compiled(module)
        fast(x)[0].sum().backward()
    assert module.body.weight.grad is not None
    assert len([w for w in said if "gradients" in str(w.message)]) == 1


class Table(nn.Module):
    """It is given a tensor, and computes with its weights alone."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * torch.arange(4)


REFUSED = {
    "no inputs": (lambda: Table(), "depends on a tensor that it is given"),
    "dropout": (lambda: nn.Dropout().train(), "native_dropout|bernoulli|rand"),
    "operators": (lambda: Exponential(), "linalg_matrix_exp"),
}


class Exponential(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.matrix_exp(x)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_pytorchs(name: str) -> None:
    make, message = REFUSED[name]
    module, x = make(), drawn(2, 3, 4, 4)
    with torch.no_grad(), pytest.warns(UserWarning, match=f"leaves a graph to PyTorch: .*({message})"):
        torch.manual_seed(3)
        found = compiled(module)(x)
        torch.manual_seed(3)
        same(found, make()(x))


def test_what_changes_its_weights_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(torch_backend, "compile", lambda *given, **_: tried.append(given) or refuse())
    module, x = nn.BatchNorm2d(3).train(), drawn(2, 3, 4, 4)
    fast = compiled(module)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            same(fast(x), nn.BatchNorm2d(3).train()(x))
    assert len(tried) == 1 and module.num_batches_tracked == 3


def refuse() -> None:
    raise ModelError("the network changes its weights")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targt": "llvm"}, "no option 'targt' .*did you mean 'target'"),
        ({"target": "llvm -mcpu=znver"}, "znver"),
        ({"algorithm": "winograd"}, "unknown algorithm 'winograd'"),
        ({"target": "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10"}, "host|this machine|cannot run"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, str], message: str) -> None:
    with torch.no_grad(), pytest.raises(Exception, match=message):
        compiled(nn.Conv2d(3, 3, 1).eval(), **options)(drawn(1, 3, 4, 4))


def test_the_entry_point_needs_no_import(tmp_path: Path) -> None:
    """What pyproject.toml declares, as an installed package has it."""
    register_entry_points(tmp_path)
    script = (
        "import torch; m = torch.nn.Conv2d(3, 3, 1).eval(); x = torch.randn(1, 3, 4, 4); "
        "f = torch.compile(m, backend='directconv')\n"
        "with torch.no_grad(): torch.testing.assert_close(f(x), m(x))\n"
        "import sys; assert 'relay_strategies.torch_backend' in sys.modules"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": path})


class Exponentials(nn.Module):
    """Layers before and behind an operation that does not import."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.relu = nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True)
        self.second = nn.Conv2d(4, 2, 3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.relu(self.first(x))
        found = self.second(y @ torch.linalg.matrix_exp(y / -8))
        return found, y.flatten(1).topk(3).values


def test_a_graph_is_cut_where_an_operation_does_not_import() -> None:
    module = Exponentials().eval()
    fast = torch.compile(module, backend=directconv, fullgraph=True)
    told = "computes 1 of its operations.*linalg_matrix_exp"
    with torch.inference_mode(), pytest.warns(UserWarning, match=told):
        for batch in (1, 2, 3):
            x = drawn(batch, 3, 6, 6, seed=batch)
            same(fast(x), module(x))
            same(fast(x.contiguous(memory_format=torch.channels_last)), module(x))
    with torch.no_grad():
        module.first.weight.mul_(2)
        same(fast(x), module(x))
