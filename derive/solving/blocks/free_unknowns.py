"""Unknowns that cancel: equations that hold along a whole interval of their unknown.

Interval arithmetic finds such an interval where the unknown stands once in each arm. Where it does not (`max(a, x) -
x`), points across the domain are sampled, and the ends of each run of points at which the equation holds are found by
bisection. A run counts only if the residual is constant at 150 digits: a curve with an asymptote, such as `tanh`,
does not count.

It may also cancel where both sides are proportional to powers of it. If they are homogeneous in a positive unknown, of
degrees p and q, they are x**p and x**q times their values at one, since a maximum, a minimum, an absolute value and an
order of two terms of one degree keep it where x is positive. So there is one root, the power 1/(q - p) of the ratio of
these values; or, where p is q, the sides meet everywhere or nowhere. That is a proof for the whole domain, choices
included, where a search samples it: `max(a/x, b/x)*x = c` holds for every x or for none. A part that is zero has every
degree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, pairwise, product

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.functions import STEPPED, TABLE
from derive.expressions.tree import COMPARISONS, Apply, Equation, Name, Node, Number, names_in, operations, replaced
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import strain, value
from derive.numerics.algebra.homogeneity import ANY_DEGREE, DEGREE_OF_OPERATION
from derive.numerics.algebra.like_terms import (
    SWITCHES,
    ZERO,
    arms_of,
    difference_of,
    inverted,
    multiplied,
    occurrences,
    without_denominators,
)
from derive.numerics.algebra.multiprecision import gap_of, is_level
from derive.numerics.intervals.enclosure import Span, enclose, spans_of_numbers
from derive.numerics.root_finding.branch_and_bound import PARTS
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.blocks.outcome import NEVER, Outcome, Solution
from derive.solving.blocks.sample_points import middle, points_across, points_of_all_sizes, runs, within
from derive.solving.blocks.system import solves
from derive.solving.extremes import bounds_of_form
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, EXPRESSION, LAST_DIGIT, MET
from quantities.domain import Domain
from quantities.rational import exact_of, written

CHOICES = ("max", "min", "piecewise")
_VARIANTS, _MOST = 24, 64  # limits on combinations of arms, of a system and of one equation
_FEW = 3  # samples at which the sides have to agree


def has_choice(equation: Equation, name: str) -> bool:
    """Whether an unknown stands inside a max, a min or a choice, of which an arm may leave the unknown free."""
    return any(name in operation.names for operation in operations(*equation.sides, among=CHOICES))


def ties_of(equation: Equation) -> Iterator[Equation]:
    """Equations for the numbers at which another arm begins to bind: two arguments of a choice are equal there."""
    for operation in operations(*equation.sides, among=("max", "min", "abs", *COMPARISONS.values())):
        arguments = (*operation.args, ZERO) if operation.op == "abs" else operation.args
        for first, second in combinations(arguments, 2):
            yield Equation(first, "=", second)


def has_pieces(equation: Equation, name: str) -> bool:
    """Whether an equation may leave its unknown free along a part of its domain only, because of a choice or a root.

    Any other equation is analytic, and holds throughout or at isolated points. Where its sides differ by less than
    every digit computed, as `tanh` and one do, it only seems to hold along an interval.

    >>> from derive.expressions.grammar import parse_equation
    >>> [has_pieces(parse_equation(text), "x") for text in ("y = tanh(x)", "y = x - sqrt(x**2)", "y = x + abs(x)")]
    [False, True, True]
    """
    around = [operation for operation in operations(*equation.sides) if name in operation.names]
    for operation in around:
        if operation.op in ("max", "min", "piecewise", "abs", "sqrt", *STEPPED):
            return True
        if operation.op == "pow":
            exponent = operation.args[1]
            if not isinstance(exponent, Number) or exponent.value.denominator != 1:
                return True
    return False


def is_divided_by(equation: Equation, name: str) -> bool:
    """Whether an unknown stands in a divisor and elsewhere too, so that it may be free where the divisor is zero."""
    if sum(occurrences(side, name) for side in equation.sides) < 2:
        return False
    return any(name in operation.names for operation in operations(*equation.sides, among=("inv",)))


def variants_of(
    equations: tuple[Equation, ...],
    unknowns: Collection[str],
    choices: Collection[str] = CHOICES,
    most: int = _VARIANTS,
) -> list[tuple[Equation, ...]]:
    """The variants of a system in which an arm may leave an unknown free: one arm for each choice, in all ways.

    The only variant is the system as it is where there are too many.
    """
    pending, finished = [equations], []
    while pending:
        tick()
        variant = pending.pop()
        place = _first_choice(variant, unknowns, choices)
        if place is None:
            finished.append(variant)
            continue
        index, switch = place
        equation, arms = variant[index], arms_of(switch)
        if len(arms) + len(pending) + len(finished) > most:
            return [equations]
        for arm in arms:
            changed = equation.changed(partial(replaced, old=switch, new=arm))
            pending.append((*variant[:index], changed, *variant[index + 1 :]))
    return finished


def _first_choice(
    equations: Sequence[Equation], unknowns: Collection[str], choices: Collection[str]
) -> tuple[int, Apply] | None:
    """The first choice of a block, with its equation's place, in which an unknown stands that an arm may leave free."""
    for index, equation in enumerate(equations):
        for choice in operations(*equation.sides, among=choices):
            if any(name in unknowns for name in choice.names):
                return index, choice
    return None


def holds_everywhere(problem: OneUnknown) -> bool:
    """Whether an unknown is free throughout its domain, whichever arms bind.

    An expression without choices and rounding is analytic: it is zero everywhere if it is at points across the domain.
    """
    points = points_of_all_sizes(*problem.domain.ends)
    if not problem.meets(points[0]) or any(problem.around(STEPPED)):
        return False
    variants = _variants(problem)
    if not variants or not all(all(map(variant.meets, points)) for variant in variants):
        return False
    return is_level_span(problem, problem.domain.ends)


def agrees_at_samples(problem: OneUnknown, solved: Callable[[OneUnknown], Outcome]) -> bool:
    """Whether an unknown seems to be free: the sides agree in many digits at samples of each part with values.

    So it is with `cosh(x) = (exp(x) + exp(-x))/2`, of which no form shows it, and beyond 709.8 no double. A part ends
    where a root, a logarithm or a divisor is zero, and at no other number can an equation without choices change.
    """
    if any(problem.around(STEPPED)):
        return False
    variants = _variants(problem)

    def verdicts(points: Iterable[float]) -> Iterator[bool | None]:
        return (variant.vanishes(x) for variant, x in product(variants, points))

    points = [x for x in points_of_all_sizes(*problem.domain.ends) if x in problem.domain]
    if not variants or False in verdicts(sorted(points, key=lambda x: abs(abs(x) - 1.0))):
        return False
    edges, are_all = edges_of(problem.equation, problem.name, points_of(problem), problem.domain, solved)
    points += chain.from_iterable(map(within, pairwise((problem.domain.low, *edges, problem.domain.high))))
    if not are_all:
        points += points_across(problem.domain.ends, problem.known, ())
    tried = list(verdicts(points))
    return False not in tried and tried.count(True) >= _FEW


def may_cancel(problem: OneUnknown, roots: Sequence[float]) -> bool:
    """Whether an unknown may be free along an interval, so that the equation holds there.

    On a part of such an interval the same arms bind. Between branch points of roots and powers the equation without
    choices is analytic: it holds throughout its piece or only at isolated points. So if no combination of arms holds
    at points across the domain, there is no interval.
    """
    variants = _variants(problem)
    points: list[float] = []
    for root in roots:
        points += [x for x in (0.7431 * root, 1.2917 * root) if x != root]
    if not points or len(variants) != 1:
        points += [x for x in points_of_all_sizes(*problem.domain.ends) if x in problem.domain]
    return not variants or any(any(map(variant.meets, points)) for variant in variants)


def _variants(problem: OneUnknown) -> list[OneUnknown]:
    """The equation of an unknown that may be free with one arm for each choice and absolute value; none if too many."""
    variants = variants_of((problem.equation,), {problem.name}, SWITCHES, _MOST)
    if _first_choice(variants[0], {problem.name}, SWITCHES) is not None:
        return []
    return [replace(problem, equation=equation) for (equation,) in variants]


def level_spans(problem: OneUnknown, seeds: Iterable[float] = ()) -> list[Span]:
    """The intervals along which an unknown is free: the equation holds whatever it is.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> level = parse_equation("b = max(a, x) - x")
    >>> (span,) = level_spans(OneUnknown(level, "x", {"a": 3.0, "b": 0.0}, positive))
    >>> round(span[0], 9), span[1]
    (3.0, inf)
    """
    seeds = [*seeds]
    level: list[Span] = []
    # the first tolerance has sharper ends; a given may be off by more than rounding
    for tolerance in (MET, AGREEMENT):
        spans = runs(partial(problem.meets, tolerance=tolerance), problem.domain.ends, problem.known, seeds)
        level = [span for span in spans if span[0] < span[1] and is_level_span(problem, span)]
        # beside a large unknown a gap seems smaller than it is
        if level and all(problem.strain_of_givens(middle(span)) <= tolerance for span in level):
            break
    return level


def is_level_span(problem: OneUnknown, span: Span) -> bool:
    """Whether an unknown is free along an interval: the residual is constant there, and zero at some point.

    Near a large unknown any residual looks like zero.
    """
    low, high = span
    beside = [end + share * (abs(end) or 1.0) for end, share in ((low, 1e-3), (high, -1e-3)) if math.isfinite(end)]
    points = [x for x in (*beside, middle(span) or 1.0, *points_of_all_sizes(low, high)) if low <= x <= high]
    factors = (replace(problem, equation=factor) for factor in problem.factors if factor != problem.equation)
    may_be_level = (
        is_level(problem.equation, problem.name, problem.known, low, high)
        or _is_in_proportion(problem, points)
        or any(is_level_span(factor, span) for factor in factors)  # rounding keeps it from zero, and is multiplied
        or _is_level_over_divisors(problem, span, points)
    )
    # many digits are dear, and needed only where doubles agree
    return may_be_level and any(
        problem.meets_beside_givens(x)
        for x in points
        if problem.meets(x) or strain(problem.equation, problem.at(x)) <= AGREEMENT
    )


def _is_level_over_divisors(problem: OneUnknown, span: Span, points: Iterable[float]) -> bool:
    """Whether an unknown is free along an interval, but for the rounding of givens above divisors that hold it.

    So it is for `(w + x)/(a + x) = 1` with w = a. Where w is not a, the sides approach each other, and never meet.
    """
    if problem.is_exact:
        return False
    difference = difference_of(problem.equation)
    above = without_denominators(difference, problem.name)
    if above == difference:
        return False
    multiplied_out = replace(problem, equation=Equation(above, "=", ZERO))
    if not all(multiplied_out.strain_of_givens(x) <= EXPRESSION for x in points):
        return False
    return is_level(multiplied_out.equation, problem.name, problem.known, *span)


def _is_in_proportion(problem: OneUnknown, points: Sequence[float]) -> bool:
    """Whether the residual along a free unknown is one share of the sides everywhere, as rounded givens make it."""
    shares = [abs(gap_of(problem.equation, problem.at(x))) for x in points]
    if len(shares) <= 3 or not all(share <= MET for share in shares):  # more than rounding
        return False
    return max(shares) - min(shares) <= LAST_DIGIT * max(shares)


# Where the sides have values

_MOST_EDGES = 8  # limit on numbers that part a domain


def points_of(problem: OneUnknown) -> dict[str, Span]:
    """The known numbers around an unknown that is free, as intervals of one number each."""
    return spans_of_numbers(problem.givens)


def edges_of(
    equation: Equation, name: str, box: Mapping[str, Span], domain: Domain, solved: Callable[[OneUnknown], Outcome]
) -> tuple[list[float], bool]:
    """The numbers of a free unknown at which a side begins or ceases to have values, in ascending order.

    And whether these are all. What moves with a range is left aside.
    """
    numbers = {other: _number_in(span) for other, span in box.items()}
    known = {other: number for other, number in numbers.items() if number is not None}
    edges, are_all = set[float](), True
    for argument, end in _ends_of_arguments(equation, name, known):
        at_end = Equation(argument, "=", Number(exact_of(end) or Fraction(end)))
        outcome = solved(OneUnknown(at_end, name, known, domain))
        are_all = are_all and not outcome.undecided and outcome.caveat is None
        edges.update(solution.values[name] for solution in outcome.solutions if not solution.spans)
    inside = sorted(edge for edge in edges if domain.low < edge < domain.high)
    return inside, are_all and len(inside) <= _MOST_EDGES


def _number_in(span: Span) -> float | None:
    """The number around which a span is one: itself, or a decimal such as 0.3 that lies beside its double."""
    low, high = span
    number = low if low == high else math.nextafter(low, math.inf)
    return written(number) if number == high or math.nextafter(number, math.inf) >= high else None


def _ends_of_arguments(equation: Equation, name: str, known: Mapping[str, float]) -> Iterator[tuple[Node, float]]:
    """Arguments with a free unknown, and ends at which their operations begin or cease to have values."""
    for part in operations(*equation.sides):
        argument = part.args[0] if part.args else part
        if name not in names_in(argument) or not {name, *known}.issuperset(part.names):
            continue
        if part.op == "inv":
            yield argument, 0.0
        elif part.op == "pow":
            exponent = value(part.args[1], known) if name not in names_in(part.args[1]) else math.nan
            if not (exponent >= 0 and exponent.is_integer()):
                yield argument, 0.0
        elif part.op in TABLE:
            yield from ((argument, end) for end in TABLE[part.op].domain if math.isfinite(end))


def parts_with_values(
    equation: Equation, name: str, box: Mapping[str, Span], domain: Domain, edges: Sequence[float]
) -> list[Span]:
    """The parts of a domain, between edges, in which the sides have values for a free unknown.

    A single number without values, as that of `1/x` at zero, parts nothing.

    >>> from derive.expressions.grammar import parse_equation
    >>> real, gap = Domain("real", -math.inf, math.inf), parse_equation("sqrt(x**2 - 4)*a = sqrt(x**2 - 4)*b")
    >>> parts_with_values(gap, "x", {"a": (3.0, 3.0), "b": (3.0, 3.0)}, real, [-2.0, 2.0])
    [(-inf, -2.0), (2.0, inf)]
    """

    def has_values(x: float) -> bool:
        return all(enclose(side, {**box, name: (x, x)}, "") is not None for side in equation.sides)

    parts: list[Span] = []
    for low, high in pairwise((domain.low, *edges, domain.high)):
        if not has_values(middle((low, high))):
            continue
        if parts and parts[-1][1] == low:
            parts[-1] = (parts[-1][0], high)
        else:
            parts.append((low, high))
    return parts


def parted(
    span: Span,
    equations: Iterable[Equation],
    name: str,
    box: Mapping[str, Span],
    domain: Domain,
    solved: Callable[[OneUnknown], Outcome],
) -> list[Span]:
    """The parts of a free unknown's interval in which all sides of equations have values, as far as these are known."""
    parts = [span]
    for equation in equations:
        if name in equation.names and {name, *box}.issuperset(equation.names):
            edges, are_all = edges_of(equation, name, box, domain, solved)
            others = parts_with_values(equation, name, box, domain, edges) if edges and are_all else [span]
            cut = ((max(low, start), min(high, end)) for (low, high), (start, end) in product(parts, others))
            parts = [(low, high) for low, high in cut if low < high]
    return parts


# Sides that are proportional to powers of their unknown

_ONE = Number(Fraction(1))


def by_proportion(problem: OneUnknown) -> Outcome | None:
    """The outcome of sides proportional to powers of a positive unknown: it is free, or has a value or none; else None.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> def by(text):
    ...     known = {"t": 2.0, "a": 6.0, "b": 8.0, "none": 0.0}
    ...     return by_proportion(OneUnknown(parse_equation(text), "x", known, positive))
    >>> [dict(solution.values) for solution in by("t = max(a/x, b/x, none)").solutions]
    [{'x': 4.0}]
    >>> by("8 = max(a/x, b/x, none)*x").solutions[0].spans
    {'x': (0.0, inf)}
    >>> by("9 = max(a/x, b/x, none)*x").reason
    'the two sides never meet in its domain'
    >>> by("t = max(a/x, b)") is None
    True
    """
    name, known, domain, sides = problem.name, problem.known, problem.domain, problem.sides
    if domain.low < 0 or 0.0 in domain:
        return None
    left_degree, right_degree = (degree_in(side, name, known) for side in sides)
    if left_degree is None or right_degree is None or (left_degree == right_degree == ANY_DEGREE):
        return None
    if left_degree == right_degree or ANY_DEGREE in (left_degree, right_degree):
        gap = abs(problem.residual(1.0))
        is_decided = problem.is_exact and math.isfinite(gap)  # then no gap is a rounding, however small
        is_met = problem.meets_beside_givens(1.0) if is_decided else gap <= AGREEMENT
        if is_met:
            return Outcome((Solution({}, {name: problem.domain.ends}, is_whole=True),))
        may_be_rounding = not is_decided and (not math.isfinite(gap) or solves(1.0, problem))
        return None if may_be_rounding else NEVER
    assert isinstance(left_degree, Fraction)
    assert isinstance(right_degree, Fraction)
    values = [value(side, problem.at(1.0)) for side in sides]
    if not all(map(math.isfinite, values)) or not values[0] * values[1] > 0:
        return None
    first, second = (replaced(side, Name(name), _ONE) for side in sides)
    form = multiplied(first, inverted(second))
    if right_degree - left_degree != 1:
        form = Apply("pow", (form, Number(1 / (right_degree - left_degree))))
    number = value(form, known)
    if number not in domain or not solves(number, problem):
        return None
    return Outcome((Solution({name: number}, {}, form),))


def degree_in(node: Node, name: str, known: Mapping[str, float]) -> Fraction | str | None:
    """The degree in which an expression is proportional to a positive unknown that may be free; None if it has none.

    With a degree it keeps its sign. With that of zero it has one value, whatever the unknown is.

    >>> from derive.expressions.grammar import parse_expression
    >>> degree_in(parse_expression("a/x/max(a/x, b/x)"), "x", {"a": 6.0, "b": 8.0})
    Fraction(0, 1)
    """

    def degree_of(inner: Node) -> Fraction | str:
        """The degree of a part in the unknown that may be free; a part that is zero has any, an undefined one none."""
        if name not in names_in(inner):
            constant = value(inner, known)
            if constant == 0:
                return ANY_DEGREE
            return Fraction(0) if math.isfinite(constant) else nothing()
        if not isinstance(inner, Apply):
            return Fraction(1)
        degree: Fraction | str = arithmetic.applied(inner, degree_of)
        return degree

    def power(node: Apply, _: Fold) -> Fraction:
        """The degree of a power in the unknown that may be free: that of its base, times the exponent, a number."""
        base, exponent = node.args
        if name in names_in(exponent):
            raise NoElement
        degree, number = degree_of(base), value(exponent, known)
        if not isinstance(degree, Fraction) or not math.isfinite(number):
            raise NoElement
        return degree * Fraction(number)

    arithmetic: Arithmetic[Fraction | str] = Arithmetic(nothing, DEGREE_OF_OPERATION, {"pow": power})
    try:
        return degree_of(node)
    except NoElement:
        return None


# Bounds along intervals


def bounds_over(form: Node, values: Mapping[str, float], spans: Mapping[str, Span], most: int = PARTS) -> Span:
    """The bounds of an expression along the intervals of free unknowns, by at most `most` enclosures."""
    moving = {name: spans[name] for name in names_in(form) if name in spans}
    if all(map(math.isfinite, chain.from_iterable(moving.values()))):
        inside = {name: (low + high) / 2 for name, (low, high) in moving.items()}
        ends = bounds_of_form(form, {**values, **inside}, moving, most)[0]
        if ends[0] <= ends[1]:  # and neither is undefined, as 1/x is at zero
            return ends
    enclosure = enclose(folded(form, {name: x for name, x in values.items() if name not in moving}), moving, "")
    return enclosure.values if enclosure else (-math.inf, math.inf)


def reaching(form: Node, values: Mapping[str, float], name: str, span: Span, domain: Domain, most: int = PARTS) -> Span:
    """The part of a free unknown's interval, cut at its sample points, from which a form can reach a domain."""
    points = points_across(span, values, ())
    for place, end in ((0, span[0]), (-1, span[1])):
        if end == 0:  # for which the sample points have a number next to it, and zero itself would be left out
            points[place] = 0.0
    places = range(len(points) - 1)

    def is_inside(point: float) -> bool:
        return domain.low <= value(form, {**values, name: point}) <= domain.high

    def first_of(places: range) -> int | None:
        """The first of some adjacent pieces of a free unknown's interval from which the form may reach the domain."""
        piece = points[min(places)], points[max(places) + 1]
        if not any(map(is_inside, piece)):  # a number says so at once, where bounds take hundreds
            low, high = bounds_over(form, values, {name: piece}, most)
            if low > domain.high or high < domain.low:
                return None
        if len(places) == 1:
            return places[0]
        half = len(places) // 2
        place = first_of(places[:half])
        return first_of(places[half:]) if place is None else place

    first, last = (first_of(places), first_of(places[::-1])) if places else (None, None)
    if first is None or last is None:
        return span
    return (points[first] if first else span[0]), (span[1] if last == places[-1] else points[last + 1])
