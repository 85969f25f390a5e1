"""Several relations at once, by tearing: one unknown is taken as known and the others are worked out from it.

The last relation then decides that one, which is again one relation with one unknown, with all its roots. Where it
holds along an interval, the other unknowns are worked out along the interval, and the whole system says how much of it
counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from derive.language.expression import Apply, Equation, Name, Node, Number, names_in, walk
from derive.numbers.algebra import TWO, ZERO, added, multiplied, negated, replaced
from derive.numbers.clock import tick
from derive.numbers.evaluating import value
from derive.numbers.intervals import Span, enclose
from derive.numbers.isolating import Candidate, isolate, leaves_out
from derive.numbers.newton import many_starts
from derive.solving.levels import bounds_over, has_choice, is_constant, runs, within
from derive.solving.outcome import TOLERANCE, Outcome, Solution, System, agrees, is_covered, repeats
from derive.solving.single import values_of
from quantities.domain import Domain

__all__ = ["Branch", "Lost", "expressed", "fitted", "positive_of", "settled", "straight", "torn"]

_TIGHT = 1e-12  # what holds along an interval holds to this share of its terms, or else to the usual one
_LARGEST = 4000  # nodes of a composed expression
_TEARS = 3  # unknowns that are tried as the one to take as known
_BRANCHES = 8  # combinations of inverses that a tearing follows
_ROUNDED = 1e-13  # share of its terms by which an equation may miss for being rounded
_LEAST = 1e-300  # what stands for the open end of a positive domain


Lost = tuple[Equation, Node]


@dataclass(frozen=True, slots=True)
class Branch:
    """The unknowns as expressions of the tears, in the order in which they follow, and what is left to hold.

    On the way there an equation was divided by a divisor, and whatever solves the system with the divisor zero is lost.
    """

    forms: Mapping[str, Node]
    left: tuple[Equation, ...]
    lost: tuple[Lost, ...] = ()
    powers: tuple[Apply, ...] = ()  # undone for bases that are not negative


def torn(equations: Sequence[Equation], system: System) -> tuple[Outcome, tuple[Lost, ...]] | None:
    """Take one unknown as known and express the others by it; the last relation then has one unknown.

    With the outcome comes what may be lost to it: an equation, and what it was divided by that may be zero.
    """
    tried: list[tuple[Outcome, tuple[Lost, ...]]] = []
    for tear, branches in _tearings(equations, system):
        tick()
        if len(tried) == _TEARS:
            break
        if leaves_out((power for branch in branches for power in branch.powers), _spans(system)):
            continue
        outcome = _along(branches, tear, system)
        lost = tuple({one: None for branch in branches for one in branch.lost if _is_lost(*one, system)})
        if outcome.solutions and not outcome.caveat and not lost:
            return outcome, lost
        tried.append((outcome, lost))
    if not tried:
        return None
    best, lost = max(tried, key=lambda one: (_rank(one[0]), -len(one[1])))
    if not best.caveat and not lost:
        return best, lost
    found: list[Solution] = []  # by all tears, of which none is sure to have found every one
    for solution in (solution for outcome, _ in tried for solution in outcome.solutions):
        if not is_covered(solution, found):
            found.append(solution)
    return replace(best, solutions=tuple(found)), lost


def _tearings(equations: Sequence[Equation], system: System) -> list[tuple[str, list[Branch]]]:
    """The unknowns by which the others can be expressed, those first that leave the least to be inverted."""
    ways = [(tear, expressed(equations, system.unknowns, tear)) for tear in system.unknowns]
    return sorted((way for way in ways if way[1]), key=lambda way: (len(way[1]), sum(_inverted(one) for one in way[1])))


def _inverted(branch: Branch) -> int:
    """How often an equation was divided by something, or a power was undone, on the way."""
    return len(branch.lost) + len(branch.powers)


def straight(
    equations: Sequence[Equation], unknowns: Sequence[str], spans: Mapping[str, Span], domains: Mapping[str, Domain]
) -> tuple[str, Branch] | None:
    """An unknown by which all others can be expressed in one way, whatever the numbers in their spans are."""
    box = {**spans, **{name: _inside(domains[name]) for name in unknowns}}
    ways = [(tear, expressed(equations, unknowns, tear)) for tear in unknowns]
    for tear, branches in sorted(ways, key=lambda way: sum(map(_inverted, way[1]))):
        if len(branches) != 1 or leaves_out(branches[0].powers, box):
            continue
        divisors = [enclose(divisor, box, "") for _, divisor in branches[0].lost]
        if all(found is not None and found.misses_zero for found in divisors):
            return tear, branches[0]
    return None


def _is_lost(equation: Equation, divisor: Node, system: System) -> bool:
    """Whether a divisor may be zero, and the equation hold there."""
    if not _may_vanish(divisor, system):
        return False
    left, right = (replaced(side, divisor, ZERO) for side in (equation.lhs, equation.rhs))
    return _may_vanish(added(left, negated(right)), system)


def _may_vanish(node: Node, system: System) -> bool:
    """Whether an expression may be zero with the unknowns anywhere in their domains."""
    if isinstance(node, Apply) and node.op == "mul":
        return any(_may_vanish(arg, system) for arg in node.args)
    if isinstance(node, Apply) and node.op in ("neg", "abs", "sqrt"):
        return _may_vanish(node.args[0], system)
    if isinstance(node, Apply) and node.op == "inv":
        return False
    if isinstance(node, Name) and node.name in system.unknowns:
        return 0.0 in system.domains[node.name]
    found = enclose(node, _spans(system), "")
    return found is not None and not found.misses_zero


def _spans(system: System) -> dict[str, Span]:
    known = {name: (number, number) for name, number in system.known.items()}
    return known | {name: _inside(system.domains[name]) for name in system.unknowns}


def _inside(domain: Domain) -> Span:
    return (_LEAST, domain.high) if domain.open_low and domain.low == 0 else (domain.low, domain.high)


def _rank(outcome: Outcome) -> tuple[bool, bool, bool]:
    """How much an outcome says: solutions before none, proved before sought."""
    return bool(outcome.solutions), not outcome.undecided, not outcome.caveat


def expressed(equations: Sequence[Equation], unknowns: Sequence[str], *tears: str) -> list[Branch]:
    """Every way to write the other unknowns as expressions of the tears; none, if that does not work out."""
    pending: list[tuple[dict[str, Node], tuple[Equation, ...], tuple[Lost, ...], tuple[Apply, ...]]] = [
        ({}, tuple(equations), (), ())
    ]
    finished: list[Branch] = []
    while pending:
        forms, left, lost, powers = pending.pop()
        if len(left) == len(tears):
            finished.append(Branch(forms, tuple(_composed(equation, forms) for equation in left), lost, powers))
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
            divided = tuple((equation, divisor) for divisor in candidate.divisors)
            pending.append(({**forms, name: form}, rest, lost + divided, powers + candidate.powers))
    return finished


def _next_step(left: Sequence[Equation], missing: set[str]) -> tuple[Equation, str, tuple[Candidate, ...]] | None:
    """A relation that yields one more unknown, the plainest there is."""
    found: list[tuple[int, int, Equation, str, tuple[Candidate, ...]]] = []
    for index, equation in enumerate(left):
        open_ones = [name for name in names_in(equation.lhs, equation.rhs) if name in missing]
        if len(open_ones) != 1:
            continue
        candidates = isolate(equation, open_ones[0])
        if candidates and not any(c.winds for c in candidates) and not has_choice(equation, open_ones[0]):
            found.append((len(candidates), index, equation, open_ones[0], candidates))
    if not found:
        return None
    _, _, equation, name, candidates = min(found, key=lambda step: step[:2])
    return equation, name, candidates


def _along(branches: Sequence[Branch], tear: str, system: System) -> Outcome:
    found: list[Solution] = []
    caveat = reason = ""
    singular = undecided = False
    for branch in branches:
        outcome = values_of(branch.left[0], tear, system.known, system.domains[tear])
        caveat = caveat or outcome.caveat
        reason = reason or outcome.reason
        undecided = undecided or outcome.undecided
        for solution in outcome.solutions:
            if tear in solution.spans:
                found.extend(_spanned(branch, tear, solution.spans[tear], system))
                continue
            at = solution.values[tear]
            beside = (at * 0.999, at * 1.001) if at else (-1e-3, 1e-3)
            if any(system.holds(_worked_out(branch, tear, x, system)) for x in beside):
                domain = system.domains[tear]
                pieces = _spanned(branch, tear, (domain.low, domain.high), system, [at])
                found.extend(piece for piece in pieces if not is_covered(piece, found))
                continue
            values = settled(_worked_out(branch, tear, at, system), system)
            if system.holds(values) and not repeats(values, found):
                found.append(Solution(values, {}))
    return Outcome(tuple(found), caveat, singular and not found, reason, undecided and not found)


def _worked_out(branch: Branch, tear: str, number: float, system: System) -> dict[str, float]:
    values = {tear: number}
    for name, form in branch.forms.items():
        values[name] = value(form, {**system.known, **values})
    return values


def _spanned(branch: Branch, tear: str, span: Span, system: System, seeds: Sequence[float] = ()) -> list[Solution]:
    """The parts of an interval of the tear along which the whole system holds, and the other unknowns there."""
    for tolerance in (_TIGHT, TOLERANCE):

        def holds(x: float, tolerance: float = tolerance) -> bool:
            return system.holds(_worked_out(branch, tear, x, system), tolerance)

        pieces = runs(holds, span, system.known, seeds)
        if pieces:
            return [_piece(branch, tear, piece, system) for piece in pieces]
    return []


def _piece(branch: Branch, tear: str, piece: Span, system: System) -> Solution:
    """All unknowns along one interval of the tear; those that do not move have a value."""
    spans: dict[str, Span] = {tear: piece}
    for name, form in branch.forms.items():
        low, high = bounds_over(form, system.known, {tear: piece})
        domain = system.domains[name]
        spans[name] = max(low, domain.low), min(high, domain.high)
    along = [_worked_out(branch, tear, x, system) for x in within(piece)]
    fixed = {n: along[0][n] for n, span in spans.items() if is_constant([one[n] for one in along], span)}
    return Solution(fixed, {name: one for name, one in spans.items() if name not in fixed})


def settled(values: dict[str, float], system: System) -> dict[str, float]:
    """The values, improved by a few steps of Newton where rounding along the way has cost digits."""
    if all(agrees(equation, {**system.known, **values}, 1e-12) for equation in system.equations):
        return fitted(values, system)
    positive = positive_of(values, system.domains)
    better = many_starts(system.equations, list(values), system.known, [values], positive, steps=6)
    return fitted(next(better, values), system)


def fitted(values: dict[str, float], system: System) -> dict[str, float]:
    """The values, those that miss the end of their domain by rounding alone moved to that end."""
    moved = {name: min(max(x, system.domains[name].low), system.domains[name].high) for name, x in values.items()}
    if moved == values:
        return values
    fits = all(agrees(equation, {**system.known, **moved}, _ROUNDED) for equation in system.equations)
    return moved if fits else values


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
    if node.op == "pow" and isinstance(args[0], Apply) and args[0].op == "sqrt" and args[1] == TWO:
        return args[0].args[0]  # which is not negative where the root was taken: that is put to the test in the end
    return multiplied(*args) if node.op == "mul" else Apply(node.op, args)


def positive_of(names: Iterable[str], domains: Mapping[str, Domain]) -> frozenset[str]:
    return frozenset(name for name in names if domains[name].low >= 0)
