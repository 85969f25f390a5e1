"""The verbs that make reports and the manual, or say whether those in a folder are out of date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from derive.cli.shared import put_files, writable

__all__ = ["manual", "report"]


def report(names: tuple[str, ...], check: bool, pdf: bool, html: bool, out: str) -> int:
    """Regenerate the reports, or make one from a template of your own (FILE.md): LaTeX, Markdown and pictures.

    The pages with sliders (pages/roofline and others) are written into the folder pages.
    """
    from derive.tokens.reports import shelf

    wanted = shelf.chosen(names)
    folder = Path(out)
    for name in wanted:
        if shelf.is_own(name) and (folder / f"{shelf.named(name)}.md").resolve() == Path(name).resolve():
            raise click.UsageError(f"the report would be written over its template {name}. Give --out with a folder.")
    if check:
        return _checked(folder, wanted, whole=not names)
    writable(folder)
    for name in _watched(wanted):
        files: dict[str, str | bytes] = {**shelf.texts(name)}
        if html and not shelf.is_page(name):
            files[f"{shelf.named(name)}.html"] = shelf.page(name)
        if pdf and not shelf.is_page(name):
            from derive.reports.tex import pressed

            file = shelf.named(name)
            files[f"{file}.pdf"] = pressed(file, str(files[f"{file}.tex"]), shelf.pressed_pictures(name))
        put_files(folder, files)
    click.echo(f"{folder}: {', '.join(map(shelf.named, wanted))}")
    return 0


def _checked(folder: Path, wanted: Sequence[str], whole: bool) -> int:
    from derive.tokens.reports import shelf

    found = [line for name in _watched(wanted) for line in shelf.stale(folder, name)]
    found += shelf.orphans(folder) if whole else []
    mend = f"Regenerate: derive report {'' if whole else ' '.join(wanted)}".rstrip()
    return _judged(folder, [f"{folder}/{line}" for line in dict.fromkeys(found)], mend, ", ".join(wanted))


def _judged(folder: Path, wrong: Sequence[str], mend: str, what: str) -> int:
    """Say what is out of date in a folder and what mends it, or that nothing is; returns the exit status."""
    for line in wrong:
        click.echo(f"derive: {line}", err=True)
    if wrong:
        click.echo(f"  {mend}", err=True)
        return 1
    click.echo(f"{folder}: up to date ({what})")
    return 0


def _watched(names: Sequence[str]) -> Iterator[str]:
    """The names, with a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal) as bar:
        task = bar.add_task("", total=len(names))
        for name in names:
            bar.update(task, description=name)
            yield name
            bar.advance(task)


def manual(check: bool, out: str) -> int:
    """Make the manual as HTML that needs no network: open index.html (needs the extra `manual`)."""
    from derive.manual.building import built, stale, unchanged
    from derive.manual.pages import pages

    program = click.get_current_context().find_root().command
    assert isinstance(program, click.Group)
    folder, found = Path(out), pages(program)
    if check:
        wrong = [f"{folder}: {line}" for line in stale(folder, found)]
        return _judged(folder, wrong, "Make it anew: derive manual", f"{len(found)} pages")
    writable(folder)
    files = built(found)
    before = unchanged(folder)
    put_files(folder, files, own=before)
    for path in before:  # what an earlier manual had, and this one has not
        if path not in files:
            (folder / path).unlink()
    click.echo(f"{folder}: {len(found)} pages")
    return 0
