"""The verbs that ask a question: `solve` for numbers, `formula` and `reach` for what needs none, `least`, `most` and
`front` for the best choice.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from derive.cli.output import complain, error_data, say, say_data, table, warn
from derive.cli.request import Request, Turn, heading, prove_single, status_of, value_or_list

if TYPE_CHECKING:
    from derive.errors import DeriveError
    from derive.optimization.optimum import Optimum
    from derive.solving.execution.answer import Answer


def solve(asked: Request, is_all: bool, steps: bool, as_latex: bool) -> int:
    """Answer TARGET from what is given: a quantity, an expression such as weight_bytes/chips, or several.

    What does not hold, a given that plays no part, and what is assumed or left out and moves the answer by more
    than a tenth, is said on the standard error. A unit may stand behind each
    target too, as in "step_time in ms".
    """
    from derive.presentation.cautions import is_amiss

    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    if asked.each and (as_latex or steps):
        raise click.UsageError("--each prints a table: leave out --steps and --latex, or name one profile.")
    prove_single(asked.given, has_each=True)
    results = [_answers_in(asked, turn, is_all) for turn in asked.turns]
    errors = list(chain.from_iterable(result.refused.values() for result in results))
    status = status_of(errors, is_answered=any(result.answered for result in results))
    if asked.each:
        _say_beside_each_other(results, asked)
    else:
        _say(results[0], asked, is_all=is_all, steps=steps, as_latex=as_latex)
    answers = chain.from_iterable(result.answers for result in results)
    return status or int(asked.strict and is_amiss(*answers))


def _say(result: _TurnAnswers, asked: Request, is_all: bool, steps: bool, as_latex: bool) -> None:
    """Print all that a solving command finds without turns."""
    from derive.presentation.plain_data import answer_data
    from derive.presentation.text import as_text, headline

    in_full = not (asked.as_json or as_latex) and (steps or sys.stdout.isatty())
    if asked.as_json:
        is_plain = len(asked.targets) == 1 and not is_all
        say_data(answer_data(result.answers[0], asked.digits) if is_plain else result.data(asked.digits))
    elif as_latex:
        for answer in result.answers:
            click.echo(answer.latex(asked.stated_digits), nl=False)
    elif in_full:  # several targets together, several answers to one target one after the other
        groups = [[answer] for answer in result.answers] if is_all else [result.answers]
        for number, group in enumerate(filter(None, groups)):
            if number:
                click.echo()
            say(as_text(group, asked.digits), warns_below=True)
    else:
        for answer in result.answers:
            click.echo(headline(answer, asked.digits))
    if not (in_full and sys.stdout.isatty()):  # there the cautions are below the headline already
        _warn_of(result)
    if not asked.as_json:
        doubts = result.doubts if is_all else ()
        for doubt in doubts:
            warn(f"{doubt}.")
        for error in result.refused.values():
            complain(error)


@dataclass(frozen=True)
class _TurnAnswers:
    """All targets in one turn: the answers for each, or the error in their place."""

    turn: Turn
    answered: Mapping[str, Sequence[Answer]]
    refused: Mapping[str, DeriveError]

    @property
    def answers(self) -> list[Answer]:
        return list(chain.from_iterable(self.answered.values()))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the answers that `derive solve` lists in one turn may lack some."""
        notes = chain.from_iterable(answer.stated_assumptions for answer in self.answers)
        return tuple(dict.fromkeys(note.text for note in notes if note.kind == "unproved"))

    def data(self, digits: int) -> dict[str, Any]:
        from derive.presentation.plain_data import answer_data

        refused = [{"target": target, **error_data(error)} for target, error in self.refused.items()]
        return {"answers": [answer_data(answer, digits) for answer in self.answers], "errors": refused}

    def text(self, target: str, digits: int) -> str:
        """The text of a solving command's answers for a target without their name; a dash where there is none."""
        from derive.presentation.text import headline

        texts = []
        for answer in self.answered.get(target, ()):
            name = answer.quantity.name
            texts.append(headline(answer, digits).removeprefix(f"{name} = ").removeprefix(f"{name} is "))
        return "; ".join(texts) or "-"


def _answers_in(asked: Request, turn: Turn, is_all: bool) -> _TurnAnswers:
    """Solve for all targets of a command in one turn."""
    from derive.errors import DeriveError

    profiles, given = asked.at(turn)
    answers: dict[str, Sequence[Answer]] = {}
    refused: dict[str, DeriveError] = {}
    for target in asked.targets:
        try:
            if is_all:
                answers[target] = asked.library.solve_all(target, *profiles, **given)
            else:
                answers[target] = [asked.library.solve(target, *profiles, **given)]
        except DeriveError as error:
            refused[target] = error
    return _TurnAnswers(turn, answers, refused)


def _warn_of(result: _TurnAnswers, beginning: str = "") -> None:
    """Say on the standard error what is amiss with the answers of `derive solve` in one turn."""
    from derive.presentation.text import cautions_together

    for caution in cautions_together(result.answers) if result.answers else ():
        warn(f"{beginning}{caution}.")


def _say_beside_each_other(results: Sequence[_TurnAnswers], asked: Request) -> None:
    """Print the answers of `derive solve` beside each other: a row for each turn, a column for each target."""
    if asked.as_json:
        say_data({"each": [{**result.turn.data, **result.data(asked.digits)} for result in results]})
    else:
        answered = chain.from_iterable(result.answered.items() for result in results)
        names = {target: answers[-1].quantity.name for target, answers in answered if answers}
        if names:
            rows = [(result.turn.label, *(result.text(target, asked.digits) for target in names)) for result in results]
            table((heading(asked.each), *names.values()), [("", rows)])
    for result in results:
        _warn_of(result, f"with {result.turn.label}: ")
        if not asked.as_json:  # there the errors are among the data
            for error in result.refused.values():
                warn(f"with {result.turn.label}: {error}")


def formula(asked: Request, as_latex: bool) -> int:
    """Print TARGET in closed form in terms of the names given; what profiles and defaults state stays a name.

    It holds in coherent base units, which are listed below it.
    """
    from derive.expressions.sympy_bridge import from_sympy
    from derive.expressions.tree import names_in, render
    from derive.model.target_expressions import asking as asked_of
    from derive.presentation import mathematics

    if asked.as_json and as_latex:
        raise click.UsageError("--json and --latex both print on the standard output. Leave one out.")
    asked.refuse_values("a formula is in terms of names, and takes no numbers")
    node, _ = from_sympy(asked.library.formula(asked.target, asked.names, profiles=asked.profiles))
    library, name = asked_of(asked.library, asked.target)
    names = dict.fromkeys((name, *names_in(node)))
    units = {quantity: str(library.declared[quantity].dimension) or "1" for quantity in names}
    if as_latex:
        letters = mathematics.letters_of(library.declared)
        click.echo(f"{letters(name)} = {mathematics.expression(node, letters)}")
    elif asked.as_json:
        say_data({"target": name, "formula": render(node), "units": units})
    else:
        click.echo(f"{name} = {render(node)}\n")
        rows = [(quantity, unit, library.declared[quantity].meaning) for quantity, unit in units.items()]
        table(("quantity", "in", "meaning"), [("", rows)])
    return 0


def reach(asked: Request) -> int:
    """List every quantity that the names given, profiles and defaults determine."""
    reached = asked.library.reach(asked.names, profiles=asked.profiles)
    listed = [quantity for name, quantity in asked.library.declared.items() if name in reached]
    if asked.as_json:
        say_data({"given": asked.names, "determined": [quantity.name for quantity in listed]})
    elif listed:
        rows = [(quantity.name, str(quantity.unit), quantity.meaning) for quantity in listed]
        table(("quantity", "unit", "meaning"), [("", rows)])
    else:
        click.echo("Nothing is determined.")
    return 0


def least(asked: Request, **options: Any) -> int:
    """Find the choice that makes TARGET least: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("least", asked, **options)


def most(asked: Request, **options: Any) -> int:
    """Find the choice that makes TARGET most: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("most", asked, **options)


def front(asked: Request, limits: tuple[str, ...], among: tuple[str, ...], points: int) -> int:
    """Find the choices of which no other is better in both targets: LOW..HIGH and lists are free to choose.

    A rate is to be most, unless it is one of money, and everything else least; "most NAME" says otherwise.
    """
    if len(asked.targets) != 2:
        typed = ", ".join(asked.targets)
        raise click.UsageError(f"A front has two targets, such as cost_per_token,user_speed, and {typed} is not two.")
    best_choices = asked.library.front(
        asked.targets, *_profiles(among, asked), such_that=limits, points=points, **_given(asked)
    )
    return asked.tell("best", best_choices._document(asked.digits))


def _profiles(among: Sequence[str], asked: Request) -> list[Any]:
    """The profiles for the best choice: one to be chosen of each `--among`, then those that are taken."""
    choices = [tuple(name.strip() for name in text.split(",") if name.strip()) for text in among]
    if not all(choices):
        raise click.UsageError("--among names no profile. Write  --among h100-sxm:fp8,b200-sxm:fp8")
    return [*choices, *asked.profiles]


def _given(asked: Request) -> dict[str, Any]:
    return {name: value_or_list(text) for name, text in asked.given.items()}


def _best(
    sense: str, asked: Request, limits: tuple[str, ...], among: tuple[str, ...], steps: bool, ranges: bool
) -> int:
    """Find for a command the choice that makes the target least or most: once, or for each turn as a table."""
    profiles, given = _profiles(among, asked), _given(asked)
    if (steps or ranges) and asked.output == "-":
        raise click.UsageError("-o - prints the picture alone: leave out --steps and --ranges, or name a file.")
    verb = getattr(asked.library, sense)

    def find(turn: Turn) -> Optimum:
        best: Optimum = verb(asked.target, *turn.profiles, *profiles, such_that=limits, **given, **turn.given)
        return best

    if not asked.each:
        return _one_best(asked, find(Turn()), given, limits, steps=steps, ranges=ranges)
    if steps or ranges:
        raise click.UsageError("--each prints a table: leave out --steps and --ranges, or name one profile.")
    from derive.optimization.optimum import bars_of_each, beside_each_other
    from derive.presentation.charts import holding

    return asked.tell_each(
        "best",
        find,
        charts=lambda optima: holding([bars_of_each(optima)], asked.profiles, asked.given),
        rows=lambda optima: beside_each_other(optima, asked.digits),
    )


def _one_best(
    asked: Request, optimum: Optimum, given: dict[str, Any], limits: tuple[str, ...], steps: bool, ranges: bool
) -> int:
    """Print the best choice that `derive least` or `derive most` finds in full."""
    from derive.optimization import choices_under_ranges
    from derive.optimization.optimum import charts

    document = optimum._document(asked.digits)
    fares = optimum.under_ranges() if ranges else None

    def text() -> None:
        say(document.text)
        if steps:
            click.echo(f"\n{optimum.answer.text(asked.digits)}")
        if fares:
            click.echo(f"\n{fares.text(asked.digits)}")

    more = {"under_ranges": choices_under_ranges.as_data(fares)} if fares else {}
    drawn = partial(charts, asked.library, optimum, given, limits)
    return asked.tell("best", replace(document, charts=drawn, data=lambda: {**document.data(), **more}), text)
