"""The verbs that look things up, and check what is written: find, list, show, check, schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from derive.cli.output import complain, say_data, table
from derive.cli.request import Sources, about, source_of

if TYPE_CHECKING:
    from derive.library import Library


def check(files: tuple[str, ...], only_relations: bool, as_json: bool) -> int:
    """Check relation files (with none, the built-in library): units, repetitions, and what examples come to."""
    from derive.errors import NOES, DeriveError, Problem
    from derive.file_checks import sound
    from derive.presentation.plain_data import attributes
    from derive.relation_files.file_text import is_one
    from derive.tokens.relations import SOURCE

    status, listed = 0, []
    for file, path in [(file, source_of(file)) for file in files] or [("built-in library", SOURCE)]:
        if only_relations and isinstance(path, Path) and not is_one(path):
            continue
        try:
            with about(file):
                library = sound(path, beside=Sources().library if path == SOURCE else None)
        except DeriveError as error:
            status = max(status, 1 if isinstance(error, NOES) else 2)
            problems = error.problems or (Problem("", 0, error.what, error.hint),)
            listed += [
                {"file": file, **attributes(problem, "relation", "line", "message", "hint")} for problem in problems
            ]
            if not as_json:
                complain(error)
        else:
            relations, quantities = len(library.relations), len(library.declared)
            counts = f"{relations} relation{'' if relations == 1 else 's'} over {quantities} quantities"
            if not as_json:
                click.echo(f"{file}: consistent ({counts})")
    if as_json:
        say_data({"problems": listed})
    return status


def list_(kind: str, words: tuple[str, ...], sources: Sources, as_json: bool) -> int:
    """List what the library holds, or what of it mentions every WORD, the nearest first.

    Without a kind, the words are looked for in everything, as `derive find` does. `reports` and `libraries` are
    those that there are besides: what --library NAME may name.
    """
    from derive.catalogue import LISTS, as_data, grouped, mentioning, rows
    from derive.errors import suggest

    library = sources.library
    if kind not in LISTS and not suggest(kind, LISTS):
        return _say_matches(library, " ".join((kind, *words)), as_json)
    header, *all_rows = rows(library, kind)
    chosen = mentioning(library, kind, words)
    if as_json:
        entries = {entry["name"]: entry for entry in as_data(library, kind)}
        say_data({kind: [entries[row[0]] for row in chosen] if words else list(entries.values())})
    elif chosen:
        table(header, grouped(library, kind, chosen))
    elif all_rows:
        click.echo(f"No {header[0]} mentions {' and '.join(words)}.")
    else:
        click.echo(f"No {header[0]} is declared.")
    return 0


def find(words: tuple[str, ...], sources: Sources, as_json: bool) -> int:
    """Find quantities, relations and profiles by name, alias and meaning, the nearest first."""
    return _say_matches(sources.library, " ".join(words), as_json)


def _say_matches(library: Library, text: str, as_json: bool) -> int:
    """Print what in the catalogue matches a command's text, of every kind."""
    from derive.catalogue import matching, matching_data

    header, *rows = matching(library, text)
    if as_json:
        say_data({"found": matching_data(library, text)})
    elif rows:
        table(header, [("", rows)])
    else:
        click.echo(f"Nothing matches {text}.")
    return 0


def show(name: str, sources: Sources, as_json: bool, as_toml: bool) -> int:
    """Show all that bear a name: a quantity, a relation, a profile, a report, a library."""
    from derive.catalogue import LISTS, as_data, entries

    if as_json and as_toml:
        raise click.UsageError("--json and --toml both print on the standard output. Leave one out.")
    library = sources.library
    sections = entries(library, name)
    if as_toml:
        from derive.relation_files.writing import written

        tables = written(library, name)
        if not tables:
            raise click.UsageError(f"{name} is no entry of a relation file: quantities, relations and profiles are.")
        click.echo("\n\n".join(tables))
        return 0
    if as_json:
        say_data({kind: as_data(library, kind, name) for kind in LISTS})
        return 0
    for heading, lines in sections:
        click.secho(heading, bold=True)
        width = max((len(label) for label, _ in lines), default=0)
        for label, text in lines:
            click.echo(f"  {label:<{width}}  {text}")
    return 0


def schema() -> int:
    """Print the JSON schema of relation files, by which editors complete and check them."""
    from derive.relation_files.keys import schema as made

    click.echo(json.dumps(made(), indent=2, ensure_ascii=False))
    return 0
