"""PyTorch's own samples of operators (OpInfo), a fixed few; ``python -m fuzz.opinfo`` runs all of them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from fuzz import opinfo  # noqa: E402

NAMES = (
    *("nn.functional.conv2d", "nn.functional.adaptive_max_pool2d", "nn.functional.embedding_bag"),
    *("nn.functional.group_norm", "native_layer_norm", "nn.functional.pad.replicate_negative", "cummax"),
    *("flip", "cat", "max.reduction_with_dim", "as_strided.partial_views", "scatter_reduce.mean"),
    *("masked_scatter", "index_put", "nanmedian", "searchsorted", "addbmm", "lgamma", "div.trunc_rounding"),
)


@pytest.fixture(scope="module")
def shard() -> opinfo.Shard:
    return opinfo.Shard()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("type_name", ["float32", "int64"])
def test_samples_are_right_or_refused(shard: opinfo.Shard, name: str, type_name: str) -> None:
    outcomes = shard.run(name, type_name, "export", 3)
    kinds = [kind for kind, _ in outcomes]
    assert set(kinds) <= {opinfo.RIGHT, opinfo.REFUSED}, outcomes
    assert type_name != "float32" or opinfo.RIGHT in kinds, outcomes


@pytest.mark.slow
def test_a_wrong_result_is_found() -> None:
    wanted = torch.ones(3)
    assert opinfo._compared([wanted + 0.01], wanted)[0] == opinfo.WRONG
    assert opinfo._compared([wanted.double()], wanted)[0] == opinfo.WRONG
    assert opinfo._compared([wanted], wanted) == (opinfo.RIGHT, "")
