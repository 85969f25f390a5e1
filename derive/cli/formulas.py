"""The verbs about names, whose numbers may come later: formula, reach, graph, compile, page."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from derive.cli.asked import Asked, as_targets, givens, prove_single
from derive.cli.shared import Sources, prove_writable, put, say_data, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from derive.expressions.tree import Node
    from derive.library import Library

__all__ = ["compile_", "formula", "graph", "page", "reach"]


def formula(asked: Asked, as_latex: bool) -> int:
    """Print TARGET in closed form in terms of the names given; what profiles and defaults state stays a name.

    It holds in coherent base units, which are listed below it.
    """
    from derive.expressions.sympy_bridge import from_sympy
    from derive.expressions.tree import names_in, render
    from derive.model.asked_expressions import asking as asked_of

    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    node, _ = from_sympy(asked.library.formula(asked.target, asked.names, profiles=asked.profiles))
    library, name = asked_of(asked.library, asked.target)
    units = {one: str(library.declared[one].dimension) or "1" for one in dict.fromkeys((name, *names_in(node)))}
    if as_latex:
        click.echo(_latex(library, name, node))
    elif asked.as_json:
        say_data({"target": name, "formula": render(node), "units": units})
    else:
        click.echo(f"{name} = {render(node)}\n")
        rows = [(one, unit, library.declared[one].meaning) for one, unit in units.items()]
        table(("quantity", "in", "meaning"), [("", rows)])
    return 0


def _latex(library: Library, name: str, node: Node) -> str:
    from derive.presentation import mathematics

    def written(one: str) -> str:
        return mathematics.letter(one, library.declared[one].latex)

    return f"{written(name)} = {mathematics.mathematics(node, written)}"


def reach(asked: Asked) -> int:
    """List every quantity that the names given, profiles and defaults determine."""
    found = asked.library.reach(asked.names, profiles=asked.profiles)
    listed = [one for name, one in asked.library.declared.items() if name in found]
    if asked.as_json:
        say_data({"given": asked.names, "determined": [one.name for one in listed]})
    elif listed:
        rows = [(one.name, str(one.unit), one.meaning) for one in listed]
        table(("quantity", "unit", "meaning"), [("", rows)])
    else:
        click.echo("Nothing is determined.")
    return 0


def graph(asked: Asked) -> int:
    """Draw the library, what leads to TARGET, or the plan of one question: TARGET from the names GIVEN."""
    from derive.graphs import graph_asked_for, written

    target = asked.target if asked.targets else None
    found = graph_asked_for(asked.library, target, asked.names, asked.profiles)
    put("-" if asked.output is None else asked.output, written(found, asked.ending))
    return 0


def compile_(asked: Asked) -> int:
    """Write a Python module that computes TARGET from the names given, and needs nothing else.

    Its `value` takes numbers in declared units; `answer` says besides which checks fail. Profiles' values are
    constants in it.
    """
    from derive.kernels.modules import module_text
    from derive.model.asked_expressions import asking as asked_of

    for word, name in zip(asked.words, asked.names, strict=True):
        if "=" in word:
            raise click.UsageError(f"{word!r}: a file takes its numbers when it is called. Write {name} alone.")
    library, target = asked_of(asked.library, asked.target)
    output = str(asked.output)
    put(output, module_text(library, target, asked.words, asked.profiles))
    if output != "-":
        click.echo(f"{output}: {target} from {', '.join(asked.words) or 'nothing'}")
    return 0


def page(words: tuple[str, ...], profiles: tuple[str, ...], sources: Sources, title: str, output: str) -> int:
    """Write a page in which every given of TARGET is a slider, and the answer moves with it.

    It is one file that needs no network. The first TARGET is solved for, further ones are shown beside it; on the
    page any given can be solved for instead. NAME=LOW..HIGH sets the range of a slider, and each profile becomes a
    choice among those of its kind.
    """
    targets = tuple(target for word in words if "=" not in word for target in as_targets(word))
    if not targets:
        raise click.UsageError("There is no target. Name a quantity, as in  derive page step_time ... -o page.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"{output!r}: unknown file format. Name a file that ends in .html.")
    prove_writable(output)
    from derive.pages.page import page as written

    read = givens([word for word in words if "=" in word])
    prove_single(read)
    uses = ["llm" if sources.replaced is None else sources.replaced, *sources.added]
    flags = "".join(f" --{flag} {quote(file)}" for flag, file in _flags(sources))
    text = written(sources.library, targets, profiles, read, title=title, uses=uses, flags=flags)
    put(output, text)
    click.echo(f"{output}: {', '.join(targets)}")
    return 0


def _flags(sources: Sources) -> Iterable[tuple[str, str]]:
    """The files of the library, each with its flag."""
    if sources.replaced is not None:
        yield "library", sources.replaced
    for file in sources.added:
        yield "add", file
