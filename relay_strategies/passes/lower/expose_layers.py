"""ExposeLayers: the results of convolutions and dense layers as further outputs of a network, in float32.

What precisions of one network differ by is then seen layer by layer. Further outputs have the layers' names.
"""

from __future__ import annotations

from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import Rewriter, dtype_of, rewrite_pass, shape_of
from relay_strategies.relax.outputs import OUTPUT_NAMES, result_names
from tvm_directconv.problem.element_types import HALVES

from .layer_workload import layer_name
from .narrow_tensors import LAYERS


class _ExposeLayers(Rewriter):
    def run(self, params: object = None) -> relax.Function:
        names = result_names(self.graph.function)
        function = super().run()
        return function.with_attr(OUTPUT_NAMES, [*names, *(name for name, _ in self._exposed())])

    def output(self, expr: relax.Expr) -> relax.Expr:
        result = self.graph.resolve(expr)
        fields = list(result.fields) if isinstance(result, relax.Tuple) else [expr]
        layers = [self._wide(self.new(var)) for _, var in self._exposed()]
        return relax.Tuple([*map(self.new, fields), *layers])

    def _exposed(self) -> list[tuple[str, relax.Var]]:
        """The names and variables of layers."""
        found = []
        for var, value in self.graph.bindings:
            layer = composite.composite_of(self, value)
            if layer is not None and layer.name in LAYERS and shape_of(var) is not None:
                found.append((layer_name(var, value), var))
        return found

    def _wide(self, value: relax.Expr) -> relax.Expr:
        return self.emit(relax.op.astype(value, FLOAT)) if dtype_of(value) in HALVES else value


ExposeLayers = rewrite_pass("ExposeLayers", _ExposeLayers)
"""Return the results of layers, too; wants ``NarrowTensors`` before it, and to run before
``LowerConv2d``."""
