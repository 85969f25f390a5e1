"""The verbs for a single question: solve and graph."""

from __future__ import annotations

import sys

import click

from derive.cli.shared import ADD, DIGITS, JSON, LIBRARY, WITH, givens, named, opened, say_data

__all__ = ["graph", "solve"]


@click.command(epilog='Example:  derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml')
@click.argument("target")
@click.argument("given", nargs=-1, metavar="[NAME=VALUE ...]")
@WITH
@LIBRARY
@ADD
@click.option("--steps", is_flag=True, help="Show the derivation (the default on a terminal).")
@click.option("--latex", "as_latex", is_flag=True, help="Print the derivation in LaTeX.")
@DIGITS
@click.option("--strict", is_flag=True, help="Exit with 1 if a check does not hold, or a given plays no part.")
@JSON
def solve(  # noqa: PLR0913, PLR0917  # click hands over each option by itself
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    steps: bool,
    as_latex: bool,
    digits: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Answer one question: TARGET from what is given.

    What does not hold, and a given that plays no part, is said on the standard error.
    """
    from derive.presentation.failed_checks import cautions
    from derive.presentation.numbers import DIGITS as USUAL
    from derive.presentation.text import as_data, headline

    answer = opened(replaced, added).solve(target, *profiles, **givens(given))
    in_full = not (as_json or as_latex) and (steps or sys.stdout.isatty())
    if as_json:
        say_data(as_data(answer, digits or USUAL))
    elif as_latex:
        click.echo(answer.latex(digits), nl=False)
    elif in_full:
        head, _, rest = answer.text(digits or USUAL).partition("\n")
        click.secho(head, bold=True)
        click.echo(rest)
    else:
        click.echo(headline(answer, digits or USUAL))
    if not (in_full and sys.stdout.isatty()):  # there the cautions are below the headline already
        for caution in cautions(answer):
            click.echo(f"derive: {caution}.", err=True)
    return 1 if strict and (answer.failed or answer.unused) else 0


@click.command(
    epilog="Example:  derive graph step_time batch context chips --with h100:fp8 --with llama3-8b -o plan.svg"
)
@click.argument("target", required=False)
@click.argument("given", nargs=-1, metavar="[GIVEN ...]")
@WITH
@LIBRARY
@ADD
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
    from derive.graphs import library_graph, plan_graph

    library = opened(replaced, added)
    names = [named(text) for text in given]
    picture = library_graph(library) if target is None else plan_graph(library, target, names, profiles)
    if output is None:
        click.echo(picture, nl=False)
    else:
        from derive.output_files import write_whole

        write_whole(output, picture)
    return 0
