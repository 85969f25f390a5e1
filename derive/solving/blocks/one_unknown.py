"""One relation with one unknown: every admissible value.

The unknown is isolated if possible and searched for if not. A closed form is a candidate until it has been put back
into the relation; if all candidates lie outside the domain, there is no solution. A value that satisfies the relation
only because it cancels there is reported as an interval.

An outcome without a caveat claims that no solution is missing. It is proved in one of two ways:

- The unknown was isolated. Each operation around it was undone with all its inverses (both signs of an even power,
  both arcs of an angle and every turn of it within the domain, each arm of a choice), so every solution is a
  candidate, except on an interval along which an arm without the unknown binds. Such an interval exists only where
  the equation with that arm in place is zero everywhere (`free_unknowns.may_cancel`); if that is possible, the domain
  is searched.
- It was searched for, and `Roots.proved` says that every place at which the sides may meet has been settled. The
  theory of this stands above `univariate_branch_and_prune` and `roots`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise

from derive.expressions.functions import STEPPED, TABLE
from derive.expressions.tree import (
    Apply,
    Equation,
    Name,
    Node,
    Number,
    has_operation,
    names_in,
    operations,
    replaced,
    with_forms,
)
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import chosen_arm, residual, value
from derive.numerics.algebra.exact_values import is_at_end, is_known
from derive.numerics.algebra.isolation import TURNS, Candidate, isolate, leaves_out, unwound
from derive.numerics.algebra.like_terms import SWITCHES, ZERO, at_zeros, difference_of, negated, occurrences
from derive.numerics.algebra.multiprecision import gap_of, is_cancelled, overflows, sign_of_gap
from derive.numerics.algebra.piecewise_rationals import ExactSolutions, exact_solutions
from derive.numerics.algebra.polynomials import Polynomial, ratio_of
from derive.numerics.algebra.stepped_equations import solutions_by_steps
from derive.numerics.intervals.arithmetic import lies_in, point_box
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.roots import Roots, roots_of
from derive.numerics.root_finding.tails import without_tails
from derive.numerics.root_finding.univariate_branch_and_prune import joined, one_turn, recurs, turn_in_words
from derive.solving.assumptions import Assumption
from derive.solving.blocks.form_numbers import numbers_of, value_of_form, with_value, without_noise
from derive.solving.blocks.free_unknowns import (
    CHOICES,
    agrees_at_samples,
    by_proportion,
    edges_of,
    has_choice,
    has_pieces,
    holds_everywhere,
    level_spans,
    may_cancel,
    parts_with_values,
    points_of,
    ties_of,
)
from derive.solving.blocks.outcome import (
    AGREES_AT_SAMPLES,
    ENCLOSED,
    NEVER,
    OTHERS_MAY_EXIST,
    Outcome,
    Solution,
    everywhere,
    repeats,
    where_defined,
)
from derive.solving.blocks.sample_points import is_narrow, middle, points_of_all_sizes, runs
from derive.solving.blocks.system import agrees, solves
from derive.tolerances import AGREEMENT, LARGEST, LAST_DIGIT, MET, NEGLIGIBLE, SAME_MULTIPLE, SAME_ROOT, SMALLEST
from quantities.domain import Domain
from quantities.rational import Rational, written

_LIMITED = ("abs", "sqrt", "pow", "asin", "acos", "atan", "acosh", "lambertw", *CHOICES)
"""Operations that do not come to every number, and whose inverse takes other numbers too."""
_ONE_TO_ONE = frozenset(
    name for name, entry in TABLE.items() if entry.shape == "monotone" and entry.is_everywhere and entry.turn is None
)
"""Functions of every number that rise throughout."""
_WHOLE = Name("a whole number")  # stands for what is rounded; no library declares such a name
_MORE_STEPS = Assumption("there may be others, for further numbers of steps of what is rounded", "unproved")
_NOWHERE_FOUND = "no number was found in its domain at which the two sides meet"
_HANGING_ON_DIGITS = Outcome((), reason="whether it has a value hangs on digits that are not known", undecided=True)
_REACHES = tuple(4.0**power for power in range(10, -2, -1))
"""How far from zero roundings are looked at exactly."""
_PROOF = "no other root{sizes}: proved by interval arithmetic"


def values_of(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Outcome:
    """Every admissible value of the one unknown of an equation: those in its domain for which the equation holds.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> outcome = values_of(parse_equation("x**2 = y"), "x", {"y": 9.0}, positive)
    >>> [dict(solution.values) for solution in outcome.solutions]
    [{'x': 3.0}]
    """
    return solutions_of(OneUnknown(equation, name, known, domain))


def solutions_of(problem: OneUnknown) -> Outcome:
    """Every solution of an equation with one unknown in its domain, by closed forms or a search for roots."""
    low, high = problem.domain.ends
    if low == high and solves(low, problem):  # there is no interval to search
        return Outcome((Solution({problem.name: low}, {}),))
    problem = without_tails(problem)
    outcome = _outcome_in_domain(problem)
    if not outcome.solutions:
        return _outcome_at_ties(problem) or outcome
    if not any(solution.spans for solution in outcome.solutions):
        return outcome
    edges, are_all = edges_of(problem.equation, problem.name, points_of(problem), problem.domain, solutions_of)
    cut = (_within_parts(solution, problem, edges, are_all=are_all) for solution in outcome.solutions)
    solutions = tuple(chain.from_iterable(cut))
    if not solutions:
        return Outcome((), reason=_why_not((), problem))
    return replace(outcome, solutions=solutions, caveat=outcome.caveat or (None if are_all else ENCLOSED))


def _outcome_at_ties(problem: OneUnknown) -> Outcome | None:
    """The values of one unknown at ends of arms, if a given is rounded: it may have moved the root out of its arm."""
    if problem.is_exact:
        return None
    values = [x for x in _ties(problem) if x in problem.domain and solves(x, problem)]
    return Outcome(tuple(Solution({problem.name: x}, {}) for x in values), OTHERS_MAY_EXIST) if values else None


def _within_parts(solution: Solution, problem: OneUnknown, edges: Sequence[float], *, are_all: bool) -> list[Solution]:
    """The solution for one unknown without numbers of its domain at which a side has no value, as several intervals."""
    span = solution.spans.get(problem.name)
    parts: Sequence[Span] = ()
    if span == problem.domain.ends and edges and are_all:
        parts = parts_with_values(problem.equation, problem.name, points_of(problem), problem.domain, edges)
    if not parts and span is not None:
        defined = where_defined(solution, problem)
        if defined is None:
            return []
        low, high = (_at_edge(end, edges) for end in defined.spans[problem.name])
        return [replace(defined, spans={problem.name: (low, high)})]
    if not parts:
        return [solution]
    is_whole = solution.is_whole and len(parts) == 1
    return [replace(solution, spans={problem.name: part}, is_whole=is_whole) for part in parts]


def _at_edge(end: float, edges: Iterable[float]) -> float:
    """The end of an interval for one unknown, or the edge of what has values if only bisection keeps them apart."""
    for edge in edges:
        if math.isclose(end, edge, rel_tol=SAME_ROOT) or (edge == 0 and abs(end) <= SMALLEST):
            return edge
    return end


def _outcome_in_domain(problem: OneUnknown) -> Outcome:
    """The outcome for one unknown, where intervals may hold numbers at which the sides have no value."""
    exact = _exact_outcome(problem)
    if exact is not None:
        return exact
    equation, name, known = problem.equation, problem.name, problem.known
    candidates = isolate(equation, name)
    if candidates is None:
        return _searched(problem)
    for power in chain.from_iterable(candidate.powers for candidate in candidates):
        if occurrences(power.args[1], name) and value(power.args[0], known) < 0:
            return _by_whole_exponents(problem, power)
        if _may_have_negative_base(power, problem):
            return _searched(problem)
    winds = any(candidate.winds for candidate in candidates)
    turn = one_turn(equation, name, known, problem.domain) if winds else None
    solutions: list[Solution] = []
    for candidate in candidates:
        for computed, form in numbers_of(problem, candidate, turn):
            is_sure = is_known(computed) or problem.exact_givens is not None
            number = with_value(problem, computed if is_sure else without_noise(problem, computed))
            is_new = number in problem.domain and not repeats({name: number}, solutions, SAME_ROOT)
            is_solution = is_new and solves(number, problem) and _satisfies_exactly(form, problem)
            if is_solution and not _is_of_other_arm(candidate, problem, number):
                solutions.append(Solution({name: number}, {}, form))
    solutions = _with_double_roots_merged([*solutions, *_at_single_numbers(problem, solutions)], problem)
    if may_cancel(problem, [solution.values[name] for solution in solutions]):
        with_intervals = _outcome_with_intervals(problem, solutions)
        if with_intervals is not None:
            return with_intervals
    if turn is None and has_choice(equation, name):
        along_arms = _outcome_along_arms(problem, solutions)
        if along_arms is not None:
            return along_arms
    return _outcome_of_candidates(problem, solutions, candidates, turn)


def _exact_outcome(problem: OneUnknown) -> Outcome | None:
    """The outcome for one unknown that cancels, or that exact numbers give piece by piece; None where neither is so."""
    if _is_multiplied_by_zeros(problem):
        return everywhere(problem)
    may_cancel_out = ZERO in problem.sides or problem.occurrences != 1 or has_choice(problem.equation, problem.name)
    if may_cancel_out or any(problem.around(STEPPED)):
        between = _between_arguments(problem.equation)
        for solutions_in_domain in (exact_solutions, solutions_by_steps):
            exact = solutions_in_domain(between, problem.name, problem.known, problem.domain)
            if exact is not None:
                return _outcome_of_exact_solutions(exact, problem)
    return _outcome_where_it_cancels(problem) if may_cancel_out else None


def _between_arguments(equation: Equation) -> Equation:
    """The relation to solve for one unknown, without a function on both sides, if that takes no value twice.

    >>> str(_between_arguments(Equation(Apply("erf", (Name("x"),)), "=", Apply("erf", (Name("y"),)))))
    'x = y'
    """
    left, right = equation.sides
    while isinstance(left, Apply) and isinstance(right, Apply) and left.op == right.op in _ONE_TO_ONE:
        (left,), (right,) = left.args, right.args
    return Equation(left, equation.op, right)


def _is_of_other_arm(candidate: Candidate, problem: OneUnknown, number: float) -> bool:
    """Whether a candidate for one unknown clearly fails a comparison under which its form holds: another arm binds.

    The sides may agree all the same where a function is level: `erf(15.4)` and `erf(29.4)` are 1 to a hundred digits.
    A comparison of givens alone, as of what stands under a root, may fail by their rounding.
    """
    values = problem.at(number)
    for condition in operations(*candidate.conditions, among=("lt", "le", "gt", "ge")):
        is_whole = condition in candidate.conditions  # and no part of a longer one
        if is_whole and problem.name in condition.names and TURNS.name not in condition.names:
            gap = residual(Equation(condition.args[0], "=", condition.args[1]), values)
            if (gap if condition.op in ("lt", "le") else -gap) > AGREEMENT:
                return True
    return False


def _satisfies_exactly(form: Node, problem: OneUnknown) -> bool:
    """Whether a candidate for one unknown, put back into its relation, holds to many digits if no number is rounded.

    The inverse of a root or an absolute value also takes what these never come to: `sqrt(x) + 2 = 1.9999999999` gives
    1e-20, and there the sides differ by 2e-10.
    """
    if not problem.is_exact or not any(problem.around(_LIMITED)):
        return True
    put_in = problem.equation.changed(partial(replaced, old=Name(problem.name), new=form))
    return not abs(gap_of(put_in, problem.known)) > NEGLIGIBLE  # also where a side is undefined


def _outcome_of_exact_solutions(exact: ExactSolutions, problem: OneUnknown) -> Outcome:
    """The outcome of exact solutions for one unknown, with the closed forms of those that have one."""
    candidates = isolate(problem.equation, problem.name) or ()
    forms = [*chain.from_iterable(numbers_of(problem, candidate, None) for candidate in candidates)]
    solutions: list[Solution] = []
    for x in exact.points:
        form = next((form for number, form in forms if math.isclose(x, number, rel_tol=SAME_ROOT)), None)
        proof = _PROOF.format(sizes="") if form is None and exact.are_all else ""
        solutions.append(Solution({problem.name: x}, {}, form, proof))
    is_whole = len(exact.spans) == 1 and not exact.points
    solutions += (Solution({}, {problem.name: span}, is_whole=is_whole) for span in exact.spans)
    if solutions:
        return Outcome(tuple(solutions), None if exact.are_all else _MORE_STEPS)
    if not exact.are_all:
        return Outcome((), reason=_NOWHERE_FOUND, cause=NEVER.cause, undecided=True)
    numerator = _exact_numerator(problem)
    if not candidates or (numerator is not None and numerator.degree() < 1):
        return NEVER
    numbers = [value(candidate.form, problem.known) for candidate in candidates]
    return Outcome((), reason=_why_not([*filter(math.isfinite, numbers)], problem))


def _is_multiplied_by_zeros(problem: OneUnknown) -> bool:
    """Whether zeros multiply the one unknown wherever it stands, and what is left of the sides agrees: it is anything.

    A closed form divides by such a zero: that of `a*exp(x) = a*b` is log(b).
    """
    if not any(_may_have_zero_factor(product, problem) for product in problem.around(("mul",))):
        return False
    left, right = (folded(at_zeros(folded(side, problem.givens), ()), {}) for side in problem.sides)
    points = points_of_all_sizes(*problem.domain.ends)
    return left == right and any(problem.meets(x) or problem.vanishes(x) for x in points)


def _may_have_zero_factor(product: Apply, problem: OneUnknown) -> bool:
    """Whether a product around the one unknown may have a factor that is zero at the known numbers, exactly."""
    others = [factor for factor in product.args if problem.name not in names_in(factor)]
    return any(value(factor, problem.known) == 0 or has_operation(factor, among=("add",)) for factor in others)


def _outcome_where_it_cancels(problem: OneUnknown) -> Outcome | None:
    """The outcome where the one unknown cancels, or both sides are proportional to its powers; None elsewhere."""
    numerator = _exact_numerator(problem)
    if numerator is not None and numerator.degree() < 1:
        return NEVER if numerator else everywhere(problem)
    left, right = (folded(side, problem.givens) for side in problem.sides)
    if left == right:  # numbers at which both have values need not be among the points that are tried
        return everywhere(problem)
    if not problem.occurrences and problem.meets_beside_givens(middle(problem.domain.ends)):
        return everywhere(problem)  # in doubles its irrational constants may differ
    proportional = by_proportion(problem)
    if proportional is not None:
        return proportional
    return _outcome_of_samples(problem)


def _outcome_of_samples(problem: OneUnknown) -> Outcome | None:
    """The outcome for one unknown that cancels by samples, if no form shows it; None if it does not."""
    is_shown = problem.form == ZERO if problem.is_exact else holds_everywhere(problem)
    if is_shown:
        return everywhere(problem)
    if not agrees_at_samples(problem, solutions_of):
        return None
    return replace(everywhere(problem), caveat=AGREES_AT_SAMPLES)


def _exact_numerator(problem: OneUnknown) -> Polynomial | None:
    """The exact numerator of the difference of the sides, a polynomial in the one unknown; None if it is not exact.

    Of `5 = b*x - a*x` at a = b it is the number 5, and no x satisfies that. Doubles would leave a slope of rounding.
    """
    given = problem.exact_givens
    if given is None or has_choice(problem.equation, problem.name):
        return None
    gap = difference_of(problem.equation)
    ratio = ratio_of(with_forms(gap, {other: Number(number) for other, number in given.items()}), problem.name)
    return None if ratio is None else ratio[0]


def _at_single_numbers(problem: OneUnknown, solutions: Sequence[Solution]) -> list[Solution]:
    """Further solutions for the one unknown at its domain's ends, and at numbers that a condition singles out.

    An arm without the unknown may bind there only.
    """
    name, domain = problem.name, problem.domain
    if not has_choice(problem.equation, name):
        return []
    tried = [end for end in domain.ends if math.isfinite(end)]
    for condition in operations(*problem.sides, among=("eq", "ne")):
        others = [side for side in condition.args if side != Name(name)]
        if len(others) == 1 and name not in names_in(*others):
            tried.append(value(others[0], problem.known))
    inside = [x for x in dict.fromkeys(tried) if x in domain]
    roots = [x + 0.0 for x in inside if problem.residual(x) == 0 and problem.meets_beside_givens(x)]
    return [Solution({name: x}, {}) for x in roots if not repeats({name: x}, solutions, SAME_ROOT)]


def _outcome_along_arms(problem: OneUnknown, solutions: Sequence[Solution]) -> Outcome | None:
    """The outcome for one unknown whose relation holds along an arm within rounding; None without such intervals."""
    name, holds = problem.name, partial(problem.meets, tolerance=MET)
    roots = sorted(solution.values[name] for solution in solutions)
    points = [*map(middle, pairwise(roots)), *(0.5 * root for root in roots), *(2.0 * root for root in roots)]
    meeting = [x for x in points if x in problem.domain and holds(x) and problem.meets_beside_givens(x)]
    seeds = [x for x in meeting if is_cancelled(problem.equation, name, problem.at(x))]
    if not seeds:
        return None
    spans = runs(holds, problem.domain.ends, problem.known, seeds)
    wide = [span for span in spans if any(_is_inside(x, span) for x in seeds) and not is_narrow(span)]
    isolated = [solution for solution in solutions if not any(_is_inside(solution.values[name], span) for span in wide)]
    return Outcome((*isolated, *(Solution({}, {name: span}) for span in wide)))


def _outcome_of_candidates(
    problem: OneUnknown, solutions: Sequence[Solution], candidates: Sequence[Candidate], turn: Domain | None
) -> Outcome:
    """The outcome of closed forms for one unknown: those candidates that are solutions, or why none of them is."""
    within = turn_in_words(turn.low, turn.high, turn) if turn else ""
    if solutions:
        return Outcome(tuple(solutions), Assumption(within, "one turn") if within else None)
    between = _between_arguments(problem.equation)
    if between != problem.equation:  # next to where a function is level, its inverse may have no number
        return solutions_of(replace(problem, equation=between))
    if _may_have_other_roots(problem, candidates):
        return _searched(problem)
    if _exact_numerator(problem) == 0:
        return everywhere(problem)
    forms = [unwound(candidate.form, 0) for candidate in candidates]
    if not problem.is_exact and any(is_at_end(form, problem.known, chosen_arm) for form in forms):
        return _HANGING_ON_DIGITS
    if any(overflows(form, problem.known) for form in forms):
        return Outcome((), reason="it exceeds the range of double precision", undecided=True)
    values = {**problem.known, TURNS.name: 0.0}
    numbers = [value_of_form(problem, values, candidate.form) for candidate in candidates]
    finite = [without_noise(problem, number) for number in numbers if math.isfinite(number)]
    reason = _why_not(finite, problem)
    if turn is None:
        return Outcome((), reason=reason)
    shows_all = recurs(problem.equation, problem.name, problem.known, (turn.low, turn.high))
    return Outcome((), reason=f"{reason}; it was {within}", undecided=bool(finite) and not shows_all)


def _may_have_other_roots(problem: OneUnknown, candidates: Sequence[Candidate]) -> bool:
    """Whether one unknown that occurs in several places may have roots besides its closed forms."""
    if problem.occurrences < 2:
        return False
    if not candidates or any(problem.around(SWITCHES)):
        return True  # an arm without the name has no candidate
    numbers = [value(candidate.form, problem.known) for candidate in candidates if not candidate.winds]
    outside = [x for x in numbers if x == x and x not in problem.domain and solves(x, problem)]
    return len(outside) < len(candidates)


def _may_have_negative_base(power: Apply, problem: OneUnknown) -> bool:
    """Whether an integer power may have a negative base, which the closed form of one unknown leaves out."""
    if occurrences(power.args[1], problem.name):
        return False
    spans = {**point_box(problem.known), problem.name: problem.domain.ends}
    return value(power.args[1], problem.known).is_integer() and leaves_out([power], spans)


def _with_double_roots_merged(solutions: Sequence[Solution], problem: OneUnknown) -> list[Solution]:
    """The solutions for one unknown, with two that rounded givens alone keep apart merged to a double root between."""
    if len(solutions) < 2 or problem.exact_givens is not None:
        return [*solutions]
    name = problem.name
    kept: list[Solution] = []
    for solution in sorted(solutions, key=lambda solution: solution.values[name]):
        low, high = (kept[-1] if kept else solution).values[name], solution.values[name]
        between = low / 2 + high / 2
        is_close = kept and math.isclose(low, high, rel_tol=SAME_MULTIPLE)
        if is_close and problem.strain_of_givens(between) <= LAST_DIGIT:
            kept[-1] = Solution({name: between}, {})
        else:
            kept.append(solution)
    return kept if len(kept) < len(solutions) else [*solutions]


def _searched(problem: OneUnknown) -> Outcome:
    """The values of one unknown by a search: roots that satisfy the relation, and intervals where it cancels."""
    roots = roots_of(problem)
    values = [without_noise(problem, x) for x in roots.values]
    roots = replace(roots, values=tuple(x for x in values if x in problem.domain))
    sound = tuple(x for x in roots.values if solves(x, problem) and not _is_missed_at_edge(x, problem))
    if len(sound) < len(roots.values):  # a number that fails the equation to nine digits may be a rounded root
        roots = replace(roots, proved=False)
    may_be_free = not roots.proved or (not problem.is_exact and has_pieces(problem.equation, problem.name))
    if roots.plateaus or (may_be_free and may_cancel(problem, sound)):
        roots = _with_levels(roots, problem)
        sound = tuple(x for x in sound if x in roots.values)
    roots = replace(roots, values=sound)
    if not roots.proved and any(problem.around(STEPPED)):
        roots = _with_exact_ones(roots, problem)
    elif not roots.proved and not problem.is_exact:
        roots = _with_those_of_doubles(roots, problem)
    outcome = _outcome_of_roots(roots, problem)
    if outcome.undecided and _falls_between_steps(problem):
        return Outcome((), reason="what is rounded there would have to come to a number that is not whole")
    return outcome


def _with_those_of_doubles(roots: Roots, problem: OneUnknown) -> Roots:
    """The roots of one unknown that a search found, and those that it has with the doubles of rounded givens, exactly.

    An arm without the unknown, as `abs(x - a) - x` has beyond a, looks to a search as if it might hold far out.
    """
    rounded = {name: x for name, x in problem.known.items() if not is_known(x) and math.isfinite(x)}
    doubles = {name: Rational(Fraction(x)) for name, x in rounded.items()}
    exact = exact_solutions(problem.equation, problem.name, {**problem.known, **doubles}, problem.domain)
    points = () if exact is None else tuple(float(x) for x in exact.points)
    searched = [Solution({problem.name: x}, {}) for x in roots.values]
    more = [x for x in points if solves(x, problem) and not repeats({problem.name: x}, searched)]
    return replace(roots, values=tuple(sorted((*roots.values, *more)))) if more else roots


def _with_exact_ones(roots: Roots, problem: OneUnknown) -> Roots:
    """What exact numbers show of one unknown where its steps are few, and beyond that what a search found.

    Roundings step without end, far from zero or towards it, and a search goes past many roots, as past those of
    `floor(x)/x = 1`.
    """
    for near in _parts_with_few_steps(problem.domain):
        exact = exact_solutions(problem.equation, problem.name, problem.known, near)
        if exact is None:
            continue
        beyond = [(low, min(high, near.low)) for low, high in roots.plateaus if low < near.low]
        beyond += [(max(low, near.high), high) for low, high in roots.plateaus if high > near.high]
        at_edges = [span for span in exact.spans if not {near.low, near.high}.isdisjoint(span)]
        spans = [*(span for span in exact.spans if span not in at_edges), *joined([*beyond, *at_edges])]
        values = {*exact.points, *(x for x in roots.values if not near.low <= x <= near.high)}
        outside = (x for x in values if not any(_is_inside(x, span) for span in spans))
        return replace(roots, values=tuple(sorted(outside)), plateaus=tuple(sorted(spans)))
    return roots


def _parts_with_few_steps(domain: Domain) -> Iterator[Domain]:
    """Parts of one unknown's domain in which roundings may have few steps: around zero, else those beside it."""
    around = [(-reach, reach) for reach in _REACHES]
    beside = [(1 / reach, reach) for reach in _REACHES]
    for low, high in (*around, *beside):
        part = replace(
            domain,
            low=max(domain.low, low),
            high=min(domain.high, high),
            open_low=domain.open_low and domain.low >= low,
        )
        if part.low < part.high:
            yield part


def _is_missed_at_edge(x: float, problem: OneUnknown) -> bool:
    """Whether a root of one unknown is none: where the exact relation begins to be defined, its sides do not cross.

    `sqrt(x + 3)*(x + 1)` is 1e-10 near -1. At -3 it begins with 0, so steeply that 0 seems to be 1e-10 beside the next
    number, but it falls.
    """
    if not problem.is_exact:
        return False
    if abs(gap_of(problem.equation, problem.at(written(x)))) <= NEGLIGIBLE:
        return False  # 0.7 is where sqrt(0.7 - x) ends, and the double for it lies beside that
    gaps = [
        gap_of(problem.equation, problem.at(point))
        for point in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf))
    ]
    defined = [gap for gap in gaps if gap == gap]
    return len(defined) == 2 and gaps[1] == gaps[1] and (min(defined) > 0 or max(defined) < 0)


def _falls_between_steps(problem: OneUnknown) -> bool:
    """Whether the only rounding that holds the one unknown would have to give a number that is not whole.

    `2.5 = 2*floor(3*x) + 1` has no solution: solved for what is rounded down, it gives 0.75.
    """
    equation, name = problem.equation, problem.name
    roundings = {*problem.around(STEPPED)}
    if len(roundings) != 1:
        return False
    (rounding,) = roundings
    lhs, rhs = (replaced(side, rounding, _WHOLE) for side in equation.sides)
    in_whole_number = Equation(lhs, "=", rhs)
    if name in in_whole_number.names:
        return False
    outcome = values_of(in_whole_number, _WHOLE.name, problem.known, Domain("real", -math.inf, math.inf))
    if not outcome.is_complete or any(solution.spans for solution in outcome.solutions):
        return False
    numbers = [solution.values[_WHOLE.name] for solution in outcome.solutions]
    return all(abs(number - round(number)) > AGREEMENT * max(1.0, abs(number)) for number in numbers)


def _outcome_with_intervals(problem: OneUnknown, solutions: Sequence[Solution]) -> Outcome | None:
    """The values of one unknown whose relation holds along intervals, and at points besides; None without intervals."""
    if _exact_numerator(problem) == 0:
        return everywhere(problem)
    by_samples = _outcome_of_samples(problem)
    if by_samples is not None:
        return by_samples
    if not has_pieces(problem.equation, problem.name):
        return None
    isolated = tuple(solution.values[problem.name] for solution in solutions)
    roots = roots_of(problem)
    others = (x for x in roots.values if solves(x, problem) and not repeats({problem.name: x}, solutions, SAME_ROOT))
    roots = _with_levels(replace(roots, values=(*isolated, *others)), problem)
    return _outcome_of_roots(roots, problem) if roots.plateaus else None


def _with_levels(roots: Roots, problem: OneUnknown) -> Roots:
    """What a search for one unknown found, with the intervals that it missed, and without roots inside an interval."""

    def sign(x: float) -> int:
        return sign_of_gap(problem.equation, problem.at(x))

    def is_root(span: Span) -> bool:
        return is_narrow(span) and any(_is_inside(x, span) for x in roots.values)

    spans = [span for span in roots.plateaus if not is_root(span)]
    # seeded, since an interval may be too narrow for the trial points; where it ends, another arm binds
    ends = sorted({*chain.from_iterable(spans), *roots.values, *_ties(problem)})
    trial_spans = level_spans(problem, map(middle, pairwise(ends)))
    for span in trial_spans:
        if not (is_root(span) or any(_covers(other, span) or _is_sharper(other, span, sign) for other in spans)):
            # one that reaches further is no blur of this one
            spans = [other for other in spans if not (_is_inside(middle(other), span) and _covers(span, other))]
            spans.append(span)
    outside = tuple(x for x in roots.values if not any(_is_inside(x, span) for span in spans))
    return replace(roots, values=outside, plateaus=tuple(sorted(spans)))


def _ties(problem: OneUnknown) -> list[float]:
    """The numbers of one unknown at which another arm of a choice in its relation begins to bind."""
    ties = (replace(problem, equation=tie) for tie in ties_of(problem.equation) if problem.name in tie.names)
    return [*chain.from_iterable(roots_of(tie).values for tie in ties)]


def _covers(proved: Span, tried: Span) -> bool:
    """Whether an interval found with the roots of one unknown contains one from trial points, but for blurred ends."""
    (low, high), (start, end) = proved, tried
    slack = 0.01 * (end - start) if end - start < math.inf else 1e-3 * min(abs(start), abs(end))
    return low <= start + slack and end - slack <= high


def _is_sharper(proved: Span, tried: Span, sign: Callable[[float], int]) -> bool:
    """Whether one unknown's relation holds to every digit along a proved interval, and not beside it in a tried one."""
    if not tried[0] <= proved[0] <= proved[1] <= tried[1] or sign(middle(proved)) != 0:
        return False
    midpoints = [end / 2 + other / 2 for end, other in zip(proved, tried, strict=True) if end != other]
    return all(sign(x) != 0 for x in midpoints)


def _is_inside(x: float, span: Span) -> bool:
    return lies_in((x, x), span, SAME_ROOT)


def _outcome_of_roots(roots: Roots, problem: OneUnknown) -> Outcome:
    """What a relation with one unknown comes to after a search: its values, what is proved, and where it looked."""
    name = problem.name
    low, high = map(problem.domain.told, roots.sought)
    caveat = None
    if roots.turn:
        caveat = Assumption(turn_in_words(*roots.sought, problem.domain), "one turn")
    elif not roots.proved:
        text = f"roots were sought from {low} to {high}; it is not proved that there are no others"
        caveat = Assumption(text, "unproved")
    sizes = "" if roots.clear else f" of a size from {SMALLEST:g} to {LARGEST:g}"
    proof = _PROOF.format(sizes=sizes) if roots.proved and not roots.turn else ""
    points = [Solution({name: x}, {}, None, proof) for x in roots.values]
    bounded = [Solution({}, {name: span}) for span in roots.plateaus]
    reason, cause = "", None
    undecided = not (points or bounded or (roots.proved and (roots.recurs or not roots.turn)))
    if not (points or bounded):
        reason, cause = (_NOWHERE_FOUND if undecided else NEVER.reason), NEVER.cause
        if sizes:
            reason += f", at numbers{sizes}"
        if caveat is not None and roots.turn:
            reason += f"; it was {caveat.text}"
    return Outcome((*points, *bounded), caveat, reason=reason, cause=cause, undecided=undecided)


def _why_not(finite: Sequence[float], problem: OneUnknown) -> str:
    """The reason why no closed form of one unknown is a solution, from the numbers of those that are finite."""
    domain = problem.domain
    if not finite:
        return "it would have to be complex, infinite or undefined"
    outside = [number for number in finite if number not in domain]
    if outside:
        return f"it would have to be {' or '.join(map(domain.told, outside[:3]))}"
    if has_choice(problem.equation, problem.name):
        return "no arm of the relation that could give it binds"
    candidates = " or ".join(map(domain.told, finite[:3]))
    return f"it could only be {candidates}, which does not satisfy the relation"


# Powers of a negative base, which are real only if the exponent is an integer
#
# Up to its sign such a power equals that of the base's absolute value. The exponent follows from that, and counts if
# it is an integer and the sign is right. Every exponent found is put back into the relation.


def _by_whole_exponents(problem: OneUnknown, power: Apply) -> Outcome:
    """The admissible values of one unknown in the exponent of a negative base: the exponent has to be whole."""
    base, exponent = power.args
    equation = problem.equation
    size = Apply("pow", (Apply("abs", (base,)), exponent))
    solutions: list[Solution] = []
    undecided = False
    for signed in (size, negated(size)):
        outcome = solutions_of(replace(problem, equation=equation.changed(partial(replaced, old=power, new=signed))))
        undecided = undecided or outcome.undecided or any(solution.spans for solution in outcome.solutions)
        for solution in outcome.solutions:
            number = value(exponent, {**problem.known, **solution.values}) if not solution.spans else 0.5
            if not abs(number - round(number)) <= SAME_ROOT * max(1.0, abs(number)):
                continue
            exponent_equation = Equation(exponent, "=", Number(Fraction(round(number))))
            for candidate in solutions_of(replace(problem, equation=exponent_equation)).solutions:
                numbers = {**problem.known, **candidate.values}
                if agrees(equation, numbers) and not repeats(candidate.values, solutions):
                    solutions.append(Solution(candidate.values, {}))
                elif not value(exponent, numbers).is_integer():
                    undecided = True
    if solutions:
        caveat = Assumption("it is not proved that no other integer exponent fits", "unproved")
        return Outcome(tuple(solutions), caveat if undecided else None)
    reason = "several integer exponents may fit" if undecided else "no integer exponent fits"
    return Outcome((), reason=f"the base is negative, and {reason}", undecided=undecided)
