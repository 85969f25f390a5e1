"""Linear cases: relations that are linear case by case, and every value that they leave to one quantity.

`y = max(a, 2*x)` is `y = a` where a >= 2*x, and `y = 2*x` where 2*x > a: in each of its *ways* a relation is a few
linear equations and inequalities. A *case* takes one way of every relation. Its solutions are a polyhedron, and the
values that one quantity has in it are an interval, the *projection* of the polyhedron:

1. Equations are solved for one name each, which is put into all others (Gauss).
2. Inequalities lose one name after the other: each that bounds it below is added to each that bounds it above, so that
   it cancels (Fourier 1826, Motzkin 1936). What is left has a solution if and only if there was one before. A sum is
   strict if one of its parts is, so that it is known of every end whether it is attained.
3. The values are the union of these intervals over all cases; there may be holes between them.

Cases are a tree, in which each relation in turn takes one of its ways. A branch ends as soon as its ways contradict
each other, or leave the quantity no other values than those that were met already.

The ways of a relation exclude each other and cover everything, so no value is lost, and none is added: all of this is
arithmetic of fractions. The number of cases grows exponentially at worst, and so does that of inequalities, so both
are limited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain, product
from math import prod

from derive.expressions.arithmetic import plus
from derive.expressions.functions import STEPPED
from derive.expressions.tree import (
    COMPARISONS,
    OPPOSITE,
    Apply,
    Equation,
    Name,
    Node,
    Number,
    cases,
    innermost,
    operations,
    replaced,
)
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.intervals.arithmetic import Span
from derive.numerics.intervals.enclosure import enclose
from derive.time_limits import tick
from quantities.rational import nearest

_MOST_WAYS = 64  # limit on ways of one relation
_MOST_BRANCHES = 2000  # limit on branches of the tree of cases
_MOST_SUMS = 50_000  # limit on sums of inequalities, of which a computer makes some hundred thousand in a second
_CONSTANT = ""  # the name under which a form has its constant

Form = dict[str, Fraction]
"""A linear form: the factors of names and the constant, those that are not zero."""


class NotLinear(Exception):  # noqa: N818 - no error: other methods answer the question
    """A relation is not linear case by case, or there are too many cases."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A linear form that is zero (`=`), positive (`>`), or at least zero (`>=`)."""

    form: Form
    op: str

    @property
    def verdict(self) -> bool | None:
        """Whether the claim of a linear case holds; None if a name is left in it."""
        if not self.form.keys() <= {_CONSTANT}:
            return None
        number = self.form.get(_CONSTANT, 0)
        if self.op == "=":
            return not number
        return number > 0 if self.op == ">" else number >= 0

    def at(self, name: str, number: Fraction) -> Claim:
        """The claim of a linear case with a number put in for a name."""
        others = {other: factor for other, factor in self.form.items() if other != name}
        return Claim(plus(others, {_CONSTANT: self.form.get(name, Fraction(0)) * number}), self.op)


Way = tuple[Claim, ...]
"""Claims that hold together."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Values from one number to another, None where there is no end; an end that is open is not among them."""

    low: Fraction | None
    high: Fraction | None
    is_open_low: bool = True
    is_open_high: bool = True

    @classmethod
    def between(cls, low: float, high: float) -> Interval:
        """The values of a linear case from one double to another, both included unless they are infinite."""
        first, last = (None if math.isinf(end) else stated(end) for end in (low, high))
        return cls(first, last, is_open_low=False, is_open_high=False)

    @classmethod
    def at(cls, number: Fraction) -> Interval:
        """The interval of a linear case that leaves the quantity one value."""
        return cls(number, number, is_open_low=False, is_open_high=False)

    @property
    def span(self) -> Span:
        """The ends of the interval that a linear case leaves, which are rational numbers, as doubles."""
        low = -math.inf if self.low is None else nearest(self.low)
        return low, math.inf if self.high is None else nearest(self.high)

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.is_open_low or self.is_open_high))

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.low == self.high

    @property
    def inside(self) -> Fraction:
        """A rational number inside the interval that a linear case leaves: its middle, or one beside its only end."""
        if self.low is not None and self.high is not None:
            return (self.low + self.high) / 2
        if self.low is not None:
            return self.low + 1
        return Fraction(0) if self.high is None else self.high - 1

    def covers(self, other: Interval) -> bool:
        """Whether the interval of one linear case contains that of another case."""
        return _start(self) <= _start(other) and _end(other) <= _end(self)

    def joined_with(self, later: Interval) -> Interval:
        """One interval for those of two linear cases, of which the second does not start before this one."""
        last = max(self, later, key=_end)
        return Interval(self.low, last.high, self.is_open_low, last.is_open_high)

    def meets(self, other: Interval) -> bool:
        """Whether the intervals of two linear cases have a value in common."""
        low, high = max(self, other, key=_start), min(self, other, key=_end)
        return not Interval(low.low, high.high, low.is_open_low, high.is_open_high).is_empty

    def claims(self, name: str) -> Iterator[Claim]:
        """The claims of a linear case that a quantity lies in the interval."""
        quantity = {name: Fraction(1)}
        if self.low is not None:
            yield Claim(plus(quantity, {_CONSTANT: self.low}, -1), ">" if self.is_open_low else ">=")
        if self.high is not None:
            yield Claim(plus({_CONSTANT: self.high}, quantity, -1), ">" if self.is_open_high else ">=")

    def touches(self, later: Interval) -> bool:
        """Whether two linear cases have no hole between their intervals; the other's does not start before this one."""
        if self.high is None or later.low is None or later.low < self.high:
            return True
        return later.low == self.high and not (self.is_open_high and later.is_open_low)


def _start(span: Interval) -> tuple[bool, Fraction, bool]:
    """The key that sorts intervals of linear cases by their starts: a closed start comes before an open one."""
    return span.low is not None, span.low or Fraction(0), span.is_open_low


def _end(span: Interval) -> tuple[bool, Fraction, bool]:
    """The key that sorts intervals of linear cases by their ends: a closed end comes after an open one."""
    return span.high is None, span.high or Fraction(0), not span.is_open_high


# Ways


def ways_of_equation(equation: Equation) -> list[Way]:
    """The linear cases of an equation or a limit: the ways in which it holds, each with linear claims.

    >>> from derive.expressions.grammar import parse_equation
    >>> [len(way) for way in ways_of_equation(parse_equation("y = max(a, 2*x)"))]
    [2, 2]
    >>> [len(way) for way in ways_of_equation(parse_equation("3 = 2*ceil(x + y) - 1"))]
    [2]
    """
    steps = operations(*equation.sides, among=STEPPED) if equation.op == "=" else ()
    step = next((step for step in steps if step.names), None)  # the first that rounds something open
    if step is not None:
        return _ways_of_step(equation, step)
    sides = [equation.rhs, equation.lhs] if equation.op == "<=" else [equation.lhs, equation.rhs]
    op = "=" if equation.op == "=" else ">="
    return [(*claims, Claim(plus(left, right, -1), op)) for (left, right), claims in _together(sides)]


def _ways_of_step(equation: Equation, step: Apply) -> list[Way]:
    """The linear cases of an equation that states a rounded number: what is rounded lies less than 1 beside it."""
    symbol = Name("step 0")  # no quantity has a space in its name
    ways: list[Way] = []
    for (left, right), claims in _together([replaced(side, step, symbol) for side in equation.sides]):
        form = plus(left, right, -1)
        factor = form.pop(symbol.name, Fraction(0))
        if not factor or not form.keys() <= {_CONSTANT}:
            raise NotLinear
        number = -form.get(_CONSTANT, Fraction(0)) / factor
        if number.denominator == 1:
            # a case of a choice around the rounding has conditions on it: abs(floor(x)) is not negative
            at_number = tuple(claim.at(symbol.name, number) for claim in claims)
            ways += _all_of([[at_number], _ways_to_round(step, number)])
    return ways


def _ways_to_round(step: Apply, number: Fraction) -> list[Way]:
    """The linear cases in which a rounding comes out as a whole number: what is rounded lies less than 1 beside it."""
    ways: list[Way] = []
    one = {_CONSTANT: Fraction(1)}
    for inner, of_inner in _forms(step.args[0]):
        beyond = plus(inner, {_CONSTANT: number}, -1)
        if step.op == "ceil":
            beyond = plus({}, beyond, -1)
        ways.append((*of_inner, Claim(beyond, ">="), Claim(plus(one, beyond, -1), ">")))
    return _possible(ways)


def ways_within(equation: Equation, box: Mapping[str, Span]) -> list[Way]:
    """The linear cases of an equation within a box, also one for each whole number that something in it is rounded to.

    >>> from derive.expressions.grammar import parse_equation
    >>> [len(way) for way in ways_within(parse_equation("a = 3*x + floor(x)"), {"x": (0.8, 1.25)})]
    [3, 3]
    """
    step = innermost(*equation.sides, among=STEPPED)
    if step is None:
        return ways_of_equation(equation)
    enclosure = enclose(step, box, "")
    if enclosure is None or not enclosure.values[1] - enclosure.values[0] <= _MOST_WAYS:
        raise NotLinear
    low, high = map(round, enclosure.values)
    ways: list[Way] = []
    for number in map(Fraction, range(low, high + 1)):
        rounded = equation.changed(partial(replaced, old=step, new=Number(number)))
        ways += _all_of([_ways_to_round(step, number), ways_within(rounded, box)])
        if len(ways) > _MOST_WAYS:
            raise NotLinear
    return ways


def ways_of_condition(condition: Node, *, holds: bool) -> list[Way]:
    """The linear cases of a condition: the ways in which it holds, or fails, exclusive of each other."""
    if not isinstance(condition, Apply):
        raise NotLinear
    op = condition.op
    if op == "not":
        return ways_of_condition(condition.args[0], holds=not holds)
    if op in ("and", "or"):
        is_all = (op == "and") is holds
        if is_all:
            return _all_of([ways_of_condition(arg, holds=holds) for arg in condition.args])
        return _first_of(condition.args, holds=holds)
    if op not in COMPARISONS.values():
        raise NotLinear
    if not holds:
        op = OPPOSITE[op]
    ways: list[Way] = []
    for (left, right), claims in _together(condition.args):
        difference, opposite = plus(left, right, -1), plus(right, left, -1)
        compared = {
            "eq": [Claim(difference, "=")],
            "ne": [Claim(difference, ">"), Claim(opposite, ">")],
            "lt": [Claim(opposite, ">")],
            "le": [Claim(opposite, ">=")],
            "gt": [Claim(difference, ">")],
            "ge": [Claim(difference, ">=")],
        }
        ways += [(*claims, claim) for claim in compared[op]]
    return _possible(ways)


def ways_under(conditions: Sequence[Node], ways: Sequence[Way]) -> tuple[list[Way], list[Way]]:
    """The linear cases in which conditions hold with one of some ways, and those in which one of them fails."""
    all_hold = [ways_of_condition(condition, holds=True) for condition in conditions]
    return _all_of([*all_hold, ways]), _first_of(conditions, holds=False)


def _first_of(conditions: Sequence[Node], *, holds: bool) -> list[Way]:
    """The linear cases in which one condition after another is the first that holds, or fails."""
    ways: list[Way] = []
    before: list[list[Way]] = []
    for condition in conditions:
        ways += _all_of([*before, ways_of_condition(condition, holds=holds)])
        before.append(ways_of_condition(condition, holds=not holds))
    return ways


def _all_of(alternatives: Sequence[Sequence[Way]]) -> list[Way]:
    """The linear cases of several alternatives: each combines the claims of one way of every alternative."""
    combined: list[Way] = [()]
    for ways in alternatives:
        combined = _possible((*before, *way) for before, way in product(combined, ways))
    return combined


def _possible(ways: Iterable[Way]) -> list[Way]:
    """The linear cases in which no claim is false whatever the numbers, without the claims that are true."""
    possible = []
    for way in ways:
        verdicts = [claim.verdict for claim in way]
        if False not in verdicts:
            possible.append(tuple(claim for claim, verdict in zip(way, verdicts, strict=True) if verdict is None))
        if len(possible) > _MOST_WAYS:
            raise NotLinear
    return possible


def _together(nodes: Sequence[Node]) -> Iterator[tuple[tuple[Form, ...], Way]]:
    """The linear forms of several expressions in each combination of their cases."""
    for count, chosen in enumerate(product(*map(_forms, nodes))):
        if count > _MOST_WAYS:
            raise NotLinear
        yield tuple(form for form, _ in chosen), tuple(chain.from_iterable(claims for _, claims in chosen))


def _forms(node: Node) -> list[tuple[Form, Way]]:
    """The linear form of an expression in each of its cases."""
    if isinstance(node, Name):
        return [({node.name: Fraction(1)}, ())]
    if isinstance(node, Number) or not node.names:
        number = exact_value(node, {})
        if not isinstance(number, Fraction):
            raise NotLinear
        return [({_CONSTANT: number} if number else {}, ())]
    if node.op == "piecewise":
        return _of_choice(node)
    if node.op == "abs":
        ways: list[tuple[Form, Way]] = []
        for form, claims in _forms(node.args[0]):
            negative = plus({}, form, -1)
            ways += [(form, (*claims, Claim(form, ">="))), (negative, (*claims, Claim(negative, ">")))]
        return ways
    if node.op in ("max", "min"):
        return [*chain.from_iterable(_of_extreme(node.op, *arms) for arms in _together(node.args))]
    return [(_operated(node.op, forms), claims) for forms, claims in _together(node.args)]


def _of_choice(choice: Apply) -> list[tuple[Form, Way]]:
    """The linear form of each arm of a choice, in the cases in which it is taken."""
    taken: list[tuple[Form, Way]] = []
    before: list[list[Way]] = []  # the ways in which each earlier condition fails
    for arm, condition in cases(choice):
        condition_ways = [] if condition is None else [ways_of_condition(condition, holds=True)]
        ways = _all_of([*before, *condition_ways])
        forms = _forms(arm) if ways else []  # an arm that is never taken need not be linear
        taken += [(form, (*way, *claims)) for way, (form, claims) in product(ways, forms)]
        if condition is not None:
            before.append(ways_of_condition(condition, holds=False))
    return taken


def _of_extreme(op: str, forms: Sequence[Form], claims: Way) -> Iterator[tuple[Form, Way]]:
    """Each of some linear forms in the case in which it is the greatest, or the least; of equal ones the first."""
    distinct = [form for i, form in enumerate(forms) if form not in forms[:i]]
    for i, form in enumerate(distinct):
        binding = []
        for j, other in enumerate(distinct):
            if j != i:
                gap = plus(form, other, -1) if op == "max" else plus(other, form, -1)
                binding.append(Claim(gap, ">" if j < i else ">="))
        for way in _possible([(*claims, *binding)]):
            yield form, way


def _operated(op: str, forms: Sequence[Form]) -> Form:
    """The linear form, in one case, of a sum, a negative, or a product with numbers; else `NotLinear`."""
    if op == "add":
        return reduce(plus, forms)
    if op == "neg":
        return plus({}, forms[0], -1)
    numbers = [form.get(_CONSTANT, Fraction(0)) for form in forms if form.keys() <= {_CONSTANT}]
    others = [form for form in forms if not form.keys() <= {_CONSTANT}]
    if op == "mul" and len(others) < 2:
        return plus({}, others[0] if others else {_CONSTANT: Fraction(1)}, prod(numbers, start=Fraction(1)))
    raise NotLinear


# Cases


def values_left(target: str, certain: Iterable[Claim], relations: Sequence[Sequence[Way]]) -> tuple[Interval, ...]:
    """The values that relations, linear case by case, leave to a quantity: the intervals of all cases together.

    Raises `NotLinear` where there are too many cases.

    >>> from derive.expressions.grammar import parse_condition, parse_equation
    >>> ways = ways_of_equation(parse_equation("2 = max(x, abs(y))"))
    >>> (bounds,) = ways_of_condition(parse_condition("x < 2 and y >= -1"), holds=True)
    >>> [(str(span.low), str(span.high)) for span in values_left("y", bounds, [ways])]
    [('2', '2')]
    """
    return tuple(_Tree(target, certain, relations).intervals)


def first_ways(target: str, certain: Iterable[Claim], relations: Sequence[Sequence[Way]]) -> tuple[Way, ...]:
    """The ways of linear relations that make up the first case with a solution; empty if there is none."""
    return _Tree(target, certain, relations).first


class _Contradiction(Exception):  # noqa: N818 - no error: a case has no solution
    """Claims contradict each other, whatever the numbers."""


class _Tree:
    """The tree of cases: the intervals of the target's values in them, in order, and the ways of the first case."""

    def __init__(self, target: str, certain: Iterable[Claim], relations: Sequence[Sequence[Way]]) -> None:
        """Go through all linear cases for the target's values; relations of few ways come first."""
        self.intervals: list[Interval] = []
        self.first: tuple[Way, ...] = ()
        self.branches = self.sums = 0
        certain = tuple(certain)
        names = {target: None}
        for way in (certain, *chain.from_iterable(relations)):
            for claim in way:
                names |= dict.fromkeys(name for name in claim.form if name)
        start = _System({name: place for place, name in enumerate([*names, _CONSTANT])})
        order = sorted(range(len(relations)), key=lambda place: len(relations[place]))
        self._follow(start, certain, [(place, relations[place]) for place in order], {})

    def _follow(
        self, before: _System, claims: Way, relations: Sequence[tuple[int, Sequence[Way]]], taken: Mapping[int, Way]
    ) -> None:
        """Go from linear case to linear case: take some claims, and collect the target's values in all later ways."""
        tick()
        try:
            system = before.with_claims(claims)
            self.spend(branches=1)
            span = system.projection(self.spend)
        except _Contradiction:
            return
        if any(interval.covers(span) for interval in self.intervals):  # no case of this branch has another value
            return
        if not relations:
            self.first = self.first or tuple(taken[place] for place in sorted(taken))
            self._add(span)
            return
        (place, ways), *later = relations
        for way in ways:
            self._follow(system, way, later, {**taken, place: way})

    def spend(self, *, branches: int = 0, sums: int = 0) -> None:
        """Count the branches and sums of the search through linear cases; raises `NotLinear` beyond the limit."""
        self.branches += branches
        self.sums += sums
        if self.branches > _MOST_BRANCHES or self.sums > _MOST_SUMS:
            raise NotLinear

    def _add(self, span: Interval) -> None:
        """Add the interval that a linear case leaves to the target's values, joined with those that it touches."""
        joined: list[Interval] = []
        for interval in sorted([*self.intervals, span], key=_start):
            if joined and joined[-1].touches(interval):
                joined[-1] = joined[-1].joined_with(interval)
            else:
                joined.append(interval)
        self.intervals = joined


_Row = tuple[int, ...]
"""Whole factors of all names, without a common divisor."""
_Bounds = dict[_Row, tuple[Fraction, bool]]
"""Inequalities: for each row of factors the constant with which it is at least zero, or positive."""


@dataclass
class _System:
    """Linear equations, each solved for a name, and inequalities of the other names."""

    columns: Mapping[str, int]  # the first is the target's, the last that of the constant
    zeros: dict[int, list[Fraction]] = field(default_factory=dict)
    bounds: _Bounds = field(default_factory=dict)

    def with_claims(self, claims: Iterable[Claim]) -> _System:
        """The linear system of a case with the claims of one more way; `_Contradiction` if one of them is now false."""
        system = _System(self.columns, dict(self.zeros), dict(self.bounds))
        for claim in sorted(claims, key=lambda claim: claim.op != "="):
            row = system._reduced(claim.form)
            if claim.op == "=":
                system._zero(row)
            else:
                _bound(system.bounds, row, is_strict=claim.op == ">")
        return system

    def _reduced(self, form: Form) -> list[Fraction]:
        """A linear form in a case, with every name replaced for which an equation of the case is solved."""
        row = [Fraction(0)] * len(self.columns)
        for name, factor in form.items():
            row[self.columns[name]] = factor
        for column, zero in self.zeros.items():
            if row[column]:
                row = _without(row, column, zero)
        return row

    def _zero(self, row: list[Fraction]) -> None:
        """Add a linear equation to a case, solved for another name than the target if possible (Gauss)."""
        column = next((column for column in range(len(row) - 2, -1, -1) if row[column]), None)
        if column is None:
            if row[-1]:
                raise _Contradiction
            return
        zero = [factor / row[column] for factor in row]
        for other, solved in self.zeros.items():
            if solved[column]:
                self.zeros[other] = _without(solved, column, zero)
        self.zeros[column] = zero
        before = self.bounds
        self.bounds = {factors: bound for factors, bound in before.items() if not factors[column]}
        for factors, (constant, is_strict) in before.items():
            if factors[column]:
                _bound(self.bounds, _without([*map(Fraction, factors), constant], column, zero), is_strict=is_strict)

    def projection(self, spend: Callable[..., None]) -> Interval:
        """The projection of a linear case's polyhedron: the interval of the target; `_Contradiction` without one."""
        bounds = self.bounds
        while columns := {column for row in bounds for column, factor in enumerate(row) if factor and column}:
            bounds = _eliminated(bounds, min(columns, key=lambda column: _growth(bounds, column)), spend)
        if 0 in self.zeros:
            return Interval.at(-self.zeros[0][-1])
        span = Interval(None, None)
        for (factor, *_), (constant, is_strict) in bounds.items():  # at most one below and one above: they are 1 and -1
            if factor > 0:
                span = replace(span, low=-constant, is_open_low=is_strict)
            else:
                span = replace(span, high=constant, is_open_high=is_strict)
        if span.is_empty:
            raise _Contradiction
        return span


def _eliminated(bounds: _Bounds, column: int, spend: Callable[..., None]) -> _Bounds:
    """Project a linear case along a name (Fourier, Motzkin): each inequality below is added to each above."""
    kept = {row: bound for row, bound in bounds.items() if not row[column]}
    below = [(row, bound) for row, bound in bounds.items() if row[column] > 0]
    above = [(row, bound) for row, bound in bounds.items() if row[column] < 0]
    spend(sums=len(below) * len(above))
    for (low, (constant, is_strict)), (high, (limit, is_strict_too)) in product(below, above):
        share, share_too = -high[column], low[column]  # both positive: with them the name cancels in the sum
        factors = [share * factor + share_too * factor_too for factor, factor_too in zip(low, high, strict=True)]
        _keep(kept, factors, share * constant + share_too * limit, is_strict=is_strict or is_strict_too)
    return kept


def _without(row: Sequence[Fraction], column: int, zero: Sequence[Fraction]) -> list[Fraction]:
    """A row of a case with one name replaced by what a linear equation of the case says of it."""
    share = row[column]
    return [factor - share * entry if entry else factor for factor, entry in zip(row, zero, strict=True)]


def _bound(bounds: _Bounds, row: Sequence[Fraction], *, is_strict: bool) -> None:
    """Add a linear inequality to a case, with whole factors, unless one with the same factors implies it."""
    *factors, constant = row
    scale = math.lcm(*(factor.denominator for factor in factors))
    integers = [factor.numerator * (scale // factor.denominator) for factor in factors]
    _keep(bounds, integers, constant * scale, is_strict=is_strict)


def _keep(bounds: _Bounds, factors: Sequence[int], constant: Fraction, *, is_strict: bool) -> None:
    """Keep a linear inequality among those of a case, with whole factors, unless one of the same factors implies it."""
    divisor = math.gcd(*factors)
    if not divisor:
        if constant < 0 or (not constant and is_strict):
            raise _Contradiction
        return
    row, limit = tuple(factor // divisor for factor in factors), constant / divisor
    before = bounds.get(row)
    if before is None or limit < before[0] or (limit == before[0] and is_strict):
        bounds[row] = limit, is_strict


def _growth(bounds: Mapping[_Row, object], column: int) -> int:
    """By how many inequalities a linear case grows if a name is projected out of its polyhedron."""
    below = sum(row[column] > 0 for row in bounds)
    above = sum(row[column] < 0 for row in bounds)
    return below * above - below - above
