"""A report as Markdown: mathematics between dollars and pictures beside it, as code hosts show them."""

from __future__ import annotations

from collections.abc import Sequence

from derive.presentation.bibliography import Bibliography
from derive.presentation.markdown import HOST, aligned, cautions, inputs, notes, plain, sources, step
from derive.reports.document import Block, Formulas, Grid, Heading, Items, Picture, Report, Text, Worked, spans
from quantities.source import Source

__all__ = ["as_markdown", "bound"]


def as_markdown(report: Report) -> str:
    """The report as a page of its own."""
    return bound(report.title, [report])


def bound(title: str, reports: Sequence[Report]) -> str:
    """Several reports on one page, with one list of sources behind."""
    cited = Bibliography()
    parts = [f"# {_words(title)}"]
    for report in reports:
        parts += [f"# {_words(report.title)}"] if len(reports) > 1 else []
        parts += [_block(block, cited) for block in report.blocks]
    parts += ["## Sources", sources(cited)] if cited.sources else []
    return "\n\n".join(parts) + "\n"


def _block(block: Block, cited: Bibliography) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {_words(block.words)}"
        case Text():
            return _words(block.words) + _citations(block.sources, cited)
        case Items():
            return "\n".join(f"- {_words(row)}" for row in block.rows) + _citations(block.sources, cited)
        case Formulas():
            return aligned(block.lines, HOST)
        case Worked():
            page = block.page
            steps = [step(number, one, HOST) for number, one in enumerate(page.steps, 1)]
            above = [f"#### {_words(block.title)}", HOST.display(page.headline), *cautions(page)]
            return "\n\n".join([*above, *steps, *inputs(page, cited, HOST), *notes(page)])
        case Grid():
            head, *rows = (
                "| " + " | ".join(_words(cell) for cell in row) + " |" for row in (block.header, *block.rows)
            )
            table = "\n".join([head, f"|{' --- |' * len(block.header)}", *rows])
            caption = _words(block.caption) + _citations(block.sources, cited)
            return f"{table}\n\n{caption}" if caption else table
        case Picture():
            alternative = plain("".join(text for _, text in spans(block.caption)))
            return f"![{alternative}](figures/{block.name}.svg)\n\n{_words(block.caption)}"


def _citations(given: tuple[Source, ...], cited: Bibliography) -> str:
    marks = [cited.cite(source) for source in given]
    return "".join(rf" \[{mark}\]" if isinstance(mark, int) else f" ({plain(mark)})" for mark in marks)


def _words(words: str) -> str:
    return "".join(_word(kind, text) for kind, text in spans(words))


def _word(kind: str, text: str) -> str:
    match kind:
        case "math":
            return HOST.formula(text)
        case "name":
            return f"`{text}`"
        case "stress":
            return f"*{plain(text)}*"
    return plain(text)
