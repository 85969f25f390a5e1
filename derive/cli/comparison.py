"""The verb `compare`: why the answers of two scenarios differ."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from derive.cli.asked import Asked, Turn, asking, givens, is_amiss, prove_single
from derive.cli.shared import (
    ADD,
    DIGITS,
    EACH,
    IN,
    JSON,
    LIBRARY,
    PICTURE,
    STRICT,
    WITH,
    profile_names,
    say,
)

if TYPE_CHECKING:
    from derive.comparison.comparison import Comparison
    from derive.library import Library
    from derive.solving.execution.answer import Answer
    from quantities.facts import Profile

__all__ = ["compare", "second_profiles"]


class _TwoScenarios(click.Command):
    """A command whose first `--against` begins the second scenario: what follows it belongs to that one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        start = next((i for i, one in enumerate(args) if one.partition("=")[0] == "--against"), len(args))
        valued = {
            name
            for one in self.get_params(ctx)
            if isinstance(one, click.Option) and not one.is_flag
            for name in one.opts
            if name not in ("--with", "--against")
        }
        return super().parse_args(ctx, [*args[:start], *_as_second(args[start:], valued)])


def _as_second(words: Sequence[str], valued: Container[str]) -> Iterator[str]:
    """The words with every profile and every given as one of `--against`; `valued` options take a value."""
    pending = iter(words)
    for word in pending:
        option, equals, value = word.partition("=")
        if option in ("--with", "--against"):
            yield from ("--against", value) if equals else ("--against", *_next(pending))
        elif option in valued:
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
@asking(
    WITH,
    click.option(
        "--against",
        "others",
        shell_complete=profile_names,
        metavar="PROFILE|NAME=VALUE ...",
        multiple=True,
        help="Begins the second scenario: all profiles and givens that follow are its own.",
    ),
    *(EACH, LIBRARY, ADD, IN, PICTURE, DIGITS, STRICT, JSON),
    given="[NAME=VALUE ...]",
)
def compare(asked: Asked, others: tuple[str, ...]) -> int:
    """Say why TARGET differs between two scenarios: what each given and each regime accounts for.

    The first scenario, A, is what stands before --against. The second, B, is the same with the changes that follow
    it: a NAME=VALUE there counts instead of A's, NAME= leaves A's out, and a profile takes the place of A's of the same
    kind (another chip, another model, or any with half of the same quantities) and stands beside the others. What
    --each takes in turn holds for both scenarios.
    """
    if not others:
        raise click.UsageError("There is no second scenario. Write  --against PROFILE  or  --against NAME=VALUE")
    prove_single({**asked.given, **givens([word for word in others if "=" in word])}, has_each=True)
    from derive.comparison.comparison import as_data, beside_each_other, charts

    if asked.each:
        return asked.tell_each(
            "comparison",
            lambda turn: _compared(asked, others, turn),
            charts=lambda found: [
                replace(c, title=f"{c.title}, {label}") for label, one in found.items() for c in charts(one)
            ],
            data=lambda one: as_data(one, asked.digits),
            rows=lambda found: beside_each_other(found, asked.stated_digits),
            cautions=_cautions,
            is_amiss=lambda one: is_amiss(one.a, one.b),
        )
    found = _compared(asked, others, Turn())
    return asked.tell(
        "comparison",
        charts=lambda: charts(found),
        data=lambda: as_data(found, asked.digits),
        text=lambda: say(found.text(asked.stated_digits)),
        cautions=lambda: _cautions(found),
        is_amiss=is_amiss(found.a, found.b),
    )


def _compared(asked: Asked, others: Sequence[str], turn: Turn) -> Comparison:
    profiles, given = (*turn.profiles, *asked.profiles), {**asked.given, **turn.given}
    own = [word for word in others if "=" not in word]
    second = second_profiles(asked.library, profiles, own), _givens(given, others)
    a = _answered("A", asked, profiles, given)
    b = _answered("B", asked, *second)
    return asked.library.compare(a, b)


def _cautions(found: Comparison, of: str = "") -> Iterator[str]:
    """What stands under the headlines of both answers."""
    from derive.presentation.failed_checks import cautions

    for side, answer in (("A", found.a), ("B", found.b)):
        for caution in cautions(answer):
            yield f"{f'{of}, ' if of else ''}in {side}: {caution}"


def _answered(side: str, asked: Asked, profiles: Sequence[str], given: Mapping[str, str]) -> Answer:
    """The answer of one scenario; where there is none, the scenario is named before the reason."""
    from derive.errors import DeriveError

    try:
        return asked.library.solve(asked.target, *profiles, **given)
    except DeriveError as error:
        error.__dict__["scenario"] = side
        if not asked.as_json:
            told = ", ".join([*profiles, *(f"{name}={text}" for name, text in given.items())])
            click.echo(f"derive: scenario {side} has no answer: {told or 'nothing is given'}.", err=True)
        raise


def second_profiles(library: Library, first: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The profiles of the second scenario: its own, and those of the first of which it names no other of the kind.

    Two profiles are of one kind if one of them states at least half of the quantities that the other states, or if they
    stand in one list of facts: the chips, the models, the tiers of memory, the prices.

    >>> from derive.relation_files.loading import load
    >>> shop = load('''[quantities]
    ... speed = { unit = "m/s" }
    ... price = { unit = "USD" }
    ... load  = { unit = "kg" }
    ... [profiles]
    ... van  = { speed = "20 m/s", price = "9 USD" }
    ... bike = { speed = "6 m/s" }
    ... sofa = { load = "60 kg" }''')
    >>> second_profiles(shop, ["van", "sofa"], ["bike"])
    ('sofa', 'bike')
    """
    new = [library.profile(name) for name in others]
    kept = [name for name in first if not any(_are_alike(library, library.profile(name), one) for one in new)]
    return (*kept, *others)


def _are_alike(library: Library, one: Profile, other: Profile) -> bool:
    """Whether two profiles are of one kind."""
    shared = one.values.keys() & other.values.keys()
    if 2 * len(shared) >= min(len(one.values), len(other.values)):
        return True
    lists = library.profiles.list_of(one.name), library.profiles.list_of(other.name)
    return lists[0] != "" and lists[0] == lists[1]


def _givens(first: dict[str, str], others: Sequence[str]) -> dict[str, str]:
    """The givens of the second scenario: those of the first, but for its own; an empty one is left out."""
    own = givens([word for word in others if "=" in word])
    for name, text in own.items():
        if not text and name not in first:
            raise click.UsageError(f"{name}= leaves out what is not given before --against.")
    return {name: text for name, text in {**first, **own}.items() if text}
