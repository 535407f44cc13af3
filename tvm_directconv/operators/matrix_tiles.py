"""A product of two computed matrices, from micro-kernel calls: what ``matmul`` and ``attention`` are made of.

The loops are those of Goto and van de Geijn ("Anatomy of high-performance matrix multiplication", ACM TOMS
34, 2008) around the convolutions' kernels for rows: the left operand is read where it lies, whatever its
strides; of the right one a panel of nr columns by at most ``pass_depth`` steps is packed, such that it stays
in L1 while all rows pass by. Sums that are longer than that are continued from the output.

Where products are to be of half precision, rows of the left operand are rounded to a workspace first, and the
panel to another, in the groups of channels that kernels multiply; sums and the output are float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.isa import best_isa
from intrinsics.microkernel import BYTES, ROW, KernelInstance, MicroKernel, Segment
from intrinsics.packing.panels import PanelPacking
from tvm_directconv.errors import WorkloadError
from tvm_directconv.model.tiling import RowTiles, peak_cycles, tile_heights
from tvm_directconv.problem.element_types import FLOAT32, FLOATS
from tvm_directconv.problem.extents import is_open, typical

from .builder import FLOAT_BYTES, Expr, kept, load, narrowed, pieces, shuffle, splat, store, vector_type
from .matrices import Matrix, Panel, Rows, open_heights

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

HALF_BYTES = 2
PANEL_SHARE_OF_L1 = 0.5
"""A panel fills no more than this share of L1: rows and the output pass by."""
REUSE_TO_PACK = 2
"""Columns that lie side by side are packed where more tiles of rows than this use them."""


def half_that_pays(target: CompileTarget, half: str) -> bool:
    """Whether a target multiplies numbers of that type faster than float32."""
    kinds = FLOATS[half], FLOATS[FLOAT32]
    narrow, wide = (peak_cycles(best_isa(target, kind, kind), target.machine, ROW, 1.0) for kind in kinds)
    return narrow < wide and not best_isa(target, kinds[0], kinds[0]).widening


class ProductTiles:
    """The tiles of products of (``rows``, ``depth``) by (``depth``, ``columns``) matrices on one target.

    ``multiply`` wants a workspace of ``panel_elements`` in float32, and of ``half_elements`` in ``half``, the
    type that products are rounded to, if any. Rows of the left operand lie ``left_row`` elements apart, if
    that is given: where they fall into the same sets of L1, tiles may be as low as these have ways.
    """

    def __init__(
        self, rows: int, columns: int, depth: int, target: CompileTarget, half: str = "", left_row: int = 0
    ) -> None:
        self.half = half
        if is_open([depth, columns]):
            raise WorkloadError("tiles of products have rows alone that are open")
        kind, machine = FLOATS[half] if half else FLOATS[FLOAT32], target.machine
        self.isa = best_isa(target, kind, kind)
        self.group = self.isa.channels_per_step(ROW)
        self.types = f"f32_{kind}_{kind}"
        self.rows, self.columns = rows, columns
        step_bytes, steps = self.group * BYTES[kind], -(-depth // self.group)
        self.depth = depth
        # Rows in half precision are a copy.
        self.row_bytes = HALF_BYTES * self.row_elements if half else FLOAT_BYTES * typical(left_row)
        of_row = RowTiles(self.isa, ROW, steps, pixel_bytes=self.row_bytes)
        usual = max(1, typical(rows))  # what blocks leave over may typically be nothing
        best = of_row.best(machine, usual, columns, reused=True, step_bytes=step_bytes)
        self.nr, self.highest = best.nr, best.mr
        """Columns of a panel; and rows of a tile, 0 for what registers allow."""
        room = int(PANEL_SHARE_OF_L1 * machine.cache(1).size_bytes) // (FLOAT_BYTES * self.nr)
        passes = -(-depth // max(1, room))
        # Passes are of whole tiles of channels.
        unit = self.group * self.isa.tile_rows
        self.pass_depth = min(depth, -(-depth // passes // unit) * unit)
        self.panel_elements = self.pass_depth * self.nr

    @property
    def stores_halves(self) -> bool:
        """Whether micro-kernels may round what they store: sums that are continued are float32."""
        return bool(self.half) and self.pass_depth == self.depth

    @property
    def row_elements(self) -> int:
        """A row of the left operand in half precision has so many, whole groups of them."""
        return -(-self.depth // self.group) * self.group

    def half_elements(self, rows: int) -> int:
        """Return the elements of so many rows of the left operand, and of a panel, in half precision."""
        if not self.half:
            return 0
        return rows * self.row_elements + -(-self.pass_depth // self.group) * self.group * self.nr

    def most_rows(self, columns: int) -> int:
        """The height of the tallest tile of so many columns."""
        most = self.isa.largest_mr(self._vectors(columns) * self.isa.lanes, ROW)
        return min(most, self.highest or most)

    def multiply(
        self, left: Matrix, right: Matrix, output: Matrix, panel: Panel, rows: Any, scale: float = 1.0
    ) -> None:
        """Emit ``output = scale * left @ right`` for the first ``rows`` rows; the output's columns must lie
        side by side, and for products in half precision also the left operand's."""
        whole, rest = divmod(self.columns, self.nr)
        if self.half:
            left, scale = self._narrowed_rows(left, panel, rows, scale), 1.0

        def of_panel(column: Expr, columns: int) -> None:
            self._panel(left, right.moved(0, column), output.moved(0, column), panel, rows, columns, scale)

        if whole == 1:
            of_panel(0, self.nr)
        elif whole:
            with T.serial(0, whole) as number:
                of_panel(T.Bind(number * self.nr), self.nr)
        if rest:
            of_panel(whole * self.nr, rest)

    def multiply_columns(
        self,
        left: Matrix,
        right: Matrix,
        output: Matrix,
        panel: Panel,
        rows: Rows,
        columns: int,
        scale: float,
        used: Expr | None,
    ) -> None:
        """Emit ``multiply`` for some columns alone, of which the first ``used`` are read."""
        self._panel(left, right, output, panel, rows, columns, scale, used)

    def multiply_packed(
        self,
        left: Matrix,
        panel: Panel,
        output: Matrix,
        rows: Rows,
        columns: int,
        depth: int,
        start: Expr = 0,
    ) -> None:
        """Emit ``output += left @ right`` of a panel that ``pack`` made."""
        right = Matrix(panel.floats, start, self.width(columns), 1)
        self._rows(left, right, output, rows, columns, depth, True)

    def pack(
        self, panel: tirx.Buffer, source: Matrix, depth: Expr, columns: int, used: Expr | None = None
    ) -> None:
        """Emit a panel of some columns, rows of ``width``, of which the first ``used`` columns are there."""
        self._pack(panel, source, depth, columns, 1.0, used)

    def width(self, columns: int) -> int:
        """Return the elements of a row of a panel."""
        return self._vectors(columns) * self.isa.lanes

    def multiply_panel(self, left: Matrix, right: Matrix, output: Matrix, rows: int, columns: int) -> None:
        """Emit ``output = left @ right`` for one panel of ``columns`` that is packed, zeros behind them."""
        self._rows(left, right, output, rows, columns, self.depth, False)

    def _panel(
        self,
        left: Matrix,
        right: Matrix,
        output: Matrix,
        panel: Panel,
        rows: Any,
        columns: int,
        scale: float,
        used: Expr | None = None,
    ) -> None:
        """All rows by one panel of columns, pass by pass over the depth; ``used`` of the columns are read."""
        lanes = self.isa.lanes
        most = rows.most if isinstance(rows, Rows) else typical(rows)
        in_place = (
            not self.half
            and used is None
            and right.column == 1
            and isinstance(right.row, int)
            and scale == 1.0
            and columns % lanes == 0
            and most <= REUSE_TO_PACK * self.most_rows(columns)
        )

        def of_pass(start: Expr, depth: int, accumulate: bool) -> None:
            source = right.moved(start, 0)
            width = self._vectors(columns) * lanes
            if self.half and self._is_of_pairs(source, depth):
                source = self._transposed_pairs(panel, source, rows, depth, columns)
            elif self.half:
                self._pack(panel.floats, source, depth, columns, scale)
                source = self._narrowed_panel(panel, rows, depth, width)
            elif not in_place:
                self._pack(panel.floats, source, depth, columns, scale, used)
                source = Matrix(panel.floats, 0, width, 1)
            self._rows(left.moved(0, start), source, output, rows, columns, depth, accumulate)

        whole, rest = divmod(self.depth, self.pass_depth)
        of_pass(0, self.pass_depth, False)
        if whole > 1:
            with T.serial(1, whole) as number:
                of_pass(T.Bind(number * self.pass_depth), self.pass_depth, True)
        if rest:
            of_pass(whole * self.pass_depth, rest, True)

    def _rows(
        self,
        left: Matrix,
        right: Matrix,
        output: Matrix,
        rows: Any,
        columns: int,
        depth: int,
        accumulate: bool,
    ) -> None:
        """Exact tiles of at most two heights cover the rows; where their number is open, the tallest, and
        behind them those of powers of two."""
        done: Any = 0
        if not all(isinstance(row, int) for row in (left.row, right.row, output.row)):
            raise WorkloadError("rows of matrices lie a fixed distance apart")
        most, unit = self.most_rows(columns), self.isa.tile_rows
        heights: Any = rows.heights(most, unit) if isinstance(rows, Rows) else None
        if heights is None:
            heights = open_heights(rows, most) if is_open([rows]) else tile_heights(rows, most, unit)
        for height, count in heights:
            width = self._vectors(columns) * self.isa.lanes
            kernel = MicroKernel(height, width, ROW, self.isa.name, self._types_into(output))
            instance = KernelInstance(
                kernel,
                columns,
                a_row=left.row,
                a_step=0,
                b_row=right.row,
                b_step=0,
                c_row=output.row,
                segments=(Segment(0, height, 0, 0, depth),),
                a_k=left.column,
                accumulate=accumulate,
            )
            if isinstance(count, int) and count == 1:
                _call(instance, left.moved(done, 0), right, output.moved(done, 0))
            else:
                with T.serial(0, count) as tile:
                    row = T.Bind(tile * height + done)
                    _call(instance, left.moved(row, 0), right, output.moved(row, 0))
            done += height * count

    def _types_into(self, output: Matrix) -> str:
        stored = self.half if str(output.buffer.dtype) in (self.half, "uint16") else FLOAT32
        return f"{FLOATS[stored]}{self.types.removeprefix(FLOATS[FLOAT32])}"

    def _pack(
        self,
        panel: tirx.Buffer,
        source: Matrix,
        depth: Any,
        columns: int,
        scale: float,
        used: Expr | None = None,
    ) -> None:
        """``panel[k * width + j] = scale * source[k, j]``, zero beyond the columns, or those ``used``."""
        lanes = self.isa.lanes
        width = self._vectors(columns) * lanes
        transposes = source.row == 1 and isinstance(source.column, int) and isinstance(depth, int)
        if used is not None:
            some = kept(used)
            with T.serial(0, T.cast(some < columns, "int32")):
                with T.serial(0, depth * width // lanes) as number:
                    store(panel, number * lanes, lanes, splat(0.0, lanes))
                with T.serial(0, some) as j, T.serial(0, depth) as k:
                    store(panel, k * width + j, 1, load(source.buffer, source.at(k, j), 1))
            with T.serial(0, T.cast(some == columns, "int32")):
                self._pack(panel, source, depth, columns, 1.0)
        elif transposes and source.column >= depth:
            packing = PanelPacking(width, depth, source.column, 0, columns, self.isa.name)
            into, given = panel.access_ptr("w"), source.buffer.access_ptr("r", offset=source.start)
            T.evaluate(tirx.call_extern("int32", packing.name, into, given))
        elif source.column == 1:
            with T.serial(0, depth) as k:
                for start in range(0, width, lanes):
                    value = load_part(source.buffer, source.at(k, start), min(lanes, columns - start), lanes)
                    store(panel, k * width + start, lanes, value)
        else:
            with T.serial(0, depth) as k:
                with T.serial(0, columns) as j:
                    store(panel, k * width + j, 1, load(source.buffer, source.at(k, j), 1))
                for j in range(columns, width):
                    store(panel, k * width + j, 1, T.float32(0))
        if scale != 1.0:
            with T.serial(0, depth * width // lanes) as number:
                value = load(panel, number * lanes, lanes) * T.float32(scale)
                store(panel, number * lanes, lanes, value)

    def takes_half(self, row: int, column: int) -> bool:
        """Whether the right operand may be stored in half precision, with so many elements from a row, and
        from a column, to the next: one whose rows lie side by side has to be transposed by pairs."""
        pairs = self.group == 2 and self.depth % 2 == column % 2 == 0
        return bool(self.half) and (column == 1 or (row == 1 and pairs))

    def _is_of_pairs(self, right: Matrix, depth: int) -> bool:
        of_type = str(right.buffer.dtype) in (self.half, "uint16")
        return of_type and right.row == 1 and right.column != 1 and depth % 2 == 0

    def _transposed_pairs(self, panel: Panel, right: Matrix, rows: int, depth: int, columns: int) -> Matrix:
        """The panel of an operand that is in half precision already: pairs of its rows, which lie side by
        side, as words."""
        assert panel.halves is not None
        width, start = self._vectors(columns) * self.isa.lanes, rows * self.row_elements
        packing = PanelPacking(width, depth // 2, right.column // 2, 0, columns, self.isa.name)
        into = panel.halves.access_ptr("w", offset=start)
        given = right.buffer.access_ptr("r", offset=right.start)
        T.evaluate(tirx.call_extern("int32", packing.name, into, given))
        return Matrix(panel.halves, start, 2 * width, 1)

    def _narrowed_rows(self, left: Matrix, panel: Panel, rows: int, scale: float) -> Matrix:
        """Rows of the left operand, scaled and rounded, and zeros behind them up to whole groups."""
        assert panel.halves is not None and left.column == 1
        lanes, made = self.isa.lanes, Matrix(panel.halves, 0, self.row_elements, 1)
        whole = self.depth // lanes * lanes

        def narrow(row: Expr, start: Expr, width: int) -> None:
            value = load(left.buffer, left.at(row, start), width)
            value = value * splat(T.float32(scale), width) if scale != 1.0 else value
            store(made.buffer, made.at(row, start), width, self._bits(value, width))

        with T.serial(0, rows) as row:
            if whole:
                with T.serial(0, whole // lanes) as number:
                    narrow(row, number * lanes, lanes)
            for offset, width in pieces(self.depth - whole, lanes):
                narrow(row, whole + offset, width)
            for column in range(self.depth, self.row_elements):
                store(made.buffer, made.at(row, column), 1, tirx.const(0, "uint16"))
        return made

    def _narrowed_panel(self, panel: Panel, rows: int, depth: int, width: int) -> Matrix:
        """The panel rounded, its rows by groups: ``[k // group][j][k % group]``."""
        assert panel.halves is not None
        lanes, group, start = self.isa.lanes, self.group, rows * self.row_elements

        def of_group(first: Expr, there: int) -> None:
            with T.serial(0, width // lanes) as number:
                at = number * lanes
                zero = splat(0, lanes, "uint16")
                rounded = [
                    self._bits(load(panel.floats, (first * group + k) * width + at, lanes), lanes)
                    if k < there
                    else zero
                    for k in range(group)
                ]
                together = rounded[0]
                if group > 1:
                    order = [k * lanes + lane for lane in range(lanes) for k in range(group)]
                    together = shuffle(rounded, order)
                store(panel.halves, start + (first * width + at) * group, lanes * group, together)

        whole, rest = divmod(depth, group)
        if whole:
            with T.serial(0, whole) as first:
                of_group(first, group)
        if rest:
            of_group(whole, rest)
        return Matrix(panel.halves, start, width * group, 1)

    def _bits(self, value: Expr, width: int) -> Expr:
        return T.reinterpret(vector_type("uint16", width), narrowed(value, self.half, width))

    def _vectors(self, columns: int) -> int:
        return -(-columns // self.isa.lanes)


def _call(instance: KernelInstance, left: Matrix, right: Matrix, output: Matrix) -> None:
    c = output.buffer.access_ptr("w", offset=output.start)
    a, b = (matrix.buffer.access_ptr("r", offset=matrix.start) for matrix in (left, right))
    # Without a bias and a residual, their pointers are never read.
    T.evaluate(tirx.call_extern("int32", instance.name, c, a, b, c, c, tirx.IntImm("int64", 1)))


def load_part(buffer: tirx.Buffer, start: Expr, count: int, lanes: int) -> Expr:
    """A vector of ``lanes``, of which the first ``count`` are loaded, and the others are zero."""
    if count == lanes:
        return load(buffer, start, lanes)
    parts = [load(buffer, start + offset, width) for offset, width in pieces(count, lanes)]
    # Lane ``count`` of what is joined is the first that was not loaded.
    return shuffle([*parts, splat(0.0, lanes)], [min(lane, count) for lane in range(lanes)])
