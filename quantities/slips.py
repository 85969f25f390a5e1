"""Mistakes in unit names: spellings that are refused although pint could read them, and their likely meaning."""

from __future__ import annotations

import re
from itertools import takewhile

from quantities.definitions import definition, entry, known_names, spellings
from quantities.errors import suggest

__all__ = ["MARKS", "alternatives", "hint_for", "is_refused"]

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

_SEQUENCE = "Write sequence: what is served to one user at a time is a sequence here."
_CHIP = "Write chip: whatever computes is a chip here."
_CURRENCY = 'Declare it with its rate, as in [units] {} = "1.08 USD", or give the value in USD.'
_ELSEWHERE = {
    **dict.fromkeys(("user", "usr", "request", "req", "query", "session", "conversation"), ("sequence", _SEQUENCE)),
    **dict.fromkeys(("device", "card", "die", "xpu", "npu", "NPU", "XPU"), ("chip", _CHIP)),
    **dict.fromkeys(("weight", "params", "prm"), ("parameter", "Write parameter.")),
    **dict.fromkeys(("toks", "tkn", "tkns"), ("token", "Write token.")),
    **dict.fromkeys(("sample", "prompt"), ("sequence", "Write sequence.")),
}
"""Other names of units, with the name here and the hint that says so."""

_MONEY = {"€": "EUR", "£": "GBP", "¥": "JPY", "euro": "EUR", "euros": "EUR"}
_CURRENCIES = frozenset({"EUR", "GBP", "JPY", "CNY", "CHF", "INR", "KRW", "CAD", "AUD", "RMB", "SEK", "BTC"})

MARKS = {
    "⁄": "Write '/'.",
    "∕": "Write '/'.",
    "−": "Write '-'.",
    ",": "Write '*' between units.",
    ".": "Write '*' between units.",
}
"""Marks that are not part of a unit, and the hint for each."""


_SHORT = 12  # longest name that is searched letter by letter


def is_refused(name: str) -> bool:
    """Whether a name is refused although its letters could be read as a unit."""
    return _bare(name) in _REFUSED


def _bare(name: str) -> str:
    """The name without a decimal prefix, if the rest is always refused."""
    if name.endswith(("FLOPS", "flops")):
        return "FLOPS"
    return "OPS" if name[:1] in "kMGTPE" and name[1:] == "OPS" else name


def hint_for(name: str) -> str:
    """The hint on what this name may mean.

    >>> hint_for("m3"), hint_for("user"), hint_for("kwh")
    ('Write m**3.', 'Write sequence: what is served to one user at a time is a sequence here.', 'Did you mean kWh?')
    """
    if _bare(name) in _REFUSED:
        return _REFUSED[_bare(name)]
    if (currency := _MONEY.get(name, name)) in _CURRENCIES:
        return _CURRENCY.format(currency)
    if elsewhere := _ELSEWHERE.get(name) or _ELSEWHERE.get(name.removesuffix("s")):
        return elsewhere[1]
    if power := _powered(name):
        return f"Write {power}."
    if name.endswith("ps") and len(name) > 2 and entry(name[:-2]):
        return f"Write {name[:-2]}/s."
    if products := _products(name):
        return f"Write {products[0]} for the product."
    close = _close(name)[:3]
    return f"Did you mean {' or '.join(close)}?" if close else "`derive.units` knows the SI and its prefixes."


def alternatives(name: str) -> list[str]:
    """Units that may replace an unknown name, the likeliest first.

    >>> alternatives("TFLOPS"), alternatives("KB"), alternatives("users")
    (['TFLOP/s', 'TFLOP'], ['kB', 'KiB'], ['sequence'])
    """
    bare = _bare(name)
    if bare in ("FLOPS", "flops", "OPS"):
        prefix = name[: -len(bare)]
        return [f"{prefix}FLOP/s", f"{prefix}FLOP"]
    if bare in _REFUSED:
        return [word for word in re.findall(r"(?:Write|or|,) (\w+)", _REFUSED[bare]) if entry(word)]
    if elsewhere := _ELSEWHERE.get(name) or _ELSEWHERE.get(name.removesuffix("s")):
        return [elsewhere[0]]
    rate = [f"{name[:-2]}/s"] if name.endswith("ps") and entry(name[:-2]) else []
    found = [_powered(name), *rate, *_products(name), *_close(name)]
    return list(dict.fromkeys(one for one in found if one))


def _powered(name: str) -> str:
    """A digit after a unit as its power: m3."""
    match = re.fullmatch(r"([A-Za-zµμΩ°]+?)(-?[1-9])", name)
    return f"{match[1]}**{match[2]}" if match and entry(match[1]) else ""


def _products(name: str) -> list[str]:
    """Two units written together, as Nm; KHz and KW are not, but have a wrong capital."""
    if not name.isalpha() or len(name) > _SHORT:
        return []
    alike = spellings(name)
    cuts = [(name[:cut], name[cut:]) for cut in range(1, len(name))]
    return [
        f"{one}*{other}"
        for one, other in cuts
        if ((other in ("m", "s") and one != "K") or not alike) and definition(one) and definition(other)
    ]


def _close(name: str) -> list[str]:
    plain = suggest(name, known_names())
    closer = takewhile(lambda one: one not in plain, suggest(name, [*plain, *_with_prefix(name)]))
    return list(dict.fromkeys([*spellings(name), *closer, *plain]))


def _with_prefix(name: str) -> list[str]:
    """Prefixed units with the first letter of a name and a unit similar to the rest of it."""
    rest = name[1:]
    shorter = [rest[:i] + rest[i + 1 :] for i in range(len(rest))] if 1 < len(rest) < _SHORT else []
    return [name[0] + one for one in dict.fromkeys([*shorter, *suggest(rest, known_names())]) if entry(name[0] + one)]
