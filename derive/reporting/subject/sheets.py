"""All price sheets side by side, vendor by vendor, and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.inferring.conclusions import Conclusion, Inference
from derive.inferring.plausible import CHIPS
from derive.inferring.telling import points
from derive.reporting.asking import number, solve
from derive.reporting.document import Block, Grid, Heading, Items, Picture, Text, verbatim
from derive.showing import mathematics
from quantities.source import Source

__all__ = ["abreast", "label"]


@dataclass(frozen=True)
class _Column:
    """What one conclusion fills: its value at the reference, or its range."""

    head: str
    target: str
    ranged: bool = False


_COLUMNS = (
    _Column("reading", "implied_memory_to_compute"),
    _Column("cache", "implied_kv_bytes_per_token"),
    _Column("from, to", "implied_kv_bytes_per_token", ranged=True),
    _Column("fast batch", "fast_batch_ratio"),
    _Column("hit", "cache_discount"),
    _Column("storage", "implied_storage_price"),
    _Column("memory", "implied_tier_price"),
    _Column("in", "input_margin_limit"),
    _Column("out", "output_margin_limit"),
)
_LEGEND = (
    "*reading*: how many times as long as it computes decode reads, from the prices of output and input",
    "*cache*, *from, to*: the KV cache in byte/token that the cliff leaves, at the reference and over all choices",
    "*fast batch*: the batch of the fast mode over that of the normal one",
    "*hit*: how many times cheaper a cache hit is than a miss",
    "*storage*: the price of keeping a token in USD/Mtoken/h that two cache writes imply",
    "*memory*: the rent in USD/GB/h that a price of storage pays, printed or implied, for DeepSeek-V3's cache",
    "*in*, *out*: the largest share of the price that is not arithmetic, at the reference",
)


def abreast(many: Sequence[Inference]) -> Iterator[Block]:
    """The tables, a vendor each, and what is drawn of them."""
    yield Heading("Side by side")
    yield Text("A column stands where one of a vendor's sheets says something; what it says:")
    yield Items(_LEGEND)
    vendors: dict[str, list[Inference]] = {}
    for found in many:
        vendors.setdefault(_vendor(found), []).append(found)
    for vendor, sheets in vendors.items():
        yield Heading(vendor, 3)
        yield _table(vendor, sheets)
    yield from _ratios(vendors)
    yield from _cliffs(vendors)
    yield from _memories(vendors)


def label(found: Inference) -> str:
    """A sheet's name as it stands in tables and on axes."""
    return found.sheet.removesuffix("-prices")


def _vendor(found: Inference) -> str:
    """Whose sheet it is, as its title says."""
    return found.title.partition(" prices: ")[0]


def _table(vendor: str, sheets: Sequence[Inference]) -> Grid:
    held = [column for column in _COLUMNS if any(column.target in found for found in sheets)]
    rows = tuple((f"`{label(found)}`", *(_cell(found, column) for column in held)) for found in sheets)
    return Grid(("sheet", *(column.head for column in held)), rows, f"The sheets of {vendor}.", _sources(sheets))


def _cell(found: Inference, column: _Column) -> str:
    if column.target not in found:
        return ""
    one = found[column.target]
    if column.ranged:
        return " to ".join(_short(one, end) for end in one.bounds)
    return "" if one.answer.base is None else _short(one, one.answer.base)


def _short(one: Conclusion, base: float) -> str:
    return f"${mathematics.number(one.quantity.unit.from_base(base), 3)}$"


def _sources(sheets: Sequence[Inference]) -> tuple[Source, ...]:
    """Where the prices are printed."""
    cited = (found.prices["input_price"].source for found in sheets if "input_price" in found.prices)
    return tuple(dict.fromkeys(source for source in cited if source.kind == "published"))


def _ratios(vendors: Mapping[str, Sequence[Inference]]) -> Iterator[Block]:
    yield Heading("Output over input", 3)
    said = "; ".join(f"{vendor} {_distinct(sheets, 'output_input_ratio')}" for vendor, sheets in vendors.items())
    yield Text(
        f"The ratios that occur: {said}. Round numbers that stay the same over models of all sizes and over years are "
        "hardly measured on machines. What they may still be is a habit that was right once."
    )
    caption = "The price of output over that of input, which is how much longer decode reads than it computes."
    axis = Axis("output price over input price", low=0.9)
    yield Picture("oracle-ratios", (_chart(vendors, "output_input_ratio", axis, (), height=7.0),), caption)


def _distinct(sheets: Sequence[Inference], target: str) -> str:
    return ", ".join(dict.fromkeys(_short(one[target], base) for base, one in _sorted(sheets, target)))


def _sorted(sheets: Sequence[Inference], target: str) -> list[tuple[float, Inference]]:
    found = [(one[target].answer.base, one) for one in sheets if target in one]
    return sorted(((base, one) for base, one in found if base is not None), key=lambda pair: pair[0])


def _cliffs(vendors: Mapping[str, Sequence[Inference]]) -> Iterator[Block]:
    yield Heading("The cache behind a cliff", 3)
    target = "implied_kv_bytes_per_token"
    models = {"Qwen3 30B": "qwen3-30b-a3b", "Llama 3.1 405B": "llama3-1-405b", "DeepSeek-V3": "deepseek-v3"}
    kept = {name: solve("kv_bytes_per_token", model).to("byte/token").magnitude for name, model in models.items()}
    marks = tuple(Mark(size, name) for name, size in kept.items())
    yield Text(
        "A cliff does not fix the cache but a product: bytes per token, times what the chip computes per byte, over "
        "the active size. Chips differ by little, sizes by a hundred, so the range is wide, and the size is what to "
        f"ask for next. Still the widest range ends at {number(_most(vendors, target), 'byte/token')}, and of the "
        f"published models below the one that keeps least of a token keeps {number(min(kept.values()), 'byte/token')}."
    )
    caption = (
        "What cliffs say of the KV cache: at the reference, and over all chips and sizes. Lines: published models."
    )
    axis = Axis("byte/token", log=True, low=10, high=1e8)
    yield Picture("oracle-cliffs", (_chart(vendors, target, axis, marks),), caption)


def _most(vendors: Mapping[str, Sequence[Inference]], target: str) -> float:
    return max(high for sheets in vendors.values() for _, _, _, high in points(sheets, target))


def _memories(vendors: Mapping[str, Sequence[Inference]]) -> Iterator[Block]:
    yield Heading("The memory behind a price of storage", 3)
    rents = {chip: solve("memory_price", chip).to("USD/GB/h").magnitude for chip in CHIPS}
    dearest = max(rents, key=lambda chip: rents[chip])
    marks = (Mark(rents["h100-sxm:fp8"], ""), Mark(rents[dearest], ""))
    yield Text(
        "A price of keeping a token for an hour, over the bytes that it fills, is a rent of memory. DeepSeek-V3 keeps "
        "few bytes of a token, so the points lie high; the range is that of larger caches. The dearest memory that "
        f"there is to rent is that of a chip, with all its arithmetic: {number(marks[0].at, 'USD/GB/h')} on the "
        f"reference chip, {number(marks[1].at, 'USD/GB/h')} on {verbatim(dearest)}. What lies to the right of these "
        "is no rent, and what lies near them would be a cache that never leaves the chip."
    )
    caption = (
        "What prices of storage say of the memory behind them. Dashed: memory on the reference chip, and the dearest."
    )
    axis = Axis("USD/GB/h", log=True, low=1e-4, high=1)
    yield Picture("oracle-memories", (_chart(vendors, "implied_tier_price", axis, marks),), caption)


def _chart(
    vendors: Mapping[str, Sequence[Inference]], target: str, axis: Axis, marks: tuple[Mark, ...], height: float = 0.0
) -> Chart:
    """A line for each sheet that says something, from its least to its greatest, and a point at the reference."""
    names: list[str] = []
    series: list[Series] = []
    for color, (vendor, sheets) in enumerate(vendors.items()):
        told = points(sheets, target)
        places = range(len(names), len(names) + len(told))
        names += [sheet.removesuffix("-prices") for sheet, *_ in told]
        for place, (_, low, _, high) in zip(places, told, strict=True):
            if low < high:
                series.append(Series((low, high), (place, place), color=color))
        if told:
            values = [value for _, _, value, _ in told]
            series.append(Series.of(values, places, vendor, style="points", color=color))
    tall = height or 0.8 + 0.15 * len(names)
    return Chart(axis, Axis("", names=tuple(names)), tuple(series), marks, height=tall)
