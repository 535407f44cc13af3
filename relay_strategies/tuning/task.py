"""Tasks, as AutoTVM had them: a layer with one template or algorithm whose knobs are to be tuned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import tvm
from tvm import tirx

from relay_strategies.strategies.candidates import Candidate, LayerSpace
from relay_strategies.strategies.config_space import ConfigEntity, ConfigSpace
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import recorded_workload
from relay_strategies.strategies.strategy import conv2d_strategy
from relay_strategies.strategies.templates import Template
from tvm_directconv.algorithms.accuracy import FAST
from tvm_directconv.errors import TuningError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget, resolve_any_target
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .tune import tuned_layers


@dataclass(frozen=True)
class Task:
    """The knobs of a template or algorithm, ``name``, for one layer; ``count`` is how often a network has
    it."""

    name: str
    space: LayerSpace
    count: int = 1

    @property
    def layer(self) -> Conv2dWorkload:
        """The layer, in the layouts that it is tuned in."""
        return self.space.workload

    @property
    def target(self) -> CompileTarget:
        return self.space.target

    @property
    def workload(self) -> tuple[str, str]:
        """The name and the layer's descriptor, which tell tasks of a target apart."""
        return self.name, str(self.layer)

    @property
    def flop(self) -> int:
        """Operations of a call, two for each product."""
        return self.layer.flops

    @cached_property
    def config_space(self) -> ConfigSpace:
        """Every configuration; it prints as knobs with their values, and their number."""
        return self.space.config_space(self.name)

    def candidate(self, config: ConfigEntity) -> Candidate:
        """Return what records say of a configuration."""
        return self.space.candidate_from({"algorithm": self.name, "knobs": config.knobs})

    def config_of(self, candidate: Candidate) -> ConfigEntity:
        """Return the configuration that a record's candidate is."""
        return self.config_space.point(candidate.as_dict()["knobs"])

    def instantiate(self, config: ConfigEntity) -> tirx.PrimFunc:
        """Return the scheduled function (data, filter, output) of a configuration. Raises ParameterError for
        one that its template refuses."""
        return self.space.scheduled(self.candidate(config))

    def __str__(self) -> str:
        return f"Task(func_name={self.name}, args={self.layer}, target={self.target})"


class MeasureInput(NamedTuple):
    """A configuration to be measured."""

    target: CompileTarget
    task: Task
    config: ConfigEntity


def create_task(
    name: str,
    workload: Conv2dWorkload | str,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget = "llvm -mcpu=native",
) -> Task:
    """Return the task of a template or an algorithm for one layer.

    Args:
        name: The name of a template or an algorithm.
        workload: The layer, or its descriptor. Epilogues and tensors that the layer is part of are left out,
            as records have it, and layouts are those that a template runs in.
        target: A target, as of ``compile``.

    Raises:
        TuningError: Nothing of that name with knobs takes the layer.

    Examples:
        >>> import tvm_directconv as directconv
        >>> workload = directconv.Conv2dWorkload(1, 14, 14, 32, 32, kernel=(3, 3))
        >>> task = directconv.create_task("direct_nhwc", workload)
        >>> "prefetch" in str(task.config_space)
        True
    """
    resolved, given = resolve_target(target), recorded_workload(Conv2dWorkload.of(workload))
    found = {template.name: template for template in _templates(given, resolved)}
    if name in found:
        given = given.in_layouts(*found[name].layouts(given, resolved))
    task = Task(name, LayerSpace(given, resolved, Limits(accuracy=FAST)))
    assert len(task.config_space) > 0
    return task


def extract_tasks(
    model: Any,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget = "llvm -mcpu=native",
    *,
    algorithms: bool = True,
    **options: Any,
) -> list[Task]:
    """Return the tasks of a network: one for each layer that differs, and each template that takes it.

    Args:
        model: What ``compile`` takes, or one layer.
        target: A target, as of ``compile``.
        algorithms: Whether the library's own algorithms with knobs are among them.
        options: ``layout``, ``shapes``, ``batch``, ``example_inputs`` and ``precision``, as of ``compile``.

    Raises:
        TuningError: The target is a GPU, whose layers ``tune`` tunes, or nothing of the model is to be tuned.
    """
    resolved = resolve_any_target(target)
    if isinstance(resolved, GpuTarget):
        raise TuningError("tasks are of CPUs; tune(model, target) tunes layers on a GPU")
    tasks: dict[tuple[str, str], Task] = {}
    for given, count in tuned_layers(model, resolved, **options).items():
        names = [template.name for template in _templates(given, resolved)]
        names += LayerSpace(given, resolved, Limits(accuracy=FAST)).algorithms if algorithms else ()
        for name in names:
            task = create_task(name, given, resolved)
            known = tasks.get(task.workload)
            total = count + (known.count if known else 0)
            tasks[task.workload] = Task(name, task.space, total)
    return list(tasks.values())


def _templates(workload: Conv2dWorkload, target: CompileTarget) -> list[Template]:
    offered = (i.algorithm for i in conv2d_strategy(workload, target).implementations)
    return [each for each in offered if isinstance(each, Template)]
