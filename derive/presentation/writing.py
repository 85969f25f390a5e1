"""Documents as text: one walk over their blocks, in any markup language.

This module has what all languages share: the pieces of a block and their order, the numbering of sources, the
content of a derivation. Each language is a `Dialect` in a module of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from derive.presentation.derivation import Derivation, Line, lay_out
from derive.presentation.document import Block, Formulas, Grid, Heading, Items, Picture, Report, Text, Worked, spans
from quantities.source import Source

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

__all__ = ["Dialect", "bound", "derivation"]

_WORD = 40  # longest source, in characters, that is cited by its text

Rows = Sequence[Sequence[str]]


class Dialect(Protocol):
    """How a language writes each piece. `words` are markup already; a `text` is raw, and the dialect escapes it.

    First the pieces of a line, then the blocks of a page and the page around them, then the parts of a derivation.
    """

    between: ClassVar[str]  # two blocks
    before_formulas: ClassVar[str]  # after the sentence that introduces them
    before_citations: ClassVar[str]

    def escaped(self, text: str, /) -> str: ...
    def word(self, kind: str, text: str) -> str: ...

    def heading(self, words: str, level: int) -> str: ...
    def paragraph(self, words: str) -> str: ...
    def items(self, rows: Sequence[str], citations: str) -> str: ...
    def aligned(self, lines: Sequence[Line]) -> str: ...
    def grid(self, header: Sequence[str], rows: Rows, caption: str, shares: Sequence[float]) -> str: ...
    def picture(self, name: str, caption: str, text: str) -> str: ...
    def document(self, title: str, text: str, parts: Sequence[str], is_volume: bool) -> str: ...

    def result(self, title: str, level: int, formula: str) -> str: ...
    def caution(self, text: str) -> str: ...
    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str: ...
    def inputs(self, header: Sequence[str], rows: Rows) -> str: ...
    def note(self, title: str, body: str) -> str: ...
    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str: ...
    def small(self, parts: list[str]) -> list[str]: ...


def bound(title: str, reports: Sequence[Report], dialect: Dialect) -> str:
    r"""A report, or several as one volume under a title, with one list of sources at the end.

    >>> from derive.presentation.markdown import HOST
    >>> toy = Report("toy", "A toy", (Text("It *falls* at $g$.", (Source("a survey", date="2026-08"),)),))
    >>> print(bound(toy.title, [toy], HOST))
    # A toy
    <BLANKLINE>
    It *falls* at $`g`$. \[1\]
    <BLANKLINE>
    ## Sources
    <BLANKLINE>
    1. a survey \(2026\-08\)
    <BLANKLINE>
    """
    page, is_volume = _Page(dialect), len(reports) > 1
    parts: list[str] = []
    for report in reports:
        parts += page.blocks((Heading(report.title, 1), *report.blocks) if is_volume else report.blocks)
    if page.cited:
        parts += [dialect.heading("Sources", 2), page.sources]
    return dialect.document(page.words(title), _bare(title), parts, is_volume)


def derivation(answer: Answer, dialect: Dialect, digits: int | None = None) -> str:
    """An answer as a section: its steps, its inputs in a table, its sources numbered."""
    page, shown = _Page(dialect), lay_out(answer, digits)
    parts = page.derivation(page.named(shown.target), 3, shown)
    if page.cited:
        parts.append(dialect.note("Sources", page.sources))
    return dialect.between.join(parts) + "\n"


def _bare(words: str) -> str:
    """Words without their markup."""
    return "".join(text for _, text in spans(words))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is being written, and the numbers of the sources cited so far."""

    dialect: Dialect
    cited: dict[Source, int] = field(default_factory=dict)

    def blocks(self, blocks: Sequence[Block]) -> list[str]:
        """The parts of a page; formulas continue the sentence before them."""
        parts: list[str] = []
        for before, block in zip((None, *blocks), blocks, strict=False):
            if isinstance(before, Text) and isinstance(block, Formulas):
                parts[-1] += self.dialect.before_formulas + self.dialect.aligned(block.lines)
            else:
                parts += self.block(block)
        return parts

    def block(self, block: Block) -> list[str]:
        dialect = self.dialect
        match block:
            case Heading():
                return [dialect.heading(self.words(block.words), block.level)]
            case Text():
                return [dialect.paragraph(self.words(block.words) + self.citations(block.sources))]
            case Items():
                return [dialect.items([*map(self.words, block.rows)], self.citations(block.sources))]
            case Formulas():
                return [dialect.aligned(block.lines)]
            case Worked():
                return self.derivation(self.words(block.title), 4, block.page)
            case Grid():
                header, *rows = ([*map(self.words, row)] for row in (block.header, *block.rows))
                caption = self.words(block.caption) + self.citations(block.sources)
                return [dialect.grid(header, rows, caption, block.shares)]
            case Picture():
                return [dialect.picture(block.name, self.words(block.caption), _bare(block.caption))]

    def derivation(self, title: str, level: int, shown: Derivation) -> list[str]:
        """The result and its cautions, the steps, the inputs and the notes."""
        dialect = self.dialect
        parts = [dialect.result(title, level, shown.headline)]
        parts += [dialect.caution(f"{one}.") for one in shown.cautions]
        for number, step in enumerate(shown.steps, 1):
            reason = f": {dialect.escaped(step.because)}" if step.because else ""
            parts.append(dialect.step(number, self.named(step.relation), reason, step.lines))
        if shown.symbols:
            rows = [
                (self.math(one.letter), self.named(one.name), self.math(one.value), self.cite(one.source, "{}"))
                for one in shown.symbols
            ]
            parts.append(dialect.inputs(("symbol", "quantity", "value", "source"), rows))
        if shown.notes:
            parts += dialect.small([dialect.note(one.title(), dialect.listed(rows)) for one, rows in shown.notes])
        return parts

    def named(self, name: str) -> str:
        """A name in words."""
        return self.dialect.escaped(name.replace("_", " "))

    def math(self, formula: str) -> str:
        return self.dialect.word("math", formula)

    def words(self, words: str) -> str:
        return "".join(self.dialect.word(kind, text) for kind, text in spans(words))

    def citations(self, sources: Sequence[Source]) -> str:
        text = " ".join(self.cite(source, "({})") for source in sources)
        return f"{self.dialect.before_citations}{text}" if text else ""

    def cite(self, source: Source, in_words: str) -> str:
        """The number of a source; or its text in the given form, if it is short and names no publication."""
        escaped = self.dialect.escaped
        if source.kind in ("published", "measured") or source.url or source.date or len(source.text) > _WORD:
            return escaped(f"[{self.cited.setdefault(source, len(self.cited) + 1)}]")
        return in_words.format(escaped(source.text))

    @property
    def sources(self) -> str:
        """The list of cited sources."""
        return self.dialect.listed([*map(str, self.cited)], is_numbered=True)
