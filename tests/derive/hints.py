"""Doing what a hint says: a repair in words, carried out on the text of an equation.

Written against the sentences alone, so that a repair that is proposed and does not mend is found out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fractions import Fraction

Factor = tuple[ast.expr, Fraction]

_WHOLE = re.compile(r"(divide|multiply) the (left|right) by ([^\[]+?)(?: \[.+\])?")
_ROOTED = re.compile(r"(take the square root of|square) the right")
_MOVED = re.compile(r"(divide|multiply) by (.+) instead")
_LEFT_OUT = re.compile(r"leave out (.+)")
_REWRITTEN = re.compile(r"write (.+) instead of (.+)")


def proposals(hint: str) -> list[str]:
    """The repairs that a hint proposes, the words for a typical slip left aside."""
    sentence = re.split(r"(?<!\.)\. ", hint.removesuffix("."))[-1]
    return [part[:1].lower() + part[1:] for part in sentence.split(", or ")]


def mended(equation: str, proposal: str) -> list[str]:
    """The equation with a proposal carried out, once for each factor that its words fit.

    Nothing, where the proposal tells a long part in brief, or no quantity at all.
    """
    if "..." in proposal or "something in" in proposal or proposal.startswith("declare"):
        return []
    left, right = equation.split(" = ")
    if match := _WHOLE.fullmatch(proposal):
        act, side, by = match.groups()
        sides = {"left": left, "right": right}
        sides[side] = f"({sides[side]}){'/' if act == 'divide' else '*'}({by})"
        return [f"{sides['left']} = {sides['right']}"]
    if match := _ROOTED.fullmatch(proposal):
        return [f"{left} = ({right})**{2 if match.group(1) == 'square' else '(1/2)'}"]
    return [f"{left} = {product}" for product in _edited(right, proposal)]


def _edited(side: str, proposal: str) -> Iterator[str]:
    """The product with one of its factors changed as proposed."""
    parts = _factors(ast.parse(side, mode="eval").body, Fraction(1))
    for place, (factor, power) in enumerate(parts):
        for changed in _changed(ast.unparse(factor), power, proposal):
            new = [*parts[:place], (factor, changed), *parts[place + 1 :]]
            yield "*".join(f"({ast.unparse(node)})**({exponent})" for node, exponent in new)


def _changed(factor: str, power: Fraction, proposal: str) -> Iterator[Fraction]:
    """The new power of a factor, if the proposal speaks of it."""
    sign = 1 if power > 0 else -1
    if match := _MOVED.fullmatch(proposal):
        wanted = 1 if match.group(1) == "multiply" else -1
        yield from (wanted * told for base, told in _told(match.group(2)) if base == factor and wanted != sign)
    elif match := _LEFT_OUT.fullmatch(proposal):
        yield from (Fraction(0) for base, told in _told(match.group(1)) if (base, told) == (factor, abs(power)))
    elif match := _REWRITTEN.fullmatch(proposal):
        held = [(base, told) for base, told in _told(match.group(2)) if (base, told) == (factor, abs(power))]
        yield from (sign * told for base, told in _told(match.group(1)) for old, _ in held if base == old)
    else:
        raise AssertionError(f"a repair of a kind that nobody knows: {proposal}")


def _told(text: str) -> Iterator[tuple[str, Fraction]]:
    """A factor and its power, as `x**(1/2)` tells them: x to the half, or all of it to the first."""
    node = ast.parse(text, mode="eval").body
    yield ast.unparse(node), Fraction(1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        exponent = ast.unparse(node.right).replace(" ", "")
        if re.fullmatch(r"\d+(/\d+)?", exponent):
            yield ast.unparse(node.left), Fraction(exponent)


def _factors(node: ast.expr, power: Fraction) -> list[Factor]:
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            return _factors(left, power) + _factors(right, power)
        case ast.BinOp(left, ast.Div(), right):
            return _factors(left, power) + _factors(right, -power)
        case ast.BinOp(base, ast.Pow(), ast.Constant(exponent)):
            return _factors(base, power * Fraction(str(exponent)))
        case ast.UnaryOp(_, operand):
            return _factors(operand, power)
        case ast.Call(ast.Name("sqrt"), [argument]):
            return _factors(argument, power / 2)
    return [(node, power)]
