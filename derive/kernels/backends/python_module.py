"""Scripts as plain Python: the lines that a browser runs, under names of their own, with what they call.

A script is Python text already. Here each function has a name of its own, a quotient is one that does not raise, and
what `m` stands for is in `math` or in `python_runtime.py`, whose text comes first.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from derive import tolerances
from derive.kernels.backends.javascript import Built, Script
from derive.kernels.backends.shared_lines import refusing_what_is_too_deep
from quantities import tolerances as of_quantities

__all__ = ["python_functions", "python_runtime"]

_SPELLED = {"isWhole": "is_whole"}  # what Python calls otherwise
_KEPT = {"pow": "power", "abs": "abs", "floor": "math.floor", "ceil": "math.ceil"}


def python_runtime(text: str) -> str:
    """The functions that a text calls, and those that these call, as Python that imports nothing but `math`.

    >>> [line for line in python_runtime("over(1, smallest(x))").splitlines() if line.startswith("def ")]
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
    tree = ast.parse(Path(__file__).with_name("python_runtime.py").read_text(encoding="utf-8"))
    values = {**vars(tolerances), **vars(of_quantities)}
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=str(module)) if module.endswith("tolerances"):
                found |= {one.name: ast.parse(f"{one.name} = {values[one.name]!r}").body[0] for one in node.names}
            case ast.Assign(targets=[ast.Name(id=name)]) if name != "Gap":
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
    bundle = _Bundle()
    with refusing_what_is_too_deep():
        names = tuple(bundle.name_of(one) for one in last)
    return "\n\n\n".join(bundle.parts), names


class _Bundle:
    """Scripts in the order of their calls, each once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._names: dict[Any, str] = {}
        self._same: dict[str, str] = {}  # functions of the same text are one

    def name_of(self, one: Any) -> str:
        if isinstance(one, Built):
            return _SPELLED.get(one.name, one.name)
        key = one if isinstance(one, tuple) else id(one)
        if key not in self._names:
            written = repr(one) if isinstance(one, tuple) else _Written(one, self).text
            if written not in self._same:
                name = self._same[written] = f"{'k' if isinstance(one, tuple) else 'f'}{len(self._same)}"
                is_constant = isinstance(one, tuple)
                self.parts.append(
                    f"{name} = {written}" if is_constant else written.replace("def compiled(", f"def {name}(", 1)
                )
            self._names[key] = self._same[written]
        return self._names[key]


class _Written(ast.NodeTransformer):
    """One function of a script, under the names that a bundle gives."""

    def __init__(self, script: Script, bundle: _Bundle) -> None:
        self.space, self.bundle = script.space, bundle
        self.text = ast.unparse(ast.fix_missing_locations(self.visit(ast.parse(script.text))))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        held = None if node.id in ("nan", "inf") else self.space.get(node.id)
        return node if held is None else ast.Name(self.bundle.name_of(held), node.ctx)

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
        if name in ("pow", "abs", "erfinv", "gamma", "lambertw"):
            return ast.Call(ast.Name(_KEPT.get(name, name), ast.Load()), node.args, [])
        if not hasattr(math, name):
            raise TypeError(f"no Python for {name}")
        inner = ast.Attribute(ast.Name("math", ast.Load()), name, ast.Load())
        return ast.Call(ast.Name("called", ast.Load()), [inner, *node.args], [])
