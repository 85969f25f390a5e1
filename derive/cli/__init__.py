"""The command line: it parses, calls and prints, and does nothing else.

Exit status: 0 done; 1 the answer is no; 2 the command or its text was wrong.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, NoReturn, TextIO, cast

import click

from derive.cli.catalogue import check, find, list_, show
from derive.cli.comparison import compare
from derive.cli.formulas import compile_, formula, graph, page, reach
from derive.cli.optimum import front, least, most
from derive.cli.ranges import border, sample, sweep
from derive.cli.reports import manual, report
from derive.cli.servers import schema, serve, serve_editor
from derive.cli.shared import Visible, colour, complain, error_data, timed
from derive.cli.solving import solve
from derive.cli.subject import audit, infer

__all__ = ["cli", "main", "run"]


def _cite(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the program as an entry of a BibTeX file."""
    if not is_asked or ctx.resilient_parsing:
        return
    from importlib.metadata import metadata

    facts = metadata("derive-engine")
    rows = {"title": f"derive: {facts['Summary'].rstrip('.')}", "version": facts["Version"], "license": "MIT"}
    told = ",\n".join(f"  {key} = {{{text}}}" for key, text in rows.items())
    click.echo(f"@software{{derive_engine,\n{told}\n}}")
    ctx.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each verb has an example: derive VERB -h",
)
@click.version_option(package_name="derive-engine", prog_name="derive")
@click.option("--cite", is_flag=True, is_eager=True, expose_value=False, callback=_cite, help="Show how to cite it.")
def cli() -> None:
    """Relations with units: checked when they are stated, asked in any direction."""


_ASKING = (solve, sweep, sample, least, most, front, border, compare, formula, reach, graph, compile_, page)
_LOOKING_UP = (check, find, list_, show)
_OF_THE_SUBJECT = (report, audit, infer)
_SERVING = (manual, schema, serve, serve_editor)

for verb in (*_ASKING, *_LOOKING_UP, *_OF_THE_SUBJECT):
    cli.add_command(timed(verb))
for verb in _SERVING:
    cli.add_command(verb)


def _interrupted() -> int:
    """The message and the exit status after Ctrl-C."""
    click.echo("derive: interrupted; unfinished files are not written.", err=True)
    return 130


def _discard_output() -> None:
    """Discard what is still in the buffer of the standard output, unless that is closed."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: Exception, arguments: Sequence[str] | None) -> None:
    """Say an error on the standard error: in words, or as data where data was asked for."""
    if "--json" in (sys.argv[1:] if arguments is None else arguments):
        click.echo(json.dumps({"error": error_data(error)}, indent=2, ensure_ascii=False), err=True)
    elif isinstance(error, click.ClickException):
        error.show(file=cast("IO[str]", Visible(sys.stderr)))
    else:
        complain(error)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None) -> int:
    """Run the command line; returns its status."""
    stream = sys.stdout
    sys.stdout = cast("TextIO", Visible(stream))
    try:
        return _run(arguments)
    finally:
        sys.stdout = stream


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = int(cli.main(arguments, prog_name="derive", standalone_mode=False, color=colour()) or 0)
        sys.stdout.flush()
        return status
    except click.ClickException as error:
        _tell(error, arguments)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _interrupted()
    except (SystemExit, BrokenPipeError):  # raised by click for a closed pipe, as in: derive list | head
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        click.echo(f"derive: the output cannot be written: {str(error.strerror).lower()}.", err=True)
        return 2
    except Exception as error:  # any other error is a message too
        from derive.errors import NOES, DeriveError

        if not isinstance(error, DeriveError):
            if os.environ.get("DERIVE_DEBUG"):
                raise
            click.echo(
                f"derive: internal error, {type(error).__name__}: {error}\n"
                "  This is a bug in derive. Set DERIVE_DEBUG=1 for the details, and report them.",
                err=True,
            )
            return 2
        _tell(error, arguments)
        return 1 if isinstance(error, NOES) else 2
