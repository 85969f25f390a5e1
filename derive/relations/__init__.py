"""The built-in library: the economics of a language-model token, one module a subject, relations and nothing else.

Relations are stated as text over the vocabulary of `quantities.symbols`, so that a derivation shows them in the order
in which they were thought. Chips, memory tiers, models and price sheets are profiles, out of `quantities/values`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from derive.expression import Name
from derive.library import Library
from derive.relation import Relation
from quantities.facts import Facts
from quantities.profiles import Profiles
from quantities.quantity import Quantity

__all__ = ["FACTS", "SUBJECTS", "library"]

SUBJECTS = (
    "roofline",
    "costs",
    "cache",
    "capacity",
    "schedule",
    "menu",
    "experts",
    "network",
    "pipeline",
    "context",
    "serving",
    "revenue",
    "prices",
    "tiers",
    "speculation",
    "classic",
    "training",
    "scaling",
    "bills",
    "shapes",
    "attention",
    "parallelism",
    "collectives",
    "memory_in_training",
    "energy",
    "reliability",
    "matrices",
    "silicon",
    "savings",
)

FACTS = ("accelerators", "tiers", "models", "prices")


@cache
def library() -> Library:
    """All subjects as one library."""
    modules = [import_module(f"derive.relations.{subject}") for subject in SUBJECTS]
    relations = [relation for module in modules for relation in module.relations]
    profiles = Profiles(shelves=[Facts(*FACTS)])
    return Library(relations, _quantities(relations), profiles, "The economics of a token")


def _quantities(relations: Iterable[Relation]) -> list[Quantity]:
    """All quantities as they are mentioned, but last those whose default is a case of a relation.

    Defaults enter in this order. What a relation is written for (the share of the weights that a step reads, say) gives
    way to it as soon as the rest is known, exact factors included.
    """
    mentioned = {name: quantity for relation in relations for name, quantity in relation.quantities.items()}
    yielding = {relation.written.lhs.name for relation in relations if isinstance(relation.written.lhs, Name)}
    return sorted(mentioned.values(), key=lambda q: q.default is not None and q.name in yielding)
