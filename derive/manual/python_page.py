"""The page on the Python interface, made of the docstrings of all public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import derive
from derive.manual.docstrings import as_markdown

__all__ = ["python_page"]

_OPENING = """# The Python interface

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


def python_page() -> str:
    """The page as Markdown."""
    return "\n".join([_OPENING, *_sections()])


def _sections() -> Iterator[str]:
    verbs = {name for name in derive.__all__ if _is_method(getattr(derive, name))}
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


def _is_method(thing: Any) -> bool:
    return inspect.ismethod(thing)


def _members(name: str, kind: type) -> Iterator[str]:
    """The public methods and properties of a class that it or its public ancestors document."""
    seen: set[str] = set()
    for ancestor in kind.__mro__:
        if not ancestor.__module__.startswith(("derive", "quantities")):
            continue
        for member, thing in vars(ancestor).items():
            plain = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
            is_told = inspect.isfunction(plain) or isinstance(plain, (property, cached_property))
            if is_told and not member.startswith("_") and member not in seen and plain.__doc__:
                seen.add(member)
                yield _entry("###", f"{name}.{member}", plain, inspect.isfunction(plain))


def _entry(heading: str, name: str, thing: Any, is_called: bool) -> str:
    """A name with its signature, if it is called, and its docstring."""
    signature = f"```python\n{name.rpartition('.')[2]}{_signature(thing)}\n```\n\n" if is_called else ""
    return f"{heading} {name}\n\n{signature}{as_markdown(thing.__doc__ or '')}\n"


def _signature(thing: Any) -> str:
    """The signature without the instance, and without addresses."""
    signature = inspect.signature(thing)
    parameters = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    text = _ADDRESS.sub("", str(signature.replace(parameters=parameters)))
    return _QUOTED.sub(r"\1\2", text)
