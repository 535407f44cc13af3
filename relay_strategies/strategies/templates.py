"""Templates: schedules of a user's with knobs, as AutoTVM had them, offered by strategies and tuned.

    @register_template("mine")
    def mine(cfg, workload, target):
        ...
        cfg.define_split("tile_oc", workload.out_channels, num_outputs=2)
        outer, inner = cfg["tile_oc"].apply(sch, block, oc)
        return sch

The function is called once to define its knobs, and then for each configuration that is built. It schedules
a plain convolution (``around.py``). Without records its fallback is used, and only by name or priority: there
is no estimate of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tvm import tirx
from tvm.s_tir import Schedule

from tvm_directconv.errors import AlgorithmError, ParameterError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .config_space import Config, ConfigEntity, ConfigSpace, FallbackConfigEntity
from .user_functions import FunctionAlgorithm, FunctionPlan

TemplateFunction = Callable[[Any, Conv2dWorkload, CompileTarget], "tirx.PrimFunc | Schedule"]
"""A function of a configuration, a plain workload and a target: the scheduled PrimFunc (data, filter,
output), or a Schedule that has it."""


@dataclass(frozen=True)
class Template:
    """A user's template. It is offered for targets that have one of ``keys``, for all if there are none, and
    for the plain workloads that ``applies`` returns True for."""

    function: TemplateFunction
    name: str
    plevel: int
    keys: tuple[str, ...]
    applies: Callable[[Conv2dWorkload, CompileTarget], bool]
    functions: FunctionAlgorithm

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        """Return the layouts that a workload is run in."""
        return self.functions.layouts_of(workload, target)

    def offered(self, workload: Conv2dWorkload, target: CompileTarget) -> bool:
        """Return whether a strategy offers it for a workload."""
        native = workload.in_layouts(*self.layouts(workload, target))
        given = FunctionPlan(native, target, self.functions).given
        return (not self.keys or not set(self.keys).isdisjoint(target.keys)) and self.applies(given, target)

    def plan(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: ConfigEntity | None = None
    ) -> FunctionPlan:
        """Return the plan of a workload with the values of a configuration, or those of its fallback."""

        def compute(given: Conv2dWorkload, target: CompileTarget) -> tirx.PrimFunc:
            return self.instantiate(used, given, target)

        given = FunctionPlan(workload, target, self.functions).given
        used = knobs if knobs is not None else FallbackConfigEntity(self.name, given, target)
        functions = replace(self.functions, compute=compute, describe=lambda *of: used.knobs)
        return FunctionPlan(workload, target, functions)

    def instantiate(self, cfg: Config, given: Conv2dWorkload, target: CompileTarget) -> tirx.PrimFunc:
        """Return the scheduled function of a plain workload by a configuration."""
        made = self.function(cfg, given, target)
        return made.mod["main"] if isinstance(made, Schedule) else made

    def config_space(self, workload: Conv2dWorkload, target: CompileTarget) -> ConfigSpace:
        """Return the knobs of a workload in the layouts that it runs in."""
        return _collected(self, FunctionPlan(workload, target, self.functions).given, target)


@lru_cache(maxsize=512)
def _collected(template: Template, given: Conv2dWorkload, target: CompileTarget) -> ConfigSpace:
    space = ConfigSpace()
    try:
        template.instantiate(space, given, target)
    except ParameterError as error:
        if not space.space_map:
            raise AlgorithmError(f"template '{template.name}' of {given}: {error}") from None
    return space


OPERATORS = ("conv2d", "depthwise_conv2d", "group_conv2d", "conv1d", "dense")
"""The operators whose layers are workloads."""
TEMPLATES: dict[str, dict[str, Template]] = {}
"""The templates by operator and name."""


def register_template(
    name: str,
    *,
    keys: tuple[str, ...] | str = (),
    plevel: int = 10,
    operator: str = "conv2d",
    applies: Callable[[Conv2dWorkload, CompileTarget], bool] = lambda workload, target: True,
    override: bool = False,
    **details: Any,
) -> Callable[[TemplateFunction], TemplateFunction]:
    """Return a decorator that has the operator's strategy offer a template: a function (cfg, workload,
    target) that returns a scheduled PrimFunc (data, filter, output) or its Schedule.

    Args:
        name: The name that layers and records know it by.
        keys: Keys of the targets that it is for; all by default.
        plevel: At the library's own level, 10, it is used by name or where records find it fastest; at a
            higher one it always is.
        operator: The operator whose strategy offers it: "conv2d" or a kind of it, as "depthwise_conv2d",
            "group_conv2d", "conv1d" and "dense".
        applies: A function (workload, target) that says for which layers.
        override: Whether it may replace one of its name.
        details: As of ``OpStrategy.add_implementation``.

    Raises:
        AlgorithmError: The name is taken, or there are no templates of the operator.
    """
    if operator not in OPERATORS:
        raise AlgorithmError(f"there are no templates of '{operator}'; there are of {', '.join(OPERATORS)}")

    def decorate(function: TemplateFunction) -> TemplateFunction:
        known = TEMPLATES.setdefault(operator, {})
        if name in known and not override:
            raise AlgorithmError(f"there is a template '{name}' already; pass override=True to replace it")
        functions = FunctionAlgorithm(_unused, lambda func, *of: func, name, **details)
        of_keys = (keys,) if isinstance(keys, str) else tuple(keys)
        known[name] = Template(function, name, plevel, of_keys, applies, functions)
        return function

    return decorate


def _unused(*arguments: Any) -> tirx.PrimFunc:
    raise AssertionError("a template's plan has the compute of its configuration")
