"""Where two prices of one sheet cannot both be read as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from derive.tokens.price_sheets.asker import NOES, Asker, ends
from derive.tokens.price_sheets.concluding import conclude
from derive.tokens.price_sheets.conclusions import Conclusion, Contradiction
from derive.tokens.price_sheets.questions import Question
from derive.tokens.price_sheets.refutations import told
from derive.tokens.price_sheets.text import shown

__all__ = ["TENSIONS", "Tension", "contradictions"]


@dataclass(frozen=True)
class Tension:
    """A number that lies in an interval if two prices can both be read as they are."""

    question: Question
    prices: tuple[str, ...]
    low: float
    high: float
    text: str  # what the two say, where it does not


TENSIONS = (
    Tension(
        Question("output_kv_gap", ("price_cliff", "output_input_ratio"), counted_by=("implied_kv_bytes_per_token",)),
        ("price_cliff", "output_price"),
        1.0,
        1.0,
        "the cliff's KV cache asks for decode that is compute-bound below it; by the output price reading weights takes"
        " so long that only a cache {value} times as large shows",
    ),
    Tension(
        Question("storage_kv_gap", ("price_cliff", "cache_storage_price")),
        ("price_cliff", "cache_storage_price"),
        0.0,
        1.0,
        "the price of storage pays for {value} times the KV cache that the cliff leaves, in the dearest memory"
        " there is; storage carries a margin, or the cliff lies elsewhere",
    ),
    Tension(
        Question("hits_kv_gap", ("price_cliff", "cache_read_ratio")),
        ("price_cliff", "cache_read_price"),
        1.0,
        inf,
        "the price of a cache hit pays for {value} of the KV cache that the cliff leaves",
    ),
    Tension(
        Question("surcharge_gap", ("price_cliff", "input_surcharge", "output_surcharge")),
        ("input_price_above_cliff", "output_price_above_cliff"),
        1.0,
        1.0,
        "the surcharge on input pays for a mean context {value} times that of the surcharge on output",
    ),
    Tension(
        Question("cliff_ratio_shift", ("output_input_ratio_above_cliff", "output_input_ratio")),
        ("price_cliff", "output_price_above_cliff"),
        1.0,
        inf,
        "a cache that is read at decode makes output dearer beside input; above the cliff the ratio is {value} of what"
        " it is below",
    ),
    Tension(
        Question(
            "implied_scaled_context",
            ("price_cliff", "fast_price_ratio", "fast_speed_ratio", "output_input_ratio"),
            given={"memory_share": 1.0},
        ),
        ("price_cliff", "fast_output_price"),
        0.0,
        1.0,
        "the fast mode and the output price put the mean context at {value} times the cliff, below which it lies",
    ),
    Tension(
        Question("fast_input_ratio", ("fast_input_ratio", "fast_price_ratio")),
        ("fast_input_price", "fast_output_price"),
        1.0,
        1.0,
        "a smaller batch makes decode dearer and leaves prefill as it is; the fast mode charges {value}"
        " times for input",
    ),
    Tension(
        Question("implied_slow_input_discount", ("batch_input_discount",)),
        ("input_price", "batch_input_price"),
        0.0,
        1.0,
        "prefill that is compute-bound has nothing to gain from waiting; who waits pays the input price over {value}",
    ),
    Tension(
        Question("output_input_ratio", ("output_input_ratio",)),
        ("input_price", "output_price"),
        1.0,
        inf,
        "output costs {value} of input, and no token of decode takes less than one of prefill",
    ),
    Tension(
        Question("cache_read_ratio", ("cache_read_ratio",)),
        ("input_price", "cache_read_price"),
        0.0,
        1.0,
        "a cache hit costs {value} times a miss; nobody would ask for one",
    ),
    Tension(
        Question("fast_price_ratio", ("fast_price_ratio",)),
        ("output_price", "fast_output_price"),
        1.0,
        inf,
        "the fast mode costs {value} of the normal one, which nobody would then ask for",
    ),
)


_SLACK = 1e-9  # a share by which numbers may differ and still be the same


def contradictions(asker: Asker) -> tuple[Contradiction, ...]:
    """All that a sheet says against itself: by definition, and as its prices are read."""
    return (*_by_definition(asker), *(found for tension in TENSIONS for found in _tense(asker, tension)))


def _tense(asker: Asker, tension: Tension) -> Iterator[Contradiction]:
    """What two prices say together, if it lies outside the interval in which both can be so read."""
    gap = conclude(asker, tension.question)
    if not isinstance(gap, Conclusion) or gap.answer.base is None:
        return
    low, high = tension.low * (1 - _SLACK), tension.high * (1 + _SLACK)
    if not low <= gap.answer.base <= high:
        everywhere = gap.bounds[0] > high or gap.bounds[1] < low
        yield Contradiction(tension.prices, told(tension.text, gap), gap.answer, everywhere)


def _by_definition(asker: Asker) -> Iterator[Contradiction]:
    """What a sheet states and what follows from the rest of it, where the two differ."""
    compared: set[str] = set()
    for name in asker.doubled():
        if name in compared:
            continue
        try:
            answer = asker.again(name)
        except NOES:
            continue
        compared |= {name, *answer.given}
        stated, (low, high) = asker.sheet.profile.values[name], ends(answer)
        if stated.base[0] > high * (1 + _SLACK) or low * (1 - _SLACK) > stated.base[2]:
            text = f"{name} is stated as {stated}, and by the others it is {shown(low, answer.quantity.unit)}"
            yield Contradiction((name, *answer.given), text, answer)
