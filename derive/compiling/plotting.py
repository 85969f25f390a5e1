"""Pictures of tables: the only door to matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, ExpressionError

if TYPE_CHECKING:
    from derive.compiling.sweeping import Table

__all__ = ["plot"]

_DECADES = 2.0  # ratio of the ends, in powers of ten, from which an axis is logarithmic
_LINES = 8  # values of the second axis that are drawn


def plot(table: Table) -> Any:
    """A figure of the targets along the first axis; a line for each value of the second."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise DeriveError("Plots need matplotlib.", hint="pip install 'derive-engine[figures]'") from None
    import numpy

    if not table.axes:
        raise ExpressionError("The table has no axis to plot along.", hint="Give span(...) for one of the givens.")
    names = list(table.axes)
    along = table.axes[names[0]]
    figure = Figure(figsize=(6.4, 3.6 * len(table.columns)), layout="constrained")
    panels = figure.subplots(len(table.columns), 1, squeeze=False)[:, 0]
    for panel, (target, column) in zip(panels, table.columns.items(), strict=True):
        lines = numpy.reshape(column, (len(along), -1))
        step = max(1, lines.shape[1] // _LINES)
        for i in range(0, lines.shape[1], step):
            label = (
                f"{names[1]} = {table.axes[names[1]][i % len(table.axes[names[1]])]:.4g}" if len(names) > 1 else None
            )
            panel.plot(along, lines[:, i], label=label)
        panel.set_xlabel(_label(names[0], table))
        panel.set_ylabel(_label(target, table))
        panel.set_xscale("log" if _is_wide(along) else "linear")
        panel.set_yscale("log" if _is_wide(lines) else "linear")
        panel.grid(alpha=0.3)
        if len(names) > 1:
            panel.legend(fontsize="small")
    return figure


def _label(name: str, table: Table) -> str:
    unit = table.units[name]
    return f"{name.replace('_', ' ')} [{unit}]" if unit not in ("", "1") else name.replace("_", " ")


def _is_wide(numbers: Any) -> bool:
    """Whether the numbers span enough decades to be drawn on a logarithmic axis."""
    import numpy

    finite = numpy.asarray(numbers)[numpy.isfinite(numbers)]
    return bool(finite.size and finite.min() > 0 and finite.max() / finite.min() >= 10**_DECADES)
