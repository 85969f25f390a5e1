"""A question: the target, the strong values that bind, and the weak values that yield.

Strong values are what the user typed. Weak ones come from profiles and from the quantities' own defaults. They are
used only where strong values and relations leave a quantity open, in this order: exact defaults (two operations to a
multiply-add); profile values of quantities that do not follow from the rest (a chip's bandwidth), then of those that
do (a run's published chip-hours, where its use of the chips is stated too); other defaults. Among profiles the later
one counts. A profile value is out of date if its quantity follows from one that the user has changed (the cache of a
model whose elements are now smaller): it is only compared with the result.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from derive.caches import Memo
from derive.errors import UnknownNameError, read_all
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.planning.directions import downstream, following
from derive.planning.incidence import Core, structure_of
from derive.planning.plan import Plan, plan_for
from derive.solving.blocks.sample_points import middle
from derive.time_limits import Search, tick
from quantities.declaration import Declaration, read_given
from quantities.profiles import Profile
from quantities.units import Unit
from quantities.value import Value

_SOUGHT = 20  # unknown names up to which those are sought that resemble them
_FOLLOWERS = Memo[frozenset[str]](most=64)


@dataclass(frozen=True)
class Case:
    """The conditional relations assumed to apply, and those assumed not to."""

    holding: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()

    def taking(self, relation: str) -> Case:
        """This case of a question, narrowed to where one more relation applies."""
        return replace(self, holding=self.holding | {relation})

    def without(self, relation: str) -> Case:
        """This case of a question, narrowed to where one more relation does not apply."""
        return replace(self, failing=self.failing | {relation})


NO_CASE = Case()


@dataclass(frozen=True)
class Question:
    """A target, strong values by name, and weak values by name in order of preference.

    The target's own weak value and the outdated ones are only compared with the result.
    """

    target: str
    strong: Mapping[str, Value]
    weak: Mapping[str, Value]
    own: Value | None = None
    outdated: Mapping[str, Value] = field(default_factory=dict)
    case: Case = NO_CASE
    goes_with: Mapping[str, tuple[str, Mapping[str, Value]]] = field(default_factory=dict)  # a profile's assumptions
    origins: Mapping[str, str] = field(default_factory=dict)  # the profile that each value of one comes from
    replaced: Mapping[str, Value] = field(default_factory=dict)  # what profiles state of typed quantities
    search: Search = Search.FROM_STARTS  # for a block without a closed solution
    is_trial: bool = False  # whether it is only tried what is missing: no last resort counts
    wants_number: bool = False  # whether nothing counts in a case but a number that its plan leads to
    decided: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)  # decisions on conditions, by case

    def but(self, **changes: Any) -> Question:
        """The same question with other values, for which no condition is decided yet."""
        return replace(self, **changes, decided={})

    def yielding(self, names: Iterable[str]) -> Question:
        """The same question without some weak values, which are only compared with the result."""
        late = {name: self.weak[name] for name in names}
        weak = {name: value for name, value in self.weak.items() if name not in late}
        return self.but(weak=weak, outdated={**self.outdated, **late})

    def detached(self) -> Question:
        """The same question apart from the decisions that are stored with it.

        A stored decision keeps this one. If it kept the question that stores it, both would wait for the collector of
        garbage, with all that they hold.
        """
        question = copy(self)
        question.__dict__["decided"] = {}
        return question

    @property
    def has_stated_target(self) -> bool:
        """Whether a profile of the question states its target, which is the answer where nothing else leads to it."""
        return self.own is not None and self.target in self.origins

    @cached_property
    def stated(self) -> frozenset[str]:
        """The names of the question's weak values that profiles or the library state, and that are no fallbacks."""
        return _stated(self.weak)

    @cached_property
    def numbers(self) -> Mapping[str, float]:
        """The numbers that are typed in the question, in base units; a range at its middle."""
        return {name: value.base[1] for name, value in self.strong.items()}

    @cached_property
    def zeros(self) -> frozenset[str]:
        """The names that are typed in the question as zero; a range around zero holds other numbers."""
        return frozenset(name for name in self.strong if not self.beside_zeros[name])

    @cached_property
    def ranges(self) -> Mapping[str, Span]:
        """The strong values of the question that were typed as ranges: their ends in base units."""
        return _ranges(self.strong)

    @cached_property
    def stated_ranges(self) -> Mapping[str, Span]:
        """The ends of all ranges that are stated in the question, in base units."""
        return _ranges(self.values)

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """All values stated in the question: what is typed, and the weak values of all else."""
        return {**self.weak, **self.strong}

    @cached_property
    def stated_numbers(self) -> Mapping[str, float]:
        """All numbers stated in the question, in base units; a range at its middle."""
        return {name: value.base[1] for name, value in self.values.items()}

    @cached_property
    def beside_zeros(self) -> Mapping[str, float]:
        """The numbers stated in the question, with an end for each range that has zero in its middle: it is no zero."""
        ends = {name: max(span, key=abs) for name, span in self.stated_ranges.items()}
        return {name: number or ends.get(name, number) for name, number in self.stated_numbers.items()}

    def in_use(self, plan: Plan) -> dict[str, Value]:
        """The strong and weak values of the question that a plan starts from."""
        return {**self.strong, **{name: self.weak[name] for name in plan.weak}}

    def start(self, plan: Plan) -> dict[str, float]:
        """The strong and weak values of the question that a plan starts from, as numbers in base units."""
        return {name: value.base[1] for name, value in self.in_use(plan).items()}

    def plan(self, library: RelationSet, left_out: frozenset[str] = frozenset(), core: Core | None = None) -> Plan:
        """The plan for the question's strong and weak names; another question's core may hold its target as well."""
        return plan_for(library, self.target, self.strong, self.weak, left_out, self.stated, core)

    def for_target(self, name: str) -> Question:
        """The same question for another target, whose own weak value is no given."""
        weak = {weak_name: value for weak_name, value in self.weak.items() if weak_name != name}
        asked = replace(self, target=name, weak=weak)
        asked.__dict__["stated"] = self.stated - {name}  # as the cached property would find, which takes longer
        return asked

    def fixed(self, plan: Plan) -> frozenset[str]:
        """The names that have one number throughout the question: strong values and weak ones in use, but no ranges."""
        return frozenset(name for name, value in self.in_use(plan).items() if not value.is_range)

    @property
    def outline(self) -> Outline:
        return Outline(self.target, tuple(self.strong), tuple(self.weak), self.stated)

    @cached_property
    def hints(self) -> Mapping[str, float]:
        """The question's weak values, outdated ones too, from which to search for what relations fix otherwise."""
        weak = {**self.outdated, **self.weak} | ({self.target: self.own} if self.own else {})
        return {name: value.base[1] for name, value in weak.items()}


def _ranges(values: Mapping[str, Value]) -> dict[str, Span]:
    return {name: (value.base[0], value.base[2]) for name, value in values.items() if value.is_range}


@dataclass(frozen=True)
class Outline:
    """A question without numbers: the target, the given names, and the names with weak values."""

    target: str
    strong: tuple[str, ...]
    weak: tuple[str, ...]
    stated: frozenset[str] = frozenset()  # the weak ones that are no fallbacks (`otherwise`)


def ask(
    library: RelationSet,
    target: str,
    profiles: tuple[str | Profile, ...],
    given: Mapping[str, Any],
    varying: Container[str] = (),
) -> Question:
    """Read a question: its target, the strong values that are given, and the weak ones of its profiles and defaults.

    Givens that are `varying` have changed what a profile states, whatever number they have here.

    >>> from derive.library import Library
    >>> from quantities.declaration import Declaration
    >>> pendulum = Library(quantities=[Declaration("length", "m"), Declaration("period", "s")])
    >>> question = ask(pendulum, "period", (), {"length": "2 m"})
    >>> {name: str(value) for name, value in question.strong.items()}
    {'length': '2 m'}
    """
    library.declaration(target)
    strong = strong_values(library, given)
    stated: dict[str, Value] = {}
    goes_with: dict[str, tuple[str, Mapping[str, Value]]] = {}
    origins: dict[str, str] = {}
    for profile_or_name in reversed(profiles):  # the later one counts
        profile = profile_or_name if isinstance(profile_or_name, Profile) else library.profile(profile_or_name)
        for name, value in profile.values.items():
            if name in library.declared and name not in stated:
                stated[name] = read_given(value, library.declared[name])
                origins[name] = profile.name
                if name in profile.goes_with and name not in strong:
                    goes_with[name] = profile.name, profile.goes_with[name]
    weak = stated | {name: value for name, value in library.defaults.items() if name not in stated}
    own = weak.pop(target, None)
    replaced = {name: value for name, value in stated.items() if name in strong}
    changed = frozenset(name for name, value in replaced.items() if name in varying or strong[name].base != value.base)
    outdated = _outdated(library, weak, stated, frozenset(strong), changed) if changed else frozenset()
    kept = {name: weak[name] for name in _ranked(library, weak, strong) if name not in strong and name not in outdated}
    own = None if target in strong else own
    late = {name: weak[name] for name in sorted(outdated)}
    return Question(
        target,
        strong,
        weak=kept,
        own=own,
        outdated=late,
        goes_with=goes_with,
        origins=origins,
        replaced=replaced,
    )


def lone_fallbacks(library: RelationSet, plan: Plan, question: Question | Outline) -> frozenset[str]:
    """The weak values in a question's plan, if all are fallbacks and no strong one is there: they determine nothing."""
    members = set[str]().union(*(library.relations[name].declared for name in plan.relations))
    weak = frozenset(plan.weak) & members
    if plan.target in question.strong or not members.isdisjoint(question.strong) or weak & question.stated:
        return frozenset()
    return weak if all(library.defaults[name].source.stands_in for name in weak) else frozenset()


def strong_values(library: RelationSet, given: Mapping[str, Any]) -> dict[str, Value]:
    """Read what is typed in a question as values of its quantities."""
    are_few = len(given.keys() - library.declared.keys()) <= _SOUGHT

    def read(name: str, value: Any) -> Value:
        tick()
        return read_given(value, given_quantity(library, name, value, are_few))

    return read_all(read, given)


def given_quantity(library: RelationSet, name: str, value: Any, is_alone: bool = True) -> Declaration:
    """The quantity of a given in a question; for chip="h100-sxm", an error that says what to write instead.

    Names that resemble an unknown one are sought where it is alone, and not for each of very many.
    """
    if name not in library.declared and isinstance(value, str) and value in library.profiles:
        what = f"There is no quantity {name!r}, and {value} is a profile."
        hint = f'Profiles come before the givens, and without a name: solve(target, "{value}", ...).'
        raise UnknownNameError(what, hint=hint, name=name, kind="quantity", suggestions=())
    if name not in library.declared and not is_alone:
        raise library.vocabulary.brief.unknown(name)
    return library.declaration(name)


def outlined(library: RelationSet, target: str, given: Iterable[str]) -> Outline:
    """The outline of a question whose only weak values are the defaults."""
    names = tuple(dict.fromkeys(library.declaration(name).name for name in given))
    name = library.declaration(target).name
    weak = {weak_name: value for weak_name, value in library.defaults.items() if weak_name != name}
    return Outline(name, names, tuple(ranked for ranked in _ranked(library, weak, names) if ranked not in names))


def _ranked(library: RelationSet, weak: Mapping[str, Value], strong: Iterable[str]) -> list[str]:
    """The weak names of a question in the order in which their values yield, the last to yield first."""
    follows = _following(library, weak, frozenset(strong))

    def rank(name: str) -> tuple[bool, bool, bool]:
        value, default = weak[name], library.declared[name].default
        if value is not default:
            return False, name in follows, True
        return value.source.kind != "exact", name in follows, False

    return sorted(weak, key=rank)


def _following(library: RelationSet, weak: Mapping[str, Value], strong: frozenset[str]) -> frozenset[str]:
    """The weak names of a question whose values follow from other stated ones, strong ones included, as written."""
    names, known = frozenset(weak), strong | _stated(weak)

    def compute() -> frozenset[str]:
        return following(structure_of(library), names - strong, known)

    return _FOLLOWERS.of(library.session, (names, known), compute)


def _outdated(
    library: RelationSet,
    weak: Mapping[str, Value],
    stated: Iterable[str],
    strong: frozenset[str],
    changed: frozenset[str],
) -> frozenset[str]:
    """The names whose profile values are out of date: they follow from what the user changed, and not without it.

    A fallback is known here unless its own relations lead to it: with other layers a model has another size, although
    what it has besides its layers is only taken to be nothing. A relation that holds under conditions is no way around
    the changed ones, since its case may be another.
    """

    def compute() -> frozenset[str]:
        """The names whose profile values are out of date, in rounds: what follows from outdated ones alone is too."""
        structure = structure_of(library)
        everything = strong | weak.keys()
        fallbacks = everything - strong - _stated(weak)
        known = everything - following(structure, fallbacks, everything)
        candidates = downstream(structure, changed, known) & weak.keys() & {*stated} - strong
        unconditional = structure_of(library, frozenset(relation.name for relation in library.conditional))
        outdated: frozenset[str] = frozenset()
        while current := candidates - outdated:  # a value that follows only from outdated ones is outdated as well
            fresh = current - following(unconditional, current, known - changed - outdated)
            if not fresh:
                break
            outdated |= fresh
        return outdated

    return _FOLLOWERS.of(library.session, (frozenset(weak), _stated(weak), strong, changed), compute)


def _stated(weak: Mapping[str, Value]) -> frozenset[str]:
    """The names of a question's weak values that are no fallbacks."""
    return frozenset(name for name, value in weak.items() if not value.source.stands_in)


def stated_at(library: RelationSet, name: str, point: float) -> Value:
    """A number in base units as the value of a question's given."""
    return stated_between(library, name, (point, point))


def stated_between(library: RelationSet, name: str, span: Span) -> Value:
    """A range in base units as the value of a question's given."""
    quantity, (low, high) = library.declared[name], span
    unit = Unit(str(quantity.dimension), quantity.unit.factors, Fraction(1), quantity.dimension)
    return Value(middle(span), low, high, unit)
