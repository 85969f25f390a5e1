"""The command line: the table of verbs, as click reads it. It parses, calls and prints, and does nothing else.

Exit status: 0 done; 1 the answer is no; 2 the command or its text was wrong.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout, suppress
from functools import partial
from typing import IO, Any, NoReturn, cast

import click

from derive.cli.output import VisibleStream, colour, complain, error_data, say_data
from derive.cli.request import Sources, built_in, read
from derive.verbs import GROUPS, VERBS, Verb


class _Overview(click.Group):
    """The program, whose help names all verbs by what one wants to do."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(verb.name) for verb in VERBS)
        for group in GROUPS:
            with formatter.section(group):
                formatter.write_dl([(f"{verb.name:<{width}}", verb.brief) for verb in VERBS if verb.group == group])


class _Command(click.Command):
    """A verb of the table as a command."""

    def __init__(self, verb: Verb) -> None:
        super().__init__(
            verb.name,
            params=[*verb.parameters, *([_SECONDS] if verb.is_timed else [])],
            callback=partial(_call, verb),
            short_help=verb.brief,
            epilog="\n\n".join(f"Example:  {example}" for example in verb.examples),
        )
        self.verb = verb

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = self.verb.function.__doc__
        super().format_help_text(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.verb.has_second_scenario:
            from derive.cli.explaining import parted

            args = parted(self.get_params(ctx), args)
        if not ctx.resilient_parsing:
            self._refuse_repeated(ctx, args)
        return super().parse_args(ctx, args)

    def _refuse_repeated(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse an option that is typed twice and has one value, of which the last alone would count."""
        *_, typed = self.make_parser(ctx).parse_args(args=list(args))
        for option in typed:
            is_single = isinstance(option, click.Option) and not option.multiple and not option.is_flag
            if is_single and typed.count(option) > 1:
                more = ", and --add for each further file" if option.name == "replaced" else ""
                raise click.UsageError(f"{option.opts[0]} is given twice. Write it once{more}.", ctx=ctx)


class _Seconds(click.FloatRange):
    """A positive number of seconds; FloatRange compares, and lets through what is no number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        return self.fail(f"{value} is no number of seconds.", param, ctx) if math.isnan(seconds) else seconds


_SECONDS = click.Option(
    ["--seconds"],
    type=_Seconds(min=0, min_open=True),
    metavar="N",
    help="The time that the command may take: it ends with an error after so many seconds.",
)


def _call(verb: Verb, *, seconds: float | None = None, force: bool = False, **stated: Any) -> int:
    """Call the function of a command line's verb with what was typed; `--force` is for what writes files to look up."""
    if stated.get("out") == "":
        raise click.UsageError("--out names no folder. Write the folder, or --out . for this one.")
    with ExitStack() as within:
        if seconds is not None:
            from derive.time_limits import limits, query

            if stated.get("replaced") is None and not stated.get("files"):  # reading the library is not the question's
                import derive.solving.answering.solver  # noqa: F401

                built_in()
            within.enter_context(limits(seconds=seconds))
            within.enter_context(query())
        if verb.is_question:
            return verb.function(read(verb, stated), **stated)
        if "replaced" in stated:
            stated["sources"] = Sources(stated.pop("replaced"), stated.pop("added"))
        return verb.function(**stated)


def _cite(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the program as an entry of a BibTeX file."""
    if not is_asked or ctx.resilient_parsing:
        return
    from importlib.metadata import metadata

    facts = metadata("derive-engine")
    rows = {"title": f"derive: {facts['Summary'].rstrip('.')}", "version": facts["Version"], "license": "MIT"}
    entries = ",\n".join(f"  {key} = {{{text}}}" for key, text in rows.items())
    click.echo(f"@software{{derive_engine,\n{entries}\n}}")
    ctx.exit()


@click.group(
    cls=_Overview,
    commands=[_Command(verb) for verb in VERBS],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each verb has an example: derive VERB -h",
)
@click.version_option(package_name="derive-engine", prog_name="derive")
@click.option("--cite", is_flag=True, is_eager=True, expose_value=False, callback=_cite, help="Show how to cite it.")
def cli() -> None:
    """Relations with units: checked when they are stated, asked in any direction."""


def _discard_output() -> None:
    """Discard what is still in the buffer of the standard output, unless that is closed."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: Exception, arguments: Sequence[str] | None) -> None:
    """Say an error of the command line on the standard error: in words, or as data where data was asked for."""
    if "--json" in (sys.argv[1:] if arguments is None else arguments):
        say_data({"error": error_data(error)}, err=True)
    elif isinstance(error, click.ClickException):
        error.show(file=cast("IO[str]", VisibleStream(sys.stderr)))
    else:
        complain(error)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None) -> int:
    """Run the command line; returns its status."""
    with redirect_stdout(cast("IO[str]", VisibleStream(sys.stdout))):
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        status = int(cli.main(arguments, prog_name="derive", standalone_mode=False, color=colour()) or 0)
        sys.stdout.flush()
        return status
    except click.ClickException as error:
        _tell(error, arguments)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("derive: interrupted; unfinished files are not written.", err=True)
        return 130
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
