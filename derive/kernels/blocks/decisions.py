"""Decisions in a kernel that rounding may change: rounding to whole numbers, comparisons, the ends of domains.

Lines compute beside such a decision how near it is to another one, and how far rounding may have moved it. Where it is
too near, it is worked out from the numbers that were given (`exact_points`), or by the solver where lines do not know
how a number follows from these. Arithmetic without decisions costs nothing more.

How far rounding may have moved an expression is another expression in the same names. It counts roundings of half a
unit in the last place, to first order: each operation adds its own and passes on those of its arguments times its
slope. Where no sum can cancel, that is a share of the value itself. In the end each counts for a whole unit, so that
what is of second order is covered.

What lines have computed is known by the text that stands for it, which no later line changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain

from derive.expressions.functions import PERIODIC, STEPPED, TABLE
from derive.expressions.tree import COMPARISONS, Apply, Name, Node, Number, names_in, replaced, walk, with_forms
from derive.kernels.backends.emitter import SETTLED, Scope, name_of_text
from derive.kernels.backends.exact_points import ExactPoints
from derive.numerics.algebra.like_terms import ZERO, added, fill_template, inverted, multiplied, negated
from derive.numerics.intervals.arithmetic import hull
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.networks import reached
from derive.tolerances import EPSILON, EXPRESSION, MET, TIGHT
from quantities.declaration import Declaration
from quantities.rational import exact_of

_OF_A_POWER = Fraction(8)  # roundings: what `pow` of the C library may be off by
_OF_AN_EXPONENT = Fraction(1000)  # the same by its rounded exponent: the largest logarithm, 710, and more


def roundings(node: Node) -> Node:
    """The rounding error of an expression in a kernel at most, as a multiple of the rounding of one.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(roundings(parse_expression("x - y")))
    'abs(x - y)'
    """
    return RoundingError().of(node)


@dataclass(frozen=True)
class RoundingError:
    """Bounds the rounding errors of expressions in a kernel, given those of names as shares or expressions."""

    errors: Mapping[str, Fraction | Node] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)

    def of(self, node: Node) -> Node:
        """How far rounding may move an expression, and so change a decision, at most, in roundings."""
        share = self.share(node)
        if share is not None:
            return multiplied(Number(share), size_of(node))
        if isinstance(node, Name):
            error = self.errors[node.name]
            assert not isinstance(error, Fraction)  # else it has a share
            return error
        assert isinstance(node, Apply)
        if node.op == "piecewise":
            return Apply(node.op, tuple(arg if i % 2 else self.of(arg) for i, arg in enumerate(node.args)))
        errors = [self.of(arg) for arg in node.args]
        match node.op:
            case "neg":
                return errors[0]
            case "max" | "min":
                return added(*errors)
            case "add":
                sizes = [size_of(arg) for arg in node.args] if len(node.args) > 2 else [size_of(node)]
                return added(*errors, *sizes)
            case "mul":
                shares = [_error_by_factor(node, i, error) for i, error in enumerate(errors) if error != ZERO]
                return added(*shares, multiplied(Number(Fraction(len(node.args) - 1)), size_of(node)))
            case "pow":
                return _error_of_power(node, *errors)
            case "inv":
                return _propagated_error(multiplied(node, node), errors[0], size_of(node))
            case op:
                entry, parts = TABLE[op], {"x": node.args[0], "y": node}
                own = multiplied(Number(Fraction(2 * entry.off)), size_of(node))  # a last place is two roundings
                return _propagated_error(fill_template(entry.steepness, parts), errors[0], own)

    def share(self, node: Node) -> Fraction | None:
        """The rounding error as a share of a kernel's value; None if a sum may cancel, or a function is steep."""
        if isinstance(node, Number):
            return Fraction(0 if node.is_double else 1)
        if isinstance(node, Name):
            error = self.errors.get(node.name, Fraction(0))
            return error if isinstance(error, Fraction) else None
        if node.op in STEPPED or node.op == "pi":
            return Fraction(node.op == "pi")
        shares = [self.share(arg) for arg in (node.args[::2] if node.op == "piecewise" else node.args)]
        known = [share for share in shares if share is not None]
        if len(known) < len(shares):
            return None
        match node.op:
            case "neg" | "abs" | "max" | "min" | "piecewise":
                return max(known)
            case "add" if self._is_of_one_sign(node):
                return max(known) + len(known) - 1
            case "mul":
                return sum(known, Fraction(len(known) - 1))
            case "inv":
                return known[0] + 1
            case "sqrt":
                return known[0] / 2 + 2 * TABLE["sqrt"].off
            case "pow" if isinstance(node.args[1], Number):
                own = _OF_A_POWER if node.args[1].is_double else _OF_AN_EXPONENT
                return abs(node.args[1].value) * known[0] + own
        return None

    def _is_of_one_sign(self, node: Apply) -> bool:
        """Whether no two terms of a sum can differ in sign, so that its rounding error stays small beside it."""
        if not self.spans.keys() >= {*names_in(node)}:
            return False
        terms = [enclose(term, self.spans, "") for term in node.args]
        ends = [term.values for term in terms if term is not None]
        return len(ends) == len(terms) and (all(low >= 0 for low, _ in ends) or all(high <= 0 for _, high in ends))


def _error_by_factor(product: Apply, index: int, error: Node) -> Node:
    """The rounding error of a product that is due to the error of one factor."""
    return multiplied(error, *(size_of(arg) for i, arg in enumerate(product.args) if i != index))


def _error_of_power(node: Apply, of_base: Node, of_exponent: Node) -> Node:
    """How far rounding may move a power near a decision, from the errors of its base and of its exponent."""
    base, exponent = node.args
    shares: list[Node] = [Number(_OF_A_POWER)]
    if of_base != ZERO:
        shares.append(multiplied(size_of(exponent), of_base, inverted(size_of(base))))
    if of_exponent != ZERO:
        shares.append(multiplied(size_of(Apply("log", (size_of(base),))), of_exponent))
    return multiplied(size_of(node), added(*shares))


def _propagated_error(steepness: Node, error: Node, own: Node) -> Node:
    """How far rounding may move a function near a decision: by its argument's error times the slope, and its own."""
    return own if error == ZERO else added(multiplied(steepness, error), own)


def size_of(node: Node) -> Node:
    """The absolute value of an expression, of which the rounding that may change a decision is a share."""
    return Apply("abs", (node,))


_TESTS = frozenset(COMPARISONS.values())
_HALF = Number(Fraction(1, 2))
_ONE = Number(Fraction(1))
_TWICE = Number(2 * Fraction(EPSILON))  # the error of a bound itself, and of the distance that it is compared with
_MAGNIFIED = Number(Fraction(EPSILON) / Fraction(MET))
_OF_A_GIVEN = Fraction(3)  # roundings: its own, that of its unit's size, and that of their product
_SOUGHT = Fraction(TIGHT) / Fraction(EPSILON)  # roundings in what a search has found, or one root of several


@dataclass(frozen=True)
class _KnownNumber:
    """A number known to a kernel's decisions: its exact form in other numbers, its error, and its bounds.

    The error is a share of the value or an expression. Without a form, the number cannot be traced to the givens.
    """

    form: Node | None
    error: Fraction | Node
    span: Span
    is_decimal: bool = False  # whether it is the double of a decimal of fifteen digits, which orders as the decimal


@dataclass(frozen=True)
class Origins:
    """The origins of quantities in a kernel's decisions, by exact points in the names of the givens' texts."""

    points: Mapping[str, ExactPoints]
    names: tuple[str, ...]

    def values(self, numbers: Sequence[float]) -> dict[str, float]:
        """The quantities at a point, worked out from the given numbers to which decisions trace them."""
        given_numbers = dict(zip(self.names, numbers, strict=True))
        quantities = {}
        for name, point in self.points.items():
            number = point.at(*(given_numbers[name] for name in point.names))
            assert isinstance(number, float)  # and no verdict
            quantities[name] = number
        return quantities


class Decisions:
    """The decisions in a kernel's expressions: records the numbers on its sheet, and settles what they decide."""

    def __init__(self) -> None:
        """Begin without any number recorded for decisions, and without any settled decision."""
        self._known: dict[str, _KnownNumber] = {}  # by the name that stands for the text, each after those in its form
        self._shares: dict[str, Fraction | Node] = {}
        self._spans: dict[str, Span] = {}
        self._errors = RoundingError(self._shares, self._spans)
        self._bounds: dict[str, Node] = {}  # errors that are no share of their number, by a name of their own
        self.exact: list[ExactPoints] = []  # what works out each decision from numbers as they were given
        self._places: dict[Node, int] = {}  # where that of a decision stands

    def record_given(self, text: str, argument: str, quantity: Declaration) -> None:
        """Record for later decisions a given in base units, computed from the argument in its declared unit."""
        unit, typed = quantity.unit, name_of_text(argument)
        if text == argument:
            self._note(text, _KnownNumber(typed, Fraction(1), quantity.domain.ends, is_decimal=True))
            return
        form = added(multiplied(typed, Number(unit.size)), Number(unit.offset))
        error: Fraction | Node = _OF_A_GIVEN
        if unit.offset:
            sizes = added(size_of(name_of_text(text)), size_of(Number(2 * unit.offset)))
            error = multiplied(Number(_OF_A_GIVEN), sizes)
        self._note(text, _KnownNumber(form, error, quantity.domain.ends))

    def record_default(self, text: str, number: float, quantity: Declaration) -> None:
        """Record for later decisions a default in base units."""
        exact = exact_of(number)
        form = Number(Fraction(number) if exact is None else exact)
        self._note(text, _KnownNumber(form, Fraction(1), quantity.domain.ends, is_decimal=_is_short(form)))

    def record_computed(self, text: str, form: Node, scope: Scope, quantity: Declaration) -> None:
        """Record for later decisions a number that is computed by a closed form in quantities."""
        form = self._in_names_of_texts(form, scope)
        if all(name in self._known for name in names_in(form)):
            share = self._errors.share(form)
            error = self._errors.of(form) if share is None else share
            self._note(text, _KnownNumber(form, error, quantity.domain.ends))

    def record_sought(self, text: str, quantity: Declaration) -> None:
        """Record for later decisions a number found by search, or one of several roots, which has no exact form."""
        self._note(text, _KnownNumber(None, _SOUGHT, quantity.domain.ends))

    def record_same(self, text: str, original: str) -> None:
        """Record for later decisions a number that is another one without its rounding."""
        known = self._known.get(name_of_text(original).name)
        if known is not None and text != original:
            self._note(text, known)

    def may_cancel(self, text: str) -> bool:
        """Whether a number recorded for decisions may consist of nothing but the rounding of larger terms."""
        known = self._known.get(name_of_text(text).name)
        return known is not None and known.form is not None and not isinstance(known.error, Fraction)

    def _note(self, text: str, known: _KnownNumber) -> None:
        """Record a number's form, error and bounds for later decisions, under the name that stands for its text."""
        name = name_of_text(text).name
        if name in self._known:  # another quantity is the same number, and may have another domain
            self._spans[name] = hull(self._spans[name], known.span)
            return
        self._known[name] = known
        self._spans[name] = known.span
        self._shares[name] = known.error
        if not isinstance(known.error, Fraction):
            bound = Name(f"the error of {name}")
            self._shares[name], self._bounds[bound.name] = bound, known.error

    def bounds(self, node: Node) -> Iterator[tuple[str, Node]]:
        """The bounds on rounding errors in a settled decision, by name, each after those that it depends on."""
        needed = {*reached(names_in(node), self._bounded_by)}
        return ((name, bound) for name, bound in self._bounds.items() if name in needed)

    def _bounded_by(self, name: str) -> tuple[str, ...]:
        """The names in a bound on a rounding error in a decision: of numbers and of other bounds."""
        return names_in(self._bounds[name]) if name in self._bounds else ()

    @staticmethod
    def _in_names_of_texts(node: Node, scope: Scope) -> Node:
        """An expression for a decision, with the name of each quantity's text in place of the quantity."""
        return with_forms(node, {name: name_of_text(scope.text_of(name)) for name in names_in(node)})

    def origins(self, names: Sequence[str], scope: Scope) -> Origins:
        """The origins of a kernel's quantities: exact points in the givens, where decisions can trace so far."""
        points = {}
        for name in names:
            text = name_of_text(scope.text_of(name))
            known = self._exact_points(text) if text.name in self._known else None
            if known is not None:
                points[name] = known
        given = dict.fromkeys(chain.from_iterable(point.names for point in points.values()))
        return Origins(points, tuple(given))

    def settle(self, node: Node, scope: Scope) -> Node:
        """Settle the decisions in an expression: where rounding may change one, it carries what decides (`SETTLED`)."""
        if not any(isinstance(part, Apply) and _may_decide(part) for part in walk(node)):
            return node
        return self._settle(self._in_names_of_texts(node, scope))

    def _settle(self, node: Node) -> Node:
        """Settle the decisions in an expression whose names are those of recorded numbers."""
        if not isinstance(node, Apply):
            return node
        new = Apply(node.op, tuple(map(self._settle, node.args)), node.at)
        if not _may_decide(node) or any(name not in self._known for name in names_in(node)):
            return new
        if all(map(self._is_plain, node.args if node.op in _TESTS else node.args[:1])):
            return new
        near: tuple[Node, Node] | None
        if node.op in _TESTS:
            near = self._distance_of_sides(node, new)
        elif node.op in STEPPED:
            near = self._distance_from_whole(node, new)
        else:
            near = self._distance_from_end(node, new)
        if near is None:
            return new
        exact = self._exact_points(node)
        if exact is None:
            return self._as_computed(new, *near)
        return self._with_exact_points(new, near, node, exact)

    def with_digits_kept(self, text: str, form: Node, scope: Scope) -> Node | None:
        """The decision whether a number has lost too many digits, as terms cancel, by which it is worked out exactly.

        None if it never has, or cannot be traced to the givens.
        """
        node = self._in_names_of_texts(form, scope)
        if any(name not in self._known for name in names_in(node)) or self._errors.share(node) is not None:
            return None
        exact = self._exact_points(node)
        if exact is None:
            return None
        number = name_of_text(text)  # instead of the form, which the bound would compute again
        room = multiplied(_MAGNIFIED, replaced(self._errors.of(node), node, number))
        return self._with_exact_points(number, (size_of(number), room), node, exact)

    def _with_exact_points(self, new: Node, near: tuple[Node, Node], node: Node, exact: ExactPoints) -> Node:
        """A kernel's decision with its distance, the error of that, and what works it out exactly."""
        if node not in self._places:
            self._places[node] = len(self.exact)
            self.exact.append(exact)
        return Apply(SETTLED, (new, *near, Number(Fraction(self._places[node])), *map(Name, exact.names)))

    @staticmethod
    def _as_computed(new: Apply, gap: Node, room: Node) -> Node:
        """The decision of a kernel's comparison from doubles alone: numbers that differ by rounding count as equal.

        The solver treats them so too. If they differ by more, but not by more than their errors, it is asked.
        """
        if new.op not in _TESTS and new.op not in STEPPED:
            return Apply(SETTLED, (new, gap, room))
        close = multiplied(Number(Fraction(EXPRESSION)), added(*map(size_of, new.args)))
        is_close = Apply("le", (gap, close))
        equal: Node
        if new.op in STEPPED:
            equal = Apply("piecewise", (Apply("floor", (Apply("add", (new.args[0], _HALF)),)), is_close, new))
        elif new.op in ("le", "ge", "eq"):
            equal = Apply("or", (new, is_close))
        else:
            equal = Apply("and", (new, Apply("not", (is_close,))))
        beyond = added(room, room, _ONE)  # no doubt where the numbers are the same
        return Apply(SETTLED, (equal, Apply("piecewise", (beyond, is_close, gap)), room))

    def _distance_of_sides(self, node: Apply, new: Apply) -> tuple[Node, Node]:
        """The distance of a comparison's sides for a decision by rounding, and the bound on its error."""
        left, right = new.args
        room = added(*(self._error(*pair) for pair in zip(node.args, new.args, strict=True)))
        return size_of(added(left, negated(right))), multiplied(_TWICE, room)

    def _distance_from_whole(self, node: Apply, new: Apply) -> tuple[Node, Node]:
        """The distance from the whole number for a decision about rounding to it, and the bound on its error."""
        (argument,), (number,) = node.args, new.args
        nearest = Apply("floor", (Apply("add", (number, _HALF)),))
        return size_of(Apply("add", (number, negated(nearest)))), multiplied(_TWICE, self._error(argument, number))

    def _distance_from_end(self, node: Apply, new: Apply) -> tuple[Node, Node] | None:
        """The distance from an end of a function's domain for a decision there, and the bound on its error."""
        argument, number = node.args[0], new.args[0]
        # near an end too few digits of the argument may be left
        is_exact = self._exact_points(argument) is not None  # else more digits are nowhere to be had
        error = multiplied(_MAGNIFIED if is_exact else _TWICE, self._error(argument, number))
        if node.op == "tan":
            return _ONE, multiplied(error, size_of(new))
        if node.op in PERIODIC:  # of an argument far from zero, few digits within a period may be left
            return Apply("add", (number, Apply("neg", (number,)), _ONE)), error  # undefined where it overflows
        enclosure = enclose(argument, self._errors.spans, "")
        low, high = (-math.inf, math.inf) if enclosure is None else enclosure.values
        ends = [end for end in _ends(node) if low <= end <= high]
        if self._errors.share(argument) is not None and (low >= 0 or node.op == "inv"):
            ends = [end for end in ends if end]  # a share of the number itself is as small beside zero
        if not ends:
            return None
        distances = [size_of(added(number, Number(Fraction(-end)))) for end in ends]
        nearest = distances[0] if len(distances) == 1 else Apply("min", tuple(distances))
        return nearest, error

    def _error(self, node: Node, new: Node) -> Node:
        """The bound on an expression's rounding error in a decision, by the settled expression that lines compute."""
        share = self._errors.share(node)
        return self._errors.of(node) if share is None else multiplied(Number(share), size_of(new))

    def _is_plain(self, node: Node) -> bool:
        """Whether doubles decide a comparison in a kernel with a number as decimals do."""
        if isinstance(node, Apply) and node.op == "neg":
            return self._is_plain(node.args[0])
        if isinstance(node, Name):
            return self._known[node.name].is_decimal
        return isinstance(node, Number) and _is_short(node)

    def _exact_points(self, node: Node) -> ExactPoints | None:
        """What works out from the givens a decision that rounding may change; None if a number has no form."""
        behind = {*reached(names_in(node), self._needed_for)}
        steps: dict[str, Node] = {}
        for name, known in self._known.items():
            if name in behind and known.form != Name(name):
                if known.form is None:
                    return None
                steps[name] = known.form
        return ExactPoints(node, steps)

    def _needed_for(self, name: str) -> tuple[str, ...]:
        """The recorded numbers in the exact form of a number for a decision."""
        known = self._known.get(name)
        return () if known is None or known.form is None else names_in(known.form)


def _may_decide(node: Apply) -> bool:
    """Whether rounding may decide what an operation gives: a test, a step, a domain with an end, or a wave."""
    is_test = node.op in _TESTS or node.op in STEPPED
    return is_test or node.op in PERIODIC or next(_ends(node), None) is not None


def _ends(node: Apply) -> Iterator[float]:
    """The whole numbers at which an operation ceases to be defined, as zero of a divisor: there rounding may decide."""
    if node.op == "pow":
        exponent = node.args[1]
        if not isinstance(exponent, Number) or exponent.value.denominator != 1:
            yield 0.0
    elif node.op == "inv":
        yield 0.0
    elif node.op in TABLE:
        yield from TABLE[node.op].whole_ends


def _is_short(number: Number) -> bool:
    """Whether rounding a number to a double changes no decision on it: it is one, or has at most fifteen digits."""
    return number.is_double or Fraction(f"{number.real:.15g}") == number.value
