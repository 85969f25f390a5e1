"""The limits of report templates, which may come from anywhere: what they reach, and how much they make.

They run in Jinja's sandbox, further restricted: a template can call its vocabulary and read the attributes that `_OPEN`
lists, and no others. Its parts lie in its own folder. What takes long is ended by the time limit; what would be large
is refused before it is made, since nothing can end a single operation on texts and numbers of any size.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateNotFound
from jinja2.compiler import CodeGenerator, operators
from jinja2.nodes import Compare, Concat, Expr, Tuple
from jinja2.runtime import LoopContext
from jinja2.sandbox import SandboxedEnvironment, safe_range
from jinja2.utils import Namespace

from derive.borders import Border, Borders, Region
from derive.comparison.comparison_result import Comparison, Factor
from derive.errors import ExpressionError, LimitError
from derive.optimization.optimum import Optimum
from derive.reports.proofs import Form

OPENING = re.compile(r"\A\+\+\+\n(.*?)^\+\+\+\n", re.DOTALL | re.MULTILINE)
"""The settings of a template before its title."""

HOLDER = "\ue000"
"""The character before the number of an object in the text of a report."""

_MOST_CHARACTERS = 20_000_000  # that a template may make in all; a report has some hundred thousand
_MOST_ITEMS = 200_000  # in a list, with all that is in its lists, a text counting as one for each hundred characters
_MOST_CALLS = 2_000_000
_MOST_BITS = 4096  # of a whole number

_OPEN: dict[type, frozenset[str]] = {
    dict: frozenset({"get", "items", "keys", "update", "values"}),
    list: frozenset({"append"}),
    str: frozenset({"join", "lower", "partition", "replace", "split", "startswith", "strip", "title", "upper"}),
    Borders: frozenset({"regions"}),
    Border: frozenset({"equation", "kind", "of", "relation"}),
    Comparison: frozenset({"factors", "ratio"}),
    Factor: frozenset({"after", "amount", "before", "label"}),
    Optimum: frozenset({"answer", "profiles", "proved", "reasons"}),
    Region: frozenset({"arms", "failed", "share"}),
    Form: frozenset({"at", "limit", "plain", "simplified", "slope", "without"}),
}
_FILTERS = (
    *("dictsort", "first", "float", "int", "items", "join", "last", "length", "list", "lower", "map", "replace"),
    *("reverse", "round", "sort", "string", "sum", "title", "trim", "unique", "upper"),
)


class _Folder(FileSystemLoader):
    """The templates of a folder, without their settings; line numbers stay the same."""

    def __init__(self, template: Path) -> None:
        super().__init__(template.parent, encoding="utf-8-sig")
        self._first = template.name

    def get_source(self, environment: Any, template: str) -> tuple[str, str, Any]:
        """The text that the sandbox lets a template reach: itself or a part in its folder, settings blanked out."""
        if template != self._first:
            self._prove_inside(template)
        text, file, is_current = super().get_source(environment, template)
        if HOLDER in text:
            what = f"{template} holds the character U+{ord(HOLDER):04X}, which marks answers here."
            raise ExpressionError(what, hint="Leave it out.", text=HOLDER)
        return OPENING.sub(lambda match: "\n" * match[0].count("\n"), text), file, is_current

    def _prove_inside(self, template: str) -> None:
        """Refuse, for the sandbox, a part of a template outside its folder, no plain file, or too large."""
        folder = Path(self.searchpath[0]).resolve()
        part = (folder / template).resolve()
        if not part.is_relative_to(folder):
            what = f"The part {template} lies outside the folder of the template."
            raise ExpressionError(what, hint="Copy it into the folder.", text=template)
        if os.path.exists(part) and not os.path.isfile(part):
            raise ExpressionError(f"The part {template} is not a file.", hint="Include a text file.", text=template)
        if os.path.isfile(part) and part.stat().st_size > _MOST_CHARACTERS:
            raise _too_much()
        if ".." in Path(template).parts or not os.path.exists(part):
            what = f"There is no part {template} in the folder of the template."
            raise TemplateNotFound(template, f"{what} Give a path in that folder, without '..'")


class _Generator(CodeGenerator):
    """Jinja's translation into Python, in which texts are counted as they are made.

    What is compared, and what may become a key, is proved to be small: Python compares lists of lists in one go.
    """

    def visit_Concat(self, node: Concat, frame: Any) -> None:  # noqa: N802
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Compare(self, node: Compare, frame: Any) -> None:  # noqa: N802
        self.write("(")
        self._small(node.expr, frame)
        for operand in node.ops:
            self.write(f" {operators[operand.op]} ")
            self._small(operand.expr, frame)
        self.write(")")

    def visit_Tuple(self, node: Tuple, frame: Any) -> None:  # noqa: N802
        if node.ctx == "load":
            self.write("environment.small(")
            super().visit_Tuple(node, frame)
            self.write(")")
        else:
            super().visit_Tuple(node, frame)

    def _small(self, node: Expr, frame: Any) -> None:
        self.write("environment.small(")
        self.visit(node, frame)
        self.write(")")

    def _output_const_repr(self, group: Any) -> str:
        return f"environment.counted({super()._output_const_repr(group)})"


class Sandbox(SandboxedEnvironment):
    """Jinja's sandbox, restricted to what a template needs."""

    code_generator_class = _Generator
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, template: Path, put: Callable[[Any], str], vocabulary: Mapping[str, Any]) -> None:
        """Restrict the sandbox to these words, and to templates in the folder of this one; `put` writes a value."""
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            loader=_Folder(template),
            finalize=lambda value: self.counted(put(value)),
            undefined=StrictUndefined,
            extensions=("jinja2.ext.do",),
        )
        self._characters = self._calls = 0
        self.filters = {name: _limited(name, self.filters[name]) for name in _FILTERS}
        self.tests = {name: _limited(name, self.tests[name]) for name in self.tests}
        self.globals = {"range": safe_range, "dict": dict, "namespace": Namespace, **vocabulary}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, (LoopContext, Namespace)):
            return not attr.startswith("_")
        return any(isinstance(obj, kind) and attr in names for kind, names in _OPEN.items())

    def wrap_str_format(self, value: Any) -> None:
        """Give the sandbox no `format` of a text, since its width is unlimited."""

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """The result of an operator in a template, within the sandbox's limits on the sizes of numbers and texts."""
        if operator == "**" and isinstance(left, int) and isinstance(right, int):
            return float(left) ** right
        if operator == "+":
            _prove_small(left, right)
        elif any(isinstance(side, (str, list, tuple)) for side in (left, right)):
            raise ExpressionError(f"A string or a list is used with {operator}.", hint="Only numbers can be.")
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > _MOST_BITS:
            raise LimitError("A whole number is too large.", hint="Write 1.0 for 1.", limit=f"{_MOST_BITS} bits")
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The result of a call in a template; the sandbox limits the number of calls and the size of arguments."""
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise LimitError("It calls too much.", hint="Take fewer rows or points.", limit=f"{_MOST_CALLS} calls")
        _prove_small(*args, *kwargs.values())
        if isinstance(text := getattr(obj, "__self__", None), str):
            _prove_room(obj.__name__, (text, *args))
        return super().call(context, obj, *args, **kwargs)

    def joined(self, parts: Sequence[Any]) -> str:
        """Texts and numbers of a template as one text, within the sandbox's limits."""
        _prove_small(*parts)
        return self.counted("".join(map(str, parts)))

    def small(self, value: Any) -> Any:
        """A value of a template, once it is proved to be no list of more items than the sandbox allows."""
        _prove_small(value)
        return value

    def counted(self, text: str) -> str:
        """A text that a template has made, added to its count of characters; an error beyond the sandbox's limit."""
        self._characters += len(text)
        if self._characters > _MOST_CHARACTERS:
            raise _too_much()
        return text


def _limited(name: str, act: Any) -> Callable[..., Any]:
    """A filter or test of templates that refuses arguments too large for the sandbox, and lists its results at once."""

    @wraps(act)
    def within(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        _prove_small(*given)
        _prove_room(name, [value for value in given if isinstance(value, (str, list, tuple, dict, range))])
        result = act(*args, **kwargs)
        return list(result) if isinstance(result, Iterator) else result

    return within


def _prove_small(*values: Any) -> None:
    """Refuse, in the sandbox, values of a template with so many items that comparing or writing them would not end.

    An item is counted as often as it would be written down: a list of twice the same list, in twenty levels, has a
    million of them.
    """
    pending, count = [*values], 0
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            pending += value
        count += 1 + (len(value) // 100 if isinstance(value, str) else 0)
        if count + len(pending) > _MOST_ITEMS:
            raise _too_much()


def _prove_room(name: str, given: Sequence[Any]) -> None:
    """Refuse, in the sandbox, a replacement or joining of texts whose result would be too large."""
    if name == "replace" and len(given) > 2:
        text, old, new, *_ = map(str, given)
        if len(text) + text.count(old) * len(new) > _MOST_CHARACTERS:
            raise _too_much()
    elif name == "join" and len(given) > 1 and len(given[0]) * len(given[1]) > _MOST_CHARACTERS:
        raise _too_much()


def _too_much() -> LimitError:
    hint = "End what repeats itself, or make several reports."
    return LimitError("The template makes too much text.", hint=hint, limit=f"{_MOST_CHARACTERS} characters")
