"""Programs run by a browser's engine, and what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from derive.kernels.backends.javascript import runtime
from derive.kernels.browser_programs.program import Program
from tests.derive.browser import value_of


@dataclass(frozen=True)
class Point:
    """What a program says at one point."""

    data: Mapping[str, Any]
    y: Sequence[float]

    def number(self, name: str) -> float:
        (one,) = (one for one in self.data["outputs"] if one["name"] == name)
        return self.y[one["at"]]

    @property
    def target(self) -> float:
        return self.y[self.data["outputs"][0]["at"]]

    def reason(self, name: str) -> Mapping[str, str] | None:
        (one,) = (one for one in self.data["outputs"] if one["name"] == name)
        why = int(self.y[one["why"]])
        return self.data["reasons"][why - 1] if why else None

    @property
    def why(self) -> str:
        """The kind of the reason for which the target has no number."""
        reason = self.reason(self.data["target"])
        return reason["kind"] if reason else ""

    @property
    def states(self) -> dict[str, int]:
        return {check["relation"]: int(self.y[check["state"]]) for check in self.data["checks"]}

    @property
    def failed(self) -> set[str]:
        """The checks that fail: relations, and defaults that are displaced."""
        displaced = {one["name"] for one in self.data["yielding"] if self.y[one["state"]] in (2, 3)}
        return {name for name, state in self.states.items() if state in (2, 3)} | displaced

    @property
    def is_contradicted(self) -> bool:
        """Whether the solver raises that the givens contradict each other."""
        broken = {name for name, state in self.states.items() if state in (2, 3)}
        return any(check["contradicts"] and check["relation"] in broken for check in self.data["checks"])

    @property
    def barred(self) -> set[str]:
        """The relations that leave what is in them no admissible value, where the solver raises as well."""
        return {one["relation"] for one in self.data["barring"] if one["contradicts"] and self.y[one["state"]] == 1}

    @property
    def regime(self) -> dict[str, str]:
        """The arms that bind, of the choices that the inputs alone do not make."""
        found = {one["relation"]: (one["forms"], int(self.y[one["at"]])) for one in self.data["choices"]}
        told = {
            name: [arm for arm, givens in forms[at] if givens is None] for name, (forms, at) in found.items() if at >= 0
        }
        return {name: "; ".join(arms) for name, arms in told.items() if arms}


def ran(asked: Sequence[tuple[Program, Sequence[Sequence[float]]]]) -> list[list[Point]]:
    """What each program says at its points, all in one run."""
    plain = [made.data() for made, _ in asked]
    parts = (
        f"[{made.source}(derive), {data['size']}, {_listed(own)}]"
        for (made, own), data in zip(asked, plain, strict=True)
    )
    told = value_of(f"{runtime()}const made = [{', '.join(parts)}];\n{_CALLED}")
    return [
        [Point(data, [math.nan if x is None else _FAR.get(x, x) for x in one]) for one in found]
        for data, found in zip(plain, told, strict=True)
    ]


def called(
    functions: Sequence[str], points: Sequence[Sequence[Sequence[float]]], before: str = ""
) -> list[list[float]]:
    """The values of each JavaScript function at its points, which are lists of arguments."""
    parts = ",".join(f"[{name}, {_listed(own)}]" for name, own in zip(functions, points, strict=True))
    said = f"const said = [{parts}].map(([f, points]) => points.map((point) => plain(Number(f(...point)))));"
    told = value_of(f"{runtime()}{before}\n{said}{_PLAIN}")
    return [[math.nan if x is None else _FAR.get(x, x) for x in one] for one in told]


_PLAIN = "function plain(x) { return Number.isFinite(x) || x !== x ? x : String(x); }"
_CALLED = (
    """
const said = made.map(([kernel, size, points]) => points.map((point) => {
  const y = new Float64Array(size);
  kernel(Float64Array.from(point), y);
  return Array.from(y, plain);
}));
"""
    + _PLAIN
)
_FAR: Mapping[Any, float] = {"Infinity": math.inf, "-Infinity": -math.inf}


def _listed(points: Sequence[Sequence[float]]) -> str:
    return json.dumps([[float(x) for x in point] for point in points])
