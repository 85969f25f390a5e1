"""Sliders: a control for each given of a question, and its answer, worked out again at each move.

The answer is the solver's, with its checks; what cannot be answered says why in words. A question that takes long
to answer makes the sliders slow, and never wrong.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from derive.errors import DeriveError, ExpressionError
from derive.presentation.failed_checks import cautions
from derive.presentation.text import headline
from derive.tables.extras import package
from quantities.declaration import Declaration, read_given
from quantities.value import Value

__all__ = ["Panel", "panel"]

_DECADES = 100.0  # how many times the lower end the upper one is, where a slider is logarithmic
_STEPS = 400
_WIDTH = "36rem"


@dataclass(frozen=True)
class Panel:
    """The controls of a question by name, the answer as HTML, and the box that holds them all."""

    controls: Mapping[str, Any]
    shown: Any
    box: Any
    given: Callable[[], dict[str, Any]]
    """What the controls state now."""


def panel(library: Any, target: str, profiles: Sequence[str], given: Mapping[str, Any]) -> Panel:
    """The controls of one question."""
    widgets = package("ipywidgets", "notebook")
    library.declaration(target)
    made = {name: _control(widgets, library.declaration(name), said) for name, said in given.items()}
    shown = widgets.HTML()

    def stated() -> dict[str, Any]:
        return {name: read(control.value) for name, (control, read) in made.items()}

    def answer(_: object = None) -> None:
        shown.value = _answered(library, target, profiles, stated)

    controls = {name: control for name, (control, _) in made.items()}
    for control in controls.values():
        control.observe(answer, names="value")
    answer()
    return Panel(controls, shown, widgets.VBox([*controls.values(), shown]), stated)


def _answered(library: Any, target: str, profiles: Sequence[str], stated: Callable[[], dict[str, Any]]) -> str:
    """The answer in one line, with what does not hold; or why there is none."""
    try:
        found = library.solve(target, *profiles, **stated())
    except DeriveError as error:
        return f'<p style="color: #b3261e">{html.escape(str(error))}</p>'
    said = [f"<b>{html.escape(headline(found))}</b>"]
    said += [f'<span style="color: #b3261e">{html.escape(one)}</span>' for one in cautions(found)]
    said += [html.escape(f"{relation}: {arm}") for relation, arm in found.regime.items()]
    return "<br>".join(said)


def _control(widgets: Any, quantity: Declaration, said: Any) -> tuple[Any, Callable[[Any], Any]]:
    """A control for what was said of a quantity, and how its position is read as a given."""
    layout = {"layout": widgets.Layout(width=_WIDTH), "style": {"description_width": "14rem"}}
    if isinstance(said, (list, tuple)):
        if not said:
            raise ExpressionError(f"{quantity.name}: the list is empty.", hint="Give its values, or a range.")
        for one in said:
            read_given(one, quantity)
        return widgets.Dropdown(options=[str(one) for one in said], description=quantity.name, **layout), str
    value = read_given(said, quantity)
    if not value.is_range:
        text = said if isinstance(said, str) else str(value)
        return widgets.Text(value=text, description=quantity.name, continuous_update=False, **layout), str
    return _slider(widgets, quantity, value, layout)


def _slider(
    widgets: Any, quantity: Declaration, value: Value, layout: Mapping[str, Any]
) -> tuple[Any, Callable[[Any], Any]]:
    """A slider over a range, in the unit in which it was stated."""
    low, high, unit = value.low, value.high, value.unit.text
    label = f"{quantity.name} [{unit}]" if unit not in ("", "1") else quantity.name
    common = {"description": label, "readout_format": ".5g", **layout}

    def read(number: Any) -> str:
        return f"{number!r} {unit}".strip()

    if quantity.domain.whole and float(low).is_integer() and float(high).is_integer():
        middle = round((low * high) ** 0.5) if low > 0 else round((low + high) / 2)
        return widgets.IntSlider(min=int(low), max=int(high), value=middle, description=label, **layout), read
    if low > 0 and high / low >= _DECADES:
        from math import log10, sqrt

        ends = {"min": log10(low), "max": log10(high), "step": (log10(high) - log10(low)) / _STEPS}
        slider = widgets.FloatLogSlider(base=10, value=sqrt(low * high), **ends, **common)
        return slider, lambda number: read(min(max(number, low), high))
    step = (high - low) / _STEPS
    return widgets.FloatSlider(min=low, max=high, step=step, value=(low + high) / 2, **common), read
