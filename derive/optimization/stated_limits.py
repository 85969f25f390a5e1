"""The limits of a question: what it is asked under, and the inequalities of the library.

limit = side ("<=" | ">=") side,    side = an expression of quantities, or a value with its unit
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from derive.errors import DeriveError, DimensionError, ExpressionError, UnitError, excerpt
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Equation, Name, Node, Number, names_in
from derive.model.relation import Relation, undeclared
from derive.model.relation_set import RelationSet
from derive.model.repairs import Vocabulary
from quantities.declaration import Declaration
from quantities.value import Value, read_value

__all__ = ["Stated", "library_limits", "limits_of_domain", "stated_limits"]

_LARGE = 1e300
_SIGN = re.compile(r"<=|>=|≤|≥|<|>|=")
_MEANT = {"≤": "<=", "≥": ">="}


@dataclass(frozen=True, slots=True)
class Stated:
    """An inequality between quantities; values are names with a number of their own."""

    name: str
    written: Equation
    relation: Relation
    names: tuple[str, ...]  # the quantities in it
    values: Mapping[str, Value] = field(default_factory=dict)  # the values that stand in it
    conditions: tuple[Node, ...] = ()
    approximate: float = 0.0
    is_asked: bool = False  # whether the question states it, and not the library
    is_domain: bool = False  # whether it is the end of a domain, which nobody can move


def library_limits(library: RelationSet) -> list[Stated]:
    """The inequalities of a library."""
    found = []
    for one in library.relations.values():
        if not one.is_equation:
            names = names_in(one.written.lhs, one.written.rhs, *one.conditions)
            found.append(Stated(one.name, one.written, one, names, {}, one.conditions, one.approximate or 0.0))
    return found


def limits_of_domain(library: RelationSet, name: str) -> list[Stated]:
    """The ends of a quantity's domain as inequalities.

    >>> from derive.library import Library
    >>> from quantities.declaration import Declaration
    >>> track = Library(quantities=[Declaration("speed", "m/s", domain="0..90 m/s")])
    >>> [limit.name for limit in limits_of_domain(track, "speed")]
    ['speed >= 0 m/s', 'speed <= 90 m/s']
    """
    domain = library.declared[name].domain
    ends = [(sign, end) for sign, end in ((">=", domain.low), ("<=", domain.high)) if math.isfinite(end)]
    named = [f"{name} {sign} {domain.told(end)}" for sign, end in ends]
    if not ends:  # it has to have a value, whichever that is
        ends, named = [(">=", -_LARGE)], [f"{name} has a value"]
    texts = [f"{name} {sign} {domain.unit.from_base(end)!r} {domain.unit}".strip() for sign, end in ends]
    read = zip(stated_limits(library, texts), named, strict=True)
    return [replace(one, name=told, is_asked=False, is_domain=True) for one, told in read]


def stated_limits(library: RelationSet, texts: str | Iterable[str]) -> list[Stated]:
    """The limits that a question states.

    >>> from derive.library import Library
    >>> from quantities.declaration import Declaration
    >>> track = Library(quantities=[Declaration("speed", "m/s")])
    >>> limit, = stated_limits(track, ["speed >= 20 km/h"])
    >>> limit.names, [str(value) for value in limit.values.values()]
    (('speed',), ['20 km/h'])
    """
    listed = [texts] if isinstance(texts, str) else list(texts)
    return [_read(library, text, i) for i, text in enumerate(dict.fromkeys(listed))]


def _read(library: RelationSet, text: Any, i: int) -> Stated:
    if not isinstance(text, str):
        raise _unread(repr(text), f"a {type(text).__name__} is not a limit.")
    found = [sign for sign in _SIGN.finditer(text) if not _is_inside(text[: sign.start()])]
    signs = [sign.group() for sign in found]
    if len(signs) != 1 or _MEANT.get(signs[0], signs[0]) not in ("<=", ">="):
        what = "it has no <= or >=." if not signs else "it has more than one sign." if len(signs) > 1 else ""
        raise _unread(text, what or f"{signs[0]} is not <= or >=: a best choice may lie on the limit itself.")
    values: dict[str, Value] = {}
    own_name = f"limit_{i + 1}"
    while own_name in library.declared:
        own_name += "_"
    sides = text[: found[0].start()], text[found[0].end() :]
    left, right = (_side(part, own_name, values) for part in sides)
    written = Equation(left, _MEANT.get(signs[0], signs[0]), right, text.strip())
    names = tuple(name for name in names_in(left, right) if name not in values)
    missing = [name for name in names if name not in library.declared]
    if missing:
        raise undeclared(f"such_that {excerpt(text)}", missing, Vocabulary(library.declared))
    if not names:
        raise _unread(text, "it contains no quantity.")
    declared = {name: library.declared[name] for name in names}
    own = {name: Declaration(name, str(value.unit), domain="real") for name, value in values.items()}
    try:
        relation = Relation("such_that", written, {**declared, **own})
    except DimensionError as error:
        raise _in_words(error, values) from None
    return Stated(text.strip(), written, relation, names, values, is_asked=True)


def _in_words(error: DimensionError, values: Mapping[str, Value]) -> DimensionError:
    """The error with the values as they were stated, in place of their names."""

    def told(text: str) -> str:
        for name, value in values.items():
            text = text.replace(name, str(value))
        return text

    problems = [replace(one, message=told(one.message), hint=told(one.hint)) for one in error.problems]
    return DimensionError(told(error.what), hint=told(error.hint), problems=problems)


def _is_inside(before: str) -> bool:
    """Whether what follows stands in parentheses, as the comparisons of a choice do."""
    return before.count("(") > before.count(")")


def _side(text: str, name: str, values: dict[str, Value]) -> Node:
    """A side: a value with a unit, or an expression."""
    try:
        value = read_value(text.strip())
    except DeriveError as error:
        try:
            return parse_expression(text.strip())
        except ExpressionError:
            if not isinstance(error, UnitError):
                raise
        raise UnitError(f"such_that {excerpt(text.strip())}: {error.what}", hint=error.hint, unit=error.unit) from None
    if value.is_range:
        raise _unread(text, "a range is no limit.")
    if value.unit.is_number:
        return parse_expression(text.strip()) if value.unit.text == "" else Number(Fraction(value.base[1]))
    values[name] = value
    return Name(name)


def _unread(text: str, what: str) -> ExpressionError:
    return ExpressionError(
        f"such_that {excerpt(text)}: {what}", hint='Write, for example, "user_speed >= 20 token/s/sequence".', text=text
    )
