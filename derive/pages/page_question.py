"""What a page has to know to answer its question, so that any one of it can be asked for instead.

The values that a question uses, typed, of its profiles or defaults, are the *known* quantities: each fixes what the
relations leave open, so none of them follows from the others. With the target they are a closed set: if all of them but
one are given, that one is what is asked for. So a page of N known quantities needs N + 1 plans, whatever is moved.

Values that only an inequality needs, such as a capacity, are known *beside* them: they can be moved, but nothing
follows from them. Definitions (two operations to a multiply-add) are no choice and stay in the plans.

Where conditions decide which relations hold, a question uses other values in each case. A page knows those of all
cases, unless they would state something twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from derive.kernels.agreement import surplus
from derive.kernels.case_dispatch import cases, leaves
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.plan import plan
from derive.solving.answering.remarks import open_ratios
from derive.solving.answering.solver import solve
from derive.solving.execution.answer import Answer
from derive.solving.execution.question import Question, ask
from quantities.value import Value

__all__ = ["PageQuestion", "page_question"]


@dataclass(frozen=True)
class PageQuestion:
    """The known quantities of a page with their values; `idle` are typed names without effect."""

    targets: tuple[str, ...]
    profiles: tuple[str, ...]
    answer: Answer  # the first target, as the page is first set
    known: tuple[str, ...]
    beside: tuple[str, ...]
    values: Mapping[str, Value]
    typed: frozenset[str]
    idle: tuple[str, ...]
    sizes: Mapping[str, float]  # what the answers came to, in base units
    ratios: tuple[str, ...] = ()  # the pure numbers behind the first target that nothing stated determines
    fallbacks: tuple[str, ...] = ()  # the quantities behind it of which a value stands in for a relation

    @property
    def signature(self) -> tuple[frozenset[str], frozenset[str]]:
        """By which two questions have the same plans."""
        return frozenset(self.known), frozenset(self.beside)

    def given_for(self, unknown: str) -> tuple[str, ...]:
        """What is given where one of the closed set is asked for."""
        return tuple(name for name in (*self.known, self.targets[0], *self.beside) if name != unknown)


def page_question(
    library: RelationSet, targets: Sequence[str], profiles: tuple[str, ...], given: Mapping[str, Value]
) -> PageQuestion:
    """What a page of these targets has to know; an error if one of them has no answer at the values given.

    >>> from derive.relation_files.loading import load
    >>> from quantities.value import read_value
    >>> shelf = load('''[quantities]
    ... books = { unit = "1" }
    ... book  = { unit = "kg", value = "0.4 kg" }
    ... load  = { unit = "kg" }
    ... bears = { unit = "kg" }
    ... [relations]
    ... load = { equation = "load = books*book" }
    ... safe = { equation = "load <= bears" }
    ... [profiles]
    ... pine = { bears = "20 kg" }''')
    >>> found = page_question(shelf, ["load"], ("pine",), {"books": read_value("30")})
    >>> found.known, found.beside
    (('books', 'book'), ('bears',))
    """
    known: dict[str, Value] = {}
    beside: dict[str, Value] = {}
    idle: list[set[str]] = []
    sizes: dict[str, float] = {}
    ratios: tuple[str, ...] = ()
    fallbacks: tuple[str, ...] = ()
    answers = [solve(library, target, profiles, given) for target in targets]
    for target, answer in zip(targets, answers, strict=True):
        question = ask(library, target, profiles, given)
        used = _of_all_cases(library, question, answer.given)
        known |= {name: value for name, value in used.items() if name in given or not _is_fixed(value)}
        limits = [check.name for check in answer.checks if check.name in library.relations]
        beside |= _completing(library, question, limits, used)
        if target == targets[0]:
            spent = [one for stage in answer.course.stages for one in stage.relations] if answer.course else []
            ratios = tuple(open_ratios(library, question, spent))
            fallbacks = tuple(name for name, value in used.items() if value.source.stands_in)
        idle.append({*given} - used.keys())
        sizes |= {target: answer.base or 0.0, **(answer.course.values if answer.course else {})}
    known = {name: value for name, value in known.items() if name != targets[0]}
    beside = {name: value for name, value in beside.items() if name not in known and name not in targets}
    order = [*given, *library.declared]
    return PageQuestion(
        tuple(targets),
        profiles,
        answers[0],
        tuple(sorted(known, key=order.index)),
        tuple(sorted(beside, key=order.index)),
        known | beside,
        frozenset(given),
        tuple(name for name in given if all(name in one for one in idle) and name not in beside),
        sizes,
        ratios,
        fallbacks,
    )


def _is_defined(value: Value) -> bool:
    return value.source.kind == "exact"


def _is_fixed(value: Value) -> bool:
    """Whether a value stays in the plans: a definition, or a fallback, which a relation replaces where it can."""
    return _is_defined(value) or value.source.stands_in


def _of_all_cases(library: RelationSet, question: Question, used: Mapping[str, Value]) -> dict[str, Value]:
    """The values in use in any case, or in this one only if those of all cases state something twice."""
    trees = cases(library, question.outline).alternatives
    plans = [case.plan for tree in trees for case in leaves(tree)]
    stated = question.values
    met = {one for made in plans for one in library.held_by(made.relations)}
    weak = {name for made in plans for name in made.weak}
    whole = {name: stated[name] for name in stated if name in met and (name in weak or name in question.strong)}
    whole |= used
    alone = [name for name, value in whole.items() if name in question.strong or not _is_defined(value)]
    if len(plans) < 2:
        return dict(used)
    twice, _ = surplus(library, alone, plans)
    return dict(used) if twice else whole


def _completing(
    library: RelationSet, question: Question, limits: Iterable[str], used: Mapping[str, Value]
) -> dict[str, Value]:
    """The values that inequalities need besides: those in them, and those behind what is worked out only for them."""
    made = plan(
        structure_of(library, stated=question.stated), question.target, list(question.strong), list(question.weak)
    )
    behind = {name: block.relations for block in made.extra for name in block.unknowns}
    stated = question.values
    pending = [*library.held_by(name for name in limits if not library.relations[name].is_equation)]
    found: dict[str, Value] = {}
    met: set[str] = set()
    while pending:
        name = pending.pop()
        if name in met or name in used:
            continue
        met.add(name)
        if name in stated and not _is_defined(stated[name]) and name not in made.unknowns:
            found[name] = stated[name]
        elif name in behind:
            pending += library.held_by(behind[name])
    return found
