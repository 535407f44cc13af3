"""Lines of RISC-V assembly, with its vector extension, as instructions on terms."""

from __future__ import annotations

import re
from collections.abc import Callable

from .memory import known_address
from .riscv_operands import EIGHTHS, MASK, SCALARS, SHORTEST, VECTORS, RiscvOperands
from .riscv_table import MASKS, MERGES, SHIFTS, VECTORWISE, Vectorwise
from .state import Instruction, Jump, State, nothing
from .terms import VECTOR_LENGTH, Affine, Refutation

TYPE = re.compile(r"e(8|16|32), m(f?)([1248]), ta, ma")
LARGEST_GROUP = 8
MOST_PLACES, MOST_IMMEDIATE = 63, 2048


class RiscvDecoder(RiscvOperands):
    """Makes instructions of the lines of a text."""

    def decoded(self, text: str) -> Instruction | None:
        mnemonic, _, rest = text.replace("\t", " ").partition(" ")
        operands = [part.strip() for part in rest.split(",")]
        if mnemonic in ("vsetvli", "vsetivli"):
            return self._set_length(mnemonic, operands[:2], ", ".join(operands[2:]))
        if re.fullmatch(r"v[ls]e(8|16|32)\.v", mnemonic):
            return self._move(mnemonic[1] == "s", int(mnemonic[3:-2]) // 8, *operands)
        name, _, form = mnemonic.rpartition(".")
        if mnemonic in VECTORWISE and VECTORWISE[mnemonic].source < 0:
            return self._vectorwise(mnemonic, "v", operands)
        if name in VECTORWISE:
            return self._vectorwise(name, form, operands)
        if name in MASKS:
            return self._mask(name, form, *operands)
        if name in MERGES:
            return self._merge(name, form, *operands)
        if mnemonic in ("flw", "flh", "fmv.w.x"):
            return self._scalar(mnemonic, *operands)
        if mnemonic in ("lb", "lbu", "lhu"):
            return self._load_data(mnemonic, *operands)
        if mnemonic in ("beqz", "bnez", "bgeu"):
            return self._branch(mnemonic, operands)
        return self._general(mnemonic, operands)

    # ---- the length of vectors

    def _set_length(self, mnemonic: str, operands: list[str], of: str) -> Instruction:
        target, asked = operands
        match = TYPE.fullmatch(of)
        if not match:
            raise self.unknown()
        size = int(match[1]) // 8
        eighths = EIGHTHS // int(match[3]) if match[2] else EIGHTHS * int(match[3])
        flags = ("vl", "vtype")
        if size > eighths:
            raise self.unknown()  # of groups so small, elements may have no more bits than these have of 64
        if (mnemonic, target, asked) == ("vsetvli", "x0", "x0"):
            return Instruction(0, "", lambda state: self.same_length(state, size, eighths), flags)
        constant = self.number(asked, 0, 31) if mnemonic == "vsetivli" else None
        register = self.general(asked) if constant is None else ""
        name = "" if target == "x0" else self.general(target)

        def step(state: State) -> None:
            channels: object = (0, constant) if constant is not None else state.general[register]
            taken = self._taken(state, channels, size, eighths)
            if name:
                self._put(state, name, taken)

        return Instruction(
            0, "", step, (*([name] if name else []), *flags), scalar=bool(name), sets_length=True
        )

    def _taken(self, state: State, channels: object, size: int, eighths: int) -> Affine:
        """How many channels vectors are long from now on. All of a pass's, if they are so few that the
        shortest vectors hold them; else no more than are left, and at least one."""
        terms, execution = self.terms, self.memory.execution
        assert execution
        some = terms.symbol(VECTOR_LENGTH)
        if execution.scalars:
            return some
        number, first = known_address(terms, channels), (0, 0)
        lane, taken = f"lane{len(state.lanes)}", number
        if number[0]:
            if state.passed is None:
                raise Refutation("how many channels are left is not known")
            first, taken, state.passed = state.passed, some, None
            number = terms.plus(number, first)
        if number[0] or number[1] < 1:
            raise Refutation("how many channels there are is not known")
        if taken[0] == 0 and number[1] > SHORTEST * eighths // EIGHTHS // size:
            raise Refutation(f"the shortest vectors hold fewer channels than {number[1]}")
        if execution.counts.setdefault(lane, number) != number:
            raise Refutation("channels are not the same ones on all paths")
        self.new_length(state, size, eighths, lane, first, number[1])
        return taken

    # ---- vectors

    def _move(self, stores: bool, size: int, vector: str, where: str) -> Instruction:
        """A load or a store of a vector, whose elements may have another size than others at that time."""
        first, (register, offset) = self.vector(vector), self.place(where)
        if offset or "(" in where[1:]:
            raise self.unknown()

        def group(state: State) -> tuple[int, int]:
            length = self.length(state)
            eighths = length.eighths * size // length.size
            if not 1 <= eighths <= LARGEST_GROUP * EIGHTHS or first % max(1, eighths // EIGHTHS):
                raise Refutation(f"v{first} does not begin a group as large as these elements take")
            return size, eighths

        def load(state: State) -> None:
            self.fill(state, first, group(state), self.read_vector(state, register, size))

        def store(state: State) -> None:
            self.store_vector(state, register, size, self.group(state, first, group(state)))

        return Instruction(0, "", store if stores else load, () if stores else (f"v{first}",), stores=stores)

    def _sources(self, form: str, operands: list[str], meaning: Vectorwise) -> list[Callable[[State], int]]:
        """What reads the sources: vectors, but for one that may be a scalar."""
        scalar, places = form[-1:].replace("m", form[-2:-1]), meaning.source
        at = 0 if meaning.old else len(operands) - 1
        return [
            self._scalar_source(scalar, text, form)
            if number == at and scalar in "fxi"
            else self._vector_source(text, places)
            for number, text in enumerate(operands)
        ]

    def _vector_source(self, text: str, places: int) -> Callable[[State], int]:
        register = self.vector(text)
        return lambda state: self.group(state, register, self._scaled(state, register, places))

    def _scaled(self, state: State, register: int, places: int) -> tuple[int, int]:
        """A group whose elements are so many times twice as large as others."""
        length = self.length(state)
        size, eighths = (
            (n << places if places >= 0 else n >> -places) for n in (length.size, length.eighths)
        )
        if not size or not 1 <= eighths <= LARGEST_GROUP * EIGHTHS or register % max(1, eighths // EIGHTHS):
            raise Refutation(f"v{register} does not begin a group as large as these elements take")
        return size, eighths

    def _scalar_source(self, kind: str, text: str, form: str) -> Callable[[State], int]:
        if kind == "f":
            if text not in SCALARS:
                raise self.unknown()
            return lambda state: self.scalar(state, text, self.length(state).size)
        if kind == "x":
            name = self.general(text)
            return lambda state: self.lower(state, name, self.length(state).size)
        value = self.number(text, -16, 15)
        return lambda state: self.terms.constant(value, self.length(state).size)

    def _vectorwise(self, name: str, form: str, operands: list[str]) -> Instruction:
        meaning, target = VECTORWISE[name], self.vector(operands[0])
        forms = {"vmv.v": ("v", "i"), "vfmv.v": ("f",), "vnsrl": ("wi",), "vfncvt.f.f": ("w",)}
        count = meaning.compute.__code__.co_argcount - 1 - meaning.old - (meaning.size == 0)
        usual = (("vv", "vf") if name[1] == "f" else ("vv", "vx", "vi")) if count == 2 else ("v",)
        if form not in forms.get(name, usual) or len(operands) != 1 + count:
            raise self.unknown()
        op, compute, texts = self.op, meaning.compute, operands[1:]
        if name in SHIFTS:
            places = self.number(texts.pop(), 0, 31)
        sources = self._sources("v" if name in SHIFTS else form, texts, meaning)

        def step(state: State) -> None:
            size = self.length(state).size
            if meaning.size and size != meaning.size:
                raise Refutation(f"elements have {8 * size} bits, of which no meaning is known")
            group = self._scaled(state, target, meaning.target)
            values: list[int] = [source(state) for source in sources]
            for text in texts:
                if text in VECTORS:
                    other = self.vector(text)
                    self.check_overlap(target, group, other, self._scaled(state, other, meaning.source))
            if meaning.old:
                values.insert(0, self.group(state, target, group))
            also = ([places] if name in SHIFTS else []) + ([size] if meaning.size == 0 else [])
            self.fill(state, target, group, compute(op, *values, *also))

        return Instruction(0, "", step, (f"v{target}",))

    def _mask(self, name: str, form: str, target: str, one: str, other: str) -> Instruction:
        if form not in ("vv", "vf") or (name == "vmfne" and one != other):
            raise self.unknown()
        op, compute, into = self.op, MASKS[name], self.vector(target)
        sources = self._sources(form, [one, other], Vectorwise(compute))

        def step(state: State) -> None:
            length = self.length(state)
            if length.size != 4:
                raise Refutation(f"elements have {8 * length.size} bits, of which no meaning is known")
            values = [source(state) for source in sources]
            for text in {one, other} & set(VECTORS):
                self.check_overlap(into, (MASK, EIGHTHS), self.vector(text), (4, length.eighths))
            self.fill(state, into, (MASK, EIGHTHS), compute(op, *values))

        return Instruction(0, "", step, (f"v{into}",))

    def _merge(self, name: str, form: str, target: str, one: str, other: str, mask: str) -> Instruction:
        into, compute, op = self.vector(target), MERGES[name], self.op
        forms = {"vmerge": ("vvm", "vxm"), "vfmerge": ("vfm",)}
        if form not in forms[name] or mask != "v0" or not into:
            raise self.unknown()
        sources = self._sources(form, [one, other], Vectorwise(compute))

        def step(state: State) -> None:
            which = self.group(state, 0, (MASK, EIGHTHS))
            if name == "vfmerge" and self.length(state).size != 4:
                raise Refutation("float32 is merged where elements have another size")
            values = [source(state) for source in sources]
            self.fill(state, into, self._scaled(state, into, 0), compute(op, which, *values))

        return Instruction(0, "", step, (f"v{into}",))

    # ---- scalars and general registers

    def _scalar(self, mnemonic: str, name: str, source: str) -> Instruction:
        if name not in SCALARS:
            raise self.unknown()
        if mnemonic == "fmv.w.x":
            given = self.general(source)
            return Instruction(
                0, "", lambda state: self.set_scalar(state, name, 4, self.lower(state, given, 4)), (name,)
            )
        size = {"flw": 4, "flh": 2}[mnemonic]
        read = self._element(source, size)
        return Instruction(0, "", lambda state: self.set_scalar(state, name, size, read(state)), (name,))

    def _element(self, where: str, size: int) -> Callable[[State], int]:
        register, offset = self.place(where)

        def read(state: State) -> int:
            key, at = known_address(self.terms, state.general[register])
            self.check_aligned((key, at + offset), size)
            return self.memory.read(state, (key, at + offset), size)[0]

        return read

    def _load_data(self, mnemonic: str, target: str, where: str) -> Instruction:
        name, size, op = self.general(target), 2 if "h" in mnemonic else 1, self.op
        read = self._element(where, size)

        def step(state: State) -> None:
            assert self.memory.execution
            state.general[name] = None
            if self.memory.execution.scalars:
                return
            element = read(state)
            whole = (
                op.zero_extended(element, size, 4) if mnemonic[-1] == "u" else op.sign_extended(element, 4)
            )
            state.vectors[name] = (whole,)

        return Instruction(0, "", step, (name,), scalar=True)

    def _put(self, state: State, name: str, value: object, data: int | None = None) -> None:
        """Write a general register, whose bits are not known as data unless they are given."""
        state.general[name] = value
        if name != "sp":
            state.vectors[name] = (self.terms.unknown() if data is None else data,)

    def _general(self, mnemonic: str, operands: list[str]) -> Instruction | None:
        terms, op = self.terms, self.op
        if mnemonic not in ("li", "mv", "addi", "add", "sub", "slli"):
            return None
        name, *texts = self.general(operands[0]), *operands[1:]
        if mnemonic == "li":
            (text,) = texts
            value = self.number(text, -(1 << 31), (1 << 32) - 1)
            return self._set(name, lambda state: self._put(state, name, (0, value), terms.constant(value)))
        first = self.general(texts[0])
        if mnemonic == "slli":
            places = self.number(texts[1], 0, MOST_PLACES)

            def shift(state: State) -> None:
                old, data = state.general[first], state.vectors[first][0]
                value = terms.times(old, (0, 1 << places)) if isinstance(old, tuple) else None
                self._put(state, name, value, op.shift_left(data, places, 4) if value is None else None)

            return self._set(name, shift)
        second = self._second(mnemonic, texts)
        sign = -1 if mnemonic == "sub" else 1

        def step(state: State) -> None:
            one, other = state.general[first], second(state)
            known = isinstance(one, tuple) and isinstance(other, tuple)
            self._put(state, name, terms.plus(one, terms.times(other, (0, sign))) if known else None)  # type: ignore[arg-type]

        return self._set(name, step)

    def _second(self, mnemonic: str, texts: list[str]) -> Callable[[State], object]:
        """The second operand of a sum; of a move, zero."""
        if mnemonic in ("mv", "addi"):
            value = self.number(texts[1], -MOST_IMMEDIATE, MOST_IMMEDIATE - 1) if mnemonic == "addi" else 0
            if len(texts) != 1 + (mnemonic == "addi"):
                raise self.unknown()
            return lambda state: (0, value)
        register = self.general(texts[1])
        if len(texts) != 2:
            raise self.unknown()
        return lambda state: state.general[register]

    def _set(self, name: str, step: Callable[[State], None]) -> Instruction:
        return Instruction(0, "", step, (name,), scalar=True)

    def _branch(self, mnemonic: str, operands: list[str]) -> Instruction:
        target = self.text.jump_target(operands[-1], self.at)
        names = [self.general(text) for text in operands[:-1]]
        if len(names) != 1 + (mnemonic == "bgeu"):
            raise self.unknown()

        def value(state: State) -> Affine:
            values = [known_address(self.terms, state.general[name]) for name in names]
            if len(values) == 1:
                return values[0]
            if any(each[0] or each[1] < 0 for each in values):
                raise Refutation("a branch compares what is not known")
            return 0, int(values[0][1] >= values[1][1])

        return Instruction(0, "", nothing, jump=Jump(target, value, mnemonic == "beqz"), scalar=True)
