"""The best choice: its value, where it lies, the answer there, what binds, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.certificates.proof import ProofOfOptimum
from derive.errors import ExpressionError, LimitError
from derive.expressions.tree import Node, Number
from derive.presentation.numbers import DIGITS, in_unit
from derive.showing import Shown
from derive.solving.execution.answer import Answer
from derive.solving.sensitivity.elasticities import put_in
from derive.time_limits import query, sharing
from quantities.declaration import Declaration
from quantities.symbolic import Symbols
from quantities.value import Value

if TYPE_CHECKING:
    from derive.optimization.under_ranges import UnderRanges

__all__ = ["Binding", "Choice", "Optimum"]

_PROVING = 0.8  # of the time of a text, which a certificate may take: without one, the rest is still told


@dataclass(frozen=True, slots=True)
class Binding:
    """A limit that binds: without it, or with it moved outwards, the target would be better.

    `price` is what the target gains, as a share of its value, if the limit moves by `moved`: 1 %, or the next whole
    number where a range of a count ends.
    """

    name: str
    price: float
    moved: str = "1 %"

    def __str__(self) -> str:
        return f"{self.name}: {self.price:.3g} of the value better if it moves by {self.moved}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One discrete choice: the best in it, or why there is none."""

    profiles: tuple[str, ...]
    listed: Mapping[str, str]  # the list entries, as they were stated
    best: float | None  # in base units
    at: Mapping[str, float]  # the free quantities there, in base units
    why: str = ""  # which limits rule it out, or what is missing
    is_proved: bool = True


@dataclass(frozen=True)
class Optimum(Shown):
    """The least or the greatest value of a target; numbers are stored in base units."""

    sense: str  # "least" or "most"
    answer: Answer
    chosen: Mapping[str, float]  # the free and the listed quantities
    profiles: tuple[str, ...]
    binding: tuple[Binding, ...]
    is_bounded: bool  # whether the search has excluded a better choice
    gap: float | None
    """How much better a choice may be at most: relative to the value, and absolute, in the declared unit, where the
    value is zero to within the rounding of what was chosen (`gap_is_absolute`). None if no bound is known."""
    choices: tuple[Choice, ...]
    reasons: tuple[str, ...]
    boxes: int  # that were examined
    ranged: tuple[str, ...]  # the quantities that were ranges
    quantities: Mapping[str, Declaration] = field(repr=False, compare=False)  # that are chosen, or stand in a form
    forms: Mapping[str, Node] = field(default_factory=dict, repr=False, compare=False)
    values: Mapping[str, Value] = field(default_factory=dict, repr=False, compare=False)  # of limits, by name in forms
    gap_is_absolute: bool = False
    over_ranges: Callable[[int, int], UnderRanges] | None = field(default=None, repr=False, compare=False)
    _proof: Callable[[], ProofOfOptimum | None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The value as a pint Quantity in the declared unit."""
        return self.answer.value

    @property
    def at(self) -> dict[str, Any]:
        """What was chosen: a pint Quantity of each range and list, and the names of the profiles."""
        found = {name: in_unit(number, self.quantities[name].unit) for name, number in self.chosen.items()}
        return {**found, "profiles": self.profiles}

    @property
    def proved(self) -> bool:
        """Whether there is a certificate that no choice is better."""
        return self.is_bounded and self.proof is not None

    @cached_property
    def proof(self) -> ProofOfOptimum | None:
        """What shows that no choice is better, which `derive.verify` confirms; computed on demand, None without it."""
        with suppress(LimitError), query(), sharing(_PROVING):
            return self._proof()
        return None

    @property
    @query()
    def formula(self) -> Mapping[str, Any] | None:
        """The chosen quantities that a binding limit fixes, in closed form, in sympy and in coherent base units.

        None where the end of a range decides, or several limits together.
        """
        if not self.forms:
            return None
        from derive.expressions.sympy_bridge import to_sympy

        symbols = Symbols(self.quantities)
        numbers = {name: value.base[1] for name, value in self.values.items()}
        whole = {
            name: put_in(form, {n: Number(Fraction(x)) for n, x in numbers.items()})
            for name, form in self.forms.items()
        }
        return MappingProxyType({name: to_sympy(form, symbols) for name, form in whole.items()})

    def under_ranges(self, points: int = 1000, seed: int = 0) -> UnderRanges:
        """How the choices fare where the ranges among the givens and in the profiles turn out."""
        if self.over_ranges is None:
            what = "A best choice that was stored has no question to be asked again."
            raise ExpressionError(what, hint="Call least(...) or most(...) again, and ask its result.")
        return self.over_ranges(points, seed)

    def __getstate__(self) -> dict[str, Any]:
        """What is stored: everything but the question, whose programs are functions."""
        return {**self.__dict__, "proof": self.proof, "over_ranges": None, "_proof": None}

    @query()
    def text(self, digits: int = DIGITS) -> str:
        """The choice, why it is the best, what binds, and all choices, as aligned text."""
        from derive.optimization.optimum_text import as_text

        return as_text(self, digits)

    def __repr__(self) -> str:
        return f"<Optimum {str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        return self.text()
