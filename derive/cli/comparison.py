"""The verb `compare`: why the answers of two scenarios differ."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from derive.cli.asked import Asked, Turn, givens, prove_single

if TYPE_CHECKING:
    from derive.comparison.comparison import Comparison
    from derive.library import Library
    from derive.solving.execution.answer import Answer
    from quantities.facts import Profile

__all__ = ["compare", "parted", "second_profiles"]


def parted(parameters: Sequence[click.Parameter], words: Sequence[str]) -> list[str]:
    """The words of a command whose first `--against` begins the second scenario: what follows it belongs to that."""
    start = next((i for i, word in enumerate(words) if word.partition("=")[0] == "--against"), len(words))
    valued = {
        name
        for option in parameters
        if isinstance(option, click.Option) and not option.is_flag
        for name in option.opts
        if name not in ("--with", "--against")
    }
    return [*words[:start], *_as_second(words[start:], valued)]


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


def compare(asked: Asked, others: tuple[str, ...]) -> int:
    """Say why TARGET differs between two scenarios: what each given and each regime accounts for.

    The first scenario, A, is what stands before --against. The second, B, is the same with the changes that follow
    it: a NAME=VALUE there counts instead of A's, NAME= leaves A's out, and a profile takes the place of A's of the
    same kind (another chip, another model, or any with half of the same quantities) and stands beside the others.
    What --each takes in turn holds for both scenarios.
    """
    if not others:
        raise click.UsageError("There is no second scenario. Write  --against PROFILE  or  --against NAME=VALUE")
    prove_single({**asked.given, **givens([word for word in others if "=" in word])}, has_each=True)
    from derive.comparison.comparison import beside_each_other, charts

    if asked.each:
        return asked.tell_each(
            "comparison",
            lambda turn: _compared(asked, others, turn),
            charts=lambda found: [
                replace(c, title=f"{c.title}, {label}") for label, one in found.items() for c in charts(one)
            ],
            rows=lambda found: beside_each_other(found, asked.stated_digits),
            said="with {}, {}",
        )
    return asked.tell("comparison", _compared(asked, others, Turn())._document(asked.stated_digits))


def _compared(asked: Asked, others: Sequence[str], turn: Turn) -> Comparison:
    profiles, given = asked.at(turn)
    own = [word for word in others if "=" not in word]
    second = second_profiles(asked.library, profiles, own), _givens(given, others)
    a = _answered("A", asked, profiles, given)
    b = _answered("B", asked, *second)
    return asked.library.compare(a, b)


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
