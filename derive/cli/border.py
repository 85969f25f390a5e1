"""The verb `border`: where regimes end."""

from __future__ import annotations

import click

from derive.cli.asked import Asked, asking, prove_single
from derive.cli.shared import ADD, DIGITS, IN, JSON, LIBRARY, PICTURE, WITH, say

__all__ = ["border"]


@click.command(
    epilog='Example:  derive border step_time batch="1..4096 sequence" context="0.1..100 ktoken/sequence" '
    'chips="8 chip" --with h100-sxm:fp8 --with llama3-70b -o map.svg'
)
@asking(
    *(WITH, LIBRARY, ADD, IN, PICTURE, DIGITS, JSON),
    given="NAME=LOW..HIGH [NAME=LOW..HIGH] [NAME=VALUE ...]",
    settings={"over": "a border is drawn over the givens that are ranges"},
)
def border(asked: Asked) -> int:
    """Find where along one or two ranges another arm binds for TARGET, or a check ceases to hold.

    Each border is told in closed form where it has one. The map shows regions, borders and levels of TARGET.
    """
    from derive.borders.border_text import as_data

    over = [name for name, text in asked.given.items() if ".." in text]
    if not over:
        raise click.UsageError(
            'There is no range. Write one as  NAME="LOW..HIGH UNIT", such as  batch="1..4096 sequence"'
        )
    if len(over) > 2:
        raise click.UsageError(
            f"{', '.join(over)} are ranges: a border is drawn over one or two. Give the others one value each."
        )
    prove_single(asked.given)
    found = asked.library.border(asked.target, *asked.profiles, over=over, **asked.given)
    asked.draw("border", lambda: found.charts)
    asked.tell(lambda: as_data(found), lambda: say(found.text(asked.digits)))
    return 0
