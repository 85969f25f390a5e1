"""An answer as Markdown, its mathematics between dollar signs.

Notebooks and code hosts differ in how mathematics is fenced: a notebook takes bare dollars; on a code host Markdown
would eat backslashes inside them, and backticks protect the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.presentation.bibliography import Bibliography
from derive.presentation.derivation import Derivation, Line, Paragraph, lay_out

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

__all__ = [
    "HOST",
    "NOTEBOOK",
    "Fence",
    "aligned",
    "as_markdown",
    "cautions",
    "inputs",
    "notes",
    "plain",
    "sources",
    "step",
]

_SPECIAL = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]()#+-!|<>$~&"} | {"\n": " "})


@dataclass(frozen=True, slots=True)
class Fence:
    """What stands around mathematics."""

    inline: tuple[str, str]
    block: tuple[str, str]

    def formula(self, latex: str) -> str:
        """A formula in a line of text or a cell, where a bar would end the cell."""
        return latex.replace("|", r"\vert ").join(self.inline)

    def display(self, latex: str) -> str:
        """A formula in lines of its own."""
        return latex.join(self.block)


NOTEBOOK = Fence(("$", "$"), ("$$\n", "\n$$"))
HOST = Fence(("$`", "`$"), ("```math\n", "\n```"))


def plain(text: str) -> str:
    r"""Text that Markdown prints as it stands, HTML included.

    >>> plain("<b>*a_b*</b>")
    '\\<b\\>\\*a\\_b\\*\\</b\\>'
    """
    return text.translate(_SPECIAL)


def as_markdown(answer: Answer, digits: int | None = None) -> str:
    """The answer as a section: its steps aligned, its inputs in a table, its sources numbered."""
    page = lay_out(answer, digits)
    cited = Bibliography()
    steps = [step(number, one, NOTEBOOK) for number, one in enumerate(page.steps, 1)]
    parts = [f"### {_worded(page.target)}", NOTEBOOK.display(page.headline), *cautions(page), *steps]
    parts += [*inputs(page, cited, NOTEBOOK), *notes(page)]
    if cited.sources:
        parts.append("**Sources**\n\n" + sources(cited))
    return "\n\n".join(parts) + "\n"


def step(number: int, shown: Paragraph, fence: Fence) -> str:
    """A numbered sentence, and the lines of mathematics below it."""
    reason = f": {plain(shown.because)}" if shown.because else ""
    return f"**{number}.** *{_worded(shown.relation)}*{reason}\n\n{aligned(shown.lines, fence)}"


def aligned(lines: tuple[Line, ...], fence: Fence) -> str:
    """Lines of mathematics below each other, at their equals signs."""
    rows = " \\\\\n".join(f"{left} &= {right}" if right else f"& {left}" for left, right in lines)
    return fence.display(f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}")


def inputs(page: Derivation, cited: Bibliography, fence: Fence) -> list[str]:
    """The table of what went in, if anything did."""
    if not page.symbols:
        return []
    rows = [
        f"| {fence.formula(symbol.letter)} | {_worded(symbol.name)} | {fence.formula(symbol.value)} "
        f"| {_citation(cited.cite(symbol.source))} |"
        for symbol in page.symbols
    ]
    return ["\n".join(["| symbol | quantity | value | source |", "| --- | --- | --- | --- |", *rows])]


def cautions(page: Derivation) -> list[str]:
    """What does not hold and what plays no part, to stand directly under the result."""
    return [f"**{plain(one)}.**" for one in page.cautions]


def notes(page: Derivation) -> list[str]:
    """The regime, what was assumed and what was checked."""
    parts = []
    regime = [f"{relation}: {arm} binds" for relation, arm in page.regime.items()]
    for title, rows in (("Regime", regime), ("Assumptions", page.assumptions), ("Checks", page.checks)):
        if rows:
            parts.append(f"**{title}**\n\n" + "\n".join(f"- {plain(row)}" for row in rows))
    return parts


def sources(cited: Bibliography) -> str:
    """The sources as a numbered list."""
    return "\n".join(f"{i}. {plain(str(source))}" for i, source in enumerate(cited.sources, 1))


def _worded(name: str) -> str:
    return plain(name.replace("_", " "))


def _citation(by: int | str) -> str:
    return rf"\[{by}\]" if isinstance(by, int) else plain(by)
