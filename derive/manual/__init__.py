"""The manual: its pages as Markdown, written here with the theory of modules set in, or made, and the HTML of them.

A line `<!-- theory: planning.plan -->` in a page stands for what the module of that name says of itself, so that a
proof is written once, above its code.

Three pages are made: that on the command line of the verbs themselves, what `derive VERB -h` prints; that on errors of
what each says and of its specimens; that on the Python interface of the docstrings of all public names.

A specimen is a file: a title, what somebody typed, the error's class (or the exit status), and its sentence. The tests
type them all and compare the sentences.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import click

import derive
from derive.errors import NOES, ExpressionError
from derive.files import digest as digest_of

HOME = Path(__file__).parent
_PACKAGE = HOME.parent
_THEORY = re.compile(r"^<!-- theory: ([\w.]+) -->$", re.MULTILINE)
_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([*<])")


def written_pages() -> Mapping[str, str]:
    """The pages of this folder by their paths, as they are written."""
    return {path.relative_to(HOME).as_posix(): path.read_text(encoding="utf-8") for path in sorted(HOME.rglob("*.md"))}


def pages(program: click.Group) -> Mapping[str, str]:
    """All pages of the manual by their paths."""
    written = {name: _THEORY.sub(lambda match: theory(match[1]), text) for name, text in written_pages().items()}
    return {
        **written,
        "changes.md": (_PACKAGE / "CHANGES.md").read_text(encoding="utf-8"),
        "reference/command-line.md": "\n".join(_command_line(program)),
        "reference/python.md": "\n".join(_python()),
        "reference/errors.md": "\n".join(_errors()),
    }


def theory(module: str) -> str:
    """What a module of the package says of itself on a page of the manual, and where it stands.

    >>> theory("planning.matching").splitlines()[0]
    'Maximum matching of relations to unknowns: which relations are needed, and which unknowns stay open.'
    """
    path = _PACKAGE / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        raise ExpressionError(f"A page of the manual names {module}, which is no module.", text=module)
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return f"{as_markdown(docstring)}\n\n*(`derive.{module}`)*"


def digest(texts: Mapping[str, str]) -> str:
    """A digest of pages: two sets of pages have the same only if they are the same."""
    parts = (f"{len(name)} {len(text)} {name}{text}" for name, text in sorted(texts.items()))
    return digest_of("".join(parts).encode())


_WIDTH = 100
_OPENING = """# The command line

`derive` and `python -m derive` are the same. What a verb answers goes to standard output; cautions and errors go to
standard error. The exit status is 0 for done; 1 where the answer is no (units that do not fit, an undetermined or
contradictory question, no solution or several, a limit, a stale report); 2 where the command or its text was
wrong. `--json` prints data, in which null stands for what is infinite or not known.
"""


def _command_line(program: click.Group) -> Iterator[str]:
    """The manual's page on the command line: each verb under a heading of its own, in the order of declaration."""
    yield _OPENING
    for verb, command in program.commands.items():
        context = click.Context(
            command,
            info_name=f"derive {verb}",
            terminal_width=_WIDTH,
            max_content_width=_WIDTH,
            help_option_names=["-h", "--help"],
        )
        lines = (line.rstrip() for line in command.get_help(context).split("\n"))
        yield f"## derive {verb}\n\n```text\n{chr(10).join(lines)}\n```\n"


SPECIMENS = Path(__file__).with_name("specimens")

_ERRORS_OPENING = """# Errors

Every error is a `derive.DeriveError`. It says what is wrong and where, and ends with what would mend it; it has its
facts as fields. Below, each has its specimens: what somebody typed, and what is told, word for word. On the command
line the exit status is 1 where the question was understood and the answer is no ({noes}), and 2 where the command or
its text was wrong.
"""


@dataclass(frozen=True)
class Specimen:
    """What was typed, and the error that it comes to."""

    title: str
    typed: str
    kind: str  # the error's class, or the exit status of a command
    told: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """The specimen in a file of the manual; without an error, if only its title and what was typed are there."""
        title, _, rest = path.read_text(encoding="utf-8").partition("\n")
        lines = rest.split("\n")
        plain = [number for number, line in enumerate(lines) if line and not line.startswith(" ")]
        middle = plain[0] if plain else len(lines)
        typed, told = (textwrap.dedent("\n".join(part)).strip("\n") for part in (lines[:middle], lines[middle + 1 :]))
        return cls(title, typed, lines[middle] if plain else "", told)

    def __str__(self) -> str:
        typed, told = (textwrap.indent(text, "    ") for text in (self.typed, self.told))
        return f"{self.title}\n\n{typed}\n\n{self.kind}\n\n{told}\n"


def specimens() -> list[Specimen]:
    """All specimens, by the names of their files."""
    return [Specimen.read(path) for path in sorted(SPECIMENS.glob("*.txt"))]


def _errors() -> Iterator[str]:
    """The manual's page on errors: each class with its fields and specimens, then what the command line says."""
    yield _ERRORS_OPENING.format(noes=", ".join(f"`{kind.__name__}`" for kind in NOES))
    collection = specimens()
    kinds = sorted(name for name in derive.__all__ if name.endswith("Error") and name != "DeriveError")
    for name in kinds:
        kind = getattr(derive, name)
        fields = [field for field in kind.__annotations__ if not field.startswith("_")]
        yield f"## {name}\n\n{as_markdown(kind.__doc__ or '')}\n"
        if fields:
            yield f"Fields: {', '.join(f'`.{field}`' for field in fields)}.\n"
        yield from (_specimen_text(specimen) for specimen in collection if specimen.kind == name)
    yield "## On the command line\n"
    yield from (_specimen_text(specimen) for specimen in collection if specimen.kind.startswith("exit"))


def _specimen_text(specimen: Specimen) -> str:
    """A specimen under its title; four ticks, since what was typed may hold three."""
    return f"### {specimen.title}\n\n````text\n{specimen.typed}\n````\n\n````text\n{specimen.told}\n````\n"


_PYTHON_OPENING = """# The Python interface

`import derive` gives the names below. The verbs of the built-in library are functions of the module, too:
`derive.solve(...)` is `derive.llm.solve(...)`, and so are `solve_all`, `formula`, `compile`, `sweep`, `stream`,
`sample`, `reach`, `profile`, `least`, `most`, `front` and `border`; they are described under `Library`. Errors have
[a page of their own](errors.md).
"""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_QUOTED = re.compile(r"(: |-> )'([^']*)'")  # an annotation
_DATA = {
    "base_units": "The coherent base unit of each dimension, in which closed forms hold.",
    "llm": "The built-in library: the economics of a language-model token. It is read on first use.",
    "units": "The pint registry that all values belong to.",
}


def _python() -> Iterator[str]:
    """The manual's page on Python: functions, classes with their members, and data; verbs are members of `Library`."""
    yield _PYTHON_OPENING
    verbs = {name for name in derive.__all__ if inspect.ismethod(getattr(derive, name))}
    names = [name for name in derive.__all__ if name not in verbs and not name.endswith("Error")]
    functions = [name for name in names if inspect.isfunction(getattr(derive, name))]
    classes = [name for name in names if inspect.isclass(getattr(derive, name))]
    for name in (*functions, *classes):
        thing = getattr(derive, name)
        yield _entry("##", f"derive.{name}", thing, inspect.isfunction(thing))
        if name in classes:
            yield from _members(name, thing)
    for name in sorted({*names} - {*functions, *classes}):
        yield f"## derive.{name}\n\n{_DATA[name]}\n"


def _members(name: str, kind: type) -> Iterator[str]:
    """The public methods and properties of a class in the manual that it or its public ancestors document."""
    seen: set[str] = set()
    for ancestor in kind.__mro__:
        if not ancestor.__module__.startswith(("derive", "quantities")):
            continue
        for member, thing in vars(ancestor).items():
            plain = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
            is_documented = inspect.isfunction(plain) or isinstance(plain, (property, cached_property))
            if is_documented and not member.startswith("_") and member not in seen and plain.__doc__:
                seen.add(member)
                yield _entry("###", f"{name}.{member}", plain, inspect.isfunction(plain))


def _entry(heading: str, name: str, thing: Any, is_called: bool) -> str:
    """A name with its docstring; what is called with its signature, without the instance and without addresses."""
    shown = ""
    if is_called:
        signature = inspect.signature(thing)
        parameters = [parameter for parameter in signature.parameters.values() if parameter.name not in ("self", "cls")]
        text = _QUOTED.sub(r"\1\2", _ADDRESS.sub("", str(signature.replace(parameters=parameters))))
        shown = f"```python\n{name.rpartition('.')[2]}{text}\n```\n\n"
    return f"{heading} {name}\n\n{shown}{as_markdown(thing.__doc__ or '')}\n"


# Docstrings as Markdown: paragraphs stay, examples become blocks of Python, what is indented stays as it stands


def as_markdown(docstring: str) -> str:
    """A docstring as Markdown for a page of the manual.

    >>> as_markdown("Twice a*b, `a*b`:\\n\\n    a = b*c\\n\\nis a<b").split(chr(10))
    ['Twice a\\\\*b, `a*b`:', '', '    a = b*c', '', 'is a\\\\<b']
    >>> as_markdown(chr(62)*3 + " 2*3\\n6").split(chr(10))
    ['```python', '>>> 2*3', '6', '```']
    """
    lines: list[str] = []
    is_example = False
    for line in inspect.cleandoc(docstring).split("\n"):
        if line.startswith(">>> ") and not is_example:
            lines += ["```python", line]
            is_example = True
        elif is_example and not line:
            lines += ["```", ""]
            is_example = False
        else:
            lines.append(line if is_example or line.startswith("    ") else escaped(line))
    return "\n".join([*lines, "```"] if is_example else lines)


def escaped(text: str) -> str:
    """A line of a docstring for a page of the manual, with asterisks and angle brackets outside backticks escaped."""
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in _CODE.split(text))


# The manual as HTML, by Sphinx, and whether the HTML in a folder is that of the pages as they are now
#
# The HTML needs no network, and its search works from a folder as well as from a server. It has no dates, no paths and
# no copies of the sources, so the same pages give the same bytes. A file beside it holds a digest of the pages that it
# was made of, and of each of its files: with that a stale or damaged manual is found without Sphinx.

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


def built(texts: Mapping[str, str]) -> dict[str, bytes]:
    """The manual's HTML files by their paths, and their digests; a warning of Sphinx (a dead link) is an error."""
    if not is_buildable():
        raise ExpressionError("The manual is made by Sphinx.", hint="Run: pip install 'derive-engine[manual]'.")
    with TemporaryDirectory() as folder:
        source, html = Path(folder, "pages"), Path(folder, "html")
        for name, text in texts.items():
            place = source / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        style = source / "_static" / _STYLE[0]
        style.parent.mkdir()
        style.write_text(_STYLE[1], encoding="utf-8")
        _run(source, html, Path(folder, "read"))
        paths = (path for path in sorted(html.rglob("*")) if path.is_file() and not path.name.endswith(_LEFT_OUT))
        files = {path.relative_to(html).as_posix(): path.read_bytes() for path in paths}
    lines = (f"{digest_of(content)} {name}" for name, content in sorted(files.items()))
    return {**files, DIGESTS: "\n".join([f"{digest(texts)} of the pages", *lines, ""]).encode()}


def _run(source: Path, html: Path, read: Path) -> None:
    """Run Sphinx on the manual's pages; an ExpressionError with all that it warns of."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    log = io.StringIO()
    settings = dict(_SETTINGS)
    try:
        # One process may make several manuals, and what Sphinx will one day call otherwise concerns its extensions.
        with patch_docutils(), docutils_namespace(), warnings.catch_warnings(action="ignore"):
            program = Sphinx(
                str(source), None, str(html), str(read), "html", settings, status=None, warning=log, freshenv=True
            )
            program.build(force_all=True)
    except SphinxError as error:
        log.write(str(error))
    if mistakes := _COLOUR.sub("", log.getvalue()).replace(f"{source}/", "").strip():
        raise ExpressionError(f"The pages of the manual have mistakes:\n{mistakes}", hint="Mend them.", text=mistakes)


def unchanged(folder: Path) -> list[str]:
    """The files of the manual in a folder that are as they were made; a user's own are not among them."""
    (_, known), there = _digests(folder), _files(folder)
    same = [name for name in known if name in there and digest_of(there[name].read_bytes()) == known[name]]
    return [*same, DIGESTS] if known else same


def _digests(folder: Path) -> tuple[str | None, dict[str, str]]:
    """What a folder says of the pages of its manual, and the digest of each file by its path; none without a manual."""
    try:
        first, *lines = (folder / DIGESTS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError, ValueError):
        return None, {}
    return first, {name: digest_of_file for digest_of_file, _, name in (line.partition(" ") for line in lines)}


def _files(folder: Path) -> dict[str, Path]:
    """All files in a folder of the manual but its digests, by their paths in it."""
    there = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    there.pop(DIGESTS, None)
    return there


def stale(folder: Path, texts: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the manual in a folder, in words."""
    (first, known), there = _digests(folder), _files(folder)
    if first is None:
        yield f"{DIGESTS} is missing"
        return
    if first != f"{digest(texts)} of the pages":
        yield "the pages have changed since it was made"
    for name in sorted(known.keys() | there.keys()):
        if name not in there:
            yield f"{name} is missing"
        elif name not in known:
            yield f"{name} is not part of it"
        elif digest_of(there[name].read_bytes()) != known[name]:
            yield f"{name} is not as it was made"
