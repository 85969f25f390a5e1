"""A relation: an equation whose dimensions were checked when it was born.

There is no relation that does not fit: a `Relation` that exists has passed. It is written with sympy expressions of
quantities, as its two sides, or as text; text is judged exactly as it was written.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.dimensions import mismatches, mismatches_of_condition
from derive.errors import DimensionError, ExpressionError, Problem, UnitError, excerpt, listed, unknown
from derive.expression import Equation, Node, is_condition, names_in, render
from derive.grammar import parse_condition, parse_equation, parse_expression
from derive.problems import problem_of
from derive.repairs import Vocabulary
from quantities.quantity import Quantity, check_name
from quantities.units import parse_unit
from quantities.value import read_value

if TYPE_CHECKING:
    from sympy.core.relational import Relational

__all__ = ["Relation", "read_tolerance", "relate"]


@dataclass(frozen=True, eq=False)
class Relation:
    """A named equation or inequality between quantities, with its reason, its source and its conditions.

    `relate` makes one; see there for an example.
    """

    name: str
    written: Equation
    quantities: Mapping[str, Quantity]
    because: str = ""
    source: str = ""
    conditions: tuple[Node, ...] = ()
    approximate: float | None = None
    vocabulary: InitVar[Vocabulary | None] = None

    def __post_init__(self, vocabulary: Vocabulary | None) -> None:
        check_name(self.name)
        if not names_in(self.written.lhs, self.written.rhs):
            raise ExpressionError(
                f"{self.name}: {excerpt(str(self.written))} names no quantity.",
                hint="A relation joins at least one quantity to something.",
                text=str(self.written),
            )
        problems = self._problems(vocabulary or Vocabulary(self.quantities))
        if problems:
            raise DimensionError(listed(problems), problems=problems)
        object.__setattr__(self, "quantities", MappingProxyType(dict(self.quantities)))

    def _problems(self, vocabulary: Vocabulary) -> list[Problem]:
        known = {name: quantity.dimension for name, quantity in self.quantities.items()}
        found = [problem_of(self.name, self.written, fault, vocabulary) for fault in mismatches(self.written, known)]
        for condition in self.conditions:
            as_equation = Equation(condition, "=", condition)
            for fault in mismatches_of_condition(condition, known):
                found.append(problem_of(f"{self.name}, when", as_equation, fault, vocabulary))
        return found

    @cached_property
    def equation(self) -> Relational:
        """The relation in sympy, unevaluated."""
        from derive.symbolic import to_relational

        return to_relational(self.written, self.quantities)

    @property
    def lhs(self) -> Any:
        """The left side in sympy."""
        return self.equation.args[0]

    @property
    def rhs(self) -> Any:
        """The right side in sympy."""
        return self.equation.args[1]

    @property
    def when(self) -> tuple[str, ...]:
        """The conditions under which the relation holds, as text."""
        return tuple(render(condition) for condition in self.conditions)

    @property
    def is_equation(self) -> bool:
        """Whether it can fix a value; an inequality only bounds one."""
        return self.written.op == "="

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.name, self.written, dict(self.quantities), self.because, self.source)
        return Relation, (*fields, self.conditions, self.approximate)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.name, self.written))

    def _content(self) -> tuple[Any, ...]:
        details = (self.because, self.source, self.conditions, self.approximate)
        return (self.name, self.written, dict(self.quantities), *details)

    def __str__(self) -> str:
        return f"{self.name}: {self.written}"


def relate(
    name: str,
    lhs: Any,
    rhs: Any = None,
    *,
    because: str = "",
    source: str = "",
    when: Iterable[Any] = (),
    approximate: str | None = None,
    quantities: Iterable[Quantity] | dict[str, Quantity] = (),
    vocabulary: Vocabulary | None = None,
) -> Relation:
    """Make a relation from text, from a sympy equation, or from its two sides.

    Text takes its names from `quantities`; sympy expressions bring their own.

    >>> from sympy import pi, sqrt
    >>> length, gravity = Quantity("length", "m"), Quantity("gravity", "m/s**2")
    >>> period = Quantity("period", "s")
    >>> swing = relate("small_swing", period, 2*pi*sqrt(length/gravity), because="small angles")
    >>> print(swing)
    small_swing: period = 2*pi*sqrt(length)/sqrt(gravity)
    >>> relate("wrong", "period = length/gravity", quantities=[period, length, gravity])
    Traceback (most recent call last):
        ...
    derive.errors.DimensionError: wrong: left is s, right is s**2.
        left:  period [s]
        right: length [m] / gravity [m/s**2]
      Take the square root of the right.
    """
    stated = quantities if isinstance(quantities, dict) else {q.name: q for q in quantities}
    declared = ChainMap[str, Quantity]({}, stated)  # what sympy brings is added in front
    equation = _equation(lhs, rhs, declared)
    conditions = tuple(_condition(condition, declared) for condition in when)
    used = names_in(equation.lhs, equation.rhs, *conditions)
    for missing in used:
        if missing not in declared:
            error = unknown("quantity", missing, list(declared))
            error.what = f"{name}: {error.what}"
            raise error
    tolerance = None if approximate is None else read_tolerance(approximate)
    mine = {one: declared[one] for one in used}
    return Relation(name, equation, mine, because, source, conditions, tolerance, vocabulary)


def _equation(lhs: Any, rhs: Any, declared: ChainMap[str, Quantity]) -> Equation:
    if isinstance(lhs, str) and rhs is None:
        return parse_equation(lhs)
    if rhs is not None:
        sides = (_side(lhs, declared), _side(rhs, declared))
        return Equation(sides[0], "=", sides[1])
    from sympy import Eq, Ge, Le

    for kind, op in ((Eq, "="), (Le, "<="), (Ge, ">=")):
        if isinstance(lhs, kind):
            left, right = (_side(side, declared) for side in lhs.args)
            return Equation(left, op, right)
    raise ExpressionError(
        f"{excerpt(str(lhs))} is no relation.",
        hint="Give the two sides apart (sympy turns an equation it can decide into True or False), or text.",
        text=str(lhs),
    )


def _side(side: Any, declared: ChainMap[str, Quantity]) -> Node:
    if isinstance(side, str):
        return parse_expression(side)
    from derive.symbolic import from_sympy

    node, found = from_sympy(side)
    for name, quantity in found.items():
        if declared.setdefault(name, quantity) != quantity:
            raise ExpressionError(
                f"Two quantities are both called {name}, in {declared[name].unit} and in {quantity.unit}.",
                hint="Give one of them another name.",
                text=name,
            )
    return node


def _condition(condition: Any, declared: ChainMap[str, Quantity]) -> Node:
    if isinstance(condition, str):
        return parse_condition(condition)
    node = _side(condition, declared)
    if not is_condition(node):
        raise ExpressionError(f"{excerpt(render(node))} compares nothing.", hint="Write swing < 0.3.")
    return node


def read_tolerance(text: str) -> float:
    """The share within which an approximate relation agrees.

    >>> read_tolerance("3 %")
    0.03
    """
    value = read_value(text)
    if value.unit.dimension != parse_unit("").dimension or value.is_range:
        raise UnitError(f"approximate {excerpt(text)}: it is no share.", hint='Write "3 %".', unit=value.unit.text)
    share = value.base[1]
    if not 0 < share < 1:
        raise ExpressionError(f"approximate {excerpt(text)}: it must lie between 0 and 1.", hint='Write "3 %".')
    return share
