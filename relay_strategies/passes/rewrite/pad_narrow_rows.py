"""PadNarrowRows: convolutions of an open width whose rows are narrower than their borders read a padded map.

In dilated layers of segmentation networks (DeepLab's of dilation 12 to 36, on maps of 6 to 65 columns) each
output misses taps beside the image. A kernel of a fixed width has tiles for what each pixel misses; one of an
open width cannot. Zeros around the columns take their place, and every width is right.
"""

from __future__ import annotations

import math

from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.spatial import SpatialKind
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, ints, rewrite_pass, shape_of
from tvm_directconv.problem.extents import is_open, typical

WIDEST = 6
"""Borders of so many outputs are covered by a tile of every instruction set."""


class _PadNarrowRows(Rewriter):
    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        spatial = operator_of(value).spatial
        if spatial is None or spatial.dimensions != 2 or spatial.kind is not SpatialKind.CONVOLUTION:
            return self.new(value)
        attrs, data, filters = value.attrs, shape_of(value.args[0]), shape_of(value.args[1])
        place = str(attrs.data_layout).find("W")
        if data is None or filters is None or not is_open([data[place]]):
            return self.new(value)
        top, left, bottom, right = ints(attrs.padding)
        reach = (filters[str(attrs.kernel_layout).index("W")] - 1) * ints(attrs.dilation)[1]
        stride = ints(attrs.strides)[1]
        outputs = (typical(data[place]) + left + right - reach - 1) // stride + 1
        borders = math.ceil(left / stride) + math.ceil(right / stride)
        if borders <= WIDEST or outputs >= borders:
            return self.new(value)
        widths = [0] * (2 * len(data))
        widths[2 * place : 2 * place + 2] = left, right
        wide = self.emit(relax.op.nn.pad(self.new(value.args[0]), widths))
        rest = [self.new(argument) for argument in value.args[1:]]
        return replaced(value, [wide, *rest], padding=[top, 0, bottom, 0])


PadNarrowRows = rewrite_pass("PadNarrowRows", _PadNarrowRows)
"""Pad what wide dilated convolutions of an open width read; wants ``ToNHWC`` before it."""
