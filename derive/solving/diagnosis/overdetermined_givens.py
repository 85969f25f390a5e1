"""What the givens alone determine, and state more than once: whether they agree there, whatever is asked.

A target is planned from what it needs. Givens may contradict each other elsewhere: with `a = 2*x` and `b = 3*a`,
`x = 1` beside `b = 60` is a contradiction also for whoever asks what follows from `x` and `b` themselves. So the exact
relations that surely apply are matched to what the strong values leave open, without a target. A relation that is left
over is tested, as are inequalities and estimates all of whose quantities follow, and so is what may leave its domain
(`domain_violations`); what they need is computed, and nothing else. Of what only a search could find, it is asked
whether it is seen without one that there is nothing to find. Where counting leaves quantities open that cancel between
relations, or takes for fixed what dependent relations leave open, they are eliminated (`elimination`). And of relations
each of its own case, where nothing tells which of them applies, one at least has to fit.

Which relations these are depends on the names of the givens alone, unless a given or a sum of givens is zero: what it
multiplies is gone then. It is cached; most questions have none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from derive.caches import Memo, numbers_as_key
from derive.errors import DeriveError, InconsistentError, LimitError, first_names
from derive.expressions.functions import PERIODIC, STEPPED
from derive.expressions.tree import Apply, Name, Node, has_operation, names_in, operations
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.like_terms import SWITCHES, ZERO, difference_of
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Span, truths
from derive.planning.basis import determined
from derive.planning.directions import directed
from derive.planning.incidence import Core, Structure, core_of, structure_of
from derive.planning.matching import Matching
from derive.planning.plan import Block, Plan, ordered
from derive.presentation.cautions import no_value_fits
from derive.solving.assumptions import Assumption
from derive.solving.blocks.closed_forms import composed, enclosed_form, only_form
from derive.solving.cancellation.elimination import prove_fit
from derive.solving.cancellation.jacobian_rank import repeated_among, structure_of_combined
from derive.solving.diagnosis.conflicts import behind, contradiction, tested
from derive.solving.diagnosis.domain_violations import (
    certainly_left,
    is_nowhere,
    is_searched,
    is_silent,
    leaving,
    leaving_from,
)
from derive.solving.execution.answer import Check
from derive.solving.execution.block_execution import State, states_for_checks
from derive.solving.execution.case_claims import is_possible
from derive.solving.execution.checks import checked, is_void, led_to_by_givens
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.question import Question, stated_at
from derive.time_limits import sharing, tick
from derive.tolerances import AGREEMENT, SAME_ROOT
from quantities.value import read_number

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.solving.execution.answer import Answer

_SEVERAL = frozenset({*SWITCHES, *STEPPED, *PERIODIC})  # operations that have one value for several numbers
_DIFFERENCE = ""  # a name that no quantity has, for the difference of two sides among the forms of quantities
_MOST = 16  # limit on solutions that are followed
_SETS = 16  # limit on sets of dependent relations that are looked at
_SHARE = 0.5  # of the remaining time
UNTESTED = Assumption("it takes too long to test whether the givens agree beyond what this answer needs")


@dataclass(frozen=True, slots=True)
class Agreement:
    """What was tested beside a target: the checks, the givens behind each, and a note where the time ran out."""

    checks: tuple[Check, ...] = ()
    behind: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: tuple[Assumption, ...] = ()
    denied: tuple[float, ...] = ()  # numbers of the target beside which something else has no value

    def denies(self, answer: Answer) -> bool:
        """Whether what the givens determine beside the target has no value where it is this answer's number."""
        number = answer.base
        return number is not None and any(math.isclose(number, other, rel_tol=SAME_ROOT) for other in self.denied)


@dataclass(frozen=True, slots=True)
class StatedTwice:
    """What some givens state twice: the relations to test, the blocks that these need, and what only cancels."""

    tests: frozenset[str]
    leaving: frozenset[str]  # the quantities that may leave their domains
    needed: frozenset[str]  # the quantities that the relations to test need, their conditions included
    blocks: tuple[Block, ...]
    unsolved: frozenset[Block]  # those of which it is only asked whether they have a solution
    searched: frozenset[str]  # the quantities that only a search gives: what follows from these is left out
    conditional: frozenset[str]  # the relations under conditions that may be among them
    dependent: tuple[tuple[str, ...], ...]
    undecided: tuple[str, ...] = ()  # relations that may apply or not, all of whose quantities follow
    in_cases: tuple[tuple[str, tuple[str, ...]], ...] = ()  # others, for each quantity that they give in their case

    def is_told(self, tested: Collection[str], reached: Collection[str]) -> bool:
        """Whether the checks of an answer already test everything that its overdetermined givens state twice."""
        return self.tests <= {*tested} and self.leaving <= {*reached} and not self.dependent


_LEAVING_SEVERAL = Memo[frozenset[str]](most=1)
_TWICE = Memo[StatedTwice](most=64)
_SUMS = Memo[tuple[Apply, ...]](most=1024)


def agreement(library: RelationSet, question: Question, answers: Sequence[Answer]) -> Agreement:
    """The checks that overdetermined givens agree; raises if they contradict each other.

    The answers have tested some relations and reached some quantities themselves: most questions leave nothing more.
    """
    passed = set.intersection(*({check.name for check in answer.checks if check.passed} for answer in answers))
    reached = set.intersection(*({*answer.quantities} for answer in answers))
    try:
        with sharing(_SHARE):
            within = _agreement_of_exact(library, question, passed, reached)
            further = list(_limits(library, question, answers, {*passed, *within.behind}))
            typed_behind = {check.name: _typed_behind(library, question, check.name) for check in further}
            return replace(within, checks=(*within.checks, *further), behind={**typed_behind, **within.behind})
    except LimitError:
        return Agreement(notes=(UNTESTED,))


def prove_agreement(library: RelationSet, question: Question) -> None:
    """Raise an error if overdetermined givens contradict each other by exact relations, without any weak value."""
    with suppress(LimitError), sharing(_SHARE):
        _agreement_of_exact(library, question, (), ())


def prove_number_fits(library: RelationSet, question: Question, answer: Answer) -> None:
    """Raise an error if what follows from an answer that only a search gives contradicts overdetermined givens.

    Once the number is known, nothing has to be searched: with `k = y**3 + y`, k = -10 leads to y = -2, and with
    `y = x**2` that leaves x no value.
    """
    if answer.base is None or question.ranges or question.target in question.strong:
        return
    if question.target not in stated_twice(library, question).searched:
        return
    if question.target not in leaving_from(library, question.strong).searched:
        return  # it rests on a case, which may not apply, or on a weak value
    bases = {question.target: answer.base}
    for part in answer.steps[-1].together if answer.steps else ():  # a search gives these together
        if part.result is not None and part.result[0][0] == part.result[0][1]:
            bases.setdefault(part.quantity, part.result[0][0])
    units = {name: library.declared[name].unit for name in bases}
    numbers = {name: read_number(unit.from_base(bases[name]), unit) for name, unit in units.items()}
    typed = question.but(strong={**question.strong, **numbers})
    relations = [step.relation for step in chain.from_iterable(step.together or (step,) for step in answer.steps)]
    try:
        with suppress(LimitError), sharing(_SHARE):
            _agreement_of_exact(library, typed, (), (), frozenset(relations))  # these have been tested
    except InconsistentError as error:
        assumed = [f"{name} = {number}" for name, number in numbers.items()]
        names = [name for name in answer.given if name in question.strong]
        others = [part for part in error.conflicts if part not in assumed]
        conflicts = dict.fromkeys([*relations, *others, *(f"{name} = {question.strong[name]}" for name in names)])
        sentence = error.what.partition(". The conflict")[0]
        without = f", or leave {relations[0]} out" if relations else ""
        raise InconsistentError(
            f"{assumed[0]} follows, and then {sentence}. The conflict: {', '.join(conflicts)}.",
            hint=f"Change or drop {first_names(names, 1) or 'one of the givens'}{without}.",
            conflicts=tuple(conflicts),
            gap=error.gap,
        ) from None


def _agreement_of_exact(
    library: RelationSet,
    question: Question,
    passed: Collection[str],
    reached: Collection[str],
    left_out: frozenset[str] = frozenset(),
) -> Agreement:
    """The agreement of givens that exact relations overdetermine at strong values; raises at a contradiction."""
    twice = stated_twice(library, question, left_out)
    beside_ranges = _dependent_beside_ranges(library, question)
    if twice.is_told(passed, reached) and not beside_ranges:
        return Agreement()
    alone = question.but(weak={}, own=None, outdated={}, goes_with={}, origins={})
    spans = {**point_box(question.numbers), **question.ranges}
    twice, all_states = _applying_everywhere(library, alone, twice, left_out)
    plan = Plan("", (), (), tuple(twice.tests), twice.blocks)
    states = [_without_undefined(library, twice, state) for state in all_states]
    left_by_middle: frozenset[str] = frozenset()  # no value in the middle of the ranges, but perhaps elsewhere
    nowhere: frozenset[str] = frozenset()
    if question.ranges and states:
        nowhere = certainly_left(library, twice.blocks, _around(spans))
        left_by_middle = frozenset.intersection(*(frozenset(state.barred) for state in states)) - nowhere
        states = [replace(state, barred=state.barred & nowhere) for state in states]
    clashes = [contradiction(library, alone, plan, state, nowhere) for state in states]
    notes = chain.from_iterable(state.notes for state in states)
    is_proved = not any(note.leaves_others for note in notes)
    if states and is_proved and None not in clashes:
        try:
            raise next(clash for clash in clashes if clash is not None)
        finally:
            del clashes  # the error's traceback holds this frame, which would hold the error
    for names in (*twice.dependent, *beside_ranges):
        prove_fit(library, alone, names)
    sound = [state for state, clash in zip(states, clashes, strict=True) if clash is None]
    clashing = [state for state, clash in zip(states, clashes, strict=True) if clash is not None]
    if len(sound) == 1:
        _prove_a_case_fits(library, alone, plan, twice, sound[0])
    tested = _tested(library, alone, plan, sound[0]) if len(sound) == 1 else Agreement()
    beyond = [_check_left_by_middle(library, plan, name) for name in plan.sources if name in left_by_middle]
    typed_behind = {**tested.behind, **{check.name: frozenset[str]() for check in beyond}}
    denied: tuple[float, ...] = ()
    if is_proved and not question.ranges:
        numbers = _numbers_of(question.target, sound)
        others = _numbers_of(question.target, clashing)
        denied = tuple(x for x in others if not any(math.isclose(x, y, rel_tol=SAME_ROOT) for y in numbers))
    return replace(tested, checks=(*tested.checks, *beyond), behind=typed_behind, denied=denied)


def _applying_everywhere(
    library: RelationSet, question: Question, twice: StatedTwice, left_out: frozenset[str]
) -> tuple[StatedTwice, list[State]]:
    """What givens overdetermine by the relations that surely apply all over the ranges, and the states that follow."""
    decisions = decisions_of(library, question)
    spans = {**point_box(question.numbers), **question.ranges}

    def is_steady(condition: Node) -> bool:
        names = names_in(condition)
        if not any(map(decisions.is_of_ranges, names)):
            return True
        return spans.keys() >= {*names} and truths(condition, spans) == {True}

    def is_unsure(name: str) -> bool:
        """Whether a relation that givens may overdetermine does not surely apply all over the ranges."""
        relation = library.relations[name]
        return decisions.applies(relation) is not True or not all(map(is_steady, relation.conditions))

    unsure, undecided, open_here = left_out, frozenset[str](), frozenset[str]()
    # without the relations that are unsure, others may be tests, which may be under conditions themselves
    while more := frozenset(filter(is_unsure, twice.conditional)):
        unsure |= more
        undecided = frozenset(name for name in unsure if decisions.applies(library.relations[name]) is None)
        twice = stated_twice(library, question, unsure, undecided)
    states = _states(library, twice, question)
    # a relation may leave open at these numbers what another gives: x*y = 0 leaves y where x is 0
    while more := _relations_leaving_open(twice, states) - open_here:
        open_here |= more
        twice = stated_twice(library, question, unsure, undecided, open_here)
        states = _states(library, twice, question)
    return twice, states


def _numbers_of(target: str, states: Iterable[State]) -> list[float]:
    """The numbers of a target in the states that overdetermined givens determine."""
    return [state.values[target] for state in states if target in state.values]


def _prove_a_case_fits(library: RelationSet, question: Question, plan: Plan, twice: StatedTwice, state: State) -> None:
    """Raise if overdetermined givens fit no case of the relations that may apply or not.

    `b = a + 1` when c > 2, `b = a + 5` otherwise leave b no other value, whatever c is. `b = c` when c < 3, `b = c + 1`
    otherwise leave c none where b is 3.5.
    """
    around = _around({**point_box(question.numbers), **question.ranges})
    forms = state.forms
    if question.ranges:  # elsewhere in these, another arm or root may give a quantity
        forms = {name: form for name, form in forms.items() if only_form(library, plan.sources[name]) is not None}

    def surely_fails(name: str) -> bool:
        difference = composed(_DIFFERENCE, {**forms, _DIFFERENCE: difference_of(library.relations[name].written)})
        enclosure = enclosed_form(difference, around)
        return enclosure is not None and enclosure.misses_zero

    failing = [*filter(surely_fails, twice.undecided)]

    def may_fail(names: Collection[str]) -> bool:
        case = replace(question.case, failing=question.case.failing.union(names))
        return is_possible(library, replace(question, case=case))

    if failing and not may_fail(failing):
        for name in [*failing]:
            others = [other for other in failing if other != name]
            failing = failing if may_fail(others) else others
        raise _fits_no_case(library, question, plan, failing, "one of them has to apply, and none fits the others")
    for name, relations_for_it in twice.in_cases:
        if not is_possible(library, question, [name]):
            what = f"in no case do they leave {name} a value"
            raise _fits_no_case(library, question, plan, relations_for_it, what)


def _fits_no_case(
    library: RelationSet, question: Question, plan: Plan, relations: Sequence[str], what: str
) -> InconsistentError:
    """The error for overdetermined givens that fit none of some relations, each of its own case."""
    traces = [behind(library, plan, library.relations[name]) for name in relations]
    involved = dict.fromkeys([*relations, *chain.from_iterable(names for names, _, _ in traces)])
    givens = dict.fromkeys(chain.from_iterable(names for _, names, _ in traces))
    stated = [f"{name} = {question.strong[name]}" for name in givens if name in question.strong]
    return InconsistentError(
        f"{' or '.join(relations)}: {what}. "
        f"The conflict: {'; '.join(', '.join(part) for part in (involved, stated) if part)}.",
        hint=f"Change or drop one of the givens, or leave {relations[0]} out.",
        conflicts=(*involved, *stated),
        gap=math.inf,
    )


def _dependent_beside_ranges(library: RelationSet, question: Question) -> list[tuple[str, ...]]:
    """The sets of dependent relations that always apply and are overdetermined whatever the ranges are.

    With `a = x*y` and `b = 2*x*y`, b is twice a for every x of a range.
    """
    if not question.ranges:
        return []
    numbers = {name: value for name, value in question.strong.items() if name not in question.ranges}
    dependent = stated_twice(library, question.but(strong=numbers)).dependent
    conditional = {relation.name for relation in library.conditional}
    return [names for names in dependent if conditional.isdisjoint(names)]


def _check_left_by_middle(library: RelationSet, plan: Plan, name: str) -> Check:
    """The failed check of a quantity to which overdetermined givens leave no value in the middle of the ranges."""
    reason = no_value_fits(plan.sources[name].relations, plan.sources[name].unknowns)
    verdict = f"in the middle of the ranges, {reason}"
    tested = library.declared[name]
    return Check(name, reason, math.inf, passed=False, verdict=verdict, brief=verdict, tested=tested, is_in_part=True)


def _without_undefined(library: RelationSet, twice: StatedTwice, state: State) -> State:
    """A state of overdetermined givens alone, without bars on what is merely undefined here and stated only once."""
    beside = [block for block in twice.blocks if twice.needed.isdisjoint(block.unknowns)]
    silent = [block.unknowns for block in beside if is_silent(library, block, state.values)]
    return replace(state, barred=state.barred.difference(*silent))


def _limits(
    library: RelationSet, question: Question, answers: Sequence[Answer], tested: Collection[str]
) -> Iterator[Check]:
    """The checks whether what overdetermined givens and an only answer determine keeps to limits untested so far.

    A limit that defaults alone break says nothing of this question, and is left out.
    """
    names = [relation.name for relation in library.inequalities if relation.name not in tested]
    number = answers[0].base if len(answers) == 1 and not question.ranges else None
    if number is None:  # what the answers worked out has several numbers, or none
        worked_out = set[str]().union(*({*answer.quantities}.difference(answer.given) for answer in answers))
        names = [name for name in names if worked_out.isdisjoint(library.members[name])]
    if not names:
        return
    target = {} if number is None else {question.target: stated_at(library, question.target, number)}
    with_target = question.but(strong={**target, **question.strong})
    decisions = decisions_of(library, with_target)
    for limit in names:
        relation = library.relations[limit]
        if not all(map(decisions.is_in_reach, library.members[limit])) or decisions.applies(relation) is not True:
            continue
        known = _numbers_in_limit(library, with_target, library.members[limit])
        if known.keys() < {*library.members[limit]} or is_void(library, question, limit, known):
            continue
        check = checked(relation, known, question.ranges, {}, question.ranges)
        if check.passed or not _is_of_defaults(library, question, relation):
            yield check


def _numbers_in_limit(library: RelationSet, question: Question, names: Sequence[str]) -> dict[str, float]:
    """The numbers of quantities in a limit that overdetermined givens are to keep to, as far as they are known.

    A weak value yields to what the givens lead to, and not to other weak values: published figures are rounded.
    """
    decisions = decisions_of(library, question)
    weak = [name for name in names if name in question.weak]
    standing = {*weak}.difference(led_to_by_givens(library, question, weak))
    values = {name: question.weak[name].base[1] if name in standing else decisions.value(name) for name in names}
    return {name: number for name, number in values.items() if number is not None}


def _typed_behind(library: RelationSet, question: Question, relation: str) -> frozenset[str]:
    """The givens whose agreement an overdetermined relation tests: those in it, and those behind its quantities."""
    names = {*library.members[relation]}
    for name in library.members[relation]:
        plan = replace(question, target=name).plan(library)
        names.update(library.held_by(plan.relations))
    return frozenset(names & question.strong.keys())


def _is_of_defaults(library: RelationSet, question: Question, relation: Relation) -> bool:
    """Whether a limit tests no overdetermined givens: the standing defaults alone determine what is in it."""
    defaults = [name for name, value in question.weak.items() if value is library.defaults.get(name)]
    members = library.members[relation.name]
    known = determined(structure_of(library), (), defaults).union(defaults)
    return known.issuperset(members) and question.strong.keys().isdisjoint(members)


def _tested(library: RelationSet, question: Question, plan: Plan, state: State) -> Agreement:
    """The agreement of overdetermined givens: the checks of it in a state, and the givens behind each."""
    checks = tested(library, question, plan, state)
    typed_behind = {}
    for relation, _ in checks:
        _, givens, _ = behind(library, plan, relation)
        typed_behind[relation.name] = frozenset(givens)
    return Agreement(tuple(check for _, check in checks), typed_behind)


def _states(library: RelationSet, twice: StatedTwice, question: Question) -> list[State]:
    """The states that overdetermined givens alone determine: what has no value is barred, what is unknown left out."""
    states = [State(question.numbers)]
    for block in twice.blocks:
        tick()
        if block in twice.unsolved:
            states = [_barred_where_refuted(library, question, block, state) for state in states]
            continue
        following: list[State] = []
        for state in states:
            try:
                following += states_for_checks(library, block, state)
            except LimitError:  # the answer says that this was not tested
                raise
            except DeriveError:
                following.append(state)
        states = following if len(following) <= _MOST else states
    return states


def _relations_leaving_open(twice: StatedTwice, states: Sequence[State]) -> frozenset[str]:
    """The relations that leave the quantity that each should give open, in all states of overdetermined givens."""
    if not states or not twice.tests:
        return frozenset()
    left_open = set.intersection(*({*state.spans} for state in states))
    blocks = (block for block in twice.blocks if not left_open.isdisjoint(block.unknowns))
    return frozenset(chain.from_iterable(block.relations for block in blocks))


def _around(spans: Mapping[str, Span]) -> dict[str, Span]:
    """The wider span of each number or range that is typed: anywhere in it, overdetermined givens may lie and agree.

    They agree within a share of their terms, and what follows from them may be a small difference of these.
    """
    return {name: (low - AGREEMENT * abs(low), high + AGREEMENT * abs(high)) for name, (low, high) in spans.items()}


def _barred_where_refuted(library: RelationSet, question: Question, block: Block, state: State) -> State:
    """The state of overdetermined givens after a block that is not solved: barred where it surely has no solution."""
    around = _around(point_box(question.numbers))
    spans: dict[str, Span] = {}
    for name in sorted(block.inputs(library)):
        enclosure = enclosed_form(composed(name, state.forms) if name in state.forms else Name(name), around)
        if enclosure is None or enclosure.partial:
            return state
        spans[name] = enclosure.values
    if is_nowhere(library, block, spans):
        return replace(state, barred=state.barred | {*block.unknowns})
    return state


def stated_twice(
    library: RelationSet,
    question: Question,
    left_out: frozenset[str] = frozenset(),
    undecided: frozenset[str] = frozenset(),
    last: frozenset[str] = frozenset(),
) -> StatedTwice:
    """What the givens of a question overdetermine, by all relations but those left out, of which some are undecided.

    A relation among the `last` gives a quantity only where no other does.
    """
    given, at_zeros = frozenset(question.strong), _numbers_at_zeros(library, question)

    def twice() -> StatedTwice:
        core = core_of(library, (question.target, *question.strong, *question.weak))
        return by_names(library, core, given, at_zeros, left_out, undecided, last)

    return _TWICE.of(library.session, (given, numbers_as_key(at_zeros), left_out, undecided, last), twice)


def _numbers_at_zeros(library: RelationSet, question: Question) -> dict[str, float]:
    """The numbers of strong values where counting may miss overdetermined ones: they, or sums of them, are zero."""
    numbers = {name: stated.base[1] for name, stated in question.strong.items() if not stated.is_range}
    names = {name for name, number in numbers.items() if number == 0}
    for condition in zero_sums(library, numbers):
        if holds(condition, numbers):
            names.update(names_in(condition))
    return {name: numbers[name] for name in numbers if name in names}


def zero_sums(library: RelationSet, given: Collection[str]) -> Iterator[Node]:
    """The conditions that sums of givens are zero, as `a - 1 == 0`: there the givens may be overdetermined unseen."""

    def sums(relation: str) -> tuple[Apply, ...]:
        added = operations(*library.relations[relation].written.sides, among=("add",))
        return tuple(Apply("eq", (total, ZERO)) for total in added if total.names)

    for relation in dict.fromkeys(chain.from_iterable(library.holders.get(name, ()) for name in given)):
        for condition in _SUMS.of(library.session, relation, partial(sums, relation)):
            if all(name in given for name in condition.names):
                yield condition


def by_names(
    library: RelationSet,
    core: Core,
    given: frozenset[str],
    at_zeros: Mapping[str, float],
    left_out: frozenset[str],
    undecided: frozenset[str] = frozenset(),
    last: frozenset[str] = frozenset(),
) -> StatedTwice:
    """Find what given names overdetermine, some with numbers; relations that follow from others are left out."""
    estimates = {name for name, relation in library.relations.items() if relation.approximate is not None}
    skipped = left_out | estimates
    within = core.structure(skipped & core.decisive, frozenset())
    fixed, solved, spare = _fixed(library, core, within, given, skipped, last)
    structure = structure_of(library, skipped)
    following = ordered(structure, solved, sorted(fixed - given), given) if fixed != given else []
    may_leave = leaving(library, following)
    others = {relation.name for relation in library.inequalities} | estimates
    tests = {name for name in (spare | others) - left_out if fixed.issuperset(library.members[name])}
    conditions = chain.from_iterable(library.relations[name].conditions for name in tests)
    asked = [*chain.from_iterable(library.members[name] for name in tests)]
    asked += [name for name in names_in(*conditions) if name in fixed]  # a test only applies where these have numbers
    in_a_case, of_cases = _of_undecided(library, sorted(undecided - estimates), fixed)
    asked += chain.from_iterable(library.members[name] for name in in_a_case)
    asked += chain.from_iterable(sorted(fixed & {*library.members[name]}) for name in chain(*of_cases.values()))
    wanted = [*may_leave, *asked]
    blocks = tuple(ordered(structure, solved, wanted, given)) if wanted else ()
    needed = ordered(structure, solved, asked, given) if asked else []
    unsolved = frozenset(block for block in blocks if block not in needed and is_searched(library, block))
    used = tests.union(*(block.relations for block in blocks))
    combined = structure_of_combined(library, given, skipped, is_generic=False) if at_zeros else within
    dependent = tuple(_untested(library, combined, given, at_zeros, fixed, tests))
    conditional = {relation.name for relation in library.conditional if relation.name not in left_out}
    return StatedTwice(
        tests=frozenset(tests),
        leaving=frozenset(may_leave),
        needed=frozenset(chain.from_iterable(block.unknowns for block in needed)),
        blocks=blocks,
        unsolved=unsolved,
        searched=frozenset(chain.from_iterable(block.unknowns for block in following if is_searched(library, block))),
        conditional=frozenset(conditional & used.union(*dependent)),
        dependent=dependent,
        undecided=tuple(in_a_case),
        in_cases=tuple((name, tuple(relations)) for name, relations in of_cases.items()),
    )


def _of_undecided(
    library: RelationSet, undecided: Sequence[str], fixed: Set[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """The undecided relations that givens fix altogether, and those that give one more quantity in their own case."""
    in_a_case: list[str] = []
    of_cases: dict[str, list[str]] = {}  # by the quantity, which their conditions contain
    for relation in map(library.relations.__getitem__, undecided):
        missing = [name for name in relation.members if name not in fixed]
        if not missing and relation.is_equation:
            in_a_case.append(relation.name)
        elif len(missing) == 1 and missing[0] in names_in(*relation.conditions):
            of_cases.setdefault(missing[0], []).append(relation.name)
    return in_a_case, of_cases


def _fixed(
    library: RelationSet,
    core: Core,
    within: Structure,
    given: frozenset[str],
    skipped: frozenset[str],
    last: frozenset[str],
) -> tuple[frozenset[str], dict[str, str], Set[str]]:
    """The names that given names fix, the relation that gives each, and the relations that may be overdetermined.

    Inside the core these are `within`.
    """
    matching = Matching.of(within, given)
    fixed = given | matching.determined(within)
    unmatched = (members for name, members in within.members.items() if name not in matching.fixes)
    is_spare = any(map(fixed.issuperset, unmatched))
    leaving_several = _leaving_several(library)
    in_turn = sorted(within.members, key=lambda name: (name in last, name in leaving_several))
    solved = {**directed(within, in_turn, given)} if is_spare or fixed != given else {}
    spare = within.members.keys() - solved.values() if is_spare else set[str]()
    for relation, own in core.apart.items():  # each only gives its own quantity, once all others are known
        if relation not in skipped and fixed.issuperset(name for name in library.members[relation] if name != own):
            fixed |= {own}
            solved[own] = relation
    return fixed, solved, spare


def _leaving_several(library: RelationSet) -> frozenset[str]:
    """The relations that should test overdetermined givens, since they may leave an unknown several values."""

    def names() -> frozenset[str]:  # cached, since the walk over all relations takes long
        relations = library.relations.values()
        return frozenset(each.name for each in relations if has_operation(*each.written.sides, among=_SEVERAL))

    return _LEAVING_SEVERAL.of(library.session, "", names)


def _untested(
    library: RelationSet,
    structure: Structure,
    given: frozenset[str],
    at_zeros: Mapping[str, float],
    fixed: frozenset[str],
    tests: Collection[str],
) -> Iterator[tuple[str, ...]]:
    """Sets of dependent relations that givens may overdetermine without counting showing it.

    Quantities that counting leaves open may cancel between them. Or counting takes all of them for fixed, one by each
    relation, and no relation is left over as a test: so it is with `u + v = 1` and `2*u + 2*v = 3`. Such a quantity
    has no number, so another relation with it cannot be tested either.
    """
    repeated = list(islice(repeated_among(library, structure, given, at_zeros), _SETS))
    unfixed = set[str]()
    pending = repeated
    while untested := [names for names in pending if not _is_tested(library, names, fixed - unfixed, tests)]:
        yield from untested
        pending = [names for names in pending if names not in untested]
        unfixed.update(*(library.members[name] for name in chain.from_iterable(untested)))
        unfixed -= given


def _is_tested(library: RelationSet, names: Sequence[str], fixed: frozenset[str], tests: Collection[str]) -> bool:
    """Whether dependent relations leave no overdetermined given untested: one is a test, and all in them is fixed."""
    members = chain.from_iterable(library.members[name] for name in names)
    return fixed.issuperset(members) and any(name in tests for name in names)
