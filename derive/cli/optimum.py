"""The verbs `least` and `most`: the best choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from derive.cli.shared import ADD, DIGITS, JSON, LIBRARY, WITH, givens, opened, say_data

__all__ = ["least", "most"]

_EXAMPLE = (
    'Example:  derive {} {} batch="1..4096 sequence" chips="8 chip, 16 chip" context="8 ktoken/sequence" '
    '--with llama3-70b --among h100-sxm:fp8,b200-sxm:fp8 --such-that "user_speed >= 20 token/s/sequence"'
)


def _options(verb: Callable[..., int]) -> Callable[..., int]:
    """The arguments and options of a best choice."""
    for option in reversed(
        (
            click.argument("given", nargs=-1, metavar="NAME=LOW..HIGH [NAME=VALUE,VALUE ...] [NAME=VALUE ...]"),
            click.option("--such-that", "limits", metavar="TEXT", multiple=True, help="A limit, with <= or >=."),
            click.option(
                "--among", metavar="PROFILE,PROFILE", multiple=True, help="Profiles of which any one may be taken."
            ),
            WITH,
            LIBRARY,
            ADD,
            click.option("--steps", is_flag=True, help="Show the derivation of the answer at the best choice."),
            DIGITS,
            click.option("--strict", is_flag=True, help="Exit with 1 if the choice is not proved to be the best."),
            JSON,
        )
    ):
        verb = option(verb)
    return verb


@click.command(epilog=_EXAMPLE.format("least", "cost_per_token"))
@click.argument("target")
@_options
def least(target: str, given: tuple[str, ...], **options: Any) -> int:
    """Find the choice that makes TARGET least: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _found("least", target, given, **options)


@click.command(epilog=_EXAMPLE.format("most", "user_speed"))
@click.argument("target")
@_options
def most(target: str, given: tuple[str, ...], **options: Any) -> int:
    """Find the choice that makes TARGET most: LOW..HIGH and lists are free to choose, a VALUE is a given."""
    return _found("most", target, given, **options)


def _found(  # noqa: PLR0913, PLR0917  # click hands over each option by itself
    sense: str,
    target: str,
    given: tuple[str, ...],
    limits: tuple[str, ...],
    among: tuple[str, ...],
    profiles: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    steps: bool,
    digits: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    from derive.optimization.optimum_text import as_data
    from derive.presentation.numbers import DIGITS as USUAL

    library = opened(replaced, added)
    choices = [tuple(name.strip() for name in text.split(",") if name.strip()) for text in among]
    read = {name: _read(text) for name, text in givens(given).items()}
    found = getattr(library, sense)(target, *choices, *profiles, such_that=limits, **read)
    if as_json:
        say_data(as_data(found, digits or USUAL))
    else:
        head, _, rest = found.text(digits or USUAL).partition("\n")
        click.secho(head, bold=True)
        click.echo(rest)
        if steps:
            click.echo(f"\n{found.answer.text(digits or USUAL)}")
    return 1 if strict and not found.proved else 0


def _read(text: str) -> Any:
    """A given: a list where there are commas, otherwise a value or a range."""
    parts = [part.strip() for part in text.split(",")]
    return parts if len(parts) > 1 and all(parts) and ".." not in text else text
