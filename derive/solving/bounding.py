"""The interval that inequalities leave to a target that no equation fixes.

An inequality turns where it holds with equality: between such edges it holds everywhere or nowhere, which a few numbers
tell. Where that is not known, the inequality says nothing.

The conditions of a case are inequalities too: where nothing fixes the target in a case, it may lie wherever they hold,
if a relation of that case then says of the same quantities what those that do not apply say elsewhere. Where none does
(between the last laminar and the first turbulent flow), the library does not speak of the case, and no answer does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.errors import DeriveError, InconsistentError, NoSolutionError
from derive.language.expression import COMPARISONS, Apply, Equation, Node, names_in, walk
from derive.numbers.evaluating import holds
from derive.numbers.intervals import Span
from derive.numbers.isolating import isolate
from derive.planning.plans import Block, Plan, plan
from derive.solving.asking import Question
from derive.solving.blocks import solve_block
from derive.solving.carrying import Found, carried_out
from derive.solving.cases import claims, worded
from derive.solving.outcome import agrees
from derive.solving.ranging import composed
from derive.solving.stepping import State
from quantities.domain import Domain
from quantities.units import Unit
from quantities.value import Value

if TYPE_CHECKING:
    from derive.library import Library
    from derive.stating.relation import Relation

__all__ = ["bounded", "has_any", "left_open"]

_EDGES = 4  # values at which an inequality may turn
_JUMPS = {"piecewise", "floor", "ceil"}


def bounded(library: Library, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The interval that inequalities leave to the target."""
    target = question.target
    domain = library.declared[target].domain
    low, high = domain.low, domain.high
    used: list[str] = []
    for relation in library.relations.values():
        if relation.is_equation or relation.name in left_out:
            continue
        span = _allowed(library, question, relation)
        if span is not None:
            low, high = max(low, span[0]), min(high, span[1])
            used.append(relation.name)
    if not used:
        return None
    if low > high:
        raise _excluding(target, used, (low, high))
    note = f"bounded by {', '.join(used)}; nothing else determines it"
    state = State({}, {target: (low, high)}, {}, (note,))
    return Found(Plan(target, (Block(tuple(used[:1]), (target,)),), (), ()), (state,), left_out)


def left_open(library: Library, question: Question, left_out: Mapping[str, str]) -> list[Found]:
    """Where the conditions of a case let a target lie that nothing fixes there; nothing, if they do not bound it."""
    target = question.target
    known = {name: value.base[1] for name, value in question.strong.items()}
    claimed = [*claims(library, question), *_refuted(library, question, known)]
    told = {}
    for claim in claimed:
        form = _by_target(library, question, claim, left_out)
        if form is not None and target in names_in(form):
            told[claim] = form
    domain = library.declared[target].domain
    base = {**{name: value.base[1] for name, value in question.weak.items()}, **known}
    edges = _turns(list(told.values()), target, base, domain) if told else None
    if edges is None:
        return []

    def is_met(number: float) -> bool:
        return all(holds(form, {**base, target: number}) for form in told.values())

    where = " and ".join(dict.fromkeys(map(worded, told)))
    spans = [span for span in pairwise([domain.low, *edges, domain.high]) if span[0] < span[1]]
    met = [span for span in spans if all(map(is_met, _inside(span)))]
    points = [edge for edge in edges if edge in domain and is_met(edge) and not any(edge in span for span in met)]
    if not met and not points:
        raise _no_case(target, where)
    rivals = [_conditions_by_target(library, question, name, left_out) for name in _rivals(library, question)]
    note = f"nothing fixes {target} where {where}"

    def is_spoken_of(number: float) -> bool:
        return any(all(one is None or holds(one, {**base, target: number}) for one in rival) for rival in rivals)

    states = [State(known, {target: span}, {}, (note,)) for span in met if any(map(is_spoken_of, _inside(span)))]
    states += [State({**known, target: point}, {}, {}, (note,)) for point in points if is_spoken_of(point)]
    return [Found(Plan(target, (), (), ()), tuple(states), left_out)] if states else []


def _rivals(library: Library, question: Question) -> list[str]:
    """The relations that may say, in this case, what those that do not apply say in another."""
    spoken = {name for relation in question.case.failing for name in library.members[relation]} - {question.target}
    return [
        relation.name
        for relation in library.conditional
        if relation.name not in question.case.failing and not spoken.isdisjoint(library.members[relation.name])
    ]


def _conditions_by_target(
    library: Library, question: Question, name: str, left_out: Mapping[str, str]
) -> list[Node | None]:
    """The conditions of a relation in terms of the target; None, where they hang on something else."""
    return [_by_target(library, question, one, left_out) for one in library.relations[name].conditions]


def _no_case(target: str, where: str) -> NoSolutionError:
    """The error for a case whose conditions hold nowhere."""
    reason = f"{target}: nothing in its domain meets {where}"
    return NoSolutionError(
        f"{target} has no admissible value: {reason}.", hint="Change one of the givens.", reason=reason
    )


def _refuted(library: Library, question: Question, known: Mapping[str, float]) -> Iterator[Node]:
    """What must be so since relations do not hold at the givens: that they do not apply."""
    for relation in library.conditional:
        decided = relation.name in question.case.holding | question.case.failing
        if decided or relation.approximate is not None or not known.keys() >= {*library.members[relation.name]}:
            continue
        if not agrees(relation.written, known):
            whole = relation.conditions[0] if len(relation.conditions) == 1 else Apply("and", relation.conditions)
            yield Apply("not", (whole,))


def _by_target(library: Library, question: Question, claim: Node, left_out: Mapping[str, str]) -> Node | None:
    """A claim in terms of the target and of what is given; None where that takes more than closed forms."""
    strong = [*question.strong, question.target]
    forms: dict[str, Node] = {}
    for name in names_in(claim):
        if name in strong:
            continue
        weak = [other for other in question.weak if other not in (name, question.target)]
        made = plan(library.structure(frozenset(left_out)), name, strong, weak)
        if not made.is_determined:
            if name not in question.weak:
                return None
            continue
        for block in made.blocks:
            relation = library.relations[block.relations[0]]
            candidates = isolate(relation.written, block.unknowns[0]) if len(block.unknowns) == 1 else None
            unsure = relation.conditions and relation.name not in question.case.holding
            if unsure or not candidates or len(candidates) > 1 or candidates[0].conditions or candidates[0].winds:
                return None
            forms[block.unknowns[0]] = candidates[0].form
    return composed("", {**forms, "": claim})


def _turns(claims: Sequence[Node], target: str, known: Mapping[str, float], domain: Domain) -> list[float] | None:
    """The numbers inside the domain at which a comparison in one of these may turn; None where they are not known."""
    edges: set[float] = set()
    for part in (part for claim in claims for part in walk(claim)):
        if not isinstance(part, Apply) or part.op not in COMPARISONS.values() or target not in names_in(part):
            continue
        equal = Equation(part.args[0], "=", part.args[1])
        outcome = solve_block([equal], [target], known, {target: domain})
        if outcome.undecided or outcome.caveat:
            return None
        edges.update(one.values[target] for one in outcome.solutions if target in one.values)
        edges.update(end for one in outcome.solutions if target in one.spans for end in one.spans[target])
    return sorted(edge for edge in edges if domain.low <= edge <= domain.high)


def _excluding(target: str, used: Sequence[str], span: Span) -> InconsistentError:
    low, high = span
    return InconsistentError(
        f"{target}: {', '.join(used)} exclude each other: it would have to be at least {low:.6g} and at most "
        f"{high:.6g} (base units).",
        hint="Change one of the givens.",
        conflicts=used,
        gap=(low - high) / max(abs(low), abs(high)),
    )


def _allowed(library: Library, question: Question, relation: Relation) -> Span | None:
    """Where an inequality lets the target lie: found from where it holds with equality, and what holds beside that."""
    edges = _edges(library, question, relation)
    if edges is None or len(edges) > _EDGES:
        return None
    domain = library.declared[question.target].domain
    pieces = [span for span in pairwise([domain.low, *edges, domain.high]) if span[0] < span[1]]
    verdicts = [_is_allowed(library, question, relation, span) for span in pieces]
    if None in verdicts:
        return None
    if not edges and verdicts == [False]:
        raise _nowhere(question.target, relation)
    allowed = [span for span, verdict in zip(pieces, verdicts, strict=True) if verdict]
    return allowed[0] if len(allowed) == 1 else None


def _nowhere(target: str, relation: Relation) -> InconsistentError:
    return InconsistentError(
        f"{relation.name}: {relation.written} does not hold for any {target} in its domain.",
        hint="Change one of the givens.",
        conflicts=[relation.name],
        gap=math.inf,
    )


def _edges(library: Library, question: Question, relation: Relation) -> list[float] | None:
    """The target's values for which the two sides of an inequality are equal; None where they are not followed."""
    written = relation.written
    equal = replace(relation, written=Equation(written.lhs, "=", written.rhs))
    others = [other for other in library.relations.values() if other.is_equation]
    try:
        found = carried_out(type(library)([*others, equal], library.declared.values()), question)
    except DeriveError:
        return None
    if relation.name not in (name for block in found.plan.blocks for name in block.relations):
        return None
    if not found.states and has_any(library, found.plan, _JUMPS):
        return None
    target = question.target
    ends = [state.values[target] for state in found.states if target in state.values]
    ends += [end for state in found.states if target in state.spans for end in state.spans[target]]
    domain = library.declared[target].domain
    return sorted({end for end in ends if domain.low < end < domain.high})


def _is_allowed(library: Library, question: Question, relation: Relation, span: Span) -> bool | None:
    """Whether an inequality holds inside an interval; None where that is not known."""
    verdicts = [_holds_at(library, question, relation, point) for point in _inside(span)]
    return None if None in verdicts else any(verdicts)


def _inside(span: Span) -> list[float]:
    """Points in an interval that may be unbounded."""
    low, high = span
    if math.isfinite(low) and math.isfinite(high):
        return [low + (high - low) * share for share in (0.05, 0.5, 0.95)]
    if math.isinf(low) and math.isinf(high):
        return [-1e3, -1e-3, 1e-3, 1e3]
    end, sign = (low, 1) if math.isfinite(low) else (high, -1)
    return [end + sign * share * (abs(end) or 1.0) for share in (1e-3, 0.5, 1e3)]


def _holds_at(library: Library, question: Question, relation: Relation, point: float) -> bool | None:
    """Whether an inequality holds where the target is a number; it does not where that number leads nowhere."""
    stated = Value(point, point, point, _base_unit(library, question.target))
    values = {question.target: point}
    for name in relation.declared:
        if name in values:
            continue
        strong = {**question.strong, question.target: stated}
        asked = Question(name, strong, question.weak, case=question.case)
        try:
            found = carried_out(library, asked)
        except DeriveError:
            return None
        if found.plan.is_determined and not found.states:
            return False
        if len(found.states) != 1 or name not in found.states[0].values:
            return None
        values[name] = found.states[0].values[name]
    return agrees(relation.written, values, 0.0)


def _base_unit(library: Library, name: str) -> Unit:
    """The unit in which a number in base units is itself."""
    quantity = library.declared[name]
    return Unit(str(quantity.dimension), quantity.unit.factors, Fraction(1), quantity.dimension)


def has_any(library: Library, made: Plan, ops: Set[str]) -> bool:
    """Whether one of these operations stands in a relation of the plan."""
    used = [library.relations[name].written for block in made.blocks for name in block.relations]
    nodes = (part for written in used for side in (written.lhs, written.rhs) for part in walk(side))
    return any(isinstance(part, Apply) and part.op in ops for part in nodes)
