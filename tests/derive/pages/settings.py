"""Random settings of a page, and what the engine says of them."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from derive.errors import AmbiguousError, DeriveError, InconsistentError, LimitError
from derive.library import Library
from derive.tolerances import AGREEMENT
from quantities.value import read_number
from tests.derive.pages.shown import address


@dataclass(frozen=True)
class Setting:
    """A setting of a page: what is asked for, and the numbers of all givens."""

    solve: str
    given: Mapping[str, float]
    moved: Mapping[str, float]
    chosen: tuple[str, ...]
    held: str = ""

    @property
    def address(self) -> str:
        return address(self.solve, self.moved, self.chosen, self.held)


def drawn(library: Library, data: Mapping[str, Any], draw: random.Random, *, most_moved: int = 4) -> Setting:
    """A setting: any profiles, anything to ask for, and a few sliders anywhere; the former target near its number."""
    chosen = [draw.choice(slot["profiles"]) for slot in data["slots"]]
    place = data["byGroups"][",".join(str(one["group"]) for one in chosen)]
    if isinstance(place, str):
        return drawn(library, data, draw)
    variant = data["variants"][place]
    first = draw.choice([data["targets"][0], data["targets"][0], *variant["watched"]])
    plans = (
        variant["plans"] if first == data["targets"][0] else dict.fromkeys(variant["known"]) | variant["refused"][first]
    )
    solve = draw.choice([first, *(name for name, plan in plans.items() if not isinstance(plan, str))])
    names = [*variant["known"], *variant["beside"]]
    moved = {name: anywhere(data["quantities"][name], draw) for name in draw.sample(names, min(most_moved, len(names)))}
    names = tuple(one["name"] for one in chosen)
    numbers = {
        name: moved.get(name, stated(library, data, names, name)) for name in (*variant["known"], *variant["beside"])
    }
    if solve != first:
        moved[first] = numbers[first] = _near(library, first, numbers, draw)
        moved.pop(solve, None)
        numbers.pop(solve, None)
    return Setting(solve, numbers, moved, names, first)


def _near(library: Library, first: str, numbers: Mapping[str, float], draw: random.Random) -> float:
    """A number of the first target that may come out, whatever is asked for instead."""
    try:
        number = float(library.solve(first, **valued(library, numbers)).value.magnitude)
    except DeriveError:
        number = 1.0
    if library.declared[first].domain.whole:
        return float(max(1, round(number)))
    return number * math.exp(draw.gauss(0, 0.5))


def anywhere(quantity: Mapping[str, Any], draw: random.Random) -> float:
    """A number on a quantity's slider, whole if it has to be."""
    low, high, scale = quantity["slider"]
    if scale == "ratio from zero":
        low = high / 1e6
    by_ratio = scale != "difference" and low > 0
    number = low * (high / low) ** draw.random() if by_ratio else low + (high - low) * draw.random()
    return float(round(number)) if quantity.get("whole") else number


def stated(library: Library, data: Mapping[str, Any], chosen: Sequence[str], name: str) -> float:
    """The number of a given that was not moved, by the library: typed, a profile's, or the default."""
    quantity = library.declared[name]
    if "typed" in data["quantities"][name]:
        return float(data["quantities"][name]["typed"])
    for profile in reversed(chosen):
        value = library.profile(profile).values.get(name)
        if value is not None:
            return quantity.unit.from_base(value.base[1])
    assert quantity.default is not None, name
    return quantity.unit.from_base(quantity.default.base[1])


def valued(library: Library, numbers: Mapping[str, float]) -> dict[str, Any]:
    return {name: read_number(number, library.declared[name].unit) for name, number in numbers.items()}


def difference(library: Library, setting: Setting, shown: Mapping[str, Any]) -> str:
    """How what a page shows differs from what the engine answers; empty if it does not.

    A page may have no number where the engine has one if it says why; where the engine refuses givens that contradict
    an inequality, or that leave a quantity beside the answer no value, it shows the number and the failed check.
    """
    number = shown["number"]
    try:
        answer = library.solve(setting.solve, **valued(library, setting.given))
    except InconsistentError as error:
        named = {one for one in error.conflicts if one in library.relations and not library.relations[one].is_equation}
        is_seen = named <= {*shown["failed"]} and not {*shown["failed"]}.isdisjoint(error.conflicts)
        return "" if math.isnan(number) or is_seen else f"contradiction unseen: {error}"
    except AmbiguousError as error:
        return "" if math.isnan(number) else f"several answers, and the page has {number}: {error}"
    except LimitError:
        return ""
    except DeriveError as error:
        return "" if math.isnan(number) else f"no answer, and the page has {number}: {error}"
    if math.isnan(number):
        return "" if shown["why"] else "no number and no reason"
    exact = answer.value.magnitude
    if not math.isclose(number, exact, rel_tol=AGREEMENT):
        return f"{number} is not {exact}"
    failed = {check.name for check in answer.failed}
    if failed != {*shown["failed"]}:
        return f"failed {shown['failed']} is not {failed}"
    verdicts = {check.verdict for check in answer.failed}
    if verdicts != {one for one in shown["verdicts"] if " could not be decided " not in one}:
        return f"{shown['verdicts']} is not {verdicts}"
    return "" if shown["regime"] == dict(answer.regime) else f"regime {shown['regime']} is not {dict(answer.regime)}"
