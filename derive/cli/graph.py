"""The verb `graph`: a library or a plan as a picture, or as data for programs that read graphs."""

from __future__ import annotations

import click

from derive.cli.asked import named
from derive.cli.shared import ADD, LIBRARY, WITH, opened, output_ending, put, quantity_names, writes

__all__ = ["graph"]


@click.command(
    epilog="Example:  derive graph step_time batch context chips --with h100:fp8 --with llama3-8b -o plan.svg"
)
@click.argument("target", shell_complete=quantity_names, required=False)
@click.argument("given", nargs=-1, shell_complete=quantity_names, metavar="[GIVEN ...]")
@WITH
@LIBRARY
@ADD
@writes(
    "-o",
    "output",
    metavar="FILE",
    help="Where to write: a file that ends in .svg, .graphml or .json; without it, a picture on standard output.",
)
def graph(
    target: str | None,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    output: str | None,
) -> int:
    """Draw the library, what leads to TARGET, or the plan of one question: TARGET from the names GIVEN."""
    from derive.graphs import ENDINGS, graph_asked_for, written

    ending = output_ending(output, ENDINGS)
    library = opened(replaced, added)
    asked = graph_asked_for(library, target, [named(text) for text in given], profiles)
    put("-" if output is None else output, written(asked, ending))
    return 0
