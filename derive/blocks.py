"""One block of a plan at given numbers: every admissible value of its unknowns.

A single relation with a single unknown is isolated if it can be and searched for roots if not. Several relations that
need each other are solved, in this order: as a linear system; by tearing (take one unknown as known, work out the
others from it, and let the last relation decide it, which is again one unknown in one relation, with all its roots);
and numerically from many starts, which finds roots and cannot prove that there are no more.

Whatever a method proposes is put back into the relations before it counts. A value that satisfies a relation only
because it cancels there is a plateau: an interval of values, and no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from derive.clock import tick
from derive.errors import LimitError
from derive.evaluating import residual, strain, value
from derive.expression import Apply, Equation, Name, Node, Number, names_in, walk
from derive.intervals import Span, enclose
from derive.isolating import (
    TURNS,
    ZERO,
    Candidate,
    added,
    arms_of,
    isolate,
    multiplied,
    negated,
    occurrences,
    replaced,
    unwound,
)
from derive.linear import linear_solutions
from derive.newton import is_isolated, many_starts
from derive.precision import gap_of, overflows, polished
from derive.rooting import LARGEST, SMALLEST, Roots, one_turn, roots_of
from quantities.domain import Domain

__all__ = ["TOLERANCE", "Outcome", "Solution", "agrees", "expressed", "has_choice", "radical_inverse", "solve_block"]

TOLERANCE = 1e-9
"""The share of the sum of the absolute terms within which the sides of an exact relation agree."""

_STRAIN = 1e-13  # relative change of the numbers that would bring the sides together
_SAME = 1e-9  # two roots closer than this are one
_LARGEST = 4000  # nodes of a composed expression
_TURNS = 200  # of an angle that are followed
_VARIANTS = 24  # combinations of arms that a system is taken apart into
_TEARS = 3  # unknowns that are tried as the one to take as known
_BRANCHES = 8  # combinations of inverses that a tearing follows


@dataclass(frozen=True, slots=True)
class Solution:
    """Values of a block's unknowns; where one is only bounded, its interval."""

    values: Mapping[str, float]
    spans: Mapping[str, Span]
    form: Node | None = None  # the closed form of the unknown, in a block of one
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All solutions of a block, what is not proved about them, and why there are none."""

    solutions: tuple[Solution, ...]
    caveat: str = ""
    singular: bool = False  # the relations are sound in structure and do not fix their unknowns at these numbers
    reason: str = ""
    undecided: bool = False  # none was found, and it is not proved that there is none


def agrees(equation: Equation, values: Mapping[str, float], tolerance: float = TOLERANCE) -> bool:
    """Whether a relation holds at these numbers."""
    gap = residual(equation, values)
    if equation.op == "<=":
        return gap <= tolerance
    if equation.op == ">=":
        return gap >= -tolerance
    if abs(gap) <= tolerance:
        return True
    return not math.isnan(gap) and (strain(equation, values) <= _STRAIN or abs(gap_of(equation, values)) <= tolerance)


def solve_block(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Outcome:
    """Every value of the unknowns in their domains for which all the equations hold.

    >>> from derive.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> found = solve_block([parse_equation("x**2 = y")], ["x"], {"y": 9.0}, {"x": positive})
    >>> [dict(solution.values) for solution in found.solutions]
    [{'x': 3.0}]
    """
    if len(unknowns) == 1:
        return _single(equations[0], unknowns[0], known, domains[unknowns[0]])
    system = _System(tuple(equations), tuple(unknowns), known, domains)
    variants = _variants(system.equations, frozenset(unknowns))
    return _joined([_smooth(variant, system, len(variants) == 1) for variant in variants])


@dataclass(frozen=True, slots=True)
class _System:
    """What has to hold in the end, whichever arms are taken on the way."""

    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    known: Mapping[str, float]
    domains: Mapping[str, Domain]

    def holds(self, values: Mapping[str, float]) -> bool:
        inside = all(number in self.domains[name] for name, number in values.items())
        return inside and all(agrees(equation, {**self.known, **values}) for equation in self.equations)


def _variants(equations: tuple[Equation, ...], unknowns: frozenset[str]) -> list[tuple[Equation, ...]]:
    """The system with every choice that holds an unknown replaced by one of its arms, in all combinations."""
    pending, finished = [equations], []
    while pending:
        tick()
        variant = pending.pop()
        found = _first_choice(variant, unknowns)
        if found is None:
            finished.append(variant)
            continue
        index, switch = found
        whole = variant[index]
        for arm, _ in arms_of(switch):
            changed = Equation(replaced(whole.lhs, switch, arm), whole.op, replaced(whole.rhs, switch, arm))
            pending.append((*variant[:index], changed, *variant[index + 1 :]))
        if len(pending) + len(finished) > _VARIANTS:
            return [equations]
    return finished


def _first_choice(equations: Sequence[Equation], unknowns: frozenset[str]) -> tuple[int, Apply] | None:
    for index, equation in enumerate(equations):
        for side in (equation.lhs, equation.rhs):
            for part in walk(side):
                if not isinstance(part, Apply) or part.op not in ("max", "min", "piecewise"):
                    continue
                if not unknowns.isdisjoint(names_in(part)):
                    return index, part
    return None


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome out of those of all variants."""
    found: list[Solution] = []
    for solution in sorted((s for outcome in outcomes for s in outcome.solutions), key=lambda s: -len(s.spans)):
        if not _covered(solution, found):
            found.append(solution)
    caveat = next((outcome.caveat for outcome in outcomes if outcome.caveat and outcome.solutions), "")
    undecided = any(outcome.undecided for outcome in outcomes)
    if found and undecided and not caveat:
        caveat = "whether another arm has a solution was sought numerically and is not proved"
    reason = next((outcome.reason for outcome in outcomes if outcome.reason), "")
    singular = any(outcome.singular for outcome in outcomes)
    if found and singular:
        caveat = "in another arm the relations repeat each other; that there are no other solutions is not proved"
    return Outcome(tuple(found), caveat, singular and not found, "" if found else reason, undecided and not found)


def _covered(solution: Solution, found: Sequence[Solution]) -> bool:
    """Whether a solution is there already, or lies in an interval that is."""
    return any(all(_meets(solution, other, name) for name in (*solution.values, *solution.spans)) for other in found)


def _meets(solution: Solution, other: Solution, name: str) -> bool:
    low, high = solution.spans.get(name) or (solution.values[name],) * 2
    bottom, top = other.spans.get(name) or (other.values[name],) * 2
    slack = 1e-8 * max(abs(low), min(abs(top), 1e300))
    return low >= bottom - slack and high <= top + slack


def _repeating(linear: tuple[list[dict[str, float]], bool, str]) -> bool:
    """Whether a linear system has a whole line of solutions."""
    values, singular, reason = linear
    return singular and not values and "repeat" in reason


def _smooth(equations: tuple[Equation, ...], system: _System, alone: bool) -> Outcome:
    """A system without choices; where it is one arm among several, an arm that repeats itself is an interval."""
    linear = linear_solutions(equations, system.unknowns, system.known, system.domains)
    if linear is not None and (alone or not _repeating(linear)):
        values, singular, reason = linear
        good = tuple(Solution(v, {}) for v in values if system.holds(v))
        return Outcome(good, "", singular, reason or ("" if good else "no arm that could give it binds"))
    torn = _torn(equations, system)
    if torn is not None and (torn.solutions or torn.singular):
        return torn
    if linear is not None:
        return Outcome((), singular=True, reason=linear[2])
    numeric = _numeric(equations, system)
    return numeric if numeric.solutions or torn is None or torn.undecided else torn


# One relation, one unknown


def _single(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Outcome:
    candidates = isolate(equation, name)
    if candidates is None:
        return _searched(equation, name, known, domain)
    turn = one_turn(equation, name, known, domain) if any(candidate.winds for candidate in candidates) else None
    found: list[Solution] = []
    for candidate in candidates:
        for guess, form in _numbers(candidate, known, domain, turn):
            number = _sharpened(equation, name, known, guess)
            if number in domain and agrees(equation, {**known, name: number}) and not _is_among(number, found, name):
                found.append(Solution({name: number}, {}, form))
    if _may_cancel(equation, name, known, found):
        if not found and all(_is_met(equation, name, known, x) for x in _EVERYWHERE if x in domain):
            return Outcome((Solution({}, {name: (domain.low, domain.high)}),))
        roots = roots_of(equation, name, known, domain)
        if roots.plateaus:
            return _outcome(roots, name)
    if not found and occurrences(equation.lhs, name) + occurrences(equation.rhs, name) > 1:
        return _searched(equation, name, known, domain)
    caveat = f"sought in one turn, from {turn.low:.6g} to {turn.high:.6g}" if turn and found else ""
    if not found and any(overflows(unwound(candidate.form, 0), known) for candidate in candidates):
        return Outcome((), reason="it leaves the range of double precision", undecided=True)
    reason = "" if found else _why_not(candidates, known, domain)
    if turn and not found:
        reason += f"; it was sought in one turn, from {turn.low:.6g} to {turn.high:.6g}"
    return Outcome(tuple(found), caveat, reason=reason)


def _numbers(
    candidate: Candidate, known: Mapping[str, float], domain: Domain, turn: Domain | None
) -> Iterator[tuple[float, Node]]:
    """The numbers of a candidate and their forms: one, or one for each number of turns that stays in the domain."""
    if not candidate.winds:
        for form in (candidate.form, candidate.other):
            number = math.nan if form is None else value(form, known)
            if form is not None and math.isfinite(number):
                yield _snapped(form, number, known, domain), form
        return
    within = turn or domain
    for direction in (1, -1):
        outside = 0
        for count in range(_TURNS):
            turns = direction * (count + (direction < 0))
            number = value(candidate.form, {**known, TURNS.name: float(turns)})
            if number in within:
                yield number, unwound(candidate.form, turns)
                outside = 0
            elif (outside := outside + 1) > 3:
                break
        else:
            raise LimitError(f"More than {_TURNS} turns lie in the domain.", hint="Narrow the domain.", limit="turns")


def _sharpened(equation: Equation, name: str, known: Mapping[str, float], number: float) -> float:
    """A number in whose making digits may have cancelled, brought to the last digit."""
    here, beside = (residual(equation, {**known, name: x}) for x in (number, number * (1 + 1e-6)))
    if abs(beside - here) < 1e-10 or not abs(here) <= 1e-12:
        return polished(equation, name, {**known, name: number})
    return number


def _snapped(form: Node, number: float, known: Mapping[str, float], domain: Domain) -> float:
    """A number that misses the end of its domain by rounding alone, moved to that end."""
    for end in (domain.low, domain.high):
        if number != end and math.isfinite(end) and number not in domain:
            size = max((abs(value(part, known)) for part in walk(form)), default=0.0)
            if abs(number - end) <= 1e-14 * size:
                return end
    return number


def _is_among(number: float, found: Sequence[Solution], name: str) -> bool:
    return any(abs(number - other.values[name]) <= _SAME * max(abs(number), abs(other.values[name])) for other in found)


_EVERYWHERE = (1e-9, 1e-6, 1e-3, 0.03, 0.7, 1.9, 31.0, 1e3, 1e6, 1e9)


def _is_met(equation: Equation, name: str, known: Mapping[str, float], x: float) -> bool:
    """Whether the sides are the same to the last digits."""
    return abs(residual(equation, {**known, name: x})) <= 1e-13


def _may_cancel(equation: Equation, name: str, known: Mapping[str, float], found: Sequence[Solution]) -> bool:
    """Whether the equation also holds beside a solution, or elsewhere: where an arm without the unknown binds."""
    beside = [solution.values[name] * share for solution in found for share in (0.75, 1.25)]
    if not found or has_choice(equation, name):
        beside += [*_EVERYWHERE, *(abs(number) * share for number in known.values() for share in (0.99, 1.01))]
    return any(_is_met(equation, name, known, x) for x in beside)


def _searched(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Outcome:
    if all(_is_met(equation, name, known, x) for x in _EVERYWHERE if x in domain):
        return Outcome((Solution({}, {name: (domain.low, domain.high)}),))
    roots = roots_of(equation, name, known, domain)
    sound = tuple(x for x in roots.values if agrees(equation, {**known, name: x}))
    return _outcome(replace(roots, values=sound), name)


def _outcome(roots: Roots, name: str) -> Outcome:
    low, high = roots.sought
    if roots.turn:
        caveat = f"sought in one turn, from {low:.6g} to {high:.6g}"
    elif roots.proved:
        caveat = ""
    else:
        caveat = f"roots were sought from {low:.6g} to {high:.6g}; that there are no others is not proved"
    proof = "no other root: proved by interval arithmetic" if roots.proved and not roots.turn else ""
    points = [Solution({name: x}, {}, None, proof) for x in roots.values]
    bounded = [Solution({}, {name: span}) for span in roots.plateaus]
    reason = "" if points or bounded else "the two sides meet nowhere in its domain"
    undecided = not (points or bounded or roots.proved)
    return Outcome((*points, *bounded), caveat, reason=reason, undecided=undecided)


def _why_not(candidates: Sequence[Candidate], known: Mapping[str, float], domain: Domain) -> str:
    numbers = [value(candidate.form, {**known, TURNS.name: 0.0}) for candidate in candidates]
    finite = [number for number in numbers if math.isfinite(number)]
    if not finite:
        return "it would have to be complex, infinite or undefined"
    outside = [number for number in finite if number not in domain]
    if outside:
        return f"it would have to be {' or '.join(f'{number:.6g}' for number in outside[:3])} (base units)"
    return "no arm of the relation that could give it binds"


# Several relations at once


def _torn(equations: Sequence[Equation], system: _System) -> Outcome | None:
    """Take one unknown as known and express the others by it; the last relation then has one unknown."""
    best: Outcome | None = None
    tried = 0
    for tear in system.unknowns:
        tick()
        branches = expressed(equations, system.unknowns, tear)
        if not branches or (tried := tried + 1) > _TEARS:
            continue
        outcome = _along(branches, tear, system)
        if outcome.solutions and not outcome.caveat:
            return outcome
        if best is None or _rank(outcome) > _rank(best):
            best = outcome
    return best


def _rank(outcome: Outcome) -> tuple[bool, bool, bool]:
    """How much an outcome says: solutions before none, proved before sought."""
    return bool(outcome.solutions), not outcome.undecided, not outcome.caveat


@dataclass(frozen=True, slots=True)
class _Branch:
    """The unknowns as expressions of the tears, in the order in which they follow, and what is left to hold."""

    forms: Mapping[str, Node]
    left: tuple[Equation, ...]


def expressed(equations: Sequence[Equation], unknowns: Sequence[str], *tears: str) -> list[_Branch]:
    """Every way to write the other unknowns as expressions of the tears; none, if that does not work out."""
    pending: list[tuple[dict[str, Node], tuple[Equation, ...]]] = [({}, tuple(equations))]
    finished: list[_Branch] = []
    while pending:
        forms, left = pending.pop()
        if len(left) == len(tears):
            finished.append(_Branch(forms, tuple(_composed(equation, forms) for equation in left)))
            continue
        step = _next_step(left, set(unknowns) - set(tears) - forms.keys())
        if step is None or len(pending) + len(finished) > _BRANCHES:
            return []
        equation, name, candidates = step
        rest = tuple(other for other in left if other is not equation)
        for candidate in candidates:
            form = _substituted(candidate.form, forms)
            if sum(1 for _ in walk(form)) > _LARGEST:
                return []
            pending.append(({**forms, name: form}, rest))
    return finished


def _next_step(left: Sequence[Equation], missing: set[str]) -> tuple[Equation, str, tuple[Candidate, ...]] | None:
    """A relation that yields one more unknown, the plainest there is."""
    found: list[tuple[int, int, Equation, str, tuple[Candidate, ...]]] = []
    for index, equation in enumerate(left):
        open_ones = [name for name in names_in(equation.lhs, equation.rhs) if name in missing]
        if len(open_ones) != 1:
            continue
        candidates = isolate(equation, open_ones[0])
        if (
            candidates
            and not any(c.winds for c in candidates)
            and ZERO not in [c.form for c in candidates]
            and not has_choice(equation, open_ones[0])
        ):
            found.append((len(candidates), index, equation, open_ones[0], candidates))
    if not found:
        return None
    _, _, equation, name, candidates = min(found, key=lambda step: step[:2])
    return equation, name, candidates


def has_choice(equation: Equation, name: str) -> bool:
    """Whether the name stands inside a max, a min or a choice, whose inverse is not one expression."""
    return any(
        isinstance(part, Apply) and part.op in ("max", "min", "piecewise") and occurrences(part, name)
        for side in (equation.lhs, equation.rhs)
        for part in walk(side)
    )


def _along(branches: Sequence[_Branch], tear: str, system: _System) -> Outcome:
    found: list[Solution] = []
    caveat = reason = ""
    singular = undecided = False
    for branch in branches:
        outcome = _single(branch.left[0], tear, system.known, system.domains[tear])
        caveat = caveat or outcome.caveat
        reason = reason or outcome.reason
        undecided = undecided or outcome.undecided
        for solution in outcome.solutions:
            if tear in solution.spans:
                bounded = _spanned(branch, tear, solution.spans[tear], system)
                found.extend([bounded] if bounded else [])
                continue
            at = solution.values[tear]
            if any(system.holds(_worked_out(branch, tear, at * share, system)) for share in (0.999, 1.001)):
                domain = system.domains[tear]
                bounded = _spanned(branch, tear, (domain.low, domain.high), system)
                found.extend([bounded] if bounded and not _covered(bounded, found) else [])
                continue
            values = _settled(_worked_out(branch, tear, at, system), system)
            if system.holds(values) and not _repeats(values, found):
                found.append(Solution(values, {}))
    return Outcome(tuple(found), caveat, singular and not found, reason, undecided and not found)


def _worked_out(branch: _Branch, tear: str, number: float, system: _System) -> dict[str, float]:
    values = {tear: number}
    for name, form in branch.forms.items():
        values[name] = value(form, {**system.known, **values})
    return values


def _spanned(branch: _Branch, tear: str, span: Span, system: _System) -> Solution | None:
    """The part of an interval of the tear along which the whole system holds, and the other unknowns there."""

    def holds(x: float) -> bool:
        return system.holds(_worked_out(branch, tear, x, system))

    low, high = max(span[0], SMALLEST), min(span[1], LARGEST)
    inside = [x for x in _probes(low, high, system.known) if holds(x)]
    if not inside:
        return None
    ends = (
        span[0] if holds(low) else _edge(inside[0], low, holds),
        span[1] if holds(high) else _edge(inside[-1], high, holds),
    )
    spans: dict[str, Span] = {tear: ends}
    middle = _worked_out(branch, tear, inside[len(inside) // 2], system)
    for name, form in branch.forms.items():
        held = {**{other: (number, number) for other, number in system.known.items()}, **spans}
        enclosure = enclose(form, held, "")
        if enclosure is None:
            return None
        domain = system.domains[name]
        spans[name] = max(enclosure.values[0], domain.low), min(enclosure.values[1], domain.high)
    fixed = {n: middle[n] for n, (a, b) in spans.items() if math.isfinite(b) and abs(b - a) <= _SAME * abs(b)}
    return Solution(fixed, {name: one for name, one in spans.items() if name not in fixed})


def _probes(low: float, high: float, known: Mapping[str, float]) -> list[float]:
    """Points all over an interval, and near the sizes of the givens."""
    if not low < high:
        return [low]
    if low < 0:
        return [low + (high - low) * i / 60 for i in range(61)]
    near = [abs(number) * share for number in known.values() for share in (0.5, 0.99, 1.01, 2.0)]
    return sorted([*(low * (high / low) ** (i / 60) for i in range(61)), *(x for x in near if low < x < high)])


def _edge(inside: float, outside: float, holds: Callable[[float], bool]) -> float:
    """Where holding ends, between a point that does and one that does not."""
    for _ in range(120):
        middle = math.sqrt(inside * outside) if inside > 0 and outside > 0 else (inside + outside) / 2
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _settled(values: dict[str, float], system: _System) -> dict[str, float]:
    """The values, improved by a few steps of Newton where rounding along the way has cost digits."""
    if all(agrees(equation, {**system.known, **values}, 1e-12) for equation in system.equations):
        return values
    positive = _positive(values, system.domains)
    better = many_starts(system.equations, list(values), system.known, [values], positive, steps=6)
    return better[0] if better else values


def _repeats(values: Mapping[str, float], found: Sequence[Solution]) -> bool:
    return any(
        not other.spans
        and all(
            abs(x - other.values[name]) <= 1e-8 * max(abs(x), abs(other.values[name])) for name, x in values.items()
        )
        for other in found
    )


def _composed(equation: Equation, forms: Mapping[str, Node]) -> Equation:
    lhs, rhs = _substituted(equation.lhs, forms), _substituted(equation.rhs, forms)
    return Equation(lhs, equation.op, rhs)


def _substituted(node: Node, forms: Mapping[str, Node]) -> Node:
    if isinstance(node, Name):
        return forms.get(node.name, node)
    if isinstance(node, Number):
        return node
    args = tuple(_substituted(arg, forms) for arg in node.args)
    if node.op == "add":
        return added(*args)
    if node.op == "neg":
        return negated(args[0])
    return multiplied(*args) if node.op == "mul" else Apply(node.op, args)


def _numeric(equations: Sequence[Equation], system: _System) -> Outcome:
    """Newton's method from many starts, on as few unknowns as the others can be expressed by."""
    tears, branches = _fewest_tears(equations, system.unknowns)
    found: list[Solution] = []
    starts = _starts(tears, system.known, system.domains)
    for branch in branches:
        for start in many_starts(branch.left, tears, system.known, starts, _positive(tears, system.domains)):
            values = dict(start)
            for name, form in branch.forms.items():
                values[name] = value(form, {**system.known, **values})
            values = _settled(values, system)
            if system.holds(values) and not _repeats(values, found):
                found.append(Solution(values, {}))
    if any(not is_isolated(equations, solution.values, system.known) for solution in found):
        return Outcome((), singular=True, reason="they hold along a whole curve")
    if not found:
        return Outcome((), reason=f"none was found from {len(starts)} starts", undecided=True)
    caveat = f"solved numerically from {len(starts)} starts; that there are no other solutions is not proved"
    return Outcome(tuple(found), caveat)


def _fewest_tears(equations: Sequence[Equation], unknowns: Sequence[str]) -> tuple[tuple[str, ...], list[_Branch]]:
    for count in range(1, min(4, len(unknowns))):
        for tears in combinations(unknowns, count):
            tick()
            branches = expressed(equations, unknowns, *tears)
            if branches:
                return tears, branches
    return tuple(unknowns), [_Branch({}, tuple(equations))]


def _positive(names: Iterable[str], domains: Mapping[str, Domain]) -> frozenset[str]:
    return frozenset(name for name in names if domains[name].low >= 0)


def _starts(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], count: int = 60
) -> list[dict[str, float]]:
    """Points spread over the domains by a low-discrepancy sequence, around the sizes that the givens have."""
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    low, high = (min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3)
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    starts = []
    for i in range(1, count + 1):
        start = {}
        for k, name in enumerate(unknowns):
            share = radical_inverse(i + 7 * (k // len(primes)), primes[k % len(primes)])
            domain = domains[name]
            if math.isfinite(domain.low) and math.isfinite(domain.high):
                start[name] = domain.low + share * (domain.high - domain.low)
            elif domain.low < 0:
                size = 10 ** (low + (high - low) * abs(2 * share - 1))
                start[name] = math.copysign(size, share - 0.5)
            else:
                span = (-1.0, 1.0) if i % 2 else (low, high)
                start[name] = max(domain.low, 0.0) + 10 ** (span[0] + (span[1] - span[0]) * share)
        starts.append(start)
    return starts


def radical_inverse(i: int, base: int) -> float:
    """The digits of a number mirrored at the point (van der Corput 1935)."""
    share, scale = 0.0, 1.0
    while i:
        scale /= base
        share += scale * (i % base)
        i //= base
    return share
