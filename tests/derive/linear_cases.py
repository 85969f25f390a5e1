"""Random libraries of linear relations in cases, and every value that a quantity may have in them, by exact arithmetic.

A case says which conditions hold and which arms are taken. In each case the relations are linear equations and the
conditions linear inequalities of rational numbers: Fourier and Motzkin's elimination of all other quantities leaves
the interval of one. Nothing of the engine is used.
"""

from __future__ import annotations

import itertools
import operator
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Form = Mapping[str, Fraction]
"""A linear form: the factor of each name, and the constant under the empty name."""

Span = tuple[Fraction, Fraction]
Condition = tuple[str, str, Fraction]
"""A quantity, a sign, and the number it is compared with."""

SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
CONTRARY = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class Claim:
    """An inequality: a linear form that is positive, or at least zero."""

    form: Form
    strict: bool


@dataclass(frozen=True)
class Way:
    """One case of a relation: what is zero there, and what is claimed."""

    zeros: tuple[Form, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Piece:
    """An interval of values; a point if its ends are equal."""

    low: Fraction | None
    high: Fraction | None

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.low == self.high


@dataclass
class Cases:
    """A library as text, the ways of each of its relations, and numbers that satisfy all of them."""

    names: list[str] = field(default_factory=list)
    numbers: dict[str, Fraction] = field(default_factory=dict)
    domains: dict[str, Span] = field(default_factory=dict)
    relations: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    ways: list[tuple[Way, ...]] = field(default_factory=list)

    @property
    def inputs(self) -> list[str]:
        """The quantities that no relation is written for."""
        return [name for name in self.names if not any(one.startswith(f"{name} =") for one, _ in self.relations)]

    @property
    def text(self) -> str:
        lines = ["[quantities]"]
        for name in self.names:
            low, high = self.domains.get(name, (None, None))
            domain = "real" if low is None or high is None else f"{decimal(low)}..{decimal(high)}"
            lines.append(f'{name} = {{ unit = "1", domain = "{domain}" }}')
        lines.append("[relations]")
        for place, (equation, when) in enumerate(self.relations):
            conditions = ", ".join(f'"{one}"' for one in when)
            lines.append(f'r{place} = {{ equation = "{equation}"{f", when = [{conditions}]" if when else ""} }}')
        return "\n".join(lines)

    @property
    def text_with_defaults(self) -> str:
        """The same library, where the numbers in conditions are defaults of quantities."""
        defaults: dict[str, str] = {}

        def name(number: re.Match[str]) -> str:
            return defaults.setdefault(number[0], f"k{len(defaults)}")

        lines = []
        for line in self.text.splitlines():
            equation, when, conditions = line.partition(", when = ")
            lines.append(f"{equation}{when}{re.sub(r'(?<![.0-9A-Za-z])[0-9]+([.][0-9]+)?', name, conditions)}")
        own = [f'{name} = {{ unit = "1", domain = "real", value = "{number}" }}' for number, name in defaults.items()]
        return "\n".join([lines[0], *own, *lines[1:]])

    def values(self, target: str, given: Mapping[str, Span]) -> list[Piece]:
        """Every value that the target may have where the given quantities lie in these ranges."""
        zeros = [minus({name: Fraction(1)}, {"": low}) for name, (low, high) in given.items() if low == high]
        claims = [one for name, span in given.items() if span[0] < span[1] for one in between(name, span)]
        claims += [one for name, span in self.domains.items() for one in between(name, span)]
        pieces = []
        for ways in itertools.product(*self.ways):
            every = [*zeros, *(zero for way in ways for zero in way.zeros)]
            piece = projected(every, [*claims, *(claim for way in ways for claim in way.claims)], target)
            if piece is not None:
                pieces.append(piece)
        return pieces


def decimal(number: Fraction) -> str:
    """A number whose denominator has no other factors than 2 and 5, as text."""
    digits = next(places for places in range(60) if (number * 10**places).denominator == 1)
    whole = abs(number * 10**digits).numerator
    text = f"{whole // 10**digits}" + (f".{whole % 10**digits:0{digits}d}" if digits else "")
    return f"-{text}" if number < 0 else text


def minus(one: Form, other: Form) -> Form:
    names = dict.fromkeys([*one, *other])
    found = {name: one.get(name, Fraction(0)) - other.get(name, Fraction(0)) for name in names}
    return {name: factor for name, factor in found.items() if factor}


def between(name: str, span: Span) -> tuple[Claim, Claim]:
    here = {name: Fraction(1)}
    return Claim(minus(here, {"": span[0]}), False), Claim(minus({"": span[1]}, here), False)


def projected(zeros: Sequence[Form], claims: Sequence[Claim], target: str) -> Piece | None:
    """The interval of the target where these forms are zero and these claims hold; None if that is nowhere."""
    pending, claims = list(zeros), list(claims)
    fixed: Fraction | None = None
    while pending:
        zero = pending.pop()
        names = [name for name in zero if name and name != target] or [name for name in zero if name]
        if not names:
            if zero.get("", 0):
                return None
            continue
        name = names[0]
        form = {other: -factor / zero[name] for other, factor in zero.items() if other != name}
        pending = [put(one, name, form) for one in pending]
        claims = [Claim(put(one.form, name, form), one.strict) for one in claims]
        if name == target:
            fixed = form.get("", Fraction(0))
    for name in dict.fromkeys(name for one in claims for name in one.form if name and name != target):
        claims = without(claims, name)
    bounds = interval(claims, target)
    if bounds is None:
        return None
    return bounds if fixed is None else Piece(fixed, fixed)


def put(form: Form, name: str, other: Form) -> Form:
    """A form with a name replaced by another form."""
    if name not in form:
        return form
    rest = {one: factor for one, factor in form.items() if one != name}
    return minus(rest, {one: -form[name] * factor for one, factor in other.items()})


def without(claims: Sequence[Claim], name: str) -> list[Claim]:
    """What claims say of the other names: every lower bound of this one lies below every upper bound."""
    kept = [one for one in claims if name not in one.form]
    below = [one for one in claims if one.form.get(name, 0) > 0]
    above = [one for one in claims if one.form.get(name, 0) < 0]
    for one, other in itertools.product(below, above):
        share = {n: f / one.form[name] for n, f in one.form.items() if n != name}
        rest = {n: f / other.form[name] for n, f in other.form.items() if n != name}
        kept.append(Claim(minus(share, rest), one.strict or other.strict))
    return kept


def interval(claims: Sequence[Claim], target: str) -> Piece | None:
    """The interval that claims about one name leave to it."""
    low: tuple[Fraction, bool] | None = None
    high: tuple[Fraction, bool] | None = None
    for one in claims:
        factor, constant = one.form.get(target, Fraction(0)), one.form.get("", Fraction(0))
        if not factor:
            if constant < 0 or (one.strict and not constant):
                return None
            continue
        edge = -constant / factor
        if factor > 0 and (low is None or (edge, one.strict) > low):
            low = edge, one.strict
        if factor < 0 and (high is None or (edge, not one.strict) < (high[0], not high[1])):
            high = edge, one.strict
    if low is not None and high is not None and (low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))):
        return None
    return Piece(None if low is None else low[0], None if high is None else high[0])


# Random libraries


def random_cases(draw: random.Random, most: int = 6, *, gapless: bool = False) -> Cases:
    """A library of two to six relations, each for a quantity of its own; some only in one case, some in several.

    If it is `gapless`, some relation for each of those quantities applies in every case.
    """
    cases = Cases()
    for _ in range(draw.randint(1, 3)):
        _declared(cases, Fraction(draw.randint(-40, 40), 10))
    while len(cases.relations) < draw.randint(2, most):
        name = f"q{len(cases.names)}"
        arms = [_form(draw, cases) for _ in range(draw.choice((2, 2, 3) if gapless else (1, 2, 2, 2, 3)))]
        draw.choice((_plain, _by_when, _by_when, _by_choice, _extreme))(draw, cases, name, arms)
    for name in cases.names:
        if draw.random() < 0.2:
            room = Fraction(draw.randint(0, 40), 10), Fraction(draw.randint(1, 40), 10)
            cases.domains[name] = cases.numbers[name] - room[0], cases.numbers[name] + room[1]
    return cases


def _declared(cases: Cases, number: Fraction) -> str:
    name = f"q{len(cases.names)}"
    cases.names.append(name)
    cases.numbers[name] = number
    return name


def _form(draw: random.Random, cases: Cases) -> Form:
    names = draw.sample(cases.names, min(len(cases.names), draw.choice((1, 1, 1, 2))))
    form = {name: Fraction(draw.choice((-20, -10, -5, 1, 3, 5, 10, 10, 20, 30)), 10) for name in names}
    constant = Fraction(draw.choice((0, 0, 0, draw.randint(-30, 30))), 10)
    return {**form, "": constant} if constant else form


def written(form: Form) -> str:
    terms = [f"{decimal(factor)}*{name}" if name else decimal(factor) for name, factor in form.items()]
    return " + ".join(f"({term})" if term.startswith("-") else term for term in terms) or "0"


def at(form: Form, numbers: Mapping[str, Fraction]) -> Fraction:
    return sum((factor * (numbers[name] if name else 1) for name, factor in form.items()), Fraction(0))


def _edges(draw: random.Random, cases: Cases, count: int) -> tuple[str, list[Fraction], list[bool]]:
    """A quantity, the numbers that divide its cases, and whether each belongs to the case above it."""
    name = draw.choice(cases.names)
    here = cases.numbers[name]
    edges: set[Fraction] = set()
    while len(edges) < count:
        edges.add(here + Fraction(draw.choice((0, draw.randint(-20, 20))), 10))
    return name, sorted(edges), [draw.random() < 0.5 for _ in edges]


def _conditions(name: str, edges: Sequence[Fraction], above: Sequence[bool], place: int) -> list[Condition]:
    """The conditions of one of the cases that edges divide."""
    found = []
    if place:
        found.append((name, ">=" if above[place - 1] else ">", edges[place - 1]))
    if place < len(edges):
        found.append((name, "<" if above[place] else "<=", edges[place]))
    return found


def _claim(condition: Condition) -> Claim:
    name, sign, edge = condition
    form = minus({name: Fraction(1)}, {"": edge})
    return Claim(form if sign in (">", ">=") else minus({}, form), sign in ("<", ">"))


def _said(condition: Condition) -> str:
    return f"{condition[0]} {condition[1]} {decimal(condition[2])}"


def _holds(condition: Condition, numbers: Mapping[str, Fraction]) -> bool:
    return SIGNS[condition[1]](numbers[condition[0]], condition[2])


def _contrary(condition: Condition) -> Condition:
    return condition[0], CONTRARY[condition[1]], condition[2]


def _zero(name: str, form: Form) -> Form:
    return minus({name: Fraction(1)}, form)


def _plain(draw: random.Random, cases: Cases, name: str, arms: Sequence[Form]) -> None:
    cases.relations.append((f"{name} = {written(arms[0])}", ()))
    cases.ways.append((Way((_zero(name, arms[0]),), ()),))
    _declared(cases, at(arms[0], cases.numbers))


def _by_when(draw: random.Random, cases: Cases, name: str, arms: Sequence[Form]) -> None:
    """A relation for each case, or for some of them only."""
    subject, edges, above = _edges(draw, cases, max(1, len(arms) - 1))
    number = Fraction(draw.randint(-40, 40), 10)
    for place, form in enumerate(arms):
        conditions = _conditions(subject, edges, above, place)
        if all(_holds(one, cases.numbers) for one in conditions):
            number = at(form, cases.numbers)
        cases.relations.append((f"{name} = {written(form)}", tuple(map(_said, conditions))))
        taken = Way((_zero(name, form),), tuple(map(_claim, conditions)))
        others = (Way((), (_claim(_contrary(one)),)) for one in conditions)
        cases.ways.append((taken, *others))
    _declared(cases, number)


def _by_choice(draw: random.Random, cases: Cases, name: str, arms: Sequence[Form]) -> None:
    """One relation that chooses between its arms by conditions."""
    subject, edges, above = _edges(draw, cases, max(1, len(arms) - 1))
    forms = [*arms, *(_form(draw, cases) for _ in range(len(edges) + 1 - len(arms)))]
    said, ways, number = [], [], Fraction(0)
    for place, form in enumerate(forms):
        conditions = _conditions(subject, edges, above, place)
        if all(_holds(one, cases.numbers) for one in conditions):
            number = at(form, cases.numbers)
        said.append(f"({written(form)})" + (f" if {_said(conditions[-1])}" if place < len(edges) else ""))
        ways.append(Way((_zero(name, form),), tuple(map(_claim, conditions))))
    cases.relations.append((f"{name} = {' else '.join(said)}", ()))
    cases.ways.append(tuple(ways))
    _declared(cases, number)


def _extreme(draw: random.Random, cases: Cases, name: str, arms: Sequence[Form]) -> None:
    """The least or the greatest of some forms."""
    which = draw.choice(("min", "max"))
    listed = [*arms, draw.choice(arms)] if draw.random() < 0.3 else [*arms, _form(draw, cases)]
    cases.relations.append((f"{name} = {which}({', '.join(map(written, listed))})", ()))
    ways = []
    for form in listed:
        others = (minus(other, form) if which == "min" else minus(form, other) for other in listed if other is not form)
        ways.append(Way((_zero(name, form),), tuple(Claim(one, False) for one in others)))
    cases.ways.append(tuple(ways))
    chosen = min if which == "min" else max
    _declared(cases, chosen(at(form, cases.numbers) for form in listed))


def questions(draw: random.Random, cases: Cases, is_ranged: bool) -> Iterator[tuple[str, dict[str, Span]]]:
    """Targets, each with some of the other quantities given: at their numbers, or one of them in a range around it."""
    for target in draw.sample(cases.names, min(2, len(cases.names))):
        others = [name for name in cases.names if name != target]
        if is_ranged:  # what depends on what is given would have to lie in a range as well
            others = [name for name in cases.inputs if name != target] if draw.random() < 0.6 else [draw.choice(others)]
        chosen = draw.sample(others, draw.randint(1, len(others)) if others else 0)
        given = {name: (cases.numbers[name],) * 2 for name in chosen}
        if is_ranged and chosen:
            name = draw.choice(chosen)
            low, high = (Fraction(draw.randint(1, 30), 10) for _ in range(2))
            given[name] = cases.numbers[name] - low, cases.numbers[name] + high
            if name in cases.domains:
                bounds = cases.domains[name]
                given[name] = max(given[name][0], bounds[0]), min(given[name][1], bounds[1])
        yield target, given
