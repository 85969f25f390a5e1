"""The oracle: what every price sheet of the catalogue says of the machine behind it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from derive.inferring.conclusions import Inference
from derive.inferring.oracle import survey
from derive.inferring.plausible import plausible
from derive.inferring.questions import QUESTIONS, Question
from derive.relations import library
from derive.reporting.asking import held, letter, number, say, solve, stated, table
from derive.reporting.document import Block, Heading, Items, Text, verbatim
from derive.reporting.sections.abreast import abreast
from derive.reporting.sections.clashes import clashes
from derive.solving.answer import Answer
from quantities.source import Source

_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026")
_READ = {
    "implied_memory_to_compute": "output against input",
    "implied_kv_bytes_per_token": "a context cliff",
    "kv_share": "a fast mode",
    "implied_storage_price": "two cache writes",
    "implied_tier_price": "a price of storage",
    "input_margin_limit": "the input price",
}
_RELATIONS = (
    "implied_memory_to_compute",
    "implied_kv_bytes_per_token",
    "fast_price_ratio",
    "implied_storage_price",
    "implied_tier_price",
    "input_margin_limit",
)
_REFUTED = (
    "implied_memory_to_compute",
    "implied_kv_bytes_per_token",
    "fair_context",
    "implied_tier_price",
    "input_margin_limit",
)
_WHOLE = "gemini-2-5-pro-prices"
_OPEN = {
    "DeepSeek-V3": "deepseek-v3",
    "Qwen3 30B": "qwen3-30b-a3b",
    "Qwen3 235B": "qwen3-235b-a22b",
    "Llama 3.1 405B": "llama3-1-405b",
}
_CHIP = "h100-sxm:fp8"
_LINKED = "gb200:fp8"  # a chip whose link to its host is published
_KNOWN = "deepseek-v3-standard-prices"


@cache
def sheets() -> tuple[Inference, ...]:
    """All sheets, asked once."""
    return survey()


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "Part E reads one price sheet with care. Here the same is done to all sheets of the catalogue by rule, with "
        "nobody choosing what to look at. Each sheet is asked the same questions; each answer stands with the range "
        "that remains when nobody says on which chip, for which size of model and in which memory; and where two "
        "prices of one sheet cannot both be read as they are, that is said."
    )
    yield from _reading()
    yield from _choices()
    yield from abreast(sheets())
    yield from _known()
    yield from clashes(sheets())
    yield from _refuted()


def _reading() -> Iterator[Block]:
    yield Heading("How a sheet is read")
    yield Text(
        "A price on a sheet is a relation with its answer printed. So a relation that leads from the machine to the "
        "price is turned around and leads from the price to the machine. Each reading takes something for granted that "
        "no sheet says, and it is the same thing for all sheets:",
        (_LECTURE,),
    )
    asked = {question.target: question for question in QUESTIONS}
    yield Items(tuple(_turned(asked[name], words) for name, words in _READ.items()))
    yield from stated(*_RELATIONS)[:1]
    yield Text(
        "The first assumption is the weak one. A seller may charge what he likes; only if prices follow costs does a "
        "ratio of two prices say anything of a machine. The margins at the end of each table ask for less: they say "
        "how much of a price is not the arithmetic of a token, whatever else it may be."
    )


def _turned(question: Question, words: str) -> str:
    """What a price is turned into, and what is taken for granted."""
    meaning = library().declaration(question.target).meaning.partition(" if ")[0].rstrip(",")
    return f"*{words}*: {letter(question.target)}, {verbatim(meaning)}, if {verbatim('; '.join(question.assuming))}"


def _choices() -> Iterator[Block]:
    yield Heading("On what it may have been made")
    yield Text(
        "Some readings need no machine: a ratio of prices is a ratio of times. The others need a chip, a size or a "
        "memory, and the sheet names none. Then the question is put for each of those below. The first chip with the "
        "first size is the reference; the least and the greatest answer over all of them are the range. It is no "
        "margin of error: it is what the sheet leaves open."
    )
    rows: dict[str, list[Answer | str]] = {}
    for chip in plausible(library(), ()).axes["chip"]:
        rent = solve("memory_price", chip.name)
        per_hour = number(rent.to("USD/GB/h").magnitude, "USD/GB/h")
        rows[chip.name] = [solve("hardware_ratio", chip.name), held(chip.name, "chip_price"), per_hour]
    columns = ("chip", letter("hardware_ratio"), letter("chip_price"), letter("memory_price"))
    yield table(
        rows, columns, "The chips, at the precisions in which they are served, and the rent of their memory.", 3
    )
    yield Text(
        "The sizes are the hundred billion active parameters that the lecture takes for a frontier model, and the "
        f"published models {', '.join(_OPEN)}. The memories below the chip are DDR5, CXL, flash and disk.",
        (_LECTURE,),
    )


def _known() -> Iterator[Block]:
    yield Heading("Where the machine is known")
    yield Text(
        "The readings can be tried on models that are published. A cliff first. Asked backwards, its relation says at "
        "which context such a model would have its own on the reference chip: where reading the cache takes as long "
        "as computing."
    )
    cliffs: list[Answer] = []
    rows: dict[str, list[Answer | str]] = {}
    for label, model in _OPEN.items():
        kept = solve("kv_bytes_per_token", model)
        cliffs.append(solve("price_cliff", _CHIP, model, implied_kv_bytes_per_token=kept.value))
        rows[label] = [held(model, "active_parameters"), kept, cliffs[-1]]
    columns = ("model", letter("active_parameters"), letter("kv_bytes_per_token"), letter("price_cliff"))
    yield table(rows, columns, "The cliffs that published models would have.", 3)
    printed = [found.prices["price_cliff"].number for found in sheets() if "price_cliff" in found.prices]
    last = max(cliffs, key=lambda one: one.base or 0)
    yield Text(
        f"The latest of them stands at {say(last, 3)}; the earliest on any sheet at "
        f"{number(min(printed), 'token/sequence')}. So either the models on the sheets keep far less of a token than "
        "any model that is published, or their sellers do not raise the price where the cost begins to rise. No sheet "
        "can tell which. It is the second that would refute the reading."
    )
    yield from _hits()


def _hits() -> Iterator[Block]:
    true = solve("kv_bytes_per_token", "deepseek-v3")
    paid = solve("implied_kv_bytes_by_hits", _LINKED, _KNOWN, "deepseek-v3")
    margin = solve("hit_margin_limit", _LINKED, _KNOWN, "deepseek-v3")
    fair = solve("cache_read_price", _LINKED, _KNOWN, "deepseek-v3", implied_kv_bytes_by_hits=true.value)
    yield Text(
        "Then the price of a cache hit, on the sheet of DeepSeek-V3. If a hit is fetched from the host of a GB200, and "
        f"priced like a miss, {held(_KNOWN, 'cache_read_price')} pay for {say(paid, 3)}. The model keeps "
        f"{say(true, 3)}. Asked backwards, fetching that is worth {say(fair, 3)}; a share of {say(margin, 3)} of the "
        "price of a hit is something else: finding the cache, keeping it, or a margin. So a discount says less than "
        "how much cheaper a hit is. Here, where it can be tried, the reading is refuted."
    )


def _refuted() -> Iterator[Block]:
    yield Heading("What would refute it")
    found = next(one for one in sheets() if one.sheet == _WHOLE)
    yield Text(f"A reading that nothing could refute would say nothing. For `{_WHOLE}`, for instance:")
    rows = [f"{verbatim(found[name].meaning)}: {verbatim('; '.join(found[name].refuted_by))}" for name in _REFUTED]
    yield Items(tuple(rows))
