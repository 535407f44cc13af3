"""MetaSchedule's XGBoost model over the knobs of a task's configurations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.feature_extractor import PyFeatureExtractor

from relay_strategies.strategies.config_space import ConfigEntity

from .designs import Designs
from .run import quiet_logger, without_tensor_intrinsics
from .search import WARM_UP
from .task import Task

FAILED = 1e10
"""Seconds of a configuration that did not run, as MetaSchedule counts them."""


def features(config: ConfigEntity) -> list[float]:
    """Return the numbers of a configuration's knobs: logarithms of extents and integers, whether a loop is
    unrolled or vectorized, places in an order."""
    return [number for value in config.knobs.values() for number in _numbers(value)]


def _numbers(value: Any) -> Iterable[float]:
    if isinstance(value, list | tuple):
        return [number for each in value for number in _numbers(each)]
    if isinstance(value, bool | str) or not isinstance(value, int | float):
        return [float(sum(str(value).encode()) % 97)]
    return [math.log2(1 + value) if value >= 0 else -1.0]


@derived_object
class ConfigFeatures(PyFeatureExtractor):
    """The ``features`` of the configurations whose numbers MetaSchedule's candidates have as their only
    operand's extent: the model asks for nothing else of a candidate."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.space = task.config_space

    def extract_from(
        self, context: ms.TuneContext, candidates: list[ms.MeasureCandidate]
    ) -> list[tvm.runtime.Tensor]:
        indices = (int(candidate.args_info[0].shape[0]) - 1 for candidate in candidates)
        rows = (np.array([features(self.space.get(index))], np.float32) for index in indices)
        return [tvm.runtime.tensor(row) for row in rows]


class ConfigModel:
    """The model of one task, which learns from what is measured."""

    def __init__(self, task: Task) -> None:
        module = Designs(task.space).module
        self._model = ms.cost_model.XGBModel(
            extractor=ConfigFeatures(task), num_warmup_samples=WARM_UP, num_tuning_cores=1, tree_method="hist"
        )
        with without_tensor_intrinsics():
            self._context = ms.TuneContext(mod=module, target=task.target.tvm_target, logger=quiet_logger())
        self._schedule, self._known = tvm.s_tir.Schedule(module), 0

    @property
    def trained(self) -> bool:
        """Return whether it has seen enough to predict."""
        return self._known >= WARM_UP

    def predict(self, configs: Sequence[ConfigEntity]) -> list[float]:
        """Return scores of configurations, those of faster ones higher."""
        return [float(score) for score in self._model.predict(self._context, self._candidates(configs))]

    def update(self, configs: Sequence[ConfigEntity], seconds: Sequence[Sequence[float]]) -> None:
        """Learn the seconds of configurations, none where one did not run."""
        results = [ms.runner.RunnerResult(list(each) or [FAILED], None) for each in seconds]
        self._model.update(self._context, self._candidates(configs), results)
        self._known += len(configs)

    def _candidates(self, configs: Sequence[ConfigEntity]) -> list[ms.MeasureCandidate]:
        return [
            ms.MeasureCandidate(self._schedule, [ms.arg_info.TensorInfo("int8", [config.index + 1])])
            for config in configs
        ]
