"""Random expressions over the whole operation set, as hypothesis draws them: text, with the names x and y in it."""

from __future__ import annotations

from hypothesis import strategies as st

from derive.errors import ExpressionError, LimitError
from derive.expressions.functions import TABLE
from derive.expressions.grammar import parse_expression

LEAVES = ("x", "x", "y", "0.5", "2", "3", "pi")
ROUNDED = ("abs", "floor", "ceil")
FUNCTIONS = tuple(name for name in TABLE if name not in ROUNDED)
POWERS = ("2", "3", "4", "-1", "-2", "0.5", "1.5", "(-0.5)", "(1/3)")
SIGNS = ("<", "<=", ">", ">=", "==", "!=")

_calls = st.sampled_from((*FUNCTIONS, *ROUNDED))
_joins = st.sampled_from(("({} + {})", "({} - {})", "({}*{})", "({}/{})", "max({}, {})", "min({}, {})", "({}**{})"))
_tests = st.sampled_from(("{a} {s} {b}", "not {a} {s} {b}", "{a} {s} {b} and {b} > 1", "{a} {s} {b} or {b} > 1"))


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    chosen = st.builds(
        lambda yes, test, sign, a, b, no: f"({yes} if {test.format(a=a, b=b, s=sign)} else {no})",
        *(parts, _tests, st.sampled_from(SIGNS), parts, parts, parts),
    )
    return st.one_of(
        st.builds("{}({})".format, _calls, parts),
        st.builds("(-{})".format, parts),
        st.builds("({}**{})".format, parts, st.sampled_from(POWERS)),
        st.builds(lambda join, a, b: join.format(a, b), _joins, parts, parts),
        chosen,
    )


def expressions(leaves: int = 6) -> st.SearchStrategy[str]:
    return st.recursive(st.sampled_from(LEAVES), _larger, max_leaves=leaves).filter(_reads)


def _reads(text: str) -> bool:
    """Whether the text is taken at all: a constant part that is no real number is refused."""
    try:
        parse_expression(text)
    except (ExpressionError, LimitError):
        return False
    return True
