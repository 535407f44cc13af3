"""Decoding: a text's lines as instructions on terms, of whatever architecture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from .memory import Memory
from .state import Instruction, State
from .term_arithmetic import TermArithmetic
from .terms import Affine, NotCovered, Refutation, Terms
from .x86_text import Text, TextLine


class Decoder(ABC):
    """Makes instructions of the lines of a text; ``line``, at the index ``at``, is being decoded."""

    def __init__(self, terms: Terms, op: TermArithmetic, memory: Memory, text: Text) -> None:
        self.terms, self.op, self.memory, self.text = terms, op, memory, text
        self.zero = terms.constant(0)
        self.line = TextLine(0, "")
        self.at = 0

    def unknown(self) -> NotCovered:
        """Return the error of a line whose operands nothing is known of."""
        return NotCovered(f"line {self.line.number}: '{self.line.text}' is not of a form that is known")

    def program(self) -> list[Instruction]:
        """Return the text's instructions."""
        instructions = []
        for at, line in enumerate(self.text.lines):
            self.at, self.line = at, line
            try:
                decoded = self.data() if line.data else self.decoded(line.text)
            except (NotCovered, Refutation):
                raise
            except (ValueError, IndexError, KeyError, TypeError, AttributeError, AssertionError) as error:
                raise self.unknown() from error
            if decoded is None:
                mnemonic = line.text.replace("\t", " ").partition(" ")[0]
                raise NotCovered(f"line {line.number}: no meaning is known of the instruction '{mnemonic}'")
            instructions.append(replace(decoded, line=line.number, text=line.text))
        return instructions

    def data(self) -> Instruction | None:
        """Return what stands for a line of data, if the architecture's texts may have such."""
        return None

    @abstractmethod
    def decoded(self, text: str) -> Instruction | None:
        """Return the instruction of a line; None where no meaning is known of it."""


def flag(state: State) -> Affine:
    """Return what was compared with zero last. Raises Refutation where that is not known."""
    if state.flag is None:
        raise Refutation("a branch depends on what is not known")
    return state.flag
