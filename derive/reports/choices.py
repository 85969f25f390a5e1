"""Best choices, borders and comparisons in report templates.

least(target, *profiles, such_that, **given)   a best choice; best.answer is its answer, best.reasons says why
most(...), front(targets, ...)                 the same upwards; the best compromises of two targets
border(target, *profiles, over, **given)       where regimes end
compare(answer, answer)                        why two answers differ: each factor of their ratio
rows(found)                                    a best choice or a front as rows: profiles, target, what was chosen, why
over_ranges(best)                              how the choices fare over ranges, as rows: middle, worst, wins, holds
drawn(found, called)                           the charts of any of them, for picture(name, *drawn(found), caption=...);
                                               called = {"words of the picture": "a reader's own"}
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from derive.borders.border import Borders
from derive.comparison.comparison import Comparison
from derive.optimization.front import Front
from derive.optimization.optimum import Optimum

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.presentation.charts import Chart
    from quantities.declaration import Declaration

__all__ = ["drawn", "over_ranges", "questions", "rows_of"]


def drawn(found: Any, called: Mapping[str, str] | None = None) -> tuple[Chart, ...]:
    """The charts of a result, with a reader's words in place of the library's names; a report has its own captions."""
    from derive.presentation.charts import reworded

    return reworded((replace(one, caption="") for one in _charts(found)), called or {})


@singledispatch
def _charts(found: Any) -> tuple[Chart, ...]:
    raise TypeError(f"a {type(found).__name__} has no picture")


@_charts.register(Optimum)
def _(found: Optimum) -> tuple[Chart, ...]:
    from derive.optimization.optimum_charts import bars

    return (bars(found),)


@_charts.register(Front)
def _(found: Front) -> tuple[Chart, ...]:
    from derive.optimization.front_text import charts

    return charts(found)


@_charts.register(Comparison)
def _(found: Comparison) -> tuple[Chart, ...]:
    from derive.comparison.waterfall import charts

    return charts(found)


@_charts.register(Borders)
def _(found: Borders) -> tuple[Chart, ...]:
    return found.charts


def rows_of(found: Optimum | Front, number: Callable[..., str]) -> list[dict[str, str]]:
    """A best choice or a front as rows of a table: the profiles that differ, the values in words."""
    if isinstance(found, Front):
        points = [(one.profiles, one.chosen) for one in found.points]
        rows = [
            {one.quantity.name: _said(one.base or 0.0, one.quantity, number) for one in point.answers}
            for point in found.points
        ]
    else:
        points = [(one.profiles, one.at) for one in found.choices]
        quantity = found.answer.quantity
        rows = [
            {
                **one.listed,
                quantity.name: "" if one.best is None else _said(one.best, quantity, number),
                "why": one.why.replace("_", " "),
            }
            for one in found.choices
        ]
    own = _own([profiles for profiles, _ in points])
    return [
        {"profiles": name, **row, **{n: _said(x, found.quantities[n], number) for n, x in chosen.items()}}
        for name, row, (_, chosen) in zip(own, rows, points, strict=True)
    ]


def over_ranges(best: Optimum, number: Callable[..., str], points: int = 1000) -> list[dict[str, str]]:
    """How the choices of an optimum fare over its ranges, as rows of a table."""
    found = best.under_ranges(points)
    own = _own([one.choice.profiles for one in found.outcomes])
    return [
        {
            "profiles": name,
            **one.choice.listed,
            "middle": _said(one.middle, found.quantity, number),
            "worst": _said(one.worst, found.quantity, number) if math.isfinite(one.worst) else "excluded",
            "wins": f"{100 * one.wins:.0f} %",
            "holds": f"{100 * one.holds:.0f} %",
        }
        for name, one in zip(own, found.outcomes, strict=True)
    ]


def _said(base: float, quantity: Declaration, number: Callable[..., str]) -> str:
    return number(quantity.unit.from_base(base), quantity.unit.text)


def _own(each: Iterable[tuple[str, ...]]) -> list[str]:
    """The profiles that are not the same everywhere."""
    listed = list(each)
    shared = set.intersection(*map(set, listed)) if len(set(listed)) > 1 else set()
    return [", ".join(name for name in one if name not in shared) for one in listed]


def questions(library: Any, typed: Callable[[Mapping[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """The verbs of best choices, asked of a library."""

    def least(target: str, *profiles: Any, such_that: Any = (), **given: Any) -> Optimum:
        found: Optimum = library.least(target, *profiles, such_that=such_that, **typed(given))
        return found

    def most(target: str, *profiles: Any, such_that: Any = (), **given: Any) -> Optimum:
        found: Optimum = library.most(target, *profiles, such_that=such_that, **typed(given))
        return found

    def front(targets: Any, *profiles: Any, such_that: Any = (), points: int = 12, **given: Any) -> Front:
        found: Front = library.front(targets, *profiles, such_that=such_that, points=points, **typed(given))
        return found

    def border(target: str, *profiles: Any, over: Any, **given: Any) -> Borders:
        found: Borders = library.border(target, *profiles, over=over, **typed(given))
        return found

    return {one.__name__: one for one in (least, most, front, border)} | {"compare": library.compare}
