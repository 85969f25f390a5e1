"""The verbs that say why: `compare` two scenarios, `graph` what leads where, `audit` claims, `infer` from prices."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from derive.cli.output import put, say_data, table
from derive.cli.request import Request, Sources, Turn, about, givens, prove_single, source_of

if TYPE_CHECKING:
    from derive.audit.verdicts import Conflict, Finding
    from derive.comparison.comparison_result import Comparison
    from derive.library import Library
    from derive.presentation.charts import Chart
    from derive.solving.execution.answer import Answer
    from quantities.profiles import Profile


def parted(parameters: Sequence[click.Parameter], words: Sequence[str]) -> list[str]:
    """The words of `derive compare`, with all behind the first `--against` as words of the second scenario."""
    start = next((i for i, word in enumerate(words) if word.partition("=")[0] == "--against"), len(words))
    options = [option for option in parameters if isinstance(option, click.Option) and not option.is_flag]
    valued = set(chain.from_iterable(option.opts for option in options)) - {"--with", "--against"}
    return [*words[:start], *_as_second(words[start:], valued)]


def _as_second(words: Sequence[str], valued: Container[str]) -> Iterator[str]:
    """The words of `compare` with each profile and given as one of `--against`; `valued` options take a value."""
    pending = iter(words)
    for word in pending:
        option, equals, value = word.partition("=")
        if option in ("--with", "--against"):
            yield from ("--against", value) if equals else ("--against", *islice(pending, 1))
        elif option in valued:
            yield from (word,) if equals else (word, *islice(pending, 1))
        elif word.startswith("-"):
            yield word
        else:
            yield from ("--against", word)


def compare(asked: Request, others: tuple[str, ...]) -> int:
    """Say why TARGET differs between two scenarios: what each given and each regime accounts for.

    The first scenario, A, is what stands before --against. The second, B, is the same with the changes that follow
    it: a NAME=VALUE there counts instead of A's, NAME= leaves A's out, and a profile takes the place of A's of the
    same kind (another chip, another model, or any with half of the same quantities) and stands beside the others.
    What --each takes in turn holds for both scenarios.
    """
    if not others:
        raise click.UsageError("There is no second scenario. Write  --against PROFILE  or  --against NAME=VALUE")
    prove_single({**asked.given, **givens([word for word in others if "=" in word])}, has_each=True)
    from derive.comparison.comparison_result import beside_each_other

    if asked.each:
        return asked.tell_each(
            "comparison",
            lambda turn: _compared(asked, others, turn),
            charts=_titled_charts,
            rows=lambda comparisons: beside_each_other(comparisons, asked.stated_digits),
            caution_format="with {}, {}",
        )
    return asked.tell("comparison", _compared(asked, others, Turn())._document(asked.stated_digits))


def _titled_charts(comparisons: Mapping[str, Comparison]) -> list[Chart]:
    """The charts of all turns that `compare` explains, each with the label of its turn in its title."""
    from derive.comparison.comparison_result import charts

    titled = []
    for label, comparison in comparisons.items():
        titled += [replace(chart, title=f"{chart.title}, {label}") for chart in charts(comparison)]
    return titled


def _compared(asked: Request, others: Sequence[str], turn: Turn) -> Comparison:
    """What `derive compare` finds: its scenario at one turn beside a second, which `others` changes from the first."""
    profiles, given = asked.at(turn)
    own = [word for word in others if "=" not in word]
    second = second_profiles(asked.library, profiles, own), _givens(given, others)
    a = _answered("A", asked, profiles, given)
    b = _answered("B", asked, *second)
    return asked.library.compare(a, b)


def _answered(side: str, asked: Request, profiles: Sequence[str], given: Mapping[str, str]) -> Answer:
    """The answer of one scenario of `derive compare`; where there is none, its side is told before the reason."""
    from derive.errors import DeriveError

    try:
        return asked.library.solve(asked.target, *profiles, **given)
    except DeriveError as error:
        error.__dict__["scenario"] = side
        if not asked.as_json:
            stated = ", ".join([*profiles, *(f"{name}={text}" for name, text in given.items())])
            click.echo(f"derive: scenario {side} has no answer: {stated or 'nothing is given'}.", err=True)
        raise


def second_profiles(library: Library, first: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The profiles of the second scenario that `compare` explains: its own, and those of the first of other kinds.

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
    kept = [name for name in first if not any(_are_alike(library, library.profile(name), second) for second in new)]
    return (*kept, *others)


def _are_alike(library: Library, first: Profile, second: Profile) -> bool:
    """Whether a profile of one scenario that `compare` takes is of the same kind as one of the other."""
    shared = first.values.keys() & second.values.keys()
    if 2 * len(shared) >= min(len(first.values), len(second.values)):
        return True
    first_list, second_list = library.profiles.list_of(first.name), library.profiles.list_of(second.name)
    return first_list != "" and first_list == second_list


def _givens(first: dict[str, str], others: Sequence[str]) -> dict[str, str]:
    """The givens of the second scenario of `compare`: those of the first, but for its own; an empty one is left out."""
    own = givens([word for word in others if "=" in word])
    for name, text in own.items():
        if not text and name not in first:
            raise click.UsageError(f"{name}= leaves out what is not given before --against.")
    return {name: text for name, text in {**first, **own}.items() if text}


def graph(asked: Request) -> int:
    """Draw the library, what leads to TARGET, or the plan of one question: TARGET from the names GIVEN."""
    from derive.graphs import graph_asked_for, written

    target = asked.target if asked.targets else None
    network = graph_asked_for(asked.library, target, asked.names, asked.profiles)
    put("-" if asked.output is None else asked.output, written(network, asked.ending))
    return 0


def audit(names: tuple[str, ...], own: str | None, sources: Sources, as_json: bool) -> int:
    """Recompute the claims of the source lectures: verdicts, or with IDs all that stands behind them."""
    from derive.audit.claims_file import read_claims
    from derive.audit.text import as_data, as_text
    from derive.tokens.audit import audit as audited
    from derive.tokens.audit import clashes

    library, book = sources.library, None
    if own is not None:
        with about(own):
            book = read_claims(source_of(own) if own in ("-", "") else Path(own))
    findings = audited(names, library, book)
    conflicts = clashes(names, library, book)
    if as_json:
        say_data(as_data(findings, conflicts))
    elif names:
        texts = []
        for finding in findings:
            own_conflicts = [conflict for conflict in conflicts if finding.claim.name in conflict.claims]
            texts.append(as_text(finding, own_conflicts))
        click.echo("\n\n".join(texts))
    else:
        _print_table(findings, conflicts)
    return 0


def _print_table(findings: Sequence[Finding], conflicts: Sequence[Conflict]) -> None:
    """Print what `derive audit` finds: a row for each claim, the worst first, and claims that cannot hold together."""
    from derive.audit.text import rows, summary

    header, *body = rows(findings)
    below = [f"\n{summary(findings)}", *(["\nCannot hold together:"] if conflicts else [])]
    below += [f"- {conflict}" for conflict in conflicts]
    if sys.stdout.isatty():
        _fitted(header, body, below)
    else:
        table(header, [("", body)])  # one line for each claim, for programs such as grep
        click.echo("\n".join(below))


def _fitted(header: Sequence[str], body: Sequence[Sequence[str]], below: Sequence[str]) -> None:
    """Print the table of `derive audit` as wide as the terminal, its cells broken between words if need be."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for title, *cells in zip(header, *body, strict=True):
        longest = max(len(word) for cell in (title, *cells) for word in cell.split())
        is_claim = title == "claim"  # which has all that the others do not need for their longest word
        shown.add_column(title, overflow="fold", width=None if is_claim else longest)
    for row in body:
        shown.add_row(*row)
    console = Console(markup=False, highlight=False)
    console.print(shown)
    for line in below:
        console.print(line)


def infer(words: tuple[str, ...], profiles: tuple[str, ...], steps: bool, digits: int | None, as_json: bool) -> int:
    """Say what the prices of SHEET imply, a file or a name; without one, of all sheets side by side."""
    from derive.presentation.text import columns
    from derive.tokens.price_sheets import text
    from derive.tokens.price_sheets.inference import infer, survey

    named = [word for word in words if "=" not in word or os.path.isfile(word)]
    if len(named) > 1:
        raise click.UsageError(f"{named[1]!r} is not NAME=VALUE, and {named[0]!r} is already the sheet.")
    stated = givens([word for word in words if word not in named])
    sheets = [source_of(name) if name == "-" else name for name in named]
    inferences = tuple(infer(sheet, *profiles, **stated) for sheet in sheets) if sheets else survey(*profiles, **stated)
    if as_json:
        data = [text.as_data(inference) for inference in inferences]
        say_data(data[0] if named else data)
        return 0 if any(inference.conclusions for inference in inferences) else 1
    shown = digits or text.DIGITS
    rows = text.side_by_side(inferences, shown)
    click.echo(text.as_text(inferences[0], shown) if named else "\n".join(columns(rows)))
    if steps:
        click.echo("\n\n" + "\n\n\n".join(text.as_steps(inference, digits) for inference in inferences))
    return 0 if any(inference.conclusions for inference in inferences) else 1
