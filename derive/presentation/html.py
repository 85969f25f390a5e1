"""An answer as HTML, its mathematics as MathML that browsers show by themselves; needs no network."""

from __future__ import annotations

import html
import re
from typing import Any

from derive.errors import DeriveError
from derive.presentation.bibliography import Bibliography
from derive.presentation.derivation import Derivation, Line, Paragraph

__all__ = ["aligned", "cautions", "escaped", "formula", "inputs", "notes", "sources", "step"]


def escaped(text: str) -> str:
    """Text that a browser shows as it stands."""
    return html.escape(text, quote=True)


def formula(latex: str, *, block: bool = False) -> str:
    """Mathematics in this package's LaTeX as MathML."""
    return f'<math display="{"block" if block else "inline"}">{_row(latex)}</math>'


def aligned(lines: tuple[Line, ...]) -> str:
    """Lines of mathematics below each other, at their equals signs."""
    rows = "".join(
        f"<mtr><mtd>{_row(left)}</mtd><mtd><mo>=</mo></mtd><mtd>{_row(right)}</mtd></mtr>"
        if right
        else f"<mtr><mtd></mtd><mtd></mtd><mtd>{_row(left)}</mtd></mtr>"
        for left, right in lines
    )
    return f'<math display="block"><mtable displaystyle="true" class="aligned">{rows}</mtable></math>'


def _row(latex: str) -> str:
    """The inside of a formula: `<mrow>...</mrow>`."""
    if not latex:
        return "<mrow></mrow>"
    made = _converter().convert(latex.replace(r"\AA", "Å"))
    return re.sub(r"&(?!#?\w+;)", "&amp;", made[made.index(">") + 1 : made.rindex("</math>")])


def _converter() -> Any:
    try:
        import latex2mathml.converter
    except ImportError:
        raise DeriveError("HTML needs latex2mathml.", hint="pip install 'derive-engine[reports]'") from None
    return latex2mathml.converter


def cautions(page: Derivation) -> list[str]:
    """What does not hold and what plays no part, to stand directly under the result."""
    return [f'<p class="caution"><b>{escaped(one)}.</b></p>' for one in page.cautions]


def notes(page: Derivation) -> list[str]:
    """The regime, what was assumed and what was checked."""
    parts = []
    regime = [f"{relation}: {arm} binds" for relation, arm in page.regime.items()]
    for title, rows in (("Regime", regime), ("Assumptions", page.assumptions), ("Checks", page.checks)):
        if rows:
            items = "".join(f"<li>{escaped(row)}</li>" for row in rows)
            parts.append(f"<p><b>{title}</b></p><ul>{items}</ul>")
    return parts


def sources(cited: Bibliography) -> str:
    """The sources as a numbered list."""
    return "<ol>" + "".join(f"<li>{escaped(str(source))}</li>" for source in cited.sources) + "</ol>"


def _worded(name: str) -> str:
    return escaped(name.replace("_", " "))


def step(number: int, shown: Paragraph) -> str:
    reason = f": {escaped(shown.because)}" if shown.because else ""
    return f"<p><b>{number}.</b> <i>{_worded(shown.relation)}</i>{reason}</p>{aligned(shown.lines)}"


def inputs(page: Derivation, cited: Bibliography) -> list[str]:
    if not page.symbols:
        return []
    rows = "".join(
        f"<tr><td>{formula(symbol.letter)}</td><td>{_worded(symbol.name)}</td><td>{formula(symbol.value)}</td>"
        f"<td>{_citation(cited.cite(symbol.source))}</td></tr>"
        for symbol in page.symbols
    )
    return [f"<table><tr><th>symbol</th><th>quantity</th><th>value</th><th>source</th></tr>{rows}</table>"]


def _citation(by: int | str) -> str:
    return f"[{by}]" if isinstance(by, int) else escaped(by)
