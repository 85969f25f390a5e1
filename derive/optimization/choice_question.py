"""The question of a best choice: its target, what is fixed and what is free, and the limits that have to hold.

Free are ranges, lists of values, and profiles of which any one may be taken. Every combination of list entries and
profiles is a `Pick`, with a question of its own; the ranges are free in each. The limits are the inequalities of the
library and what the question is asked under:

limit = side ("<=" | ">=") side,    side = an expression of quantities, or a value with its unit
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, product
from typing import Any

from derive.errors import DeriveError, DimensionError, ExpressionError, LimitError, UnitError, excerpt, read_all
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Equation, Name, Node, Number, names_in
from derive.model.relation import Relation, undeclared
from derive.model.relation_set import RelationSet
from derive.model.repairs import Vocabulary
from derive.numerics.intervals.arithmetic import Span
from derive.planning.networks import reached
from quantities.declaration import Declaration, read_given
from quantities.profiles import Profile
from quantities.rational import exact_of
from quantities.value import Value, read_number, read_value

_MOST = 2000  # limit on discrete choices
_LARGE = 1e300
_SIGN = re.compile(r"<=|>=|≤|≥|<|>|=")
_MEANT = {"≤": "<=", "≥": ">="}


@dataclass(frozen=True, slots=True)
class Constraint:
    """An inequality between quantities, or a tie; each value that stands in it is a name, whose number `values` has."""

    name: str
    written: Equation
    relation: Relation
    names: tuple[str, ...]  # the quantities in it
    values: Mapping[str, Value] = field(default_factory=dict)  # the values that stand in it
    conditions: tuple[Node, ...] = ()  # where one of them does not hold, the inequality does not apply
    approximate: float = 0.0  # share of its terms by which it may be missed
    is_asked: bool = False  # whether the question states it, and not the library
    is_domain: bool = False  # whether it is the end of a domain, which nobody can move

    @property
    def is_tie(self) -> bool:
        """Whether a limit of a question with choices is an equation of the library, or one of two inequalities."""
        return self.relation.is_equation and self.written.sides == self.relation.written.sides


def values_of(limits: Iterable[Constraint]) -> dict[str, Value]:
    """The values that stand in the limits of a question with choices, by their names."""
    return dict(chain.from_iterable(limit.values.items() for limit in limits))


@dataclass(frozen=True)
class Pick:
    """One discrete choice: the profiles, and the value taken of each list."""

    profiles: tuple[str | Profile, ...]
    listed: Mapping[str, Value]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(profile.name if isinstance(profile, Profile) else profile for profile in self.profiles)


@dataclass(frozen=True, slots=True)
class Choice:
    """What an optimum reports of one discrete choice: the best in it, or why there is none."""

    profiles: tuple[str, ...]
    listed: Mapping[str, str]  # the list entries, as they were stated
    best: float | None  # in base units
    at: Mapping[str, float]  # the free quantities there, in base units
    why: str = ""  # which limits rule it out, or what is missing
    is_proved: bool = True


@dataclass(frozen=True)
class ChoiceQuestion:
    """A question with choices: what is fixed, what is free, the discrete choices, and the limits of all."""

    library: RelationSet
    target: str
    sense: str  # "least" or "most"
    fixed: Mapping[str, Value]
    ranges: Mapping[str, Value]
    picks: tuple[Pick, ...]
    limits: tuple[Constraint, ...]

    @property
    def sign(self) -> float:
        """The factor by which a question with choices multiplies its target, to be made least."""
        return 1.0 if self.sense == "least" else -1.0

    @property
    def free(self) -> dict[str, Span]:
        return {name: (value.base[0], value.base[2]) for name, value in self.ranges.items()}

    @property
    def typed(self) -> list[str]:
        """The names of all givens of a question with choices."""
        return [*self.fixed, *self.picks[0].listed, *self.ranges]

    def given(self, pick: Pick) -> dict[str, Any]:
        """What the question of a best choice gives for one pick, with its free quantities as ranges."""
        return {**self.fixed, **pick.listed, **self.ranges}

    def values_at(self, pick: Pick, point: Sequence[float]) -> dict[str, Value]:
        """What the question of a best choice gives for one pick, with its free ranges at the numbers of a point."""
        units = {name: self.library.declared[name].unit for name in self.ranges}
        numbers = zip(units.items(), point, strict=True)
        return {
            **self.fixed,
            **pick.listed,
            **{name: read_number(unit.from_base(x), unit) for (name, unit), x in numbers},
        }


def read_question(
    library: RelationSet,
    target: str,
    sense: str,
    profiles: Sequence[Any],
    such_that: str | Iterable[str],
    given: Mapping[str, Any],
) -> ChoiceQuestion:
    """Read a question with choices: what is fixed and what is free, the discrete choices, and the limits.

    Where nothing at all is given, every quantity around the target may be chosen from its domain.

    >>> from derive.library import Library
    >>> track = Library(quantities=[Declaration("length", "m"), Declaration("laps", "")])
    >>> found = read_question(track, "laps", "least", (), (), {"length": "1..3 m", "laps": [1, 2]})
    >>> found.free, [str(pick.listed["laps"]) for pick in found.picks]
    ({'length': (1.0, 3.0)}, ['1', '2'])
    """
    library.declaration(target)
    given = given if given or profiles else dict(_bounded_domains(library, target))

    def read(name: str, value: Any) -> Value | tuple[Value, ...]:
        quantity = library.declaration(name)
        if is_choice(value):
            return _listed(quantity, value)
        return _range(quantity, read_given(value, quantity), value)

    read_values = read_all(read, given)
    lists = {name: values for name, values in read_values.items() if isinstance(values, tuple)}
    single = {name: value for name, value in read_values.items() if isinstance(value, Value)}
    ranges = {name: value for name, value in single.items() if _is_free(value, given[name])}
    fixed = {name: value for name, value in single.items() if name not in ranges}
    profile_choices = [tuple(entry) if is_choice(entry) else (entry,) for entry in profiles]
    if not all(profile_choices):
        raise ExpressionError("A choice of profiles is empty.", hint='Name one or more: ("h100-sxm:fp8", "b200:fp8").')
    for profile in chain.from_iterable(profile_choices):
        if not isinstance(profile, Profile):
            library.profile(profile)
    if not lists and not ranges and all(len(alternatives) == 1 for alternatives in profile_choices):
        raise ExpressionError(
            f"Nothing is free to choose for {target}.",
            hint='Give a range, batch="1..4096 sequence", a list of values, or a tuple of profiles.',
        )
    picks = tuple(_picks(profile_choices, lists))
    limits = (*library_limits(library), *stated_limits(library, such_that))
    return ChoiceQuestion(library, target, sense, fixed, ranges, picks, limits)


def _bounded_domains(library: RelationSet, target: str) -> Iterator[tuple[str, str]]:
    """Bounded domains to choose from where a question with choices gives nothing: of quantities around its target."""
    relations = [names_in(relation.written.lhs, relation.written.rhs) for relation in library.relations.values()]
    around = reached([target], lambda name: chain.from_iterable(names for names in relations if name in names))
    for name in sorted({*around} - {target, *library.defaults}):
        domain = library.declared[name].domain
        if math.isfinite(domain.low) and math.isfinite(domain.high):
            yield name, domain.text.partition(",")[0]


def is_choice(value: Any) -> bool:
    """Whether a given of a question with choices is a list of values, any one of which may be taken."""
    return isinstance(value, (list, tuple, range))


def _picks(profile_choices: Sequence[tuple[Any, ...]], lists: Mapping[str, tuple[Value, ...]]) -> Iterator[Pick]:
    """The discrete choices of the question: all combinations of profiles and list entries, if they are not too many."""
    count = math.prod(map(len, [*profile_choices, *lists.values()]))
    if count > _MOST:
        raise LimitError(
            f"There are {count} combinations of list entries and profiles.",
            hint=f'Give a range instead of a list, as in chips="8..72 chip"; {_MOST} combinations are gone through.',
            limit=f"{_MOST} combinations",
        )
    for chosen, values in product(product(*profile_choices), product(*lists.values())):
        yield Pick(chosen, dict(zip(lists, values, strict=True)))


def _listed(quantity: Declaration, values: Any) -> tuple[Value, ...]:
    """The entries of a list that a question leaves to choose from, each number once."""
    read = [read_given(value, quantity) for value in values]
    if not read or any(value.is_range for value in read):
        what = "a list without an entry" if not read else "a range in a list"
        raise ExpressionError(
            f"{quantity.name}: {what} is no choice.",
            hint='Write ["8 chip", "16 chip"], or one range.',
            text=quantity.name,
        )
    return tuple({value.base[1]: value for value in read}.values())


def _range(quantity: Declaration, value: Value, given: Any) -> Value:
    """The value of a given in a question with choices; a free range of a count has to contain a whole number."""
    if _is_free(value, given) and quantity.is_count:
        low, high = (quantity.unit.from_base(value.base[i]) for i in (0, 2))
        if math.ceil(low) > math.floor(high):
            raise ExpressionError(
                f"{quantity.name}: no whole number lies in {value}.", hint="Widen the range.", text=str(given)
            )
    return value


def _is_free(value: Value, given: Any) -> bool:
    """Whether a question with choices may choose from the range of a given.

    From one with an uncertainty (300 +/- 20) it may not: that is taken at its middle.
    """
    is_uncertain = isinstance(given, str) and any(sign in given for sign in ("+/-", "±"))
    return value.is_range and not is_uncertain


def library_limits(library: RelationSet) -> list[Constraint]:
    """The inequalities of a library as limits of a question with choices."""
    limits = []
    for relation in library.relations.values():
        if not relation.is_equation:
            names = names_in(relation.written.lhs, relation.written.rhs, *relation.conditions)
            share = relation.approximate or 0.0
            limits.append(Constraint(relation.name, relation.written, relation, names, {}, relation.conditions, share))
    return limits


def limits_of_domain(library: RelationSet, name: str) -> list[Constraint]:
    """The ends of a quantity's domain as limits of a question with choices.

    >>> from derive.library import Library
    >>> from quantities.declaration import Declaration
    >>> track = Library(quantities=[Declaration("speed", "m/s", domain="0..90 m/s")])
    >>> [limit.name for limit in limits_of_domain(track, "speed")]
    ['speed >= 0 m/s', 'speed <= 90 m/s']
    """
    domain = library.declared[name].domain
    ends = [(sign, end) for sign, end in ((">=", domain.low), ("<=", domain.high)) if math.isfinite(end)]
    labels = [f"{name} {sign} {domain.told(end)}" for sign, end in ends]
    if not ends:  # it has to have a value, whichever that is
        ends, labels = [(">=", -_LARGE)], [f"{name} has a value"]
    texts = [f"{name} {sign} {domain.unit.from_base(end)!r} {domain.unit}".strip() for sign, end in ends]
    read = zip(stated_limits(library, texts), labels, strict=True)
    return [replace(limit, name=label, is_asked=False, is_domain=True) for limit, label in read]


def stated_limits(library: RelationSet, texts: str | Iterable[str]) -> list[Constraint]:
    """Read the limits that a question with choices states in `such_that`.

    >>> from derive.library import Library
    >>> from quantities.declaration import Declaration
    >>> track = Library(quantities=[Declaration("speed", "m/s")])
    >>> limit, = stated_limits(track, ["speed >= 20 km/h"])
    >>> limit.names, [str(value) for value in limit.values.values()]
    (('speed',), ['20 km/h'])
    """
    listed = list(texts) if isinstance(texts, Iterable) and not isinstance(texts, (str, bytes)) else [texts]
    for text in listed:
        if not isinstance(text, str):
            raise _unread_limit(repr(text), f"a {type(text).__name__} is not a limit.")
    return [_read_limit(library, text, i) for i, text in enumerate(dict.fromkeys(listed))]


def _read_limit(library: RelationSet, text: str, i: int) -> Constraint:
    """Read one limit that a question with choices states; its values are named by its place, as no quantity is."""
    matches = [sign for sign in _SIGN.finditer(text) if not _is_inside(text[: sign.start()])]
    signs = [sign.group() for sign in matches]
    if len(signs) != 1 or _MEANT.get(signs[0], signs[0]) not in ("<=", ">="):
        what = "it has no <= or >="
        if len(signs) == 1:
            what = f"{signs[0]} is not <= or >=: a best choice may lie on the limit itself"
        elif signs:
            what = "it has more than one sign"
        raise _unread_limit(text, f"{what}.")
    values: dict[str, Value] = {}
    own_name = f"limit_{i + 1}"
    while own_name in library.declared:
        own_name += "_"
    side_texts = text[: matches[0].start()], text[matches[0].end() :]
    if not all(map(str.strip, side_texts)):
        raise _unread_limit(text, f"nothing stands on one side of {signs[0]}.")
    left, right = (_side(library, side, own_name, values) for side in side_texts)
    written = Equation(left, _MEANT.get(signs[0], signs[0]), right, text.strip())
    names = tuple(name for name in names_in(left, right) if name not in values)
    missing = [name for name in names if name not in library.declared]
    if missing:
        raise undeclared(f"such_that {excerpt(text)}", missing, Vocabulary(library.declared))
    if not names:
        raise _unread_limit(text, "it contains no quantity.")
    declared = {name: library.declared[name] for name in names}
    own_declarations = {name: Declaration(name, str(value.unit), domain="real") for name, value in values.items()}
    try:
        relation = Relation("such_that", written, {**declared, **own_declarations})
    except DimensionError as error:
        raise _in_words(error, values) from None
    return Constraint(text.strip(), written, relation, names, values, is_asked=True)


def _in_words(error: DimensionError, values: Mapping[str, Value]) -> DimensionError:
    """The dimension error of a limit in a question with choices, with its values as they were stated."""

    def restated(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, str(value))
        return text

    problems = [
        replace(problem, message=restated(problem.message), hint=restated(problem.hint)) for problem in error.problems
    ]
    return DimensionError(restated(error.what), hint=restated(error.hint), problems=tuple(problems))


def _is_inside(before: str) -> bool:
    """Whether the sign that follows a text in a limit of the question stands in parentheses.

    The conditions of a piecewise expression do.
    """
    return before.count("(") > before.count(")")


def _side(library: RelationSet, text: str, name: str, values: dict[str, Value]) -> Node:
    """Read one side of a limit in a question with choices: an expression of quantities, or a value with a unit.

    A value is entered in `values` by this name, which stands for it. With a quantity s, `2/s` is no frequency.
    """
    with suppress(ExpressionError):
        expression = parse_expression(text.strip())
        names = names_in(expression)
        if names and library.declared.keys() >= {*names}:
            return expression
    try:
        value = read_value(text.strip())
    except DeriveError as error:
        try:
            return parse_expression(text.strip())
        except ExpressionError as unread:
            if not isinstance(error, UnitError):
                unread.what = f"such_that {unread.what}"
                raise
        raise UnitError(f"such_that {excerpt(text.strip())}: {error.what}", hint=error.hint, unit=error.unit) from None
    if value.is_range:
        raise _unread_limit(text, "a range is no limit.")
    if value.unit.is_number:
        number = value.base[1]
        return parse_expression(text.strip()) if value.unit.text == "" else Number(exact_of(number) or Fraction(number))
    values[name] = value
    return Name(name)


def _unread_limit(text: str, what: str) -> ExpressionError:
    return ExpressionError(
        f"such_that {excerpt(text)}: {what}", hint='Write, for example, "user_speed >= 20 token/s/sequence".', text=text
    )
