"""Scripts as plain Python: the lines that a browser runs, under names of their own, with what they call.

A script is Python text already. Here each function has a name of its own, a quotient is one that does not raise, and
what `m` stands for is in `math` or in `python_runtime.py`, whose text comes first.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from derive import tolerances
from derive.expressions import special_functions
from derive.expressions.functions import TABLE
from derive.kernels.backends import python_runtime
from derive.kernels.backends.javascript import Language, Script, bundled
from derive.kernels.backends.shared_lines import refusing_what_is_too_deep
from quantities import tolerances as of_quantities

__all__ = ["python_functions", "runtime_for"]

_SPELLED = {"isWhole": "is_whole"}  # what Python calls otherwise
_DIRECT = {"pow": "power", "abs": "abs", "erfinv": "erfinv"}  # what is called as it is, since it raises nothing
_SPECIAL = ("gamma", "lambertw")  # what is neither in `math` nor in `python_runtime`, but in `special_functions`


def runtime_for(text: str) -> str:
    """The functions that a text calls, and those that these call, as Python that imports nothing but `math`.

    >>> [line for line in runtime_for("over(1, smallest(x))").splitlines() if line.startswith("def ")]
    ['def over(x, y):', 'def largest(numbers):', 'def smallest(numbers):']
    """
    with refusing_what_is_too_deep():
        tree = ast.parse(text)
    held, wanted, pending = _held(), dict[str, None](), _names_in(tree)
    while pending:
        found = {name for name in pending if name in held and name not in wanted}
        wanted |= dict.fromkeys(found)
        pending = {name for one in found for name in _names_in(held[one])}
    parts = [ast.unparse(node) for name, node in held.items() if name in wanted]
    return "\n\n\n".join(["import math\nfrom math import inf, nan", *parts])


@lru_cache(maxsize=1)
def _held() -> dict[str, ast.stmt]:
    """The functions and constants of the runtime by name, without annotations, and the tolerances that it imports."""
    texts = [inspect.getsource(module) for module in (special_functions, python_runtime)]
    values = {**vars(tolerances), **vars(of_quantities)}
    found: dict[str, ast.stmt] = {}
    for node in (statement for text in texts for statement in ast.parse(text).body):
        match node:
            case ast.ImportFrom(module=str(module)) if module.endswith("tolerances"):
                found |= {one.name: ast.parse(f"{one.name} = {values[one.name]!r}").body[0] for one in node.names}
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in ("Gap", "__all__"):
                found[name] = node
            case ast.FunctionDef(name=name):
                found[name] = _Bare().visit(node)
    return found


def _names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _Bare(ast.NodeTransformer):
    """A function without annotations."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return ast.Assign([node.target], node.value, lineno=node.lineno)


def python_functions(last: Sequence[Script]) -> tuple[str, tuple[str, ...]]:
    """The scripts with all that they call as Python, each after those it calls, and the names of the last ones.

    >>> text = "def compiled(a0):\\n    return m.sqrt(a0) / a0 if 0.0 <= a0 else nan\\n"
    >>> print(*python_functions([Script(text, {"m": None, "nan": None})]), sep="\\n")
    def f0(a0):
        return over(called(math.sqrt, a0), a0) if 0.0 <= a0 else nan
    ('f0',)
    """
    parts, names = bundled(last, _LANGUAGE)
    return "\n\n\n".join(parts), names


class _Written(ast.NodeTransformer):
    """One function of a script; `name_of` names what it calls."""

    def __init__(self, script: Script, name_of: Callable[[Any], str]) -> None:
        self.space, self.name_of = script.space, name_of
        self.text = ast.unparse(ast.fix_missing_locations(self.visit(ast.parse(script.text))))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        held = None if node.id in ("nan", "inf") else self.space.get(node.id)
        return node if held is None else ast.Name(self.name_of(held), node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("over", ast.Load()), [node.left, node.right], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        self.generic_visit(node)
        if not (
            isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "m"
        ):
            return node
        name = function.attr
        if name in _DIRECT:
            return ast.Call(ast.Name(_DIRECT[name], ast.Load()), node.args, [])
        if name in _SPECIAL:
            inner: ast.expr = ast.Name(TABLE[name].value.__name__, ast.Load())
        elif hasattr(math, name):
            inner = ast.Attribute(ast.Name("math", ast.Load()), name, ast.Load())
        else:
            raise TypeError(f"no Python for {name}")
        return ast.Call(ast.Name("called", ast.Load()), [inner, *node.args], [])


_LANGUAGE = Language(
    built=lambda name: _SPELLED.get(name, name),
    constant="{} = {}",
    function=lambda script, name_of: _Written(script, name_of).text,
)
