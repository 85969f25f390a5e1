"""The Markdown dialect, with mathematics between dollar signs.

Notebooks and code hosts fence mathematics differently: a notebook takes bare dollars; on a code host Markdown would
remove backslashes inside them, and backticks protect the formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from derive.presentation.mathematics import Line, break_lines

_LINE = 90  # characters of mathematics that a line holds
_SPECIAL = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]()#+-!|<>$~&"} | {"\n": " "})


def plain(text: str) -> str:
    r"""A text escaped so that Markdown prints it as it is, including HTML.

    >>> plain("<b>*a_b*</b>")
    '\\<b\\>\\*a\\_b\\*\\</b\\>'
    """
    return text.translate(_SPECIAL)


@dataclass(frozen=True, slots=True)
class Markdown:
    """Markdown with these fences around mathematics, in a line of text and in a block."""

    inline: tuple[str, str]
    block: tuple[str, str]

    between: ClassVar[str] = "\n\n"
    before_formulas: ClassVar[str] = "\n\n"
    before_citations: ClassVar[str] = " "
    escaped = breakable = staticmethod(plain)

    def word(self, kind: str, text: str) -> str:
        """A piece of words in Markdown: mathematics between fences, a name as code, stressed words, or plain text."""
        match kind:
            case "math":
                return text.replace("|", r"\vert ").join(self.inline)  # a bar would end the cell of a table
            case "name":
                return f"`{text}`"
            case "stress":
                return f"*{plain(text)}*"
        return plain(text)

    def linked(self, words: str, target: str) -> str:
        return words

    def leading(self, words: str, address: str) -> str:
        return f"[{words}]({address})"

    def target(self, words: str, name: str) -> str:
        return words

    def head(self, title: str, facts: str, lead: Sequence[str], contents: Sequence[tuple[int, str, str]]) -> list[str]:
        top = min((level for level, _, _ in contents), default=1)
        rows = "\n".join(f"{'  ' * (level - top)}- [{words}](#{name})" for level, words, name in contents)
        listed = [self.note("Contents", rows)] if rows else []
        return [f"# {title}", *([plain(facts)] if facts else []), *lead, *listed]

    def document(self, text: str, head: Sequence[str], parts: Sequence[str], is_volume: bool) -> str:
        return "\n\n".join([*head, *parts]) + "\n"

    def heading(self, words: str, level: int, name: str = "") -> str:
        return f"{'#' * level} {words}"

    def paragraph(self, words: str) -> str:
        return words

    def items(self, rows: Sequence[str], citations: str) -> str:
        return "\n".join(f"- {row}" for row in rows) + citations

    def aligned(self, lines: Sequence[Line]) -> str:
        broken = break_lines(lines, _LINE)
        rows = " \\\\\n".join(f"{left} &= {right}" if right else f"& {left}" for left, right in broken)
        return f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}".join(self.block)

    def grid(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, shares: Sequence[float]) -> str:
        return self.inputs(header, rows) + (f"\n\n{caption}" if caption else "")

    def picture(self, name: str, caption: str, text: str) -> str:
        return f"![{plain(text)}](figures/{name}.svg)\n\n{caption}"

    def result(self, title: str, level: int, formula: str) -> str:
        return f"{self.heading(title, level)}\n\n{formula.join(self.block)}"

    def caution(self, text: str) -> str:
        return f"**{plain(text)}**"

    def step(self, number: int, name: str, reason: str, lines: Sequence[Line]) -> str:
        return f"**{number}.** *{name}*{reason}\n\n{self.aligned(lines)}"

    def inputs(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        head, *body = (f"| {' | '.join(row)} |" for row in (header, *rows))
        return "\n".join([head, f"|{' --- |' * len(header)}", *body])

    def note(self, title: str, body: str) -> str:
        return f"**{title}**\n\n{body}"

    def listed(self, texts: Sequence[str], is_numbered: bool = False) -> str:
        return "\n".join(f"{f'{i}.' if is_numbered else '-'} {plain(text)}" for i, text in enumerate(texts, 1))

    def small(self, parts: list[str]) -> list[str]:
        return parts


NOTEBOOK = Markdown(("$", "$"), ("$$\n", "\n$$"))
HOST = Markdown(("$`", "`$"), ("```math\n", "\n```"))
