"""The price-sheet report: the sheets of all vendors in tables and charts, and the gaps between their prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import log
from operator import itemgetter
from typing import Any

from derive.library import Library
from derive.presentation.charts import Axis, Chart, Mark, Series
from derive.presentation.document import Grid, verbatim
from derive.reports.template_words import number
from derive.solving.execution.answer import Answer
from derive.tokens.price_sheets.inference import Conclusion, Contradiction, Inference, survey
from derive.tokens.price_sheets.sheets import QUESTIONS, TENSIONS, plausible, size_classes
from derive.tokens.price_sheets.text import points
from quantities.value import Source

_HEADS = {tension.prices: tension.question.head for tension in TENSIONS if tension.question.head}
_Prices = tuple[str, ...]


def sheet_words(library: Library) -> Mapping[str, Any]:
    """Infer all price sheets once, and give the words that the price-sheet report's template may use of them."""
    inferences = survey()
    by_name = {inference.sheet: inference for inference in inferences}
    vendors: dict[str, list[Inference]] = {}
    for inference in inferences:
        vendor, _, _ = inference.title.partition(" prices: ")
        vendors.setdefault(vendor, []).append(inference)

    def greatest(target: str) -> float:
        all_points = chain.from_iterable(points(sheets, target) for sheets in vendors.values())
        return max(high for _, _, _, high in all_points)

    return {
        "chips": [chip.name for chip in plausible(library, ()).axes["chip"]],
        "sizes": size_classes(),
        "assumed": {question.target: verbatim("; ".join(question.assuming)) for question in QUESTIONS},
        "tables": {vendor: _vendor_table(vendor, sheets) for vendor, sheets in vendors.items()},
        "distinct": lambda target: {vendor: _distinct_values(sheets, target) for vendor, sheets in vendors.items()},
        "chart": lambda target, axis, marks=(), height=0.0: _conclusion_chart(
            vendors, target, axis, tuple(marks), height
        ),
        "greatest": greatest,
        "printed": lambda name: [sheet.prices[name].number for sheet in inferences if name in sheet.prices],
        "refuted": lambda sheet, target: _refutations(by_name[sheet][target]),
        "gap": lambda sheet, *prices: _gap_answer(by_name[sheet], prices),
        **_gap_words(inferences),
    }


def _refutations(conclusion: Conclusion) -> str:
    return f"{verbatim(conclusion.meaning)}: {verbatim('; '.join(conclusion.refuted_by))}"


def _gap_words(inferences: Sequence[Inference]) -> Mapping[str, Any]:
    """The price-sheet report's words for gaps between two prices of one sheet: a sentence a pair, and a table."""
    by_pair: dict[_Prices, list[tuple[Inference, Contradiction]]] = {}
    for sheet in inferences:
        for clash in sheet.contradictions:
            by_pair.setdefault(clash.prices, []).append((sheet, clash))
    pairs = sorted(by_pair, key=lambda pair: (_pair_place(pair), pair))
    sheets = [sheet for sheet in inferences if sheet.contradictions]
    rows: list[tuple[str, ...]] = []
    for sheet in sheets:
        cells = [_gap_cell(sheet, pair) for pair in pairs]
        rows.append((f"`{_sheet_label(sheet)}`", *cells))
    clashes = chain.from_iterable(sheet.contradictions for sheet in sheets)
    is_everywhere = all(clash.everywhere for clash in clashes)
    closed = "None of them closes on another chip or for another size." if is_everywhere else "Some close elsewhere."
    caption = f"The gaps, sheet by sheet, on the reference chip. {closed}"
    return {
        "gaps": [_gap_sentence(pair, by_pair[pair]) for pair in pairs],
        "gap_table": Grid(("sheet", *(_pair_head(pair) for pair in pairs)), tuple(rows), caption),
    }


def _pair_place(pair: _Prices) -> int:
    """The place of a pair of prices in the price-sheet report: that of its tension; without one it comes last."""
    return list(_HEADS).index(pair) if pair in _HEADS else len(_HEADS)


def _pair_head(pair: _Prices) -> str:
    return _HEADS.get(pair, verbatim(" and ".join(pair)))


def _gap_sentence(pair: _Prices, clashes: Sequence[tuple[Inference, Contradiction]]) -> str:
    """The price-sheet report's sentence on the gap between two prices, from the sheet where it is widest."""

    def width(sheet_and_clash: tuple[Inference, Contradiction]) -> float:
        _, clash = sheet_and_clash
        return abs(log(clash.answer.base or 1))

    sheet, clash = max(clashes, key=width)
    names = " and ".join(f"`{name}`" for name in pair)
    return f"*{_pair_head(pair)}*: {names}. On {verbatim(_sheet_label(sheet))}, {verbatim(clash.text)}."


def _gap_answer(sheet: Inference, pair: _Prices) -> Answer:
    return next(clash.answer for clash in sheet.contradictions if clash.prices == pair)


def _gap_cell(sheet: Inference, pair: _Prices) -> str:
    bases = [clash.answer.base for clash in sheet.contradictions if clash.prices == pair]
    return ", ".join(number(base) for base in bases if base is not None)


def _sheet_label(sheet: Inference) -> str:
    """The label of a price sheet in the report's tables and on its axes."""
    return sheet.sheet.removesuffix("-prices")


def _vendor_table(vendor: str, sheets: Sequence[Inference]) -> Grid:
    """The price-sheet report's table of a vendor's sheets, with a column for each conclusion or its range."""
    columns = list(_conclusion_columns(sheets))
    rows = []
    for sheet in sheets:
        cells = [_conclusion_cell(sheet, target, is_range) for _, target, is_range in columns]
        rows.append((f"`{_sheet_label(sheet)}`", *cells))
    return Grid(("sheet", *(head for head, *_ in columns)), tuple(rows), f"The sheets of {vendor}.", _sources(sheets))


def _conclusion_columns(sheets: Sequence[Inference]) -> Iterator[tuple[str, str, bool]]:
    """The columns of the price-sheet report's table: the head, the target, and whether the range is shown."""
    for question in QUESTIONS:
        if any(question.target in sheet for sheet in sheets):
            if question.head:
                yield question.head, question.target, False
            if question.range_head:
                yield question.range_head, question.target, True


def _conclusion_cell(sheet: Inference, target: str, is_range: bool) -> str:
    """The cell of the price-sheet report's table for one conclusion of a sheet: its value, or its range."""
    if target not in sheet:
        return ""
    conclusion = sheet[target]
    if is_range:
        return " to ".join(_number_in_unit(conclusion, end) for end in conclusion.bounds)
    return "" if conclusion.answer.base is None else _number_in_unit(conclusion, conclusion.answer.base)


def _number_in_unit(conclusion: Conclusion, base: float) -> str:
    return number(conclusion.quantity.unit.from_base(base))


def _sources(sheets: Sequence[Inference]) -> tuple[Source, ...]:
    """The sources of the price sheets in a table of their report: where the prices are published."""
    cited = (sheet.prices["input_price"].source for sheet in sheets if "input_price" in sheet.prices)
    return tuple(dict.fromkeys(source for source in cited if source.kind == "published"))


def _distinct_values(sheets: Sequence[Inference], target: str) -> str:
    """The values of a conclusion on some price sheets for their report, from small to large, each once."""
    values = []
    for conclusion in (sheet[target] for sheet in sheets if target in sheet):
        if conclusion.answer.base is not None:
            values.append((conclusion.answer.base, _number_in_unit(conclusion, conclusion.answer.base)))
    return ", ".join(dict.fromkeys(text for _, text in sorted(values, key=itemgetter(0))))


def _conclusion_chart(
    vendors: Mapping[str, Sequence[Inference]], target: str, axis: Axis, marks: tuple[Mark, ...], height: float = 0.0
) -> Chart:
    """The price-sheet report's chart of a conclusion: a line for each sheet's range, a point at the reference."""
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
