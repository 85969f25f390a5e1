"""Profiles: named sets of values that yield to whatever the asker states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from quantities.errors import ExpressionError, excerpt
from quantities.value import Value

__all__ = ["Profile"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True)
class Profile:
    """A named set of weak values, such as a chip or a model.

    >>> from quantities.value import read_value
    >>> clock = Profile("clock", {"length": read_value("0.994 m")})
    >>> str(clock.values["length"])
    '0.994 m'
    """

    name: str
    values: Mapping[str, Value]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ExpressionError(
                f"{excerpt(self.name)} cannot be a profile's name.",
                hint="Write letters, digits and hyphens, as in h100-sxm.",
                text=self.name,
            )
        for name, value in dict[str, object](self.values).items():
            if not isinstance(value, Value):
                what = f"{self.name}, {name}: a {type(value).__name__} is no value."
                raise ExpressionError(what, hint='Write read_value("3 m").', text=str(name))
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[Profile], tuple[str, dict[str, Value]]]:
        return Profile, (self.name, dict(self.values))
