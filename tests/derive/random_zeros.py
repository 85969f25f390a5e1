"""Random small systems of products, quotients and functions, with givens of which many are zero."""

from __future__ import annotations

import random
import re

import derive
from derive.library import Library
from tests.derive.statements import bare

SHAPES = (
    "{p} = {q}*{r}",
    "{p} = {q}*{r}",
    "{p} = {q}*{r}",
    "{p}*{q} = {r}*{s}",
    "{p} = {q} + {r}",
    "{p} = {q}*{r} + {s}",
    "{p} = {q}/{r}",
    "{p} = {q}*exp({r})",
    "{p} = {q}*{r}**2",
    "{p} = {q}*{r}*{s}",
    "{p} = {q}*({r} - {s})",
    "{p} = {q}*sin({r})",
    "{p}*exp({q}) = {r}*{s}",
    "{p} = max({q}, {r})*{s}",
    "{p} = {q}*{r}/{s}",
    "{p}*exp({q}) = {p}*{r}",
    "{p} = ({q}*{r} if {r} > {s} else {s})",
)
NUMBERS = (-1, 0, 0, 0, 1, 2, 0.5)


def asked(seed: int) -> tuple[Library, str, dict[str, float]] | None:
    """A system, a target, and numbers for some of its quantities; None if it is refused as it is stated."""
    draw = random.Random(f"corner {seed}")
    names = list("abcdxyz")[: draw.randint(4, 7)] if draw.random() < 0.5 else list("abcxyz")
    relations = []
    for _ in range(draw.randint(1, 4)):
        drawn = dict(zip("pqrs", draw.sample(names, 4), strict=True))
        relations.append(draw.choice(SHAPES).format(**drawn))
    used = sorted({*re.findall(r"\b[a-dx-z]\b", " ".join(relations))})
    names_given = draw.sample(used, draw.randint(1, len(used) - 1))
    given = {name: draw.choice(NUMBERS) for name in names_given}
    target = draw.choice([name for name in used if name not in given])
    domains = {name: draw.choice(["nonnegative", "real", "real", "real"]) for name in used}
    given = {name: abs(x) if domains[name] == "nonnegative" else x for name, x in given.items()}
    try:
        return bare(" ".join(used), *relations, domains=domains), target, given
    except derive.DeriveError:
        return None
