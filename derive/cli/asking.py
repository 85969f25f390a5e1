"""The verbs that ask one question: solve and graph."""

from __future__ import annotations

import json
import sys

import click

from derive.cli.shared import ADD, JSON, LIBRARY, WITH, givens, named, opened

__all__ = ["graph", "solve"]


@click.command(epilog='Example:  derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml')
@click.argument("target")
@click.argument("given", nargs=-1, metavar="[NAME=VALUE ...]")
@WITH
@LIBRARY
@ADD
@click.option("--steps", is_flag=True, help="Show the derivation (the default on a terminal).")
@click.option("--latex", "as_latex", is_flag=True, help="Print the derivation in LaTeX.")
@JSON
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

    answer = opened(replaced, added).solve(target, *profiles, **givens(given))
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
    from derive.graphing import library_graph, plan_graph

    library = opened(replaced, added)
    names = [named(text) for text in given]
    picture = library_graph(library) if target is None else plan_graph(library, target, names, profiles)
    if output is None:
        click.echo(picture, nl=False)
    else:
        from derive.outputs import write_whole

        write_whole(output, picture)
    return 0
