"""Claims, readings and scenes written in a line each."""

from __future__ import annotations

from derive.audit.claim import Assertion, Claim, Clause, Reading
from derive.audit.criteria import Between, Bound, Number, Sound

about, between = Number, Between


def at_least(stated):
    return Bound("at least", stated)


def at_most(stated):
    return Bound("at most", stated)


def more_than(stated):
    return Bound("more than", stated)


def less_than(stated):
    return Bound("less than", stated)


def reading(words, question, criterion=None, *, response_to=(), leaves_open=None, may_change=(), each=(), share=1.0):
    opened = tuple((leaves_open or {}).items())
    return Reading(
        words, question, criterion or Sound(), tuple(response_to), opened, tuple(may_change), tuple(each), share
    )


def clause(words, *readings):
    return Clause(words, readings)


def claim(name, statement, *clauses):
    return Claim(name, statement, clauses)


def said(claim, printed=False, **values):
    return tuple(Assertion(claim, name, value, printed) for name, value in values.items())
