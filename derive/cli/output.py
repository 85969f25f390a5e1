"""What a command says on either stream, and the files that it writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from derive.verbs import PICTURES

if TYPE_CHECKING:
    from derive.presentation.charts import Chart


def say_data(data: Any, *, err: bool = False) -> None:
    """Print data for programs, on the standard error if that is asked for."""
    from derive.presentation.plain_data import finite_data

    click.echo(json.dumps(finite_data(data), indent=2, ensure_ascii=False, allow_nan=False), err=err)


def output_ending(output: str | None, endings: Sequence[str] = PICTURES, hint: str = "") -> str:
    """The ending of a command's output file, which says its format; the first one for `-`, the standard output.

    What cannot be written is refused before the work begins; `hint` is said of an ending that is not one of these.
    """
    if output is None:
        return ""
    if output == "-":
        return endings[0]
    ending = Path(output).suffix.lower()
    if ending not in endings:
        known = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        refusal = f"{output!r}: unknown file format. Name a file that ends in {known}."
        raise click.UsageError(f"{refusal} {hint}".rstrip())
    prove_writable(output)
    return ending


def prove_writable(output: str) -> None:
    """Refuse a command's output file that cannot or must not be written before it is made, which takes a while."""
    path = Path(output)
    if output != "-" and (path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK)):
        why = "it is a folder" if path.is_dir() else "its folder does not exist or is not writable"
        raise click.UsageError(f"{output!r} cannot be written: {why}.")
    prove_replaceable([path] if output != "-" else [])


def prove_replaceable(paths: Iterable[Path]) -> None:
    """Refuse a command's output over files of others, or that others have changed since, unless it has `--force`."""
    from derive.files import is_edited, is_replaceable

    is_forced = click.get_current_context().params.get("force")
    kept = [] if is_forced else [path for path in paths if not is_replaceable(path)]
    if kept:
        more = f" (and {len(kept) - 1} more)" if len(kept) > 1 else ""
        why = "was changed since derive wrote it" if is_edited(kept[0]) else "derive did not write it"
        raise click.UsageError(f"'{kept[0]}'{more} is there already, and {why}. Name another place, or add --force.")


def put(output: str, content: str | bytes) -> None:
    """Put out all of a command's file, a text with a seal, or the standard output."""
    if output == "-":
        click.echo(content, nl=False)
        return
    from derive.files import sealed, write_whole

    write_whole(output, sealed(content) if isinstance(content, str) else content)


def put_picture(output: str, name: str, charts: Iterable[Chart]) -> None:
    """Write a command's charts to its output file, as a picture in the format that the file's ending says."""
    from derive.presentation.plotting import as_picture

    put(output, as_picture(output_ending(output), name, *charts))


def colour() -> bool | None:
    """Whether there is colour: never if `NO_COLOR` is set, otherwise on a terminal."""
    return False if os.environ.get("NO_COLOR") else None


_CONTROL = re.compile(r"(\x1b\[[0-9;]*m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text of a command's output with control characters spelled out, which a terminal would obey; colours stay.

    >>> visible("a\x1b[2J\x07b")
    'a\\\\x1b[2J\\\\x07b'
    """

    def shown(match: re.Match[str]) -> str:
        return match[1] or ascii(match[0])[1:-1]

    return _CONTROL.sub(shown, text)


class VisibleStream:
    """A stream to which control characters are written spelled out: names and texts come from files of others."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(visible(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def complain(error: object) -> None:
    """Say an error on the standard error; red on a terminal. Problems of a file begin with their place in it."""
    click.secho(visible("\n".join(_placed(error)) or f"derive: {error}"), err=True, fg="red", color=colour())


def _placed(error: object) -> Iterator[str]:
    """What a command says of a file's problems, each with its place as compilers write it: `swing.toml:10:3: ...`."""
    file, problems = getattr(error, "file", ""), getattr(error, "problems", ())
    if not file or not any(problem.line for problem in problems):
        return
    line, column = getattr(error, "position", None) or (0, 0)
    for problem in problems:
        place = f"{problem.line}:" if problem.line else ""
        place += f"{column}:" if len(problems) == 1 and line == problem.line else ""
        hint = f"\n  {problem.hint}" if problem.hint else ""
        yield f"{file}:{place} {problem.message}{hint}"


def warn(caution: str) -> None:
    """Say on the standard error what is amiss with an answer."""
    click.secho(visible(f"derive: {caution}"), err=True, fg="red", color=colour())


def say(text: str, *, warns_below: bool = False) -> None:
    """Print a command's output, a text whose first line is its headline.

    On a terminal the headline is bold, what fails is red, and long lines are broken between words. With
    `warns_below`, the indented lines below the headline say what is amiss.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    head, *lines = text.split("\n")
    click.secho("\n".join(wrapped(head, width)), bold=True)
    for line in lines:
        warns_below = warns_below and line.startswith("  ")
        is_amiss = warns_below or line.lstrip().startswith("FAILS:")
        click.secho("\n".join(wrapped(line, width)), fg="red" if is_amiss else None)


def wrapped(line: str, width: int) -> list[str]:
    """A line of output broken between words where it is too wide, what follows indented; whole if no width is known.

    >>> wrapped("  1. kv_time: kv_time = kv_bytes/bandwidth", 24)
    ['  1. kv_time: kv_time =', '      kv_bytes/bandwidth']
    """
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    if not 2 * len(indent) < width < len(line):
        return [line]
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, tabsize=1
    )


def error_data(error: Exception) -> dict[str, Any]:
    """A command's error as plain data for its output: its kind, its sentence, where it is, and the facts it carries.

    >>> from derive.errors import UnknownNameError
    >>> error_data(UnknownNameError("There is no x.", hint="Did you mean y?", name="x", suggestions=("y",)))["facts"]
    {'name': 'x', 'suggestions': ['y']}
    """
    if isinstance(error, click.ClickException):
        return {"kind": "UsageError", "message": error.format_message(), "location": None, "facts": {}}
    names = [name for name in vars(error) if name not in ("what", "hint", "position")]
    facts = {name: _plain(getattr(error, name)) for name in names}
    stated = {name: fact for name, fact in facts.items() if fact not in (None, "", [])}
    line, column = getattr(error, "position", None) or (None, None)
    file = stated.pop("file", None)
    where = {"file": file, "line": line, "column": column} if file or line else None
    return {"kind": type(error).__name__, "message": str(error), "location": where, "facts": stated}


def _plain(fact: Any) -> Any:
    """A fact of an error as plain data in a command's output; None of what is none, such as an answer."""
    if isinstance(fact, (str, int, float, bool)):
        return fact
    if isinstance(fact, (list, tuple)):
        return [plain for plain in map(_plain, fact) if plain is not None]
    if is_dataclass(fact) and type(fact).__name__ == "Problem":
        return {each.name: getattr(fact, each.name) for each in fields(fact) if each.repr}
    return None


def table(header: tuple[str, ...], groups: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> None:
    """The rows of a command's output in columns, under the headings of their groups."""
    from derive.presentation.text import columns

    rows = chain.from_iterable(group for _, group in groups)
    lines = iter(columns([header, *rows]))
    click.secho(next(lines), bold=True)
    for heading, group in groups:
        if heading:
            click.secho(f"\n{heading}", bold=True)
        for line in islice(lines, len(group)):
            click.echo(line)


def writable(folder: Path) -> None:
    """Refuse a command's output folder that cannot be written to before its files are made, which takes a while."""
    try:
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        why = ""
        if not there.is_dir():
            why = f"{str(there)!r} is not a directory"
        elif not os.access(there, os.W_OK):
            why = "permission denied"
    except OSError as error:
        why = str(error.strerror).lower()
    if why:
        raise click.UsageError(f"{str(folder)!r} cannot be written: {why}.")


def put_files(folder: Path, files: Mapping[str, str | bytes], own: Collection[str] = ()) -> None:
    """Write a command's output files that differ from those in the folder, so that the others keep their date.

    Those of `own` are known to be derive's by something else than a mark in them.
    """
    from derive.files import write_whole

    others = {path: content for path, content in files.items() if path not in own}
    prove_replaceable(folder / path for path, content in others.items() if not _has(folder / path, content))
    for path, content in files.items():
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            is_new = not _has(place, content)
        except OSError as error:
            raise click.UsageError(f"{str(place)!r} cannot be written: {str(error.strerror).lower()}.") from None
        if is_new:
            write_whole(place, content)


def _has(place: Path, content: str | bytes) -> bool:
    """Whether a file that a command would write has this content already."""
    return place.exists() and place.read_bytes() == (content.encode() if isinstance(content, str) else content)
