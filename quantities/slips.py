"""Slips in the names of units: what is refused although it could be read, and what was probably meant."""

from __future__ import annotations

import re
from itertools import takewhile

from quantities.definitions import definition, entry, known_names, spellings
from quantities.errors import suggest

__all__ = ["MARKS", "is_refused", "mend"]

_REFUSED = {
    "dB": "Decibels are logarithmic: give the ratio itself.",
    "ton": "Write tonne (1000 kg), short_ton (2000 lb) or long_ton (2240 lb).",
    "tons": "Write tonne (1000 kg), short_ton (2000 lb) or long_ton (2240 lb).",
    "FLOPS": "Write FLOP/s for a rate, FLOP for an amount.",
    "flops": "Write FLOP/s for a rate, FLOP for an amount.",
    "OPS": "Write FLOP/s for a rate, FLOP for an amount.",
    "unit": "Name what is counted (token, parameter, sequence, chip), or leave the unit empty.",
    "units": "Name what is counted (token, parameter, sequence, chip), or leave the unit empty.",
    "r": "Write rev for a revolution, or rpm for revolutions a minute.",
    "hrs": "Write h.",
    "yrs": "Write yr.",
    "KB": "Write kB (1000 byte) or KiB (1024 byte).",
    "Kb": "Write kb or kbit (1000 bit), kB (1000 byte) or KiB (1024 byte).",
}

MARKS = {
    "⁄": "Write '/'.",
    "∕": "Write '/'.",
    "−": "Write '-'.",
    ",": "Write '*' between units.",
    ".": "Write '*' between units.",
}
"""Marks that are no part of a unit, and what stands for them."""


_SHORT = 12  # letters of a name that is looked at letter by letter


def is_refused(name: str) -> bool:
    """Whether a name is refused although its letters could be read as a unit."""
    return _bare(name) in _REFUSED


def _bare(name: str) -> str:
    """The name without a decimal prefix, where what is left is one that is always refused."""
    if name.endswith(("FLOPS", "flops")):
        return "FLOPS"
    return "OPS" if name[:1] in "kMGTPE" and name[1:] == "OPS" else name


def mend(name: str) -> str:
    """What somebody who typed this may have meant."""
    if _bare(name) in _REFUSED:
        return _REFUSED[_bare(name)]
    if re.fullmatch(r"[A-Za-z]+\d", name) and entry(name[:-1]):
        return f"Write {name[:-1]}**{name[-1]}."
    alike = spellings(name)
    if name.endswith("ps") and len(name) > 2 and entry(name[:-2]):
        return f"Write {name[:-2]}/s."
    if name.isalpha() and len(name) <= _SHORT:
        for cut in range(1, len(name)):
            one, other = name[:cut], name[cut:]
            usual = (
                other in ("m", "s") and one != "K"
            )  # Nm is a slip of the product, KHz and KW are slips of the shift key
            if (usual or not alike) and definition(one) and definition(other):
                return f"Write {one}*{other} for the product."
    plain = suggest(name, known_names())
    closer = takewhile(lambda one: one not in plain, suggest(name, [*plain, *_with_prefix(name)]))
    close = list(dict.fromkeys([*alike, *closer, *plain]))[:3]
    return f"Did you mean {' or '.join(close)}?" if close else "`derive.units` knows the SI and its prefixes."


def _with_prefix(name: str) -> list[str]:
    """Units under the prefix that a name begins with, which are like the rest of it or have a letter less."""
    rest = name[1:]
    shorter = [rest[:i] + rest[i + 1 :] for i in range(len(rest))] if 1 < len(rest) < _SHORT else []
    return [name[0] + one for one in dict.fromkeys([*shorter, *suggest(rest, known_names())]) if entry(name[0] + one)]
