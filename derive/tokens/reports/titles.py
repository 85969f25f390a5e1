"""The titles of the built-in reports, in their order, and of the pages with sliders among them.

Each report has a template, and the volume binds them all; `pages.toml` says what each page asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"
"""The templates of the reports; folders below have parts that several of them share, or that are long."""

VOLUME = "volume"


@cache
def titles() -> dict[str, str]:
    """The titles of the built-in reports by the names of their templates; the volume last.

    >>> titles()["roofline"]
    'A. The roofline'
    """
    headings = {path.stem: path.read_text(encoding="utf-8").splitlines()[0][2:] for path in TEMPLATES.glob("*.md")}
    return dict(sorted(headings.items(), key=lambda item: (item[0] == VOLUME, item[1])))


def volume_names() -> tuple[str, ...]:
    """The names of the reports with a title that the volume binds."""
    return tuple(name for name in titles() if name != VOLUME)


_PAGES = Path(__file__).with_name("pages.toml")


@cache
def page_questions() -> Mapping[str, Mapping[str, Any]]:
    """The titles of the pages with sliders among the reports, and what each asks, by their names in `pages.toml`."""
    import tomli

    return tomli.loads(_PAGES.read_text(encoding="utf-8"))


def page_names() -> tuple[str, ...]:
    """The names of the titled pages with sliders among the built-in reports, as their files are named.

    >>> page_names()[:2]
    ('pages/roofline', 'pages/cliff')
    """
    return tuple(f"pages/{name}" for name in page_questions())


def page_titles() -> dict[str, str]:
    """The titles of the pages with sliders by the names of their files."""
    return {f"pages/{name}": question["title"] for name, question in page_questions().items()}
