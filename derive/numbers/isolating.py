"""One relation, solved for one symbol, by taking off what stands around it.

Where the unknown occurs once, the way from the root of the tree down to it is a sequence of operations, and each is
undone on the other side: `y = 2*sqrt(x)` becomes `x = (y/2)**2`. An even power, an absolute value or an angle has more
than one inverse; each gives a candidate, and substitution and domain decide later which of them hold. Where it occurs
more than once, sums are gathered into a polynomial first (`a*x + b*x = c`, `x**2 + b*x = c`).

Choices are inverted arm by arm. `max(a, x) = y` says that x is y where a <= y; and where a = y, any x up to y will do,
which is a bound and no value. A candidate therefore carries the conditions under which it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from derive.language.expression import Apply, Equation, Name, Node, Number, walk
from derive.numbers.intervals import Span, enclose

__all__ = ["TURNS", "Candidate", "isolate", "leaves_out", "occurrences", "polynomial", "unwound"]

_MOST = 32  # candidates of one relation
_SPLITS = 4  # choices within choices that are taken arm by arm


@dataclass(frozen=True, slots=True)
class Candidate:
    """A closed form for the unknown: an expression without it, and what must hold for it to apply."""

    form: Node
    conditions: tuple[Node, ...] = ()
    winds: bool = False  # whether it holds TURNS, a whole number of turns of an angle
    other: Node | None = None  # the same number by a way in which nothing cancels
    divisors: tuple[Node, ...] = ()  # what was divided by: where one is zero, the unknown may be anything else
    powers: tuple[Apply, ...] = ()  # undone with an exponent that is no plain number: for bases that are not negative


ZERO, ONE, TWO = (Number(Fraction(n)) for n in range(3))
_PI = Apply("pi", ())
TURNS = Name("turns of the angle")
"""A whole number that stands for itself in the inverse of an angle's function; no quantity can bear such a name."""


def leaves_out(powers: Iterable[Apply], spans: Mapping[str, Span]) -> bool:
    """Whether a base may be negative, of powers that were undone as if it were not."""
    found = [enclose(power.args[0], spans, "") for power in powers]
    return any(base is not None and base.values[0] < 0 for base in found)


def occurrences(node: Node, name: str) -> int:
    """How often a name stands in an expression."""
    return sum(1 for part in walk(node) if isinstance(part, Name) and part.name == name)


@lru_cache(maxsize=8192)
def isolate(equation: Equation, name: str) -> tuple[Candidate, ...] | None:
    """All closed forms that the relation has for the name; None where it has none.

    >>> from derive.language.expression import render
    >>> from derive.language.grammar import parse_equation
    >>> [render(found.form) for found in isolate(parse_equation("y = 2*sqrt(x - a)"), "x")]
    ['(y/2)**2 + a']
    """
    left, right = occurrences(equation.lhs, name), occurrences(equation.rhs, name)
    if left and right:
        return _peeled(Apply("add", (equation.lhs, negated(equation.rhs))), Candidate(ZERO), name)
    if left or right:
        node, other = (equation.lhs, equation.rhs) if left else (equation.rhs, equation.lhs)
        return _peeled(node, Candidate(other), name)
    return None


def _peeled(node: Node, found: Candidate, name: str, splits: int = _SPLITS) -> tuple[Candidate, ...] | None:
    """The candidates for the name, where `node` equals the candidate's form."""
    pending: list[tuple[Node, Candidate]] = [(node, found)]
    done: list[Candidate] = []
    while pending:
        node, found = pending.pop()
        if isinstance(node, Name):
            done.append(found)
            continue
        assert isinstance(node, Apply)
        holding = [i for i, arg in enumerate(node.args) if occurrences(arg, name)]
        if len(holding) > 1:
            gathered = _gathered(node, found, name, splits)
            if gathered is None:
                return None
            done.extend(gathered)
            continue
        steps = _undone(node, holding[0], found)
        if steps is None or len(pending) + len(done) + len(steps) > _MOST:
            return None
        pending.extend((node.args[holding[0]], step) for step in reversed(steps))
    return tuple(done)


def unwound(form: Node, turns: int) -> Node:
    """A candidate's form for one number of turns."""
    return simplified(replaced(form, TURNS, Number(Fraction(turns))))


def simplified(node: Node) -> Node:
    """The tree with zeros, ones and what cancels left out of its sums and products."""
    if not isinstance(node, Apply):
        return node
    args = tuple(simplified(arg) for arg in node.args)
    if node.op == "add":
        return added(*args)
    return multiplied(*args) if node.op == "mul" else Apply(node.op, args)


def _undone(node: Apply, index: int, found: Candidate) -> list[Candidate] | None:
    """What the argument must be for the operation to come to the form: every possibility."""
    rest = tuple(arg for i, arg in enumerate(node.args) if i != index)
    y = found.form
    match node.op:
        case "add":
            return [_with(found, added(y, *(negated(arg) for arg in rest)))]
        case "mul":
            return [_dividing(_with(found, multiplied(y, *(inverted(arg) for arg in rest))), *rest)]
        case "neg":
            return [_with(found, negated(y))]
        case "inv":
            return [_with(found, inverted(y))]
        case "pow":
            return _unpowered(node, rest[0], index, found)
        case "sqrt":
            return [_with(found, Apply("pow", (y, TWO)), Apply("ge", (y, ZERO)))]
        case "abs":
            sound = Apply("ge", (y, ZERO))
            return [_with(found, y, sound), _with(found, negated(y), sound)]
        case "max" | "min":
            fits = "le" if node.op == "max" else "ge"
            return [_with(found, y, *(Apply(fits, (arg, y)) for arg in rest))]
        case "piecewise":
            return _unchosen(node, index, found)
        case "sin" | "cos" | "tan":
            return _unwound(node.op, found)
        case "cosh":
            root = Apply("log", (added(y, Apply("sqrt", (added(Apply("pow", (y, TWO)), negated(ONE)),))),))
            return [_with(found, root), _with(found, negated(root))]
        case "sinh":
            return [replace(_with(found, _arsinh(y)), other=negated(_arsinh(negated(y))))]
        case _:
            inverse = _INVERSES.get(node.op)
            return None if inverse is None else [_with(found, inverse(y))]


def _with(found: Candidate, form: Node, *conditions: Node) -> Candidate:
    return Candidate(form, (*found.conditions, *conditions), found.winds, None, found.divisors, found.powers)


def _dividing(found: Candidate, *divisors: Node) -> Candidate:
    return replace(found, divisors=(*found.divisors, *divisors))


def _arsinh(y: Node) -> Node:
    return Apply("log", (added(y, Apply("sqrt", (added(Apply("pow", (y, TWO)), ONE),))),))


def _unpowered(node: Apply, other: Node, index: int, found: Candidate) -> list[Candidate] | None:
    y = found.form
    if index == 1:  # the unknown is the exponent
        scale = Apply("log", (other,))
        return [_dividing(_with(found, multiplied(Apply("log", (y,)), inverted(scale))), scale)]
    exponent = _plain(other)
    if exponent is None:
        return [replace(_with(found, Apply("pow", (y, inverted(other)))), powers=(*found.powers, node))]
    if exponent == 0:
        return None
    root = _root(y, 1 / exponent)
    if exponent.denominator != 1:
        return [_with(found, root, Apply("ge", (y, ZERO)))]
    if exponent % 2 == 0:
        sound = Apply("ge", (y, ZERO))
        return [_with(found, root, sound), _with(found, negated(root), sound)]
    if abs(exponent) == 1:
        return [_with(found, root)]
    below = negated(_root(negated(y), 1 / exponent))
    return [_with(found, root, Apply("ge", (y, ZERO))), _with(found, below, Apply("lt", (y, ZERO)))]


def _root(y: Node, power: Fraction) -> Node:
    if power == 1:
        return y
    if power == Fraction(1, 2):
        return Apply("sqrt", (y,))
    if power == -1:
        return inverted(y)
    return inverted(_root(y, -power)) if power < 0 else Apply("pow", (y, Number(power)))


def _unchosen(node: Apply, index: int, found: Candidate) -> list[Candidate] | None:
    """An arm of a choice; where the unknown stands in a condition there is no closed form."""
    if index % 2 and index < len(node.args) - len(node.args) % 2:
        return None
    taken = [node.args[index + 1]] if index + 1 < len(node.args) else []
    earlier = [Apply("not", (node.args[i],)) for i in range(1, min(index, len(node.args) - 1) + 1, 2)]
    return [_with(found, found.form, *taken, *earlier)]


def _unwound(op: str, found: Candidate) -> list[Candidate] | None:
    """An angle: its arcs, and any whole number of turns beside them."""
    if found.winds:
        return None
    arc = Apply("a" + op, (found.form,))
    turns = multiplied(TURNS, _PI) if op == "tan" else multiplied(TWO, TURNS, _PI)
    mirror = {"sin": added(_PI, negated(arc)), "cos": negated(arc)}.get(op)
    forms = [arc] if mirror is None else [arc, mirror]
    return [replace(_with(found, added(form, turns)), winds=True) for form in forms]


_INVERSES: dict[str, Callable[[Node], Node]] = {
    "exp": lambda y: Apply("log", (y,)),
    "log": lambda y: Apply("exp", (y,)),
    "log10": lambda y: Apply("pow", (Number(Fraction(10)), y)),
    "log2": lambda y: Apply("pow", (TWO, y)),
    "asin": lambda y: Apply("sin", (y,)),
    "acos": lambda y: Apply("cos", (y,)),
    "atan": lambda y: Apply("tan", (y,)),
    "tanh": lambda y: multiplied(
        Number(Fraction(1, 2)), Apply("log", (multiplied(added(ONE, y), inverted(added(ONE, negated(y)))),))
    ),
}


# Small constructors that keep sums and products flat


def _plain(node: Node) -> Fraction | None:
    """The value of a constant exponent such as 2, -1 or 3/2."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return None
    parts = [_plain(arg) for arg in node.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    match node.op:
        case "neg":
            return -known[0]
        case "inv":
            return 1 / known[0] if known[0] else None
        case "mul":
            product = Fraction(1)
            for part in known:
                product *= part
            return product
        case "add":
            return sum(known, Fraction(0))
        case _:
            return None


def negated(node: Node) -> Node:
    if isinstance(node, Apply) and node.op == "neg":
        return node.args[0]
    return ZERO if node == ZERO else Apply("neg", (node,))


def inverted(node: Node) -> Node:
    if isinstance(node, Apply) and node.op == "inv":
        return node.args[0]
    if isinstance(node, Apply) and node.op == "mul":
        return multiplied(*(inverted(arg) for arg in node.args))
    return ONE if node == ONE else Apply("inv", (node,))


def added(*nodes: Node) -> Node:
    flat = [part for node in nodes for part in _parts(node, "add") if part != ZERO]
    flat = _cancelled(flat, "neg")
    return ZERO if not flat else flat[0] if len(flat) == 1 else Apply("add", tuple(flat))


def multiplied(*nodes: Node) -> Node:
    flat = [part for node in nodes for part in _parts(node, "mul") if part != ONE]
    if any(part == ZERO for part in flat):
        return ZERO
    flat = _cancelled(flat, "inv")
    ordered = [part for part in flat if not _is(part, "inv")] + [part for part in flat if _is(part, "inv")]
    return ONE if not ordered else ordered[0] if len(ordered) == 1 else Apply("mul", tuple(ordered))


def _cancelled(parts: list[Node], inverse: str) -> list[Node]:
    """The parts without those that meet their own inverse; the answer's substitution guards what a zero would hide."""
    kept = list(parts)
    for part in parts:
        if isinstance(part, Apply) and part.op == inverse and part in kept and part.args[0] in kept:
            kept.remove(part)
            kept.remove(part.args[0])
    return kept


def _parts(node: Node, op: str) -> tuple[Node, ...]:
    if isinstance(node, Apply) and node.op == op:
        return node.args
    if op == "add" and isinstance(node, Apply) and node.op == "neg" and _is(node.args[0], "add"):
        return tuple(negated(part) for part in _parts(node.args[0], "add"))
    return (node,)


def _is(node: Node, op: str) -> bool:
    return isinstance(node, Apply) and node.op == op


# Polynomials in the unknown


def polynomial(node: Node, name: str, highest: int = 2) -> dict[int, Node] | None:
    """The coefficients of an expression as a polynomial in the name, or None where it is none of so low a degree.

    >>> from derive.language.expression import render
    >>> from derive.language.grammar import parse_expression
    >>> found = polynomial(parse_expression("a*x + x**2 - b*x"), "x")
    >>> {power: render(part) for power, part in found.items()}
    {1: 'a - b', 2: '1'}
    """
    if not occurrences(node, name):
        return {0: node}
    if isinstance(node, Name):
        return {1: ONE}
    assert isinstance(node, Apply)
    match node.op:
        case "add":
            total: dict[int, Node] = {}
            for arg in node.args:
                part = polynomial(arg, name, highest)
                if part is None:
                    return None
                for power, factor in part.items():
                    total[power] = added(total.get(power, ZERO), factor)
            return total
        case "neg":
            inner = polynomial(node.args[0], name, highest)
            return None if inner is None else {power: negated(factor) for power, factor in inner.items()}
        case "mul":
            return _product(node.args, name, highest)
        case "pow":
            exponent = _plain(node.args[1])
            if exponent is None or exponent not in range(1, highest + 1):
                return None
            return _product((node.args[0],) * int(exponent), name, highest)
        case _:
            return None


def _product(factors: tuple[Node, ...], name: str, highest: int) -> dict[int, Node] | None:
    total: dict[int, Node] = {0: ONE}
    for factor in factors:
        part = polynomial(factor, name, highest)
        if part is None or max(part) + max(total) > highest:
            return None
        product: dict[int, Node] = {}
        for power, one in total.items():
            for other, two in part.items():
                key = power + other
                product[key] = added(product.get(key, ZERO), multiplied(one, two))
        total = product
    return total


def _gathered(node: Node, known: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """Where several parts of a node hold the name: the roots of a polynomial, or else arm by arm."""
    difference = added(node, negated(known.form))
    found = polynomial(_cleared(difference, name), name)
    if found is None:
        return _by_arms(difference, known, name, splits)
    a, b, c = (found.get(power, ZERO) for power in (2, 1, 0))
    if a == ZERO:
        return None if b == ZERO else (_dividing(_with(known, multiplied(negated(c), inverted(b))), b),)
    square = added(Apply("pow", (b, TWO)), negated(multiplied(Number(Fraction(4)), a, c)))
    under = inverted(multiplied(TWO, a))
    root = Apply("sqrt", (square,))
    real = Apply("ge", (square, ZERO))
    return tuple(
        Candidate(
            multiplied(added(negated(b), sign), under),
            (*known.conditions, real),
            known.winds,
            multiplied(TWO, c, inverted(added(negated(b), negated(sign)))),
            (*known.divisors, a),
            known.powers,
        )
        for sign in (root, negated(root))
    )


def _by_arms(difference: Node, known: Candidate, name: str, splits: int) -> tuple[Candidate, ...] | None:
    """A choice whose arms hold the name in several places: each arm in turn, where it binds."""
    switch = next((part for part in walk(difference) if _switches(part, name)), None)
    if switch is None or splits == 0:
        return None
    assert isinstance(switch, Apply)
    found: list[Candidate] = []
    for arm, conditions in arms_of(switch):
        start = _with(known, ZERO, *conditions)
        rest = replaced(difference, switch, arm)
        if not occurrences(rest, name):
            continue
        part = _peeled(rest, start, name, splits - 1)
        if part is None:
            return None
        found.extend(part)
    return tuple(found)


def _switches(node: Node, name: str) -> bool:
    if not isinstance(node, Apply) or node.op not in ("max", "min", "abs", "piecewise"):
        return False
    return bool(occurrences(node, name))


def arms_of(switch: Apply) -> list[tuple[Node, tuple[Node, ...]]]:
    """Each arm of a choice, and when it binds."""
    if switch.op == "abs":
        inner = switch.args[0]
        return [(inner, (Apply("ge", (inner, ZERO)),)), (negated(inner), (Apply("lt", (inner, ZERO)),))]
    if switch.op in ("max", "min"):
        fits = "ge" if switch.op == "max" else "le"
        return [
            (arm, tuple(Apply(fits, (arm, other)) for other in switch.args if other is not arm)) for arm in switch.args
        ]
    found: list[tuple[Node, tuple[Node, ...]]] = []
    earlier: tuple[Node, ...] = ()
    for i in range(0, len(switch.args) - 1, 2):
        condition = switch.args[i + 1]
        found.append((switch.args[i], (*earlier, condition)))
        earlier = (*earlier, Apply("not", (condition,)))
    if len(switch.args) % 2:
        found.append((switch.args[-1], earlier))
    return found


def replaced(node: Node, old: Node, new: Node) -> Node:
    """The tree with every occurrence of a part exchanged for another."""
    if node == old:
        return new
    if isinstance(node, Apply):
        return Apply(node.op, tuple(replaced(arg, old, new) for arg in node.args), node.at)
    return node


def _cleared(difference: Node, name: str) -> Node:
    """The sum with its terms multiplied by the denominators that hold the name, where that is simple."""
    if not _is(difference, "add"):
        return difference
    assert isinstance(difference, Apply)
    terms = added(*difference.args)
    parts = terms.args if isinstance(terms, Apply) and terms.op == "add" else (terms,)
    below: list[Node] = []
    for part in parts:
        for factor in _denominators(part):
            if occurrences(factor, name) and factor not in below:
                below.append(factor)
    if not below or len(below) > 2:
        return difference
    return Apply("add", tuple(_times_all(part, below) for part in parts))


def _denominators(term: Node) -> list[Node]:
    if _is(term, "neg"):
        assert isinstance(term, Apply)
        return _denominators(term.args[0])
    factors = term.args if isinstance(term, Apply) and term.op == "mul" else (term,)
    return [factor.args[0] for factor in factors if isinstance(factor, Apply) and factor.op == "inv"]


def _times_all(term: Node, below: list[Node]) -> Node:
    if isinstance(term, Apply) and term.op == "neg":
        return negated(_times_all(term.args[0], below))
    factors = list(term.args) if isinstance(term, Apply) and term.op == "mul" else [term]
    for denominator in below:
        inverse = Apply("inv", (denominator,))
        if inverse in factors:
            factors.remove(inverse)
        else:
            factors.append(denominator)
    return multiplied(*factors)
