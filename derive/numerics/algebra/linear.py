"""Linear systems, solved by elimination, with rank deficiency distinguished from rounding.

A linear system of full rank has exactly one solution, so only the rank needs proof. It counts as full if each pivot
exceeds 1e-12 of the largest entry of its column, after rows and columns have been scaled. Elimination with partial
pivoting turns an exactly singular matrix into a pivot of about 1e-16 times the growth of the entries, which is small
in practice (Higham, Accuracy and Stability, 2002, chapter 9) and at most doubles with each unknown. Pivots in between
count as singular: rounded coefficients cannot decide.

Where all coefficients are decimals that were typed, a small system is solved in exact fractions, which also tell
whether it is singular and whether it contradicts itself. The solution may lie on the edge of a case, `x <= 0.1`, and
doubles would put it beside.

Libraries do not report which unknowns cancel and which equations contradict each other. The echelon form in exact
fractions is computed here too: FLINT would save less than a millisecond, and its import takes a tenth of a second.

Products of powers of positive unknowns are linear in the logarithms (`product_solutions`). Equations that are sums of
monomials are combined so that common terms go out (`combined`), with each monomial as an unknown of its own: equations
of which a combination leaves a constant alone contradict each other, whatever the unknowns are, and a combination that
leaves nothing shows that they are dependent. Near a large unknown doubles can tell neither from a solution. Known
numbers are exact fractions, and the squares of a cosine are written as those of the sine, so that
`sin(x)**2 + cos(x)**2` is 1 here too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

from derive.errors import Cause
from derive.expressions.arithmetic import UNIT, Monomial, NoElement, Sum, joined, multiplied_out, plus
from derive.expressions.balls import many_digits
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in
from derive.numerics.algebra.constant_folding import (
    SAME_CONSTANT,
    folded,
    folded_in_many_digits,
    is_irrational,
    with_doubles,
)
from derive.numerics.algebra.evaluation import chosen_arm, terms, value
from derive.numerics.algebra.exact_values import are_exact, ball_of, exact_value, folded_ball, order, rationals
from derive.numerics.algebra.like_terms import ZERO, added, coefficients, difference_of, inverted, multiplied, negated
from derive.numerics.algebra.products import Product, product_of
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, BLUR, HANDFUL, RANK
from quantities.domain import Domain
from quantities.rational import nearest

_SWEEPS = 4
_MANY = 60  # number of unknowns from which LAPACK is used
_FEW = 12  # limit on unknowns of a system that is solved in fractions
_LONG = 2000  # bits of a fraction beyond which doubles solve it

Linear = dict[str | None, Node]
"""The factor of each unknown, and under None the constant term."""
_ANY = Domain("real", -math.inf, math.inf)
_MOST = 200  # limit on monomials of an equation
_BLUR, _AGREEMENT = Fraction(BLUR), Fraction(AGREEMENT)  # products of large numbers are beyond doubles


class Solved(NamedTuple):
    """What a linear system comes to: its solutions, whether it is singular, and why there is no solution."""

    points: list[dict[str, float]]
    singular: bool = False
    reason: str = ""
    cause: Cause | None = None


def linear_form(node: Node, unknowns: frozenset[str]) -> Linear | None:
    """An expression as a row of a linear system, a factor for each unknown; None if it is not such a sum.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> form = linear_form(parse_expression("a*(x + 2*y) - b"), frozenset({"x", "y"}))
    >>> {name: render(factor) for name, factor in form.items()}
    {'x': 'a', 'y': 'a*2', None: '-b'}
    """
    factors = coefficients(node, unknowns, 1)
    return None if factors is None else {(key[0] if key else None): factor for key, factor in factors.items()}


def linear_solutions(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Solved | None:
    """The solution of a linear system, whether it is singular, and why there is none; None if it is not linear."""
    forms = linear_forms(equations, frozenset(unknowns))
    if forms is None:
        return None
    rows: list[list[float]] = []
    for form in forms:
        row = [_coefficient(form[name], known) if name in form else 0.0 for name in unknowns]
        row.append(-_coefficient(form.get(None, ZERO), known))
        if any(math.isnan(entry) for entry in row):
            return Solved([], reason="a coefficient is undefined at these numbers")
        rows.append(row)
    exact = _in_fractions(forms, unknowns, known, domains) if len(unknowns) <= _FEW else None
    if exact is not None and are_exact(equations, unknowns, known):
        return exact
    solution = _factored(rows, unknowns, domains) if len(rows) > _MANY else None
    if solution is None:
        solution = eliminated(rows, list(unknowns), domains)
    if exact is None:
        return solution
    # a printed literal may hide that the system is singular
    return exact if solution.points and exact.points else solution


def _outside(values: Mapping[str, float], domains: Mapping[str, Domain]) -> str:
    """Where the solution of a linear system leaves the domains of its unknowns, in words."""
    return ", ".join(f"{name} would be {domains[name].told(x)}" for name, x in values.items() if x not in domains[name])


def _in_fractions(
    forms: Sequence[Linear], unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Solved | None:
    """The exact solution of a linear system, or why it has none; None if a coefficient is no fraction, or too long."""
    given = rationals(names_in(*chain.from_iterable(form.values() for form in forms)), known)
    if given is None:
        return None
    rows = [[exact_value(form.get(name, ZERO), given) for name in (*unknowns, None)] for form in forms]
    if any(None in row for row in rows):
        return None
    zeros = [name for column, name in enumerate(unknowns) if not any(row[column] for row in rows)]
    left = list(rows)
    reduced = _reduced(left, len(unknowns))
    if any(x.numerator.bit_length() + x.denominator.bit_length() > _LONG for x in chain.from_iterable(reduced)):
        return None
    if any(row[-1] for row in left):
        return _contradicting(singular=len(reduced) < len(unknowns))
    if len(reduced) < len(unknowns):
        return _dependent(len(reduced), len(forms), zeros)
    values = {name: nearest(-row[-1]) for name, row in zip(unknowns, reduced, strict=True)}
    return Solved([values], reason=_outside(values, domains))


def _reduced(rows: list[list[Any]], columns: int) -> list[list[Any]]:
    """The reduced echelon form of a matrix of exact numbers: the rows that lead in one of its first columns.

    In `rows` those are left that lead in none of them.
    """
    leading: list[list[Any]] = []
    for column in range(columns):
        lead = next((row for row in rows if row[column]), None)
        if lead is None:
            continue
        rows.remove(lead)
        pivot = [entry / lead[column] for entry in lead]
        for row in (*rows, *leading):
            row[:] = [entry - row[column] * above for entry, above in zip(row, pivot, strict=True)]
        leading.append(pivot)
    return leading


def _factored(rows: list[list[float]], unknowns: Sequence[str], domains: Mapping[str, Domain]) -> Solved | None:
    """The solution of a large linear system by LAPACK; None if the system is too close to singular."""
    import numpy as np

    table = np.array(rows)
    matrix, right = table[:, :-1], table[:, -1]
    columns = np.ones(len(unknowns))
    for _ in range(_SWEEPS):
        for axis in (1, 0):
            largest = np.max(np.abs(matrix), axis=axis)
            scale = np.where(largest > 0, largest, 1.0)
            if axis == 1:
                matrix, right = matrix / scale[:, None], right / scale
            else:
                matrix, columns = matrix / scale, columns / scale
    if not np.linalg.cond(matrix) < 1.0 / RANK:
        return None
    solution = np.linalg.solve(matrix, right)
    solution += np.linalg.solve(matrix, right - matrix @ solution)  # refined once (Wilkinson 1963)
    values = dict(zip(unknowns, (solution * columns + 0.0).tolist(), strict=True))
    outside = [f"{name} would be {x:.6g} (base units)" for name, x in values.items() if x not in domains[name]]
    return Solved([values], reason=", ".join(outside[:_SWEEPS]))


def linear_forms(equations: Sequence[Equation], unknowns: frozenset[str]) -> list[Linear] | None:
    """The equations as linear forms of the unknowns that are zero; None if one is not linear."""
    forms: list[Linear] = []
    for equation in equations:
        form = linear_form(added(_cleared(equation, unknowns), ZERO), unknowns)
        if form is None:
            return None
        forms.append(form)
    return forms


def echelon(equations: Sequence[Equation], unknowns: Sequence[str]) -> list[Equation]:
    """The reduced echelon form, in exact fractions, of those equations that are linear in their unknowns alone.

    >>> from derive.expressions.grammar import parse_equation
    >>> three = [parse_equation(text) for text in ("2*x + y + 3*z = 6", "x + 2*y + 3*z = 9", "x*y*z = 1")]
    >>> [str(row) for row in echelon(three, ["x", "y", "z"])]
    ['x + z + (-1) = 0', 'y + z + (-4) = 0']
    """
    rows = [row for equation in equations if (row := _fractions(equation, unknowns)) is not None]
    if len(rows) < 2:
        return []
    return [Equation(_written(row, unknowns), "=", ZERO) for row in _reduced(rows, len(unknowns))]


def _fractions(equation: Equation, unknowns: Sequence[str]) -> list[Fraction] | None:
    """The coefficients of a linear equation, exactly, and its constant; None if they are not fractions."""
    form = linear_form(difference_of(equation), frozenset(unknowns))
    if form is None:
        return None
    factors = [folded(form.get(name, ZERO), {}) for name in (*unknowns, None)]
    exact = [factor.value for factor in factors if isinstance(factor, Number)]
    return exact if len(exact) == len(factors) else None


def _written(row: Sequence[Fraction], unknowns: Sequence[str]) -> Node:
    """A row of coefficients of a linear system, the constant last, as a sum."""
    shares = [multiplied(Number(factor), Name(name)) for factor, name in zip(row, unknowns, strict=False) if factor]
    return added(*shares, *([Number(row[-1])] if row[-1] else []))


def _coefficient(form: Node, known: Mapping[str, float]) -> float:
    """The value of a linear system's coefficient; zero if its terms cancel up to the rounding of computed numbers."""
    is_zero = len(terms(form)) > 1 and order(form, ZERO, known, chosen_arm).is_tie
    return 0.0 if is_zero else value(form, known)


def _cleared(equation: Equation, unknowns: frozenset[str]) -> Node:
    """The difference of an equation's sides, made linear by multiplying denominators out (`a/b = c` is `a = c*b`)."""
    left, right = equation.sides
    for _ in range(2):
        factors = left.args if isinstance(left, Apply) and left.op == "mul" else (left,)
        below = [f for f in factors if isinstance(f, Apply) and f.op == "inv" and not unknowns.isdisjoint(names_in(f))]
        if below:
            left = multiplied(*(factor for factor in factors if factor not in below))
            right = multiplied(right, *(inverted(factor) for factor in below))
        left, right = right, left
    return added(left, negated(right))


def eliminated(rows: list[list[float]], unknowns: list[str], domains: Mapping[str, Domain]) -> Solved:
    """The solution of a linear system by Gauss-Jordan elimination with partial pivoting, on scaled rows and columns."""
    size = len(unknowns)
    columns = _balanced(rows, size)
    largest = [max(abs(row[column]) for row in rows) or 1.0 for column in range(size)]
    zeros = [not any(row[column] for row in rows) for column in range(size)]
    pivots: list[int] = []
    for column in range(size):
        tick()
        lead = len(pivots)
        best = max(range(lead, len(rows)), key=lambda i: abs(rows[i][column]), default=lead)
        if lead >= len(rows) or abs(rows[best][column]) <= RANK * largest[column]:
            continue
        rows[lead], rows[best] = rows[best], rows[lead]
        pivot = rows[lead][column]
        rows[lead] = [entry / pivot for entry in rows[lead]]
        for i, row in enumerate(rows):
            if i != lead and row[column]:
                factor = row[column]
                rows[i] = [entry - factor * above for entry, above in zip(row, rows[lead], strict=True)]
        pivots.append(column)
    if len(pivots) < size:
        size_of_right = max((abs(row[-1]) for row in rows), default=0.0) or 1.0
        if any(abs(row[-1]) > AGREEMENT * size_of_right for row in rows[len(pivots) :]):
            return _contradicting()
        cancelled = [name for name, zero in zip(unknowns, zeros, strict=True) if zero]
        return _dependent(len(pivots), len(rows), cancelled)
    values = {name: rows[i][-1] * columns[i] + 0.0 for i, name in enumerate(unknowns)}
    return Solved([values], reason=_outside(values, domains))


def solved(rows: list[list[float]], rank: float) -> list[float] | None:
    """The solution of a square linear system by elimination, the right sides last in its rows; None if it is singular.

    The rows are eliminated in place.
    """
    size = len(rows)
    for column in range(size):
        best = max(range(column, size), key=lambda i: abs(rows[i][column]))
        if abs(rows[best][column]) < rank:
            return None
        rows[column], rows[best] = rows[best], rows[column]
        pivot = rows[column]
        for row in rows[column + 1 :]:
            factor = row[column] / pivot[column]
            for k in range(column, size + 1):
                row[k] -= factor * pivot[k]
    result = [0.0] * size
    for i in range(size - 1, -1, -1):
        later = sum(rows[i][k] * result[k] for k in range(i + 1, size))
        result[i] = (rows[i][size] - later) / rows[i][i]
    return result


def _contradicting(*, singular: bool = True) -> Solved:
    """What a linear system comes to whose equations contradict each other."""
    return Solved([], singular, "the equations contradict each other", Cause.CONTRADICTION)


def _dependent(rank: int, equations: int, cancelled: Sequence[str]) -> Solved:
    """What a linear system comes to that lacks rank: some unknowns cancel, or equations are dependent."""
    if rank + len(cancelled) == equations:
        verb = "cancels" if len(cancelled) == 1 else "cancel"
        return Solved([], True, f"{' and '.join(cancelled)} {verb}", Cause.CANCELLATION)
    return Solved([], True, "the equations are dependent")


def _balanced(rows: list[list[float]], size: int) -> list[float]:
    """Scale the rows and columns of a linear system until entries are near one; returns each unknown's factor.

    Coefficients of different units may differ by twenty digits, which says nothing about rank (Curtis and Reid 1972
    do the same by least squares of logarithms).
    """
    columns = [1.0] * size
    for _ in range(_SWEEPS):
        tick()
        for row in rows:
            scale = _scale(row[:-1])
            row[:] = [entry / scale for entry in row]
        for column in range(size):
            scale = _scale([row[column] for row in rows])
            columns[column] /= scale
            for row in rows:
                row[column] /= scale
    return columns


def _scale(entries: Sequence[float]) -> float:
    """The scale of a row or column of a linear system: the geometric mean of its extreme entries that are not zero."""
    sizes = [abs(entry) for entry in entries if entry]
    return math.sqrt(max(sizes)) * math.sqrt(min(sizes)) if sizes else 1.0


def product_solutions(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Solved | None:
    """The solution, linear in logarithms, of equations between products of positive unknowns; None of others.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> pair = [parse_equation("x**2*y = a"), parse_equation("x = sqrt(y)")]
    >>> solved = product_solutions(pair, ["x", "y"], {"a": 16.0}, {"x": positive, "y": positive})
    >>> [round(number, 12) for number in solved.points[0].values()]
    [2.0, 4.0]
    """
    if any(domains[name].low < 0 or 0.0 in domains[name] for name in unknowns):
        return None
    ratios = [_ratio_of_sides(equation, unknowns, known) for equation in equations]
    products = [ratio for ratio in ratios if ratio is not None]
    if len(products) < len(ratios):
        return None
    rows = [_row(ratio, unknowns, known) for ratio in products]
    logarithmic = eliminated(rows, list(unknowns), dict.fromkeys(unknowns, _ANY))
    if logarithmic.singular and are_exact(equations, unknowns, known) and _contradict(products, unknowns, known):
        return _contradicting()
    logarithms = logarithmic.points
    if any(abs(logarithm) > 700 for logarithm in chain.from_iterable(point.values() for point in logarithms)):
        return None  # such a number may be beyond all doubles
    points = [{name: math.exp(logarithm) for name, logarithm in point.items()} for point in logarithms]
    reason = logarithmic.reason or ", ".join(_outside(point, domains) for point in points)
    return logarithmic._replace(points=points, reason=reason)


def _ratio_of_sides(equation: Equation, unknowns: Sequence[str], known: Mapping[str, float]) -> Product | None:
    """An equation as a product of positive factors that is one, to be linear in logarithms; None if it is none."""

    def is_positive(base: Node) -> bool:
        if isinstance(base, Name) and base.name in unknowns:
            return True
        return known.keys() >= {*names_in(base)} and value(base, known) > 0

    left, right = (product_of(side, is_positive) for side in equation.sides)
    if not (left.number > 0 and right.number > 0 and all(map(is_positive, (*left.powers, *right.powers)))):
        return None
    inverse = right.to(Fraction(-1))
    return None if inverse is None else left.times(inverse)


def _exponents(ratio: Product, unknowns: Sequence[str]) -> tuple[list[Fraction], dict[Node, Fraction]]:
    """The row of a product in the linear system of logarithms: the unknowns' exponents; and those of other factors."""
    names = [Name(name) for name in unknowns]
    others = {base: exponent for base, exponent in ratio.powers.items() if base not in names}
    return [ratio.powers.get(name, Fraction(0)) for name in names], others


def _row(ratio: Product, unknowns: Sequence[str], known: Mapping[str, float]) -> list[float]:
    """A product that is one as a linear equation of logarithms: the exponents of unknowns, and the right side."""
    exponents, others = _exponents(ratio, unknowns)
    logs = [math.log(ratio.number), *(float(e) * math.log(value(base, known)) for base, e in others.items())]
    constant = math.fsum(logs)
    if abs(constant) <= HANDFUL * (1 + math.fsum(map(abs, logs))):  # a product that is one, up to rounding
        constant = 0.0
    return [*map(float, exponents), -constant]


@many_digits()
def _contradict(products: Sequence[Product], unknowns: Sequence[str], known: Mapping[str, float]) -> bool:
    """Whether products that are one, linear in the logarithms of their unknowns, contradict each other, by balls."""
    from flint import arb, fmpq

    numbers = {name: ball_of(number) for name, number in known.items()}
    rows = []
    for product in products:
        exponents, others = _exponents(product, unknowns)
        constant = arb(fmpq(product.number.numerator, product.number.denominator)).log()
        for base, exponent in others.items():
            power = fmpq(exponent.numerator, exponent.denominator)
            constant += folded_ball(base, numbers, known, chosen_arm).log() * power
        rows.append([*(fmpq(exponent.numerator, exponent.denominator) for exponent in exponents), constant])
    _reduced(rows, len(unknowns))
    return any(not row[-1].contains(0) for row in rows)


@dataclass(frozen=True, slots=True)
class ReducedEquations:
    """What is left of each equation less multiples of others, and whether the equations contradict each other."""

    equations: tuple[Equation | None, ...]  # None where nothing with an unknown is left
    degrees: tuple[tuple[int, int], ...]  # of each equation, before and after
    contradict: bool


def combined(equations: Sequence[Equation], known: Mapping[str, float]) -> ReducedEquations | None:
    """Eliminate monomials as a linear system its unknowns, the highest first; None if there are too many monomials.

    >>> from derive.expressions.grammar import parse_equation
    >>> def of(*texts):
    ...     result = combined([parse_equation(text) for text in texts], {})
    ...     return [str(equation) for equation in result.equations], result.contradict
    >>> of("x**2 + y = 2", "2*x**2 + 2*y = 3")[1], of("sin(x)**2 + y = 2", "cos(x)**2 = y")[1]
    (True, True)
    >>> of("x**2 + y = 2", "(x**2 + y)*3 = 6")
    (['x**2 + y + (-2) = 0', 'None'], False)
    >>> of("x**3 + x = y", "x**3 + y = 4")[0][1]
    '2*y + (-1)*x + (-4) = 0'
    """
    sums = (_sum_of(folded_in_many_digits(difference_of(equation), known)) for equation in equations)
    before = [row for row in sums if row is not None and len(row) <= _MOST]
    if len(before) < len(equations):
        return None
    rows = [dict(row) for row in before]
    sizes = [{key: abs(share) for key, share in row.items()} for row in before]
    for equation, size in zip(equations, sizes, strict=True):  # constants that cancelled leave rounding, not a number
        all_terms = chain.from_iterable(map(terms, equation.sides))
        total = sum(abs(value(term, known)) for term in all_terms if {*names_in(term)} <= known.keys())
        size[UNIT] = Fraction(total) if isfinite(total) else size.get(UNIT, Fraction(0))
    is_exact = are_exact(equations, {*names_in(*equations)} - known.keys(), known)
    shares = chain.from_iterable(row.values() for row in before)
    digits = SAME_CONSTANT if any(map(is_irrational, shares)) else Fraction(0)  # to which exact numbers are known
    blur = digits if is_exact else _BLUR
    pending = [*range(len(rows))]
    while pending:
        lead = max(filter(None, chain.from_iterable(rows[i] for i in pending)), key=_height, default=None)
        if lead is None:
            break
        pivot = next(i for i in pending if lead in rows[i])
        pending.remove(pivot)
        for i in pending:
            if lead in rows[i]:
                share = rows[i][lead] / rows[pivot][lead]
                rows[i], sizes[i] = _without(rows[i], sizes[i], share, rows[pivot], sizes[pivot], blur)
                rows[i].pop(lead, None)
    agreement = digits if is_exact else _AGREEMENT
    contradict = any(abs(rows[i].get(UNIT, 0)) > agreement * sizes[i].get(UNIT, 0) for i in pending)
    remaining = (
        None if i in pending else Equation(with_doubles(_sum_written(row)), "=", ZERO) for i, row in enumerate(rows)
    )
    return ReducedEquations(
        tuple(remaining), tuple(zip(map(_degree, before), map(_degree, rows), strict=True)), contradict
    )


def _degree(row: Sum) -> int:
    """The highest degree in a row of the linear system in monomials; two for a part that is no power of a name."""
    return max((sum(abs(power) if isinstance(part, Name) else 2 for part, power in key) for key in row), default=0)


def _without(row: Sum, sizes: Sum, share: Fraction, other: Sum, other_sizes: Sum, blur: Fraction) -> tuple[Sum, Sum]:
    """A row of the linear system in the monomials, less a share of the pivot's row, and the sizes of its terms."""
    grown = {key: sizes.get(key, 0) + abs(share) * other_sizes.get(key, 0) for key in {*sizes, *other_sizes}}
    difference = {key: row.get(key, 0) - share * other.get(key, 0) for key in {*row, *other}}
    return {key: factor for key, factor in difference.items() if abs(factor) > blur * grown[key]}, grown


def _height(monomial: Monomial) -> tuple[int, int, str]:
    """The key by which the linear system's monomials are eliminated: the greatest first, one of the highest degree."""
    return sum(abs(power) for _, power in monomial), len(monomial), str(sorted(map(str, monomial)))


def _sum_of(node: Node) -> Sum | None:
    """An expression as a row of the linear system in monomials, without squared cosines; None if it has too many."""
    try:
        total = multiplied_out(node, lambda part: part, _MOST)
        while (square := next(filter(None, map(_squared_cosine, total)), None)) is not None:
            monomial, angle = square
            factor = total.pop(monomial)
            cofactor = joined(monomial, {Apply("cos", angle): -2})  # times cos**2, which is 1 - sin**2
            for share, key in ((factor, cofactor), (-factor, joined(cofactor, {Apply("sin", angle): 2}))):
                total = plus(total, {key: share})
    except NoElement:
        return None
    return total


def _squared_cosine(monomial: Monomial) -> tuple[Monomial, tuple[Node, ...]] | None:
    """A monomial of the linear system, if a cosine is squared in it, and the cosine's argument."""
    for part, power in monomial:
        if isinstance(part, Apply) and part.op == "cos" and power >= 2:
            return monomial, part.args
    return None


def _sum_written(row: Sum) -> Node:
    """A row of the linear system in monomials written as an expression, the highest monomial first."""
    summands = []
    for key in sorted(row, key=_height, reverse=True):
        factors = [_power(part, power) for part, power in sorted(key, key=str)]
        if row[key] != 1 or not factors:
            factors.insert(0, Number(row[key]))
        summands.append(multiplied(*factors))
    return added(*summands)


def _power(part: Node, power: int) -> Node:
    """A power in the row of a linear system, as an expression; an inverse is not simplified, as it may be undefined."""
    if power == 1:
        return part
    return Apply("pow", (part, Number(Fraction(power)))) if power > 0 else Apply("inv", (_power(part, -power),))
