"""An answer as Markdown, its mathematics between dollar signs, as code hosts and notebooks render it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.showing.derivation import Derivation, Paragraph, lay_out

if TYPE_CHECKING:
    from derive.solving.answer import Answer

__all__ = ["as_markdown", "plain"]

_SPECIAL = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]()#+-!|<>$~&"} | {"\n": " "})


def plain(text: str) -> str:
    r"""Text that Markdown prints as it stands, HTML included.

    >>> plain("<b>*a_b*</b>")
    '\\<b\\>\\*a\\_b\\*\\</b\\>'
    """
    return text.translate(_SPECIAL)


def as_markdown(answer: Answer) -> str:
    """The answer as a section: its steps aligned, its inputs in a table, its sources numbered."""
    page = lay_out(answer)
    parts = [f"### {_worded(page.target)}", f"$$\n{page.headline}\n$$"]
    parts += [_step(number, step) for number, step in enumerate(page.steps, 1)]
    parts += _inputs(page)
    regime = [f"{relation}: {arm} binds" for relation, arm in page.regime.items()]
    for title, rows in (("Regime", regime), ("Assumptions", page.assumptions), ("Checks", page.checks)):
        if rows:
            parts.append(f"**{title}**\n\n" + "\n".join(f"- {plain(row)}" for row in rows))
    if page.sources:
        listed = "\n".join(f"{i}. {plain(str(source))}" for i, source in enumerate(page.sources, 1))
        parts.append(f"**Sources**\n\n{listed}")
    return "\n\n".join(parts) + "\n"


def _worded(name: str) -> str:
    return plain(name.replace("_", " "))


def _step(number: int, step: Paragraph) -> str:
    reason = f": {plain(step.because)}" if step.because else ""
    rows = " \\\\\n".join(f"{left} &= {right}" if right else f"& {left}" for left, right in step.lines)
    return f"**{number}.** *{_worded(step.relation)}*{reason}\n\n$$\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n$$"


def _inputs(page: Derivation) -> list[str]:
    if not page.symbols:
        return []
    rows = [
        f"| ${letter}$ | {_worded(name)} | ${value}$ | {f'[{whose}]' if whose.isdigit() else plain(whose)} |"
        for letter, name, value, whose in page.symbols
    ]
    return ["\n".join(["| symbol | quantity | value | source |", "| --- | --- | --- | --- |", *rows])]
