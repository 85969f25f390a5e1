"""The verb `manual`: makes the manual, or says whether it is out of date."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from derive.cli.shared import FORCE, put_files, writable

__all__ = ["manual"]


@click.command(epilog="Example:  derive manual --out pages")
@click.option("--check", is_flag=True, help="Write nothing; fail if the manual is out of date. Needs no Sphinx.")
@click.option("--out", default="reports/manual", metavar="DIR", help="The folder of the manual (reports/manual).")
@FORCE
@click.pass_context
def manual(context: click.Context, check: bool, out: str) -> int:
    """Make the manual as HTML that needs no network: open index.html (needs the extra `manual`)."""
    from derive.manual.pages import pages

    program = context.find_root().command
    assert isinstance(program, click.Group)
    folder, found = Path(out), pages(program)
    return _checked(folder, found) if check else _made(folder, found)


def _made(folder: Path, found: Mapping[str, str]) -> int:
    from derive.manual.building import built, unchanged

    writable(folder)
    files = built(found)
    before = unchanged(folder)
    put_files(folder, files, own=before)
    for path in before:  # what an earlier manual had, and this one has not
        if path not in files:
            (folder / path).unlink()
    click.echo(f"{folder}: {len(found)} pages")
    return 0


def _checked(folder: Path, found: Mapping[str, str]) -> int:
    from derive.manual.building import stale

    wrong = list(stale(folder, found))
    for line in wrong:
        click.echo(f"derive: {folder}: {line}", err=True)
    if wrong:
        click.echo("  Make it anew: derive manual", err=True)
        return 1
    click.echo(f"{folder}: up to date ({len(found)} pages)")
    return 0
