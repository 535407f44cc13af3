"""Dimensions that PyTorch leaves open are compiled once, and results are PyTorch's at any size."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch_support import assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402
from tvm_directconv.errors import ModelError  # noqa: E402


class Maps(nn.Module):
    """A convolution, a pool, and sizes that are computed with: a map's positions become a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.head = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = nn.functional.max_pool2d(self.convolution(x).relu(), 2)
        tokens = y.flatten(2).transpose(1, 2)
        return self.head(y.mean((2, 3))), self.head(tokens), y.view(y.shape[0], -1, y.shape[2] * y.shape[3])


class Joined(nn.Module):
    """Maps are halved, doubled again, and joined with what they were, as in a U-Net."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 8, 3, padding=1), nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.last = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.down(x).relu()
        halved = nn.functional.max_pool2d(y, 2)
        whole = self.up(halved) + nn.functional.interpolate(halved, scale_factor=2.0)
        return self.last(torch.cat([whole, y], 1))


class Encoder(nn.Module):
    """Attention along an open length, with positions from a table."""

    def __init__(self) -> None:
        super().__init__()
        self.positions = nn.Parameter(torch.randn(64, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x + self.positions[: x.shape[1]]).amax(1)


class Pair(nn.Module):
    """An operand that is twice as wide as the other."""

    def forward(self, x: torch.Tensor, wide: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, x], 1) + wide


class Positions(nn.Module):
    """Ranges of a length, masks of them, elements at two of them, and values that the length is in."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        batch, length = x.shape
        places, rows = torch.arange(length), torch.arange(batch)
        mask = places[None, :] <= places[:, None]
        masked = torch.where(mask, 0.0, -1e9)[None] + x[:, None]
        turned = x[rows[:, None], length - 1 - places[None, :]]
        wide = places.unsqueeze(0).repeat(batch, 2)
        left, right = x.split([length // 2, length - length // 2], 1)
        scaled = x * length / (length + 1) + torch.full((length,), 2.5)
        return masked, turned, wide, torch.cat([right, left], 1), scaled, torch.arange(1, 2 * length, 3)


CASES: dict[str, tuple[Any, Sequence[Any], Any, Sequence[Sequence[tuple[int, ...]]]]] = {
    "maps": (
        Maps,
        [(2, 3, 32, 48)],
        ({0: Dim("n"), 2: Dim("h", min=9, max=999), 3: Dim.AUTO},),
        [[(2, 3, 32, 48)], [(1, 3, 31, 53)], [(3, 3, 17, 97)]],
    ),
    "joined": (
        Joined,
        [(1, 3, 32, 48)],
        ({2: 2 * Dim("rows"), 3: 2 * Dim("columns")},),
        [[(1, 3, 32, 48)], [(1, 3, 34, 62)], [(1, 3, 6, 106)]],
    ),
    "encoder": (
        Encoder,
        [(2, 16, 32)],
        ({0: Dim("n"), 1: Dim("length", min=2, max=64)},),
        [[(2, 16, 32)], [(1, 7, 32)], [(3, 31, 32)]],
    ),
    "positions": (
        Positions,
        [(2, 16)],
        ({0: Dim.AUTO, 1: Dim.AUTO},),
        [[(2, 16)], [(3, 7)], [(5, 31)]],
    ),
    "derived": (
        Pair,
        [(4, 6), (4, 12)],
        ({0: Dim("n"), 1: Dim("d")}, {0: Dim("n"), 1: 2 * Dim("d")}),
        [[(4, 6), (4, 12)], [(1, 7), (1, 14)], [(5, 31), (5, 62)]],
    ),
}


def _program(name: str) -> tuple[Any, Any]:
    torch.manual_seed(0)
    make, examples, dynamic, _ = CASES[name]
    module = make().eval()
    return module, torch.export.export(module, tuple(drawn(*s) for s in examples), dynamic_shapes=dynamic)


def _same(model: Any, module: Any, shapes: Sequence[tuple[int, ...]]) -> None:
    given = [drawn(*shape) for shape in shapes]
    with torch.no_grad():
        found, wanted = model(*given), module(*given)
    several = isinstance(wanted, tuple)
    for one, other in zip(found if several else [found], wanted if several else [wanted], strict=True):
        assert_same([one], other)


@pytest.mark.parametrize("name", CASES)
def test_programs_are_compiled_once(name: str) -> None:
    module, program = _program(name)
    model = directconv.compile(program)
    assert model.sizes[0].is_open
    for shapes in CASES[name][3]:
        _same(model, module, shapes)
    assert len(model.sizes) == 1


def test_dimensions_have_their_users_names() -> None:
    _, program = _program("maps")
    model = directconv.compile(program, typical={"h": 64})
    assert model.inputs[0].shape[:3] == ("n", 3, "h") and model.outputs[0].shape == ("n", 4)
    assert model.sizes[0].typical["h"] == 64 and "h <= 999" in model.sizes[0].conditions
    assert model.memory(n=4, h=96) > model.memory(n=2, h=32)
    with pytest.raises(ModelError, match="typical names 'rows', and the open dimensions are: n, h, s"):
        directconv.compile(program, typical={"rows": 64})
    _, program = _program("derived")
    assert [info.shape for info in directconv.compile(program).inputs] == [("n", "d"), ("n", "2*d")]


def test_files_of_programs_stay_open() -> None:
    module, program = _program("maps")
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file)
    model = directconv.compile(loaded)
    _same(model, module, [(3, 3, 31, 53)])
    assert len(model.sizes) == 1 and model.sizes[0].is_open


class Spread(nn.Module):
    """Deviations along an open length, and transforms there and back."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = torch.fft.ifft(torch.fft.fft(x, dim=1), dim=1).real
        return x.std(1), turned * x.var((0, 1), correction=0)


def test_deviations_and_transforms_of_an_open_length() -> None:
    sizes = {0: Dim("b"), 1: Dim("l", min=4)}
    module = Spread().eval()
    program = torch.export.export(module, (drawn(2, 24, 8),), dynamic_shapes=(sizes,))
    model = directconv.compile(program, cache=False)
    for batch, length in ((2, 24), (1, 17), (3, 95)):
        x = drawn(batch, length, 8)
        assert_same(model.run([x.numpy()]), module(x))
    assert len(model.sizes) == 1 and model.sizes[0].is_open
