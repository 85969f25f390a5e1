"""The verbs of the built-in subject: `audit` tests claims against the library, `infer` says what price sheets imply."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from derive.cli.asked import givens
from derive.cli.shared import Sources, of_file, say_data, source_of, table

if TYPE_CHECKING:
    from derive.audit.claims_file import Book
    from derive.audit.conflicts import Conflict
    from derive.audit.verdicts import Finding

__all__ = ["audit", "infer"]


def audit(names: tuple[str, ...], own: str | None, sources: Sources, as_json: bool) -> int:
    """Recompute the claims of the source lectures: verdicts, or with IDs all that stands behind them."""
    from derive.audit.text import as_data, as_text
    from derive.tokens.audit import audit as audited
    from derive.tokens.audit import clashes

    library = sources.library
    book = None if own is None else _claims(own)
    findings = audited(names, library, book)
    conflicts = clashes(names, library, book)
    if as_json:
        say_data(as_data(findings, conflicts))
    elif names:
        click.echo("\n\n".join(as_text(one, [c for c in conflicts if one.claim.name in c.claims]) for one in findings))
    else:
        _print_table(findings, conflicts)
    return 0


def _claims(file: str) -> Book:
    from derive.audit.claims_file import read_claims
    from derive.errors import DeriveError

    try:
        return read_claims(source_of(file) if file == "-" else Path(file))
    except DeriveError as error:
        raise of_file(error, file) from None


def _print_table(findings: Sequence[Finding], conflicts: Sequence[Conflict]) -> None:
    """One row for each claim, the worst first, and the claims that cannot hold together."""
    from derive.audit.text import rows, summary

    header, *body = rows(findings)
    below = [f"\n{summary(findings)}", *(["\nCannot hold together:"] if conflicts else [])]
    below += [f"- {conflict}" for conflict in conflicts]
    if sys.stdout.isatty():
        _fitted(header, body, below)
    else:
        table(header, [("", body)])  # one line for each claim, for programs such as grep
        click.echo("\n".join(below))


def _fitted(header: Sequence[str], body: Sequence[Sequence[str]], below: Sequence[str]) -> None:
    """The table as wide as the terminal, its cells broken between words where it has to be."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for title, *cells in zip(header, *body, strict=True):
        longest = max(len(word) for cell in (title, *cells) for word in cell.split())
        is_claim = title == "claim"  # which has all that the others do not need for their longest word
        shown.add_column(title, overflow="fold", width=None if is_claim else longest)
    for row in body:
        shown.add_row(*row)
    console = Console(markup=False, highlight=False)
    console.print(shown)
    for line in below:
        console.print(line)


def infer(words: tuple[str, ...], profiles: tuple[str, ...], steps: bool, digits: int | None, as_json: bool) -> int:
    """Say what the prices of SHEET imply, a file or a name; without one, of all sheets side by side."""
    from derive.presentation.text import columns
    from derive.tokens.price_sheets import oracle, text

    named = [word for word in words if "=" not in word or Path(word).is_file()]
    if len(named) > 1:
        raise click.UsageError(f"{named[1]!r} is not NAME=VALUE, and {named[0]!r} is already the sheet.")
    stated = givens([word for word in words if word not in named])
    many = tuple(oracle.infer(_sheet(source), *profiles, **stated) for source in named) or oracle.survey(
        *profiles, **stated
    )
    if as_json:
        data = [text.as_data(found) for found in many]
        say_data(data[0] if named else data)
        return 0 if any(found.conclusions for found in many) else 1
    shown = digits or text.DIGITS
    rows = text.side_by_side(many, shown)
    click.echo(text.as_text(many[0], shown) if named else "\n".join(columns(rows)))
    if steps:
        click.echo("\n\n" + "\n\n\n".join(text.as_steps(found, digits) for found in many))
    return 0 if any(found.conclusions for found in many) else 1


def _sheet(name: str) -> str | Path:
    """The name of a price sheet or of its file; the text on the standard input for `-`."""
    return source_of(name) if name == "-" else name
