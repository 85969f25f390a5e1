"""What the verbs share: options, reading of arguments, output, and error messages."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from derive.library import Library

__all__ = [
    "ADD",
    "DIGITS",
    "EACH",
    "JSON",
    "LIBRARY",
    "STRICT",
    "WITH",
    "as_targets",
    "complain",
    "each_of",
    "givens",
    "named",
    "opened",
    "say_data",
    "table",
]

JSON = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
DIGITS = click.option(
    "--digits", type=click.IntRange(1, 17), metavar="N", help="Significant digits of results (at most 17)."
)
LIBRARY = click.option("--library", "replaced", metavar="FILE", help="A relation file instead of the built-in library.")
ADD = click.option("--add", "added", metavar="FILE", multiple=True, help="A relation file added to the library.")
EACH = click.option(
    "--each", metavar="PROFILE,PROFILE", multiple=True, help="Profiles to take in turn, one row, column or curve each."
)
STRICT = click.option("--strict", is_flag=True, help="Exit with 1 if a check does not hold, or a given plays no part.")
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


def as_targets(text: str) -> list[str]:
    """The targets of a command: what stands between commas that are in no parentheses.

    >>> as_targets("step_time, max(batch, chips) in chip")
    ['step_time', 'max(batch, chips) in chip']
    """
    depth, parts = 0, [""]
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return list(dict.fromkeys(part.strip() for part in parts if part.strip())) or [text]


def each_of(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The profiles of each turn: one of every `--each`.

    >>> each_of(["h100-sxm:fp8, b200-sxm:fp8", "llama3-8b,llama3-70b"])[1]
    ('h100-sxm:fp8', 'llama3-70b')
    """
    choices = [list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip())) for text in texts]
    if not all(choices):
        raise click.UsageError("--each names no profile. Write  --each h100-sxm:fp8,b200-sxm:fp8")
    return list(product(*choices)) if choices else []


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

    return load(Path(file), beside=beside)


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
