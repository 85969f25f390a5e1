"""A scene as data: what several claims say about one thing, stated all at once."""

from __future__ import annotations

from dataclasses import dataclass

from derive.audit.criteria import BEARING
from quantities.value import read_value

__all__ = ["Assertion", "Scene"]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A claim's value of one quantity."""

    claim: str
    quantity: str
    value: str
    printed: bool = False  # an exact number, without tolerance

    @property
    def name(self) -> str:
        return f"{self.quantity}_by_{self.claim}"

    @property
    def room(self) -> str:
        """The range within the claim's tolerance."""
        value = read_value(self.value)
        if self.printed or value.is_range:
            return self.value
        return f"{value.number / BEARING!r}..{value.number * BEARING!r} {value.unit.text}".rstrip()

    def __str__(self) -> str:
        return f"{self.claim}: {self.quantity} = {self.value}"


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing about which several claims are made, and what is assumed of it."""

    words: str
    premises: tuple[tuple[str, str], ...]
    assertions: tuple[Assertion, ...]
