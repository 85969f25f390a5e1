"""An edit of an expression carried out in its text.

The edit replaces one part of the tree by another. In the text the part is replaced where it stands, so that the rest
keeps its spelling, with parentheses where precedence asks for them. The new text is read again, and taken only if it
is the edited tree.
"""

from __future__ import annotations

from fractions import Fraction

from derive.errors import DeriveError
from derive.expressions.grammar import parse_condition, parse_equation
from derive.expressions.tree import Apply, Equation, Node, Number, rebuilt, render
from derive.model.repairs import Edit

__all__ = ["mended"]

_FLAT = {"add", "mul"}
_ONE = Number(Fraction(1))


def mended(text: str, edit: Edit, is_condition: bool = False) -> str | None:
    """The text of an equation or a condition after an edit; None if that cannot be written.

    >>> from derive.expressions.tree import Name
    >>> equation = parse_equation("y  =  a/x")
    >>> x = equation.rhs.args[1].args[0]
    >>> mended("y  =  a/x", Edit("", x, Apply("add", (x, Name("b")))))
    'y  =  a/(x + b)'
    """
    whole = _read(text, is_condition)
    if whole is None:
        return None
    edit = _behind_sign(edit)

    def change(part: Node) -> Node | None:  # the part is found by its place
        return edit.new if part.at == edit.old.at and part == edit.old else None

    sides = [rebuilt(side, change) for side in _sides(whole)]
    wanted = [_flat(side) for side in sides]
    start, end = edit.old.at
    new = render(edit.new)
    for candidate in (new, f"({new})"):
        tried = text[:start] + candidate + text[end:]
        found = _read(tried, is_condition)
        if found is not None and [_flat(side) for side in _sides(found)] == wanted:
            return tried
    return None


def _behind_sign(edit: Edit) -> Edit:
    """The edit of what stands behind a minus or a slash, which is the sign of a term or a factor and stays."""
    old, new = edit.old, edit.new
    while isinstance(old, Apply) and old.op in ("neg", "inv") and old.args[0].at == old.at:
        new = new.args[0] if isinstance(new, Apply) and new.op == old.op else Apply(old.op, (new,))
        old = old.args[0]
    return Edit(edit.words, old, new)


def _read(text: str, is_condition: bool) -> Equation | Node | None:
    try:
        return parse_condition(text) if is_condition else parse_equation(text)
    except DeriveError:
        return None


def _sides(whole: Equation | Node) -> tuple[Node, ...]:
    return (whole.lhs, whole.rhs) if isinstance(whole, Equation) else (whole,)


def _flat(node: Node) -> Node:
    """The tree with sums inside sums, and products inside products, taken apart, without factors of 1."""
    if not isinstance(node, Apply):
        return node
    parts: list[Node] = []
    for arg in map(_flat, node.args):
        parts += arg.args if isinstance(arg, Apply) and arg.op == node.op and node.op in _FLAT else (arg,)
    if node.op == "mul":
        parts = [part for part in parts if part != _ONE] or [_ONE]
    return parts[0] if len(parts) == 1 and node.op in _FLAT else Apply(node.op, tuple(parts))
