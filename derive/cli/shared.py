"""What the verbs share: options, reading of arguments, output, and error messages."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from derive.library import Library

__all__ = [
    "ADD",
    "DIGITS",
    "JSON",
    "LIBRARY",
    "WITH",
    "complain",
    "givens",
    "named",
    "opened",
    "put_files",
    "say_data",
    "table",
    "writable",
]

JSON = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
DIGITS = click.option(
    "--digits", type=click.IntRange(1, 17), metavar="N", help="Significant digits of results (at most 17)."
)
LIBRARY = click.option(
    "--library", "replaced", metavar="FILE|NAME", help="A relation file or library instead of the built-in one."
)
ADD = click.option(
    "--add", "added", metavar="FILE|NAME", multiple=True, help="A relation file or library added to the library."
)
WITH = click.option("--with", "profiles", metavar="PROFILE", multiple=True, help="A profile of weak values.")


def say_data(data: Any) -> None:
    """Print data for programs. JSON has no infinity and no NaN: they become null."""
    click.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {name: _finite(one) for name, one in data.items()}
    return [_finite(one) for one in data] if isinstance(data, (list, tuple)) else data


def givens(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f'{text!r} is not NAME=VALUE. Write, for example,  length="2 m"')
        if name.strip() in found:
            raise click.UsageError(f"{name.strip()} is given twice.")
        found[name.strip()] = value.strip()
    return found


def named(text: str) -> str:
    return text.partition("=")[0].strip()


def opened(replaced: str | None, added: Sequence[str]) -> Library:
    """The built-in library or its replacement, with the added files."""
    library = _built_in() if replaced is None else _loaded(replaced, None)
    for file in added:
        library = library | _loaded(file, library)
    return library


def _built_in() -> Library:
    from derive.tokens.relations import library

    return library()


def _loaded(file: str, beside: Library | None) -> Library:
    from derive.relation_files.loading import load
    from derive.relation_files.offered import is_name

    return load(file if is_name(file) else Path(file), beside=beside)


def complain(error: Exception) -> None:
    click.echo(f"derive: {error}", err=True)


def table(header: tuple[str, ...], groups: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> None:
    """Rows in columns, under the headings of their groups."""
    from derive.presentation.text import columns

    lines = iter(columns([header, *(row for _, group in groups for row in group)]))
    click.secho(next(lines), bold=True)
    for heading, group in groups:
        if heading:
            click.secho(f"\n{heading}", bold=True)
        for line in islice(lines, len(group)):
            click.echo(line)


def writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to before its files are made, which takes a while."""
    try:
        there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        why = "" if os.access(there, os.W_OK) else "permission denied"
        why = why if there.is_dir() else f"{str(there)!r} is not a directory"
    except OSError as error:
        why = str(error.strerror).lower()
    if why:
        raise click.UsageError(f"{str(folder)!r} cannot be written: {why}.")


def put_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files that differ from those in the folder, so that the others keep their date."""
    from derive.output_files import write_whole

    for path, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            is_new = not place.exists() or place.read_bytes() != data
        except OSError as error:
            raise click.UsageError(f"{str(place)!r} cannot be written: {str(error.strerror).lower()}.") from None
        if is_new:
            write_whole(place, data)
