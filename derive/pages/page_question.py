"""What a page has to know to answer its question, so that any one of it can be asked for instead.

The values that a question uses, typed, of its profiles or defaults, are the *known* quantities: each fixes what the
relations leave open, so none of them follows from the others. With the target they are a closed set: if all of them but
one are given, that one is what is asked for. So a page of N known quantities needs N + 1 plans, whatever is moved.

Values that only an inequality needs, such as a capacity, are known *beside* them: they can be moved, but nothing
follows from them. Definitions (two operations to a multiply-add) are no choice and stay in the plans.

Where conditions decide which relations hold, a question uses other values in each case. A page knows those of all
cases, unless they would state something twice.

A page has *variants*: one for each set of quantities that its choices of profiles ask for.

For each profile that the question names, those of its kind may take its place. Two profiles are of one kind if they
stand in one list of facts (the chips, the models), or if one of them states at least half of the quantities that the
other states. What a page can do depends on which quantities a profile states and not on their numbers: profiles that
state the same are asked about once.

A chip that states no price, or a model of experts, asks for other quantities than the page's own profiles do. Every
choice is sorted into a variant that has its own plans, or is left out with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product

from derive.errors import DeriveError
from derive.kernels.agreement import surplus
from derive.model.relation_set import RelationSet
from derive.solving.answering.remarks import open_ratios
from derive.solving.answering.solver import solve
from derive.solving.case_trees import cases
from derive.solving.execution.answer import Answer
from derive.solving.execution.question import Question, ask
from quantities.profiles import Profile
from quantities.value import Value

_MOST = 12  # variants of one page


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
        """What sorts page questions into variants: two of the same signature have the same plans."""
        return frozenset(self.known), frozenset(self.beside)

    def given_for(self, unknown: str) -> tuple[str, ...]:
        """The names held fixed when `unknown` is asked for instead: known quantities, those beside, and the target."""
        return tuple(name for name in (*self.known, self.targets[0], *self.beside) if name != unknown)


def page_question(
    library: RelationSet, targets: Sequence[str], profiles: tuple[str, ...], given: Mapping[str, Value]
) -> PageQuestion:
    """What a page of these targets has to know of its question; an error if one has no answer at the values given.

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
        in_steps = {name: answer.given[name] for name in answer.lineage.origins}  # and not only in a condition
        used = _of_all_cases(library, question, in_steps)
        known |= {name: value for name, value in used.items() if name in given or not _is_fixed(value)}
        limits = [check.name for check in answer.checks if check.name in library.relations]
        beside |= _completing(library, question, limits, used)
        if target == targets[0]:
            stages = answer.course.stages if answer.course else ()
            relations = list(chain.from_iterable(stage.relations for stage in stages))
            ratios = tuple(open_ratios(library, question, relations))
            fallbacks = tuple(name for name, value in used.items() if value.source.stands_in)
        idle.append({*given} - used.keys())
        sizes[target] = answer.base or 0.0
        if answer.course:
            sizes |= answer.course.values
    known = {name: value for name, value in known.items() if name != targets[0]}
    beside = {name: value for name, value in beside.items() if name not in known and name not in targets}
    order = [*given, *library.declared]
    return PageQuestion(
        targets=tuple(targets),
        profiles=profiles,
        answer=answers[0],
        known=tuple(sorted(known, key=order.index)),
        beside=tuple(sorted(beside, key=order.index)),
        values=known | beside,
        typed=frozenset(given),
        idle=tuple(name for name in given if name not in beside and all(name in names for names in idle)),
        sizes=sizes,
        ratios=ratios,
        fallbacks=fallbacks,
    )


def _is_defined(value: Value) -> bool:
    return value.source.kind == "exact"


def _is_fixed(value: Value) -> bool:
    """Whether a value is no known quantity of a page but stays in its plans: a definition, or a fallback."""
    return _is_defined(value) or value.source.stands_in


def _of_all_cases(library: RelationSet, question: Question, used: Mapping[str, Value]) -> dict[str, Value]:
    """The values that a page's question knows, in use in any case; those of this case, if all state something twice."""
    plans = cases(library, question.outline).plans
    if len(plans) < 2:
        return dict(used)
    stated = question.values
    members = set(chain.from_iterable(library.held_by(plan.relations) for plan in plans))
    given = {*question.strong, *chain.from_iterable(plan.weak for plan in plans)}
    values = {name: stated[name] for name in stated if name in members and name in given}
    values |= used
    chosen = [name for name, value in values.items() if name in question.strong or not _is_defined(value)]
    stated_twice, _ = surplus(library, chosen, plans)
    return dict(used) if stated_twice else values


def _completing(
    library: RelationSet, question: Question, limits: Iterable[str], used: Mapping[str, Value]
) -> dict[str, Value]:
    """The known values that a page's inequalities need besides, in them or behind what is worked out only for them."""
    plan = question.plan(library)
    behind: dict[str, tuple[str, ...]] = {}
    for block in plan.extra:
        behind |= dict.fromkeys(block.unknowns, block.relations)
    stated = question.values
    pending = [*library.held_by(name for name in limits if not library.relations[name].is_equation)]
    needed: dict[str, Value] = {}
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or name in used:
            continue
        seen.add(name)
        if name in stated and not _is_defined(stated[name]) and name not in plan.unknowns:
            needed[name] = stated[name]
        elif name in behind:
            pending += library.held_by(behind[name])
    return needed


@dataclass(frozen=True)
class Slot:
    """A profile of the question, and what may take its place, by what each states."""

    chosen: str
    kind: str  # the list that they stand in; empty if in none
    alike: Mapping[frozenset[str], tuple[str, ...]]
    """The names of the profiles that state the same quantities; those of the chosen one come first."""


def slots(library: RelationSet, profiles: Iterable[str]) -> tuple[Slot, ...]:
    """A slot of a page's question for each profile.

    >>> from derive.relation_files.loading import load
    >>> shop = load('''[quantities]
    ... speed = { unit = "m/s" }
    ... price = { unit = "USD" }
    ... load  = { unit = "kg" }
    ... [profiles]
    ... bike = { speed = "6 m/s" }
    ... van  = { speed = "20 m/s", price = "9 USD" }
    ... car  = { speed = "30 m/s", price = "5 USD" }
    ... sofa = { load = "60 kg" }''')
    >>> [list(slot.alike.values()) for slot in slots(shop, ["van"])]
    [[('van', 'car'), ('bike',)]]
    """
    return tuple(_slot(library, library.profile(name).name) for name in profiles)


def _slot(library: RelationSet, chosen: str) -> Slot:
    own = library.profile(chosen)
    kind = library.profiles.list_of(chosen)
    has_choice = ":" in chosen
    alike: dict[frozenset[str], list[str]] = {frozenset(own.values): [own.name]}
    for name in library.profiles:
        if name == own.name or not _is_complete(library, name, has_choice):
            continue
        other = library.profile(name)
        is_alike = library.profiles.list_of(name) == kind if kind else _states_alike(own, other)
        if is_alike:
            alike.setdefault(frozenset(other.values), []).append(other.name)
    return Slot(own.name, kind, {stated: tuple(names) for stated, names in alike.items()})


def _is_complete(library: RelationSet, name: str, has_choice: bool) -> bool:
    """Whether a profile offered on a page has its choice, such as a chip's precision, where the question's own has."""
    return ":" in name or not has_choice or not library.profiles.choices(name)


def _states_alike(first: Profile, second: Profile) -> bool:
    """Whether a profile may take another's place on a page by what it states: half of the shorter list is shared."""
    shared = first.values.keys() & second.values.keys()
    return bool(shared) and 2 * len(shared) >= min(len(first.values), len(second.values))


@dataclass(frozen=True)
class Choices:
    """What a slot offers: groups of profiles that ask for the same, each in any variant; the chosen one's first."""

    slot: Slot
    groups: tuple[tuple[str, ...], ...]
    left_out: Mapping[str, tuple[str, ...]]
    """The profiles that the page does not offer, by the reason."""


@dataclass(frozen=True)
class Variants:
    """The questions of a page, the page's own first; which one answers a choice of groups, or why none does."""

    questions: tuple[PageQuestion, ...]
    choices: tuple[Choices, ...]
    by_groups: Mapping[tuple[int, ...], int | str]


def variants(
    library: RelationSet, targets: Sequence[str], offered: Sequence[Slot], given: Mapping[str, Value]
) -> Variants:
    """The variants of a page's question; an error if the question has no answer."""
    chosen = tuple(slot.chosen for slot in offered)
    own = page_question(library, targets, chosen, given)

    @cache
    def question_with(names: tuple[str, ...]) -> PageQuestion | str:
        """The page's question with these profiles in place of its own, or why it has no answer."""
        try:
            return own if names == chosen else page_question(library, targets, names, given)
        except DeriveError as error:
            return in_one_sentence(error)

    choices = []
    for place, slot in enumerate(offered):
        groups: dict[object, tuple[str, ...]] = {own.signature: ()}
        left_out: dict[str, tuple[str, ...]] = {}
        for stated, names in slot.alike.items():
            question = question_with((*chosen[:place], names[0], *chosen[place + 1 :]))
            if isinstance(question, str):
                reason = _missing(library, own, slot, stated) or question
                left_out[reason] = (*left_out.get(reason, ()), *names)
            else:
                groups[question.signature] = (*groups.get(question.signature, ()), *names)
        choices.append(Choices(slot, tuple(groups.values()), left_out))
    questions = {own.signature: own}
    by_groups: dict[tuple[int, ...], int | str] = {}
    for places in product(*(range(len(choice.groups)) for choice in choices)):
        # The profiles of a group ask for the same, so its first stands for all of them.
        question = question_with(tuple(choice.groups[i][0] for choice, i in zip(choices, places, strict=True)))
        if isinstance(question, str):
            by_groups[places] = question
        elif question.signature not in questions and len(questions) >= _MOST:
            by_groups[places] = f"the page has {_MOST} sets of quantities already, and this choice asks for another"
        else:
            questions.setdefault(question.signature, question)
            by_groups[places] = list(questions).index(question.signature)
    return Variants(tuple(questions.values()), tuple(choices), by_groups)


def _missing(library: RelationSet, own: PageQuestion, slot: Slot, stated: frozenset[str]) -> str:
    """Which quantities that a page's question takes from the chosen profile another one does not state."""
    taken = library.profile(slot.chosen).values
    missing = [name for name in own.known if name in taken and name not in own.typed and name not in stated]
    return f"{', '.join(missing)} not stated" if missing else ""


def in_one_sentence(error: DeriveError) -> str:
    """What an error of a page's question says first, without its full stop."""
    return error.what.partition("\n")[0].partition(". ")[0].rstrip(".")
