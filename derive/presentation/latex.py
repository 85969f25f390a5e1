r"""An answer as LaTeX: a fragment for any document that loads amsmath.

Names, texts and sources are somebody else's words: every character of them is escaped, so that none is obeyed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from derive.presentation.bibliography import Bibliography
from derive.presentation.derivation import Derivation, Line, Paragraph, lay_out

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

__all__ = ["aligned", "as_latex", "breakable", "cautions", "escaped", "inputs", "notes", "sources", "step"]

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


def breakable(text: str) -> str:
    """Text that TeX prints as it stands, and may break where an address or a path allows it."""
    return escaped(text).translate(_BREAKS)


def as_latex(answer: Answer, digits: int | None = None) -> str:
    """The answer as a fragment: its steps aligned, its inputs in a table, its sources numbered."""
    page = lay_out(answer, digits)
    cited = Bibliography()
    title = rf"\subsection*{{{_worded(page.target)}: ${page.headline}$}}"
    steps = [step(number, one) for number, one in enumerate(page.steps, 1)]
    parts = [title, *cautions(page), *steps, *inputs(page, cited), *notes(page)]
    if cited.sources:
        parts.append("\\paragraph{Sources}\n" + sources(cited))
    return "\n\n".join(parts) + "\n"


def cautions(page: Derivation) -> list[str]:
    """What does not hold and what plays no part, to stand directly under the result."""
    return [rf"\noindent\textbf{{{breakable(one)}.}}" for one in page.cautions]


def notes(page: Derivation) -> list[str]:
    """The regime, what was assumed and what was checked."""
    parts = []
    regime = [f"{relation}: {arm} binds" for relation, arm in page.regime.items()]
    for title, rows in (("Regime", regime), ("Assumptions", page.assumptions), ("Checks", page.checks)):
        if rows:
            items = "\n".join(rf"\item {breakable(row)}" for row in rows)
            parts.append(f"\\paragraph{{{title}}}\n\\begin{{itemize}}\\raggedright\n{items}\n\\end{{itemize}}")
    return parts


def sources(cited: Bibliography) -> str:
    """The sources as a numbered list."""
    items = "\n".join(rf"\item {breakable(str(source))}" for source in cited.sources)
    return f"\\begin{{enumerate}}\\raggedright\n{items}\n\\end{{enumerate}}"


def aligned(lines: tuple[Line, ...]) -> str:
    """Lines of mathematics below each other, at their equals signs."""
    rows = " \\\\\n".join(f"  {left} &= {right}" if right else f"  & {left}" for left, right in lines)
    return f"\\begin{{align*}}\n{rows}\n\\end{{align*}}"


def _worded(name: str) -> str:
    return escaped(name.replace("_", " "))


def step(number: int, shown: Paragraph, display: Callable[[tuple[Line, ...]], str] = aligned) -> str:
    """A numbered sentence, and the lines of mathematics below it."""
    reason = f": {escaped(shown.because)}" if shown.because else ""
    return f"\\noindent\\textbf{{{number}.}} \\textit{{{_worded(shown.relation)}}}{reason}\n{display(shown.lines)}"


def inputs(page: Derivation, cited: Bibliography) -> list[str]:
    """The table of what went in."""
    if not page.symbols:
        return []
    whose = [cited.cite(symbol.source) for symbol in page.symbols]
    rows = " \\\\\n".join(
        f"${symbol.letter}$ & {_worded(symbol.name)} & ${symbol.value}$ & {_citation(by)}"
        for symbol, by in zip(page.symbols, whose, strict=True)
    )
    return [
        "\\noindent\n\\begin{tabular}{@{}llll@{}}\n\\hline\nsymbol & quantity & value & source \\\\\n\\hline\n"
        f"{rows} \\\\\n\\hline\n\\end{{tabular}}"
    ]


def _citation(by: int | str) -> str:
    return f"[{by}]" if isinstance(by, int) else escaped(by)
