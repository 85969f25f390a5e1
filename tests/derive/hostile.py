"""Hostile questions: inputs made to take for ever, of many kinds, each with a relation file, a target and givens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

__all__ = ["KINDS", "Hostile"]


@dataclass(frozen=True)
class Hostile:
    """A relation file, what is asked of it, and from what."""

    source: str
    target: str = "y"
    given: Mapping[str, Any] = field(default_factory=dict)


def file_of(names: Iterable[str], relations: Mapping[str, str], unit: str = "1", beside: str = "") -> str:
    """The text of a relation file whose quantities all have one unit; `beside` is written into each declaration."""
    declared = "\n".join(f'{name} = {{ unit = "{unit}"{beside} }}' for name in dict.fromkeys(names))
    stated = "\n".join(f"[relations.{name}]\nequation = '{equation}'" for name, equation in relations.items())
    return f"[quantities]\n{declared}\n{stated}\n"


def one(equation: str, names: Iterable[str], given: Mapping[str, Any], target: str = "y", beside: str = "") -> Hostile:
    return Hostile(file_of(["y", *names], {"r": equation}, beside=beside), target, given)


def numbered(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]


def wide(draw: Random) -> Hostile:
    """A sum, a product or a choice of very many terms, asked forwards or backwards."""
    names = numbered(draw.choice([50, 400, 2500]))
    form = draw.choice([" + ", "*", "min", "max", "sqrt"])
    terms = [f"sqrt({name})" for name in names] if form == "sqrt" else names
    joined = (
        f"{form}({', '.join(terms)})" if form in ("min", "max") else (" + " if form == "sqrt" else form).join(terms)
    )
    given = {name: str(draw.randint(1, 9)) for name in names}
    if draw.random() < 0.5:
        return one(f"y = {joined}", names, given)
    last = names[-1]
    return one(f"y = {joined}", names, {**{n: v for n, v in given.items() if n != last}, "y": "3.5"}, last)


def deep(draw: Random) -> Hostile:
    """Functions within functions."""
    opening = draw.choice(["(", "sqrt(", "exp(-", "sin(", "max(1, ", "1/(1 + ", "2**(-", "(x0 if x0 > 1 else "])
    depth = draw.choice([10, 40, 300, 3000])
    return one(
        f"y = {opening * depth}x0{')' * depth}", ["x0"], {draw.choice(["x0", "y"]): "0.7"}, draw.choice(["y", "x0"])
    )


def power(draw: Random) -> Hostile:
    """Powers that no computer writes down."""
    text = draw.choice(
        ["9**9**9", "2**(10**9)", "x0**(9**9)", "(x0 + 1)**900", "10**400*x0", "9**9**9*x0", "x0**x0**x0**x0"]
    )
    return one(f"y = {text}", ["x0"], {"x0": "1.5"})


def long_digits(draw: Random) -> Hostile:
    digits = draw.choice("123456789") * draw.choice([300, 4000, 15000])
    text = draw.choice(
        [digits, f"0.{digits}", f"1e{digits[:9]}", f"1e-{digits[:9]}", f"{digits}.{digits}e-{digits[:3]}"]
    )
    return draw.choice([one(f"y = {text}*x0", ["x0"], {"x0": "2"}), one("y = 2*x0", ["x0"], {"x0": text})])


def long_name(draw: Random) -> Hostile:
    name = draw.choice(["x", "x_", "token_"]) * draw.choice([100, 3000])
    return one(f"y = 2*{name}", [name], {draw.choice([name, name + "s", "y" * 9000]): "2"})


def unknown_names(draw: Random) -> Hostile:
    count = draw.choice([100, 2000, 20000])
    if draw.random() < 0.5:
        return one("y = 2*x0", numbered(30), {f"z{i}": "1" for i in range(count)})
    relations = {f"r{i}": f"x{i % 9} = 2*unknown_{i}" for i in range(count)}
    return Hostile(file_of(["y", *numbered(9)], relations), given={"x0": "1"})


def ring(draw: Random) -> Hostile:
    """Relations in a ring, which have to be solved at once."""
    count = draw.choice([3, 8, 40, 300])
    form = draw.choice(
        ["{a} = {b}*{c} + 1", "{a} = sqrt({b}) + {c}**2/9", "{a} = sin({b}) + {c}/3", "{a} + {b} = {c}**3 + 1"]
    )
    names = ["y", *numbered(count)]
    held = {
        f"r{i}": form.format(a=names[i], b=names[(i + 1) % len(names)], c=names[(i + 2) % len(names)])
        for i in range(len(names))
    }
    return Hostile(file_of(names, held))


def dense(draw: Random) -> Hostile:
    """A linear system in which every unknown is in every equation."""
    names = ["y", *numbered(draw.choice([6, 20, 45]))]
    sums = {
        f"r{i}": f"{draw.randint(1, 99)} = " + " + ".join(f"{draw.randint(1, 99)}*{name}" for name in names)
        for i in range(len(names))
    }
    return Hostile(file_of(names, sums, beside=', domain = "real"'))


def conditional(draw: Random) -> Hostile:
    """A choice of very many cases, or many choices."""
    count = draw.choice([10, 80, 500])
    if draw.random() < 0.5:
        arms = "".join(f"{i}*x0 if x0 < {i} else " for i in range(1, count))
        return one(f"y = {arms}x0", ["x0"], {draw.choice(["x0", "y"]): "7"}, draw.choice(["y", "x0"]))
    names = numbered(count)
    return one(
        "y = " + " + ".join(f"max({name}, x0)" for name in names),
        names,
        {"y": "9", **dict.fromkeys(names[1:], "2")},
        "x0",
    )


def giant_toml(draw: Random) -> Hostile:
    size = draw.choice([1000, 30000])
    value = draw.choice(
        [
            "[" * (size // 10) + "]" * (size // 10),
            "[" + "1, " * size + "]",
            '"' + "a" * 50 * size + '"',
            "9" * size,
            "{ a = " * (size // 20) + "1" + " }" * (size // 20),
        ]
    )
    key = draw.choice(
        ["title", "uses", "quantities", "quantities.y", "relations.r.when", "profiles.p", "quantities.y.unit"]
    )
    return Hostile(f"{key} = {value}\n")


def many_tables(draw: Random) -> Hostile:
    count = draw.choice([300, 3000])
    return Hostile(
        "".join(f"[quantities.x{i}]\nunit = 'm'\nmeaning = 'the {i}th'\n" for i in range(count))
        + "[relations]\n"
        + "".join(f"r{i} = {{ equation = 'x{i} = x{i + 1} + x{i + 2}' }}\n" for i in range(count - 2)),
        "x0",
        {f"x{count - 1}": "1 m", f"x{count - 2}": "2 m"},
    )


def ranges(draw: Random) -> Hostile:
    """Ranges of many givens, in a form that is not monotone."""
    names = numbered(draw.choice([3, 8, 30]))
    form = draw.choice(["sin({0}*{1})", "({0} - {1})**2", "{0}*{1}/({0} + {1})", "max({0}, {1})"])
    terms = [form.format(a, b) for a, b in zip(names, [*names[1:], names[0]], strict=True)]
    return one("y = 100 + " + " + ".join(terms), names, dict.fromkeys(names, "0.1..7"))


def lists(draw: Random) -> Hostile:
    """Lists of values to choose from."""
    names, count = numbered(draw.choice([1, 2, 5])), draw.choice([10, 900, 20000])
    return one(
        "y = 50 + " + " + ".join(f"sin({name})" for name in names),
        names,
        {name: [str(i) for i in range(1, count)] for name in names},
    )


def polynomial(draw: Random) -> Hostile:
    """A polynomial of a high degree."""
    degree = draw.choice([5, 12, 40, 120])
    if draw.random() < 0.5:
        text = "*".join(f"(x0 - {i})" for i in range(1, degree))
    else:
        text = " + ".join(f"{draw.randint(-9, 9)}*x0**{i}" for i in range(degree))
    return one(f"y = {text}", ["x0"], {"y": draw.choice(["0", "0.001", "7"])}, "x0", ', domain = "real"')


def waves(draw: Random) -> Hostile:
    """Products and sums of waves, which have many roots or none."""
    count, speed = draw.choice([2, 5, 30]), draw.choice([1, 50, 10000])
    text = draw.choice(["*", " + "]).join(f"sin({speed * (i + 1)}*x0 + {i})" for i in range(count))
    return one(f"y = {text}", ["x0"], {"y": draw.choice(["0.001", "0.3"])}, "x0", ', domain = "0..1000"')


def tower(draw: Random) -> Hostile:
    """Exponentials that overflow, or nearly."""
    text = draw.choice(
        ["exp(exp(exp(x0)))", "x0**(x0**x0)", "exp(x0)*exp(-x0)*x0", "log(log(log(x0 + 3) + 3) + 3)", "(1 + 1/x0)**x0"]
    )
    return one(f"y = {text}", ["x0"], {"y": draw.choice(["2.5", "1e300", "1e-300"])}, "x0")


def chain(draw: Random) -> Hostile:
    """Definitions that double in size when they are put into each other."""
    count = draw.choice([10, 30, 200])
    form = draw.choice(
        ["{a} = {b}*{b} + {b}", "{a} = {b} + 1/{b}", "{a} = max({b}, 2*{b} - 1)", "{a} = sin({b}) + {b}"]
    )
    held = {f"r{i}": form.format(a=f"x{i}" if i else "y", b=f"x{i + 1}") for i in range(count)}
    last = f"x{count}"
    return Hostile(file_of(["y", *numbered(count + 1)], held), *draw.choice([("y", {last: "0.3"}), (last, {"y": "3"})]))


def odd_units(draw: Random) -> Hostile:
    unit = draw.choice(
        [
            "*".join(["m"] * 5000),
            "(" * 3000 + "m" + ")" * 3000,
            "k" * 5000 + "m",
            "m**99999999",
            "m**9**9**9",
            "1" * 5000,
            "m" * 20000,
            "m/" * 4000 + "s",
        ]
    )
    if draw.random() < 0.5:
        return Hostile(file_of(["y", "x0"], {"r": "y = x0"}, unit=unit), given={"x0": "1"})
    return one("y = 2*x0", ["x0"], {"x0": f"1 {unit}"})


KINDS: tuple[Callable[[Random], Hostile], ...] = (
    *(wide, deep, power, long_digits, long_name, unknown_names, ring, dense, conditional, giant_toml, many_tables),
    *(ranges, lists, polynomial, waves, tower, chain, odd_units),
)
