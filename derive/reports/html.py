"""A report as one HTML file: MathML, pictures inside it, nothing from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from derive.presentation.bibliography import Bibliography
from derive.presentation.html import aligned, cautions, escaped, formula, inputs, notes, sources, step
from derive.reports.document import Block, Formulas, Grid, Heading, Items, Picture, Report, Text, Worked, spans
from quantities.source import Source

__all__ = ["as_html", "bound"]

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


def as_html(report: Report, drawn: Mapping[str, str]) -> str:
    """The report as a page of its own; `drawn` holds the SVG of each picture."""
    return bound(report.title, [report], drawn)


def bound(title: str, reports: Sequence[Report], drawn: Mapping[str, str]) -> str:
    """Several reports on one page, with one list of sources behind."""
    cited = Bibliography()
    parts = [f"<h1>{_words(title)}</h1>"]
    for report in reports:
        parts += [f"<h1>{_words(report.title)}</h1>"] if len(reports) > 1 else []
        parts += [_block(block, cited, drawn) for block in report.blocks]
    parts += ["<h2>Sources</h2>", sources(cited)] if cited.sources else []
    plain = escaped("".join(text for _, text in spans(title)))
    head = f'<meta charset="utf-8"><title>{plain}</title><style>{_STYLE}</style>'
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _block(block: Block, cited: Bibliography, drawn: Mapping[str, str]) -> str:
    match block:
        case Heading():
            return f"<h{block.level}>{_words(block.words)}</h{block.level}>"
        case Text():
            return f"<p>{_words(block.words)}{_citations(block.sources, cited)}</p>"
        case Items():
            return (
                "<ul>"
                + "".join(f"<li>{_words(row)}</li>" for row in block.rows)
                + "</ul>"
                + _citations(block.sources, cited)
            )
        case Formulas():
            return aligned(block.lines)
        case Worked():
            page = block.page
            steps = [step(number, one) for number, one in enumerate(page.steps, 1)]
            head = [f"<h4>{_words(block.title)}</h4>", formula(page.headline, block=True), *cautions(page)]
            return "\n".join([*head, *steps, *inputs(page, cited), *notes(page)])
        case Grid():
            head_row = "".join(f"<th>{_words(cell)}</th>" for cell in block.header)
            rows = "".join("<tr>" + "".join(f"<td>{_words(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
            caption = f'<p class="small">{_words(block.caption)}{_citations(block.sources, cited)}</p>'
            return f"<table><tr>{head_row}</tr>{rows}</table>{caption}"
        case Picture():
            svg = drawn[block.name]
            inside = svg[svg.index("<svg") :]
            return f"<figure>{inside}<figcaption>{_words(block.caption)}</figcaption></figure>"


def _citations(given: tuple[Source, ...], cited: Bibliography) -> str:
    marks = [cited.cite(source) for source in given]
    return "".join(f" [{mark}]" if isinstance(mark, int) else f" ({escaped(mark)})" for mark in marks)


def _words(words: str) -> str:
    return "".join(_word(kind, text) for kind, text in spans(words))


def _word(kind: str, text: str) -> str:
    match kind:
        case "math":
            return formula(text)
        case "name":
            return f"<code>{escaped(text)}</code>"
        case "stress":
            return f"<em>{escaped(text)}</em>"
    return escaped(text)
