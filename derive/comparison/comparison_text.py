"""A comparison as a sentence, as text for the terminal, and as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from derive.comparison.comparison import Comparison, Factor
from derive.presentation.failed_checks import cautions
from derive.presentation.numbers import DIGITS, shown_number, spelled, with_unit
from derive.presentation.text import as_data as answer_data
from derive.presentation.text import columns, section
from derive.tolerances import TIGHT

__all__ = ["as_data", "as_text", "beside_each_other", "headline", "sentence"]

_TOLD = 6  # factors that the sentence names
_FACTOR = 4  # digits of a factor by default
_SHORT = 3  # the same in the sentence


def headline(found: Comparison, digits: int = DIGITS, factor: int = _FACTOR) -> str:
    """Both values, and their ratio with its bounds."""
    values = [shown_number(one.base or 0.0, one.quantity.unit, digits) for one in (found.a, found.b)]
    pair = f"{found.target}: A {values[0]}, B {values[1]}"
    name = "B - A" if found.ratio is None else "B/A"
    return f"{pair}; {name} = {_whole(found, factor)}{_bounds(found, factor)}"


def _bounds(found: Comparison, digits: int) -> str:
    if found.bounds is None or math.isclose(*found.bounds, rel_tol=TIGHT):
        return ""
    low, high = (_amount(found, end, digits) for end in found.bounds)
    return f"  ({low} to {high})"


def _amount(found: Comparison, amount: float, digits: int) -> str:
    """A factor, or a part of the difference in the target's unit."""
    if found.ratio is not None:
        return f"{amount:.{digits}g}"
    unit = found.a.quantity.unit
    return with_unit(f"{amount:+.{digits}g}", f"delta_{spelled(unit)}" if unit.offset else spelled(unit))


def sentence(found: Comparison) -> str:
    """The ratio, and the factors that make it up, the largest first."""
    if not found.factors:
        return f"{found.target} is the same in A and B"
    told = [f"{one.label} {_amount(found, one.amount, _SHORT)}" for one in found.factors[:_TOLD]]
    if len(found.factors) > _TOLD:
        rest = [one.amount for one in found.factors[_TOLD:]]
        amount = math.fsum(rest) if found.ratio is None else math.prod(rest)
        told.append(f"{len(rest)} more {_amount(found, amount, _SHORT)}")
    if found.ratio is None:
        how = f"{_amount(found, found.change, _SHORT)} from A to B"
    else:
        more = found.ratio if found.ratio >= 1 else 1 / found.ratio
        how = f"{more:.{_SHORT}g} times {'more' if found.ratio >= 1 else 'less'} in B than in A"
        how = "the same in A and B" if more == 1 else how
    return f"{found.target} is {how}: {', '.join(told)}"


def as_text(found: Comparison, digits: int | None = None) -> str:
    """The ratio, the factors as a table, what has no effect, and the checks that fail."""
    usual, factor = digits or DIGITS, digits or _FACTOR
    lines = [headline(found, usual, factor), f"  {sentence(found)}"]
    if found.is_within_ranges:
        lines.append("  the two may be equal: the difference is within the ranges")
    lines += [f"  {note}" for note in found.notes]
    lines += [f"  in A: {caution}" for caution in cautions(found.a)]
    lines += [f"  in B: {caution}" for caution in cautions(found.b)]
    if found.factors:
        heading = ("part" if found.ratio is None else "factor", "of", "A", "B", "from", "")
        rows = [heading, *(row for one in found.factors for row in _rows(found, one, factor))]
        lines += section("accounts for", columns(rows, right={0}))
        lines.append(f"  together {_whole(found, factor)}; {found.method}")
    if found.idle:
        lines += section(_aside(found), columns([(one.label, one.before, one.after, _from(one)) for one in found.idle]))
    return "\n".join(lines)


def beside_each_other(found: Mapping[str, Comparison], digits: int | None = None) -> list[tuple[str, ...]]:
    """Comparisons of one target side by side, a column for each: both values, their ratio, and the factors."""
    usual, factor = digits or DIGITS, digits or _FACTOR
    names = dict.fromkeys(one.label for each in found.values() for one in each.factors)
    largest = sorted(names, key=lambda name: -max(_weight(each, name) for each in found.values()))
    rows = [("", *found)]
    for side in ("a", "b"):
        answers = (getattr(one, side) for one in found.values())
        rows.append((side.upper(), *(shown_number(one.base or 0.0, one.quantity.unit, usual) for one in answers)))
    told = ["B - A" if one.ratio is None else "B/A" for one in found.values()]
    for way in dict.fromkeys(told):
        each = zip(told, found.values(), strict=True)
        rows.append((way, *(_whole(one, factor) if way == own else "-" for own, one in each)))
    for name in largest:
        rows.append((f"  {name}", *(_told(each, name, factor) for each in found.values())))
    return rows


def _whole(found: Comparison, digits: int) -> str:
    """The ratio, or the difference where a ratio means nothing."""
    return _amount(found, found.change if found.ratio is None else found.ratio, digits)


def _told(found: Comparison, label: str, digits: int) -> str:
    """What a factor accounts for; a dash if there is none."""
    return ", ".join(_amount(found, one.amount, digits) for one in found.factors if one.label == label) or "-"


def _weight(found: Comparison, label: str) -> float:
    """How much a factor moves the target, as a share of the whole where it is a part."""
    amounts = [one.amount for one in found.factors if one.label == label]
    if found.ratio is None:
        return max((abs(one / found.change) if found.change else 0.0 for one in amounts), default=0.0)
    return max((abs(math.log(one)) if one > 0 else 0.0 for one in amounts), default=0.0)


def _aside(found: Comparison) -> str:
    """The heading of what has no factor; beside a regime it may still be what decides it."""
    has_regime = any(one.kind != "number" for one in found.factors)
    return "without a factor of its own" if has_regime else "without effect"


def _rows(found: Comparison, one: Factor, digits: int) -> Iterator[tuple[str, ...]]:
    """The row of a factor, and a row for each number in it that has none of its own."""
    label = f"{len(one.members)} together:" if one.members else one.label
    yield _amount(found, one.amount, digits), label, one.before, one.after, _from(one), _range(found, one, digits)
    for member in one.members:
        yield "", f"  {member.name}", member.before, member.after, _from(member), ""


def _from(one: Factor) -> str:
    """Where the two numbers come from."""
    return " / ".join(filter(None, dict.fromkeys(one.origins)))


def _range(found: Comparison, one: Factor, digits: int) -> str:
    """The bounds of a factor, and whether its difference is within the ranges."""
    told = []
    if one.low is not None and one.high is not None:
        told.append(f"{_amount(found, one.low, digits)} to {_amount(found, one.high, digits)}")
    if one.is_within_ranges:
        told.append("within the ranges")
    return "; ".join(told)


def as_data(found: Comparison, digits: int = DIGITS) -> dict[str, Any]:
    """The comparison as plain data: the schema of `derive compare --json`.

    `ratio` is B over A, or null where a ratio means nothing; `difference` is B less A in `unit`. `low` and `high` bound
    the ratio, or where there is none the difference, and are null without ranges. Each of `factors` has its `amount`,
    of which the product is the ratio, or the sum the difference; `idle` are the differences without a factor of
    their own. `a` and `b` are the answers as `derive solve --json` gives them.
    """
    return {
        "target": found.target,
        "unit": found.a.quantity.unit.text,
        "ratio": found.ratio,
        "difference": found.change,
        "low": found.low,
        "high": found.high,
        "within_ranges": found.is_within_ranges,
        "sentence": sentence(found),
        "method": found.method,
        "factors": [_factor_data(one) for one in found.factors],
        "idle": [_factor_data(one) for one in found.idle],
        "notes": list(found.notes),
        "a": answer_data(found.a, digits),
        "b": answer_data(found.b, digits),
    }


def _factor_data(one: Factor) -> dict[str, Any]:
    return {
        "names": list(one.names),
        "kind": one.kind,
        "amount": one.amount,
        "low": one.low,
        "high": one.high,
        "within_ranges": one.is_within_ranges,
        "a": one.before,
        "b": one.after,
        "from": list(one.origins),
        "members": [_factor_data(member) for member in one.members],
    }
