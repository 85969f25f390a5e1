"""A library: an immutable set of relations over one vocabulary, with named sets of values.

Libraries are added up (`a | b`) and cut down (`without`), never changed. One name means one thing in a library: two
quantities of one name must agree in unit and domain, and where both state a meaning or a default, in those too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.caches import Cache
from derive.errors import UnknownNameError
from derive.expressions.tree import names_in
from derive.model.relation import Relation
from derive.model.union import (
    both,
    declarations,
    merged,
    named,
    no_profile,
    profile_entries,
    prove_fit,
    relation_entries,
    shelved,
    typed,
)
from derive.model.vocabulary import Vocabulary
from derive.search.index import Index
from quantities.declaration import Declaration
from quantities.profiles import Profile, Profiles
from quantities.source import OTHERWISE
from quantities.symbolic import Symbols

if TYPE_CHECKING:
    from derive.planning.incidence import Structure
    from derive.planning.plan import Plan
    from derive.solving.blocks.outcome import Outcome
    from derive.solving.execution.answer import Answer
    from derive.tables.sampling.monte_carlo import Sample
    from derive.tables.streams import Stream
    from derive.tables.table import Table
    from quantities.quantity import Quantity
    from quantities.value import Value

__all__ = ["Library"]

_KEPT = 4096  # of what is small: plans, and the graphs that they are made on
_FEW = 256  # of what hangs on numbers, or is large


@dataclass(frozen=True, init=False, eq=False)
class Library:
    """Relations, the quantities they join, and profiles of values; in the order in which they were stated.

    >>> from derive.model.relation import relate
    >>> from quantities import Quantity
    >>> voltage, current, resistance = Quantity("V", "V"), Quantity("I", "A"), Quantity("R", "ohm")
    >>> ohm = Library([relate("ohm", voltage, current * resistance)])
    >>> list(ohm.quantities), str(ohm.relations["ohm"])
    (['V', 'I', 'R'], 'ohm: V = I*R')
    """

    declared: Mapping[str, Declaration]
    relations: Mapping[str, Relation]
    profiles: Profiles
    title: str

    def __init__(
        self,
        relations: Iterable[Relation] = (),
        quantities: Iterable[Quantity | Declaration] = (),
        profiles: Iterable[Profile] | Profiles = (),
        title: str = "",
    ) -> None:
        listed = typed("relation", Relation, relations)
        stated = named("relation", listed, Relation.states_the_same)
        mentioned = [quantity for relation in listed for quantity in relation.declared.values()]
        vocabulary = merged([*declarations(quantities), *mentioned])
        sets = shelved(profiles)
        for profile in sets.stated.values():
            prove_fit(profile, vocabulary)
        object.__setattr__(self, "relations", MappingProxyType({n: r.over(vocabulary) for n, r in stated.items()}))
        object.__setattr__(self, "declared", MappingProxyType(vocabulary))
        object.__setattr__(self, "profiles", sets)
        object.__setattr__(self, "title", title)

    def __or__(self, other: Library) -> Library:
        """Both libraries in one."""
        if not isinstance(other, Library):
            return NotImplemented
        return Library(
            [*self.relations.values(), *other.relations.values()],
            [*self.declared.values(), *other.declared.values()],
            both(self.profiles, other.profiles),
            self.title or other.title,
        )

    def without(self, *names: str) -> Library:
        """The library with these relations left out; its quantities stay.

        >>> Library().without("kirchhoff")
        Traceback (most recent call last):
            ...
        quantities.errors.UnknownNameError: There is no relation 'kirchhoff'. None is declared.
        """
        for name in names:
            if not isinstance(name, str) or name not in self.relations:
                raise self._no_relation(name)
        kept = [relation for name, relation in self.relations.items() if name not in names]
        return Library(kept, self.declared.values(), self.profiles, self.title)

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The quantities as sympy symbols."""
        return Symbols(self.declared)

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name, as a sympy symbol."""
        return self.quantities[self.declaration(name).name]

    def declaration(self, name: str) -> Declaration:
        """What is declared of the quantity of this name."""
        if not isinstance(name, str) or name not in self.declared:
            raise self.vocabulary.unknown(name)
        return self.declared[name]

    def relation(self, name: str) -> Relation:
        """The relation of this name."""
        if not isinstance(name, str) or name not in self.relations:
            raise self._no_relation(name)
        return self.relations[name]

    def _no_relation(self, name: object) -> UnknownNameError:
        return Index(relation_entries(self.relations.values())).unknown("relation", name)

    def profile(self, name: str) -> Profile:
        """The profile of this name; after a colon the choice that completes it, as the precision of a chip's peak."""
        if not isinstance(name, str) or name not in self.profiles:
            raise no_profile(name, self.profiles)
        return self.profiles[name]

    def solve(self, target: str, /, *profiles: str | Profile, **given: Any) -> Answer:
        """The one value of a quantity, from what is given of others.

        >>> from derive.relation_files.loading import load
        >>> ohm = load('''[quantities]
        ... V = { unit = "V" }
        ... I = { unit = "A" }
        ... R = { unit = "ohm" }
        ... [relations.ohm]
        ... equation = "V = I*R"''')
        >>> ohm.solve("R", V="12 V", I="4000 mA").value
        <Quantity(3.0, 'ohm')>
        """
        from derive.solving.answering.solver import solve

        return solve(self, target, profiles, given)

    def solve_all(self, target: str, /, *profiles: str | Profile, **given: Any) -> tuple[Answer, ...]:
        """Every admissible value: all roots, all regimes, and bounds where there is no value."""
        from derive.solving.answering.solver import solve_all

        return solve_all(self, target, profiles, given)

    def formula(self, target: str, given: Iterable[str] = ()) -> Any:
        """The closed form of a quantity in terms of others, in sympy; it holds in coherent base units."""
        from derive.kernels.closed_forms import formula

        return formula(self, target, given)

    def compile(self, target: str, given: Iterable[str] = (), backend: str = "auto") -> Callable[..., Any]:
        """A fast function of floats or arrays by keyword, in declared units, in and out; NaN for no value."""
        from derive.kernels.functions import compiled

        return compiled(self, target, given, backend)

    def sweep(self, targets: str | Sequence[str], /, *profiles: str | Profile, **given: Any) -> Table:
        """The targets at every combination of axes: givens may be arrays or `derive.span(...)`."""
        from derive.tables.table import sweep

        return sweep(self, targets, profiles, given)

    def stream(self, targets: str | Sequence[str], /, *profiles: str | Profile, **given: Any) -> Stream:
        """The same for any number of points, to be gone through piece by piece, summed up or written to a file."""
        from derive.tables.streams import stream

        return stream(self, targets, profiles, given)

    def sample(
        self, target: str, /, *profiles: str | Profile, points: int = 100_000, seed: int = 0, **given: Any
    ) -> Sample:
        """The target at points drawn from the ranges among the givens and the profiles' values."""
        from derive.tables.sampling.monte_carlo import sample

        return sample(self, target, profiles, points, seed, given)

    def at(self, point: str, names: Iterable[str]) -> Library:
        """Both operating points in one library: what follows from the named quantities is there twice."""
        from derive.model.operating_points import twins

        return self | Library(*twins(self, point, names))

    def reach(self, given: Iterable[str] = ()) -> frozenset[str]:
        """Every quantity that these givens determine, they and the defaults included."""
        from derive.kernels.reach import reach

        return reach(self, given)

    def structure(self, left_out: frozenset[str] = frozenset()) -> Structure:
        """The graph that plans are made on: the equations that apply, exact ones before approximate ones."""
        from derive.planning.incidence import Structure

        def made() -> Structure:
            equations = [r for r in self.relations.values() if r.is_equation and r.name not in left_out]
            equations.sort(key=lambda relation: relation.approximate is not None)
            return Structure.of(equations, self._standing_in)

        return self._structures.of(left_out, made)

    @cached_property
    def _standing_in(self) -> frozenset[str]:
        return frozenset(name for name, value in self.defaults.items() if value.source == OTHERWISE)

    @cached_property
    def _structures(self) -> Cache[Structure]:
        return Cache(_KEPT)

    @cached_property
    def plans(self) -> Cache[Plan]:
        """The plans that were made, by target, names given, and relations left out."""
        return Cache(_KEPT)

    @cached_property
    def followers(self) -> Cache[frozenset[str]]:
        """The stated quantities that follow from the others, or from what was changed, by what is stated."""
        return Cache(_KEPT)

    @cached_property
    def slopes(self) -> Cache[Any]:
        """A random point, and the slopes of the equations there, in which it shows what cancels."""
        return Cache(1)

    @cached_property
    def rows(self) -> Cache[Any]:
        """What slopes say of the last questions: a refusal asks for the same several times over."""
        return Cache(64)

    @cached_property
    def reaches(self) -> Cache[frozenset[str]]:
        """What sets of names could determine at most."""
        return Cache(64)

    @cached_property
    def outcomes(self) -> Cache[Outcome]:
        """The outcomes of simultaneous blocks at numbers that were asked before."""
        return Cache(_FEW)

    @cached_property
    def swept(self) -> Cache[Any]:
        """The plans and the functions that sweeps went along, by target and names, and by what was wanted of them."""
        return Cache(_FEW)

    @cached_property
    def holders(self) -> Mapping[str, tuple[str, ...]]:
        """The relations that hold each quantity, inequalities among them."""
        found: dict[str, list[str]] = {}
        for relation, held in self.members.items():
            for name in held:
                found.setdefault(name, []).append(relation)
        return {name: tuple(names) for name, names in found.items()}

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where in the order of the library each relation stands."""
        return {name: i for i, name in enumerate(self.relations)}

    @cached_property
    def limits(self) -> Mapping[str, tuple[str, ...]]:
        """The inequalities that hold each quantity."""
        found = {
            name: tuple(r for r in held if not self.relations[r].is_equation) for name, held in self.holders.items()
        }
        return {name: held for name, held in found.items() if held}

    @cached_property
    def conditional(self) -> tuple[Relation, ...]:
        """The relations that hold under conditions only."""
        return tuple(relation for relation in self.relations.values() if relation.conditions)

    @cached_property
    def defaults(self) -> Mapping[str, Value]:
        """The quantities' own values."""
        return {name: q.default for name, q in self.declared.items() if q.default is not None}

    @cached_property
    def hints(self) -> Mapping[str, float]:
        """What the quantities' own values say that they may be, in base units."""
        return {name: value.base[1] for name, value in self.defaults.items()}

    @cached_property
    def measured(self) -> Mapping[str, Value]:
        """What people measure or print: a value of each quantity that a profile states, or that has a default."""
        stated = {name: value for profile in self.profiles.values() for name, value in profile.values.items()}
        return {name: value for name, value in (stated | {**self.defaults}).items() if name in self.declared}

    def plausible(self, name: str) -> float:
        """A number that a quantity may have, in base units."""
        if name in self.measured:
            return self.measured[name].base[1]
        domain = self.declared[name].domain
        numbers = (
            self.declared[name].unit.to_base(1.0),
            0.5,
            (domain.low + domain.high) / 2,
            domain.low + 1,
            domain.high,
        )
        return next((number for number in numbers if number in domain), domain.low)

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The quantities on the two sides of each relation."""
        return {name: names_in(r.written.lhs, r.written.rhs) for name, r in self.relations.items()}

    @cached_property
    def index(self) -> Index:
        """What finds all that the library holds by name, alias and meaning."""
        relations, profiles = relation_entries(self.relations.values()), profile_entries(self.profiles)
        return Index([*self.vocabulary.index.entries, *relations, *profiles])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The quantities as repairs name them."""
        return Vocabulary(self.declared)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (tuple(self.relations.values()), tuple(self.declared.values()), self.profiles)
        return Library, (*parts, self.title)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Library):
            return NotImplemented
        parts = ("declared", "relations", "profiles")
        return all(_same(getattr(self, part), getattr(other, part)) for part in parts)

    def __hash__(self) -> int:
        return hash(frozenset((*self.relations.values(), *self.declared.values(), *self.profiles)))

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        counts = f"{len(self.relations)} relations, {len(self.declared)} quantities, {len(self.profiles)} profiles"
        return f"<Library {title}{counts}>"


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one is other or dict(one) == dict(other)
