"""The verb that puts claims to the library: audit."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from derive.cli.shared import JSON

if TYPE_CHECKING:
    from derive.auditing.conflicts import Conflict
    from derive.auditing.judging import Finding

__all__ = ["audit"]

_WIDE = 160  # columns where no terminal says how many there are


@click.command(epilog="Example:  derive audit C22")
@click.argument("names", nargs=-1, metavar="[ID ...]")
@JSON
def audit(names: tuple[str, ...], as_json: bool) -> int:
    """Recompute the claims of the source lectures: verdicts, or with IDs all that stands behind them."""
    from derive.auditing import audit as audited
    from derive.auditing import clashes
    from derive.auditing.telling import as_data, as_text

    findings = audited(names)
    conflicts = clashes(names)
    if as_json:
        click.echo(json.dumps(as_data(findings, conflicts), indent=2, ensure_ascii=False))
    elif names:
        click.echo("\n\n".join(as_text(one, [c for c in conflicts if one.claim.name in c.claims]) for one in findings))
    else:
        _print_table(findings, conflicts)
    return 0


def _print_table(findings: Sequence[Finding], conflicts: Sequence[Conflict]) -> None:
    """One row for each claim, and the claims that cannot hold together."""
    from rich.console import Console
    from rich.table import Table

    from derive.auditing.telling import rows, summary

    header, *body = rows(findings)
    table = Table(*header, box=None, pad_edge=False)
    for row in body:
        table.add_row(*row)
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else _WIDE)
    console.print(table)
    console.print(f"\n{summary(findings)}\n\nCannot hold together:")
    for conflict in conflicts:
        console.print(f"- {conflict}")
