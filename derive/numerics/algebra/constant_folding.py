"""Constant folding: known numbers substituted into an expression, and its constants evaluated exactly.

A float is a rational number: the decimal that it was read from, where that is short. Sums, products and integer powers
of rationals are rational: terms cancel exactly here, where doubles would leave rounding noise in which a search finds
false roots.

Irrational constants keep many digits while constants are combined, and are rounded to doubles in the end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from derive.expressions.arithmetic import TESTS, Arithmetic, Fold, may_lose_digits, reapplied, same
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Name, Node, Number, applied, names_in, operations, rebuilt, walk
from derive.numerics.algebra.evaluation import in_doubles, value
from derive.numerics.algebra.irrational_constants import (
    as_short_fraction,
    in_many_digits,
    is_irrational,
    to_digits,
    total_of,
)
from derive.numerics.algebra.like_terms import denominators, without_denominators
from derive.numerics.intervals.enclosure import Span, enclose
from derive.tolerances import EPSILON, EXPRESSION
from quantities.rational import exact_of

_DECIMALS = 14  # digits of a number that was hardly rounded: a double keeps fifteen
_LONGEST = 6000  # bits of a fraction, beyond which a constant is rounded to a double
_STEEPEST = 64  # limit on whole exponents that are evaluated exactly
_UNDOING = {"exp": "log", "log": "exp"}  # each with the function whose value it takes back


def folded(node: Node, known: Mapping[str, float]) -> Node:
    """Fold constants: put known numbers into an expression and evaluate all its constant parts exactly.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(folded(parse_expression("(1e30 + b*x) - 1e30"), {"b": 2.0}))
    '2*x'
    """

    return with_doubles(folded_in_many_digits(node, known))


def folded_in_many_digits(node: Node, known: Mapping[str, float]) -> Node:
    """Fold constants as `folded` does, and leave irrational ones all digits with which they are combined."""

    def named(name: str) -> Node:
        number = known.get(name)
        return Name(name) if number is None or not math.isfinite(number) else Number(stated(number))

    result: Node = _FOLDED.fold(node, named)
    return result


def with_precise_constants(node: Node) -> Node:
    """An expression in which constants are folded with many digits where doubles lose some, since terms cancel.

    >>> from derive.expressions.grammar import parse_expression
    >>> value(with_precise_constants(parse_expression("y*(log(8) - 3.000000000001*log(2))")), {"y": 1e12})
    -0.6931471805599453
    """

    def precise(part: Node) -> Node | None:
        if not isinstance(part, Apply):
            return None
        if part.names:
            return _FOLDED.fold(part, Name) if part.op == "add" and _cancels(part) else None
        return _precise_constant(part) or part

    return rebuilt(node, precise)


def _cancels(total: Apply) -> bool:
    """Whether a sum's constants have to be folded with many digits: like terms cancel so far that doubles lose some."""
    shares: dict[Node, list[Fraction]] = {}
    counts = Counter(frozenset(names_in(term)) for term in total.args)
    for term in total.args:
        if counts[frozenset(names_in(term))] == 1:
            continue  # like terms have the same names
        share, rest = _shared(_FOLDED.fold(term, Name))
        shares.setdefault(rest, []).append(share)
    for numbers in shares.values():
        factor = sum(numbers, Fraction(0))
        if factor and abs(factor) * Fraction(EXPRESSION) < max(map(abs, numbers)) * Fraction(EPSILON):
            return True  # a factor of zero has to keep its terms, which may be undefined
    return False


def _precise_constant(constant: Apply) -> Number | None:
    """A constant folded with many digits; None if arithmetic in doubles loses none of them, or it is no number."""
    if not any(map(may_lose_digits, operations(constant))):
        return None
    number = _FOLDED.fold(constant, Name)
    if not isinstance(number, Number):
        return None
    return None if abs(in_doubles(constant) - number.real) <= EXPRESSION * abs(number.real) else number


def with_doubles(node: Node) -> Node:
    """What constant folding leaves of an expression in the end, with irrational constants rounded to doubles."""

    def rounded(part: Node) -> Node | None:
        if isinstance(part, Number) and is_irrational(part.value):
            return _double(part.value)
        return None

    is_long = any(isinstance(part, Number) and is_irrational(part.value) for part in walk(node))
    return rebuilt(node, rounded) if is_long else node


def stated(number: float) -> Fraction:
    """The rational that a double stands for in constant folding: known for it, a decimal of fourteen digits, or itself.

    >>> stated(8.38), stated(0.1 + 0.2) == Fraction(0.1 + 0.2)
    (Fraction(419, 50), True)
    """
    exact = exact_of(number)
    if exact is not None:
        return exact
    return Fraction(repr(float(number))) if is_decimal(number) else Fraction(number)


def is_decimal(number: float) -> bool:
    """Whether constant folding takes a double for a short decimal that was written, and not for a computed number."""
    return exact_of(number) is not None or float(f"{number:.{_DECIMALS - 1}e}") == number


def _sum(*args: Node) -> Node:
    """Fold a sum to a flat one, with its like terms and its constants added up."""
    constants: list[Fraction] = []
    shares: dict[Node, list[Fraction]] = {}
    for arg in args:
        for term in arg.args if isinstance(arg, Apply) and arg.op == "add" else (arg,):
            if isinstance(term, Number):
                constants.append(term.value)
            else:
                share, rest = _shared(term)
                shares.setdefault(rest, []).append(share)
    total = total_of(constants)
    sums = ((rest, total_of(numbers)) for rest, numbers in shares.items())
    terms = [_product(Number(share), rest) for rest, share in sums if share or _is_undefined(rest)]
    if total:
        terms.append(_short(total))
    return applied("add", terms, Number(total))


def _is_undefined(node: Node) -> bool:
    """Whether an expression has an undefined constant part, so that folding must not cancel it."""
    constants = (part for part in operations(node) if not part.names)
    return any(math.isnan(value(part, {})) for part in constants)


def _shared(term: Node) -> tuple[Fraction, Node]:
    """A term of a sum after constant folding, as the number in front of it and the rest."""
    if isinstance(term, Number):
        return term.value, Number(Fraction(1))
    if isinstance(term, Apply) and term.op == "neg":
        share, rest = _shared(term.args[0])
        return -share, rest
    if isinstance(term, Apply) and term.op == "mul" and isinstance(term.args[0], Number):
        return term.args[0].value, applied("mul", term.args[1:], term)
    return Fraction(1), term


def _product(*args: Node) -> Node:
    """Fold a product to a flat one, its constants multiplied; a zero stays a factor, as the others may be undefined."""
    others: list[Node] = []
    factor, irrational = Fraction(1), 0
    for arg in args:
        for part in arg.args if isinstance(arg, Apply) and arg.op == "mul" else (arg,):
            if isinstance(part, Number):
                factor *= part.value
                irrational += is_irrational(part.value)
            else:
                others.append(part)
    constant = _short(as_short_fraction(factor) if irrational > 1 else factor)
    return applied("mul", others if factor == 1 else [constant, *others], constant)


def _negated(arg: Node) -> Node:
    """Constant folding of a negative: the sign goes into the number, the terms or the factors of what is folded."""
    if isinstance(arg, Number):
        return Number(-arg.value)
    if isinstance(arg, Apply) and arg.op == "add":
        return Apply("add", tuple(_negated(term) for term in arg.args))
    if isinstance(arg, Apply) and arg.op == "neg":
        return arg.args[0]
    return _product(Number(Fraction(-1)), arg)


def _constant(node: Apply, fold: Fold) -> Node:
    """Fold any other operation: it becomes a number if it is one of numbers.

    One that undoes another is undone with it, since the other's value is rounded: exp(log(8)) is 8.
    """
    undone = node.args[0] if node.op in _UNDOING else None
    if isinstance(undone, Apply) and undone.op == _UNDOING[node.op]:
        number = fold(undone.args[0])
        if isinstance(number, Number) and (undone.op != "log" or number.value > 0):
            return number
    applied_node = reapplied(node, fold)
    numbers = [arg.value for arg in applied_node.args if isinstance(arg, Number)]
    is_constant = bool(numbers) or node.op == "pi"
    if not is_constant or len(numbers) < len(applied_node.args):
        return applied_node
    if node.op == "inv" and numbers[0] and not is_irrational(numbers[0]):
        return _short(1 / numbers[0])
    if (
        node.op == "pow"
        and not is_irrational(numbers[0])
        and numbers[1].denominator == 1
        and abs(numbers[1]) <= _STEEPEST
        and numbers[0]
    ):
        return _short(numbers[0] ** numbers[1].numerator)
    if node.op in ("max", "min"):
        return Number(max(numbers) if node.op == "max" else min(numbers))
    entry = TABLE.get(node.op)
    if entry is not None and entry.rational:
        return Number(entry.rational(numbers[0]))
    rounded = value(applied_node, {})
    if not math.isfinite(rounded):
        return applied_node
    precise = in_many_digits(applied_node)
    return Number(Fraction(rounded) if precise is None else precise)


_FOLDED: Arithmetic[Node] = Arithmetic(
    same, {"add": _sum, "mul": _product, "neg": _negated}, dict.fromkeys(TESTS, reapplied), otherwise=_constant
)


def _short(number: Fraction) -> Number:
    """A folded constant, rounded to a double if its fraction is too long; an irrational one keeps its digits."""
    if number.numerator.bit_length() + number.denominator.bit_length() <= _LONGEST:
        return Number(number)
    if is_irrational(number):
        return Number(to_digits(number))
    return _double(number)


def _double(number: Fraction) -> Number:
    """A folded constant rounded to a double; one beyond all doubles as it is."""
    try:
        return Number(Fraction(float(number)))
    except OverflowError:
        return Number(number)


def without_quotients(form: Node, name: str, box: Mapping[str, Span]) -> Node:
    """A difference with positive denominators multiplied out, so that enclosures in the box become tighter.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(without_quotients(parse_expression("a - (1 + x)/(2 + x)"), "x", {"x": (0.0, 9.0)}))
    'a*(2 + x) - (1 + x)'
    """
    below = [enclose(part, box, "") for part in denominators(form, name)]
    are_positive = all(bounds is not None and not bounds.partial and bounds.values[0] > 0 for bounds in below)
    return without_denominators(form, name) if are_positive else form
