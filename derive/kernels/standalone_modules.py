"""A question as a file that computes by itself: a Python module that needs nothing.

It holds the program that a page has (`browser_programs`), with its numbers, checks and reasons. `value` is what a
compiled function yields: NaN where there is no value. `answer` says besides which checks fail, and why there is no
value. What only the solver can tell is an error in both, never a number.

The lines that a browser runs are Python text already. Here each function has a name of its own, a quotient is one that
does not raise, and what `m` stands for is in `math` or in `python_runtime`, whose text comes first.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from types import FunctionType
from typing import Any

from derive.errors import DeriveError, LimitError
from derive.expressions import special_functions
from derive.expressions.functions import TABLE
from derive.files import MARK
from derive.kernels.agreement import definitions_determined
from derive.kernels.backends import python_runtime
from derive.kernels.backends.emitter import Bundle, Language, Script, refusing_what_is_too_deep
from derive.kernels.browser_programs.program import Program, program_of
from derive.kernels.compiled_functions import generic_question, refuse_depending_on_case, used_values
from derive.model.relation_set import RelationSet
from derive.planning.networks import reached
from quantities.value import Value

_SPELLED = {"isWhole": "is_whole"}  # what Python calls otherwise
_DIRECT = {"pow": "power", "abs": "abs", "erfinv": "erfinv"}  # what is called as it is, since it raises nothing
_SPECIAL = {name for name, entry in TABLE.items() if entry.value.__module__ == special_functions.__name__} - {*_DIRECT}
"""What is neither in `math` nor in `python_runtime`."""


def module_text(library: RelationSet, target: str, given: Iterable[str], profiles: Iterable[Any] = ()) -> str:
    """The text of a standalone Python module, in which `value` and `answer` take the givens by name.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> space = {}
    >>> exec(module_text(circuits, "resistance", ["voltage", "current"]), space)
    >>> space["value"](voltage=12.0, current=4.0), space["UNIT"]
    (3.0, 'ohm')
    """
    names = [library.declaration(name).name for name in dict.fromkeys(given)]
    question = generic_question(library, target, names, tuple(profiles))
    fixed = used_values(library, question)
    refuse_depending_on_case(library, question, fixed, names)
    determined = definitions_determined(library, names)
    if determined:
        what = f"What is given determines {determined[0]}, and may contradict what it is defined as"
        raise LimitError(
            f"{what}, which a file does not test.",
            hint=f"Leave one of the givens out, or give {determined[0]} as well.",
            limit="a standalone module",
        )
    beside = {name: value for name, value in question.weak.items() if name in question.origins and name not in fixed}
    program = program_of(library, target, [*names, *fixed], beside)
    names_read = {entry["name"] for entry in program.data()["inputs"] if entry["role"] != "none"}
    if any(name not in names_read for name in beside):  # what only other limits need
        program = program_of(library, target, [*names, *fixed], [name for name in beside if name in names_read])
    if not program.answers:
        why = " ".join(entry["reason"] for entry in program.data()["left_out"])
        raise DeriveError(
            f"{target} cannot be worked out by a file alone: {_for_a_file(why)}.",
            hint="Compile it from other givens, or ask derive solve.",
        )
    return _python_module(program.scripts, _facts(library, program, names, {**beside, **fixed}, question.origins))


def _python_module(scripts: Sequence[Script], facts: Mapping[str, Any]) -> str:
    """The text of a standalone Python module: the scripts of a program, and the facts about its question."""
    language = Language(_python, runtime=lambda name: _SPELLED.get(name, name), constant="{} = {}")
    bundle = Bundle(scripts, language)
    functions = "\n\n\n".join(bundle.parts)
    head = "\n".join(_headline(facts)).replace("\\", "\\\\").replace('"""', "'''")
    body = _BODY.format(**facts, kernels=", ".join(bundle.last), count=len(facts["checks"]))
    return f'"""{head}\n"""\n\n{_runtime_for(functions + body)}\n\n\n{functions}\n\n{body}'


def _facts(
    library: RelationSet, program: Program, names: Sequence[str], fixed: Mapping[str, Value], origins: Mapping[str, str]
) -> dict[str, Any]:
    """What a standalone module holds beside its program: names, units, numbers, reasons, and places of numbers."""
    data, declared = program.data(), library.declared
    values = {name: value for name, value in fixed.items() if name in program.inputs}
    return {
        "target": program.target,
        "unit": declared[program.target].unit.text,
        "inputs": {name: declared[name].unit.text for name in names},
        "fixed": {name: declared[name].unit.from_base(value.base[1]) for name, value in values.items()},
        "from": {name: f"{origins.get(name, 'default')}: {value}" for name, value in values.items()},
        "order": list(program.inputs),
        "why": [_for_a_file(reason["text"]) for reason in data["reasons"]],
        "open": [int(reason.is_open) for reason in program.reasons.values()],
        "checks": [[check["relation"], check["state"], int(check["contradicts"])] for check in data["checks"]],
        "barring": [[block["verdict"], block["state"]] for block in data["barring"] if block["contradicts"]],
        "outputs": len(program.layout.outputs),
        "size": len(program.layout.places),
    }


def _for_a_file(text: str) -> str:
    """A program's reason for which there is no value, reworded for a standalone module."""
    return text.replace("this page cannot", "a file cannot").rstrip(".")


def _headline(facts: Mapping[str, Any]) -> list[str]:
    """The docstring's lines for a standalone module: the target, its inputs, and values taken as stated."""

    def spelled(name: str, unit: str) -> str:
        return f"{name} [{unit or '1'}]"

    inputs = ", ".join(spelled(*entry) for entry in facts["inputs"].items()) or "nothing"
    lines = [f"{spelled(facts['target'], facts['unit'])} from {inputs}.", ""]
    lines += [f"Taken as stated: {name}, {origin}" for name, origin in facts["from"].items()]
    return [*lines, *([""] if facts["from"] else []), f"{MARK} {version('derive-engine')}."]


def _runtime_for(text: str) -> str:
    """The runtime functions that a standalone module needs, as text that imports only `math`."""
    objects = {**vars(special_functions), **vars(python_runtime)}
    texts = {name: inspect.getsource(item).rstrip() for name, item in objects.items() if isinstance(item, FunctionType)}
    texts |= {name: f"{name} = {item!r}" for name, item in objects.items() if isinstance(item, float | tuple)}
    wanted = {*reached(_names_in(text), lambda name: _names_in(texts[name]) if name in texts else ())}
    parts = [texts[name] for name in objects if name in wanted & texts.keys() - {"inf", "nan"}]
    return "\n\n\n".join(["from __future__ import annotations\n\nimport math\nfrom math import inf, nan", *parts])


def _names_in(text: str) -> set[str]:
    with refusing_what_is_too_deep():
        return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _python(script: Script, name_of: Callable[[Any], str]) -> str:
    """A script of a program as text of a standalone module, which needs no dialect.

    >>> print(_python(Script("def compiled(a0):\\n    return m.sqrt(a0) / a0 if 0.0 <= a0 else nan\\n", {}), str))
    def compiled(a0):
        return over(called(math.sqrt, a0), a0) if 0.0 <= a0 else nan
    """
    tree = _WithoutExceptions(script.space, name_of).visit(ast.parse(script.text))
    return ast.unparse(ast.fix_missing_locations(tree))


class _WithoutExceptions(ast.NodeTransformer):
    """Rewrites a function of a script so that no operation raises, and each constant has its name in the bundle."""

    def __init__(self, space: Mapping[str, Any], name_of: Callable[[Any], str]) -> None:
        self.space, self.name_of = space, name_of

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = None if node.id in ("nan", "inf") else self.space.get(node.id)
        return node if value is None else ast.Name(self.name_of(value), node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("over", node.left, node.right) if isinstance(node.op, ast.Div) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace a call of what `m` stands for by one that a standalone module can make without raising."""
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="m"), attr=name) if name in _DIRECT:
                return _call(_DIRECT[name], *node.args)
            case ast.Attribute(value=ast.Name(id="m"), attr=name) if name in _SPECIAL:
                return _call("called", ast.Name(TABLE[name].value.__name__), *node.args)
            case ast.Attribute(value=ast.Name(id="m"), attr=name) if hasattr(math, name):
                return _call("called", ast.Attribute(ast.Name("math"), name), *node.args)
            case ast.Attribute(attr=name):
                raise TypeError(f"no Python for {name}")
        return node


def _call(function: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(function), [*args], [])


_BODY = '''
TARGET = {target!r}
UNIT = {unit!r}
INPUTS = {inputs!r}
_FIXED = {fixed!r}
_ORDER = {order!r}
_REASONS = {why!r}
_OPEN = {open!r}
_CHECKS = {checks!r}
_BARRING = {barring!r}
_KERNEL = program(({kernels},), {outputs}, {count}, _OPEN, {size})


def answer(**given):
    """The value, the checks that fail, and why there is no value (empty if there is one)."""
    missing = [name for name in INPUTS if name not in given]
    odd = [name for name in given if name not in INPUTS]
    if missing or odd:
        raise TypeError(f"{{', '.join(missing or odd)}}: give {{', '.join(INPUTS)}}")
    y = _KERNEL([float(given[name]) if name in INPUTS else _FIXED[name] for name in _ORDER])
    cause = int(y[{outputs}])
    if cause and _OPEN[cause - 1]:
        raise ArithmeticError(_REASONS[cause - 1])
    failed = [name for name, state, _ in _CHECKS if y[state] in (2, 3)]
    against = [name for name, state, firm in _CHECKS if firm and y[state] in (2, 3)]
    against += [told for told, state in _BARRING if y[state] == 1]
    why = f"the givens contradict {{', '.join(against)}}" if against else _REASONS[cause - 1] if cause else ""
    return {{"value": nan if why else y[0], "unit": UNIT, "failed": failed, "why": why}}


def value(**given):
    """The number alone, in its unit; NaN where there is none."""
    return answer(**given)["value"]
'''
