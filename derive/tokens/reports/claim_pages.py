"""One claim of the audit: its readings, the questions, the answers, and the derivation of the deciding reading."""

from __future__ import annotations

from collections.abc import Iterator

from derive.audit.question import Asked, Statement, WrittenQuestion
from derive.audit.verdicts import ClauseFinding, Finding, Judgement
from derive.audit.weighing import formatted
from derive.library import Library
from derive.presentation.derivation import Line
from derive.presentation.document import Block, Heading, Items, Text, verbatim
from derive.reports.formulas import briefly, chain, stated, worked
from derive.tokens.reports.reading_tables import families, tabled
from quantities.units import DIMENSIONLESS

__all__ = ["claimed", "named", "question", "stressed"]

_STEPS = 6  # limit on steps of a derivation that is shown with every reason and source


def claimed(finding: Finding, library: Library) -> Iterator[Block]:
    """A claim with all readings of all its clauses, the natural ones first."""
    yield Heading(f"All readings of {verbatim(finding.claim.name)}", 3)
    yield Text(f"Claimed: {verbatim(finding.claim.statement)}.")
    known: set[Line] = set()
    for clause in finding.clauses:
        if len(finding.clauses) > 1:
            yield Heading(f"{verbatim(clause.clause.words)}: {clause.verdict}", 4)
        yield from _readings(clause, finding.decides, library, known)


def _readings(clause: ClauseFinding, decides: Judgement, library: Library, known: set[Line]) -> Iterator[Block]:
    for family in families(clause.judgements):
        if len(family) > 1:
            yield from tabled(family, known)
            yield from _decided(decides) if any(one is decides for one in family) else ()
        else:
            yield from _reading(clause, family[0], library, family[0] is decides)


def _reading(clause: ClauseFinding, judgement: Judgement, library: Library, decides: bool) -> Iterator[Block]:
    weighed = judgement.weighed
    asked = weighed.reading.question
    yield Text(
        f"{stressed(judgement.words or clause.clause.words)}: {judgement.verdict}. "
        f"{'Stated' if isinstance(asked, Statement) else 'Asked'}: {question(asked)}. "
        f"Came out: {verbatim(judgement.why)}."
    )
    if weighed.relation is not None:
        yield from stated(Library([weighed.relation]), weighed.relation.name)
    if weighed.refusal is not None:
        yield Items(tuple(verbatim(line.strip()) for line in str(weighed.refusal).splitlines() if line.strip()))
    if weighed.asked is not None:
        yield from _answered(weighed.asked, library, decides)
    if weighed.bound is not None:
        yield Text(f"The bound: {question(weighed.bound.question)}.")
        yield from _answered(weighed.bound, library, False)
    yield from _moved(judgement)
    yield from _decided(judgement) if decides else ()


def _answered(asked: Asked, library: Library, decides: bool) -> Iterator[Block]:
    """The answer to a question, after those to its inner questions."""
    for name, inner in asked.inner.items():
        yield Text(f"Handed on as {named(name)}: {question(inner.question)}.")
        yield from _answered(inner, library, False)
    if asked.answer is None:
        between = _between(asked.question, library)
        yield from stated(library, *between) if between else ()
    elif not decides or len(asked.answer.steps) > _STEPS:
        yield chain(asked.answer)


def _between(asked: WrittenQuestion, library: Library) -> tuple[str, ...]:
    """The relations that contain only the target and the givens."""
    spoken = {asked.target, *dict(asked.given)}
    return tuple(name for name, one in library.relations.items() if spoken >= one.quantities.keys())


def _moved(judgement: Judgement) -> Iterator[Block]:
    """The elasticity of the answer in each quantity that the reading names."""
    names, asked = judgement.weighed.reading.response_to, judgement.weighed.asked
    if not names or asked is None or asked.answer is None:
        return
    each = [f"{named(name)} {formatted(asked.answer.elasticities.get(name, 0.0), DIMENSIONLESS)}" for name in names]
    yield Text(f"One percent more of an input moves the answer by so many percent: {', '.join(each)}.")


def _decided(judgement: Judgement) -> Iterator[Block]:
    """The derivation of the deciding reading with its inputs, and that of the change that would make it hold."""
    answer = judgement.weighed.asked.answer if judgement.weighed.asked else None
    if answer is not None:
        words = verbatim(judgement.words)
        yield briefly(worked(f"What decides{': ' if words else ''}{words}", answer), _STEPS)
    change = judgement.change
    if change is not None and len(change.answer.steps) <= _STEPS:
        yield Text(f"Asked backwards, for what would have to be: {verbatim(str(change))}.")
        yield chain(change.answer)


def question(asked: WrittenQuestion | Statement) -> str:
    """A question as it would be typed."""
    if isinstance(asked, Statement):
        units = [f"{named(name)} in {verbatim(unit or '1')}" for name, unit in asked.units]
        return ", ".join([named(asked.equation), *units])
    given = [
        f"{named(name)} = {f'({question(value)})' if isinstance(value, WrittenQuestion) else verbatim(value)}"
        for name, value in asked.given
    ]
    return ", ".join([named(asked.target), *map(verbatim, asked.profiles), *given])


def named(name: str) -> str:
    """A name as code."""
    return verbatim(name) if "`" in name else f"`{name}`"


def stressed(words: str) -> str:
    """Raw words, stressed unless they contain markup."""
    return verbatim(words) if set(words) & set("*$`\\") else f"*{words}*"
