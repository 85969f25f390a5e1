"""What givens alone determine has to lie in its domain, whoever asks: by exact arithmetic over every reachable number.

Each relation of a random library has one form in each of its quantities, so that everything which follows from the
givens is enumerated by putting rational numbers into one relation after another. Nothing of the engine is used.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import derive
from derive import InconsistentError
from tests.derive.statements import bare
from tests.ordinary import every

Numbers = dict[str, Fraction]


@dataclass(frozen=True)
class Tie:
    """One relation: `a*b = number`, or `a = factor*b + number`."""

    one: str
    other: str
    factor: int
    number: int

    @property
    def text(self) -> str:
        if not self.factor:
            return f"{self.one}*{self.other} = {self.number}"
        return f"{self.one} = {self.factor}*{self.other} + ({self.number})"

    def following(self, known: Mapping[str, Fraction]) -> tuple[str, Fraction | None] | None:
        """The quantity that follows, and its number, if it has one; None if nothing follows."""
        if (self.one in known) == (self.other in known):
            return None
        if self.one not in known:
            at = known[self.other]
            if self.factor:
                return self.one, self.factor * at + self.number
            return self.one, self.number / at if at else None
        at = known[self.one]
        if self.factor:
            return self.other, (at - self.number) / self.factor
        return self.other, self.number / at if at else None


@dataclass(frozen=True)
class Tree:
    """Quantities with domains, each tied to one before it, so that any of them is enough to know the rest."""

    domains: dict[str, tuple[int, int] | None]
    ties: tuple[Tie, ...]

    @property
    def text(self) -> str:
        lines = ["[quantities]"]
        for name, span in self.domains.items():
            domain = "real" if span is None else f"{span[0]}..{span[1]}"
            lines.append(f'{name} = {{ unit = "1", domain = "{domain}" }}')
        lines.append("[relations]")
        lines += [f'r{i} = {{ equation = "{tie.text}" }}' for i, tie in enumerate(self.ties)]
        return "\n".join(lines)

    def everything(self, given: Mapping[str, Fraction]) -> Iterator[tuple[str, Fraction | None]]:
        """All that follows from a number, in the order in which it does; nothing follows from what has no number."""
        known, without = dict(given), set[str]()
        while found := next(
            (one for tie in self.ties if (one := tie.following(known)) and one[0] not in without), None
        ):
            yield found
            name, number = found
            if number is None:
                without.add(name)
            else:
                known[name] = number

    def leaves(self, given: Mapping[str, Fraction]) -> set[str]:
        """The quantities that would have to leave their domains, or that have no number at all."""
        return {name for name, number in self.everything(given) if number is None or not self.admits(name, number)}

    def admits(self, name: str, number: Fraction) -> bool:
        span = self.domains[name]
        return span is None or span[0] <= number <= span[1]


def tree(draw: random.Random) -> Tree:
    names = [f"q{i}" for i in range(draw.randint(3, 5))]
    domains = {name: None if draw.random() < 0.4 else (-draw.randint(0, 6), draw.randint(3, 30)) for name in names}
    ties = []
    for i, name in enumerate(names[1:], start=1):
        other = draw.choice(names[:i])
        factor = draw.choice([0, 1, -1, 2, 3])
        pair = (name, other) if draw.random() < 0.7 else (other, name)
        ties.append(Tie(*pair, factor, draw.choice([-10, -2, 5, 7, 12])))
    return Tree(domains, tuple(ties))


def scenes(seed: int) -> Iterator[tuple[Tree, derive.Library, str, str, Fraction]]:
    draw = random.Random(f"left domains {seed}")
    made = tree(draw)
    library = derive.load(made.text)
    for _ in range(3):
        given, target = draw.sample(list(made.domains), 2)
        numbers = [Fraction(n) for n in range(-6, 31) if n and made.admits(given, Fraction(n))]
        for number in draw.sample(numbers, min(3, len(numbers))):
            yield made, library, given, target, number


def exactly(made: Tree, given: str, number: Fraction, target: str) -> Fraction | None:
    return dict(made.everything({given: number})).get(target)


@pytest.mark.thorough
@every("seed", range(60), ordinary=20, thorough=28)
def test_what_leaves_its_domain_is_a_contradiction_whatever_is_asked(seed: int) -> None:
    for made, library, given, target, number in scenes(seed):
        asked = f"{target} from {given} = {number}\n{made.text}"
        left = made.leaves({given: number})
        compiled = library.compile(target, [given])(**{given: float(number)})
        if not left:
            found = exactly(made, given, number, target)
            if found is None:
                continue
            expected = float(found)
            assert library.solve(target, **{given: float(number)}).base == pytest.approx(expected, rel=1e-9), asked
            assert compiled == pytest.approx(expected, rel=1e-9), asked
            continue
        assert math.isnan(compiled), asked
        best = partial(library.least, such_that=())
        refusing: tuple[Any, ...] = (library.solve, library.solve_all, best)
        for refused in refusing:
            with pytest.raises((derive.InconsistentError, derive.NoSolutionError)) as error:
                refused(target, **{given: [float(number)] if refused is best else float(number)})
            assert any(name in str(error.value) for name in left), asked


@every("seed", range(60), ordinary=10)
def test_the_least_over_a_range_keeps_everything_in_its_domain(seed: int) -> None:
    """At the best of a range nothing leaves its domain, and no whole number of the range that leaves none is better."""
    draw = random.Random(f"least inside domains {seed}")
    made = tree(draw)
    library = derive.load(made.text)
    given, target = draw.sample(list(made.domains), 2)
    low, high = made.domains[given] or (-6, 30)
    low = 1 if draw.random() < 0.5 else low
    inside = [Fraction(n) for n in range(low, high + 1) if not made.leaves({given: Fraction(n)})]
    values = [value for n in inside if (value := exactly(made, given, n, target)) is not None]
    try:
        best = library.least(target, **{given: f"{low}..{high}"})
    except (derive.InconsistentError, derive.NoSolutionError):
        assert not values, made.text
        return
    at = Fraction(best.answer.given[given].base[1])
    assert best.answer.base is not None
    near = [at.limit_denominator(1000), *(at + Fraction(step, 10**9) * (1 + abs(at)) for step in (-1, 0, 1))]
    assert any(not made.leaves({given: one}) for one in near), f"{target} from {given}: {at}\n{made.text}"
    if best.proved and values:
        assert best.answer.base <= min(values) + 1e-6 * abs(min(values)), f"{target} from {given}\n{made.text}"


def beside(text: str) -> derive.Library:
    return bare("a b x y z", text, "z = a + b", domains=dict.fromkeys("aby", "nonnegative"))


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("y = 1 - 1/x", {"y": "1", "a": "2", "b": "1"}),
        ("y = a/x", {"y": "0", "a": "3", "b": "1"}),
        ("y = a + b/x", {"y": "3", "a": "3", "b": "2"}),
    ],
)
def test_a_definition_given_at_its_limit_contradicts_nothing(text: str, given: dict[str, str]) -> None:
    expected = float(given["a"]) + float(given["b"])
    assert beside(text).solve("z", **given).base == expected
    compiled = beside(text).compile("z", [*given])
    assert compiled(**{name: float(number) for name, number in given.items()}) == expected


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("y = a*x - x", {"y": "4", "a": "1", "b": "1"}),  # the sides differ by 4, however large x is
        ("y = a + (b - 1)*x", {"y": "3", "a": "2", "b": "1"}),
    ],
)
def test_a_divisor_of_zero_is_no_limit(text: str, given: dict[str, str]) -> None:
    with pytest.raises(InconsistentError):
        beside(text).solve("z", **given)
    compiled = beside(text).compile("z", [*given])
    assert math.isnan(compiled(**{name: float(number) for name, number in given.items()}))


@dataclass(frozen=True)
class Root:
    """A quantity that nobody asks for, tied to the others by its square, its size or its root."""

    form: str  # "square", "size" or "root"
    span: tuple[int, int] | None
    slope: int
    rest: int

    @property
    def text(self) -> str:
        left = {"square": "z**2", "size": "abs(z)", "root": "sqrt(z)"}[self.form]
        domain = "real" if self.span is None else f"{self.span[0]}..{self.span[1]}"
        names = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in "axy")
        return (
            f'[quantities]\n{names}z = {{ unit = "1", domain = "{domain}" }}\n'
            f'[relations]\nr = {{ equation = "y = 2*a" }}\n'
            f's = {{ equation = "{left} = {self.slope}*x + ({self.rest})*a" }}\n'
        )

    def has_a_value(self, a: int, x: int) -> bool:
        """Whether a number of the domain fits, told without taking a root."""
        right = self.slope * x + self.rest * a
        if right < 0:
            return False
        low, high = self.span or (-math.inf, math.inf)
        if self.form == "root":
            return low <= right**2 <= high
        power = 2 if self.form == "square" else 1
        is_upper = high >= 0 and max(low, 0) ** power <= right <= high**power
        is_lower = low <= 0 and max(-high, 0) ** power <= right <= (-low) ** power
        return is_upper or is_lower


@pytest.mark.thorough
@every("seed", range(120), ordinary=12, thorough=28)
def test_what_has_several_roots_has_one_in_its_domain_whatever_is_asked(seed: int) -> None:
    draw = random.Random(f"roots {seed}")
    low = draw.randint(-5, 4)
    span = draw.choice([None, (low, low + draw.randint(1, 6))])
    made = Root(draw.choice(["square", "size", "root"]), span, draw.choice([-3, -1, 1, 2]), draw.randint(-4, 4))
    library = derive.load(made.text)
    compiled = library.compile("y", ["a", "x"])
    values = {}
    for a, x in {(draw.randint(1, 6), draw.randint(-6, 6)) for _ in range(8)}:
        values[a, x] = made.has_a_value(a, x)
        assert math.isnan(compiled(a=float(a), x=float(x))) != values[a, x], (made, a, x)
        if values[a, x]:
            assert library.solve("y", a=a, x=x).base == 2 * a, (made, a, x)
            continue
        with pytest.raises(InconsistentError):
            library.solve("y", a=a, x=x)
    points = [2 * a for a in range(1, 7) for x in range(-6, 7) if made.has_a_value(a, x)]
    try:
        best = library.least("y", a="1..6", x="-6..6")
    except (InconsistentError, derive.NoSolutionError):
        assert not points, made
        return
    assert best.answer.base is not None
    assert not points or not best.proved or best.answer.base <= min(points) * (1 + 1e-6), made
