"""One question put to a sheet at every choice that its answer rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log
from typing import Any

from derive.errors import DeriveError, NoSolutionError, UnderdeterminedError
from derive.inferring.asking import NOES, Asker, Chosen, ends
from derive.inferring.conclusions import Choice, Conclusion, Missing
from derive.inferring.plausible import KEYS
from derive.inferring.questions import Question
from derive.inferring.refuting import refuted
from derive.solving.answer import Answer

__all__ = ["conclude"]


def conclude(asker: Asker, question: Question) -> Conclusion | Missing:
    """What the sheet says to a question, over all choices that its answer rests on."""
    quantity = asker.sheet.library.quantity(question.target)
    lacking = asker.lacking(question)
    if lacking:
        return Missing(quantity, lacking)
    try:
        given = asker.assumed(question)
        found = _answers(asker, question, given)
    except NOES as error:
        return Missing(quantity, (), _why(error))
    at, answer = min(found, key=lambda pair: _apart(pair[1])) if question.nearest else found[0]
    low_at, lowest = min(found, key=lambda pair: ends(pair[1])[0])
    high_at, highest = max(found, key=lambda pair: ends(pair[1])[1])
    kinds = asker.kinds(answer, at)
    concluded = Conclusion(
        quantity,
        answer,
        (ends(lowest)[0], ends(highest)[1]),
        _choice(at, kinds),
        _choice(low_at, kinds),
        _choice(high_at, kinds),
        (*question.assuming, *answer.assumptions),
        (),
    )
    return replace(concluded, refuted_by=refuted(asker, question, concluded, at, given))


def _answers(asker: Asker, question: Question, given: Mapping[str, Any]) -> list[tuple[Chosen, Answer]]:
    """The answers at all choices that count and have one, the one at the reference first."""
    found: list[tuple[Chosen, Answer]] = []
    asked: set[Choice] = set()
    kinds = frozenset(KEYS)
    refusals: list[DeriveError] = []
    for chosen in asker.choices(question, given):
        if _choice(chosen, kinds) in asked:
            continue
        try:
            answer = asker.ask(question.target, chosen, given, question.needs)
            kinds = kinds if found else asker.kinds(answer, chosen)
            found.append((chosen, answer))
        except NOES as error:
            refusals.append(error)
        asked.add(_choice(chosen, kinds))
    if refusals and not found:
        raise refusals[0]
    return found or [(asker.first, asker.ask(question.target, asker.first, given))]


def _why(error: DeriveError) -> str:
    """Why there is no answer, in short."""
    if isinstance(error, UnderdeterminedError) and error.missing:
        return f"no choice states {' and '.join(error.missing[0])}"
    return error.reason if isinstance(error, NoSolutionError) and error.reason else error.what


def _choice(chosen: Chosen, kinds: frozenset[str]) -> Choice:
    return Choice(**{kind: profile.name for kind, profile in zip(KEYS, chosen, strict=True) if kind in kinds})


def _apart(answer: Answer) -> float:
    """How far an answer lies from 1, as a ratio."""
    return abs(log(answer.base)) if answer.base else inf
