"""Functions by target key, as TVM's ``generic_func`` had them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

Function = TypeVar("Function")


class TargetFunctions(Generic[Function]):
    """An operator's strategy functions: the first of a target's keys that has one decides, ``generic`` when
    none has."""

    def __init__(self, operator: str) -> None:
        self.operator = operator
        self.functions: dict[str, Function] = {}

    def register(self, key: str, *, override: bool = False) -> Callable[[Function], Function]:
        """Decorator: use the function for targets that have ``key``."""

        def decorate(function: Function) -> Function:
            if key in self.functions and not override:
                raise ValueError(
                    f"{self.operator} already has a strategy for '{key}'; pass override=True to replace it"
                )
            self.functions[key] = function
            return function

        return decorate

    def key_of(self, target: CompileTarget | GpuTarget) -> str:
        """Return the target's key whose function decides."""
        return next((key for key in target.keys if key in self.functions), "generic")

    def has(self, target: CompileTarget | GpuTarget) -> bool:
        """Return whether there is a function for the target."""
        return self.key_of(target) in self.functions

    def function_of(self, target: CompileTarget | GpuTarget) -> Function:
        """Return the function that decides for the target."""
        return self.functions[self.key_of(target)]
