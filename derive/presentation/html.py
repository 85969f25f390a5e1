"""The HTML dialect: one self-contained file, with mathematics as MathML and no network."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from derive.errors import DeriveError
from derive.presentation.derivation import Line
from derive.presentation.line_breaking import fitted

__all__ = ["Html"]

_LINE = 80  # characters of mathematics that a line holds

_STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 Georgia, serif; color: #1a1a1a; }
h1, h2, h3, h4, th { font-family: system-ui, sans-serif; line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .85rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid #eee; vertical-align: top; }
math[display=block] { overflow-x: auto; margin: .8rem 0; }
mtable.aligned mtd:nth-child(1) { text-align: right; }
mtable.aligned mtd:nth-child(3) { text-align: left; }
figure { margin: 1.5rem 0; } figure svg { width: 100%; height: auto; }
figcaption, .small { font-size: .85rem; color: #444; }
code { font-size: .9em; }
@media (prefers-color-scheme: dark) { figure { background: #fff; } }
"""


@dataclass(frozen=True, slots=True)
class Html:
    """HTML pages; `drawn` has the SVG of each picture by its name."""

    drawn: Mapping[str, str]

    between: ClassVar[str] = "\n"
    before_formulas: ClassVar[str] = "\n"
    before_citations: ClassVar[str] = " "
    escaped = staticmethod(html.escape)

    def word(self, kind: str, text: str) -> str:
        match kind:
            case "math":
                return _formula(text, "inline")
            case "name":
                return f"<code>{self.escaped(text)}</code>"
            case "stress":
                return f"<em>{self.escaped(text)}</em>"
        return self.escaped(text)

    def document(self, title: str, text: str, parts: Sequence[str], is_volume: bool) -> str:
        head = f'<meta charset="utf-8"><title>{self.escaped(text)}</title><style>{_STYLE}</style>'
        body = "\n".join([self.heading(title, 1), *parts])
        return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'

    def heading(self, words: str, level: int) -> str:
        return f"<h{level}>{words}</h{level}>"

    def paragraph(self, words: str) -> str:
        return f"<p>{words}</p>"

    def items(self, rows: Sequence[str], citations: str) -> str:
        return f"<ul>{_each('li', rows)}</ul>{citations}"

    def aligned(self, lines: Sequence[Line]) -> str:
        rows = "".join(
            f"<mtr><mtd>{_row(left)}</mtd><mtd><mo>=</mo></mtd><mtd>{_row(right)}</mtd></mtr>"
            if right
            else f"<mtr><mtd></mtd><mtd></mtd><mtd>{_row(left)}</mtd></mtr>"
            for left, right in fitted(lines, _LINE)
        )
        return f'<math display="block"><mtable displaystyle="true" class="aligned">{rows}</mtable></math>'

    def grid(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shares: Sequence[float]) -> str:
        return f'{self.inputs(header, rows)}<p class="small">{caption}</p>'

    def picture(self, name: str, caption: str, text: str) -> str:
        svg = self.drawn[name]
        return f"<figure>{svg[svg.index('<svg') :]}<figcaption>{caption}</figcaption></figure>"

    def result(self, title: str, level: int, formula: str) -> str:
        return f"{self.heading(title, level)}\n{_formula(formula, 'block')}"

    def caution(self, text: str) -> str:
        return f'<p class="caution"><b>{self.escaped(text)}</b></p>'

    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str:
        return f"<p><b>{number}.</b> <i>{name}</i>{reason}</p>{self.aligned(lines)}"

    def inputs(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        body = _each("tr", (_each("td", row) for row in rows))
        return f"<table><tr>{_each('th', header)}</tr>{body}</table>"

    def note(self, title: str, body: str) -> str:
        return f"<p><b>{title}</b></p>{body}"

    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str:
        tag = "ol" if is_numbered else "ul"
        return f"<{tag}>{_each('li', map(self.escaped, texts))}</{tag}>"

    def small(self, parts: list[str]) -> list[str]:
        return parts


def _each(tag: str, inside: Iterable[str]) -> str:
    return "".join(f"<{tag}>{one}</{tag}>" for one in inside)


def _formula(latex: str, display: str) -> str:
    """Mathematics in this package's LaTeX as MathML."""
    return f'<math display="{display}">{_row(latex)}</math>'


def _row(latex: str) -> str:
    """The inside of a formula: `<mrow>...</mrow>`."""
    if not latex:
        return "<mrow></mrow>"
    try:
        from latex2mathml.converter import convert
    except ImportError:
        raise DeriveError("HTML needs latex2mathml.", hint="pip install 'derive-engine[reports]'") from None
    made = convert(latex.replace(r"\AA", "Å"))
    return re.sub(r"&(?!#?\w+;)", "&amp;", made[made.index(">") + 1 : made.rindex("</math>")])
