"""The library: relations over one vocabulary, with named profiles of values, and the questions they answer.

Its contents, and the union of two libraries, are in `RelationSet`; each method here calls the package that answers.

At an operating point (`twins`) the named quantities have values of their own, and so does everything that follows from
them in the direction in which the relations are written. Each of these becomes `point.name` beside the original; the
rest (the fleet, the model, the price list) is shared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError, excerpt
from derive.expressions.tree import Equation, Name, names_in, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.time_limits import query
from quantities.declaration import Declaration, check_name
from quantities.profiles import Profile

if TYPE_CHECKING:
    from derive.borders import Borders
    from derive.comparison.comparison_result import Comparison
    from derive.optimization.front import Front
    from derive.optimization.optimum import Optimum
    from derive.planning.networks import Graph
    from derive.solving.execution.answer import Answer
    from derive.tables.monte_carlo import Sample
    from derive.tables.streams import Stream
    from derive.tables.table import Table


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Library(RelationSet):
    """Relations, the quantities they join, and profiles of values; in the order in which they were stated.

    >>> from derive.model.relation import relate
    >>> from quantities import Quantity
    >>> voltage, current, resistance = Quantity("V", "V"), Quantity("I", "A"), Quantity("R", "ohm")
    >>> ohm = Library([relate("ohm", voltage, current * resistance)])
    >>> list(ohm.quantities), str(ohm.relations["ohm"])
    (['V', 'I', 'R'], 'ohm: V = I*R')
    """

    def __dir__(self) -> list[str]:
        """The members of the library that are of use to a reader; the rest is how it is computed."""
        return [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]

    def solve(self, target: str, /, *profiles: str | Profile, **given: Any) -> Answer:
        """Ask the library for the one value of a quantity or of an expression, from the givens.

        >>> from derive.relation_files.loading import load
        >>> circuits = load("circuits")
        >>> circuits.solve("resistance", voltage="12 V", current="4000 mA").value
        <Quantity(3.0, 'ohm')>
        >>> circuits.solve("voltage*current in mW", resistance="3 ohm", current="2 A").value
        <Quantity(12000.0, 'milliwatt')>
        """
        from derive.solving.answering.solver import solve

        if isinstance(target, str) and target in self.declared:
            return solve(self, target, profiles, given)
        with query():
            library, (name,) = self._asked(target)
            return solve(library, name, profiles, given)

    def _asked(self, *targets: str) -> tuple[Library, list[str]]:
        """The library to ask for these targets: an expression, or another unit, becomes a quantity of a copy."""
        library, names = self, []
        for target in targets:
            if not isinstance(target, str) or target in library.declared:
                names.append(target)
                continue
            from derive.model.target_expressions import asking

            library, name = asking(library, target)
            names.append(name)
        return library, names

    def solve_all(self, target: str, /, *profiles: str | Profile, **given: Any) -> tuple[Answer, ...]:
        """Ask the library for every admissible value: all roots, all regimes, and bounds where there is no value."""
        from derive.solving.answering.solver import solve_all

        with query():
            library, (name,) = self._asked(target)
            return solve_all(library, name, profiles, given)

    def formula(self, target: str, given: Iterable[str] = (), *, profiles: Iterable[str | Profile] = ()) -> Any:
        """Ask the library for a quantity in terms of others, in sympy; the closed form holds in coherent base units.

        Quantities whose values come from `profiles` stand in it by name, as defaults do.
        """
        from derive.kernels.symbolic_solutions import formula  # reading sympy may take a second of its own

        with query():
            library, (name,) = self._asked(target)
            listed, names = _listed(profiles), _names(given)
            if listed:
                from derive.kernels.compiled_functions import named_by

                names = named_by(library, name, names, listed)
            return formula(library, name, names)

    def compile(
        self, target: str, given: Iterable[str] = (), backend: str = "auto", *, profiles: Iterable[str | Profile] = ()
    ) -> Callable[..., Any]:
        """A fast function that asks the library by floats or arrays, as keywords in declared units; NaN for no value.

        The values of `profiles` are constants in it.
        """
        from derive.kernels.compiled_functions import compiled

        with query():
            library, (name,) = self._asked(target)
            listed, names = _listed(profiles), _names(given)
            if listed:
                from derive.kernels.compiled_functions import compiled_with

                return compiled_with(library, name, names, listed, backend)
            return compiled(library, name, names, backend)

    def sweep(self, targets: str | Sequence[str], /, *profiles: str | Profile, **given: Any) -> Table:
        """Ask the library for targets at every combination of axes: givens may be arrays or `derive.span(...)`."""
        from derive.tables.table import sweep

        with query(math.inf):
            library, names = self._asked(*_each(targets))
            return sweep(library, names, profiles, given)

    def stream(self, targets: str | Sequence[str], /, *profiles: str | Profile, **given: Any) -> Stream:
        """Ask the library at any number of points, piece by piece, to be iterated over, summarised or put in a file."""
        from derive.tables.streams import stream

        with query(math.inf):
            library, names = self._asked(*_each(targets))
            for name in names:
                library.declaration(name)
            return stream(library, names, profiles, given)

    def sample(
        self, target: str, /, *profiles: str | Profile, points: int = 100_000, seed: int = 0, **given: Any
    ) -> Sample:
        """Ask the library for the target at points drawn from the ranges among the givens and the profiles' values."""
        from derive.tables.monte_carlo import sample

        with query(math.inf):
            library, (name,) = self._asked(target)
            return sample(library, name, profiles, points, seed, given)

    def least(self, target: str, /, *profiles: Any, such_that: str | Iterable[str] = (), **given: Any) -> Optimum:
        """Ask the library for the least target: a range or a list among the givens is free to choose, and of a tuple
        of profiles any one. The library's inequalities hold, and so does `such_that`; counts are whole.
        """
        from derive.optimization.least import best_choice

        with query():
            library, (name,) = self._asked(target)
            return best_choice(library, name, profiles, such_that, given, "least")

    def most(self, target: str, /, *profiles: Any, such_that: str | Iterable[str] = (), **given: Any) -> Optimum:
        """Ask the library for the choice that makes the target most, as `least` does."""
        from derive.optimization.least import best_choice

        with query():
            library, (name,) = self._asked(target)
            return best_choice(library, name, profiles, such_that, given, "most")

    def front(
        self,
        targets: Sequence[str],
        /,
        *profiles: Any,
        such_that: str | Iterable[str] = (),
        points: int = 12,
        **given: Any,
    ) -> Front:
        """Ask the library for the choices of which no other is better in both targets, as `least` and `most` do."""
        from derive.optimization.front import pareto_front

        with query():
            return pareto_front(self, targets, profiles, such_that, given, points)

    def border(self, relation: str, /, *profiles: Any, over: str | Sequence[str], **given: Any) -> Borders:
        """Ask the library where over one quantity or two, given as ranges, a relation's arms change or it fails.

        A quantity in the place of the relation has the borders of all relations that lead to it. Of a relation and a
        quantity of one name the quantity is meant, unless it is given.
        """
        from derive.borders import bordering_quantity, borders

        with query():
            if not isinstance(relation, str):
                raise self.vocabulary.unknown(relation)
            is_known = relation not in self.declared or (relation in given and relation not in over)
            is_relation = is_known and relation in self.relations
            target = bordering_quantity(self.relations[relation], over, given) if is_relation else relation
            library, (name,) = self._asked(target)
            of_target = borders(library, name, profiles, over, given)
            return of_target.of_relation(relation) if is_relation else of_target

    def graph(self) -> Graph:
        """The library as a networkx graph of its quantities and relations; `answer.graph()` is that of one answer.

        A quantity's node is its name, a relation's `relation:NAME`; `derive.planning.dependency_graph` says what their
        attributes and those of the edges are.

        >>> from derive.relation_files.loading import load
        >>> circuits = load("circuits")
        >>> graph = circuits.graph()
        >>> graph.nodes["voltage"]["unit"], graph.nodes["relation:ohm"]["equation"]
        ('V', 'voltage = current*resistance')
        >>> [(name, graph.edges[name, "relation:ohm"]["stands"]) for name in graph["relation:ohm"]]
        [('voltage', 'result'), ('current', 'member'), ('resistance', 'member')]
        """
        from derive.planning.dependency_graph import graph_of_library

        return graph_of_library(self)

    def compare(self, a: Answer, b: Answer) -> Comparison:
        """Compare two answers of the library: what each given and each regime accounts for in the ratio."""
        from derive.comparison.compare import compare

        return compare(a, b)

    def page(self, targets: str | Sequence[str], /, *profiles: str, title: str = "", **given: Any) -> str:
        """The library's answer as an HTML page in which each given is a slider; a range among them is a slider's."""
        from derive.pages.page import page

        if not isinstance(title, str):
            raise ExpressionError(f"title is a {type(title).__name__}, and no text.", hint='Write title="...".')
        return page(self, targets, profiles, given, title=title)

    def at(self, point: str, names: Iterable[str]) -> Library:
        """The library with a second operating point: what follows from the named quantities is there twice."""
        with query(math.inf):
            return self | Library(*twins(self, point, _names(names, "names")))

    def reach(self, given: Iterable[str] = (), *, profiles: Iterable[str | Profile] = ()) -> frozenset[str]:
        """Every quantity of the library that these givens, profiles and defaults determine, including themselves."""
        from derive.solving.determined_quantities import reach

        with query():
            known = dict.fromkeys(self.declaration(name).name for name in _names(given))
            for profile in _listed(profiles):
                values = (profile if isinstance(profile, Profile) else self.profile(profile)).values
                known |= dict.fromkeys(name for name in values if name in self.declared)
            return reach(self, known)


def _each(targets: str | Iterable[str]) -> Iterable[Any]:
    """The targets that a method of the library is called with; what is neither one nor several is refused later."""
    return [targets] if isinstance(targets, str) or not isinstance(targets, Iterable) else targets


def _names(given: Any, what: str = "given") -> list[str]:
    """The names that a method of the library is called with: a single one, or several; of a mapping its keys."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return list(given)
    hint = f'Write {what}=["batch", "context"].'
    raise ExpressionError(f"{what} is a {type(given).__name__}, and no list of names.", hint=hint)


def _listed(profiles: Any) -> tuple[str | Profile, ...]:
    """The profiles that a method of the library is called with: a single one, or several."""
    if isinstance(profiles, (str, Profile)):
        return (profiles,)
    if not isinstance(profiles, Iterable):
        what = f"profiles is a {type(profiles).__name__}, and no list of profiles."
        raise ExpressionError(what, hint='Write profiles=["h100-sxm:fp8"].')
    return tuple(profiles)


def twins(library: RelationSet, point: str, names: Iterable[str]) -> tuple[list[Relation], list[Declaration]]:
    """The twins at an operating point of named quantities and of all that follows from them, and their relations."""
    check_name(point)
    if "." in point:
        raise ExpressionError(f"{excerpt(point)} cannot be a point's name: it has a dot.", hint="Write one word.")
    moved = _following(library, [library.declaration(name).name for name in names])
    copies = {name: _twin(library.declared[name], point) for name in library.declared if name in moved}
    renamed = {name: copy.name for name, copy in copies.items()}
    forms = {name: Name(copy.name) for name, copy in copies.items()}
    relations = []
    for relation in library.relations.values():
        # A copy that differs only in its conditions would count as another equation, though it says the same.
        if moved.isdisjoint(library.members[relation.name]):
            continue
        written = relation.written
        lhs, rhs = with_forms(written.lhs, forms), with_forms(written.rhs, forms)
        members = [copies.get(name, quantity) for name, quantity in relation.declared.items()]
        relations.append(
            Relation(
                name=f"{point}.{relation.name}",
                written=Equation(lhs, written.op, rhs),
                declared={quantity.name: quantity for quantity in members},
                because=relation.because,
                source=relation.source,
                conditions=tuple(with_forms(condition, forms) for condition in relation.conditions),
                approximate=relation.approximate,
                neglects=" of ".join(renamed.get(name, name) for name in relation.neglects.split(" of ")),
            )
        )
    return relations, list(copies.values())


def _following(library: RelationSet, names: Iterable[str]) -> set[str]:
    """The names with twins at an operating point: these, and every quantity that follows from them in a library.

    A quantity that is written in several relations follows from what their conditions compare too: it decides which of
    them applies. One that is written in a single relation has the same value wherever that applies.
    """
    written: dict[str, list[Relation]] = {}
    for relation in library.relations.values():
        name = relation.written.written_for
        if name is not None and relation.is_equation:
            written.setdefault(name, []).append(relation)
    causes: dict[str, set[str]] = {}
    for name, relations in written.items():
        causes[name] = {*chain.from_iterable(relation.members for relation in relations)} - {name}
        if len(relations) > 1:
            causes[name].update(*(names_in(*relation.conditions) for relation in relations))
    following = set(names)
    while True:
        further = {name for name, own in causes.items() if name not in following and not following.isdisjoint(own)}
        if not further:
            return following
        following |= further


def _twin(quantity: Declaration, point: str) -> Declaration:
    """The twin of a library's quantity at an operating point: `point.name`."""
    return quantity.but(
        name=f"{point}.{quantity.name}",
        meaning=f"{quantity.meaning} (at the point {point})" if quantity.meaning else "",
        latex=f"{quantity.latex}^{{\\mathrm{{{point.replace('_', ' ')}}}}}" if quantity.latex else "",
        aliases=(),
    )
