"""The verb `solve`: one question or several, of one set of profiles or of each of several."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.cli import shell_completion
from derive.cli.asked import Turn, as_targets, each_of, givens, heading, in_units, prove_single
from derive.cli.saved_questions import SavedQuestion
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
    opened,
    prove_writable,
    put,
    say,
    say_data,
    table,
    warn,
    writes,
)

if TYPE_CHECKING:
    from derive.errors import DeriveError
    from derive.library import Library
    from derive.solving.execution.answer import Answer

__all__ = ["solve"]


@click.command(
    epilog='Example:  derive solve period length="0.994 m" gravity="9.81 m/s**2" --library pendulum.toml\n\n'
    'Example:  derive solve "step_time, weight_bytes/chips in GB/chip" batch="64 sequence" chips="8 chip" '
    'context="8 ktoken/sequence" --with llama3-70b --each h100-sxm:fp8,b200-sxm:fp8'
)
@click.argument("target", required=False, shell_complete=shell_completion.targets, metavar="TARGET[,TARGET]")
@click.argument("given", nargs=-1, shell_complete=shell_completion.given, metavar="[NAME=VALUE ...]")
@WITH
@EACH
@LIBRARY
@ADD
@INS
@click.option("--all", "is_all", is_flag=True, help="Every admissible answer: roots, regimes, bounds.")
@click.option("--steps", is_flag=True, help="Show the derivation (the default on a terminal).")
@click.option("--latex", "as_latex", is_flag=True, help="Print the derivation in LaTeX.")
@writes(
    "--save",
    "kept",
    metavar="FILE.toml",
    help="Keep the question, with its answer, in a file.",
)
@click.option(
    "--from",
    "taken",
    shell_complete=shell_completion.files,
    metavar="FILE.toml",
    help="Ask a saved question again; what stands beside it counts more.",
)
@DIGITS
@STRICT
@JSON
def solve(target: str | None, given: tuple[str, ...], unit: str | None, **options: Any) -> int:
    """Answer TARGET from what is given: a quantity, an expression such as weight_bytes/chips, or several.

    What does not hold, a given that plays no part, and what is assumed or left out and moves the answer by more than a
    tenth, is said on the standard error. A unit may stand behind each
    target too, as in "step_time in ms".
    """
    kept, taken = options.pop("kept"), options.pop("taken")
    if taken and target and "=" in target:  # a given: the target is in the file
        given, target = (target, *given), None
    if not taken and not target:
        raise click.UsageError("There is no TARGET. Name what you want to know, or a saved question with --from.")
    if options["as_json"] and options["as_latex"]:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    read = givens(given)
    prove_single(read, has_each=True)
    if kept:
        prove_writable(kept)
    question = _question(as_targets(target) if target else [], unit, read, taken, options)
    if kept and (kept == "-" or "-" in (question.library, *question.added)):
        raise click.UsageError("--save keeps names of files: what comes from the standard input has none.")
    asked = _Asked(question, **options)
    if asked.each:
        status, saved = _each_scene(asked), question
    else:
        status, saved = _one_scene(asked)
    if kept:
        put(kept, saved.text(Path(kept).parent))
    return status


def _question(
    targets: list[str], unit: str | None, given: dict[str, str], taken: str | None, options: dict[str, Any]
) -> SavedQuestion:
    """What is asked, on the command line and in a saved question."""
    lists = {
        "profiles": options.pop("profiles"),
        "each": options.pop("each"),
        "added": options.pop("added"),
        "library": options.pop("replaced"),
    }
    before = SavedQuestion.read(taken) if taken else SavedQuestion()
    asked = before.but(in_units(targets, unit) if targets else [], given, **lists)
    if unit is not None and not targets:
        from derive.model.asked_expressions import split_unit

        bare = [split_unit(one)[0] for one in asked.target]
        asked = replace(asked, target=tuple(in_units(bare, unit)), answers={})
    if not asked.target:
        raise click.UsageError(f"{taken!r} is no saved question: it has no target.")
    return asked


@dataclass(frozen=True)
class _Scene:
    """One turn of a question, and its answers or the errors in their places."""

    turn: Turn
    found: dict[str, Sequence[Answer]]  # by target
    errors: tuple[tuple[str, DeriveError], ...]  # with the target that has no answer

    @property
    def answers(self) -> list[Answer]:
        return [answer for answers in self.found.values() for answer in answers]

    def data(self, digits: int) -> dict[str, Any]:
        from derive.presentation.text import as_data

        refused = [{"target": target, **error_data(error)} for target, error in self.errors]
        return {"answers": [as_data(one, digits) for one in self.answers], "errors": refused}


class _Asked:
    """The options of a question, read."""

    def __init__(  # click hands over each option by itself
        self,
        question: SavedQuestion,
        is_all: bool,
        steps: bool,
        as_latex: bool,
        digits: int | None,
        strict: bool,
        as_json: bool,
    ) -> None:
        from derive.presentation.numbers import DIGITS as USUAL

        self.question, self.targets = question, question.target
        self.given, self.profiles = question.given, question.profiles
        self.each = each_of(question.each, question.given)
        self.library: Library = opened(question.library, question.added)
        self.is_all, self.steps, self.as_latex, self.as_json = is_all, steps, as_latex, as_json
        self.stated_digits, self.digits, self.strict = digits, digits or USUAL, strict
        if self.each and (as_latex or steps):
            raise click.UsageError("--each prints a table: leave out --steps and --latex, or name one profile.")

    def scene(self, turn: Turn = Turn(), is_patient: bool = True) -> _Scene:  # noqa: B008  # frozen
        """All targets in one turn; an error takes the place of an answer where there are others to give."""
        from derive.errors import DeriveError

        found: dict[str, Sequence[Answer]] = {}
        errors: list[tuple[str, DeriveError]] = []
        profiles, given = (*turn.profiles, *self.profiles), {**self.given, **turn.given}
        for target in self.targets:
            try:
                if self.is_all:
                    found[target] = self.library.solve_all(target, *profiles, **given)
                else:
                    found[target] = [self.library.solve(target, *profiles, **given)]
            except DeriveError as error:
                if not is_patient:
                    raise
                errors.append((target, error))
        return _Scene(turn, found, tuple(errors))

    def status(self, scenes: Sequence[_Scene]) -> int:
        """The exit status: 2 or 1 for an error as if it stood alone, and 1 for what is amiss, if that is strict."""
        from derive.errors import NOES

        errors = [error for scene in scenes for _, error in scene.errors]
        if errors:
            return 1 if all(isinstance(error, NOES) for error in errors) else 2
        answers = [answer for scene in scenes for answer in scene.answers]
        return 1 if self.strict and any(one.failed or one.unused or one.remarks for one in answers) else 0


def _one_scene(asked: _Asked) -> tuple[int, SavedQuestion]:
    """Answer all targets in full, in LaTeX, as data, or in a line each; returns the status, and what may be saved."""
    from derive.presentation.text import as_data, cautions_together, headline

    scene = asked.scene(is_patient=len(asked.targets) > 1)
    _prove_various([scene])
    in_full = not (asked.as_json or asked.as_latex) and (asked.steps or sys.stdout.isatty())
    if asked.as_json:
        is_plain = len(asked.targets) == 1 and not asked.is_all
        say_data(as_data(scene.answers[0], asked.digits) if is_plain else scene.data(asked.digits))
    elif asked.as_latex:
        for answer in scene.answers:
            click.echo(answer.latex(asked.stated_digits), nl=False)
    elif in_full:
        _say_in_full(scene.answers, asked)
    else:
        for answer in scene.answers:
            click.echo(headline(answer, asked.digits))
    if scene.answers and not (in_full and sys.stdout.isatty()):  # there the cautions are below the headline already
        for caution in cautions_together(scene.answers):
            warn(f"{caution}.")
    for _, error in () if asked.as_json else scene.errors:
        complain(error)
    for change in asked.question.changes(scene.answers):
        warn(f"{change}.")
    return asked.status([scene]), asked.question if asked.is_all else asked.question.answered(scene.answers)


def _prove_various(scenes: Sequence[_Scene]) -> None:
    """Raise what is wrong in the same words everywhere: it is wrong with the question."""
    errors = [error for scene in scenes for _, error in scene.errors]
    if errors and not any(scene.found for scene in scenes) and len({str(error) for error in errors}) == 1:
        raise errors[0]


def _say_in_full(answers: Sequence[Answer], asked: _Asked) -> None:
    """The derivations: of several targets together, of several answers to one target one after the other."""
    from derive.presentation.text import as_text_together

    groups = [[answer] for answer in answers] if asked.is_all else [list(answers)] if answers else []
    for number, group in enumerate(groups):
        if number:
            click.echo()
        say(as_text_together(group, asked.digits), warns_below=True)


def _each_scene(asked: _Asked) -> int:
    """A row for each turn, a column for each target."""
    from derive.presentation.text import cautions_together

    scenes = [asked.scene(turn) for turn in asked.each]
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
    return asked.status(scenes)


def _cell(scene: _Scene, target: str, name: str, digits: int) -> str:
    """The answers for a target in one scene, without its name."""
    from derive.presentation.text import headline

    told = [headline(one, digits) for one in scene.found.get(target, ())]
    return "; ".join(one.removeprefix(f"{name} = ").removeprefix(f"{name} is ") for one in told) or "-"
