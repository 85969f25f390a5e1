"""Expressions as a number times powers of their factors, so that whatever cancels disappears.

A sum is one factor of a product. Its like terms are collected, and their common factors are taken out: `n*c + n*d` is
`n` times `c + d`, and the same sum in another order is the same factor. Powers are split only where a base is known
to be positive; a base that may be zero or negative stays within its power.

For an expression to be read, a minus is drawn into a difference, and no sum begins with one (`positive_first`):
-(a - b)/(c - d) and -b + c are written (a - b)/(d - c) and c - b. In floating point negating is exact, so a sum of two
terms keeps its value to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import prod

from derive.expressions.tree import Apply, Name, Node, Number, is_negated, render
from derive.numerics.algebra.like_terms import ONE, ZERO, added, exponent_of, inverted, multiplied, negated

Test = Callable[[Node], bool]
"""Whether a name, or a sum, is known to be positive."""

_ONE = Fraction(1)
_HIGHEST = 64  # limit on exponents to which a number is raised


@dataclass(frozen=True, slots=True)
class Product:
    """A number times powers of names, and of expressions that are not products."""

    number: Fraction
    powers: Mapping[Node, Fraction]

    def times(self, other: Product) -> Product:
        """The product of this and another, with the exponents of like factors added."""
        number = self.number * other.number
        if not number:
            return Product(number, {})
        powers = dict(self.powers)
        for base, exponent in other.powers.items():
            powers[base] = powers[base] + exponent if base in powers else exponent
            if not powers[base]:
                del powers[base]
        return Product(number, powers)

    def to(self, exponent: Fraction) -> Product | None:
        """The product raised to a power; where the exponent is not whole, its factors have to be positive."""
        if self.number <= 0 and exponent.denominator != 1:
            return None
        if not self.number:
            return self if exponent > 0 else None
        if exponent == -1:  # nearly always
            return Product(1 / self.number, {base: -e for base, e in self.powers.items()})
        powers = {base: e * exponent for base, e in self.powers.items()}
        if exponent.denominator == 1 and abs(exponent) <= _HIGHEST:
            return Product(self.number ** int(exponent), powers)
        if self.number != 1:
            root = Number(self.number)
            powers[root] = powers.get(root, Fraction(0)) + exponent
        return Product(Fraction(1), powers)


def product_of(node: Node, is_positive: Test) -> Product:
    """An expression as a product: a number times powers of its factors, so that what cancels disappears.

    >>> from derive.expressions.grammar import parse_expression
    >>> render(written(product_of(parse_expression("sqrt(n*c*n)*(n*d + 2*d*n)/n"), lambda node: True)))
    '3*sqrt(c)*d*n'
    """
    if isinstance(node, Number):
        return Product(node.value, {})
    if isinstance(node, Name):
        return Product(_ONE, {node: _ONE})
    match node.op:
        case "mul":
            product = product_of(node.args[0], is_positive)
            for arg in node.args[1:]:
                product = product.times(product_of(arg, is_positive))
            return product
        case "neg":
            inner = product_of(node.args[0], is_positive)
            return Product(-inner.number, inner.powers)
        case "inv" | "sqrt" | "pow":
            return _power(node, is_positive)
        case "add":
            return _sum(node, is_positive)
        case "max" | "min":
            return _choice(node, is_positive)
    return _single_factor(Apply(node.op, tuple(written(product_of(arg, is_positive)) for arg in node.args)))


def without_common_factors(left: Node, right: Node, is_positive: Test) -> tuple[Node, Node]:
    """Two sides as products without the positive names that are factors of both; as they are if there is none.

    >>> from derive.expressions.grammar import parse_equation
    >>> from derive.expressions.tree import render
    >>> sides = parse_equation("n*t = 2*m*t")
    >>> [render(side) for side in without_common_factors(sides.lhs, sides.rhs, lambda base: True)]
    ['n', '2*m']
    """
    first, second = (product_of(side, lambda base: False) for side in (left, right))
    both = {base: min(first.powers[base], second.powers[base]) for base in first.powers.keys() & second.powers.keys()}
    shared = {base: e for base, e in both.items() if e > 0 and isinstance(base, Name) and is_positive(base)}
    if not shared:
        return left, right
    inverse = Product(Fraction(1), {base: -e for base, e in shared.items()})
    return written(first.times(inverse)), written(second.times(inverse))


def written(product: Product) -> Node:
    """A product of powers as an expression, its factors in a fixed order."""
    powers = product.powers
    bases = sorted(powers, key=render) if len(powers) > 1 else powers
    factors = [_raised(base, powers[base]) for base in bases]
    if abs(product.number) != 1 or not factors:
        factors.insert(0, Number(abs(product.number)))
    size = multiplied(*factors)
    return negated(size) if product.number < 0 else size


def written_as_product(node: Node) -> Node:
    """An expression written as one product, without the factors that cancel in it whatever their signs."""
    return written(product_of(node, lambda base: False))


def with_signs(node: Node) -> Node:
    """An expression in whose products a number over its absolute value is written as a sign, which encloses closely.

    The sign has no value where the number is zero, as the quotient has none.

    >>> from derive.expressions.grammar import parse_expression
    >>> [render(with_signs(parse_expression(text))) for text in ("b*(1 - a)/abs(a - 1)", "a**2/abs(a)", "sqrt(a**2)")]
    ['(Piecewise((1, 1 - a > 0), (-1, 1 - a < 0)))*b', 'abs(a)', 'abs(a)']
    """
    if not isinstance(node, Apply):
        return node
    signed = Apply(node.op, tuple(map(with_signs, node.args)))
    if signed.op == "sqrt" and isinstance(signed.args[0], Apply) and signed.args[0].op == "pow":
        base, exponent = signed.args[0].args
        return Apply("abs", (base,)) if exponent == Number(Fraction(2)) else signed
    return _with_sign_of_quotient(signed) if signed.op == "mul" else signed


def _with_sign_of_quotient(node: Apply) -> Node:
    """A product in which whatever stands beside its absolute value is its sign times a power of the absolute value."""
    number, powers = _turned_powers(node)
    sizes: dict[Node, Fraction] = {}
    for base in [*powers]:
        if isinstance(base, Apply) and base.op == "abs" and powers[base].denominator == 1:
            exponent = powers.pop(base).numerator
            size, inner = _turned_powers(base.args[0])
            if not size and exponent < 0:
                return node
            number *= abs(size) ** exponent
            for factor, power in inner.items():
                sizes[factor] = sizes.get(factor, Fraction(0)) + power * exponent
    with_own_size = [base for base in powers if base in sizes and powers[base].denominator == 1]
    divided = [base for base in with_own_size if powers[base] < 0 or sizes[base] < 0]
    if not divided or not number:
        return node
    signs = []
    for base in divided:
        is_odd = powers[base].numerator % 2 == 1
        total = powers.pop(base) + sizes.pop(base)
        has_sign = is_odd and total.numerator % 2 == 0
        if has_sign and total > 0:
            powers |= {base: total - 1, Apply("abs", (base,)): Fraction(1)}
            continue
        if has_sign:
            signs.append(_sign(base))
        if total:
            is_size = not is_odd and total.numerator % 2 == 1
            powers[Apply("abs", (base,)) if is_size else base] = total
    powers |= {Apply("abs", (base,)): exponent for base, exponent in sizes.items() if exponent}
    result = multiplied(*signs, written(Product(abs(number), powers)))
    return negated(result) if number < 0 else result


def _turned_powers(node: Node) -> tuple[Fraction, dict[Node, Fraction]]:
    """An expression as a number times powers, whole ones split, of sums that do not begin with a negative term."""
    product = product_of(node, lambda base: False)
    number, powers = product.number, dict[Node, Fraction]()
    for factor, outer in product.powers.items():
        base, exponent = factor, outer
        if isinstance(base, Apply) and base.op == "pow" and outer.denominator == 1:
            inner = exponent_of(base)
            if inner is not None and inner.denominator == 1:
                base, exponent = base.args[0], inner * outer
        turned = _turned_sum(base) if exponent.denominator == 1 else None
        if turned is not None:
            base = turned
            number = -number if exponent.numerator % 2 else number
        powers[base] = powers.get(base, Fraction(0)) + exponent
    return number, powers


def _turned_sum(base: Node) -> Node | None:
    """The negative of a factor that is a sum and begins with a negative term; None of any other factor."""
    if not isinstance(base, Apply) or base.op != "add" or not is_negated(base.args[0]):
        return None
    return Apply("add", tuple(map(negated, base.args)))


def _sign(base: Node) -> Node:
    """The sign of a factor in a product, as a choice of 1 and -1 that has no value where the factor is zero."""
    return Apply("piecewise", (ONE, Apply("gt", (base, ZERO)), Number(Fraction(-1)), Apply("lt", (base, ZERO))))


def _raised(base: Node, exponent: Fraction) -> Node:
    if exponent < 0:
        return inverted(_raised(base, -exponent))
    if exponent == 1:
        return base
    return Apply("sqrt", (base,)) if exponent == Fraction(1, 2) else Apply("pow", (base, Number(exponent)))


def _single_factor(node: Node) -> Product:
    """An expression that is no product, as a product of one factor."""
    return Product(_ONE, {node: _ONE})


def _power(node: Apply, is_positive: Test) -> Product:
    """A power, root or inverse as a product, split into its factors only where these are known to be positive."""
    exponent = exponent_of(node)
    base = product_of(node.args[0], is_positive)
    others = node.args[1:]
    if exponent is not None and (exponent == -1 or all(is_positive(part) for part in base.powers)):
        raised = base.to(exponent)
        if raised is not None:
            return raised
    return _single_factor(Apply(node.op, (written(base), *(written(product_of(arg, is_positive)) for arg in others))))


def _terms(node: Node, is_positive: Test) -> Iterable[Product]:
    """Each term of a sum as a product of powers; nested sums are flattened."""
    product = product_of(node, is_positive)
    if len(product.powers) == 1:
        ((base, exponent),) = product.powers.items()
        if exponent == 1 and isinstance(base, Apply) and base.op == "add":
            for arg in base.args:
                inner = product_of(arg, is_positive)
                yield Product(inner.number * product.number, inner.powers)
            return
    yield product


def _sum(node: Apply, is_positive: Test) -> Product:
    """A sum as a number times powers: the factors that all terms have in common, and what is left as one more."""
    like: dict[frozenset[tuple[Node, Fraction]], Product] = {}
    for term in chain.from_iterable(_terms(arg, is_positive) for arg in node.args):
        key = frozenset(term.powers.items())
        before = like.get(key)
        like[key] = term if before is None else Product(before.number + term.number, term.powers)
    terms = [term for term in like.values() if term.number]
    if len(terms) < 2:
        return terms[0] if terms else Product(Fraction(0), {})
    shared, cofactors = _common_factor(terms, lambda base: True)
    scale = abs(cofactors[0].number)
    inner = added(*(written(Product(term.number / scale, term.powers)) for term in cofactors))
    return Product(scale, {}).times(shared).times(_single_factor(inner))


def _choice(node: Apply, is_positive: Test) -> Product:
    """A max or min as a product, with the positive factors that its arms share taken out."""
    arms = list(dict.fromkeys(written(product_of(arg, is_positive)) for arg in node.args))
    if len(arms) == 1:
        return product_of(arms[0], is_positive)
    shared, cofactors = _common_factor([product_of(arm, is_positive) for arm in arms], is_positive)
    return shared.times(_single_factor(Apply(node.op, tuple(map(written, cofactors)))))


def _common_factor(terms: Sequence[Product], is_shared: Test) -> tuple[Product, list[Product]]:
    """The common factor of products, denominators included, and the cofactor of each, in a fixed order."""
    nonzero = [term for term in terms if term.number]  # a zero has every factor
    exponents: dict[Node, list[Fraction]] = {}
    for term in nonzero:
        for base, exponent in term.powers.items():
            exponents.setdefault(base, []).append(exponent)
    absent = Fraction(0)
    lowest = {base: min(own if len(own) == len(nonzero) else [*own, absent]) for base, own in exponents.items()}
    shared = Product(Fraction(1), {base: e for base, e in lowest.items() if e and is_shared(base)})
    inverse = Product(Fraction(1), {base: -e for base, e in shared.powers.items()})
    cofactors = [term.times(inverse) if term.number else term for term in terms]
    return shared, sorted(cofactors, key=lambda term: render(written(Product(Fraction(1), term.powers))))


def positive_first(node: Node) -> Node:
    """An expression with minus signs drawn into the factors of its products, so that as few as possible lead.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> [render(positive_first(parse_expression(text))) for text in ("-(a - b)/(c - d)", "-a*b + c", "a - (b - c)*d")]
    ['(a - b)/(d - c)', 'c - a*b', 'a - (b - c)*d']
    >>> render(positive_first(parse_expression("-(a + b)")))
    '-(a + b)'
    """
    sign, body = _sign_and_body(node)
    if sign > 0:
        return body
    if isinstance(body, Apply) and body.op == "mul":
        return _turned(body) or Apply("mul", (negated(body.args[0]), *body.args[1:]))
    return _turned(body) or negated(body)


def _sign_and_body(node: Node) -> tuple[int, Node]:
    """The sign of an expression as a product, and the rest of it with as few leading minus signs as possible."""
    if isinstance(node, Number):
        return (-1, Number(-node.value)) if node.value < 0 else (1, node)
    if not isinstance(node, Apply):
        return 1, node
    match node.op:
        case "neg":
            sign, body = _sign_and_body(node.args[0])
            return -sign, body
        case "inv":
            sign, body = _sign_and_body(node.args[0])
            return sign, inverted(body)
        case "mul":
            parts = [_sign_and_body(arg) for arg in node.args]
            sign, body = prod(sign for sign, _ in parts), multiplied(*(part for _, part in parts))
            turned = _turned(body) if sign < 0 else None
            return (sign, body) if turned is None else (1, turned)
        case "add":
            terms = [body if sign > 0 else negated(body) for sign, body in map(_sign_and_body, node.args)]
            if all(map(is_negated, terms)):
                return -1, Apply("add", tuple(map(negated, terms)))
            return 1, _led_by_positive(terms)
    return 1, Apply(node.op, tuple(map(positive_first, node.args)))


def _turned(node: Node) -> Node | None:
    """The negative of a difference, or of a product or quotient with such a factor, led by a positive term; or None."""
    if not isinstance(node, Apply):
        return None
    if node.op == "inv":
        inside = _turned(node.args[0])
        return None if inside is None else inverted(inside)
    if node.op == "mul":
        for i in reversed(range(len(node.args))):
            if (factor := _turned(node.args[i])) is not None:
                return multiplied(*node.args[:i], factor, *node.args[i + 1 :])
        return None
    if node.op != "add" or not any(map(is_negated, node.args)):
        return None
    return _led_by_positive([negated(arg) for arg in node.args])


def _led_by_positive(terms: list[Node]) -> Node:
    first = next(i for i, term in enumerate(terms) if not is_negated(term))
    return Apply("add", (terms[first], *terms[:first], *terms[first + 1 :]))
