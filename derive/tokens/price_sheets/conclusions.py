"""The results of a price sheet: conclusions with ranges, contradictions, and what further prices would add."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from derive.presentation.numbers import in_unit
from derive.solving.execution.answer import Answer
from derive.tokens.price_sheets.sheets import SheetQuestion
from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Choice", "Conclusion", "Contradiction", "Inference", "Missing"]


@dataclass(frozen=True)
class Choice:
    """What was chosen where a sheet says nothing: a chip, a model's size, a memory tier; empty if it has no effect."""

    chip: str = ""
    size: str = ""
    tier: str = ""

    def __str__(self) -> str:
        return ", ".join(name for name in (self.chip, self.size, self.tier) if name)


@dataclass(frozen=True)
class Conclusion:
    """What prices say of one quantity: an answer at the reference choice, and how far it moves over all of them."""

    question: SheetQuestion
    quantity: Declaration
    answer: Answer
    bounds: tuple[float, float]  # in base units, over all choices and all ranges of their values
    reference: Choice
    low_at: Choice
    high_at: Choice
    passed_over: Choice  # what stands before the reference and does not determine the answer; empty if nothing does
    assumptions: tuple[str, ...]
    _refuted_by: Callable[[], tuple[str, ...]] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        from derive.presentation.text import headline

        return f"<Conclusion {headline(self.answer)}>"

    @cached_property
    def refuted_by(self) -> tuple[str, ...]:
        """What would refute the conclusion, computed on first use."""
        return self._refuted_by()

    @property
    def meaning(self) -> str:
        return self.quantity.meaning

    @property
    def value(self) -> Any:
        """The value at the reference choice, or None where there are only bounds."""
        return self.answer.value

    @property
    def low(self) -> Any:
        """The least value over all choices, as a pint Quantity."""
        return in_unit(self.bounds[0], self.quantity.unit)

    @property
    def high(self) -> Any:
        """The greatest value over all choices, as a pint Quantity."""
        return in_unit(self.bounds[1], self.quantity.unit)


@dataclass(frozen=True)
class Missing:
    """A conclusion that the sheet does not yield: the prices that would, or why none would."""

    quantity: Declaration
    needs: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class Contradiction:
    """Two prices that cannot both be read as they are: what they say, the gap, and whether any choice closes it."""

    prices: tuple[str, ...]
    text: str
    answer: Answer  # the gap, or the value that the other prices imply
    everywhere: bool = True  # over all choices; else at the reference choice only


@dataclass(frozen=True)
class Inference:
    """A price sheet and what it implies."""

    sheet: str
    title: str
    prices: Mapping[str, Value] = field(hash=False)
    conclusions: tuple[Conclusion, ...]
    missing: tuple[Missing, ...]
    contradictions: tuple[Contradiction, ...]

    def __getitem__(self, name: str) -> Conclusion:
        """The conclusion on a quantity.

        >>> import derive
        >>> found = derive.infer("gemini-2-5-pro-prices")
        >>> round(found["implied_kv_bytes_per_token"].value.to("byte/token").magnitude)
        1693
        """
        for conclusion in self.conclusions:
            if conclusion.quantity.name == name:
                return conclusion
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"<Inference from {self.sheet}: {len(self.conclusions)} conclusions>"

    def __contains__(self, name: str) -> bool:
        return any(conclusion.quantity.name == name for conclusion in self.conclusions)

    def __str__(self) -> str:
        from derive.tokens.price_sheets.text import as_text

        return as_text(self)
