"""The verb `compile`: a question as a file that computes by itself."""

from __future__ import annotations

import click

from derive.cli.asked import in_units, named
from derive.cli.shared import ADD, IN, LIBRARY, WITH, opened, output_ending, put, quantity_names, writes

__all__ = ["compile_"]


@click.command(
    "compile",
    epilog="Example:  derive compile step_time batch context --with h100-sxm:fp8 --with llama3-70b -o step_time.py",
)
@click.argument("target", shell_complete=quantity_names)
@click.argument("given", nargs=-1, shell_complete=quantity_names, metavar="[NAME ...]")
@WITH
@LIBRARY
@ADD
@IN
@writes(
    "-o",
    "output",
    metavar="FILE",
    required=True,
    help="Where to write it: a file that ends in .py; - for standard output.",
)
def compile_(
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    unit: str | None,
    output: str,
) -> int:
    """Write a Python module that computes TARGET from the names given, and needs nothing else.

    Its `value` takes numbers in declared units; `answer` says besides which checks fail. Profiles' values are constants
    in it.
    """
    from derive.kernels.modules import module_text
    from derive.model.asked_expressions import asking

    output_ending(output, (".py",), hint="derive page writes JavaScript, inside a page.")
    if odd := [text for text in given if "=" in text]:
        raise click.UsageError(f"{odd[0]!r}: a file takes its numbers when it is called. Write {named(odd[0])} alone.")
    library, name = asking(opened(replaced, added), *in_units([target], unit))
    put(output, module_text(library, name, given, profiles))
    if output != "-":
        click.echo(f"{output}: {name} from {', '.join(given) or 'nothing'}")
    return 0
