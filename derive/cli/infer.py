"""The verb `infer`: what price sheets imply."""

from __future__ import annotations

from pathlib import Path

import click

from derive.cli.asked import givens
from derive.cli.shared import DIGITS, JSON, WITH, profile_names, say_data, source_of

__all__ = ["infer"]


@click.command(epilog="Example:  derive infer gemini-2-5-pro-prices --with h200-sxm:fp8 --with deepseek-v3")
@click.argument("words", nargs=-1, shell_complete=profile_names, metavar="[SHEET] [NAME=VALUE ...]")
@WITH
@click.option("--steps", is_flag=True, help="Show each derivation, what it assumes and what would refute it.")
@DIGITS
@JSON
def infer(words: tuple[str, ...], profiles: tuple[str, ...], steps: bool, digits: int | None, as_json: bool) -> int:
    """Say what the prices of SHEET imply, a file or a name; without one, of all sheets side by side."""
    from derive.presentation.text import columns
    from derive.tokens.price_sheets import oracle, text

    named = [word for word in words if "=" not in word or Path(word).is_file()]
    if len(named) > 1:
        raise click.UsageError(f"{named[1]!r} is not NAME=VALUE, and {named[0]!r} is already the sheet.")
    stated = givens([word for word in words if word not in named])
    many = tuple(oracle.infer(_sheet(source), *profiles, **stated) for source in named) or oracle.survey(
        *profiles, **stated
    )
    if as_json:
        data = [text.as_data(found) for found in many]
        say_data(data[0] if named else data)
        return 0 if any(found.conclusions for found in many) else 1
    shown = digits or text.DIGITS
    rows = text.side_by_side(many, shown)
    click.echo(text.as_text(many[0], shown) if named else "\n".join(columns(rows)))
    if steps:
        click.echo("\n\n" + "\n\n\n".join(text.as_steps(found, digits) for found in many))
    return 0 if any(found.conclusions for found in many) else 1


def _sheet(name: str) -> str | Path:
    """The name of a price sheet or of its file; the text on the standard input for `-`."""
    return source_of(name) if name == "-" else name
