"""The verbs `least`, `most` and `front`: the best choice, and the best ones of two targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from derive.cli.asked import Asked, Turn, value_or_list
from derive.cli.output import say

if TYPE_CHECKING:
    from derive.optimization.optimum import Optimum


def least(asked: Asked, **options: Any) -> int:
    """Find the choice that makes TARGET least: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("least", asked, **options)


def most(asked: Asked, **options: Any) -> int:
    """Find the choice that makes TARGET most: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("most", asked, **options)


def front(asked: Asked, limits: tuple[str, ...], among: tuple[str, ...], points: int) -> int:
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


def _profiles(among: Sequence[str], asked: Asked) -> list[Any]:
    """The choices of profiles, and the profiles that are taken."""
    choices = [tuple(name.strip() for name in text.split(",") if name.strip()) for text in among]
    if not all(choices):
        raise click.UsageError("--among names no profile. Write  --among h100-sxm:fp8,b200-sxm:fp8")
    return [*choices, *asked.profiles]


def _given(asked: Asked) -> dict[str, Any]:
    return {name: value_or_list(text) for name, text in asked.given.items()}


def _best(sense: str, asked: Asked, limits: tuple[str, ...], among: tuple[str, ...], steps: bool, ranges: bool) -> int:
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
    asked: Asked, optimum: Optimum, given: dict[str, Any], limits: tuple[str, ...], steps: bool, ranges: bool
) -> int:
    """Print the optimum that a command asks for in full."""
    from derive.optimization import under_ranges
    from derive.optimization.optimum import charts

    document = optimum._document(asked.digits)
    fares = optimum.under_ranges() if ranges else None

    def text() -> None:
        say(document.text)
        if steps:
            click.echo(f"\n{optimum.answer.text(asked.digits)}")
        if fares:
            click.echo(f"\n{fares.text(asked.digits)}")

    more = {"under_ranges": under_ranges.as_data(fares)} if fares else {}
    drawn = partial(charts, asked.library, optimum, given, limits)
    return asked.tell("best", replace(document, charts=drawn, data=lambda: {**document.data(), **more}), text)
