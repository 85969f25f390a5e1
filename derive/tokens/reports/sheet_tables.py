"""All price sheets side by side for their report: tables, charts, and gaps between prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import log
from operator import itemgetter
from typing import Any

from derive.library import Library
from derive.presentation.charts import Axis, Chart, Mark, Series
from derive.presentation.document import Grid, verbatim
from derive.reports.vocabulary import number
from derive.solving.execution.answer import Answer
from derive.tokens.price_sheets.oracle import Conclusion, Contradiction, Inference, survey
from derive.tokens.price_sheets.sheets import QUESTIONS, TENSIONS, plausible, size_classes
from derive.tokens.price_sheets.text import points
from quantities.value import Source

_HEADS = {tension.prices: tension.question.head for tension in TENSIONS if tension.question.head}
_Prices = tuple[str, ...]


def read(library: Library) -> Mapping[str, Any]:
    """Infer all price sheets once, and give the words that a report's template may use of them."""
    inferences = survey()
    by_name = {inference.sheet: inference for inference in inferences}
    vendors: dict[str, list[Inference]] = {}
    for inference in inferences:
        vendors.setdefault(_vendor(inference), []).append(inference)

    def greatest(target: str) -> float:
        all_points = chain.from_iterable(points(sheets, target) for sheets in vendors.values())
        return max(high for _, _, _, high in all_points)

    return {
        "chips": [chip.name for chip in plausible(library, ()).axes["chip"]],
        "sizes": size_classes(),
        "assumed": {question.target: verbatim("; ".join(question.assuming)) for question in QUESTIONS},
        "tables": {vendor: _table(vendor, sheets) for vendor, sheets in vendors.items()},
        "distinct": _over(vendors, _distinct),
        "chart": lambda target, axis, marks=(), height=0.0: _chart(vendors, target, axis, tuple(marks), height),
        "greatest": greatest,
        "printed": lambda name: [sheet.prices[name].number for sheet in inferences if name in sheet.prices],
        "refuted": lambda sheet, target: _refuted(by_name[sheet][target]),
        "gap": lambda sheet, *prices: _gap(by_name[sheet], prices),
        **_gaps(inferences),
    }


def _over(
    vendors: Mapping[str, Sequence[Inference]], text: Callable[[Sequence[Inference], str], str]
) -> Callable[[str], dict[str, str]]:
    """The function that gives a text on the price sheets of each vendor."""
    return lambda target: {vendor: text(sheets, target) for vendor, sheets in vendors.items()}


def _refuted(conclusion: Conclusion) -> str:
    return f"{verbatim(conclusion.meaning)}: {verbatim('; '.join(conclusion.refuted_by))}"


def _gaps(inferences: Sequence[Inference]) -> Mapping[str, Any]:
    """The gaps between two prices of one sheet, for the report: pair by pair in words, and as a table of sheets."""
    by_pair: dict[_Prices, list[tuple[Inference, Contradiction]]] = {}
    for sheet in inferences:
        for clash in sheet.contradictions:
            by_pair.setdefault(clash.prices, []).append((sheet, clash))
    pairs = sorted(by_pair, key=lambda pair: (_place(pair), pair))
    sheets = [sheet for sheet in inferences if sheet.contradictions]
    rows = tuple((f"`{_label(sheet)}`", *(_all_gaps(sheet, pair) for pair in pairs)) for sheet in sheets)
    everywhere = all(clash.everywhere for sheet in sheets for clash in sheet.contradictions)
    closed = "None of them closes on another chip or for another size." if everywhere else "Some close elsewhere."
    caption = f"The gaps, sheet by sheet, on the reference chip. {closed}"
    return {
        "gaps": [_described(pair, by_pair[pair]) for pair in pairs],
        "gap_table": Grid(("sheet", *(_head(pair) for pair in pairs)), rows, caption),
    }


def _place(pair: _Prices) -> int:
    """The place of a pair of prices among the tensions in their order; pairs that are none of them come last."""
    return list(_HEADS).index(pair) if pair in _HEADS else len(_HEADS)


def _head(pair: _Prices) -> str:
    return _HEADS.get(pair, verbatim(" and ".join(pair)))


def _described(pair: _Prices, clashes: Sequence[tuple[Inference, Contradiction]]) -> str:
    """What the gap between a pair of prices means, in the words of the sheet where it is widest."""

    def width(sheet_and_clash: tuple[Inference, Contradiction]) -> float:
        _, clash = sheet_and_clash
        return abs(log(clash.answer.base or 1))

    sheet, clash = max(clashes, key=width)
    names = " and ".join(f"`{name}`" for name in pair)
    return f"*{_head(pair)}*: {names}. On {verbatim(_label(sheet))}, {verbatim(clash.text)}."


def _gap(sheet: Inference, pair: _Prices) -> Answer:
    return next(clash.answer for clash in sheet.contradictions if clash.prices == pair)


def _all_gaps(sheet: Inference, pair: _Prices) -> str:
    bases = [clash.answer.base for clash in sheet.contradictions if clash.prices == pair]
    return ", ".join(number(base) for base in bases if base is not None)


def _label(sheet: Inference) -> str:
    """A price sheet's name in the report's tables and on its axes."""
    return sheet.sheet.removesuffix("-prices")


def _vendor(sheet: Inference) -> str:
    """The vendor in the title of a price sheet."""
    return sheet.title.partition(" prices: ")[0]


def _table(vendor: str, sheets: Sequence[Inference]) -> Grid:
    """The table of a vendor's price sheets, a column for each conclusion: values at the reference, or their ranges."""
    columns = list(_columns(sheets))
    rows = []
    for sheet in sheets:
        cells = [_cell(sheet, target, is_range) for _, target, is_range in columns]
        rows.append((f"`{_label(sheet)}`", *cells))
    return Grid(("sheet", *(head for head, *_ in columns)), tuple(rows), f"The sheets of {vendor}.", _sources(sheets))


def _columns(sheets: Sequence[Inference]) -> Iterator[tuple[str, str, bool]]:
    """The columns of a table of price sheets: the head, the target, and whether it shows the range."""
    for question in QUESTIONS:
        if any(question.target in sheet for sheet in sheets):
            if question.head:
                yield question.head, question.target, False
            if question.range_head:
                yield question.range_head, question.target, True


def _cell(sheet: Inference, target: str, is_range: bool) -> str:
    if target not in sheet:
        return ""
    conclusion = sheet[target]
    if is_range:
        return " to ".join(_short(conclusion, end) for end in conclusion.bounds)
    return "" if conclusion.answer.base is None else _short(conclusion, conclusion.answer.base)


def _short(conclusion: Conclusion, base: float) -> str:
    return number(conclusion.quantity.unit.from_base(base))


def _sources(sheets: Sequence[Inference]) -> tuple[Source, ...]:
    """Where the prices of some sheets are printed."""
    cited = (sheet.prices["input_price"].source for sheet in sheets if "input_price" in sheet.prices)
    return tuple(dict.fromkeys(source for source in cited if source.kind == "published"))


def _distinct(sheets: Sequence[Inference], target: str) -> str:
    """The values of a conclusion on some price sheets, from small to large, each once."""
    values = []
    for conclusion in (sheet[target] for sheet in sheets if target in sheet):
        if conclusion.answer.base is not None:
            values.append((conclusion.answer.base, _short(conclusion, conclusion.answer.base)))
    return ", ".join(dict.fromkeys(text for _, text in sorted(values, key=itemgetter(0))))


def _chart(
    vendors: Mapping[str, Sequence[Inference]], target: str, axis: Axis, marks: tuple[Mark, ...], height: float = 0.0
) -> Chart:
    """The chart of a conclusion: a line for each price sheet from least to greatest, and a point at the reference."""
    names: list[str] = []
    series: list[Series] = []
    for color, (vendor, sheets) in enumerate(vendors.items()):
        shown = points(sheets, target)
        places = range(len(names), len(names) + len(shown))
        names += [sheet.removesuffix("-prices") for sheet, *_ in shown]
        for place, (_, low, _, high) in zip(places, shown, strict=True):
            if low < high:
                series.append(Series((low, high), (place, place), color=color))
        if shown:
            values = [value for _, _, value, _ in shown]
            series.append(Series.of(values, places, vendor, style="points", color=color))
    tall = height or 0.8 + 0.15 * len(names)
    return Chart(axis, Axis("", names=tuple(names)), tuple(series), marks, height=tall)
