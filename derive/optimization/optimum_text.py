"""A best choice as text for the terminal, and as plain data."""

from __future__ import annotations

import math
from typing import Any

from derive.expressions.tree import Name, render
from derive.optimization.optimum import Choice, Optimum
from derive.presentation.failed_checks import cautions
from derive.presentation.numbers import DIGITS, shown_number
from derive.presentation.text import as_data as answer_data
from derive.presentation.text import columns, section
from derive.solving.sensitivity.elasticities import put_in
from derive.tolerances import TIGHT

__all__ = ["as_data", "as_text", "headline", "proof"]


def headline(found: Optimum, digits: int = DIGITS) -> str:
    """The value in one line, with what was chosen."""
    answer = found.answer
    assert answer.base is not None
    value = shown_number(answer.base, answer.quantity.unit, digits)
    chosen = [f"{name} = {_shown(found, name, number, digits)}" for name, number in found.chosen.items()]
    where = ", ".join([*chosen, *found.profiles])
    return f"{found.sense} {answer.quantity.name} = {value} at {where}"


def proof(found: Optimum) -> str:
    """What is known about the value: that it is the best, or how far from the best it may be."""
    if found.proved:
        exact = found.gap == 0 or (found.gap or 0) < TIGHT
        return "proved: no choice is better" + ("" if exact else f" by more than {found.gap:.1g} of the value")
    if found.gap is None:
        return "not proved: the best that was found, and no bound is known"
    return f"not proved: the best that was found; no choice is better by more than {found.gap:.2g} of the value"


def as_text(found: Optimum, digits: int = DIGITS) -> str:
    """The value, the proof, what binds, the formula of the choice, all choices, and the checks that fail."""
    lines = [headline(found, digits), f"  {proof(found)}", *(f"  {caution}" for caution in cautions(found.answer))]
    lines += section("because", found.reasons) if found.reasons else []
    lines += section("binding", map(str, found.binding)) if found.binding else []
    lines += section("where", (f"{name} = {_formula(found, name)}" for name in found.forms)) if found.forms else []
    if len(found.choices) > 1:
        lines += section("choices", columns([_heading(found), *(_row(found, one, digits) for one in found.choices)]))
    return "\n".join(lines)


def _shown(found: Optimum, name: str, number: float, digits: int) -> str:
    return shown_number(number, found.quantities[name].unit, digits)


def _formula(found: Optimum, name: str) -> str:
    """A chosen quantity in closed form, with the values of limits as they were stated."""
    values = {one: Name(f"({value})") for one, value in found.values.items()}
    return render(put_in(found.forms[name], values))


def _heading(found: Optimum) -> tuple[str, ...]:
    first = found.choices[0]
    return ("profiles", *first.listed, *found.ranged, found.answer.quantity.name, "")


def _row(found: Optimum, one: Choice, digits: int) -> tuple[str, ...]:
    free = [_shown(found, name, one.at[name], digits) if name in one.at else "-" for name in found.ranged]
    best = "-" if one.best is None else shown_number(one.best, found.answer.quantity.unit, digits)
    why = one.why or ("" if one.is_proved else "not proved")
    return (", ".join(one.profiles) or "-", *one.listed.values(), *free, best, why)


def as_data(found: Optimum, digits: int = DIGITS) -> dict[str, Any]:
    """The choice as plain data: the schema of `derive least --json`.

    `value` is a number in `unit`; `at` has the chosen quantities, each with its unit, and the profiles. `binding` has
    each limit with the share of the value that is gained if it moves by `moved`; `gap` is null where no bound is known.
    `answer` is that of `derive solve --json` at the best point.
    """
    unit, declared = found.answer.quantity.unit, found.quantities
    assert found.answer.base is not None

    def told(at: Any) -> dict[str, Any]:
        return {name: {"value": declared[name].unit.from_base(x), "unit": declared[name].unit.text} for name, x in at}

    return {
        "target": found.answer.quantity.name,
        "sense": found.sense,
        "value": unit.from_base(found.answer.base),
        "unit": unit.text,
        "at": {**told(found.chosen.items()), "profiles": list(found.profiles)},
        "proved": found.proved,
        "gap": found.gap if found.gap is None or math.isfinite(found.gap) else None,
        "reasons": list(found.reasons),
        "binding": [{"name": one.name, "price": one.price, "moved": one.moved} for one in found.binding],
        "formula": {name: _formula(found, name) for name in found.forms},
        "choices": [
            {
                "profiles": list(one.profiles),
                "listed": dict(one.listed),
                "at": told(one.at.items()),
                "value": None if one.best is None else unit.from_base(one.best),
                "why": one.why,
                "proved": one.is_proved,
            }
            for one in found.choices
        ],
        "answer": answer_data(found.answer, digits),
    }
