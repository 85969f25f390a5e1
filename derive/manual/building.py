"""The manual as HTML, by Sphinx, and whether the HTML in a folder is that of the pages as they are now.

The HTML needs no network, and its search works from a folder as well as from a server. It has no dates, no paths and no
copies of the sources, so the same pages give the same bytes. A file beside it holds a digest of the pages that it was
made of, and of each of its files: with that a stale or damaged manual is found without Sphinx.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from derive.errors import ExpressionError
from derive.files import digest
from derive.manual.pages import digest as digest_of_pages

__all__ = ["DIGESTS", "built", "is_buildable", "stale"]

DIGESTS = "digests.txt"
_NEEDED = ("sphinx", "myst_parser", "furo")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_LEFT_OUT = (".map", ".buildinfo", ".LICENSE", ".inv")  # what only developers of the theme read, or other manuals
_STYLE = "own.css", ".highlight-text pre { white-space: pre-wrap; }\n"  # sentences of errors are long
_SETTINGS = {
    "html_static_path": ["_static"],
    "html_css_files": [_STYLE[0]],
    "project": "derive",
    "extensions": ["myst_parser"],
    "html_theme": "furo",
    "html_title": "derive",
    "html_show_copyright": False,
    "html_show_sphinx": False,
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_search_summary": False,  # which a browser may not read from a folder
    "html_use_index": False,
    "html_domain_indices": False,
    "html_theme_options": {"top_of_page_buttons": []},
    "myst_heading_anchors": 3,
    "highlight_language": "text",
    "suppress_warnings": ["misc.highlighting_failure"],  # the output of an example is no Python
}


def is_buildable() -> bool:
    """Whether the packages of the extra `manual` are installed."""
    return all(find_spec(package) is not None for package in _NEEDED)


def built(found: Mapping[str, str]) -> dict[str, bytes]:
    """The files of the HTML by their paths, and their digests; a warning of Sphinx (a dead link) is an error."""
    if not is_buildable():
        raise ExpressionError("The manual is made by Sphinx.", hint="Run: pip install 'derive-engine[manual]'.")
    with TemporaryDirectory() as folder:
        source, made = Path(folder, "pages"), Path(folder, "html")
        for name, text in found.items():
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        style = source / "_static" / _STYLE[0]
        style.parent.mkdir()
        style.write_text(_STYLE[1], encoding="utf-8")
        _run(source, made, Path(folder, "read"))
        paths = (path for path in sorted(made.rglob("*")) if path.is_file() and not path.name.endswith(_LEFT_OUT))
        files = {path.relative_to(made).as_posix(): path.read_bytes() for path in paths}
    return {**files, DIGESTS: _digests(digest_of_pages(found), files).encode()}


def _run(source: Path, made: Path, read: Path) -> None:
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    told = io.StringIO()
    settings = dict(_SETTINGS)
    try:
        # One process may make several manuals, and what Sphinx will one day call otherwise concerns its extensions.
        with patch_docutils(), docutils_namespace(), warnings.catch_warnings(action="ignore"):
            program = Sphinx(
                str(source), None, str(made), str(read), "html", settings, status=None, warning=told, freshenv=True
            )
            program.build(force_all=True)
    except SphinxError as error:
        told.write(str(error))
    if mistakes := _COLOUR.sub("", told.getvalue()).replace(f"{source}/", "").strip():
        raise ExpressionError(f"The pages of the manual have mistakes:\n{mistakes}", hint="Mend them.", text=mistakes)


def _digests(sources: str, files: Mapping[str, bytes]) -> str:
    lines = (f"{digest(content)} {name}" for name, content in sorted(files.items()))
    return "\n".join([f"{sources} of the pages", *lines, ""])


def unchanged(folder: Path) -> list[str]:
    """The files of the manual in a folder that are as they were made; a user's own are not among them."""
    known, there = _known(folder), _files(folder)
    same = [name for name, made in known.items() if name in there and digest(there[name].read_bytes()) == made]
    return [*same, DIGESTS] if known else same


def _known(folder: Path) -> dict[str, str]:
    """The digests of the files of the manual in a folder, by their paths; none if there is no manual."""
    try:
        _, *lines = (folder / DIGESTS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError):
        return {}
    return {name: made for made, _, name in (line.partition(" ") for line in lines)}


def _files(folder: Path) -> dict[str, Path]:
    """All files in a folder but the digests, by their paths in it."""
    there = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    there.pop(DIGESTS, None)
    return there


def stale(folder: Path, found: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the manual in a folder, in words."""
    try:
        first, *_ = (folder / DIGESTS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError):
        yield f"{DIGESTS} is missing"
        return
    if first != f"{digest_of_pages(found)} of the pages":
        yield "the pages have changed since it was made"
    known, there = _known(folder), _files(folder)
    for name in sorted(known.keys() | there.keys()):
        if name not in there:
            yield f"{name} is missing"
        elif name not in known:
            yield f"{name} is not part of it"
        elif digest(there[name].read_bytes()) != known[name]:
            yield f"{name} is not as it was made"
