"""A small library of every kind of relation that a page meets, and its page."""

from __future__ import annotations

from functools import cache

import derive
from derive.library import Library
from derive.pages.page import page

TEXT = """\
title = "A shop"

[quantities]
batch    = { unit = "sequence", meaning = "sequences at once" }
chips    = { unit = "chip", domain = "whole" }
rent     = { unit = "USD/h/chip", value = "2 USD/h/chip" }
work     = { unit = "s", value = "1 ms" }
read     = { unit = "s", value = "10 ms" }
per      = { unit = "s/sequence", value = "0.1 ms/sequence" }
delay    = { unit = "s", value = "0 s", domain = "nonnegative" }
room     = { unit = "degC", value = "21 degC", domain = "real" }
step     = { unit = "s" }
limit    = { unit = "s", value = "50 ms" }
cost     = { unit = "USD/sequence" }
warmth   = { unit = "K" }
worth    = { unit = "USD/sequence/K" }
constructor = { unit = "1", value = "1", domain = "0..1" }

[relations]
step   = { equation = "step = max(read, work + batch*per) + delay", because = "the longer counts" }
cost   = { equation = "cost = rent*chips*step/batch*constructor" }
late   = { equation = "step <= limit", because = "nobody waits longer" }
warmth = { equation = "warmth = room" }
worth  = { equation = "worth = cost/warmth" }

[profiles]
small = { rent = "3 USD/h/chip" }
large = { rent = "4 USD/h/chip", read = "20 ms" }
"""


@cache
def shop() -> Library:
    return derive.load(TEXT)


@cache
def shop_page() -> str:
    """The page of what a sequence costs, with a drop-down."""
    given = {"batch": "1..1000 sequence", "chips": "8 chip"}
    return page(shop(), ["cost", "step", "worth"], ["small"], given, title="A shop & more", uses=["shop.toml"])
