"""The built-in reports: one template each, in order; the volume binds them all."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["TEMPLATES", "VOLUME", "parts", "titles"]

TEMPLATES = Path(__file__).parent / "templates"
"""The templates of the reports; folders below have parts that several of them share, or that are long."""

VOLUME = "volume"


@cache
def titles() -> dict[str, str]:
    """The titles of the reports by the names of their templates; the volume last.

    >>> titles()["roofline"]
    'A. The roofline'
    """
    found = {path.stem: path.read_text(encoding="utf-8").splitlines()[0][2:] for path in TEMPLATES.glob("*.md")}
    return dict(sorted(found.items(), key=lambda item: (item[0] == VOLUME, item[1])))


def parts() -> tuple[str, ...]:
    """The reports of the volume."""
    return tuple(name for name in titles() if name != VOLUME)
