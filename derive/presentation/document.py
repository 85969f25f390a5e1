"""The document model: the blocks and inline pieces of a page, independent of any language.

A report is a sequence of blocks. Text may contain mathematics between dollars, a *stressed* word between asterisks and
a `name` between backticks; all else is shown as it is. Text from outside goes through `verbatim` first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quantities.declaration import Declaration
from quantities.value import Source

if TYPE_CHECKING:
    from derive.presentation.charts import Chart
    from derive.presentation.derivation import Derivation, Line

__all__ = [
    "Block",
    "Formulas",
    "Grid",
    "Heading",
    "Items",
    "Picture",
    "Report",
    "Span",
    "Text",
    "Where",
    "Worked",
    "anchor",
    "led",
    "spans",
    "verbatim",
]

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
class Where:
    """The quantities whose letters formulas use for the first time, below these formulas."""

    quantities: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True)
class Worked:
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


Block = Heading | Text | Items | Formulas | Where | Worked | Grid | Picture


@dataclass(frozen=True, slots=True)
class Report:
    """A title and its blocks."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def quantities(self) -> tuple[Declaration, ...]:
        """The quantities whose letters the formulas use, each once."""
        met = (quantity for block in self.blocks if isinstance(block, Formulas) for quantity in block.quantities)
        return tuple(dict.fromkeys(met))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures in the order of the pages."""
        return tuple(block for block in self.blocks if isinstance(block, Picture))


def spans(words: str) -> Iterator[Span]:
    r"""The pieces of words: plain, mathematics, stressed, names.

    >>> list(spans(r"the *knee* at $B^*$ of `batch` costs \$2"))
    [('text', 'the '), ('stress', 'knee'), ('text', ' at '), ('math', 'B^*'), ('text', ' of '), ('name', 'batch'),
     ('text', ' costs '), ('text', '$'), ('text', '2')]
    """
    position = 0
    for found in _MARKUP.finditer(words):
        if found.start() > position:
            yield "text", words[position : found.start()]
        kind = found.lastindex
        assert kind is not None
        yield _KINDS[kind - 1], found[kind]
        position = found.end()
    if position < len(words):
        yield "text", words[position:]


def led(link: str) -> tuple[str, str]:
    """The words of a link, and the address to which it leads: a page, or a file beside this one.

    >>> led("[a page with sliders](pages/roofline.html)")
    ('a page with sliders', 'pages/roofline.html')
    """
    words, _, address = link.removeprefix("[").removesuffix(")").rpartition("](")
    return words, address


def anchor(words: str) -> str:
    """The name by which a heading is linked to, as code hosts make it from its words.

    >>> anchor("S4. Throughput and cost")
    's4-throughput-and-cost'
    """
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def verbatim(text: str) -> str:
    r"""Raw text, escaped so that it is shown as it is.

    >>> verbatim("a*b costs $2")
    'a\\*b costs \\$2'
    """
    return re.sub(r"[\\$*`]", lambda found: "\\" + found[0], text)
