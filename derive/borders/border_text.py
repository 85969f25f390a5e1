"""Borders as text and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.expressions.tree import render
from derive.presentation.numbers import DIGITS, shown_number, spelled
from derive.presentation.text import columns
from derive.tables.maps.labels import varying

if TYPE_CHECKING:
    from derive.borders.border import Border, Borders, Region

__all__ = ["as_data", "as_text", "sentence"]


def sentence(border: Border, digits: int = DIGITS) -> str:
    """What changes, and where."""
    where = f"{border.of} = {render(border.form)}" if border.form is not None else _stretch(border, digits)
    if border.form is not None and not border.symbols.keys() & {
        one.name for one in border.axes if one.name != border.of
    }:
        where += f" = {_shown(border, 0, border.of, digits)}"
    ends = [f"{name} at {shown_number(end, border.symbols[name].unit, digits)}" for name, end in border.ends.items()]
    return f"{_what(border)}, where {where}{' with ' * bool(ends)}{' and '.join(ends)}"


def _what(border: Border) -> str:
    change = border.change
    if change.kind == "regime":
        return f"{border.equation or ' = '.join(change.arms)} ({change.relation})"
    if change.kind == "check":
        held = f": {border.equation}" if border.equation else ""
        return f"{change.relation} ceases to hold{held}"
    return f"{change.relation} begins to apply" if change.kind == "case" else "there is no answer beyond"


def _shown(border: Border, place: int, name: str, digits: int) -> str:
    names = [one.name for one in border.axes]
    quantity = border.axes[names.index(name)]
    return shown_number(quantity.unit.to_base(border.points[place][names.index(name)]), quantity.unit, digits)


def _stretch(border: Border, digits: int) -> str:
    def told(place: int) -> str:
        return ", ".join(f"{one.name} = {_shown(border, place, one.name, digits)}" for one in border.axes)

    return told(0) if len(border.points) == 1 else f"{told(0)} to {told(-1)}"


def _region(region: Region, names: set[str]) -> tuple[str, str]:
    share = f"{100 * region.share:.3g} %"
    if not region.is_answered:
        return share, "no answer"
    arms = [f"{arm} binds ({name})" for name, arm in region.standing.arms if arm and name in names]
    failed = [f"{name} fails" for name in sorted(region.failed)]
    return share, "; ".join([*arms, *failed]) or "every check holds"


def as_text(found: Borders, digits: int = DIGITS) -> str:
    """The borders, and the regions with the largest first."""
    over = " and ".join(
        f"{one.name} ({shown_number(low, one.unit, digits)} to {shown_number(high, one.unit, digits)})"
        for one, (low, high) in zip(found.axes, found.ends.values(), strict=True)
    )
    count = {0: "no border", 1: "1 border"}.get(len(found), f"{len(found)} borders")
    lines = [f"{found.target.name} over {over}: {count}", *(f"  {sentence(one, digits)}" for one in found)]
    names = varying(one.standing for one in found.regions)

    return "\n".join([*lines, "", *columns([_region(one, names) for one in found.regions], right=(0,))])


def as_data(found: Borders) -> dict[str, Any]:
    """The borders as plain data: the schema of `derive border --json`.

    Each border has its points in the declared units of the axes, and its closed form, or null.
    """
    return {
        "target": found.target.name,
        "axes": [
            {
                "name": one.name,
                "unit": spelled(one.unit),
                "low": one.unit.from_base(low),
                "high": one.unit.from_base(high),
            }
            for one, (low, high) in zip(found.axes, found.ends.values(), strict=True)
        ],
        "borders": [
            {
                "kind": one.kind,
                "relation": one.relation,
                "arms": list(one.change.arms),
                "equation": one.equation or None,
                "formula": None if one.form is None else {one.of: render(one.form)},
                "points": [list(point) for point in one.points],
            }
            for one in found
        ],
        "regions": [
            {
                "arms": dict(one.arms),
                "failed": sorted(one.failed),
                "answered": one.is_answered,
                "share": one.share,
            }
            for one in found.regions
        ],
    }
