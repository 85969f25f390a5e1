"""The verb `solve`: one question or several, of one set of profiles or of each of several."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from derive.cli.asked import Asked, Turn, asking, heading, is_amiss, prove_single
from derive.cli.shared import (
    ADD,
    DIGITS,
    EACH,
    INS,
    JSON,
    LIBRARY,
    STRICT,
    WITH,
    complain,
    error_data,
    say,
    say_data,
    table,
    warn,
)

if TYPE_CHECKING:
    from derive.errors import DeriveError
    from derive.solving.execution.answer import Answer

__all__ = ["solve"]


@click.command(
    epilog='Example:  derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml\n\n'
    'Example:  derive solve "step_time, weight_bytes/chips in GB/chip" batch="64 sequence" chips="8 chip" '
    'context="8 ktoken/sequence" --with llama3-70b --each h100-sxm:fp8,b200-sxm:fp8'
)
@asking(
    WITH,
    EACH,
    LIBRARY,
    ADD,
    INS,
    click.option("--all", "is_all", is_flag=True, help="Every admissible answer: roots, regimes, bounds."),
    click.option("--steps", is_flag=True, help="Show the derivation (the default on a terminal)."),
    click.option("--latex", "as_latex", is_flag=True, help="Print the derivation in LaTeX."),
    DIGITS,
    STRICT,
    JSON,
    target="TARGET[,TARGET]",
    given="[NAME=VALUE ...]",
)
def solve(asked: Asked, is_all: bool, steps: bool, as_latex: bool) -> int:
    """Answer TARGET from what is given: a quantity, an expression such as weight_bytes/chips, or several.

    What does not hold, a given that plays no part, and what is assumed or left out and moves the answer by more than a
    tenth, is said on the standard error. A unit may stand behind each
    target too, as in "step_time in ms".
    """
    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    if asked.each and (as_latex or steps):
        raise click.UsageError("--each prints a table: leave out --steps and --latex, or name one profile.")
    prove_single(asked.given, has_each=True)
    if asked.each:
        return _each_scene(asked, is_all)
    scene = _scene(asked, is_all, is_patient=len(asked.targets) > 1)
    _prove_various([scene])
    in_full = not (asked.as_json or as_latex) and (steps or sys.stdout.isatty())
    if asked.as_json:
        _say_as_data(scene, asked, is_plain=len(asked.targets) == 1 and not is_all)
    elif as_latex:
        for answer in scene.answers:
            click.echo(answer.latex(asked.stated_digits), nl=False)
    elif in_full:
        _say_in_full(scene.answers, asked.digits, is_all)
    else:
        _say_in_lines(scene.answers, asked.digits)
    if not (in_full and sys.stdout.isatty()):  # there the cautions are below the headline already
        _warn_of(scene.answers)
    for doubt in scene.doubts if is_all and not asked.as_json else ():
        warn(f"{doubt}.")
    for _, error in () if asked.as_json else scene.errors:
        complain(error)
    return _status([scene], asked.strict)


@dataclass(frozen=True)
class _Scene:
    """One turn of a question, and its answers or the errors in their places."""

    turn: Turn
    found: dict[str, Sequence[Answer]]  # by target
    errors: tuple[tuple[str, DeriveError], ...]  # with the target that has no answer

    @property
    def answers(self) -> list[Answer]:
        return [answer for answers in self.found.values() for answer in answers]

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why a list of answers may lack some."""
        from derive.solving.execution.plan_states import is_doubt

        notes = (one.text for answer in self.answers for one in answer.stated_assumptions)
        return tuple(dict.fromkeys(note for note in notes if is_doubt(note)))

    def data(self, digits: int) -> dict[str, Any]:
        from derive.presentation.text import as_data

        refused = [{"target": target, **error_data(error)} for target, error in self.errors]
        return {"answers": [as_data(one, digits) for one in self.answers], "errors": refused}


def _scene(asked: Asked, is_all: bool, turn: Turn = Turn(), is_patient: bool = True) -> _Scene:  # noqa: B008  # frozen
    """All targets in one turn; an error takes the place of an answer where there are others to give."""
    from derive.errors import DeriveError

    found: dict[str, Sequence[Answer]] = {}
    errors: list[tuple[str, DeriveError]] = []
    profiles, given = (*turn.profiles, *asked.profiles), {**asked.given, **turn.given}
    for target in asked.targets:
        try:
            if is_all:
                found[target] = asked.library.solve_all(target, *profiles, **given)
            else:
                found[target] = [asked.library.solve(target, *profiles, **given)]
        except DeriveError as error:
            if not is_patient:
                raise
            errors.append((target, error))
    return _Scene(turn, found, tuple(errors))


def _status(scenes: Sequence[_Scene], is_strict: bool) -> int:
    """The exit status: 2 or 1 for an error as if it stood alone, and 1 for what is amiss, if that is strict."""
    from derive.errors import NOES

    errors = [error for scene in scenes for _, error in scene.errors]
    if errors:
        return 1 if all(isinstance(error, NOES) for error in errors) else 2
    answers = [answer for scene in scenes for answer in scene.answers]
    return 1 if is_strict and is_amiss(*answers) else 0


def _prove_various(scenes: Sequence[_Scene]) -> None:
    """Raise what is wrong in the same words everywhere: it is wrong with the question."""
    errors = [error for scene in scenes for _, error in scene.errors]
    if errors and not any(scene.found for scene in scenes) and len({str(error) for error in errors}) == 1:
        raise errors[0]


def _say_as_data(scene: _Scene, asked: Asked, is_plain: bool) -> None:
    from derive.presentation.text import as_data

    say_data(as_data(scene.answers[0], asked.digits) if is_plain else scene.data(asked.digits))


def _say_in_lines(answers: Sequence[Answer], digits: int) -> None:
    from derive.presentation.text import headline

    for answer in answers:
        click.echo(headline(answer, digits))


def _say_in_full(answers: Sequence[Answer], digits: int, is_all: bool) -> None:
    """The derivations: of several targets together, of several answers to one target one after the other."""
    from derive.presentation.text import as_text_together

    groups = [[answer] for answer in answers] if is_all else [list(answers)] if answers else []
    for number, group in enumerate(groups):
        if number:
            click.echo()
        say(as_text_together(group, digits), warns_below=True)


def _warn_of(answers: Sequence[Answer]) -> None:
    from derive.presentation.text import cautions_together

    for caution in cautions_together(answers) if answers else ():
        warn(f"{caution}.")


def _each_scene(asked: Asked, is_all: bool) -> int:
    """A row for each turn, a column for each target."""
    from derive.presentation.text import cautions_together

    scenes = [_scene(asked, is_all, turn) for turn in asked.each]
    _prove_various(scenes)
    if asked.as_json:
        say_data({"each": [{**one.turn.data, **one.data(asked.digits)} for one in scenes]})
    else:
        names = {
            target: one.quantity.name for scene in scenes for target, found in scene.found.items() for one in found
        }
        rows = [(one.turn.label, *(_cell(one, *named, asked.digits) for named in names.items())) for one in scenes]
        if names:
            table((heading(asked.each), *names.values()), [("", rows)])
    for scene in scenes:
        label = scene.turn.label
        for caution in cautions_together(scene.answers) if scene.answers else ():
            warn(f"with {label}: {caution}.")
        for _, error in () if asked.as_json else scene.errors:
            warn(f"with {label}: {error}")
    return _status(scenes, asked.strict)


def _cell(scene: _Scene, target: str, name: str, digits: int) -> str:
    """The answers for a target in one scene, without its name."""
    from derive.presentation.text import headline

    told = [headline(one, digits) for one in scene.found.get(target, ())]
    return "; ".join(one.removeprefix(f"{name} = ").removeprefix(f"{name} is ") for one in told) or "-"
