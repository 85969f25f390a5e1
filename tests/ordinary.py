"""What the ordinary run asks of a long list, and how many examples of a property; other runs ask the rest.

`every` puts many small cases into one test: it tries them all, and names each that fails. A test of its own for each
of ten thousand cases would spend more on being a test than on its case.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Sequence
from functools import wraps
from math import ceil
from typing import Any

import pytest
from hypothesis import settings

FULL = 40  # examples of a property where all are tried, unless it says otherwise
THOROUGH = 20  # examples in the thorough run

# One of each way of building a model: many heads, grouped heads, one head of the cache, windows, chunks, sinks,
# experts that are all of the feed-forward part, experts beside shared ones and dense layers, latents, selection.
BUILDS = (
    "gpt3-175b",
    "llama3-70b",
    "palm-540b",
    "gemma-3-27b",
    "llama4-scout",
    "gpt-oss-120b",
    "mixtral-8x7b",
    "deepseek-v3",
    "deepseek-v3-2",
)
ORDINARY = ("llama3-70b", "deepseek-v3-2")  # the plainest of them, and the one with the most parts


def one_of_each(models: Iterable[str], ordinary: Container[str] = ORDINARY) -> list[Any]:
    """The models: the ordinary run asks two, or those that it is told, the thorough run one of each build."""
    return [_when(name in ordinary, name in BUILDS, name, name) for name in models]


def one_in(share: int, cases: Iterable[Any], ids: Iterable[str], thorough: int = 1) -> list[Any]:
    """The cases, of which the thorough run asks one in so many, and the ordinary run one in so many of those."""
    named = enumerate(zip(cases, ids, strict=True))
    return [_when(place % (share * thorough) == 0, place % share == 0, case, name) for place, (case, name) in named]


def _when(is_ordinary: bool, is_thorough: bool, case: Any, name: str) -> Any:
    marks = [] if is_ordinary else [pytest.mark.thorough if is_thorough else pytest.mark.long]
    return pytest.param(case, id=name, marks=marks)


def examples(number: int, ordinary: int | None = None, **more: Any) -> settings:
    """So many examples of a property with `--hypothesis-profile=full`; half of them in the thorough run.

    The ordinary run tries a quarter, or as many as it says.
    """
    tried = settings.default.max_examples
    if ordinary is not None and tried < THOROUGH:
        return settings(max_examples=ordinary, **more)
    return settings(max_examples=ceil(number * min(1.0, tried / FULL)), **more)


def every(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Iterable[str] | Callable[[Any], str] | None = None,
    ordinary: int = 1,
    thorough: int = 3,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try all cases in one test, the ordinary run one in so many; like `pytest.mark.parametrize`, but for pure tests.

    The thorough run comes to one in `thorough` of all, and the long run tries those that are left.

    >>> @every("number", [1, 2, 3])
    ... def test_is_odd(number):
    ...     assert number % 2
    >>> try:
    ...     test_is_odd()
    ... except BaseExceptionGroup as failed:
    ...     print(failed, failed.exceptions[0].__notes__)
    1 of 3 cases (1 sub-exception) ['the case 2']
    """
    arguments = tuple(part.strip() for part in names.split(",")) if isinstance(names, str) else tuple(names)
    groups = _by_run(_named(list(cases), ids), ordinary, thorough)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        fixtures = [one for name, one in signature.parameters.items() if name not in arguments]

        @wraps(test)
        def tried(*, run: str = "ordinary", **given: Any) -> None:
            failures = []
            for name, case in groups[run]:
                values = case if len(arguments) > 1 else (case,)
                try:
                    test(**dict(zip(arguments, values, strict=True)), **given)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as failure:  # a skip would hide others
                    failure.add_note(f"the case {name}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(groups[run])} cases", failures)

        if len(groups) == 1:
            tried.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
            return tried
        run = inspect.Parameter("run", inspect.Parameter.KEYWORD_ONLY)
        tried.__signature__ = signature.replace(parameters=[*fixtures, run])  # type: ignore[attr-defined]
        marked = [pytest.param(one, marks=getattr(pytest.mark, one) if one != "ordinary" else []) for one in groups]
        return pytest.mark.parametrize("run", marked)(tried)

    return decorate


def _named(cases: list[Any], ids: Iterable[str] | Callable[[Any], str] | None) -> list[tuple[str, set[str], Any]]:
    """The cases, each with its name and the runs that it is marked for."""
    given = None if ids is None or callable(ids) else list(ids)
    assert given is None or len(given) == len(cases)
    found = []
    for place, case in enumerate(cases):
        is_param = hasattr(case, "marks")
        value = case if not is_param else case.values if len(case.values) > 1 else case.values[0]
        marks = {mark.name for mark in case.marks} if is_param else set()
        name = given[place] if given is not None else ids(value) if callable(ids) else case.id if is_param else None
        found.append((name or repr(value), marks, value))
    return found


def _by_run(named: list[tuple[str, set[str], Any]], ordinary: int, thorough: int) -> dict[str, list[tuple[str, Any]]]:
    """What each run tries: all that has its mark, and one in so many of what has none."""
    groups: dict[str, list[tuple[str, Any]]] = {"ordinary": []}
    plain = 0
    for name, marks, value in named:
        assert marks <= {"thorough", "long"}, f"{name}: a case that is marked otherwise needs a test of its own"
        if marks:
            run = "long" if "long" in marks else "thorough"
        elif plain % ordinary == 0:
            run = "ordinary"
        else:
            run = "thorough" if plain % thorough == 0 else "long"
        plain += not marks
        groups.setdefault(run, []).append((name, value))
    return groups
