"""Results of PyTorch's programs as large as what they find: where much, little and nothing is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch.export import Dim  # noqa: E402
from torch_support import Function, assert_same, drawn  # noqa: E402

import tvm_directconv as directconv  # noqa: E402

Tensor = torch.Tensor


def put_rows(x: Tensor) -> Tensor:
    """Rows that are computed of what a mask selects are put where they were; so are others, by places."""
    mask = x[:, 0] > 0
    x = x.clone()
    x[mask] = x[mask].exp()
    places = torch.where(x[:, 1] > 0)[0]
    x[places] = x[places] * 2
    return x


def counted(x: Tensor) -> Tensor:
    return (x[:, 0] > 0).long() + (x[:, 1] > 0)


FINDING: dict[str, Callable[[Tensor], object]] = {
    "nonzero": lambda x: (x > 0).nonzero(),
    "where": lambda x: torch.where(x > 0),
    "masks": lambda x: (x[x > 0] * 2, x[x[:, 0] > 0] + 1, x[:, counted(x)[:4] > 0]),
    "masked_select": lambda x: torch.masked_select(x, x[:, :1] > 0).sort().values,
    "rows put": put_rows,
    "unique": lambda x: x.round().unique(return_inverse=True, return_counts=True),
    "unique rows": lambda x: (x > 0).int().unique(dim=0, return_counts=True),
    "repeat_interleave": lambda x: x.repeat_interleave(counted(x), 0),
    "product": lambda x: torch.softmax(x[x[:, 0] > 0] @ x.T, -1),
}


@pytest.mark.parametrize("rows", ["12 rows", "open rows"])
def test_what_is_found(rows: str) -> None:
    network = Function(lambda x: {name: function(x) for name, function in FINDING.items()})
    shapes = ({0: Dim("rows", min=4, max=64)},) if rows == "open rows" else None
    x = drawn(12, 4)
    program = torch.export.export(network, (x,), dynamic_shapes=(shapes,) if shapes else None)
    model = directconv.compile(program, cache=False)
    assert len(model.sizes) == 1
    for given in (x, x - 9, x + 9, *([drawn(31, 4, seed=1)] if shapes else [])):
        assert_same(model.run([given]), network(given))


@pytest.mark.parametrize("many", [1, 60])
def test_suppression(many: int) -> None:
    ops = pytest.importorskip("torchvision").ops

    def detected(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        boxes = torch.cat([x[:, :2], x[:, :2] + x[:, 2:].abs()], 1)
        scores, classes = x.sum(1), (x[:, 0] > 0).long()
        best = boxes[ops.batched_nms(boxes, scores, classes, 0.3)[:5]]
        good = scores > 0
        boxes, scores = boxes[good], scores[good]
        boxes = boxes[ops.nms(boxes, scores, 0.3)]
        image = x[:, :3].reshape(1, 1, -1, 3)
        return best, boxes, ops.roi_align(image, [boxes], 2, 0.5, 2, True)

    network, x = Function(detected), drawn(many, 4)
    model = directconv.compile(network, example_inputs=x, cache=False)
    for given in (x, x + 1, x.abs() + 1, x - 9):
        assert_same(model.run([given]), network(given))
