"""Claims, readings and scenes written in a line each."""

from __future__ import annotations

from derive.audit.claim import Amount, Assertion, Claim, Clause, Reading, UnitAgreement, WrittenQuestion

about = between = Amount


def ask(target, *profiles, **given):
    """A question, written like a call of `solve`."""
    return WrittenQuestion(target, profiles, tuple(given.items()))


def at_least(stated):
    return Amount(stated, "at least")


def at_most(stated):
    return Amount(stated, "at most")


def more_than(stated):
    return Amount(stated, "more than")


def less_than(stated):
    return Amount(stated, "less than")


def reading(words, question, criterion=None, *, response_to=(), leaves_open=None, may_change=(), each=(), share=1.0):
    opened = tuple((leaves_open or {}).items())
    return Reading(
        words, question, criterion or UnitAgreement(), tuple(response_to), opened, tuple(may_change), tuple(each), share
    )


def clause(words, *readings):
    return Clause(words, readings)


def claim(name, statement, *clauses):
    return Claim(name, statement, clauses)


def said(claim, printed=False, **values):
    return tuple(Assertion(claim, name, value, printed) for name, value in values.items())
