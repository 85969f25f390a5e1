"""The built-in reports: one template each, in order; the volume binds them all.

Among the reports are pages with sliders: `pages.toml` says what each asks.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"
"""The templates of the reports; folders below have parts that several of them share, or that are long."""

VOLUME = "volume"


@cache
def titles() -> dict[str, str]:
    """The titles of the reports by the names of their templates; the volume last.

    >>> titles()["roofline"]
    'A. The roofline'
    """
    headings = {path.stem: path.read_text(encoding="utf-8").splitlines()[0][2:] for path in TEMPLATES.glob("*.md")}
    return dict(sorted(headings.items(), key=lambda item: (item[0] == VOLUME, item[1])))


def parts() -> tuple[str, ...]:
    """The names of the reports that the volume binds."""
    return tuple(name for name in titles() if name != VOLUME)


_PAGES = Path(__file__).with_name("pages.toml")
_PACKED = re.compile(r'(?<=id="packed">)[^<]*')


@cache
def _page_questions() -> Mapping[str, Mapping[str, Any]]:
    import tomli

    return tomli.loads(_PAGES.read_text(encoding="utf-8"))


def page_names() -> tuple[str, ...]:
    """The names of the pages with sliders, as their files are named.

    >>> page_names()[:2]
    ('pages/roofline', 'pages/cliff')
    """
    return tuple(f"pages/{name}" for name in _page_questions())


def page_titles() -> dict[str, str]:
    """The titles of the pages with sliders by the names of their files."""
    return {f"pages/{name}": question["title"] for name, question in _page_questions().items()}


@cache
def page_text(name: str) -> str:
    """The HTML of a page with sliders, by its name among the reports."""
    from derive.pages.page import page
    from derive.tokens.relations import library

    question = _page_questions()[name.removeprefix("pages/")]
    return page(
        library(), question["targets"], question["profiles"], question["given"], title=question["title"], uses=["llm"]
    )


def same_page(first: str, second: str) -> bool:
    """Whether two pages with sliders say the same: what is packed in them is compared as it is unpacked."""
    from derive.pages.page import unpacked

    if _PACKED.sub("", first) != _PACKED.sub("", second):
        return False
    try:
        (first_packed,), (second_packed,) = _PACKED.findall(first), _PACKED.findall(second)
        return unpacked(first_packed) == unpacked(second_packed)
    except (ValueError, zlib.error):  # not one packed part in each, or a damaged one
        return False
