"""An answer: a value with its steps, sources, assumptions and checks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from derive.certificates.proof import Proof
from derive.errors import DeriveError, UnitError, VerificationError
from derive.expressions.tree import Equation, Node, names_in
from derive.notebook_display import NotebookDisplay
from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from derive.presentation.numbers import DIGITS, filled, in_unit, prove_digits, shown_result
from derive.solving.assumptions import Assumption
from derive.time_limits import query
from derive.tolerances import SAME_ROOT
from quantities.declaration import Declaration
from quantities.symbolic import Symbols
from quantities.units import Unit
from quantities.value import Source, Value

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.networks import DiGraph


@dataclass(frozen=True, slots=True)
class Step:
    """One relation in use: as stated, rearranged for its result, with numbers put in, and the value.

    Relations that fix several quantities only together are one step, with its parts in `together`.
    """

    relation: str
    equation: str
    rearranged: str
    numbers: str
    value: str
    quantity: str
    because: str = ""
    stated: Equation | None = field(default=None, repr=False, compare=False)  # as a tree, for typesetting
    form: Node | None = field(default=None, repr=False, compare=False)
    worth: Mapping[str, tuple[float, Unit]] = field(default_factory=dict, repr=False, compare=False)  # numbers put in
    exact: frozenset[str] = field(default=frozenset(), repr=False, compare=False)  # names whose numbers were stated
    result: tuple[Span, Unit] | None = field(default=None, repr=False, compare=False)  # its ends in base units
    together: tuple[Step, ...] = ()

    @classmethod
    def joint(cls, parts: tuple[Step, ...]) -> Step:
        """One step of an answer for several relations that are solved together, from the step of each."""
        return cls(
            relation=", ".join(part.relation for part in parts),
            equation="; ".join(part.equation for part in parts),
            rearranged=", ".join(part.quantity for part in parts),
            numbers="",
            value="; ".join(f"{part.quantity} = {part.value}" for part in parts),
            quantity=", ".join(part.quantity for part in parts),
            because="; ".join(dict.fromkeys(part.because for part in parts if part.because)),
            together=parts,
        )

    def rounded(self, digits: int) -> Step:
        """This step of an answer, with its numbers and its value shown to this many digits."""
        if self.together:
            return Step.joint(tuple(part.rounded(digits) for part in self.together))
        if self.result is None or digits == DIGITS:
            return self
        numbers = "" if self.form is None else filled(self.form, self.worth, self.exact, digits)
        return replace(self, numbers=numbers, value=shown_result(*self.result, digits))

    def __repr__(self) -> str:
        return f"<Step {self}>"

    def __str__(self) -> str:
        if self.together:
            return f"{self.relation}: {self.equation}  =>  {self.value}"
        return f"{self.relation}: {self.equation}  =>  {self.rearranged} = {self.value}"


@dataclass(frozen=True, slots=True)
class Omission:
    """What a relation leaves out, and its size over what the relation counts."""

    relation: str
    share: str  # the quantity that says how much it is
    what: str
    number: float
    shown: str

    def __str__(self) -> str:
        return f"{self.relation} leaves out {self.what}: {self.shown} of what it counts ({self.share})"


@dataclass(frozen=True, slots=True)
class Remark:
    """What an answer assumes, takes by default or leaves out, and what that does to its value."""

    kind: str  # "left out", "defaulted", "assumed" or "displaced"; in a table also "unproved"
    name: str  # the quantity that is taken otherwise, the share that is left out, or what a profile's value is not
    value: str  # what it is taken to be for the remark, as a given is written
    factor: float | None  # the answer with it, over the answer; None where that is not known
    weight: float  # by how many times the answer changes, up or down: the largest counts most
    text: str

    @classmethod
    def of_doubt(cls, target: str, text: str) -> Remark:
        """The remark on an answer in a table, which has no assumptions of its own, that others may exist too."""
        return cls("unproved", target, value="", factor=None, weight=math.inf, text=text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Check:
    """A relation or weak value that the answer does not need, tested against it."""

    name: str
    statement: str
    gap: float  # the residual relative to the terms
    passed: bool
    verdict: str = ""  # a failed check as a plain sentence, with its numbers
    brief: str = ""  # the same without the name of the check, and without source and reason
    tested: Relation | Declaration | None = field(default=None, repr=False, compare=False)  # or whose value is compared
    numbers: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)  # at which, in base units
    is_in_part: bool = False  # whether it fails in a part of the ranges only, which may leave out their middle

    def __str__(self) -> str:
        verdict = "holds" if self.passed else "FAILS"
        if self.passed and self.is_in_part:
            verdict = "holds in a part of the ranges"
        return f"{verdict}: {self.statement} (gap {self.gap:.2g})"


@dataclass(frozen=True)
class Answer(NotebookDisplay):
    """The answer to a question; numbers are stored in base units and returned in the quantity's unit."""

    quantity: Declaration
    base: float | None
    bounds: tuple[float, float] | None
    given: Mapping[str, Value]
    regime: Mapping[str, str]
    stated_assumptions: tuple[Assumption, ...]
    sources: tuple[Source, ...]
    checks: tuple[Check, ...]
    unused: tuple[str, ...]  # typed names without effect: the answer would be the same without them
    quantities: Mapping[str, Declaration] = field(repr=False, compare=False)  # all quantities in the derivation
    _steps: Callable[[], tuple[Step, ...]] = field(repr=False, compare=False)
    _form: Callable[[], Node | None] = field(repr=False, compare=False)
    _elasticities: Callable[[], Mapping[str, float]] = field(repr=False, compare=False)
    _neglected: Callable[[], tuple[Omission, ...]] = field(repr=False, compare=False)
    _whole: Callable[[], str] = field(default_factory=lambda: str, repr=False, compare=False)
    _course: Callable[[], Course | None] = field(default_factory=lambda: lambda: None, repr=False, compare=False)
    _acts_on: Callable[[], Mapping[str, str]] = field(default_factory=lambda: dict, repr=False, compare=False)
    _remarks: Callable[[], tuple[Remark, ...]] = field(default_factory=lambda: tuple, repr=False, compare=False)
    _lineage: Callable[[], Lineage] = field(default_factory=lambda: Lineage, repr=False, compare=False)
    _proof: Callable[[], Proof | None] = field(default_factory=lambda: lambda: None, repr=False, compare=False)

    @classmethod
    def of_number(
        cls, quantity: Declaration, outcome: tuple[float, Span | None], explained: Callable[[], Answer]
    ) -> Answer:
        """An answer that holds only its number yet, and over ranges perhaps its bounds.

        All else is found together, once any of it is asked for.
        """
        base, bounds = outcome
        answer = cls.__new__(cls)
        answer.__dict__.update(quantity=quantity, base=base, _explained=explained)
        if bounds is not None:
            answer.__dict__.update(bounds=bounds)
        return answer

    def __getattr__(self, name: str) -> Any:
        """A part of the answer that is not known yet; all such parts are taken from the explained answer.

        Python asks here last.
        """
        explained = self.__dict__.get("_explained")
        if explained is None or name not in _PARTS:
            raise AttributeError(f"'Answer' object has no attribute {name!r}")
        whole = explained()
        if whole.base is None or not math.isclose(whole.base, self.__dict__["base"], rel_tol=SAME_ROOT):
            what = f"{self.quantity.name}: asked for its steps, the answer is another than asked for its number."
            hint = "This is a bug in derive: report the question."
            raise VerificationError(what, hint=hint, relation="", residual=math.nan)
        self.__dict__.update({part: whole.__dict__[part] for part in _PARTS}, _explained=None)
        return self.__dict__[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Compute the lazy parts of an answer now, so that its pickle does not hold the library."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        lazy = {name: _LazyResult.of(part) for name, part in parts.items() if name.startswith("_")}
        plain = {name: part for name, part in parts.items() if name not in lazy}
        stored = {name: dict(part) if isinstance(part, Mapping) else part for name, part in plain.items()}
        return _restored, (stored, lazy)

    def __copy__(self) -> Answer:
        return self

    def __deepcopy__(self, memo: object) -> Answer:
        return self

    @property
    def value(self) -> Any:
        """The value of the answer as a pint Quantity in the declared unit, or None where there are only bounds."""
        return None if self.base is None else in_unit(self.base, self.quantity.unit)

    @property
    def low(self) -> Any:
        """The lower bound of the answer, or None where nothing was a range."""
        return None if self.bounds is None else in_unit(self.bounds[0], self.quantity.unit)

    @property
    def high(self) -> Any:
        """The upper bound of the answer, or None where nothing was a range."""
        return None if self.bounds is None else in_unit(self.bounds[1], self.quantity.unit)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All assumptions that this answer states, and what its relations leave aside, with its size where known."""
        return (*map(self._text_of, self.stated_assumptions), *map(str, self.neglected))

    def _text_of(self, assumption: Assumption) -> str:
        """The text of one of this answer's assumptions; it claims a proof only if the answer has one."""
        if assumption.kind == "proved" and self.proof is None:
            return f"{assumption.about}: no other solution was found; there is no certificate that none exists"
        return assumption.text

    @property
    @query()
    def neglected(self) -> tuple[Omission, ...]:
        """The omissions of this answer: what the relations that it uses leave out; computed on demand."""
        return self._neglected()

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Remarks on what the answer assumes, defaults or leaves out that moves it by over a tenth, largest first."""
        return self._remarks()

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks of the answer that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    def to(self, unit: str) -> Any:
        """The value of the answer in another unit."""
        from quantities.spelling import parse_unit
        from quantities.units import convert

        if not isinstance(unit, str):
            raise UnitError(f"a {type(unit).__name__} is not a unit.", hint='Write a string such as "m/s".', unit="")
        target = parse_unit(unit)
        if self.base is None:
            return None
        number = convert(self.quantity.unit.from_base(self.base), self.quantity.unit, target)
        from quantities.registry import quantity

        return quantity(number, target)

    @property
    @query()
    def steps(self) -> tuple[Step, ...]:
        """The steps of the answer: its relations in use, in order; computed on demand."""
        return self._steps()

    @property
    @query()
    def closed_form(self) -> Node | None:
        """The closed form of this answer's value as a tree, in base units; None where it has only a number."""
        return self._form()

    @cached_property
    def formula(self) -> Any:
        """The closed form of the answer in sympy, computed on demand; None where only a number exists."""
        form = self.closed_form
        if form is None:
            return None
        from derive.expressions.sympy_bridge import to_sympy  # reading sympy may take a second of its own

        with query():
            return to_sympy(form, Symbols(self.quantities))

    @property
    @query()
    def elasticities(self) -> Mapping[str, float]:
        """The answer's elasticities, on demand: by how many percent it changes when a given changes by one percent."""
        return self._elasticities()

    @property
    @query()
    def whole(self) -> str:
        """What this answer says, on demand, of the whole numbers beside its value, if that is a count but not whole."""
        return self._whole()

    @property
    @query()
    def acts_on(self) -> Mapping[str, str]:
        """For givens that this answer does not use, a quantity that they and the target define together; on demand."""
        return self._acts_on()

    @property
    @query()
    def proof(self) -> Proof | None:
        """The proof that no other solution exists, which `derive.verify` confirms; computed on demand.

        None where the answer does not claim that, or there is no certificate of it.
        """
        return self._proof()

    @property
    @query()
    def course(self) -> Course | None:
        """The stages by which the answer was reached, to put other givens through them; computed on demand."""
        return self._course()

    @property
    @query()
    def lineage(self) -> Lineage:
        """The relations in use by the answer, and the numbers on the way, as data; computed on demand."""
        return self._lineage()

    @query()
    def graph(self) -> DiGraph:
        """The derivation as a networkx graph, directed from the givens through the relations to the target.

        The checks are in it too. `derive.solving.execution.answer_graph` lists the attributes.

        >>> from derive.relation_files.loading import load
        >>> circuits = load("circuits")
        >>> graph = circuits.solve("resistance", voltage="12 V", current="4 A").graph()
        >>> list(graph.predecessors("relation:ohm")), list(graph.successors("relation:ohm"))
        (['voltage', 'current'], ['resistance'])
        >>> [graph.nodes["resistance"][key] for key in ("role", "text", "magnitude")]
        ['result', '3 ohm', 3.0]
        """
        from derive.solving.execution.answer_graph import answer_graph

        return answer_graph(self)

    @query()
    def text(self, digits: int | None = None) -> str:
        """This answer as aligned text: its value, steps, givens and notes, with results to this many digits."""
        from derive.presentation.text import as_text

        prove_digits(digits)
        return as_text([self], DIGITS if digits is None else digits)

    @query()
    def markdown(self, digits: int | None = None) -> str:
        """The derivation in Markdown, with mathematics in dollar signs and as many digits as the inputs justify."""
        from derive.presentation.document import derivation
        from derive.presentation.markdown import NOTEBOOK

        prove_digits(digits)
        return derivation(self, NOTEBOOK, digits)

    @query()
    def latex(self, digits: int | None = None) -> str:
        """The derivation in LaTeX, for a document that loads amsmath, with as many digits as the inputs justify."""
        from derive.presentation.document import derivation
        from derive.presentation.latex import FRAGMENT

        prove_digits(digits)
        return derivation(self, FRAGMENT, digits)

    def __repr__(self) -> str:
        from derive.presentation.text import headline

        return f"<Answer {headline(self)}>"

    def __dir__(self) -> list[str]:
        """The names of an answer's parts for a reader, without those by which the parts are computed."""
        return [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


_PARTS = frozenset(part.name for part in fields(Answer)) - {"quantity", "base"}


@dataclass(frozen=True, slots=True)
class _LazyResult:
    """A lazy part of an answer, once computed: the result of a function without arguments, or its error."""

    outcome: Any
    refusal: DeriveError | None = None

    @classmethod
    def of(cls, compute: Callable[[], Any]) -> _LazyResult:
        """Compute a lazy part of an answer now, and keep its result or its error."""
        try:
            outcome = compute()
        except DeriveError as error:
            return cls(None, error)
        return cls(dict(outcome) if isinstance(outcome, Mapping) else outcome)

    def __call__(self) -> Any:
        if self.refusal is not None:
            raise self.refusal
        return self.outcome


def _restored(stored: Mapping[str, Any], lazy: Mapping[str, _LazyResult]) -> Answer:
    """An answer from its pickled parts, with mappings read-only again."""
    parts: dict[str, Any] = {**lazy}
    for name, part in stored.items():
        parts[name] = MappingProxyType(part) if isinstance(part, Mapping) else part
    return Answer(**parts)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of an answer: relations solved together for their unknowns, and the closed form if there is one."""

    unknowns: tuple[str, ...]
    relations: tuple[str, ...]
    needs: tuple[str, ...]  # the quantities that its results depend on
    form: Node | None = None

    @classmethod
    def isolated(cls, unknown: str, relations: tuple[str, ...], form: Node) -> Stage:
        """A stage in an answer's course with one unknown in closed form."""
        return cls((unknown,), relations, names_in(form), form)


Again = Callable[[Stage, Mapping[str, float]], "Mapping[str, float] | None"]
"""The unknowns of a stage without a closed form at other numbers; None if there is not exactly one solution."""


@dataclass(frozen=True)
class Course:
    """The stages of an answer, and the numbers on its way in base units."""

    stages: tuple[Stage, ...]
    values: Mapping[str, float]
    origins: Mapping[str, str] = field(default_factory=dict)  # the profile of each given that comes from one
    holds_throughout: bool = True  # the closed form holds all over the ranges: no arm, root or case changes in them
    again: Again | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Course, (self.stages, dict(self.values), dict(self.origins), self.holds_throughout)


@dataclass(frozen=True)
class Lineage:
    """The blocks of relations in order, and what is known of the quantities that they and the checks join."""

    blocks: tuple[RelationBlock, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)  # in base units; over ranges, those of their middle
    spans: Mapping[str, Span] = field(default_factory=dict)  # of quantities that are only bounded
    origins: Mapping[str, str] = field(default_factory=dict)  # "given", "default", or the profile of each value in use
    beside: Mapping[str, tuple[Declaration, Value]] = field(default_factory=dict)  # what is typed and not in use
    assumed: Mapping[str, str] = field(default_factory=dict)  # the conditions that nothing known decides, by relation
