"""What a notebook shows of an object.

A notebook asks the object itself, which lies below the rooms that know HTML and pictures. So the way is found by name
when it is asked for, as `derive/__init__` finds its own, and costs nothing before.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WAYS = "derive.notebook"


class NotebookDisplay:
    """A base of what notebooks show: typeset, as LaTeX, and as the text that `print` would show."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls._repr_pretty_ = NotebookDisplay._repr_pretty_  # type: ignore[method-assign]  # IPython prefers a class's own __repr__

    def _repr_html_(self) -> str | None:
        return import_module(_WAYS).as_html(self)  # type: ignore[no-any-return]

    def _repr_latex_(self) -> str | None:
        return import_module(_WAYS).as_latex(self)  # type: ignore[no-any-return]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(import_module(_WAYS).as_text(self))
