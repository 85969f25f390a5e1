"""A symbolic derivation and unit-checking engine: relations with units, asked in any direction.

>>> import derive
>>> derive.check('''
... [quantities]
... length = { unit = "m" }
... [relations.wrong]
... equation = "length = length**2"
... ''')[0].message.splitlines()[0]
'wrong: left is m, right is m**2.'
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import quantities


def _foreign_package() -> str:
    """The error message if the package `quantities` is, or was mixed with, another of that name; empty if not.

    The distribution `quantities` installs into the same folder: the later one overwrites files of the other, and
    uninstalling one removes files of the other. Its `units` is a folder, and this one's a module.
    """
    ours = getattr(quantities, "DISTRIBUTION", "") == "derive-engine"
    homes = list(quantities.__path__)
    shared = any(os.path.isfile(os.path.join(home, "units.txt")) for home in homes)
    if ours and not any(os.path.isdir(os.path.join(home, "units")) for home in homes):
        return ""
    needed = "derive needs the package 'quantities' of derive-engine, and another package of that name "
    if shared:
        return (
            f"{needed}was installed into the same folder, or uninstalled from it: {homes[0]}. Run both of these: "
            "`pip uninstall -y quantities`, then `pip install --force-reinstall --no-deps derive-engine`."
        )
    where = getattr(quantities, "__file__", None) or homes
    return f"{needed}stands before it: {where}. Uninstall that one, or use an environment without it."


if _wrong := _foreign_package():
    raise ImportError(_wrong)

if TYPE_CHECKING:
    from derive.borders import Border, Borders
    from derive.certificates.checker import verify
    from derive.certificates.proof import Proof
    from derive.comparison.compare import compare
    from derive.comparison.comparison_result import Comparison
    from derive.errors import (
        AmbiguousError,
        DeriveError,
        DimensionError,
        DomainError,
        ExpressionError,
        InconsistentError,
        LimitError,
        NoSolutionError,
        Problem,
        UnderdeterminedError,
        UnitError,
        UnknownNameError,
        VerificationError,
    )
    from derive.file_checks import check
    from derive.library import Library
    from derive.model.relation import Relation, relate
    from derive.optimization.front import Front
    from derive.optimization.optimum import Optimum
    from derive.relation_files.loading import load
    from derive.solving.execution.answer import Answer, Step
    from derive.tables.axes import span
    from derive.tables.monte_carlo import Sample
    from derive.tables.streams import Stream, Summary
    from derive.tables.table import Table
    from derive.time_limits import limits
    from derive.tokens.price_sheets.inference import Conclusion, Inference, infer
    from quantities.dimension import BASE_UNITS as base_units
    from quantities.profiles import Profile
    from quantities.quantity import Quantity

    __version__: str
    llm: Library
    units: Any
    _built_in = Library()
    solve = _built_in.solve
    solve_all = _built_in.solve_all
    formula = _built_in.formula
    compile = _built_in.compile  # noqa: A001  # the contract's name
    sweep = _built_in.sweep
    stream = _built_in.stream
    reach = _built_in.reach
    profile = _built_in.profile
    sample = _built_in.sample
    least = _built_in.least
    most = _built_in.most
    front = _built_in.front
    border = _built_in.border

__all__ = [
    "AmbiguousError",
    "Answer",
    "Border",
    "Borders",
    "Comparison",
    "Conclusion",
    "DeriveError",
    "DimensionError",
    "DomainError",
    "ExpressionError",
    "Front",
    "InconsistentError",
    "Inference",
    "Library",
    "LimitError",
    "NoSolutionError",
    "Optimum",
    "Problem",
    "Profile",
    "Proof",
    "Quantity",
    "Relation",
    "Sample",
    "Step",
    "Stream",
    "Summary",
    "Table",
    "UnderdeterminedError",
    "UnitError",
    "UnknownNameError",
    "VerificationError",
    "base_units",
    "border",
    "check",
    "compare",
    "compile",
    "formula",
    "front",
    "infer",
    "least",
    "limits",
    "llm",
    "load",
    "most",
    "profile",
    "reach",
    "relate",
    "sample",
    "solve",
    "solve_all",
    "span",
    "stream",
    "sweep",
    "units",
    "verify",
]

_HOMES = {
    **dict.fromkeys(("Problem", *(name for name in __all__ if name.endswith("Error"))), "derive.errors"),
    **dict.fromkeys(("Answer", "Step"), "derive.solving.execution.answer"),
    **dict.fromkeys(("Border", "Borders"), "derive.borders"),
    "Front": "derive.optimization.front",
    "Optimum": "derive.optimization.optimum",
    "Sample": "derive.tables.monte_carlo",
    "span": "derive.tables.axes",
    **dict.fromkeys(("Stream", "Summary"), "derive.tables.streams"),
    "Table": "derive.tables.table",
    "limits": "derive.time_limits",
    "Profile": "quantities.profiles",
    "check": "derive.file_checks",
    "verify": "derive.certificates.checker",
    "Proof": "derive.certificates.proof",
    "compare": "derive.comparison.compare",
    "Comparison": "derive.comparison.comparison_result",
    "load": "derive.relation_files.loading",
    **dict.fromkeys(("Relation", "relate"), "derive.model.relation"),
    **dict.fromkeys(("Conclusion", "Inference", "infer"), "derive.tokens.price_sheets.inference"),
    "Library": "derive.library",
    "Quantity": "quantities.quantity",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    match name:
        case "llm":
            value: Any = import_module("derive.tokens.relations").library()
        case "units":
            value = import_module("quantities.registry").registry()
        case "__version__":
            value = import_module("importlib.metadata").version(quantities.DISTRIBUTION)
        case "base_units":
            value = import_module("quantities.dimension").BASE_UNITS
        case _ if name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
        case _ if name in __all__:  # a method: `derive.solve(...)` is `derive.llm.solve(...)`
            value = getattr(import_module("derive.tokens.relations").library(), name)
        case _:
            raise AttributeError(f"module 'derive' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
