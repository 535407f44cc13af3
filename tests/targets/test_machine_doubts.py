"""The analytical choice of a layer does not hang on costs that were never measured on its CPU.

Intel's machine files give caches, loads and multiply-adds; the model's other coefficients are those found on
Zen 5. Within what they may be elsewhere, the tile chosen stays near the best one.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

LAYERS = (
    Conv2dWorkload(1, 56, 56, 64, 64, (3, 3), padding=(1, 1, 1, 1)),
    Conv2dWorkload(1, 28, 28, 192, 32, (1, 1)),
    Conv2dWorkload(1, 14, 14, 1024, 256, (1, 1)),
    Conv2dWorkload(1, 7, 7, 512, 512, (3, 3), padding=(1, 1, 1, 1)),
)
DOUBTS = (
    {"misses_in_flight": 10},
    {"misses_in_flight": 16},
    {"exposed_traffic": 0.15},
    {"exposed_traffic": 0.4},
    {"first_call_cycles": 500},
    {"first_call_cycles": 2000},
    {"panel_share_of_l2": 0.5},
)
MOST = 1.08


@pytest.mark.parametrize("mcpu", ["emeraldrapids", "icelake-server", "znver5"])
@pytest.mark.parametrize("doubt", DOUBTS, ids=str)
def test_a_choice_stays_good_within_what_its_costs_may_be(mcpu: str, doubt: dict[str, float]) -> None:
    target = resolve_target(f"llvm -mcpu={mcpu}")
    other = replace(target, machine=replace(target.machine, costs=replace(target.machine.costs, **doubt)))
    direct = ALGORITHMS["direct_nhwc"]
    for layer in LAYERS:
        chosen, best = direct.plan(layer, target), direct.plan(layer, other)
        in_doubt = replace(chosen, machine=other.machine)
        assert in_doubt.cost().total <= MOST * best.cost().total, f"{layer} on {mcpu}"
