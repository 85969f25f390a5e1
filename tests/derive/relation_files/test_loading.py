"""A relation file becomes a library, or all of its problems, each on its line.

In the wrong files below a comment `# <- words` stands on the line of each problem and `# <- (name) words` on that of
a relation's problem; the words are part of what is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import (
    DeriveError,
    DimensionError,
    DomainError,
    ExpressionError,
    Library,
    LimitError,
    UnitError,
    UnknownNameError,
)
from quantities import read_value
from tests.derive.operations import calls
from tests.ordinary import every, examples

PENDULUM = """
title = "Pendulum"

[quantities]
length  = { unit = "m", meaning = "length of the string", latex = "L" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }      # a default (weak)
period  = { unit = "s" }
swing   = { unit = "radian", domain = "real" }

[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
because  = "small-angle limit"
when     = ["swing < 0.3"]

[profiles.clock]
length = "0.994 m"
gravity = { value = "9.81 m/s**2", source = "local survey", kind = "measured", date = "2026", url = "https://g.eu" }
"""


def test_a_bare_number_of_a_file_keeps_its_digits_or_is_refused():
    text = """[quantities]
    x = { unit = "", value = VALUE, domain = "real" }
    y = { unit = "", domain = "real" }
    [relations.far]
    equation = "y = (x - 1/10)*10**22"
    """
    for written, expected in (("0.1000000000000000000001", 1.0), ('"0.1000000000000000000001"', 1.0), ("0.1_0", 0.0)):
        assert derive.load(text.replace("VALUE", written)).solve("y").value.magnitude == expected
    for written in ("1e-400", "-1e-999999999", "1e400", "1e999999999"):
        (problem,) = derive.check(text.replace("VALUE", written))
        assert problem.message == "x: it exceeds the range of double precision."
        assert (problem.line, problem.hint) == (2, "Give a number between 1e-300 and 1e300.")


def test_a_relation_file_is_a_library():
    library = derive.load(PENDULUM)
    assert library.title == "Pendulum"
    assert list(library.quantities) == ["length", "gravity", "period", "swing"]
    length, gravity, swing = (library.quantities[name] for name in ("length", "gravity", "swing"))
    assert (length.unit.text, length.meaning, length.latex, length.domain.text) == (
        "m",
        "length of the string",
        "L",
        "positive",
    )
    assert (str(gravity.default), length.default, swing.domain.text) == ("9.80665 m/s**2", None, "real")
    relation = library.relations["small_swing"]
    assert str(relation) == "small_swing: period = 2*pi*sqrt(length/gravity)"
    assert (relation.because, relation.when) == ("small-angle limit", ("swing < 0.3",))
    assert relation.rhs == 2 * sympy.pi * sympy.sqrt(length / gravity)
    clock = library.profiles["clock"].values
    assert str(clock["length"]) == "0.994 m"
    source = clock["gravity"].source
    assert (source.text, source.kind, source.date, source.url) == (
        "local survey",
        "measured",
        "2026",
        "https://g.eu",
    )
    assert derive.check(PENDULUM) == []


RIGHT = {
    "nothing": "",
    "a title": 'title = "Nothing"',
    "empty sections": "[quantities]\n[relations]\n[profiles]",
    "a plain number": '[quantities]\nn = { unit = "" }\nk = { unit = "1" }\n[relations]\nr = { equation = "n = 2*k" }',
    "tables of their own": '[quantities.x]\nunit = "m"\n[relations.r]\nequation = "x = 2*x"',
    "dotted keys": 'quantities.x.unit = "m"\nrelations.r.equation = "x = 2*x"',
    "sections in any order": '[relations]\nr = { equation = "x = 2*x" }\n[quantities]\nx = { unit = "m" }',
    "a default as a number": '[quantities]\nn = { unit = "", value = 2 }\nshare = { unit = "radian", value = 0.5 }',
    "a default as a range": '[quantities]\nx = { unit = "m", value = "2..6 m" }',
    "a default in another unit": '[quantities]\nx = { unit = "km", value = "3 mi" }',
    "a default with its source": '[quantities]\nx = { unit = "m", value = "3 m", source = "ruler", kind = "measured" }',
    "an interval": '[quantities]\nphi = { unit = "radian", domain = "0..6.3 radian", value = "90 degree" }',
    "a nonnegative one": '[quantities]\nx = { unit = "m", domain = "nonnegative", value = "0 m" }',
    "a negative one": '[quantities]\nx = { unit = "m", domain = "real", value = "-3 m" }',
    "one condition": '[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = 2*x", when = "x < 2*x" }',
    "a long equation": '[quantities]\nx = { unit = "m" }\n[relations.r]\nequation = """\nx =\n   2*x\n"""',
    "an inequality": '[quantities]\nx = { unit = "m" }\n[relations.r]\nequation = "x <= 2*x"',
    "a tolerance": '[quantities]\nx = { unit = "m" }\n[relations.r]\nequation = "x = 2*x"\napproximate = "3 %"',
    "a chip's profile": '[quantities]\nx = { unit = "m" }\n[profiles."h100-sxm"]\nx = "3 m"',
    "a profile without values": "[profiles.empty]",
    "one name for a quantity and its relation": (
        '[quantities]\nx = { unit = "m" }\n[relations.x]\nequation = "x = 2*x"\n[profiles.x]\nx = "3 m"'
    ),
    "windows lines": PENDULUM.replace("\n", "\r\n"),
    "no last line": PENDULUM.rstrip("\n"),
    "tabs and comments": '[quantities] # all\n\tx\t=\t{ unit = "m" }   # one\n#\n',
    "names of mathematics": (
        '[quantities]\nE = { unit = "V" }\nI = { unit = "A" }\nN = { unit = "ohm" }\nbeta = { unit = "1" }\n'
        '[relations]\nS = { equation = "E = beta*I*N" }'
    ),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_sound_file_has_no_problem(case):
    assert derive.check(RIGHT[case]) == []
    assert isinstance(derive.load(RIGHT[case]), Library)


WRONG = {
    "a quantity without a unit": """
        [quantities]
        x = { meaning = "length" }  # <- x: it has no unit.
        """,
    "a unit that nobody knows": """
        [quantities]
        x = { unit = "metr" }  # <- x: unit 'metr': 'metr' is not a unit.
        y = { unit = "m//s" }  # <- y: unit
        u = { unit = "metr" }  # <- u: unit 'metr'
        v = { unit = "m", value = "3" }  # <- v: 3 has no unit
        d = { unit = "m", domain = "big" }  # <- d: domain 'big'
        """,
    "a unit that is no text": """
        [quantities]
        x = { unit = 1 }  # <- x: 'unit' is not a string.
        y = { unit = ["m"] }  # <- y: 'unit' is not a string.
        """,
    "words that are no text": """
        title = 3  # <- 'title' is not a string.
        [quantities]
        x = { unit = "m", meaning = 3 }  # <- x: 'meaning' is not a string.
        y = { unit = "m", latex = true }  # <- y: 'latex' is not a string.
        z = { unit = "m", domain = 1.5 }  # <- z: 'domain' is not a string.
        """,
    "keys that nobody knows": """
        titel = "Pendulum"  # <- Did you mean title?
        [quantities]
        x = { unit = "m", meening = "length" }  # <- Did you mean meaning?
        y = { units = "m", unit = "m" }  # <- Did you mean unit?
        [quantities.z]
        unit = "m"
        valeu = "3 m"  # <- Did you mean value?
        [relations.r]
        equation = "x = 2*x"
        becuase = "so"  # <- (r) Did you mean because?
        [relation.s]  # <- Did you mean relations?
        equation = "x = 3*x"
        """,
    "names that cannot be": """
        [quantities]
        pi = { unit = "m" }  # <- it is the number 3.14159
        if = { unit = "m" }  # <- it is a word of the language
        lambda = { unit = "m" }  # <- it is a word of the language
        __class__ = { unit = "m" }  # <- it begins with two underscores
        "a b" = { unit = "m" }  # <- it is not one word
        "" = { unit = "m" }  # <- it is not one word
        "x'" = { unit = "m" }  # <- it is not one word
        "é" = { unit = "m" }  # <- it is not one word
        9x = { unit = "m" }  # <- it is not one word
        a-b = { unit = "m" }  # <- it is not one word
        "fast.x" = { unit = "m" }  # <- fast.x: declared names have no dots.
        [relations]
        else = { equation = "x = 1" }  # <- (else) it is a word of the language
        """,
    "values that do not fit": """
        [quantities]
        x = { unit = "m", value = "3 s" }  # <- x: 3 s does not fit its unit m
        y = { unit = "m", value = "3" }  # <- y: 3 has no unit
        z = { unit = "m", value = 3 }  # <- z: 3 has no unit
        w = { unit = "m", value = "1,5 m" }  # <- a comma follows 1
        a = { unit = "m", value = "-3 m" }  # <- a: -3 m lies outside its domain, positive.
        b = { unit = "m", value = "0 m" }  # <- b: 0 m lies outside its domain
        c = { unit = "m", value = "nan m" }  # <- not a finite number
        e = { unit = "", value = inf }  # <- not a finite number
        f = { unit = "m", value = "2..6 s" }  # <- f: 2..6 s does not fit
        g = { unit = "m", domain = "1..2 m", value = "3 m" }  # <- g: 3 m lies outside its domain, 1..2 m.
        h = { unit = "m", value = true }  # <- h: 'True' is not a value.
        i = { unit = "m", value = [3] }  # <- i: a list is not a value.
        j = { unit = "m", value = 2026-01-01 }  # <- j: a date is not a value.
        k = { unit = "rpm", value = "60 radian/s/s" }  # <- k: 60 radian/s/s does not fit
        l = { unit = "m", value = "" }  # <- l: value '': it does not begin with a number.
        """,
    "domains that are none": """
        [quantities]
        x = { unit = "m", domain = "positiv" }  # <- it is not one of the known words
        y = { unit = "m", domain = "1..2 s" }  # <- y: domain '1..2 s'
        z = { unit = "m", domain = "2..1 m" }  # <- z: domain '2..1 m'
        """,
    "sources of a kind that nobody knows": """
        [quantities]
        x = { unit = "m", value = "3 m", kind = "measurd" }  # <- Did you mean measured?
        [profiles.p]
        y = "3 m"  # <- p: There is no quantity 'y'.
        """,
    "what is no table": """
        [quantities]
        x = "m"  # <- x: it is not a table.
        y = 3  # <- y: it is not a table.
        [relations]
        r = "x = y"  # <- (r) r: it is not a table.
        [profiles]
        p = 3  # <- p: it is not a table.
        """,
    "quantities that are no table": """
        quantities = 3  # <- 'quantities' is not a table.
        """,
    "relations that are no table": """
        relations = 3  # <- 'relations' is not a table.
        """,
    "relations that are a text": """
        relations = "x = y"  # <- 'relations' is not a table.
        """,
    "profiles that are a list": """
        profiles = []  # <- 'profiles' is not a table.
        """,
    "relations that are a list of tables": """
        [quantities]
        x = { unit = "m" }
        [[relations]]  # <- 'relations' is not a table.
        equation = "x = 2*x"
        """,
    "a relation without an equation": """
        [quantities]
        x = { unit = "m" }
        [relations.r]  # <- (r) r: it has no equation.
        because = "so"
        """,
    "words of a relation that are no text": """
        [quantities]
        x = { unit = "m" }
        [relations.a]
        equation = 3  # <- (a) a: 'equation' is not a string.
        [relations.b]
        equation = "x = 2*x"
        because = 3  # <- (b) b: 'because' is not a string.
        [relations.c]
        equation = "x = 2*x"
        when = 3  # <- (c) c: 'when' is not a list of strings.
        [relations.d]
        equation = "x = 2*x"
        when = ["x < 2*x", 3]  # <- (d) d: 'when' is not a list of strings.
        [relations.e]
        equation = "x = 2*x"
        approximate = 0.03  # <- (e) e: 'approximate' is not a string.
        """,
    "equations that do not read": """
        [quantities]
        x = { unit = "m" }
        [relations]
        a = { equation = "x + x" }  # <- (a) it is not an equation.
        b = { equation = "x = 2x" }  # <- (b) neither a number nor a name
        c = { equation = "" }  # <- (c) it is empty.
        d = { equation = "2 = 1 + 1" }  # <- (d) contains no quantity
        e = { equation = "x = 9**9**9" }  # <- (e) the exponent
        f = { equation = "x = eval(x)" }  # <- (f) calls a function that does not exist
        g = { equation = 'x = \\alpha' }  # <- (g) does not belong here
        """,
    "equations that do not fit": """
        [quantities]
        x = { unit = "m" }
        t = { unit = "s" }
        [relations]
        a = { equation = "x = t" }  # <- (a) a: left is m, right is s.
        [relations.b]
        because = "so"
        equation = "x = x + t"  # <- (b) b: in x + t, x is m and t is s.
        [relations.c]
        when = ["x < 2*x", "x < t"]  # <- (c) in x < t, x is m and t is s.
        equation = "x = 2*x"
        [relations.d]
        equation = "x = x*exp(t) + t"  # <- (d) exp takes a number # <- (d) in x*exp(t) + t
        """,
    "names that nobody declared": """
        [quantities]
        length = { unit = "m" }
        [relations]
        a = { equation = "length = lenght" }  # <- (a) Did you mean length?
        b = { equation = "width = 2*length" }  # <- (b) There is no quantity 'width'.
        """,
    "conditions that do not read": """
        [quantities]
        x = { unit = "m" }
        [relations.a]
        equation = "x = 2*x"
        because = "so"
        when = ["x <"]  # <- (a) it ends where a value is expected.
        [relations.b]
        equation = "x = 2*x"
        because = "so"
        when = ["x < y"]  # <- (b) There is no quantity 'y'.
        [relations.c]
        equation = "x = 2*x"
        because = "so"
        when = "x"  # <- (c) it is not a comparison.
        """,
    "tolerances that are none": """
        [quantities]
        x = { unit = "m" }
        [relations.a]
        equation = "x = 2*x"
        because = "so"
        approximate = "abc"  # <- (a) it does not begin with a number.
        [relations.b]
        equation = "x = 2*x"
        because = "so"
        approximate = "3 m"  # <- (b) it is not a share.
        [relations.c]
        equation = "x = 2*x"
        because = "so"
        approximate = "300 %"  # <- (c) it must lie between 0 and 1.
        """,
    "profiles that do not fit": """
        [quantities]
        x = { unit = "m" }
        n = { unit = "" }
        [profiles.p]
        x = "3 s"  # <- 3 s does not fit its unit m
        y = "3 m"  # <- p: There is no quantity 'y'.
        n = "3 m"  # <- 3 m does not fit
        [profiles.q]
        x = { source = "ruler" }  # <- q, x: it has no value.
        n = { value = 3, sorce = "ruler" }  # <- Did you mean source?
        [profiles.r]
        x = { value = "3 m", kind = "guessed" }  # <- There is no kind of source 'guessed'.
        n = []  # <- r, n: a list is not a value.
        [profiles."h100/fp8"]  # <- cannot be a profile's name.
        """,
    "profiles with choices that do not fit": """
        [quantities]
        x = { unit = "m" }
        y = { unit = "m" }
        [profiles.p]
        source = 3  # <- p: 'source' is not a string.
        x.first = "3 m"
        x.second = "3 s"  # <- 3 s does not fit its unit m
        y = { value = "3 m", range = "4..5 m" }  # <- p, y: value 3 m: it lies outside its range, 4..5 m.
        [profiles.q]
        x = { valeu = "3 m" }  # <- Did you mean value? # <- q, x: it has no value.
        y = { value = "3 m", range = "2..4 s" }  # <- q, y:
        [profiles.r]
        x.first = "3 m"
        [profiles."r:first"]  # <- r:first is declared twice
        x = "4 m"
        """,
    "a name declared twice": """
        [quantities]
        x = { unit = "m" }
        y = { unit = "m" }
        x = { unit = "s" }  # <- x is declared twice.
        [relations]
        r = { equation = "y = z" }  # <- (r) There is no quantity 'z'.
        """,
    "a relation stated twice": """
        [quantities]
        x = { unit = "m" }
        [relations.r]
        equation = "x = 2*x"
        [relations.s]
        equation = "x = 2*y"  # <- (s) There is no quantity 'y'.
        [relations.r]  # <- relations.r is declared twice.
        equation = "x = 3*x"
        """,
    "a key given twice": """
        [quantities]
        x = { unit = "m" }
        [relations.r]
        equation = "x = 2*x"
        equation = "x = 3*x"  # <- equation is declared twice.
        """,
    "a key given twice at length": '''
        [quantities]
        x = { unit = "m" }
        [relations.r]
        equation = "x = 2*x"
        because = "so"
        because = """  # <- because is declared twice.
        otherwise
        """
        ''',
    "a section opened twice": """
        [quantities]
        x = { unit = "m" }
        [relations.r]
        equation = "x = 2*y"
        [quantities]  # <- quantities is declared twice.
        y = { unit = "m" }
        """,
    "what follows from a broken quantity": """
        [quantities]
        x = { unit = "metr" }  # <- 'metr' is not a unit.
        y = { unit = "m", value = "3 s" }  # <- y: 3 s does not fit
        pi = { unit = "m" }  # <- cannot be a name
        w = 3  # <- w: it is not a table.
        z = { unit = "m" }
        [relations]
        a = { equation = "z = x" }
        b = { equation = "z = y + x" }
        c = { equation = "z = z", when = ["x < z"] }
        d = { equation = "z = w" }
        e = { equation = "z = v" }  # <- (e) There is no quantity 'v'.
        [profiles.p]
        x = "3 m"
        w = "3 m"
        z = "3 s"  # <- 3 s does not fit
        """,
    "a broken quantity beside an unknown one": """
        [quantities]
        x = { unit = "metr" }  # <- 'metr' is not a unit.
        z = { unit = "m" }
        [relations]
        a = { equation = "z = x + v" }  # <- (a) There is no quantity 'v'.
        """,
    "a relation that is no table and a name that nobody declared": """
        [quantities]
        x = { unit = "m" }
        [relations]
        y = 3  # <- (y) y: it is not a table.
        r = { equation = "x = y" }  # <- (r) There is no quantity 'y'.
        """,
    "a profile that is no table and a value that does not fit": """
        [quantities]
        x = { unit = "m" }
        [profiles]
        x = 3  # <- x: it is not a table.
        p = { x = "3 s" }  # <- 3 s does not fit
        """,
    "a quantity and a relation of one name": """
        [quantities]
        x = { unit = "metr" }  # <- x: unit 'metr'
        y = { unit = "m" }
        [relations.x]
        equation = "y = 2*y"
        """,
    "what is not TOML": """
        [quantities]
        x = { unit = m }  # <- This is not TOML: invalid value.
        """,
    "a bracket that is not closed": """
        [quantities  # <- This is not TOML:
        x = { unit = "m" }
        """,
    "a key without a value": """
        [quantities]
        x =  # <- This is not TOML: invalid value.
        """,
    "JSON": """
        {"quantities": 1}  # <- This is not TOML: invalid statement.
        """,
    "a line of a hundred thousand characters": f"""
        title = "{"x" * 100_000}"  # <- The line has more than
        """,
    "something of everything": """
        titel = "?"  # <- Did you mean title?
        [quantities]
        a = { unit = "m" }
        b = { unit = "sek" }  # <- b: unit 'sek'
        c = { unit = "s", value = "-1 s" }  # <- c: -1 s lies outside its domain
        # a comment with "quotes" and an apostrophe's tail
        d = { unit = "s" }
        [relations.r]
        equation = "a = d"  # <- (r) r: left is m, right is s.
        [relations.s]
        equation = "a = a + 1"  # <- (s) s: in a + 1
        [profiles.p]
        a = "1 kg"  # <- 1 kg does not fit
        """,
}
_MARK = re.compile(r"# <- (?:\((?P<relation>\w+)\) ?)?(?P<words>[^#\n]*?)\s*(?=# <-|$)")


def expected_problems(text: str) -> list[tuple[int, str, str]]:
    """What the comments of a file promise: the line, the relation, the words."""
    return [
        (number, mark["relation"] or "", mark["words"])
        for number, row in enumerate(text.split("\n"), 1)
        for mark in _MARK.finditer(row)
    ]


@every("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
@every("case", WRONG)
def test_every_problem_is_told_on_its_line_and_no_other(case, line_end):
    text = WRONG[case].replace("\n", line_end)
    problems = derive.check(text)
    for line, relation, words in expected_problems(WRONG[case]):
        matching = [
            p for p in problems if (p.line, p.relation) == (line, relation) and words in f"{p.message} {p.hint}"
        ]
        assert matching, (line, relation, words, [str(problem) for problem in problems])
        problems.remove(matching[0])
    assert problems == []


@every("case", WRONG)
def test_what_check_finds_load_raises(case):
    problems = derive.check(WRONG[case])
    with pytest.raises(DeriveError) as caught:
        derive.load(WRONG[case])
    assert list(caught.value.problems) == problems
    assert all(problem.message.split("\n")[0] in str(caught.value) for problem in problems)


KINDS = [
    ("a dimension", '[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = 1" }', DimensionError),
    ("an equation", '[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = 2x" }', ExpressionError),
    ("a unit", '[quantities]\nx = { unit = "metr" }', UnitError),
    ("a unit of a value", '[quantities]\nx = { unit = "m", value = "3 s" }', UnitError),
    ("a value", '[quantities]\nx = { unit = "m", value = "-3 m" }', DomainError),
    ("a name", '[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = y" }', UnknownNameError),
    ("a key", '[quantities]\nx = { unit = "m", units = "m" }', UnknownNameError),
    ("a size", f'[quantities]\nx = {{ unit = "m" }}\n[relations]\nr = {{ equation = "x = {"(" * 99}" }}', LimitError),
    ("a line", f'title = "{"x" * 30_000}"', LimitError),
    ("TOML", "[quantities", ExpressionError),
]


@pytest.mark.parametrize(("text", "kind"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS])
def test_a_problem_of_a_kind_is_an_error_of_that_kind(text, kind):
    with pytest.raises(DeriveError) as caught:
        derive.load(text)
    assert type(caught.value) is kind
    assert [problem.message for problem in caught.value.problems] == [derive.check(text)[0].message]


def test_problems_of_one_kind_are_one_error_of_that_kind():
    with pytest.raises(UnitError) as caught:
        derive.load('[quantities]\nx = { unit = "metr" }\ny = { unit = "sek" }')
    assert [problem.line for problem in caught.value.problems] == [2, 3]


def test_problems_of_several_kinds_are_an_error_of_expression():
    with pytest.raises(ExpressionError) as caught:
        derive.load('[quantities]\nx = { unit = "metr" }\ny = { unit = "m", value = "-1 m" }')
    assert str(caught.value).startswith("2 problems\nline 2: x: unit 'metr'")
    assert len(caught.value.problems) == 2


def test_every_name_that_nobody_declared_is_told():
    problems = derive.check('[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = width + height" }')
    text = " ".join(f"{problem.message} {problem.hint}" for problem in problems)
    assert {problem.line for problem in problems} == {4}
    assert "'width'" in text
    assert "'height'" in text


def test_a_single_problem_keeps_the_facts_of_its_error():
    with pytest.raises(UnknownNameError) as caught:
        derive.load('[quantities]\nlength = { unit = "m" }\n[relations]\nr = { equation = "length = lenght" }')
    assert (caught.value.name, caught.value.kind, caught.value.suggestions) == ("lenght", "quantity", ("length",))
    with pytest.raises(UnitError) as caught:
        derive.load('[quantities]\nx = { unit = "metr" }')
    assert caught.value.unit == "metr"
    with pytest.raises(DomainError) as caught:
        derive.load('[quantities]\nx = { unit = "m", value = "-3 m" }')
    assert (caught.value.quantity, caught.value.domain) == ("x", "positive")


@pytest.mark.parametrize(
    ("equation", "position"),
    [
        ('equation = "x = 2*x]"', (5, 20)),
        ('  equation   =   "x = 2x"', (5, 23)),
        ("equation = 'x = a[0]'", (5, 18)),
        ('equation = """x = 2*x]"""', (5, 22)),
        ('equation = """\nx = 2*x]\n"""', (6, 8)),
        ('equation = """\n\n  x = 2*x\n   + 2x\n"""', (8, 6)),
        ('because = "x = 2*x]"\nequation = "x = 2*x]"', (6, 20)),
        ('when = ["x <"]\nequation = "x = 2*x"', (5, 13)),
    ],
)
def test_a_complaint_points_into_the_file(equation, position):
    with pytest.raises(ExpressionError) as caught:
        derive.load(f'\n[quantities]\nx = {{ unit = "m" }}\n[relations.r]\n{equation}\n')
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "position"),
    [("[quantities]\nx = m", (2, 5)), ("[quantities", (1, 12)), ("{", (1, 1)), ("a = 1\rb = 2", (1, 6))],
)
def test_a_complaint_about_toml_points_into_the_file(text, position):
    with pytest.raises(ExpressionError) as caught:
        derive.load(text + "\n")
    assert caught.value.position == position


@pytest.mark.parametrize(
    "text",
    [
        f'[quantities]\nx = {{ unit = "m", value = {"9" * 5000} }}',
        "x = " + "[" * 2000 + "]" * 2000,
        "x = " + "{a=" * 2000,
        "[" + ".".join("a" * 2000) + "]\n",
        'a = "x\x00y"\n',
        "a = 0x1F\n",
        "\\alpha = 1\n",
        "=\n",
        "\n[[[\n",
        "\x00=\n",
    ],
    ids=["digits", "lists", "tables", "dots", "nul", "hexadecimal", "LaTeX", "equals", "brackets", "nul alone"],
)
def test_whatever_toml_makes_of_a_text_it_is_told_at_once(text):
    assert calls(lambda: derive.check(text)) < 50_000
    problems = derive.check(text)
    assert problems
    assert all(len(problem.message) < 1000 for problem in problems)
    with pytest.raises(DeriveError):
        derive.load(text)


# Sources of text


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "pendulum.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        PENDULUM,
        PENDULUM.replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + PENDULUM.encode(),
        b"\xef\xbb\xbf" + PENDULUM.replace("\n", "\r\n").encode(),
        PENDULUM.replace("length of the string", "Länge des Fadens, ℓ"),
    ],
    ids=["lf", "crlf", "bom", "bom and crlf", "other letters"],
)
def test_a_file_is_read_as_its_text(written, content):
    path = written(content)
    assert derive.load(path) == derive.load(str(path))
    assert list(derive.load(path).relations) == ["small_swing"]
    assert derive.check(path) == []


def test_a_value_in_a_file_has_the_file_for_a_source_until_it_names_another(written):
    library = derive.load(written(PENDULUM))
    gravity, length = library.quantities["gravity"].default, library.profiles["clock"].values["length"]
    assert (gravity.source.text, gravity.source.kind) == ("pendulum.toml", "assumed")
    assert (length.source.text, length.source.kind) == ("pendulum.toml", "assumed")
    sourced = derive.load('[quantities]\nx = { unit = "m", value = "3 m", source = "a book" }').quantities["x"].default
    assert (sourced.source.text, sourced.source.kind) == ("a book", "published")
    alone = derive.load('[quantities]\nx = { unit = "m", value = "3 m" }').quantities["x"].default
    assert (alone.source.text, alone.source.kind) == ("the relation file", "assumed")


def test_an_error_names_the_file_and_the_line(written):
    path = written('[quantities]\nx = { unit = "m" }\n[relations]\nr = { equation = "x = 1" }\n')
    with pytest.raises(DimensionError) as caught:
        derive.load(path)
    assert str(caught.value).startswith("pendulum.toml: line 4: r: left is m, right is a number.")


def test_a_profile_may_say_all_that_a_built_in_one_says():
    chips = derive.load("""
        [quantities]
        bandwidth = { unit = "TB/s" }
        peak = { unit = "TFLOP/s" }
        price = { unit = "USD/h" }
        note = { unit = "" }
        [profiles.chip]
        title = "A chip"
        source = "its data sheet"
        as_of = "2026-02"
        bandwidth = "2 TB/s"
        peak.fp16 = "1 PFLOP/s"
        peak.fp8 = { value = "2 PFLOP/s", source = "a ruler", kind = "measured", as_of = "2026-03" }
        price = { value = "3 USD/h", range = "2..6 USD/h", reason = "2 at the cheapest" }
        note = 3
        """)
    chip = chips.profile("chip")
    assert chip.title == "A chip"
    assert not chip.note
    assert str(chip.values["price"]) == "3 (2..6) USD/h"
    assert str(chip.values["price"].source) == "its data sheet (2026-02); 2 at the cheapest"
    assert chips.profiles.choices("chip") == ("fp16", "fp8")
    fp8 = chips.profile("chip:fp8").values
    assert (str(fp8["peak"]), str(fp8["bandwidth"])) == ("2 PFLOP/s", "2 TB/s")
    assert (str(fp8["peak"].source), fp8["peak"].source.kind) == ("a ruler (2026-03)", "measured")


def test_a_profile_may_complete_one_of_the_library_beside_it():
    both = derive.llm | derive.load('[profiles."h100-sxm:fp6"]\npeak_compute = "1 PFLOP/s/chip"', beside=derive.llm)
    assert both.solve("hardware_ratio", "h100-sxm:fp6").value.magnitude == pytest.approx(1000 / 3.35)


def test_a_text_is_a_text_and_a_path_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.toml").write_text('[quantities]\nx = { unit = "m" }\n')
    (tmp_path / "plain.toml").write_text('[quantities]\ny = { unit = "m" }\n')
    assert list(derive.load("plain.toml").quantities) == ["y"]
    assert list(derive.load(Path("a=b.toml")).quantities) == ["x"]
    assert len(derive.check("a=b.toml")) == 1
    assert list(derive.load("").quantities) == []
    assert list(derive.load("[quantities]").quantities) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("missing.toml", "The file 'missing.toml' cannot be read: no such file or directory."),
        (Path("missing.toml"), "The file 'missing.toml' cannot be read: no such file or directory."),
        (Path("."), "The file '.' cannot be read: is a directory."),
        (Path("x" * 5000), "cannot be read: file name too long."),
        ("nul\x00.toml", "cannot be read: embedded null byte."),
        (3, "a int is not a relation file."),
        (None, "a NoneType is not a relation file."),
        (b"[quantities]", "a bytes is not a relation file."),
        ({"quantities": {}}, "a dict is not a relation file."),
    ],
    ids=str,
)
def test_what_is_no_file_is_told_in_words(source, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for read in (derive.load, derive.check):
        with pytest.raises(ExpressionError) as caught:
            read(source)
        assert said in caught.value.what
        assert caught.value.hint
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("content", "byte"), [(b"\x80\x81", 0), (b"\x89PNG\r\n\x1a\n", 0), ("title = 'é'".encode("latin-1"), 9)]
)
def test_a_binary_file_is_told_in_words(written, content, byte):
    path = written(content)
    with pytest.raises(
        ExpressionError, match=f"'pendulum.toml' is not UTF-8 text: byte {byte} cannot be read"
    ) as caught:
        derive.load(path)
    assert caught.value.hint == "Save it as UTF-8."


# Beside a library


def test_a_file_may_speak_of_the_quantities_of_the_library_beside_it():
    pendulum = derive.load(PENDULUM)
    more = '[quantities]\nfrequency = { unit = "Hz" }\n[relations]\nf = { equation = "frequency = 1/period" }\n'
    with pytest.raises(UnknownNameError):
        derive.load(more)
    added = derive.load(more, beside=pendulum)
    assert derive.check(more, beside=pendulum) == []
    assert list(added.relations) == ["f"]
    assert added.quantities["period"] is pendulum.quantities["period"]
    assert set((pendulum | added).quantities) == {"length", "gravity", "period", "swing", "frequency"}
    assert derive.load('[profiles.moon]\ngravity = "1.62 m/s**2"', beside=pendulum).profiles["moon"].values == {
        "gravity": read_value("1.62 m/s**2").sourced(derive.load(PENDULUM).quantities["gravity"].default.source)
    }


def test_a_problem_of_a_profile_names_its_place_once():
    (problem,) = derive.check('[quantities]\nx = { unit = "m" }\n[profiles.p]\nx = "3 s"\n')
    assert problem.message.startswith("p, x: 3 s does not fit its unit m")


def test_a_problem_beside_a_library_is_mended_by_its_quantities():
    (problem,) = derive.check(
        '[quantities]\nspeed = { unit = "m/s" }\n[relations]\nr = { equation = "speed = length" }',
        beside=derive.load(PENDULUM),
    )
    assert problem.hint == "Divide the right by period [s]."


def test_the_built_in_library_can_be_added_to():
    more = (
        '[quantities]\nday_cost = { unit = "USD/day" }\n[relations]\nr = { equation = "day_cost = chip_price*chips" }'
    )
    both = derive.llm | derive.load(more, beside=derive.llm)
    assert set(both.relations) == {*derive.llm.relations, "r"}


# Whatever is typed


LITERALS = [
    "3",
    "true",
    '""',
    '"x"',
    "[]",
    "{}",
    "[[1]]",
    "2026-01-01",
    "nan",
    "{ unit = 3 }",
    '"m"',
    '{ value = "1 m" }',
]


@st.composite
def disturbed(draw: st.DrawFn) -> str:
    """The pendulum with some of its lines cut, doubled, swapped, or given another value."""
    rows = PENDULUM.strip().split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(rows) - 1))
        act = draw(st.sampled_from(["cut", "double", "value", "text", "swap", "insert"]))
        if act == "cut" and len(rows) > 1:
            del rows[at]
        elif act == "double":
            rows.insert(draw(st.integers(0, len(rows))), rows[at])
        elif act == "value":
            rows[at] = rows[at].partition("=")[0] + "= " + draw(st.sampled_from(LITERALS))
        elif act == "swap":
            rows[at], rows[0] = rows[0], rows[at]
        else:
            place = draw(st.integers(0, len(rows[at])))
            put = draw(st.sampled_from(['"', "'", "[", "]", "{", "}", "=", "#", ".", ",", '"""', "\n", "x", "é", "\\"]))
            cut = 1 if act == "text" else 0
            rows[at] = rows[at][:place] + put + rows[at][place + cut :]
    return "\n".join(rows) + "\n"


@pytest.mark.thorough
@examples(400)
@given(disturbed())
def test_a_disturbed_file_is_a_library_or_a_list_of_problems(text):
    problems = derive.check(text)
    assert all(problem.message and 0 <= problem.line <= text.count("\n") + 1 for problem in problems)
    if problems:
        with pytest.raises(DeriveError) as caught:
            derive.load(text)
        assert list(caught.value.problems) == problems
    else:
        assert derive.load(text).quantities is not None


@examples(200)
@given(st.text(max_size=60).map("\n{}".format))
def test_check_never_raises_for_content(text):
    assert isinstance(derive.check(text), list)


# Growth


def chain(count: int, flaw: str = "") -> str:
    names = "\n".join(f'x_{n} = {{ unit = "m" }}' for n in range(count + 1))
    relations = "\n".join(f'r_{n} = {{ equation = "x_{n + 1} = 2*x_{n}{flaw}" }}' for n in range(count))
    return f"[quantities]\n{names}\n[relations]\n{relations}\n"


@every("flaw", ["", "*x_0", " + ", "*y"], ids=["sound", "misfit", "unreadable", "unknown"], ordinary=4)
def test_checking_grows_with_the_number_of_relations_and_no_faster(flaw):
    small, large = chain(75, flaw), chain(600, flaw)
    derive.check(small)
    assert calls(lambda: derive.check(large)) < 1.25 * 8 * calls(lambda: derive.check(small))


@pytest.mark.thorough
def test_thousands_of_relations_take_no_more_than_their_share_of_work():
    def taken(count: int) -> int:
        return calls(lambda: derive.load(chain(count)))

    assert taken(4000) < 1.25 * 8 * taken(500)
