"""The command line: it parses, calls and prints, and knows nothing else.

Exit status: 0 done; 1 the answer is no; 2 the command or its text was wrong.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from derive.library import Library

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_JSON = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
_LIBRARY = click.option(
    "--library", "replaced", metavar="FILE", help="A relation file instead of the built-in library."
)
_ADD = click.option("--add", "added", metavar="FILE", multiple=True, help="A relation file beside the library.")


@click.group(context_settings=_CONTEXT, epilog="Each verb has an example: derive VERB -h")
@click.version_option(package_name="derive-engine", prog_name="derive")
def cli() -> None:
    """Relations with units: checked when they are stated, asked in any direction."""


@cli.command(epilog="Example:  derive check pendulum.toml")
@click.argument("files", nargs=-1, metavar="[FILE ...]")
@_JSON
def check(files: tuple[str, ...], as_json: bool) -> int:
    """Check relation files (with none, the built-in library) for dimensional consistency."""
    from derive.errors import DeriveError, DimensionError, LimitError, Problem
    from derive.files.loading import load

    if not files:
        _say_sound("built-in library", _library(None, ()), as_json)
        if as_json:
            click.echo(json.dumps({"problems": []}, indent=2))
        return 0
    status, found = 0, []
    for file in files:
        try:
            library = load(Path(file))
        except DeriveError as error:
            status = max(status, 1 if isinstance(error, (DimensionError, LimitError)) else 2)
            problems = error.problems or (Problem("", 0, error.what, error.hint),)
            found += [{"file": file, **_problem_data(problem)} for problem in problems]
            if not as_json:
                _complain(error)
        else:
            _say_sound(file, library, as_json)
    if as_json:
        click.echo(json.dumps({"problems": found}, indent=2))
    return status


@cli.command("list", epilog="Example:  derive list quantities cache price")
@click.argument("kind", default="quantities", metavar="[quantities|relations|profiles]")
@click.argument("words", nargs=-1, metavar="[WORD ...]")
@_LIBRARY
@_ADD
@_JSON
def list_(kind: str, words: tuple[str, ...], replaced: str | None, added: tuple[str, ...], as_json: bool) -> int:
    """List what the library holds, or what of it mentions every WORD."""
    from derive.listing import as_data, grouped, mentions, rows

    library = _library(replaced, added)
    header, *found = rows(library, kind)
    chosen = [row for row in found if mentions(row, words)]
    if as_json:
        names = {row[0] for row in chosen}
        data = [entry for entry in as_data(library, kind) if not words or entry["name"] in names]
        click.echo(json.dumps({kind: data}, indent=2, ensure_ascii=False))
    elif chosen:
        _table(header, grouped(library, kind, chosen))
    else:
        click.echo(f"No {header[0]} mentions {' and '.join(words)}." if found else f"No {header[0]} is declared.")
    return 0


@cli.command(epilog="Example:  derive show kv_time")
@click.argument("name")
@_LIBRARY
@_ADD
@_JSON
def show(name: str, replaced: str | None, added: tuple[str, ...], as_json: bool) -> int:
    """Show all that bear a name: a quantity, a relation, a profile."""
    from derive.listing import KINDS, as_data, entries

    library = _library(replaced, added)
    found = entries(library, name)
    if as_json:
        data = {kind: [entry for entry in as_data(library, kind) if entry["name"] == name] for kind in KINDS}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        return 0
    for heading, lines in found:
        click.secho(heading, bold=True)
        width = max((len(label) for label, _ in lines), default=0)
        for label, text in lines:
            click.echo(f"  {label:<{width}}  {text}")
    return 0


_WITH = click.option("--with", "profiles", metavar="PROFILE", multiple=True, help="A profile of weak values.")


@cli.command(epilog='Example:  derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml')
@click.argument("target")
@click.argument("given", nargs=-1, metavar="[NAME=VALUE ...]")
@_WITH
@_LIBRARY
@_ADD
@click.option("--steps", is_flag=True, help="Show the derivation (the default on a terminal).")
@click.option("--latex", "as_latex", is_flag=True, help="Print the derivation in LaTeX.")
@_JSON
def solve(
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    steps: bool,
    as_latex: bool,
    as_json: bool,
) -> int:
    """Answer one question: TARGET from what is given."""
    from derive.showing.typesetting import as_data, headline

    answer = _library(replaced, added).solve(target, *profiles, **_givens(given))
    if as_json:
        click.echo(json.dumps(as_data(answer), indent=2, ensure_ascii=False))
    elif as_latex:
        click.echo(answer.latex(), nl=False)
    elif steps or sys.stdout.isatty():
        head, _, rest = answer.text().partition("\n")
        click.secho(head, bold=True)
        click.echo(rest)
    else:
        click.echo(headline(answer))
    return 0


@cli.command(epilog="Example:  derive graph step_time batch context chips --with h100:fp8 --with llama3-8b -o plan.svg")
@click.argument("target", required=False)
@click.argument("given", nargs=-1, metavar="[GIVEN ...]")
@_WITH
@_LIBRARY
@_ADD
@click.option("-o", "output", metavar="FILE.svg", help="Where to write the picture; standard output without it.")
def graph(
    target: str | None,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    output: str | None,
) -> int:
    """Draw the library, what leads to TARGET, or the plan of one question: TARGET from the names GIVEN."""
    from derive.graphing import library_graph, plan_graph

    library = _library(replaced, added)
    names = [_name(text) for text in given]
    picture = library_graph(library) if target is None else plan_graph(library, target, names, profiles)
    if output is None:
        click.echo(picture, nl=False)
    else:
        _write(output, picture)
    return 0


def _givens(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f'{text!r} is no NAME=VALUE. Write for example  length="2 m"')
        if name.strip() in found:
            raise click.UsageError(f"{name.strip()} is given twice.")
        found[name.strip()] = value.strip()
    return found


def _name(text: str) -> str:
    return text.partition("=")[0].strip()


def _write(output: str, text: str) -> None:
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{output!r} cannot be written: {str(error.strerror).lower()}.") from None


def _library(replaced: str | None, added: Sequence[str]) -> Library:
    """The built-in library or the one in its place, with what is added to it."""
    from derive.files.loading import load

    if replaced is None:
        from derive.relations import library as built_in

        library = built_in()
    else:
        library = load(Path(replaced))
    for file in added:
        library = library | load(Path(file), beside=library)
    return library


def _say_sound(label: str, library: Library, quiet: bool) -> None:
    if not quiet:
        relations, quantities = len(library.relations), len(library.quantities)
        plural = "" if relations == 1 else "s"
        click.echo(f"{label}: consistent ({relations} relation{plural} over {quantities} quantities)")


def _problem_data(problem: Any) -> dict[str, Any]:
    return {
        "relation": problem.relation,
        "line": problem.line,
        "message": problem.message,
        "hint": problem.hint,
    }


def _table(header: tuple[str, ...], groups: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> None:
    """Rows in columns, the last one as long as it likes, under the headings of their groups."""
    rows = [header, *(row for _, group in groups for row in group)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header) - 1)]

    def line(row: tuple[str, ...]) -> str:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        return "  ".join([*cells, row[-1]]).rstrip()

    click.secho(line(header), bold=True)
    for heading, group in groups:
        if heading:
            click.secho(f"\n{heading}", bold=True)
        for row in group:
            click.echo(line(row))


def _complain(error: Exception) -> None:
    click.echo(f"derive: {error}", err=True)


def _fall_silent() -> None:
    """Let what is still in the buffer of the standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its status."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = int(cli.main(arguments, prog_name="derive", standalone_mode=False) or 0)
        sys.stdout.flush()
        return status
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        return 130
    except (SystemExit, BrokenPipeError):  # click leaves so where nobody reads on, as in: derive list | head
        _fall_silent()
        return 0
    except OSError as error:
        _fall_silent()
        click.echo(f"derive: the output cannot be written: {str(error.strerror).lower()}.", err=True)
        return 2
    except Exception as error:  # whatever else goes wrong is told in words too
        from derive import errors
        from derive.errors import DeriveError

        if not isinstance(error, DeriveError):
            if os.environ.get("DERIVE_DEBUG"):
                raise
            click.echo(
                f"derive: internal error, {type(error).__name__}: {error}\n"
                "  This is a defect of derive. Set DERIVE_DEBUG=1 for the details, and report them.",
                err=True,
            )
            return 2
        _complain(error)
        noes = (errors.DimensionError, errors.UnderdeterminedError, errors.InconsistentError)
        return 1 if isinstance(error, (*noes, errors.NoSolutionError, errors.AmbiguousError, errors.LimitError)) else 2
