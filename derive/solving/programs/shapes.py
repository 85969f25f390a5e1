"""The shapes of questions that were asked before, and their programs.

A shape that is asked a second time is likely to be asked often. From then on its programs are tried first: one for
each way that the solver went, up to a few.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.caches import Memo
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question, strong_values
from derive.solving.programs.program import Program, Stated, programmed
from quantities.declaration import read_given
from quantities.value import Value

__all__ = ["Shape", "shape_of"]

_PROGRAMS = 4  # of one shape
_ATTEMPTS = 8  # to write one
_TEXTS = 1024  # limit on texts of givens that are remembered
_NONE: frozenset[str] = frozenset()


class Shape:
    """The questions of one target, by the same names of givens and of profiles."""

    def __init__(self, library: RelationSet, profiles: tuple[str, ...], names: tuple[str, ...]) -> None:
        self.library = library
        self.profiles = profiles
        self.programs: tuple[tuple[frozenset[str], Program], ...] = ()
        """Each for the typed quantities of which the profiles say something else."""
        self._times = 0
        self._read: dict[tuple[str, str], Stated] = {}  # givens by their texts
        self._stated: dict[str, Value] = {}  # what the profiles say of the typed quantities
        for profile in profiles:
            values = library.profile(profile).values
            typed = {name: values[name] for name in names if name in values}
            self._stated |= {name: read_given(value, library.declared[name]) for name, value in typed.items()}

    def outcome(self, given: Mapping[str, Any]) -> tuple[float, Span | None] | None:
        """The target in base units and, over ranges, its bounds, if a program has them."""
        if not self.programs:
            return None
        stated = []
        for item in given.items():
            read = self._read.get(item) if item[1].__class__ is str else None
            stated.append(read or self._read_afresh(*item))
        changed = self._changed(strong_values(self.library, given)) if self._stated else _NONE
        for names, program in self.programs:
            outcome = program.outcome(stated) if names == changed else None
            if outcome is not None:
                return outcome
        return None

    def _read_afresh(self, name: str, given: Any) -> Stated:
        (value,) = strong_values(self.library, {name: given}).values()
        read = Stated.of(value)
        if isinstance(given, str):
            if len(self._read) >= _TEXTS:
                self._read.clear()
            self._read[name, given] = read
        return read

    def learn(self, library: RelationSet, question: Question, found: Found) -> None:
        """Write the program of a question that was solved; not of one that is asked for the first time."""
        self._times += 1
        if 1 < self._times <= _ATTEMPTS and len(self.programs) < _PROGRAMS:
            program = programmed(library, question, found)
            if program is not None:
                self.programs = (*self.programs, (self._changed(question.strong), program))

    def _changed(self, strong: Mapping[str, Value]) -> frozenset[str]:
        return frozenset(name for name, value in self._stated.items() if strong[name].base != value.base)


_SHAPES = Memo[Shape](most=512)


def shape_of(library: RelationSet, target: str, profiles: tuple[Any, ...], names: tuple[str, ...]) -> Shape | None:
    """The shape of a question; None of one whose profiles are not named."""
    if not all(isinstance(profile, str) for profile in profiles):
        return None

    return _SHAPES.of(library.session, (target, profiles, names), lambda: Shape(library, profiles, names))
