"""Documents, independent of any language: the blocks and inline pieces of a page, and one walk over them.

A report is a sequence of blocks. Text may contain mathematics between dollars, a *stressed* word between asterisks and
a `name` between backticks; all else is shown as it is. Text from outside goes through `verbatim` first.

The walk has what all languages share: the pieces of a block and their order, the numbering of sources, the content of a
derivation. Each language is a class in a module of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Protocol

from derive.presentation.charts import Chart, described
from derive.presentation.derivation import Derivation, Symbol, lay_out
from derive.presentation.mathematics import Line, letter
from quantities.declaration import Declaration
from quantities.value import Source

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

# Two sums in dollars are not mathematics, which has no space inside its dollars and no digit after them; and the
# asterisks of USD*h and token*s, which stand inside words, stress nothing.
_MARKUP = re.compile(
    r"\\([\\$*`])|\$((?!\s)(?:\\.|[^$\\])+)(?<!\s)\$(?!\d)|(?<!\w)\*([^*\s](?:[^*]*[^*\s])?)\*(?!\w)|`([^`]+)`"
    r"|(\[[^\[\]]+\]\((?:https?://[^()\s]+|[^():\s]*[./][^():\s]*)\))"
)

Span = tuple[str, str]
"""The kind of a piece, and its text."""
_KINDS = ("text", "math", "stress", "name", "link")  # in the order of the groups of _MARKUP


@dataclass(frozen=True, slots=True)
class Heading:
    """A title: of a system (level 2) or of a part of it (level 3)."""

    words: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, and its sources."""

    words: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """Points of a list."""

    rows: tuple[str, ...]
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Formulas:
    """Lines of mathematics, aligned at their equals signs, and the quantities in them."""

    lines: tuple[Line, ...]
    quantities: tuple[Declaration, ...] = ()


@dataclass(frozen=True, slots=True)
class LetterLegend:
    """The quantities whose letters formulas use for the first time, below these formulas."""

    quantities: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class WorkedDerivation:
    """A derivation, with its inputs and notes."""

    title: str
    page: Derivation


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: words in the header and in each cell; columns of long words have a share of the line and wrap."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    sources: tuple[Source, ...] = ()
    shares: tuple[float, ...] = ()  # 0 for a column that does not wrap


@dataclass(frozen=True, slots=True)
class Picture:
    """Charts below each other, under a unique name."""

    name: str
    charts: tuple[Chart, ...]
    caption: str


Block = Heading | Text | Items | Formulas | LetterLegend | WorkedDerivation | Grid | Picture


@dataclass(frozen=True, slots=True)
class Document:
    """A title and its blocks."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def quantities(self) -> tuple[Declaration, ...]:
        """The quantities whose letters stand in the document's blocks of formulas, each once."""
        formulas = (block.quantities for block in self.blocks if isinstance(block, Formulas))
        return tuple(dict.fromkeys(chain.from_iterable(formulas)))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of the document in the order of its blocks."""
        return tuple(block for block in self.blocks if isinstance(block, Picture))


def spans(words: str) -> Iterator[Span]:
    r"""The pieces of a document's words: plain text, mathematics, stressed words, names and links.

    >>> list(spans(r"the *knee* at $B^*$ of `batch` costs \$2"))
    [('text', 'the '), ('stress', 'knee'), ('text', ' at '), ('math', 'B^*'), ('text', ' of '), ('name', 'batch'),
     ('text', ' costs '), ('text', '$'), ('text', '2')]
    """
    position = 0
    for match in _MARKUP.finditer(words):
        if match.start() > position:
            yield "text", words[position : match.start()]
        kind = match.lastindex
        assert kind is not None
        yield _KINDS[kind - 1], match[kind]
        position = match.end()
    if position < len(words):
        yield "text", words[position:]


def led(link: str) -> tuple[str, str]:
    """The words of a link in a document, and the address to which it leads: a page, or a file beside this one.

    >>> led("[a page with sliders](pages/roofline.html)")
    ('a page with sliders', 'pages/roofline.html')
    """
    words, _, address = link.removeprefix("[").removesuffix(")").rpartition("](")
    return words, address


def anchor(words: str) -> str:
    """The name by which a document links to a heading of its own, as code hosts make it from the heading's words.

    >>> anchor("S4. Throughput and cost")
    's4-throughput-and-cost'
    """
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def verbatim(text: str) -> str:
    r"""A text from outside for a document in any language, escaped so that each character is shown as it is.

    >>> verbatim("a*b costs $2")
    'a\\*b costs \\$2'
    """
    return re.sub(r"[\\$*`]", lambda match: "\\" + match[0], text)


# Documents as text

_DATE = re.compile(r"(?<![\w.-])20\d\d-\d\d(?:-\d\d)?(?![\w-])")
_COMMIT = re.compile(r"(?<=@)([0-9a-f]{7})[0-9a-f]+\b")
_WORD = 40  # longest source, in characters, that is cited by its text
_FEWEST = 3  # headings that have a table of contents

Contents = Sequence[tuple[int, str, str]]
"""Of each part and section its level, its words and the name by which it is linked to."""


class Dialect(Protocol):
    """How a language writes each piece of a page: a class with these methods is a dialect.

    The pieces of a line come first, then the blocks of a page and the page around them, then the parts of a derivation.
    What a method takes as `words` is markup already; a `text` is raw, and the dialect escapes it.
    """

    between: ClassVar[str]  # the blocks of a page
    before_formulas: ClassVar[str]  # that continue a paragraph
    before_citations: ClassVar[str]  # behind words

    def escaped(self, text: str, /) -> str: ...
    def breakable(self, text: str, /) -> str: ...  # escaped, and may go on in the next line
    def word(self, kind: str, text: str) -> str: ...
    def linked(self, words: str, target: str) -> str: ...  # to a name on the page
    def leading(self, words: str, address: str) -> str: ...  # away from the page
    def target(self, words: str, name: str) -> str: ...  # by which other words are linked to these

    def heading(self, words: str, level: int, name: str = "") -> str: ...
    def paragraph(self, words: str) -> str: ...
    def items(self, rows: Sequence[str], citations: str) -> str: ...
    def aligned(self, lines: Sequence[Line]) -> str: ...
    def grid(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shares: Sequence[float]
    ) -> str: ...
    def picture(self, name: str, caption: str, text: str) -> str: ...
    def head(self, title: str, facts: str, lead: Sequence[str], contents: Contents) -> list[str]: ...
    def document(self, text: str, head: Sequence[str], parts: Sequence[str], is_volume: bool) -> str: ...

    def result(self, title: str, level: int, formula: str) -> str: ...
    def caution(self, text: str) -> str: ...
    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str: ...
    def inputs(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str: ...
    def note(self, title: str, body: str) -> str: ...
    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str: ...
    def small(self, parts: list[str]) -> list[str]: ...


def bound(
    title: str, reports: Sequence[Document], dialect: Dialect, lead: Sequence[Block] = (), edition: str = ""
) -> str:
    r"""The text of a document, or of several bound as one volume, in a language, with one list of sources at the end.

    Above the first section stand the date of the facts, which is the latest of the sources' dates, the abstract and the
    takeaways: a report's own blocks before its first heading, or a volume's `lead`.

    >>> from derive.presentation.markdown import HOST
    >>> falls = Text("It *falls* at $g$.", (Source("a survey", date="2026-08"),))
    >>> toy = Document("toy", "A toy", (Heading("One"), falls))
    >>> print(bound(toy.title, [toy], HOST))
    # A toy
    <BLANKLINE>
    Facts as of 2026\-08.
    <BLANKLINE>
    ## One
    <BLANKLINE>
    It *falls* at $`g`$. \[1\]
    <BLANKLINE>
    ## Sources
    <BLANKLINE>
    1. a survey \(2026\-08\)
    <BLANKLINE>
    """
    is_volume = len(reports) > 1
    blocks: list[Block] = []
    for report in reports:
        if is_volume:
            blocks.append(Heading(report.title, 1))
        blocks += report.blocks
    if not lead:
        first = next((place for place, block in enumerate(blocks) if isinstance(block, Heading)), len(blocks))
        lead, blocks = blocks[:first], blocks[first:]
    introduced = chain.from_iterable(block.quantities for block in (*lead, *blocks) if isinstance(block, LetterLegend))
    page = _Page(dialect, frozenset(quantity.name for quantity in introduced))
    opening, parts = page.lead(lead), page.blocks(blocks)
    if page.cited:
        parts += [dialect.heading("Sources", 2, "sources"), page.sources]
    head = dialect.head(page.words(title), _facts(page.cited, edition), opening, page.contents(blocks))
    return dialect.document(_bare(title), head, parts, is_volume)


def _facts(cited: Iterable[Source], edition: str) -> str:
    """The line below a document's title: the latest date in the sources, and the edition."""
    latest = max(chain.from_iterable(_DATE.findall(str(source)) for source in cited), default="")
    facts = f"Facts as of {latest}" if latest else ""
    text = ", ".join(filter(None, (facts, edition)))
    return f"{text}." if text else ""


def derivation(answer: Answer, dialect: Dialect, digits: int | None = None) -> str:
    """A document with an answer's derivation, in any language: its steps, its inputs in a table, its sources."""
    page, shown = _Page(dialect), lay_out(answer, digits)
    parts = page.derivation(page.named(shown.target), 3, shown)
    if page.cited:
        parts.append(dialect.note("Sources", page.sources))
    return dialect.between.join(parts) + "\n"


def shown(blocks: Sequence[Block], dialect: Dialect) -> str:
    """Blocks of a document in a dialect, without a page around them."""
    return dialect.between.join(_Page(dialect).blocks(blocks))


def _bare(words: str) -> str:
    """The words of a document without their markup."""
    return "".join(led(text)[0] if kind == "link" else text for kind, text in spans(words))


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is being written, and the sources cited so far, numbered in their order."""

    dialect: Dialect
    introduced: frozenset[str] = frozenset()  # the quantities whose letters are explained on the page
    cited: dict[Source, dict[str, None]] = field(default_factory=dict)  # without its remark, and all remarks of it

    def blocks(self, blocks: Sequence[Block]) -> list[str]:
        """The pieces of a document's blocks in their order; formulas continue the paragraph before them."""
        parts: list[str] = []
        for before, block in zip((None, *blocks), blocks, strict=False):
            if isinstance(before, Text) and isinstance(block, Formulas):
                parts[-1] += self.dialect.before_formulas + self.dialect.aligned(block.lines)
            else:
                parts += self.block(block)
        return parts

    def lead(self, blocks: Sequence[Block]) -> list[str]:
        """The blocks at the head of a document, its abstract; a list in it has the title Takeaways."""
        parts: list[str] = []
        for block in blocks:
            shown = self.block(block)
            parts += [self.dialect.note("Takeaways", shown[0])] if isinstance(block, Items) else shown
        return parts

    def contents(self, blocks: Sequence[Block]) -> Contents:
        """The headings of a document's parts and sections for its table of contents; none if they are very few."""
        headings = [block for block in blocks if isinstance(block, Heading) and block.level <= 2]
        if len(headings) < _FEWEST:
            return ()
        return [(heading.level, self.words(heading.words), anchor(_bare(heading.words))) for heading in headings]

    def block(self, block: Block) -> list[str]:
        """The pieces of one block of a document: a single one, or several for a derivation."""
        dialect = self.dialect
        match block:
            case Heading():
                return [dialect.heading(self.words(block.words), block.level, anchor(_bare(block.words)))]
            case Text():
                return [dialect.paragraph(self.words(block.words) + self.citations(block.sources))]
            case Items():
                return [dialect.items([*map(self.words, block.rows)], self.citations(block.sources))]
            case Formulas():
                return [dialect.aligned(block.lines)]
            case LetterLegend():
                return [dialect.paragraph(f"Letters: {'; '.join(map(self.introduction, block.quantities))}.")]
            case WorkedDerivation():
                return self.derivation(self.words(block.title), 4, block.page)
            case Grid():
                header, *rows = ([*map(self.words, row)] for row in (block.header, *block.rows))
                caption = self.words(block.caption) + self.citations(block.sources)
                return [dialect.grid(header, rows, caption, block.shares)]
            case Picture():
                return [dialect.picture(block.name, self.words(block.caption), described(block.charts))]

    def derivation(self, title: str, level: int, shown: Derivation) -> list[str]:
        """The pieces of a derivation in a document: its result and cautions, the steps, the inputs and the notes."""
        dialect = self.dialect
        parts = [dialect.result(title, level, shown.headline)]
        parts += [dialect.caution(f"{caution}.") for caution in shown.cautions]
        for number, step in enumerate(shown.steps, 1):
            reason = f": {dialect.escaped(step.because)}" if step.because else ""
            parts.append(dialect.step(number, self.named(step.relation), reason, step.lines))
        if shown.symbols:
            rows = [
                (self.symbol(symbol), self.named(symbol.name), self.math(symbol.value), self.cite(symbol.source, "{}"))
                for symbol in shown.symbols
            ]
            parts.append(dialect.inputs(("symbol", "quantity", "value", "source"), rows))
        if shown.notes:
            parts += dialect.small([dialect.note(title.title(), dialect.listed(rows)) for title, rows in shown.notes])
        return parts

    def named(self, name: str) -> str:
        """The name of a quantity or relation as words of a document, escaped for its language."""
        return self.dialect.escaped(name.replace("_", " "))

    def math(self, formula: str) -> str:
        return self.dialect.word("math", formula)

    def introduction(self, quantity: Declaration) -> str:
        """The words with which a document introduces a quantity's letter: its meaning in short and its unit."""
        shown = self.math(letter(quantity.name, quantity.latex))
        spelled = "" if quantity.unit.text in ("", "1") else f" ({self.dialect.breakable(quantity.unit.text)})"
        meaning = self.dialect.escaped(re.split("[;:] ", quantity.meaning or quantity.name.replace("_", " "))[0])
        words = f"{shown}, {meaning}{spelled}"
        return self.dialect.target(words, f"symbol-{quantity.name}")

    def symbol(self, symbol: Symbol) -> str:
        """The letter of an input in a document's derivation, linked to where the document introduces it."""
        shown = self.math(symbol.letter)
        return self.dialect.linked(shown, f"symbol-{symbol.name}") if symbol.name in self.introduced else shown

    def words(self, words: str) -> str:
        return "".join(self.word(kind, text) for kind, text in spans(words))

    def word(self, kind: str, text: str) -> str:
        """An inline piece of a document in its language; a name is linked to where its letter is introduced."""
        if kind == "link":
            words, address = led(text)
            return self.dialect.leading(self.dialect.word("text", words), address)
        shown = self.dialect.word(kind, text)
        is_linked = kind == "name" and text in self.introduced
        return self.dialect.linked(shown, f"symbol-{text}") if is_linked else shown

    def citations(self, sources: Sequence[Source]) -> str:
        """The numbered citations behind a text in a document, each once, with the space before them."""
        text = " ".join(dict.fromkeys(self.cite(source, "({})") for source in sources))
        return f"{self.dialect.before_citations}{text}" if text else ""

    def cite(self, source: Source, in_words: str) -> str:
        """The number of a source in the document's list; a short one that is no publication is cited by its text."""
        escaped = self.dialect.escaped
        if source.kind in ("published", "measured") or source.url or source.date or len(source.text) > _WORD:
            bare = replace(source, note="")
            remarks = self.cited.setdefault(bare, {})
            if source.note:
                remarks[source.note] = None
            number = [*self.cited].index(bare) + 1
            return self.dialect.linked(escaped(f"[{number}]"), f"source-{number}")
        return in_words.format(escaped(source.text))

    @property
    def sources(self) -> str:
        """The numbered list of a document's sources, with the remarks on their numbers; a commit has seven digits."""
        texts = ("; ".join((str(source), *remarks)) for source, remarks in self.cited.items())
        return self.dialect.listed([_COMMIT.sub(r"\1", text) for text in texts], is_numbered=True)
