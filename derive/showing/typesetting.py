"""An answer as text for the terminal, and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.showing.numerals import shown_number, shown_span

if TYPE_CHECKING:
    from derive.solving.answer import Answer

__all__ = ["as_data", "as_text", "headline"]


def headline(answer: Answer) -> str:
    """The answer in one line: `period = 2.00 s`."""
    unit = answer.quantity.unit
    name = answer.quantity.name
    if answer.base is not None:
        low, high = (shown_number(end, unit) for end in answer.bounds or (answer.base, answer.base))
        return f"{name} = {shown_number(answer.base, unit)}{f'  ({low} to {high})' if low != high else ''}"
    assert answer.bounds is not None
    return f"{name} is {shown_span(*answer.bounds, unit)}"


def as_text(answer: Answer) -> str:
    """The answer, each step as stated, rearranged, with numbers, and its value; and what stands behind it."""
    lines = [headline(answer)]
    for number, step in enumerate(answer.steps, 1):
        lines += ["", f"{number}. {step.relation}: {step.equation}"]
        name, equals, form = step.rearranged.partition(" = ")
        rows = [form] if equals and step.rearranged != step.equation else []
        rows += [row for row in (step.numbers, step.value) if row not in ("", form)]
        lines += [f"   {name if i == 0 else '':<{len(name)}} = {row}" for i, row in enumerate(rows)]
    for title, rows in _sections(answer):
        lines += ["", title, *(f"  {row}" for row in rows)]
    return "\n".join(lines)


def _sections(answer: Answer) -> list[tuple[str, list[str]]]:
    width = max((len(name) for name in answer.given), default=0)
    told = max((len(str(value)) for value in answer.given.values()), default=0)
    given = [f"{name:<{width}} = {value!s:<{told}}  {value.source}" for name, value in answer.given.items()]
    regime = [f"{relation}: {arm} binds" for relation, arm in answer.regime.items()]
    sections = [
        ("given", given),
        ("regime", regime),
        ("assumptions", list(answer.assumptions)),
        ("checks", [str(check) for check in answer.checks]),
    ]
    return [(title, rows) for title, rows in sections if rows]


def as_data(answer: Answer) -> dict[str, Any]:
    """The answer as plain data: the schema of `derive solve --json`."""
    unit = answer.quantity.unit
    low, high = (None, None) if answer.bounds is None else (unit.from_base(end) for end in answer.bounds)
    return {
        "target": answer.quantity.name,
        "value": None if answer.base is None else unit.from_base(answer.base),
        "unit": unit.text,
        "low": low,
        "high": high,
        "steps": [
            {
                "relation": step.relation,
                "equation": step.equation,
                "rearranged": step.rearranged,
                "numbers": step.numbers,
                "value": step.value,
            }
            for step in answer.steps
        ],
        "given": {
            name: {"value": str(value), "kind": value.source.kind, "source": str(value.source)}
            for name, value in answer.given.items()
        },
        "regime": dict(answer.regime),
        "assumptions": list(answer.assumptions),
        "checks": [
            {"name": check.name, "statement": check.statement, "gap": check.gap, "passed": check.passed}
            for check in answer.checks
        ],
    }
