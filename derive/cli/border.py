"""The verb `border`: where regimes end."""

from __future__ import annotations

import click

from derive.cli import shell_completion
from derive.cli.shared import (
    ADD,
    DIGITS,
    JSON,
    LIBRARY,
    PICTURE,
    WITH,
    givens,
    opened,
    output_ending,
    put_picture,
    say,
    say_data,
)

__all__ = ["border"]


@click.command(
    epilog='Example:  derive border step_time batch="1..4096 sequence" context="0.1..100 ktoken/sequence" '
    'chips="8 chip" --with h100-sxm:fp8 --with llama3-70b -o map.svg'
)
@click.argument("target", shell_complete=shell_completion.targets)
@click.argument(
    "given", nargs=-1, shell_complete=shell_completion.given, metavar="NAME=LOW..HIGH [NAME=LOW..HIGH] [NAME=VALUE ...]"
)
@WITH
@LIBRARY
@ADD
@PICTURE
@DIGITS
@JSON
def border(  # click hands over each option by itself
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    output: str | None,
    digits: int | None,
    as_json: bool,
) -> int:
    """Find where along one or two ranges another arm binds for TARGET, or a check ceases to hold.

    Each border is told in closed form where it has one. The map shows regions, borders and levels of TARGET.
    """
    from derive.borders.border_text import as_data
    from derive.presentation.numbers import DIGITS as USUAL

    output_ending(output)
    read = givens(given)
    over = [name for name, text in read.items() if ".." in text]
    if not over:
        raise click.UsageError(
            'There is no range. Write one as  NAME="LOW..HIGH UNIT", such as  batch="1..4096 sequence"'
        )
    found = opened(replaced, added).border(target, *profiles, over=over, **read)
    if output is not None:
        put_picture(output, "border", found.charts)
    if as_json:
        say_data(as_data(found))
    elif output != "-":
        say(found.text(digits or USUAL))
    return 0
