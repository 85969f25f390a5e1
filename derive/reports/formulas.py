"""Mathematics on a page: stated and rearranged relations, closed forms, and the steps of an answer.

Simultaneous equations solved by hand: each unknown in closed form, where the equations are linear in the unknowns.

A maximum or a minimum is first replaced by the arm that binds at the numbers, and each equation is multiplied by its
denominators. Forms that do not give the numbers that were found are not shown.

What a report says of an answer beside its number: plain sentences, where the command line prints a log.

Checks that hold, conditions that are taken to hold and the arm of a maximum are left out: the lines of the derivation
show what they rest on. A check that fails is said once, with both numbers and without the source, which the table has.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from derive.expressions.sympy_bridge import from_sympy, to_sympy
from derive.expressions.tree import Apply, Name, Node, names_in, rebuilt
from derive.library import Library
from derive.model.relation import Relation
from derive.numerics.algebra.evaluation import binding_arm, value
from derive.presentation import derivation, mathematics
from derive.presentation.cautions import idle_givens
from derive.presentation.derivation import Derivation, digits_borne, lay_out, letters_for, reported
from derive.presentation.document import Block, Formulas, Grid, Heading, Items, LetterLegend, WorkedDerivation, verbatim
from derive.presentation.mathematics import Line, width
from derive.presentation.numbers import customary, with_short_numbers
from derive.solving.execution.answer import Answer, Step
from derive.solving.extremes import EXACT
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration
from quantities.quantity import symbol
from quantities.value import ASKER, DEFAULT, OTHERWISE, Source

_LINE = 70  # characters of mathematics that a line of a page holds


def letter(library: Library, name: str) -> str:
    """The letter of a quantity in a report's formulas, as it stands in a line of words."""
    return f"${_letter(library.declaration(name))}$"


def stated(library: Library, *names: str) -> tuple[Block, ...]:
    """Formulas of a report: relations of the library as they are stated, and why they hold."""
    chosen = [library.relation(name) for name in names]
    quantities: dict[str, Declaration] = {}
    for relation in chosen:
        members = names_in(relation.written.lhs, relation.written.rhs)
        quantities.update({name: relation.declared[name] for name in members})
    reasons = tuple(f"*{verbatim(r.name.replace('_', ' '))}*: {verbatim(r.because)}" for r in chosen if r.because)
    sources = tuple(dict.fromkeys(Source(r.source) for r in chosen if r.source and r.source != "by definition"))
    formulas = Formulas(tuple(_line(relation) for relation in chosen), tuple(quantities.values()))
    return (formulas, Items(reasons, sources)) if reasons else (formulas,)


def introduced(blocks: Iterable[Block], known: set[Declaration]) -> Iterator[Block]:
    """The blocks around a report's formulas, where each formula is followed by the letters that are new in it."""
    for block in blocks:
        yield block
        if isinstance(block, Formulas):
            text = " ".join(side for line in block.lines for side in line)
            new = [q for q in block.quantities if q not in known and not _is_a_number(_letter(q))]
            shown = tuple(q for q in dict.fromkeys(new) if _is_in(_letter(q), text))
            known.update(shown)
            if shown:
                yield LetterLegend(shown)


def _is_in(shown: str, text: str) -> bool:
    """Whether a letter stands in a formula of a report, and not only as a part of another letter."""
    return re.search(rf"(?<![A-Za-z\\_])(?<!_\{{){re.escape(shown)}(?![A-Za-z_])", text) is not None


def symbols(quantities: Sequence[Declaration]) -> tuple[Block, ...]:
    """The heading and table of all letters in a report's formulas, with the name, meaning and unit of each quantity."""
    rows = tuple(
        (
            "" if _is_spelled_out(quantity) else f"${_letter(quantity)}$",
            f"`{verbatim(quantity.name)}`",
            verbatim(quantity.meaning),
            f"${unit}$" if (unit := mathematics.unit(quantity.unit.text)) else "",
        )
        for quantity in sorted(quantities, key=lambda quantity: quantity.name)
    )
    return Heading("Symbols"), Grid(("letter", "name", "meaning", "unit"), rows, shares=(0, 0.26, 0.37, 0))


def turned(library: Library, name: str, *wanted: str) -> Formulas:
    """Formulas of a report: one relation solved for each of its quantities, or for the wanted ones."""
    relation = library.relation(name)
    alone = Library([relation])
    members = names_in(relation.written.lhs, relation.written.rhs)
    solved = [_form(alone, target, [other for other in members if other != target]) for target in wanted or members]
    return Formulas(tuple(solved))


def closed_form(library: Library, target: str, given: Iterable[str]) -> Formulas:
    """The formula of a report for a quantity in terms of others, with maxima and choices inverted."""
    return Formulas((_form(library, target, list(given)),))


def worked(title: str, answer: Answer) -> WorkedDerivation:
    """The formulas by which an answer is derived, step by step, under a title on a report's page."""
    return WorkedDerivation(title, _laid_out(answer))


def _laid_out(answer: Answer, digits: int | None = None) -> Derivation:
    """The mathematics of an answer on a report's page, with closed forms of unknowns that are solved together."""
    page, letters = lay_out(answer, digits, is_report=True), letters_for(answer.quantities)
    known = {name: value.base[1] for name, value in answer.given.items()}
    written = {name: reported(value.number, value.unit.text) for name, value in answer.given.items()}
    steps = []
    for step, shown in zip(answer.steps, page.steps, strict=True):
        forms = eliminated(step, known, answer.quantities)
        for single in step.together or (step,):
            if single.result is not None:
                (low, _), unit = single.result
                known[single.quantity] = low
                written[single.quantity] = reported(unit.from_base(low), unit.text, digits or digits_borne(answer))
        lines = _with_forms(shown.lines, forms, letters, written) if forms else shown.lines
        steps.append(replace(shown, lines=lines))
    inputs = [entry for entry in page.symbols if not _is_a_number(entry.letter)]
    noted = remarks(answer)
    return replace(
        page,
        steps=tuple(steps),
        symbols=tuple(replace(entry, source=_SHORT.get(entry.source, entry.source)) for entry in inputs),
        notes=(("note", noted),) if noted else (),
        cautions=failures(answer),
    )


def _with_forms(
    lines: Sequence[Line], forms: Mapping[str, Any], letters: Mapping[str, str], written: Mapping[str, str]
) -> tuple[Line, ...]:
    """The formulas of a joint step on a page, with each unknown's closed form and its numbers before its result."""
    shown = list(lines[: -len(forms)])
    for (left, result), form in zip(lines[-len(forms) :], forms.values(), strict=True):
        node = _tree(form)
        shown.append((left, mathematics.expression(node, letters.__getitem__)))
        shown += [("", mathematics.expression(node, written.__getitem__)), ("", result)]
    return tuple(shown)


def pencil(answer: Answer, *relations: Relation, digits: int | None = None) -> Formulas:
    """Formulas of a report to follow with a pencil: relations as stated, and the lines of an answer's last step."""
    last = _laid_out(answer, digits).steps[-1].lines
    given = tuple(_line(relation) for relation in relations)
    further = tuple(line for line in last if line not in given)
    return Formulas(given + further, tuple(answer.quantities.values()))


def chain(answer: Answer, digits: int | None = None) -> Formulas:
    """Formulas of a report: all steps of an answer, each on as few lines as possible."""
    lines = itertools.chain.from_iterable(_joined(step.lines) for step in _laid_out(answer, digits).steps)
    return Formulas(tuple(lines), tuple(answer.quantities.values()))


def briefly(shown: WorkedDerivation, steps: int) -> WorkedDerivation:
    """A report's derivation with its formulas on as few lines as possible; without steps if more than `steps`."""
    page = shown.page
    kept = page.steps if len(page.steps) <= steps else ()
    short = tuple(replace(step, lines=_joined(step.lines)) for step in kept)
    return replace(shown, page=replace(page, steps=short))


def forms(answer: Answer) -> Formulas:
    """Formulas of a report: the steps of an answer in letters, as they are stated and as they are solved."""
    lines = itertools.chain.from_iterable(step.lines for step in _laid_out(answer).steps)
    starting = [(left, right) for left, right in lines if left]
    return Formulas(tuple(dict.fromkeys(starting)), tuple(answer.quantities.values()))


def _joined(lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines of a report's formulas, where those that continue an equation are joined if they fit on one line."""
    joined: list[Line] = []
    for left, right in lines:
        start, before = joined[-1] if joined and not left else ("", "")
        if before and width(before) + width(right) <= _LINE:
            joined[-1] = start, f"{before} = {right}"
        else:
            joined.append((left, right))
    return tuple(joined)


def _letter(quantity: Declaration) -> str:
    return mathematics.letter(quantity.name, quantity.latex)


def _is_spelled_out(quantity: Declaration) -> bool:
    """Whether a report's formulas show a quantity's name itself, since the quantity has no letter."""
    return _letter(quantity) == mathematics.upright(quantity.name.replace("_", " "))


def _is_a_number(letter: str) -> bool:
    """Whether the letter in a report's formula is a number, such as a fixed 2, or a unit with its number."""
    return letter[:1].isdigit()


def _line(relation: Relation) -> Line:
    return derivation.stated(relation.written, mathematics.letters_of(relation.declared))


def _one_fraction(form: Any) -> Any:
    """A closed form on a report's page as one fraction if that is shorter, with its minus sign moved into a difference.

    >>> from sympy.abc import m, p, s
    >>> _one_fraction((1/s - m/(p*s))/(1 - 1/(p*s))), _one_fraction(-m/(s*p - 1)), _one_fraction(m/p + s)
    ((-m + p)/(p*s - 1), m/(-p*s + 1), m/p + s)
    """
    from sympy import Add, Mul, factor, fraction, together

    if not form.is_rational_function():
        return form
    factored = factor(together(form))
    shorter = factored if factored.count_ops() < form.count_ops() else form
    above, below = fraction(shorter)
    if above.as_coeff_Mul()[0] >= 0:
        return above / below
    upper, lower = list(Mul.make_args(-above)), list(Mul.make_args(below))
    for side in (lower, upper):
        # the minus sign turns the first sum around: (p - m) and not -(m - p)
        for place, term in enumerate(side):
            if isinstance(term, Add):
                side[place] = -term
                return Mul(*upper) / Mul(*lower)
    return above / below


def _form(library: Library, target: str, given: Sequence[str]) -> tuple[str, str]:
    written = mathematics.letters_of(library.declared)
    node = _tree(library.formula(target, given))
    return mathematics.expression(Name(target), written), mathematics.expression(node, written)


def _tree(form: Any) -> Node:
    """A sympy formula as an expression tree, arranged as a person would write it in a report."""
    return _positive_first(from_sympy(_one_fraction(form))[0])


def _positive_first(node: Node) -> Node:
    """A report's formula as a tree, with the negative terms of each sum last."""
    if not isinstance(node, Apply):
        return node
    terms = tuple(_positive_first(term) for term in node.args)
    if node.op == "add":
        terms = tuple(sorted(terms, key=lambda term: isinstance(term, Apply) and term.op == "neg"))
    return Apply(node.op, terms)


_MOST = 3  # unknowns


def eliminated(step: Step, known: Mapping[str, float], declared: Mapping[str, Declaration]) -> dict[str, Any]:
    """The closed form of each unknown of a joint step, as a report shows it solved by hand; empty where there is none.

    >>> from derive.relation_files.loading import load
    >>> sizes = "\\n".join(f'{name} = {{ unit = "1" }}' for name in ("w", "v", "m", "r"))
    >>> both = '[relations]\\nall = { equation = "m = w + v" }\\nlong = { equation = "r = 1/max(w + 2*v, v)" }'
    >>> answer = load(f"[quantities]\\n{sizes}\\n{both}").solve("w", m=1, r=0.8)
    >>> eliminated(answer.steps[0], {"m": 1.0, "r": 0.8}, answer.quantities)["w"]
    (2*m*r - 1)/r
    """
    numbers = dict(known)
    sides: list[tuple[Node, Node]] = []
    for single in step.together:
        stated, result = single.stated, single.result
        if stated is None or stated.op != "=" or result is None:
            return {}
        (low, high), _ = result
        if low != high:
            return {}
        numbers[single.quantity] = low
        sides.append((stated.lhs, stated.rhs))
    unknowns = [single.quantity for single in step.together]
    names = names_in(*itertools.chain.from_iterable(sides))
    if not 2 <= len(unknowns) <= _MOST or not numbers.keys() >= set(names):
        return {}
    forms = _solved([(_binding(left, numbers), _binding(right, numbers)) for left, right in sides], unknowns, declared)
    results = ((value(from_sympy(form)[0], numbers), numbers[name]) for name, form in forms.items())
    return forms if all(math.isclose(*pair, rel_tol=AGREEMENT) for pair in results) else {}


def _binding(node: Node, numbers: Mapping[str, float]) -> Node:
    """A report's formula as a tree, with the arm that binds in the place of each maximum and minimum."""

    def change(part: Node) -> Node | None:
        arm = binding_arm(part, numbers) if isinstance(part, Apply) and part.op in ("max", "min") else None
        return None if arm is None else _binding(arm, numbers)

    return rebuilt(node, change)


def _solved(
    sides: Sequence[tuple[Node, Node]], unknowns: Sequence[str], declared: Mapping[str, Declaration]
) -> dict[str, Any]:
    """The closed forms of a step's unknowns, as solved by hand from simultaneous equations that are linear in them."""
    import sympy

    symbols_of = {name: symbol(declared[name]) for name in names_in(*itertools.chain.from_iterable(sides))}
    gaps = [to_sympy(left, symbols_of) - to_sympy(right, symbols_of) for left, right in sides]
    zeros = [sympy.expand(sympy.fraction(sympy.together(gap))[0]) for gap in gaps]
    try:
        matrix, right = sympy.linear_eq_to_matrix(zeros, [symbols_of[name] for name in unknowns])
    except sympy.solvers.solveset.NonlinearError:
        return {}
    if matrix.det() == 0:
        return {}
    return {name: sympy.factor(form) for name, form in zip(unknowns, matrix.LUsolve(right), strict=True)}


_ASSUMED = Source("assumed", "assumed")
_SHORT = {DEFAULT: _ASSUMED, OTHERWISE: _ASSUMED, ASKER: Source("given", "assumed")}
"""The sources of inputs that a table shows in other words."""


def failures(answer: Answer) -> tuple[str, ...]:
    """The failures that a report names beside an answer: failed checks, givens without effect, numbers next to a count.

    >>> from derive.tokens.relations import library
    >>> given = {"chip_throughput": "100 token/s/chip", "context": "100 ktoken/sequence"}
    >>> failures(library().solve("served_compute", "llama3-70b", **given))
    ('context is 100 ktoken/sequence, more than context limit, which is 8192 token/sequence',)
    """
    sentences = [with_short_numbers(_in_words(check.brief or check.statement)) for check in answer.failed]
    if answer.unused:
        sentences.append(_in_words(idle_givens(answer, answer.unused)))
    if answer.whole:
        sentences.append(with_short_numbers(answer.whole))
    return tuple(sentences)


def _in_words(text: str) -> str:
    """A name or sentence that a report says of an answer, with spaces for the underscores in names."""
    return re.sub(r"(?<=\w\w)\*(?=[a-z])", " times ", text.replace("_", " "))


def remarks(answer: Answer) -> tuple[str, ...]:
    """What a report says of an answer beside its number: its range, and what it assumes or leaves out, with the size.

    >>> from derive.tokens.relations import library
    >>> given = {"chip_throughput": "100 token/s/chip", "context": "8 ktoken/sequence"}
    >>> remarks(library().solve("served_compute", "llama3-70b", **given))
    ('the served compute leaves out attention: 14.9 % of what it counts',)
    """
    sentences = []
    if answer.base is not None and answer.bounds is not None and answer.bounds[0] < answer.bounds[1]:
        low, high = (with_short_numbers(customary(end, answer.quantity.unit, 3)) for end in answer.bounds)
        sentences.append(f"the ranges of the inputs make it {low} to {high}")
    for assumption in answer.stated_assumptions:
        if assumption.kind == "value":
            sentences.append(f"{_in_words(assumption.about)} is an assumption")
        elif assumption.kind != "condition" and assumption != EXACT:
            sentences.append(with_short_numbers(_in_words(assumption.text)))
    for left_out in answer.neglected:
        share = f"{100 * left_out.number:.3g} % of what it counts"
        sentences.append(f"the {_in_words(left_out.relation)} leaves out {left_out.what}: {share}")
    return tuple(sentences)
