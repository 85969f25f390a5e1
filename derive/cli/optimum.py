"""The verbs `least`, `most` and `front`: the best choice, and the best ones of two targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from derive.cli.asked import Asked, Turn, asking, is_amiss, value_or_list
from derive.cli.shared import ADD, DIGITS, EACH, IN, INS, JSON, LIBRARY, PICTURE, WITH, profile_names, say

if TYPE_CHECKING:
    from derive.optimization.optimum import Optimum

__all__ = ["front", "least", "most"]

_EXAMPLE = (
    'Example:  derive {} {} batch="1..4096 sequence" chips="8 chip, 16 chip" context="8 ktoken/sequence" '
    '--with llama3-70b --among h100-sxm:fp8,b200-sxm:fp8 --such-that "user_speed >= 20 token/s/sequence"'
)
_GIVEN = "NAME=LOW..HIGH [NAME=VALUE,VALUE ...] [NAME=VALUE ...]"
_CHOOSING = (
    click.option("--such-that", "limits", metavar="TEXT", multiple=True, help="A limit, with <= or >=."),
    click.option(
        "--among",
        shell_complete=profile_names,
        metavar="PROFILE,PROFILE",
        multiple=True,
        help="Profiles of which any one may be taken.",
    ),
)
_TELLING = (
    PICTURE,
    DIGITS,
    click.option(
        "--strict", is_flag=True, help="Exit with 1 if the choice is not proved, or as solve does at the choice."
    ),
    JSON,
)
_LIMITED = {"such_that": "write --such-that TEXT"}
_BEST = asking(
    *(*_CHOOSING, WITH, EACH, LIBRARY, ADD, IN, *_TELLING),
    click.option("--steps", is_flag=True, help="Show the derivation of the answer at the best choice."),
    click.option("--ranges", is_flag=True, help="Show how the choices fare where ranges turn out otherwise."),
    given=_GIVEN,
    settings=_LIMITED,
)


@click.command(epilog=_EXAMPLE.format("least", "cost_per_token"))
@_BEST
def least(asked: Asked, **options: Any) -> int:
    """Find the choice that makes TARGET least: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("least", asked, **options)


@click.command(epilog=_EXAMPLE.format("most", "user_speed"))
@_BEST
def most(asked: Asked, **options: Any) -> int:
    """Find the choice that makes TARGET most: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _best("most", asked, **options)


@click.command(epilog=_EXAMPLE.format("front", "cost_per_token,user_speed"))
@asking(
    *(*_CHOOSING, WITH, LIBRARY, ADD, INS, *_TELLING),
    click.option("--points", type=click.IntRange(min=2), default=12, metavar="N", help="Points of the front (12)."),
    target="TARGET,TARGET",
    given=_GIVEN,
    settings={**_LIMITED, "points": "write --points N"},
)
def front(asked: Asked, limits: tuple[str, ...], among: tuple[str, ...], points: int) -> int:
    """Find the choices of which no other is better in both targets: LOW..HIGH and lists are free to choose.

    A rate is to be most, unless it is one of money, and everything else least; "most NAME" says otherwise.
    """
    from derive.optimization.front import as_data, cautions, charts

    if len(asked.targets) != 2:
        told = ", ".join(asked.targets)
        raise click.UsageError(f"A front has two targets, such as cost_per_token,user_speed, and {told} is not two.")
    found = asked.library.front(
        asked.targets, *_profiles(among, asked), such_that=limits, points=points, **_given(asked)
    )
    return asked.tell(
        "best",
        charts=lambda: charts(found),
        data=lambda: as_data(found),
        text=lambda: click.echo(found.text(asked.digits)),
        cautions=lambda: cautions(found, asked.digits),
        is_amiss=not found.proved or is_amiss(found),
    )


def _profiles(among: Sequence[str], asked: Asked) -> list[Any]:
    """The choices of profiles, and the profiles that are taken."""
    choices = [tuple(name.strip() for name in text.split(",") if name.strip()) for text in among]
    if not all(choices):
        raise click.UsageError("--among names no profile. Write  --among h100-sxm:fp8,b200-sxm:fp8")
    return [*choices, *asked.profiles]


def _given(asked: Asked) -> dict[str, Any]:
    return {name: value_or_list(text) for name, text in asked.given.items()}


def _best(sense: str, asked: Asked, limits: tuple[str, ...], among: tuple[str, ...], steps: bool, ranges: bool) -> int:
    profiles, given = _profiles(among, asked), _given(asked)
    if (steps or ranges) and asked.output == "-":
        raise click.UsageError("-o - prints the picture alone: leave out --steps and --ranges, or name a file.")
    verb = getattr(asked.library, sense)

    def found_for(turn: Turn) -> Optimum:
        best: Optimum = verb(asked.target, *turn.profiles, *profiles, such_that=limits, **given, **turn.given)
        return best

    if not asked.each:
        return _one_best(asked, found_for(Turn()), given, limits, steps, ranges)
    if steps or ranges:
        raise click.UsageError("--each prints a table: leave out --steps and --ranges, or name one profile.")
    from derive.optimization.optimum import as_data, beside_each_other
    from derive.optimization.optimum_charts import bars_of_each
    from derive.presentation.charts import holding

    return asked.tell_each(
        "best",
        found_for,
        charts=lambda found: holding([bars_of_each(found)], asked.profiles, asked.given),
        data=lambda one: as_data(one, asked.digits),
        rows=lambda found: beside_each_other(found, asked.digits),
        cautions=_cautions,
        is_amiss=_is_amiss,
    )


def _one_best(
    asked: Asked, found: Optimum, given: dict[str, Any], limits: tuple[str, ...], steps: bool, ranges: bool
) -> int:
    """The best choice in full."""
    from derive.optimization import under_ranges
    from derive.optimization.optimum import as_data
    from derive.optimization.optimum_charts import charts

    over = found.under_ranges() if ranges else None

    def told() -> None:
        say(found.text(asked.digits))
        if steps:
            click.echo(f"\n{found.answer.text(asked.digits)}")
        if over:
            click.echo(f"\n{over.text(asked.digits)}")

    more = {"under_ranges": under_ranges.as_data(over)} if over else {}
    return asked.tell(
        "best",
        charts=lambda: charts(asked.library, found, given, limits),
        data=lambda: {**as_data(found, asked.digits), **more},
        text=told,
        cautions=lambda: _cautions(found),
        is_amiss=_is_amiss(found),
    )


def _cautions(found: Optimum, of: str = "") -> Iterator[str]:
    from derive.presentation.failed_checks import cautions

    for caution in cautions(found.answer):
        yield f"{of}: {caution}" if of else caution


def _is_amiss(found: Optimum) -> bool:
    """Whether the choice is not proved, or something is amiss with its answer."""
    return not found.proved or is_amiss(found.answer)
