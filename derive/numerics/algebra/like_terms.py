"""Like terms: sums, products and quotients combined, with whatever cancels left out; derivatives among them."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain
from itertools import product as pairs_of
from math import prod
from typing import Any

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing, reapplied, same
from derive.expressions.functions import TABLE
from derive.expressions.grammar import parse_condition, parse_expression
from derive.expressions.tree import Apply, Equation, Name, Node, Number, applied, walk
from derive.numerics.intervals.enclosure import Span, enclose

ZERO, ONE, TWO = (Number(Fraction(n)) for n in range(3))


def occurrences(node: Node, name: str) -> int:
    """How often a name occurs in an expression as it is written, like terms apart."""
    return sum(1 for part in walk(node) if isinstance(part, Name) and part.name == name)


def simplified(node: Node) -> Node:
    """An expression without zeros and ones, and without like terms and factors that cancel."""
    result: Node = _SIMPLIFY.fold(node, Name)
    return result


def constant_exponent(node: Node) -> Fraction | None:
    """The value of a constant exponent such as 2, -1 or 3/2; None of one with names."""
    return _PLAIN.attempt(node)


def exponent_of(node: Apply) -> Fraction | None:
    """The constant exponent of a power, a root or an inverse; None of any other operation."""
    if node.op == "pow":
        return constant_exponent(node.args[1])
    return {"inv": Fraction(-1), "sqrt": Fraction(1, 2)}.get(node.op)


def negated(node: Node) -> Node:
    """An expression with the opposite sign; two signs cancel as like terms do."""
    if isinstance(node, Apply) and node.op == "neg":
        return node.args[0]
    return ZERO if node == ZERO else Apply("neg", (node,))


def inverted(node: Node) -> Node:
    """The inverse of an expression, or of each factor of a product, as `negated` is of terms; like terms cancel."""
    if isinstance(node, Apply) and node.op == "inv":
        return node.args[0]
    if isinstance(node, Apply) and node.op == "mul":
        return multiplied(*(inverted(arg) for arg in node.args))
    return ONE if node == ONE else Apply("inv", (node,))


def added(*nodes: Node) -> Node:
    """The sum of expressions without zeros, in which like terms of opposite sign cancel."""
    terms = chain.from_iterable(_parts(node, "add") for node in nodes)
    return applied("add", _without_cancelling_pairs([term for term in terms if term != ZERO], "neg"), ZERO)


def difference_of(equation: Equation) -> Node:
    """The left side of an equation less its right side, with like terms cancelled."""
    return added(equation.lhs, negated(equation.rhs))


def excess_of(limit: Equation) -> Node:
    """By how much a limit is exceeded: not positive where it holds. Of an equation, the left side less the right."""
    gap = difference_of(limit)
    return negated(gap) if limit.op == ">=" else gap


def multiplied(*nodes: Node) -> Node:
    """The product of expressions, as `added` is their sum: without ones and like factors that cancel, divisors last."""
    factors = [*chain.from_iterable(_parts(node, "mul") for node in nodes)]
    if ZERO in factors:
        return ZERO
    factors = _without_cancelling_pairs([factor for factor in factors if factor != ONE], "inv")
    dividends = [factor for factor in factors if not _is(factor, "inv")]
    divisors = [factor for factor in factors if _is(factor, "inv")]
    return applied("mul", [*dividends, *divisors], ONE)


def at_zeros(node: Node, zeros: Collection[str]) -> Node:
    """An expression with zeros put in for names, whose products with a factor of zero are zero where it is defined."""
    if isinstance(node, Name):
        return ZERO if node.name in zeros else node
    if isinstance(node, Number):
        return node
    args = tuple(at_zeros(arg, zeros) for arg in node.args)
    return ZERO if node.op == "mul" and ZERO in args else Apply(node.op, args)


def _without_cancelling_pairs(parts: list[Node], inverse: str) -> list[Node]:
    """The terms or factors that remain when like ones have cancelled in pairs, each with its inverse.

    If a cancelled part is zero, the final substitution finds out.
    """
    inverses = [part for part in parts if isinstance(part, Apply) and part.op == inverse]
    if not inverses:
        return parts
    counts, cancelled = Counter(parts), Counter[Node]()
    for negative in inverses:
        if counts[negative] and counts[negative.args[0]]:
            counts.subtract((negative, negative.args[0]))
            cancelled.update((negative, negative.args[0]))
    remaining: list[Node] = []
    for part in parts:
        if cancelled[part]:
            cancelled[part] -= 1
        else:
            remaining.append(part)
    return remaining


def _parts(node: Node, op: str) -> tuple[Node, ...]:
    """The terms of a sum or factors of a product, to be combined with like ones; else the one expression."""
    if isinstance(node, Apply) and node.op == op:
        return node.args
    if op == "add" and isinstance(node, Apply) and node.op == "neg" and _is(node.args[0], "add"):
        return tuple(negated(part) for part in _parts(node.args[0], "add"))
    return (node,)


def _is(node: Node, op: str) -> bool:
    return isinstance(node, Apply) and node.op == op


def coefficients(node: Node, names: Collection[str], highest: int = 2) -> dict[tuple[str, ...], Node] | None:
    """The coefficient of each product of at most `highest` of some names, like terms combined; None of other sums.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> factors = coefficients(parse_expression("a*x + x**2 - b*x"), ["x"])
    >>> {names: render(factor) for names, factor in factors.items()}
    {('x',): 'a - b', ('x', 'x'): '1'}
    """

    def total(terms: Iterable[tuple[tuple[str, ...], Node]]) -> dict[tuple[str, ...], Node]:
        factors: dict[tuple[str, ...], Node] = {}
        for key, factor in terms:
            if len(key) > highest:
                raise NoElement
            factors[key] = added(factors.get(key, ZERO), factor)
        return factors

    def product(left: Mapping[tuple[str, ...], Node], right: Mapping[tuple[str, ...], Node]) -> Any:
        terms = []
        for (first_names, first), (second_names, second) in pairs_of(left.items(), right.items()):
            terms.append((tuple(sorted((*first_names, *second_names))), multiplied(first, second)))
        return total(terms)

    def form(node: Apply, fold: Fold) -> Any:
        """The coefficients of an operation, with the like terms of its arguments combined."""
        if not any(name in names for name in node.names):
            return {(): node}
        if node.op == "add":
            return total(chain.from_iterable(fold(arg).items() for arg in node.args))
        if node.op == "neg":
            return {key: negated(factor) for key, factor in fold(node.args[0]).items()}
        if node.op == "mul":
            return reduce(product, map(fold, node.args))
        exponent = constant_exponent(node.args[1]) if node.op == "pow" else None
        if exponent is None or exponent not in range(1, highest + 1):
            raise NoElement
        return reduce(product, [fold(node.args[0])] * int(exponent))

    arithmetic: Arithmetic[dict[tuple[str, ...], Node]] = Arithmetic(lambda number: {(): number}, {}, otherwise=form)
    return arithmetic.attempt(node, lambda name: {(name,): ONE} if name in names else {(): Name(name)})


SWITCHES = frozenset({"max", "min", "abs", "piecewise"})
"""The operations whose value is that of an argument, or its negative."""


def arms_of(switch: Apply) -> tuple[Node, ...]:
    """The arms of a max, min, absolute value or choice, one of which is its value."""
    if switch.op == "abs":
        return switch.args[0], negated(switch.args[0])
    return switch.args if switch.op in ("max", "min") else switch.args[::2]


def when_binding(switch: Apply, place: int) -> tuple[Node, ...]:
    """The conditions under which one arm of a max, min, absolute value or choice is its value."""
    if switch.op == "abs":
        return (Apply("lt" if place else "ge", (switch.args[0], ZERO)),)
    if switch.op in ("max", "min"):
        fits, arm = "ge" if switch.op == "max" else "le", switch.args[place]
        return tuple(Apply(fits, (arm, other)) for other in switch.args if other is not arm)
    earlier = tuple(Apply("not", (condition,)) for condition in switch.args[1 : 2 * place : 2])
    own = switch.args[2 * place + 1 : 2 * place + 2]  # none for a last arm that is taken otherwise
    return (*earlier, *own)


def fill_template(form: str, substitutes: Mapping[str, Node]) -> Node:
    """An inverse or slope as an expression: its template filled in for its names, and like terms cancelled.

    >>> from derive.expressions.tree import render
    >>> render(fill_template("1/x - x**2", {"x": Apply("inv", (Name("a"),))}))
    'a - (1/a)**2'
    """
    result: Node = _FILLED.fold(_read(form), substitutes.__getitem__)
    return result


@lru_cache(maxsize=256)
def _read(form: str) -> Node:
    """The expression or condition in which a form is written, before it is filled in and like terms cancel."""
    return parse_condition(form) if "=" in form or "<" in form else parse_expression(form)


def _without_ones(*args: Node) -> Node:
    return applied("mul", [arg for arg in args if arg != ONE], ONE)


_PLAIN: Arithmetic[Fraction] = Arithmetic(
    number=operator.attrgetter("value"),
    operations={
        "neg": operator.neg,
        "inv": lambda x: 1 / x if x else nothing(),
        "mul": lambda *args: prod(args, start=Fraction(1)),
        "add": lambda *args: sum(args, Fraction(0)),
    },
)
_SIMPLIFY: Arithmetic[Node] = Arithmetic(same, {"add": added, "inv": inverted, "mul": multiplied}, otherwise=reapplied)
_FILLED: Arithmetic[Node] = Arithmetic(
    same, {"add": added, "inv": inverted, "mul": _without_ones, "neg": negated}, otherwise=reapplied
)


def without_denominators(difference: Node, name: str) -> Node:
    """A sum times its denominators that contain the name, like terms combined; unchanged if these are many."""
    below = denominators(difference, name)
    if not below or len(below) > 2:
        return difference
    return Apply("add", tuple(_times_all(part, below) for part in _parts(added(difference), "add")))


def without_quotients(form: Node, name: str, box: Mapping[str, Span]) -> Node:
    """A difference with positive denominators multiplied out and like terms combined, for tighter enclosures.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(without_quotients(parse_expression("a - (1 + x)/(2 + x)"), "x", {"x": (0.0, 9.0)}))
    'a*(2 + x) - (1 + x)'
    """
    below = [enclose(part, box, "") for part in denominators(form, name)]
    are_positive = all(bounds is not None and not bounds.partial and bounds.values[0] > 0 for bounds in below)
    return without_denominators(form, name) if are_positive else form


def denominators(difference: Node, name: str) -> list[Node]:
    """The denominators that contain the name, in the terms of a sum that are left when like terms have cancelled."""
    if not _is(difference, "add"):
        return []
    factors = chain.from_iterable(map(_denominators, _parts(added(difference), "add")))
    return list(dict.fromkeys(factor for factor in factors if occurrences(factor, name)))


def _denominators(term: Node) -> list[Node]:
    """The denominators of one term of a sum, like ones among them repeated."""
    if _is(term, "neg"):
        assert isinstance(term, Apply)
        return _denominators(term.args[0])
    factors = term.args if isinstance(term, Apply) and term.op == "mul" else (term,)
    return [factor.args[0] for factor in factors if isinstance(factor, Apply) and factor.op == "inv"]


def dividend_of(quotient: Node, divisor: Node) -> Node | None:
    """A quotient with its divisor cancelled, which divides once and with no other beside it; None of anything else.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(dividend_of(parse_expression("-a*b/(c - d)"), parse_expression("c - d")))
    '-a*b'
    """
    if isinstance(quotient, Apply) and quotient.op == "neg":
        inside = dividend_of(quotient.args[0], divisor)
        return None if inside is None else negated(inside)
    factors = list(quotient.args) if isinstance(quotient, Apply) and quotient.op == "mul" else [quotient]
    divisions = [factor for factor in factors if _is(factor, "inv")]
    if divisions != [Apply("inv", (divisor,))]:
        return None
    factors.remove(divisions[0])
    return applied("mul", factors, ONE)


def _times_all(term: Node, below: list[Node]) -> Node:
    """A term of a sum times some denominators, each of which cancels where the term is divided by it."""
    if isinstance(term, Apply) and term.op == "neg":
        return negated(_times_all(term.args[0], below))
    factors = list(term.args) if isinstance(term, Apply) and term.op == "mul" else [term]
    for denominator in below:
        inverse = Apply("inv", (denominator,))
        if inverse in factors:
            factors.remove(inverse)
        else:
            factors.append(denominator)
    return multiplied(*factors)


def derivative(node: Node, name: str) -> Node | None:
    """The derivative of a smooth expression, with like terms cancelled; None of one that may have kinks.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.numerics.algebra.constant_folding import folded
    >>> from derive.expressions.tree import render
    >>> [render(folded(derivative(parse_expression(text), "x"), {})) for text in ("3*x**2*y + exp(x)/y", "tan(x*y)")]
    ['6*y*x + exp(x)/y', '(tan(x*y)*tan(x*y) + 1)*y']
    """

    def slope_by_chain_rule(node: Apply, fold: Fold) -> Node:
        """The derivative of an operation with like terms combined: its slopes times the arguments' derivatives."""
        if name not in node.names:
            return ZERO
        return added(*(multiplied(slope, fold(arg)) for slope, arg in zip(_slopes(node), node.args, strict=True)))

    derivatives: Arithmetic[Node] = Arithmetic(lambda _: ZERO, {}, otherwise=slope_by_chain_rule)
    return derivatives.attempt(node, lambda other: ONE if other == name else ZERO)


def _slopes(node: Apply) -> list[Node]:
    """The symbolic derivatives of an operation, like factors cancelled; `NoElement` if it may have kinks."""
    args = node.args
    match node.op:
        case "add":
            return [ONE] * len(args)
        case "neg":
            return [Number(Fraction(-1))]
        case "mul":
            return [multiplied(*args[:i], *args[i + 1 :]) for i in range(len(args))]
        case "inv":
            return [negated(inverted(Apply("pow", (args[0], TWO))))]
        case "pow" if (exponent := constant_exponent(args[1])) is not None:
            power = args[0] if exponent == 2 else Apply("pow", (args[0], Number(exponent - 1)))
            return [multiplied(Number(exponent), power), ZERO]
    entry = TABLE.get(node.op)
    if entry is None or not isinstance(entry.slope, str):
        raise NoElement
    return [fill_template(entry.slope, {"x": args[0], "y": node})]
