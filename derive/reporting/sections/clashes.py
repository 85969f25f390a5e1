"""Where two prices of one sheet cannot both be read as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from derive.inferring.conclusions import Contradiction, Inference
from derive.reporting.asking import held, number, say, solve, stated, worked
from derive.reporting.document import Block, Grid, Heading, Items, Text, verbatim
from derive.reporting.sections.abreast import label

__all__ = ["clashes"]

_CHIP = "h100-sxm:fp8"
_GEMINI = "gemini-2-5-pro-prices"
_OPUS = "claude-opus-4-6-before-2026-03-13-prices"
_HEADS: dict[tuple[str, ...], str] = {
    ("price_cliff", "output_price"): "cliff, output",
    ("price_cliff", "cache_storage_price"): "cliff, storage",
    ("input_price_above_cliff", "output_price_above_cliff"): "two surcharges",
    ("price_cliff", "output_price_above_cliff"): "ratio above",
    ("price_cliff", "fast_output_price"): "cliff, fast",
    ("fast_input_price", "fast_output_price"): "fast input",
    ("input_price", "batch_input_price"): "input that waits",
}


def clashes(many: Sequence[Inference]) -> Iterator[Block]:
    """The gaps of all sheets, and three of them followed up."""
    yield Heading("Prices that contradict each other")
    yield Text(
        "Two prices of one sheet often lead to the same quantity, and then there is nothing to choose: either they "
        "agree, or at least one of them is no cost. The gap between them needs no knowledge of what the machine is; "
        "if it stays open over all chips and sizes, no machine closes it."
    )
    found = [(sheet, clash) for sheet in many for clash in sheet.contradictions]
    pairs = sorted({clash.prices for _, clash in found}, key=lambda pair: (_place(pair), pair))
    yield Items(tuple(_told(pair, [one for one in found if one[1].prices == pair]) for pair in pairs))
    sheets = [sheet for sheet in many if sheet.contradictions]
    rows = tuple((f"`{label(sheet)}`", *(_gap(sheet, pair) for pair in pairs)) for sheet in sheets)
    everywhere = all(clash.everywhere for _, clash in found)
    closed = "None of them closes on another chip or for another size." if everywhere else "Some close elsewhere."
    columns = ("sheet", *(_head(pair) for pair in pairs))
    yield Grid(columns, rows, f"The gaps, sheet by sheet, on the reference chip. {closed}")
    yield from _storage(many)
    yield from _fast(many)
    yield from _surcharges()


def _place(pair: tuple[str, ...]) -> int:
    return list(_HEADS).index(pair) if pair in _HEADS else len(_HEADS)


def _head(pair: tuple[str, ...]) -> str:
    return _HEADS.get(pair, verbatim(" and ".join(pair)))


def _told(pair: tuple[str, ...], found: Sequence[tuple[Inference, Contradiction]]) -> str:
    """What a gap means, in the words of the sheet where it is widest."""
    sheet, clash = max(found, key=lambda one: abs(log(one[1].answer.base or 1)))
    names = " and ".join(f"`{name}`" for name in pair)
    return f"*{_head(pair)}*: {names}. On {verbatim(label(sheet))}, {verbatim(clash.text)}."


def _gap(sheet: Inference, pair: tuple[str, ...]) -> str:
    bases = [clash.answer.base for clash in sheet.contradictions if clash.prices == pair]
    return ", ".join(number(base) for base in bases if base is not None)


def _clash(many: Sequence[Inference], name: str, pair: tuple[str, ...]) -> Contradiction:
    sheet = next(found for found in many if found.sheet == name)
    return next(clash for clash in sheet.contradictions if clash.prices == pair)


def _storage(many: Sequence[Inference]) -> Iterator[Block]:
    yield Heading("The cliff and the price of storage", 3)
    clash = _clash(many, _GEMINI, ("price_cliff", "cache_storage_price"))
    yield worked("How many caches of the cliff's size the storage price of Gemini 2.5 Pro pays for", clash.answer)
    size = {"active_parameters": "100 Gparameter"}
    fair = solve("cache_storage_price", _CHIP, _GEMINI, **size, storage_kv_gap=1)
    yield Text(
        "The cliff leaves a small cache, and the storage price pays for a large one, in the dearest memory there is. "
        f"Asked backwards, the two agree at a storage price of {say(fair, 3)}, where the sheet has "
        f"{held(_GEMINI, 'cache_storage_price')}. A cheaper memory widens the gap; only a larger cache closes it, and "
        "that the cliff forbids."
    )


def _fast(many: Sequence[Inference]) -> Iterator[Block]:
    yield Heading("The cliff and the fast mode", 3)
    clash = _clash(many, _OPUS, ("price_cliff", "fast_output_price"))
    yield worked("Where the fast mode of Claude Opus 4.6 puts the mean context, in cliffs", clash.answer)
    mean = solve("implied_mean_context", _OPUS, memory_share=1)
    slower = solve("fast_speed_ratio", _OPUS, implied_scaled_context=1, memory_share=1)
    yield Text(
        "The fast mode is so much dearer that its batch must be small, and so little faster that most of a step must "
        "be cache, which no batch shares. So much cache asks for long contexts: for "
        f"{say(mean, 3)} on the mean of the normal mode, though the normal price ends at "
        f"{held(_OPUS, 'price_cliff')}. Both could stand if the fast mode were only {say(slower, 3)} times as fast. "
        "The likelier end of the thread is its price: it carries a margin for those who are in a hurry."
    )


def _surcharges() -> Iterator[Block]:
    yield Heading("The two surcharges", 3)
    contexts = [say(solve(name, _GEMINI), 3) for name in ("fair_input_context", "fair_context")]
    yield from stated("fair_input_context", "fair_context")[:1]
    one = solve("output_price_above_cliff", _GEMINI, surcharge_gap=1)
    other = solve("output_price_above_cliff", _GEMINI, cliff_ratio_shift=1)
    yield Text(
        "Beyond the cliff cost grows with the context, and a surcharge pays for one mean context: on the sheet of "
        f"Gemini 2.5 Pro that on input for {contexts[0]}, that on output for {contexts[1]}. But they are the same "
        "requests. And "
        "a cache that is read at decode should make output dearer beside input, not cheaper. One price would mend "
        f"both: with {say(one, 3)} for output above the cliff the two contexts agree, and with {say(other, 3)} the "
        f"ratio stays what it is below. The sheet has {held(_GEMINI, 'output_price_above_cliff')}. Arithmetic of "
        "attention, which grows with the context at prefill, would raise the input price; then the cliff is not about "
        "memory alone."
    )
