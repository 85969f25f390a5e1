"""Questions as data, as a claims file or an example writes them, and the library's answers to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from derive.errors import NOES, AmbiguousError, DeriveError, DomainError
from derive.library import Library
from derive.solving.execution.answer import Answer

__all__ = ["Asked", "Statement", "WrittenQuestion", "ask", "asked", "spoken"]


_REFUSALS: tuple[type[DeriveError], ...] = (*NOES, DomainError)  # any other error is a mistake in the question


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """One question to the library; a given may itself be a question, whose answer is then given."""

    target: str
    profiles: tuple[str, ...] = ()
    given: tuple[tuple[str, str | WrittenQuestion], ...] = ()

    def having(self, path: str, value: str) -> WrittenQuestion:
        """The same question with another given; the path leads into inner questions.

        >>> asks = ask("weight_time", weight_bytes=ask("weight_bytes", total_parameters="1 Tparameter"))
        >>> print(asks.having("weight_bytes/total_parameters", "2 Tparameter"))
        weight_time, weight_bytes = (weight_bytes, total_parameters = 2 Tparameter)
        """
        name, _, rest = path.partition("/")
        inner = dict(self.given).get(name)
        new = inner.having(rest, value) if rest and isinstance(inner, WrittenQuestion) else value
        return WrittenQuestion(self.target, self.profiles, tuple({**dict(self.given), name: new}.items()))

    def with_profile(self, name: str) -> WrittenQuestion:
        """The same question with one profile more."""
        return WrittenQuestion(self.target, (*self.profiles, name), self.given)

    def __str__(self) -> str:
        given = [
            f"{name} = ({value})" if isinstance(value, WrittenQuestion) else f"{name} = {value}"
            for name, value in self.given
        ]
        return ", ".join([self.target, *self.profiles, *given])


@dataclass(frozen=True, slots=True)
class Statement:
    """An equation whose units are to fit; quantities that the library does not know come with their units."""

    equation: str
    units: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ", ".join([self.equation, *(f"{name} in {unit or '1'}" for name, unit in self.units)])


@dataclass(frozen=True)
class Asked:
    """A question with its answer or refusal, and the same for its inner questions."""

    question: WrittenQuestion
    answer: Answer | None
    refusal: DeriveError | None
    inner: Mapping[str, Asked]

    @property
    def answers(self) -> Iterator[Answer]:
        """All answers, those of inner questions first."""
        for before in self.inner.values():
            yield from before.answers
        if self.answer is not None:
            yield self.answer


def ask(target: str, *profiles: str, **given: str | WrittenQuestion) -> WrittenQuestion:
    """A question, written like a call of `solve`."""
    return WrittenQuestion(target, profiles, tuple(given.items()))


def asked(library: Library, question: WrittenQuestion) -> Asked:
    """Ask the library a question, after its inner questions."""
    inner = MappingProxyType(
        {name: asked(library, value) for name, value in question.given if isinstance(value, WrittenQuestion)}
    )
    refused = next((one.refusal for one in inner.values() if one.refusal is not None), None)
    if refused is not None:
        return Asked(question, None, refused, inner)
    handed = {name: spoken(one.answer) for name, one in inner.items() if one.answer is not None}
    given = {name: handed.get(name, value) for name, value in question.given}
    try:
        answer = library.solve(question.target, *question.profiles, **given)
    except AmbiguousError as error:
        if len(error.answers) > 1:
            return Asked(question, None, error, inner)
        answer = error.answers[0]
    except _REFUSALS as error:
        return Asked(question, None, error, inner)
    return Asked(question, answer, None, inner)


def spoken(answer: Answer) -> str:
    """An answer's value as it would be typed in, to the last digit."""
    assert answer.base is not None
    unit = answer.quantity.unit
    return f"{unit.from_base(answer.base)!r} {unit.text}".rstrip()
