"""The verb `graph`: pictures of a library and of a plan."""

from __future__ import annotations

import click

from derive.cli import shell_completion
from derive.cli.asked import named
from derive.cli.shared import ADD, LIBRARY, WITH, opened, output_ending, put, writes

__all__ = ["graph"]


@click.command(
    epilog="Example:  derive graph step_time batch context chips --with h100:fp8 --with llama3-8b -o plan.svg"
)
@click.argument("target", shell_complete=shell_completion.names, required=False)
@click.argument("given", nargs=-1, shell_complete=shell_completion.names, metavar="[GIVEN ...]")
@WITH
@LIBRARY
@ADD
@writes("-o", "output", metavar="FILE.svg", help="Where to write the picture; standard output without it.")
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

    output_ending(output, (".svg",))
    library = opened(replaced, added)
    names = [named(text) for text in given]
    picture = library_graph(library) if target is None else plan_graph(library, target, names, profiles)
    if output is None:
        click.echo(picture, nl=False)
    else:
        put(output, picture)
    return 0
