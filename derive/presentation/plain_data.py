"""Plain data for programs, ready for JSON: of an answer, of a remark, and of any object's attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from derive.presentation.numbers import DIGITS

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer, Remark
    from quantities.declaration import Declaration


def answer_data(answer: Answer, digits: int = DIGITS) -> dict[str, Any]:
    """An answer as plain data: the schema of `derive solve --json`.

    `target` and `unit` are text, and so is everything under `steps`, `given`, `regime` and `assumptions`. `value`,
    `low` and `high` are numbers in that unit: without `value` there are only bounds, and if one end is null and the
    other is not, that end is open. `checks` are the tests, each with its `gap` (null if it is infinite); `failed` has
    a sentence for each failed one; `unused` are the givens without effect,
    `acts_on` names what some of them would count in; `whole` says which whole numbers do where a count is not whole.
    `remarks` are what is assumed, defaulted or left out and moves the value by more than a tenth, the largest first:
    `name` taken as `value` multiplies it by `factor`, which is null where that is not known, or no ratio.
    """
    unit = answer.quantity.unit
    low, high = (None, None) if answer.bounds is None else (finite_data(unit.from_base(end)) for end in answer.bounds)
    return {
        "target": answer.quantity.name,
        "value": None if answer.base is None else unit.from_base(answer.base),
        "unit": unit.text,
        "low": low,
        "high": high,
        "steps": [
            attributes(step.rounded(digits), "relation", "equation", "rearranged", "numbers", "value")
            for step in answer.steps
        ],
        "given": {
            name: {"value": str(value), "kind": value.source.kind, "source": str(value.source)}
            for name, value in answer.given.items()
        },
        **attributes(answer, "regime", "assumptions"),
        "checks": [
            {"name": check.name, "statement": check.statement, "gap": finite_data(check.gap), "passed": check.passed}
            for check in answer.checks
        ],
        "failed": [{"name": check.name, "sentence": check.verdict or check.statement} for check in answer.failed],
        **attributes(answer, "unused", "acts_on", "whole"),
        "remarks": [remark_data(remark) for remark in answer.remarks],
    }


def remark_data(remark: Remark) -> dict[str, Any]:
    """A remark on an answer as plain data, without its place."""
    return {**attributes(remark, "kind", "name", "value", "factor"), "sentence": remark.text}


def point_data(chosen: Mapping[str, float], declared: Mapping[str, Declaration]) -> dict[str, dict[str, Any]]:
    """The numbers at a point as plain data: each in its declared unit, with that unit."""
    units = {name: declared[name].unit for name in chosen}
    return {name: {"value": units[name].from_base(x), "unit": units[name].text} for name, x in chosen.items()}


def finite_data(data: Any) -> Any:
    """Plain data with null in place of infinite numbers and NaN, which JSON does not have.

    >>> finite_data({"low": -math.inf, "numbers": (1.5, math.nan, 2)})
    {'low': None, 'numbers': [1.5, None, 2]}
    """
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {name: finite_data(value) for name, value in data.items()}
    return [*map(finite_data, data)] if isinstance(data, (list, tuple)) else data


def attributes(thing: Any, *names: str) -> dict[str, Any]:
    """Some attributes of an object as plain data for JSON, by their names.

    >>> attributes(slice(1, (2, 3)), "start", "stop")
    {'start': 1, 'stop': [2, 3]}
    """
    data = {name: getattr(thing, name) for name in names}
    for name, value in data.items():
        if isinstance(value, tuple):
            data[name] = list(value)
        elif isinstance(value, Mapping):
            data[name] = dict(value)
    return data
