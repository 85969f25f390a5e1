"""The library: relations over one vocabulary, with named profiles of values, and the questions they answer.

Its contents, and the union of two libraries, are in `RelationSet`; each method here calls the package that answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.model.relation_set import RelationSet
from quantities.profiles import Profile

if TYPE_CHECKING:
    from derive.borders.border import Borders
    from derive.comparison.comparison import Comparison
    from derive.optimization.front import Front
    from derive.optimization.optimum import Optimum
    from derive.solving.execution.answer import Answer
    from derive.tables.sampling.monte_carlo import Sample
    from derive.tables.streams import Stream
    from derive.tables.table import Table

__all__ = ["Library"]


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

    def solve(self, target: str, /, *profiles: str | Profile, **given: Any) -> Answer:
        """The one value of a quantity, from the givens.

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
        """The same for any number of points, piece by piece, to be iterated over, summarised or written to a file."""
        from derive.tables.streams import stream

        return stream(self, targets, profiles, given)

    def sample(
        self, target: str, /, *profiles: str | Profile, points: int = 100_000, seed: int = 0, **given: Any
    ) -> Sample:
        """The target at points drawn from the ranges among the givens and the profiles' values."""
        from derive.tables.sampling.monte_carlo import sample

        return sample(self, target, profiles, points, seed, given)

    def least(self, target: str, /, *profiles: Any, such_that: str | Iterable[str] = (), **given: Any) -> Optimum:
        """The choice that makes the target least: a range or a list among the givens is free to choose, and of a tuple
        of profiles any one. The library's inequalities hold, and so does `such_that`; counts are whole.
        """
        from derive.optimization.least import best_choice

        return best_choice(self, target, profiles, such_that, given, "least")

    def most(self, target: str, /, *profiles: Any, such_that: str | Iterable[str] = (), **given: Any) -> Optimum:
        """The choice that makes the target most, as `least` does."""
        from derive.optimization.least import best_choice

        return best_choice(self, target, profiles, such_that, given, "most")

    def front(
        self,
        targets: Sequence[str],
        /,
        *profiles: Any,
        such_that: str | Iterable[str] = (),
        points: int = 12,
        **given: Any,
    ) -> Front:
        """The choices of which no other is better in both targets, as `least` and `most` find them."""
        from derive.optimization.front import pareto_front

        return pareto_front(self, targets, profiles, such_that, given, points)

    def border(self, target: str, /, *profiles: Any, over: str | Sequence[str], **given: Any) -> Borders:
        """Where over one quantity or two, whose givens are ranges, regimes end and checks cease to hold."""
        from derive.borders.tracing import borders

        return borders(self, target, profiles, over, given)

    def compare(self, a: Answer, b: Answer) -> Comparison:
        """Why the second answer differs from the first: what each given and each regime accounts for in the ratio."""
        from derive.comparison.compare import compare

        return compare(a, b)

    def page(self, targets: str | Sequence[str], /, *profiles: str, title: str = "", **given: Any) -> str:
        """The HTML of a page, in which every given is a slider and the answer moves with it; a range is a slider's."""
        from derive.pages.page import page

        return page(self, targets, profiles, given, title=title)

    def at(self, point: str, names: Iterable[str]) -> Library:
        """Both operating points in one library: what follows from the named quantities is there twice."""
        from derive.model.operating_points import twins

        return self | Library(*twins(self, point, names))

    def reach(self, given: Iterable[str] = ()) -> frozenset[str]:
        """Every quantity that these givens and the defaults determine, including themselves."""
        from derive.kernels.reach import reach

        return reach(self, given)
