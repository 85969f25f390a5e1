"""Document templates: Markdown with questions in it, rendered into a report.

A template is text with Jinja's `{{ }}` and `{% %}`. Each `{{ }}` is evaluated when the report is made: an answer is a
number with its unit; a relation, a derivation, a table or a picture is a block, in a paragraph of its own. The rest is
read as Markdown: headings, paragraphs, lists, tables.

    # The pendulum
    A string of one metre swings in {{ solve("period", length="1 m") }}.

    ## Small swings
    {{ stated("small_swing") }}

What stands between the title and the first heading is the abstract, and a list there has the takeaways. The date of the
facts, the contents and the meanings of letters are added.

Templates may come from anywhere, so they are evaluated within the limits of `sandbox`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from traceback import walk_tb
from typing import Any

import tomli
from jinja2 import TemplateError, TemplateSyntaxError, Undefined
from jinja2.debug import rewrite_traceback_stack

from derive.errors import DeriveError, ExpressionError, LimitError
from derive.presentation.document import Block, Document, Grid, Heading, Items, Picture, Text
from derive.reports.sandbox import HOLDER, OPENING, Sandbox
from derive.reports.template_words import AnswerText, cited
from derive.solving.execution.answer import Answer
from derive.time_limits import Interruption, overtime, several_queries
from quantities.value import Source

_HELD = re.compile(f"{HOLDER}(\\d+)\ue001")  # the placeholder of an object in the text
_HEADING = re.compile(r"(#{1,4})[ \t]+(.+)")
_FOREIGN = re.compile(r"```|~~~|>|!\[|\d+[.)][ \t]|\* |<\w")  # Markdown that is not supported
_RULE = re.compile(r"\|[\s|:-]+\|")
_SETTINGS = ("library", "add")
_BOLD = re.compile(r"\*\*([^*\s][^*]*)\*\*")  # shown like `*stress*`
_CAPTION = "Table:"
_WRONG = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # raised by mistakes in a template
_SECONDS = 300.0  # for all questions of a template


def rendered(name: str, path: Path, vocabulary: Mapping[str, Any]) -> Document:
    """The report that a template renders with this vocabulary."""
    with several_queries(_SECONDS):
        sheet = _Sheet()
        text = _evaluated(Sandbox(path, sheet.put, vocabulary), path)
        try:
            blocks = list(sheet.blocks(text))
        except ExpressionError as error:
            raise _located(error, path, 0) from None
    if not blocks or not isinstance(blocks[0], Heading) or blocks[0].level != 1:
        raise _located(ExpressionError("It has no title.", hint='Write "# The title" above everything else.'), path, 0)
    return Document(name, blocks[0].words, tuple(blocks[1:]))


def _evaluated(environment: Sandbox, path: Path) -> str:
    """The text that a report template evaluates to; an error names the file and the line."""
    try:
        return environment.get_template(path.name).render()
    except TemplateSyntaxError as error:
        misspelt = ExpressionError(f"{str(error.message).rstrip('.')}.")
        raise _located(misspelt, error.filename or path, error.lineno) from None
    except (MemoryError, RecursionError, SyntaxError) as error:  # of jinja, of Python for what jinja makes, or ours
        hint = "Find the part that includes or calls itself, and end it."
        raise _located(LimitError("It is nested too deep.", hint=hint, limit="depth"), *_place(error, path)) from None
    except OverflowError as error:  # says no more than "out of range"
        large = LimitError("A number is too large.", hint="Write it as a power of 10, or leave it out.", limit="size")
        raise _located(large, *_place(error, path)) from None
    except (DeriveError, TemplateError, *_WRONG) as error:
        worded = error if isinstance(error, DeriveError) else ExpressionError(f"{str(error).rstrip('.')}.")
        raise _located(worded, *_place(error, path)) from None
    except Interruption as error:
        raise _located(overtime(), *_place(rewrite_traceback_stack(), path)) from error


def _located(error: DeriveError, file: Any, line: int) -> DeriveError:
    """An error in a report template, with the file and the line in front of its message."""
    where = f"{Path(str(file)).name}, line {line}" if line else Path(str(file)).name
    error.what = f"{where}: {error.what}"
    return error


def _place(error: BaseException, path: Path) -> tuple[str, int]:
    """The file and the line of a report template, or of its part, at which an error was raised."""
    lines = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return next((where for where in reversed(lines) if where[0].endswith(".md")), (str(path), 0))


def opening(path: Path) -> dict[str, str]:
    """The settings of a report template above its title, in TOML between two lines of three plus signs.

    `library = "pendulum.toml"` is the relation file that it uses; `add = "own.toml"` adds one to the library.
    """
    # a pipe could be read only once, and a template is read twice
    if os.path.exists(path) and not os.path.isfile(path):
        raise ExpressionError(f"{path.name} is not a file.", hint="Give a text file.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ExpressionError(f"{path.name} cannot be read: {error}.", hint="Give a text in UTF-8.") from None
    match = OPENING.match(text)
    try:
        settings = tomli.loads(match[1]) if match else {}
    except tomli.TOMLDecodeError as error:
        raise _located(ExpressionError(f"This is not TOML: {error}."), path, 1) from None
    for key, value in settings.items():
        if key not in _SETTINGS or not isinstance(value, str):
            hint = f'Write {" or ".join(_SETTINGS)}, such as library = "pendulum.toml".'
            raise _located(ExpressionError(f"{key} = {value!r} is not a report setting.", hint=hint), path, 1)
    return settings


@dataclass
class _Sheet:
    """The objects that a template has put on the page so far, which are not text."""

    held: list[Any] = field(default_factory=list)

    def put(self, value: Any) -> str:
        """The text that replaces a value in a rendered template: a number with its unit, a placeholder, or itself."""
        if isinstance(value, Answer):
            value = AnswerText.of(value)
        if isinstance(value, AnswerText):
            return str(value) + self._mark(value)
        if isinstance(value, Picture):  # its caption may contain answers
            value = replace(value, caption=self._words(value.caption)[0])
        if isinstance(value, (Source, *_BLOCKS)):
            return self._mark(value)
        if isinstance(value, tuple) and all(isinstance(item, _BLOCKS) for item in value):
            return "\n\n".join(map(self._mark, value))
        if isinstance(value, tuple) and value and all(isinstance(item, Source) for item in value):
            return "".join(map(self._mark, value))
        if value is None or isinstance(value, (str, int)):
            return "" if value is None else str(value)
        if isinstance(value, Undefined):
            raise ExpressionError(f"{value._undefined_message.rstrip('.')}.", hint="Set it, or mend its name.")
        hint = 'Write number(x, "USD") for a number, and solve(...) or stated(...) for what is asked.'
        raise ExpressionError(f"{type(value).__name__} cannot be put on a page.", hint=hint)

    def _mark(self, value: Any) -> str:
        self.held.append(value)
        return f"{HOLDER}{len(self.held) - 1}\ue001"

    def blocks(self, text: str) -> Iterator[Block]:
        """The blocks of a report from its template's text: one for each paragraph, of the kind of its first line."""
        for chunk in re.split(r"\n[ \t]*\n", text):
            yield from self._of_chunk([line.strip() for line in chunk.split("\n") if line.strip()])

    def _of_chunk(self, lines: list[str]) -> Iterator[Block]:
        """The blocks of a report from lines of its template without a blank one: a heading, table, list or text."""
        if not lines:
            return
        if _FOREIGN.match(lines[0]):
            hint = "Write headings, paragraphs, lists with hyphens, and tables."
            raise ExpressionError(f"{lines[0][:40]!r} is Markdown that reports do not support.", hint=hint)
        heading = _HEADING.fullmatch(lines[0])
        if heading:
            yield Heading(self._words(heading[2])[0], len(heading[1]))
            yield from self._of_chunk(lines[1:])
        elif lines[0].startswith("|"):
            yield self._table(lines)
        elif lines[0].startswith("- "):
            words, sources = self._words("\n".join(_joined(lines)))
            yield Items(tuple(words.split("\n")), sources)
        else:
            yield from self._paragraph(" ".join(lines))

    def _paragraph(self, text: str) -> Iterator[Block]:
        """The block of a report for a paragraph of its template, or the blocks that stand alone in it."""
        blocks = [self.held[int(place)] for place in _HELD.findall(text)]
        blocks = [block for block in blocks if isinstance(block, _BLOCKS)]
        if not blocks:
            yield Text(*self._words(text))
        elif _HELD.sub("", text).strip():
            what = f"{type(blocks[0]).__name__} is inside the paragraph {_HELD.sub('', text).strip()[:40]!r}."
            raise ExpressionError(what, hint="Leave a blank line before and after it.")
        else:
            yield from blocks

    def _words(self, text: str) -> tuple[str, tuple[Source, ...]]:
        """The words of a template's text without placeholders, and the sources that these cite."""
        objects = [self.held[int(place)] for place in _HELD.findall(text)]
        sources = dict.fromkeys(item for item in objects if isinstance(item, Source))
        return _BOLD.sub(r"*\1*", _HELD.sub("", text)).rstrip(), tuple(sources)

    def _table(self, lines: list[str]) -> Grid:
        """A table of a report from its template's lines, with the caption below and the sources of answers in it."""
        rows = [line for line in lines if line.startswith("|") and not _RULE.fullmatch(line)]
        below = " ".join(line for line in lines if not line.startswith("|"))
        if below and not below.startswith(_CAPTION):
            raise ExpressionError(f"A table is followed by {below[:40]!r}.", hint=f"Write {_CAPTION} before a caption.")
        if not rows:
            raise ExpressionError("A table has no row.", hint="Write a header and rows between bars.")
        objects = [self.held[int(place)] for place in _HELD.findall("\n".join(rows))]
        caption, own = self._words(below.removeprefix(_CAPTION).strip())
        header, *body = (tuple(self._words(cell.strip())[0] for cell in _cells(row)) for row in rows)
        sources = (*cited(*(item.answer for item in objects if isinstance(item, AnswerText))), *own)
        for row in body:
            if len(row) != len(header):
                what = f"A row of a table has {len(row)} cells, its header {len(header)}: {' | '.join(row)[:60]}"
                raise ExpressionError(what, hint="Write as many, empty ones included.")
        return Grid(header, tuple(body), caption, tuple(dict.fromkeys(sources)))


_BLOCKS: tuple[type, ...] = Block.__args__


def _joined(lines: list[str]) -> list[str]:
    """The points of a list in a report template, each with its continuation lines."""
    points: list[str] = []
    for line in lines:
        if line.startswith("- "):
            points.append(line[2:])
        else:
            points[-1] += f" {line}"
    return points


def _cells(row: str) -> list[str]:
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.removeprefix("|").removesuffix("|"))]
