"""The ways of this folder's tests to state a library in a line or two."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import derive
from derive import Library


def library(
    units: Mapping[str, str],
    *relations: str | Mapping[str, Any],
    domains: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    fallbacks: Mapping[str, str] | None = None,
    profiles: Mapping[str, Mapping[str, str]] | None = None,
) -> Library:
    """Units by name, then relations: an equation, or the entries of its table; they are called r1, r2, ..."""
    lines = ["[quantities]"]
    for name, unit in units.items():
        entry = {"unit": unit}
        if name in (domains or {}):
            entry["domain"] = (domains or {})[name]
        if name in (values or {}):
            entry["value"] = (values or {})[name]
        if name in (fallbacks or {}):
            entry["otherwise"] = (fallbacks or {})[name]
        lines.append(f"{name} = {_table(entry)}")
    for number, relation in enumerate(relations, 1):
        entries = {"equation": relation} if isinstance(relation, str) else dict(relation)
        lines += [f"[relations.{entries.pop('name', f'r{number}')}]", *_rows(entries)]
    for name, held in (profiles or {}).items():
        lines += [f"[profiles.{name}]", *_rows(held)]
    return derive.load("\n".join(lines) + "\n")


def bare(names: str, *relations: str | Mapping[str, Any], **more: Any) -> Library:
    """A library of dimensionless quantities."""
    return library(dict.fromkeys(names.split(), ""), *relations, **more)


def number(answer: Any) -> float:
    """The value of an answer in the declared unit."""
    assert answer.value is not None
    return float(answer.value.magnitude)


def numbers(answers: Sequence[Any]) -> list[float]:
    return [number(answer) for answer in answers]


def span(answer: Any) -> tuple[float, float]:
    return float(answer.low.magnitude), float(answer.high.magnitude)


def _rows(entries: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {json.dumps(entry)}" for name, entry in entries.items()]


def _table(entries: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(_rows(entries)) + " }"
