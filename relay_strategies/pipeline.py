"""The compiler as a pipeline of Relax, ``tvm.compile(module, target, relax_pipeline="directconv")``, and its
importer of ONNX for other pipelines.

The pipeline takes modules of TVM's own importers, with as many functions as they have, and gives what TVM's
virtual machine runs. A function that the compiler does not support is left to TVM's default pipeline.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import tvm
from onnx import ModelProto
from tvm import relax, tirx
from tvm.relax.analysis import get_var2val

from relay_strategies.compiler.arguments import (
    check_algorithms,
    check_open_sizes,
    check_options,
    check_portable,
    check_sizes,
    known_records,
)
from relay_strategies.compiler.compilation import Clock, graph_of
from relay_strategies.compiler.layer_options import LayerOptions
from relay_strategies.compiler.model_kinds import ONNX, ZOO, kind_of
from relay_strategies.compiler.sizes import Bounds, ShapeSpec
from relay_strategies.compiler.source import ModelInput, Source, read_source
from relay_strategies.frontends.parameters import ParamsSource
from relay_strategies.passes import AssertSizes, DefineParts, finish_passes, kernel_passes
from relay_strategies.passes.rewrite.unroll_recurrences import UnrollRecurrences
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.errors import DirectConvError, ModelError, TargetError, last_line
from tvm_directconv.log import LOG
from tvm_directconv.problem.open_sizes import OpenSizes
from tvm_directconv.targets.gpu import GpuTarget, resolve_any_target
from tvm_directconv.targets.target import CompileTarget

MAIN = "main"
SYMBOL = "global_symbol"


def directconv_pipeline(
    *,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget | None = None,
    algorithm: str | Mapping[str, str] = strategy.AUTO,
    precision: str | Mapping[str, str] = FLOAT,
    layout: str = "NHWC",
    accuracy: str = EXACT,
    max_workspace_bytes: int | None = None,
    max_filter_bytes: int | None = None,
    tuning: str | os.PathLike[str] | Records | None = None,
    typical: Mapping[str, int] | None = None,
    sizes: Bounds | None = None,
) -> tvm.transform.Pass:
    """Return the pass from an imported module to one that ``tvm.compile`` gives to the virtual machine.

    ``target`` is the one that the pass runs for, unless it is given. The other options are those of
    ``directconv.compile``; ``typical`` and ``sizes`` apply to the functions that have dimensions of these
    names, and what is typical is guessed where nothing says it. What sizes have to be is asserted when a
    function runs.

    Raises InputError, ModelError, TuningError and AlgorithmError for wrong options at once, and TargetError
    for a target other than a CPU when the pass runs. What the compiler does not support is computed by TVM's
    default pipeline, after a warning.
    """
    limits = Limits(max_workspace_bytes, max_filter_bytes, accuracy)
    check_options(algorithm, precision, layout, limits, None)
    check_open_sizes(typical, sizes)
    options = LayerOptions(algorithm, precision, limits, layout, known_records(tuning))

    @tvm.transform.module_pass(opt_level=0, name="directconv.Pipeline")
    def pipeline(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        resolved = resolve_any_target(target or tvm.target.Target.current() or "llvm -mcpu=native")
        if isinstance(resolved, GpuTarget):
            raise TargetError(
                f"the pipeline 'directconv' compiles for CPUs, not for {resolved}; "
                "directconv.compile takes a model for a GPU"
            )
        check_algorithms(algorithm, resolved)
        check_portable(accuracy, precision, resolved)
        return _Compiling(resolved, options, dict(typical or {}), dict(sizes or {})).module(module)

    return pipeline


def from_onnx(
    model: str | os.PathLike[str] | bytes | ModelProto,
    shape_dict: Mapping[str, Sequence[int | None]] | None = None,
    *,
    typical: Mapping[str, int] | None = None,
    sizes: Bounds | None = None,
    params: ParamsSource | None = None,
) -> tvm.IRModule:
    """Return an ONNX model as a Relax module of plain operators and kernels, for any pipeline of TVM's.

    This library's importer has operators that ``tvm.relax.frontend.onnx.from_onnx`` does not: LSTM, GRU and
    RNN, 8-bit layers, DeformConv, loops and more (docs/importing.md).

    Args:
        model: A path, bytes or a ModelProto.
        shape_dict: Shapes of inputs, by name. What these and the model leave open stays symbolic.
        typical: What open dimensions typically are, by name, as of ``compile``.
        sizes: Bounds of open dimensions; what sizes have to be is asserted when the module runs.
        params: Values of inputs that stay what they are.

    Returns:
        A module with weights as constants.

    Raises:
        ModelError: The model cannot be read or imported.
        InputError: Shapes are wrong.

    Examples:
        >>> import tvm_directconv as directconv
        >>> from tvm_directconv import zoo
        >>> module = directconv.from_onnx(zoo.load_model("squeezenet"))
        >>> [int(size) for size in module["main"].params[0].ty.shape]
        [1, 3, 224, 224]
    """
    check_sizes(dict(shape_dict or {}), None)
    check_open_sizes(typical, sizes)
    kind = kind_of(model)
    if kind is not None and kind not in (ONNX, ZOO):
        raise ModelError(f"from_onnx imports ONNX models, not {kind.name}")
    shapes = {name: tuple(shape) for name, shape in (shape_dict or {}).items()}
    spec = ShapeSpec(shapes, typical=typical, bounds=sizes)
    source = read_source(ModelInput(model, params=params, shapes=shapes), keeps=False)
    passes = tvm.transform.Sequential([UnrollRecurrences, AssertSizes, DefineParts])
    return compiled(source, spec, lambda imported: passes(imported()))


def compiled(
    source: Source, spec: ShapeSpec, make: Callable[[Callable[[], tvm.IRModule]], tvm.IRModule]
) -> tvm.IRModule:
    """Return what ``make`` makes of a function that imports the first size of a model, with its open
    dimensions active, and tied to each other where it raises an error that ties would mend."""
    opened = spec.opened(source.inputs, {}, source.typical)
    if opened is None:
        with OpenSizes().active():  # which may be measured
            return make(partial(source.module, spec.sizes(source.inputs)[0]))
    while True:
        sizes, shapes = opened
        try:
            with sizes.active():
                return make(partial(source.module, shapes))
        except DirectConvError:
            opened = spec.opened(source.inputs, sizes.found, source.typical) if sizes.found else None
            if opened is None or sizes.found == sizes.ties:
                raise


class _Compiling:
    """The functions of one module, compiled one after the other."""

    def __init__(
        self, target: CompileTarget, options: LayerOptions, typical: dict[str, int], bounds: dict[str, Any]
    ) -> None:
        self.target, self.options, self.typical, self.bounds = target, options, typical, bounds
        self.taken: set[str] = set()

    def module(self, module: tvm.IRModule) -> tvm.IRModule:
        """Return all functions of a module ready for the virtual machine."""
        module = relax.transform.InlinePrivateFunctions()(module)
        functions = {var: f for var, f in module.functions_items() if isinstance(f, relax.Function)}
        called = {op.name_hint for f in functions.values() for op in _called(f)}
        self.taken = {var.name_hint for var, _ in module.functions_items()}
        compiled: dict[Any, Any] = {}
        rest = module.clone()
        for var, function in functions.items():
            if var.name_hint in called or any(_called(function)):
                continue
            try:
                found = self.function(module, var.name_hint, function)
            except DirectConvError as error:
                LOG.warning("TVM's default pipeline compiles '%s': %s", var.name_hint, last_line(error))
                continue
            compiled.update(dict(found.functions_items()))
            del rest[var]
        if any(isinstance(function, relax.Function) for _, function in rest.functions_items()):
            rest = relax.get_pipeline("default")(rest)
        elif compiled:  # kernels that imported functions called, which have their own
            rest = tvm.IRModule()
        return tvm.IRModule({**dict(rest.functions_items()), **compiled}, attrs=rest.attrs)

    def function(self, module: tvm.IRModule, name: str, function: relax.Function) -> tvm.IRModule:
        """Return one function and its kernels, which have names that no other of the module has. Raises
        DirectConvError."""
        kernels = {var: f for var, f in module.functions_items() if isinstance(f, tirx.PrimFunc)}
        alone = tvm.IRModule({**kernels, MAIN: function.with_attr(SYMBOL, MAIN)})
        source = read_source(ModelInput(alone), keeps=False)
        declared = {str(dim) for dims in source.inputs.values() for dim in dims or () if isinstance(dim, str)}
        spec = ShapeSpec(
            typical={dim: size for dim, size in self.typical.items() if dim in declared} or None,
            bounds={dim: ends for dim, ends in self.bounds.items() if dim in declared} or None,
        )
        return self.named(compiled(source, spec, self.lowered), name)

    def lowered(self, imported: Callable[[], tvm.IRModule]) -> tvm.IRModule:
        """Return one function, called main, and its kernels. Raises DirectConvError."""
        clock = Clock(None)
        graph = graph_of(imported, self.target.tvm_target, self.options.passes(self.target), clock)
        with self.target.tvm_target, clock.phase("kernels"):
            passes = [*kernel_passes(self.target), AssertSizes, *finish_passes()]
            return tvm.transform.Sequential(passes)(graph.module)

    def named(self, module: tvm.IRModule, name: str) -> tvm.IRModule:
        """Return a function's module with main called ``name``, and kernels by names that are not taken."""
        renamed = module.clone()
        for var, body in module.functions_items():
            symbol = name if var.name_hint == MAIN else self.unused(f"{name}_{var.name_hint}")
            renamed.update_func(var, body.with_attr(SYMBOL, symbol))
        return relax.transform.NormalizeGlobalVar()(renamed)

    def unused(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def _called(function: relax.Function) -> list[tvm.ir.GlobalVar]:
    """Return the Relax functions that a function calls; kernels are arguments of what calls them."""
    values = get_var2val(function).values()
    return [
        value.op
        for value in values
        if isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.GlobalVar)
    ]
