"""The verb `compare`: why the answers of two scenarios differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from derive.cli import shell_completion
from derive.cli.shared import (
    ADD,
    DIGITS,
    JSON,
    LIBRARY,
    PICTURE,
    STRICT,
    WITH,
    givens,
    opened,
    output_ending,
    put_picture,
    say,
    say_data,
    warn,
)

__all__ = ["compare"]

_VALUED = ("--library", "--add", "-o", "--digits")  # options of the whole command that take a value


class _TwoScenarios(click.Command):
    """A command whose first `--against` begins the second scenario: what follows it belongs to that one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        start = next((i for i, one in enumerate(args) if one.partition("=")[0] == "--against"), len(args))
        return super().parse_args(ctx, [*args[:start], *_as_second(args[start:])])


def _as_second(words: Sequence[str]) -> Iterator[str]:
    """The words with every profile and every given as one of `--against`."""
    pending = iter(words)
    for word in pending:
        option, equals, value = word.partition("=")
        if option in ("--with", "--against"):
            yield from ("--against", value) if equals else ("--against", *_next(pending))
        elif option in _VALUED:
            yield from (word,) if equals else (word, *_next(pending))
        elif word.startswith("-"):
            yield word
        else:
            yield from ("--against", word)


def _next(words: Iterator[str]) -> Iterator[str]:
    """The next word, if there is one."""
    yield from (word for word in [next(words, None)] if word is not None)


@click.command(
    cls=_TwoScenarios,
    epilog='Example:  derive compare cost_per_token batch="64 sequence" chips="8 chip" context="8 ktoken/sequence" '
    '--with llama3-70b --with h100-sxm:fp8 --against b200-sxm:fp8 chips="4 chip"',
)
@click.argument("target", shell_complete=shell_completion.targets)
@click.argument("given", nargs=-1, shell_complete=shell_completion.given, metavar="[NAME=VALUE ...]")
@WITH
@click.option(
    "--against",
    "others",
    shell_complete=shell_completion.profiles_or_givens,
    metavar="PROFILE|NAME=VALUE ...",
    multiple=True,
    help="Begins the second scenario: all profiles and givens that follow are its own.",
)
@LIBRARY
@ADD
@PICTURE
@DIGITS
@STRICT
@JSON
def compare(  # noqa: PLR0913, PLR0917  # click hands over each option by itself
    target: str,
    given: tuple[str, ...],
    profiles: tuple[str, ...],
    others: tuple[str, ...],
    replaced: str | None,
    added: tuple[str, ...],
    output: str | None,
    digits: int | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Say why TARGET differs between two scenarios: what each given and each regime accounts for.

    The first scenario, A, is what stands before --against. The second, B, is the same with the changes that follow
    it: a NAME=VALUE there counts instead of A's, NAME= leaves A's out, and a profile takes the place of A's of the same
    kind (another chip, another model, or any with half of the same quantities) and stands beside the others.
    """
    from derive.comparison.comparison_text import as_data
    from derive.presentation.failed_checks import cautions

    if not others:
        raise click.UsageError("There is no second scenario. Write  --against PROFILE  or  --against NAME=VALUE")
    output_ending(output)
    library = opened(replaced, added)
    first = givens(given)
    second = _profiles(library, profiles, others), _givens(first, others)
    a = _answered("A", library, target, profiles, first)
    b = _answered("B", library, target, *second)
    found = library.compare(a, b)
    if output is not None:
        from derive.comparison.waterfall import charts

        put_picture(output, "comparison", charts(found))
    if as_json:
        say_data(as_data(found, *([] if digits is None else [digits])))
    elif output != "-":
        say(found.text(digits))
    for side, answer in (("A", a), ("B", b)):
        for caution in cautions(answer) if as_json else ():
            warn(f"in {side}: {caution}.")
    return 1 if strict and any(one.failed or one.unused for one in (a, b)) else 0


def _answered(side: str, library: Any, target: str, profiles: Sequence[str], given: dict[str, str]) -> Any:
    """The answer of one scenario; where there is none, the scenario is named before the reason."""
    from derive.errors import DeriveError

    try:
        return library.solve(target, *profiles, **given)
    except DeriveError:
        told = ", ".join([*profiles, *(f"{name}={text}" for name, text in given.items())])
        click.echo(f"derive: scenario {side} has no answer: {told or 'nothing is given'}.", err=True)
        raise


def _profiles(library: Any, first: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    from derive.comparison.second_scenario import second_profiles

    return second_profiles(library, first, [word for word in others if "=" not in word])


def _givens(first: dict[str, str], others: Sequence[str]) -> dict[str, str]:
    """The givens of the second scenario: those of the first, but for its own; an empty one is left out."""
    own = givens([word for word in others if "=" in word])
    for name, text in own.items():
        if not text and name not in first:
            raise click.UsageError(f"{name}= leaves out what is not given before --against.")
    return {name: text for name, text in {**first, **own}.items() if text}
