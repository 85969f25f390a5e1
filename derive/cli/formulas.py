"""The verbs about names alone, without numbers: `formula` and `reach`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from derive.cli.asked import named
from derive.cli.shared import ADD, JSON, LIBRARY, WITH, opened, quantity_names, say_data, table

if TYPE_CHECKING:
    from derive.expressions.tree import Node
    from derive.library import Library

__all__ = ["formula", "reach"]


@click.command(
    epilog="Example:  derive formula drain_time hbm_capacity hbm_bandwidth\n\n"
    "Example:  derive formula step_time batch context chips --with h100-sxm:fp8 --with llama3-70b"
)
@click.argument("target", shell_complete=quantity_names)
@click.argument("given", nargs=-1, shell_complete=quantity_names, metavar="[NAME ...]")
@WITH
@LIBRARY
@ADD
@click.option("--latex", "as_latex", is_flag=True, help="Print it in LaTeX.")
@JSON
def formula(
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    as_latex: bool,
    as_json: bool,
) -> int:
    """Print TARGET in closed form in terms of the names given; what profiles and defaults state stays a name.

    It holds in coherent base units, which are listed below it.
    """
    from derive.expressions.sympy_bridge import from_sympy
    from derive.expressions.tree import names_in, render

    if as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    library = opened(replaced, added)
    form = library.formula(target, [named(text) for text in given], profiles=profiles)
    node, _ = from_sympy(form)
    library, units = _units(library, target, names_in(node))
    name, *others = units
    if as_latex:
        click.echo(_latex(library, name, node))
    elif as_json:
        say_data({"target": name, "formula": render(node), "units": units})
    else:
        click.echo(f"{name} = {render(node)}")
        click.echo()
        table(("quantity", "in", "meaning"), [("", [_row(library, one, units[one]) for one in (name, *others)])])
    return 0


def _units(library: Library, target: str, names: Sequence[str]) -> tuple[Library, dict[str, str]]:
    """The library that holds the target, and the coherent base unit of it and of each name."""
    from derive.model.asked_expressions import asking

    whole, name = asking(library, target)
    return whole, {one: str(whole.declared[one].dimension) or "1" for one in dict.fromkeys((name, *names))}


def _row(library: Library, name: str, unit: str) -> tuple[str, str, str]:
    return name, unit, library.declared[name].meaning


def _latex(library: Library, name: str, node: Node) -> str:
    from derive.presentation import mathematics

    def written(one: str) -> str:
        return mathematics.letter(one, library.declared[one].latex)

    return f"{written(name)} = {mathematics.mathematics(node, written)}"


@click.command(epilog="Example:  derive reach batch context chips --with h100-sxm:fp8 --with llama3-70b")
@click.argument("given", nargs=-1, shell_complete=quantity_names, metavar="[NAME ...]")
@WITH
@LIBRARY
@ADD
@JSON
def reach(
    given: tuple[str, ...], profiles: tuple[str, ...], replaced: str | None, added: tuple[str, ...], as_json: bool
) -> int:
    """List every quantity that the names given, profiles and defaults determine."""
    library = opened(replaced, added)
    names = [named(text) for text in given]
    found = library.reach(names, profiles=profiles)
    listed = [one for one in library.declared if one in found]
    if as_json:
        say_data({"given": names, "determined": listed})
    elif listed:
        rows = [(one, str(library.declared[one].unit), library.declared[one].meaning) for one in listed]
        table(("quantity", "unit", "meaning"), [("", rows)])
    else:
        click.echo("Nothing is determined.")
    return 0
