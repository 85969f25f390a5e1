r"""An answer as LaTeX: a fragment for any document that loads amsmath, and a whole document around fragments.

Names, texts and sources are somebody else's words: every character of them is escaped, so that none is obeyed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.showing.derivation import Derivation, Paragraph, lay_out

if TYPE_CHECKING:
    from derive.solving.answer import Answer

__all__ = ["as_latex", "escaped"]

_ESCAPES = str.maketrans(
    {
        **{c: rf"\{c}" for c in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "\n": " ",
    }
)
_BREAKS = str.maketrans({c: f"{c}\\allowbreak{{}}" for c in "/:;,"})


def escaped(text: str) -> str:
    r"""Text that TeX prints as it stands.

    >>> escaped(r"50 % of \input{x}")
    '50 \\% of \\textbackslash{}input\\{x\\}'
    """
    return text.translate(_ESCAPES)


def as_latex(answer: Answer) -> str:
    """The answer as a fragment: its steps aligned, its inputs in a table, its sources numbered."""
    page = lay_out(answer)
    parts = [rf"\subsection*{{{_worded(page.target)}: ${page.headline}$}}"]
    parts += [_step(number, step) for number, step in enumerate(page.steps, 1)]
    parts += _inputs(page)
    regime = [f"{relation}: {arm} binds" for relation, arm in page.regime.items()]
    for title, rows in (("Regime", regime), ("Assumptions", page.assumptions), ("Checks", page.checks)):
        if rows:
            items = "\n".join(rf"\item {escaped(row).translate(_BREAKS)}" for row in rows)
            parts.append(f"\\paragraph{{{title}}}\n\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}")
    if page.sources:
        items = "\n".join(rf"\item {escaped(str(source)).translate(_BREAKS)}" for source in page.sources)
        parts.append(f"\\paragraph{{Sources}}\n\\begin{{enumerate}}\\raggedright\n{items}\n\\end{{enumerate}}")
    return "\n\n".join(parts) + "\n"


def _worded(name: str) -> str:
    return escaped(name.replace("_", " "))


def _step(number: int, step: Paragraph) -> str:
    """A numbered sentence, and the lines of mathematics below it."""
    reason = f": {escaped(step.because)}" if step.because else ""
    rows = " \\\\\n".join(f"  {left} &= {right}" if right else f"  & {left}" for left, right in step.lines)
    return (
        f"\\noindent\\textbf{{{number}.}} \\textit{{{_worded(step.relation)}}}{reason}\n"
        f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"
    )


def _inputs(page: Derivation) -> list[str]:
    """The table of what went in."""
    if not page.symbols:
        return []
    rows = " \\\\\n".join(
        f"${letter}$ & {_worded(name)} & ${value}$ & {f'[{whose}]' if whose.isdigit() else escaped(whose)}"
        for letter, name, value, whose in page.symbols
    )
    return [
        "\\noindent\n\\begin{tabular}{@{}llll@{}}\n\\hline\nsymbol & quantity & value & source \\\\\n\\hline\n"
        f"{rows} \\\\\n\\hline\n\\end{{tabular}}"
    ]
