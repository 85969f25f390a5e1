"""The verbs `least`, `most` and `front`: the best choice, and the best ones of two targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from derive.cli import shell_completion
from derive.cli.shared import (
    ADD,
    DIGITS,
    JSON,
    LIBRARY,
    PICTURE,
    WITH,
    as_targets,
    givens,
    listed_values,
    opened,
    output_ending,
    put_picture,
    say,
    say_data,
)

__all__ = ["front", "least", "most"]

_EXAMPLE = (
    'Example:  derive {} {} batch="1..4096 sequence" chips="8 chip, 16 chip" context="8 ktoken/sequence" '
    '--with llama3-70b --among h100-sxm:fp8,b200-sxm:fp8 --such-that "user_speed >= 20 token/s/sequence"'
)


def _options(verb: Callable[..., int]) -> Callable[..., int]:
    """The arguments and options of a best choice."""
    for option in reversed(
        (
            click.argument(
                "given",
                nargs=-1,
                shell_complete=shell_completion.given,
                metavar="NAME=LOW..HIGH [NAME=VALUE,VALUE ...] [NAME=VALUE ...]",
            ),
            click.option("--such-that", "limits", metavar="TEXT", multiple=True, help="A limit, with <= or >=."),
            click.option(
                "--among",
                shell_complete=shell_completion.profiles,
                metavar="PROFILE,PROFILE",
                multiple=True,
                help="Profiles of which any one may be taken.",
            ),
            WITH,
            LIBRARY,
            ADD,
            PICTURE,
            DIGITS,
            click.option("--strict", is_flag=True, help="Exit with 1 if the choice is not proved to be the best."),
            JSON,
        )
    ):
        verb = option(verb)
    return verb


_STEPS = click.option("--steps", is_flag=True, help="Show the derivation of the answer at the best choice.")
_RANGES = click.option("--ranges", is_flag=True, help="Show how the choices fare where ranges turn out otherwise.")


@click.command(epilog=_EXAMPLE.format("least", "cost_per_token"))
@click.argument("target", shell_complete=shell_completion.targets)
@_options
@_STEPS
@_RANGES
def least(target: str, steps: bool, ranges: bool, **options: Any) -> int:
    """Find the choice that makes TARGET least: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("least", target, steps, ranges, **options)


@click.command(epilog=_EXAMPLE.format("most", "user_speed"))
@click.argument("target", shell_complete=shell_completion.targets)
@_options
@_STEPS
@_RANGES
def most(target: str, steps: bool, ranges: bool, **options: Any) -> int:
    """Find the choice that makes TARGET most: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("most", target, steps, ranges, **options)


@click.command(epilog=_EXAMPLE.format("front", "cost_per_token,user_speed"))
@click.argument("targets", shell_complete=shell_completion.targets, metavar="TARGET,TARGET")
@_options
@click.option("--points", type=click.IntRange(min=2), default=12, metavar="N", help="Points of the front (12).")
def front(targets: str, points: int, **options: Any) -> int:
    """Find the choices of which no other is better in both targets: LOW..HIGH and lists are free to choose.

    A rate is to be most, unless it is one of money, and everything else least; "most NAME" says otherwise.
    """
    from derive.optimization.front_text import as_data, as_text, charts

    asked = _Asked(**options)
    names = as_targets(targets)
    found = asked.library.front(names, *asked.profiles, such_that=asked.limits, points=points, **asked.given)
    asked.draw(lambda: charts(found))
    if asked.as_json:
        say_data(as_data(found))
    elif asked.output != "-":
        click.echo(as_text(found, asked.digits))
    return 1 if asked.strict and not found.proved else 0


def _best(sense: str, target: str, steps: bool, ranges: bool, **options: Any) -> int:
    from derive.optimization.optimum_charts import charts
    from derive.optimization.optimum_text import as_data, under_ranges_data

    asked = _Asked(**options)
    verb = getattr(asked.library, sense)
    found = verb(target, *asked.profiles, such_that=asked.limits, **asked.given)
    asked.draw(lambda: charts(asked.library, found, asked.given))
    over = found.under_ranges() if ranges else None
    if asked.as_json:
        say_data({**as_data(found, asked.digits), **({"under_ranges": under_ranges_data(over)} if over else {})})
    elif asked.output != "-":
        say(found.text(asked.digits))
        if steps:
            click.echo(f"\n{found.answer.text(asked.digits)}")
        if over:
            click.echo(f"\n{over.text(asked.digits)}")
    return 1 if asked.strict and not found.proved else 0


class _Asked:
    """The options of a best choice, read."""

    def __init__(  # noqa: PLR0913, PLR0917  # click hands over each option by itself
        self,
        given: tuple[str, ...],
        limits: tuple[str, ...],
        among: tuple[str, ...],
        profiles: tuple[str, ...],
        replaced: str | None,
        added: tuple[str, ...],
        output: str | None,
        digits: int | None,
        strict: bool,
        as_json: bool,
    ) -> None:
        from derive.presentation.numbers import DIGITS as USUAL

        output_ending(output)
        self.library = opened(replaced, added)
        choices = [tuple(name.strip() for name in text.split(",") if name.strip()) for text in among]
        self.profiles = [*choices, *profiles]
        self.given = {name: _read(text) for name, text in givens(given).items()}
        self.limits, self.output, self.digits = limits, output, digits or USUAL
        self.strict, self.as_json = strict, as_json

    def draw(self, charts: Callable[[], Any]) -> None:
        """Write the picture, where one is asked for."""
        if self.output is not None:
            put_picture(self.output, "best", charts())


def _read(text: str) -> Any:
    """A given: a list where there are commas, otherwise a value or a range."""
    return text if ".." in text else listed_values(text) or text
