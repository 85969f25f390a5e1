"""All price sheets side by side for their report: tables, charts, and gaps between prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
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
    """All sheets, inferred once: the words that a template may use."""
    many = survey()
    by_name = {found.sheet: found for found in many}
    vendors: dict[str, list[Inference]] = {}
    for found in many:
        vendors.setdefault(_vendor(found), []).append(found)
    return {
        "chips": [chip.name for chip in plausible(library, ()).axes["chip"]],
        "sizes": size_classes(),
        "assumed": {one.target: verbatim("; ".join(one.assuming)) for one in QUESTIONS},
        "tables": {vendor: _table(vendor, sheets) for vendor, sheets in vendors.items()},
        "distinct": _over(vendors, _distinct),
        "chart": lambda target, axis, marks=(), height=0.0: _chart(vendors, target, axis, tuple(marks), height),
        "greatest": lambda target: max(end for sheets in vendors.values() for *_, end in points(sheets, target)),
        "printed": lambda name: [found.prices[name].number for found in many if name in found.prices],
        "refuted": lambda sheet, target: _refuted(by_name[sheet][target]),
        "gap": lambda sheet, *prices: _gap(by_name[sheet], prices),
        **_gaps(many),
    }


def _over(
    vendors: Mapping[str, Sequence[Inference]], text: Callable[[Sequence[Inference], str], str]
) -> Callable[[str], dict[str, str]]:
    """A text on the sheets of each vendor."""
    return lambda target: {vendor: text(sheets, target) for vendor, sheets in vendors.items()}


def _refuted(one: Conclusion) -> str:
    return f"{verbatim(one.meaning)}: {verbatim('; '.join(one.refuted_by))}"


def _gaps(many: Sequence[Inference]) -> Mapping[str, Any]:
    """Contradictions between two prices of one sheet: pair by pair in words, and as a table of sheets."""
    found = [(sheet, clash) for sheet in many for clash in sheet.contradictions]
    pairs = sorted({clash.prices for _, clash in found}, key=lambda pair: (_place(pair), pair))
    sheets = [sheet for sheet in many if sheet.contradictions]
    rows = tuple((f"`{_label(sheet)}`", *(_all_gaps(sheet, pair) for pair in pairs)) for sheet in sheets)
    everywhere = all(clash.everywhere for _, clash in found)
    closed = "None of them closes on another chip or for another size." if everywhere else "Some close elsewhere."
    caption = f"The gaps, sheet by sheet, on the reference chip. {closed}"
    return {
        "gaps": [_described(pair, [one for one in found if one[1].prices == pair]) for pair in pairs],
        "gap_table": Grid(("sheet", *(_head(pair) for pair in pairs)), rows, caption),
    }


def _place(pair: _Prices) -> int:
    return list(_HEADS).index(pair) if pair in _HEADS else len(_HEADS)


def _head(pair: _Prices) -> str:
    return _HEADS.get(pair, verbatim(" and ".join(pair)))


def _described(pair: _Prices, found: Sequence[tuple[Inference, Contradiction]]) -> str:
    """What a gap means, in the words of the sheet where it is widest."""
    sheet, clash = max(found, key=lambda one: abs(log(one[1].answer.base or 1)))
    names = " and ".join(f"`{name}`" for name in pair)
    return f"*{_head(pair)}*: {names}. On {verbatim(_label(sheet))}, {verbatim(clash.text)}."


def _gap(sheet: Inference, pair: _Prices) -> Answer:
    return next(clash.answer for clash in sheet.contradictions if clash.prices == pair)


def _all_gaps(sheet: Inference, pair: _Prices) -> str:
    bases = [clash.answer.base for clash in sheet.contradictions if clash.prices == pair]
    return ", ".join(number(base) for base in bases if base is not None)


def _label(found: Inference) -> str:
    """A sheet's name in tables and on axes."""
    return found.sheet.removesuffix("-prices")


def _vendor(found: Inference) -> str:
    """The vendor in the title of a sheet."""
    return found.title.partition(" prices: ")[0]


def _table(vendor: str, sheets: Sequence[Inference]) -> Grid:
    """The conclusions on the sheets of a vendor, a column for each: the values at the reference, or their ranges."""
    columns = list(_columns(sheets))
    rows = [
        (f"`{_label(found)}`", *(_cell(found, target, is_range) for _, target, is_range in columns)) for found in sheets
    ]
    return Grid(("sheet", *(head for head, *_ in columns)), tuple(rows), f"The sheets of {vendor}.", _sources(sheets))


def _columns(sheets: Sequence[Inference]) -> Iterator[tuple[str, str, bool]]:
    """The columns of the questions that a sheet answers: the head, the target, and whether it shows the range."""
    for one in QUESTIONS:
        if any(one.target in found for found in sheets):
            if one.head:
                yield one.head, one.target, False
            if one.range_head:
                yield one.range_head, one.target, True


def _cell(found: Inference, target: str, is_range: bool) -> str:
    if target not in found:
        return ""
    one = found[target]
    if is_range:
        return " to ".join(_short(one, end) for end in one.bounds)
    return "" if one.answer.base is None else _short(one, one.answer.base)


def _short(one: Conclusion, base: float) -> str:
    return number(one.quantity.unit.from_base(base))


def _sources(sheets: Sequence[Inference]) -> tuple[Source, ...]:
    """Where the prices are printed."""
    cited = (found.prices["input_price"].source for found in sheets if "input_price" in found.prices)
    return tuple(dict.fromkeys(source for source in cited if source.kind == "published"))


def _distinct(sheets: Sequence[Inference], target: str) -> str:
    return ", ".join(dict.fromkeys(_short(one[target], base) for base, one in _sorted(sheets, target)))


def _sorted(sheets: Sequence[Inference], target: str) -> list[tuple[float, Inference]]:
    found = [(one[target].answer.base, one) for one in sheets if target in one]
    return sorted(((base, one) for base, one in found if base is not None), key=lambda pair: pair[0])


def _chart(
    vendors: Mapping[str, Sequence[Inference]], target: str, axis: Axis, marks: tuple[Mark, ...], height: float = 0.0
) -> Chart:
    """A line for each sheet with this conclusion, from least to greatest value, and a point at the reference."""
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
