"""The HTML dialect: one self-contained file, with mathematics as MathML and no network."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from derive.errors import DeriveError
from derive.presentation.mathematics import Line, break_lines

_LINE = 74  # characters of mathematics that a line holds

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #555; --line: #ddd; --page: #fff; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --soft: #a8a8a8; --line: #3a3a3a; --page: #16181c; --link: #7db7f5; }
  figure svg { filter: invert(.92) hue-rotate(180deg); }
}
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 Georgia, serif; color: var(--ink);
  background: var(--page); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
:target { background: color-mix(in srgb, var(--link) 18%, transparent); }
h1, h2, h3, h4, th, nav { font-family: system-ui, sans-serif; line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
nav { font-size: .85rem; } nav ul { list-style: none; padding: 0; } nav li { margin: .3rem 0; }
nav .level1 { font-weight: 600; margin-top: .8rem; } nav a { color: var(--soft); }
@media (min-width: 76rem) {
  body { margin-left: max(20rem, calc(50vw - 18rem)); }
  nav { position: fixed; top: 0; bottom: 0; left: 0; width: 16rem; overflow-y: auto; padding: 2rem 1rem;
    border-right: 1px solid var(--line); }
}
.lead { border-left: 3px solid var(--link); padding-left: 1rem; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
math { font-size: 1.12em; }
.formula { overflow-x: auto; overflow-y: hidden; margin: .5rem 0; padding: .4rem 0; }
li { overflow-wrap: anywhere; }
mtable.aligned mtd:nth-child(1) { text-align: right; }
mtable.aligned mtd:nth-child(3) { text-align: left; }
figure { margin: 1.5rem 0; } figure svg { width: 100%; height: auto; }
figcaption, .small { font-size: .85rem; color: var(--soft); }
code { font-size: .9em; }
"""


@dataclass(frozen=True, slots=True)
class Html:
    """HTML pages; `drawn` has the SVG of each picture by its name."""

    drawn: Mapping[str, str]

    between: ClassVar[str] = "\n"
    before_formulas: ClassVar[str] = "\n"
    before_citations: ClassVar[str] = " "
    escaped = breakable = staticmethod(html.escape)

    def word(self, kind: str, text: str) -> str:
        """A piece of words in HTML: mathematics as MathML, a name as code, stressed words, or plain text."""
        match kind:
            case "math":
                return f'<math display="inline">{_row(text)}</math>'
            case "name":
                return f"<code>{self.escaped(text)}</code>"
            case "stress":
                return f"<em>{self.escaped(text)}</em>"
        return self.escaped(text)

    def linked(self, words: str, target: str) -> str:
        return f'<a href="#{self.escaped(target)}">{words}</a>'

    def leading(self, words: str, address: str) -> str:
        return f'<a href="{self.escaped(address)}">{words}</a>'

    def target(self, words: str, name: str) -> str:
        return f'<span id="{self.escaped(name)}">{words}</span>'

    def head(self, title: str, facts: str, lead: Sequence[str], contents: Sequence[tuple[int, str, str]]) -> list[str]:
        rows = "".join(f'<li class="level{level}">{self.linked(words, name)}</li>' for level, words, name in contents)
        nav = [f'<nav aria-label="Contents"><ul>{rows}</ul></nav>'] if rows else []
        dated = [f'<p class="small">{self.escaped(facts)}</p>'] if facts else []
        abstract = ['<section class="lead">', *lead, "</section>"] if lead else []
        return [*nav, self.heading(title, 1), *dated, *abstract]

    def document(self, text: str, head: Sequence[str], parts: Sequence[str], is_volume: bool) -> str:
        meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        top = f"{meta}<title>{self.escaped(text)}</title><style>{_STYLE}</style>"
        body = re.sub(r"(?<=[\d>]) %", "&#160;%", "\n".join([*head, *parts]))  # no line begins with a percent sign
        return f'<!DOCTYPE html>\n<html lang="en"><head>{top}</head>\n<body>\n{body}\n</body></html>\n'

    def heading(self, words: str, level: int, name: str = "") -> str:
        named = f' id="{self.escaped(name)}"' if name else ""
        return f"<h{level}{named}>{words}</h{level}>"

    def paragraph(self, words: str) -> str:
        return f"<p>{words}</p>"

    def items(self, rows: Sequence[str], citations: str) -> str:
        return f"<ul>{_each('li', (*rows[:-1], rows[-1] + citations))}</ul>"

    def aligned(self, lines: Sequence[Line]) -> str:
        """Lines of mathematics in HTML as a table of MathML, aligned at their equals signs."""
        rows = ""
        for left, right in break_lines(lines, _LINE):
            if right:
                rows += f"<mtr><mtd>{_row(left)}</mtd><mtd><mo>=</mo></mtd><mtd>{_row(right)}</mtd></mtr>"
            else:
                rows += f"<mtr><mtd></mtd><mtd></mtd><mtd>{_row(left)}</mtd></mtr>"
        return _in_block(f'<mtable displaystyle="true" class="aligned">{rows}</mtable>')

    def grid(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shares: Sequence[float]) -> str:
        return f'{self.inputs(header, rows)}<p class="small">{caption}</p>'

    def picture(self, name: str, caption: str, text: str) -> str:
        svg = self.drawn[name]
        return f"<figure>{svg[svg.index('<svg') :]}<figcaption>{caption}</figcaption></figure>"

    def result(self, title: str, level: int, formula: str) -> str:
        return f"{self.heading(title, level)}\n{_in_block(_row(formula))}"

    def caution(self, text: str) -> str:
        return f'<p class="caution"><b>{self.escaped(text)}</b></p>'

    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str:
        return f"<p><b>{number}.</b> <i>{name}</i>{reason}</p>{self.aligned(lines)}"

    def inputs(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        body = _each("tr", (_each("td", row) for row in rows))
        return f'<div class="table"><table><tr>{_each("th", header)}</tr>{body}</table></div>'

    def note(self, title: str, body: str) -> str:
        return f"<p><b>{title}</b></p>{body}"

    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str:
        if not is_numbered:
            return f"<ul>{_each('li', map(self.escaped, texts))}</ul>"
        rows = (f'<li id="source-{i}">{self.escaped(text)}</li>' for i, text in enumerate(texts, 1))
        return f"<ol>{''.join(rows)}</ol>"

    def small(self, parts: list[str]) -> list[str]:
        return parts


def _each(tag: str, inside: Iterable[str]) -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for text in inside)


def _in_block(inside: str) -> str:
    """A formula as an HTML block; one that is wider than the page can be scrolled without moving the page."""
    return f'<div class="formula"><math display="block">{inside}</math></div>'


def _row(latex: str) -> str:
    """A formula of an HTML file as MathML, converted from LaTeX: the `<mrow>...</mrow>` inside it."""
    if not latex:
        return "<mrow></mrow>"
    try:
        from latex2mathml.converter import convert
    except ImportError:
        raise DeriveError("HTML needs latex2mathml.", hint="pip install 'derive-engine[reports]'") from None
    upright = re.sub(r"\\mathrm\{(\w)\}", r"\\text{\1}", latex)  # a single letter would become slanted
    mathml = convert(upright.replace(r"\AA", "Å"))
    return re.sub(r"&(?!#?\w+;)", "&amp;", mathml[mathml.index(">") + 1 : mathml.rindex("</math>")])
