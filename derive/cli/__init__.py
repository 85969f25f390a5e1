"""The command line: it parses, calls and prints, and does nothing else.

Exit status: 0 done; 1 the answer is no; 2 the command or its text was wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from derive.cli.audit import audit
from derive.cli.border import border
from derive.cli.catalogue import check, find, list_, show
from derive.cli.comparison import compare
from derive.cli.infer import infer
from derive.cli.manual import manual
from derive.cli.optimum import front, least, most
from derive.cli.questions import graph, solve
from derive.cli.reports import report
from derive.cli.shared import complain
from derive.cli.sweep import sweep

__all__ = ["cli", "main", "run"]


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each verb has an example: derive VERB -h",
)
@click.version_option(package_name="derive-engine", prog_name="derive")
def cli() -> None:
    """Relations with units: checked when they are stated, asked in any direction."""


_LOOKING = (check, find, list_, show)
_ASKING = (solve, graph, sweep, border, least, most, front, compare)
for verb in (*_LOOKING, *_ASKING, report, audit, infer, manual):
    cli.add_command(verb)


def _interrupted() -> int:
    """The message and the exit status after Ctrl-C."""
    click.echo("derive: interrupted; unfinished files are not written.", err=True)
    return 130


def _discard_output() -> None:
    """Discard what is still in the buffer of the standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None) -> int:
    """Run the command line; returns its status."""
    try:
        status = int(cli.main(arguments, prog_name="derive", standalone_mode=False) or 0)
        sys.stdout.flush()
        return status
    except click.ClickException as error:
        error.show()
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
        complain(error)
        return 1 if isinstance(error, NOES) else 2
