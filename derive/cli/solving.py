"""The verbs that ask a question: `solve` for numbers, `formula` and `reach` for what needs none."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from derive.cli.asked import Asked, Turn, heading, prove_single, status_of
from derive.cli.output import complain, error_data, say, say_data, table, warn

if TYPE_CHECKING:
    from derive.errors import DeriveError
    from derive.solving.execution.answer import Answer


def solve(asked: Asked, is_all: bool, steps: bool, as_latex: bool) -> int:
    """Answer TARGET from what is given: a quantity, an expression such as weight_bytes/chips, or several.

    What does not hold, a given that plays no part, and what is assumed or left out and moves the answer by more
    than a tenth, is said on the standard error. A unit may stand behind each
    target too, as in "step_time in ms".
    """
    from derive.presentation.failed_checks import is_amiss

    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    if asked.each and (as_latex or steps):
        raise click.UsageError("--each prints a table: leave out --steps and --latex, or name one profile.")
    prove_single(asked.given, has_each=True)
    scenes = [_scene(asked, turn, is_all) for turn in asked.turns]
    errors = list(chain.from_iterable(scene.refused.values() for scene in scenes))
    status = status_of(errors, is_answered=any(scene.found for scene in scenes))
    if asked.each:
        _say_beside_each_other(scenes, asked)
    else:
        _say(scenes[0], asked, is_all, steps, as_latex)
    answers = chain.from_iterable(scene.answers for scene in scenes)
    return status or int(asked.strict and is_amiss(*answers))


def _say(scene: _Scene, asked: Asked, is_all: bool, steps: bool, as_latex: bool) -> None:
    """All that is found without turns."""
    from derive.presentation.text import as_data, as_text, headline

    in_full = not (asked.as_json or as_latex) and (steps or sys.stdout.isatty())
    if asked.as_json:
        is_plain = len(asked.targets) == 1 and not is_all
        say_data(as_data(scene.answers[0], asked.digits) if is_plain else scene.data(asked.digits))
    elif as_latex:
        for answer in scene.answers:
            click.echo(answer.latex(asked.stated_digits), nl=False)
    elif in_full:  # several targets together, several answers to one target one after the other
        groups = [[answer] for answer in scene.answers] if is_all else [scene.answers]
        for number, group in enumerate(filter(None, groups)):
            if number:
                click.echo()
            say(as_text(group, asked.digits), warns_below=True)
    else:
        for answer in scene.answers:
            click.echo(headline(answer, asked.digits))
    if not (in_full and sys.stdout.isatty()):  # there the cautions are below the headline already
        _warn_of(scene)
    if not asked.as_json:
        for doubt in scene.doubts if is_all else ():
            warn(f"{doubt}.")
        for error in scene.refused.values():
            complain(error)


@dataclass(frozen=True)
class _Scene:
    """All targets in one turn: the answers for each, or the error in their place."""

    turn: Turn
    found: Mapping[str, Sequence[Answer]]
    refused: Mapping[str, DeriveError]

    @property
    def answers(self) -> list[Answer]:
        return list(chain.from_iterable(self.found.values()))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why a list of answers may lack some."""
        from derive.solving.execution.plan_states import is_doubt

        notes = chain.from_iterable(answer.stated_assumptions for answer in self.answers)
        return tuple(dict.fromkeys(note.text for note in notes if is_doubt(note.text)))

    def data(self, digits: int) -> dict[str, Any]:
        from derive.presentation.text import as_data

        refused = [{"target": target, **error_data(error)} for target, error in self.refused.items()]
        return {"answers": [as_data(one, digits) for one in self.answers], "errors": refused}

    def text(self, target: str, digits: int) -> str:
        """The answers for a target without their name; a dash where there is none."""
        from derive.presentation.text import headline

        told = []
        for answer in self.found.get(target, ()):
            name = answer.quantity.name
            told.append(headline(answer, digits).removeprefix(f"{name} = ").removeprefix(f"{name} is "))
        return "; ".join(told) or "-"


def _scene(asked: Asked, turn: Turn, is_all: bool) -> _Scene:
    """Ask for all targets in one turn."""
    from derive.errors import DeriveError

    profiles, given = asked.at(turn)
    found: dict[str, Sequence[Answer]] = {}
    refused: dict[str, DeriveError] = {}
    for target in asked.targets:
        try:
            if is_all:
                found[target] = asked.library.solve_all(target, *profiles, **given)
            else:
                found[target] = [asked.library.solve(target, *profiles, **given)]
        except DeriveError as error:
            refused[target] = error
    return _Scene(turn, found, refused)


def _warn_of(scene: _Scene, of: str = "") -> None:
    from derive.presentation.text import cautions_together

    for caution in cautions_together(scene.answers) if scene.answers else ():
        warn(f"{of}{caution}.")


def _say_beside_each_other(scenes: Sequence[_Scene], asked: Asked) -> None:
    """A row for each turn, a column for each target."""
    if asked.as_json:
        say_data({"each": [{**one.turn.data, **one.data(asked.digits)} for one in scenes]})
    else:
        found = chain.from_iterable(scene.found.items() for scene in scenes)
        names = {target: answers[-1].quantity.name for target, answers in found if answers}
        if names:
            rows = [(one.turn.label, *(one.text(target, asked.digits) for target in names)) for one in scenes]
            table((heading(asked.each), *names.values()), [("", rows)])
    for scene in scenes:
        _warn_of(scene, f"with {scene.turn.label}: ")
        for error in () if asked.as_json else scene.refused.values():
            warn(f"with {scene.turn.label}: {error}")


def formula(asked: Asked, as_latex: bool) -> int:
    """Print TARGET in closed form in terms of the names given; what profiles and defaults state stays a name.

    It holds in coherent base units, which are listed below it.
    """
    from derive.expressions.sympy_bridge import from_sympy
    from derive.expressions.tree import names_in, render
    from derive.model.asked_expressions import asking as asked_of
    from derive.presentation import mathematics

    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    node, _ = from_sympy(asked.library.formula(asked.target, asked.names, profiles=asked.profiles))
    library, name = asked_of(asked.library, asked.target)
    units = {one: str(library.declared[one].dimension) or "1" for one in dict.fromkeys((name, *names_in(node)))}
    if as_latex:
        letters = mathematics.letters_of(library.declared)
        click.echo(f"{letters(name)} = {mathematics.mathematics(node, letters)}")
    elif asked.as_json:
        say_data({"target": name, "formula": render(node), "units": units})
    else:
        click.echo(f"{name} = {render(node)}\n")
        rows = [(one, unit, library.declared[one].meaning) for one, unit in units.items()]
        table(("quantity", "in", "meaning"), [("", rows)])
    return 0


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
