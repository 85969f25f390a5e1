"""Browser programs of whole questions: the plan in JavaScript, and what stands beside the answer as data.

One call computes, in about a microsecond, the target, every quantity on the way to it, both sides of every relation
that tests it, which arm of each maximum binds, and which closed form each step takes. The lines are those of machine
code (`numba_source`), so a number is the one that `compile` yields; what only the solver can tell is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Node, names_in, render
from derive.kernels.agreement import conditions_of
from derive.kernels.backends.emitter import Bundle, RuntimeFunction, Script
from derive.kernels.backends.javascript import javascript
from derive.kernels.browser_programs.layout import Layout, Reason, Reasons, layout_of, names_leading_to
from derive.kernels.browser_programs.program_lines import ProgramLines
from derive.kernels.several_targets import found_for
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import isolate
from derive.presentation import mathematics
from derive.presentation.cautions import no_value_fits, side_unit, stated_value
from derive.presentation.derivation import letters_for
from derive.solving.case_trees import End

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.plan import Block
    from quantities.declaration import Declaration


@dataclass
class SharedParts:
    """The parts that the browser programs of one page share, so that the same arithmetic is the same line in all."""

    reasons: dict[Reason, int] = field(default_factory=dict)  # the number of each
    inputs: dict[str, int] = field(default_factory=dict)  # the place of each number among the inputs
    lines: dict[tuple[str, int], str] = field(default_factory=dict)  # the name of each expression


@dataclass(frozen=True)
class Program:
    """The browser program of one target: its inputs, layout, reasons and scripts.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> made = program_of(circuits, "resistance", ["voltage", "current"])
    >>> [one["name"] for one in made.data()["inputs"]], made.data()["steps"][0]["forms"][0]["text"]
    (['voltage', 'current'], 'voltage/current')
    >>> made.source.startswith("(function (derive) {")
    True
    """

    library: RelationSet
    target: str
    inputs: tuple[str, ...]
    constants: tuple[str, ...]  # defaults in use
    needed: frozenset[str]  # what the target depends on, in some case
    layout: Layout
    reasons: Mapping[int, Reason]  # by their numbers
    shared: SharedParts
    several: int  # the number of the reason that several alternatives have an answer; 0 if there is one alternative
    scripts: tuple[Script, ...]  # one for each alternative
    answers: bool  # whether there is anything to compute the target with

    @property
    def source(self) -> str:
        """The browser program as a JavaScript expression: a function that takes the runtime."""
        bundle = Bundle(self.scripts, javascript(self.shared.lines))
        facts = [f"[{', '.join(bundle.last)}]", str(len(self.layout.outputs)), str(len(self.layout.checks))]
        if len(bundle.last) > 1:
            facts += [str(self.several), str([number for number, reason in self.reasons.items() if reason.is_open])]
        body = "\n".join(bundle.parts)
        return f'(function (derive) {{\n"use strict";\n{body}\nreturn derive.program({", ".join(facts)});\n}})'

    def data(self) -> dict[str, Any]:
        """What stands beside the answer of the browser program, as data ready for JSON."""
        layout, places, declared = self.layout, self.layout.places, self.library.declared
        letters = letters_for({self.target: declared[self.target]} | self._declared_in_steps())
        outputs = [{"name": name, "at": places["number", name], "why": places["why", name]} for name in layout.outputs]
        return {
            "target": self.target,
            "answers": self.answers,
            "size": len(places),
            "inputs": [{"name": name, "role": self._role(name)} for name in self.inputs],
            "outputs": outputs,
            "constants": [{"name": name, "number": _default(declared[name])} for name in self.constants],
            "reasons": [asdict(reason) for reason in self.reasons.values()],
            "checks": [self._check(self.library.relations[name]) for name in layout.checks],
            "choices": [self._choices(name) for name in layout.choices],
            "steps": [
                {**step_data(self.library, block, letters), "at": places["step", block]} for block in layout.steps
            ],
            "yielding": [self._yielding(name) for name in layout.yielding],
            "barring": [self._barring(block) for block in layout.barring],
            "letters": letters,
            "left_out": self._left_out(),
        }

    def _declared_in_steps(self) -> dict[str, Declaration]:
        """The quantities in the steps that the browser program tells of, which have letters in its data."""
        quantities: dict[str, Declaration] = {}
        for name in chain.from_iterable(block.relations for block in self.layout.steps):
            quantities |= self.library.relations[name].declared
        return quantities

    def _role(self, name: str) -> str:
        """What the browser program says that an input is needed for: the target, only checks, or nothing at all."""
        if name == self.target or name in self.needed:
            return "target"
        if name in self.library.held_by(self.layout.checks):
            return "check"
        return "check" if any(name in self._behind(block) for block in self.layout.beside) else "none"

    def _check(self, relation: Relation) -> dict[str, Any]:
        """The data of one check of the browser program: the relation, both sides, and the places of its numbers."""
        return {
            "relation": relation.name,
            "equation": str(relation.written),
            "op": relation.written.op,
            "because": relation.because,
            **_side("left", relation, relation.written.lhs),
            **_side("right", relation, relation.written.rhs),
            "contradicts": relation.name in self.layout.contradictions,
            **{which: self.layout.places[which, relation.name] for which in ("left", "right", "state")},
        }

    def _choices(self, relation: str) -> dict[str, Any]:
        """What stands in the browser program's data about the choices in a relation: the arms of each form."""
        forms = self.layout.choices[relation].forms
        texts = [[[arm.text, arm.configured_by] for arm in form] for form in forms]
        return {"relation": relation, "at": self.layout.places["form", relation], "forms": texts}

    def _yielding(self, name: str) -> dict[str, Any]:
        """What stands in the browser program's data about a default that its own number may displace."""
        said = stated_value(name, self.library.defaults[name])
        return {"name": name, "said": said, "state": self.layout.places["displaced", name]}

    def _barring(self, block: Block) -> dict[str, Any]:
        """What stands in the browser program's data about a block for checks that may have no admissible value."""
        leading = self._behind(block)
        return {
            "relation": block.relations[0],
            "verdict": no_value_fits(block.relations, block.unknowns),
            "contradicts": self.layout.barring[block],
            "state": self.layout.places["barred", block],
            "behind": [name for name in self.inputs if name in leading],
        }

    def _behind(self, block: Block) -> set[str]:
        """The quantities from which a block for the browser program's checks follows, and that decide if it applies."""
        plans = chain.from_iterable(cases.plans for cases in self.layout.beside.get(block, {}).values())
        blocks = (*self.layout.steps, *self.layout.barring, *chain.from_iterable(plan.blocks for plan in plans))
        deciding = names_in(*conditions_of(self.library, block.relations)) if block in self.layout.beside else ()
        return names_leading_to(self.library, blocks, (*block.unknowns, *deciding))

    def _left_out(self) -> list[dict[str, str]]:
        """What this browser program cannot tell beside its answer: relations and quantities, each with the reason."""
        many = "it may take too many forms to tell which of its arms bind"
        texts = [(reason.quantity, reason.text) for reason in self.reasons.values() if reason.kind == "uncompiled"]
        texts += [(name, many) for name in self.layout.too_many]
        return [{"what": what, "reason": text} for what, text in texts]


def program_of(
    library: RelationSet,
    target: str,
    given: Iterable[str],
    stated: Iterable[str] = (),
    shared: SharedParts | None = None,
) -> Program:
    """The browser program of a target; `stated` names have numbers that only complete inequalities."""
    shared = SharedParts() if shared is None else shared
    cases = found_for(library, target, given)
    strong = cases.outline.strong
    beside = tuple(dict.fromkeys(library.declaration(name).name for name in stated))
    beside = tuple(name for name in beside if name not in (*strong, cases.outline.target))
    layout, reasons = layout_of(library, cases, beside), Reasons(shared.reasons)
    places = {name: shared.inputs.setdefault(name, len(shared.inputs)) for name in (*strong, *beside)}
    if cases.is_asked:
        scripts = [_script_without_numbers(layout, reasons.unasked(cases.outline.target))]
    else:
        scripts = [ProgramLines(library, cases, places, layout, reasons).script(tree) for tree in cases.alternatives]
    several = reasons.several(cases.outline.target) if len(scripts) > 1 else 0
    needed = frozenset(chain.from_iterable(_needed_at(library, end) for end in cases.ends))
    used = needed.union(library.held_by(layout.checks))
    weak = dict.fromkeys(chain.from_iterable(plan.weak for plan in cases.plans))
    return Program(
        library=library,
        target=cases.outline.target,
        inputs=(*strong, *beside),
        constants=tuple(name for name in weak if name in used),
        needed=needed,
        layout=layout,
        reasons=reasons.held,
        shared=shared,
        several=several,
        scripts=tuple(scripts),
        answers=all(reason.kind != "uncompiled" for reason in reasons.held.values()),
    )


def _script_without_numbers(layout: Layout, reason: int) -> Script:
    """The script of a browser program that has no number of anything, for one reason."""
    lines = f"def compiled(x, y):\n    blank(y, {reason}, {len(layout.outputs)}, {len(layout.checks)})\n"
    return Script(lines, {"blank": RuntimeFunction("blank")})


def _needed_at(library: RelationSet, end: End) -> Iterator[str]:
    """The quantities that a browser program needs in a case, for its plan and for the conditions of the case."""
    case, decided = end
    yield from names_in(*decided)
    if case is not None:
        yield from names_in(*case.holding, *chain.from_iterable(case.failing))
        yield from library.held_by(case.plan.relations)


def _default(quantity: Declaration) -> float:
    assert quantity.default is not None
    return quantity.unit.from_base(quantity.default.base[1])


def _side(which: str, relation: Relation, side: Node) -> dict[str, Any]:
    unit = side_unit(relation, side)
    return {f"{which}_text": render(side), f"{which}_unit": {"text": unit.text, "size": float(unit.size)}}


def step_data(library: RelationSet, block: Block, letters: Mapping[str, str]) -> dict[str, Any]:
    """What a browser program tells of a step: a form for each way to isolate its unknown, none without any."""
    relations = [library.relations[name] for name in block.relations]
    candidates = isolate(relations[0].written, block.unknowns[0]) if len(block.unknowns) == 1 else None
    is_closed = candidates is not None and not any(candidate.winds for candidate in candidates)
    return {
        "relation": ", ".join(block.relations),
        "equation": "; ".join(str(relation.written) for relation in relations),
        "equation_latex": [mathematics.equation(relation.written, letters.__getitem__) for relation in relations],
        "because": "; ".join(dict.fromkeys(relation.because for relation in relations if relation.because)),
        "quantities": list(block.unknowns),
        "forms": [form_data(candidate.form, letters) for candidate in candidates or ()] if is_closed else [],
    }


def form_data(node: Node, letters: Mapping[str, str]) -> dict[str, Any]:
    r"""A closed form as a browser program tells it: its text, and its LaTeX with letters and with placeholders.

    >>> from derive.expressions.grammar import parse_expression
    >>> told = form_data(parse_expression("V/I"), {"V": "V", "I": "I"})
    >>> told["text"], told["latex"], told["numbers"]
    ('V/I', '\\frac{V}{I}', '\\frac{\\mathrm{@0@}\\,}{\\mathrm{@1@}\\,}')
    """
    names = list(names_in(node))
    places = {name: rf"\mathrm{{@{i}@}}\," for i, name in enumerate(names)}
    return {
        "text": render(node),
        "latex": mathematics.expression(node, letters.__getitem__),
        "numbers": mathematics.expression(node, places.__getitem__),
        "names": names,
    }
