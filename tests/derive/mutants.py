"""Slips of the pen: the same equation with one thing changed, made mechanically on Python's tree of its text."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from functools import cache

Mutant = tuple[str, str]
"""What was changed, and the equation that came of it."""


@cache
def mutants(equation: str) -> tuple[Mutant, ...]:
    """Every equation that differs from this one by one slip on its right side."""
    left, right = equation.split(" = ")
    tree = ast.parse(right, mode="eval").body
    found = [
        (slip, f"{left} = {ast.unparse(changed)}") for slip, changed in _changed(tree) if not _divides_by_zero(changed)
    ]
    return tuple(dict.fromkeys(found))


def sampled(name: str, equation: str, size: int) -> list[Mutant]:
    """Some of them: always the same for the same name."""
    found = mutants(equation)
    return random.Random(name).sample(found, min(size, len(found)))


def factors(equation: str) -> list[tuple[str, str]]:
    """Each name that is a factor of the whole right side, with the equation in which it is forgotten."""
    left, right = equation.split(" = ")
    tree = ast.parse(right, mode="eval").body
    return [(name, f"{left} = {ast.unparse(rest)}") for name, rest in _without_factor(tree)]


def _changed(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    yield from _slips(node)
    for field, value in ast.iter_fields(node):
        if field == "func":
            continue
        if isinstance(value, ast.expr):
            for slip, changed in _changed(value):
                yield slip, _replaced(node, field, changed)
        elif isinstance(value, list):
            for number, part in enumerate(value):
                for slip, changed in _changed(part):
                    yield slip, _replaced(node, field, [*value[:number], changed, *value[number + 1 :]])


def _slips(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Name(name) if name != "pi":
            yield "raised", ast.BinOp(node, ast.Pow(), ast.Constant(2))
            yield "raised", ast.BinOp(node, ast.Pow(), ast.Constant(3))
        case ast.BinOp(left, ast.Mult(), right):
            yield from (("dropped", left), ("dropped", right))
            yield "inverted", ast.BinOp(left, ast.Div(), right)
            yield "added", ast.BinOp(left, ast.Add(), right)
        case ast.BinOp(left, ast.Div(), right):
            yield from (("dropped", left), ("dropped", ast.BinOp(ast.Constant(1), ast.Div(), right)))
            yield "inverted", ast.BinOp(left, ast.Mult(), right)
        case ast.BinOp(base, ast.Pow(), _):
            yield "power lost", base
        case ast.Call(ast.Name("sqrt"), [argument]):
            yield "root lost", argument


def _without_factor(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))):
        return
    if isinstance(node.right, ast.Name) and node.right.id != "pi":
        yield node.right.id, node.left
    if isinstance(node.left, ast.Name) and node.left.id != "pi" and isinstance(node.op, ast.Mult):
        yield node.left.id, node.right
    for name, rest in _without_factor(node.left):
        yield name, _replaced(node, "left", rest)


def _divides_by_zero(tree: ast.expr) -> bool:
    """Whether a slip made a difference of two numbers vanish from below a line."""
    below = [node.right for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    numbers = [node for node in below if not any(isinstance(part, ast.Name) for part in ast.walk(node))]
    return any(eval(ast.unparse(node), {"__builtins__": {}}) == 0 for node in numbers)


def _replaced(node: ast.expr, field: str, value: object) -> ast.expr:
    made = copy.copy(node)
    setattr(made, field, value)
    return made
