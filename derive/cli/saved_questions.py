"""Questions kept in a file: what was asked, and what it came to, so that it can be asked again and compared.

    # Made by derive: a question to ask again with  derive solve --from
    target = ["step_time"]
    with = ["h100-sxm:fp8"]
    [given]
    batch = "64 sequence"
    [answers]
    step_time = "0.0115288 s"

Paths in it are relative to its folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.output_files import MARK

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

__all__ = ["SavedQuestion"]

_LISTS = ("target", "with", "each", "add")
_KEYS = (*_LISTS, "library", "given", "answers")


@dataclass(frozen=True)
class SavedQuestion:
    """A question as it is typed, and its answers as text."""

    target: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    library: str | None = None
    added: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> SavedQuestion:
        """The question of a file; what cannot be read is refused in words."""
        import tomli

        from derive.input_files import LARGEST, content_of

        try:
            content = content_of(path)
            if len(content) > LARGEST:
                raise click.UsageError(f"{path!r} is no saved question: it has more than {LARGEST} bytes.")
            data = tomli.loads(content.decode())
        except OSError as error:
            raise click.UsageError(f"{path!r} cannot be read: {str(error.strerror).lower()}.") from None
        except (ValueError, RecursionError) as error:
            raise click.UsageError(f"{path!r} is no saved question: {error}.") from None
        for key, held in data.items():
            _prove_kind(path, key, held)
        folder = Path(path).parent
        library = data.get("library")
        return cls(
            tuple(data.get("target", ())),
            tuple(data.get("with", ())),
            tuple(data.get("each", ())),
            None if library is None else os.path.normpath(folder / library),
            tuple(os.path.normpath(folder / one) for one in data.get("add", ())),
            data.get("given", {}),
            data.get("answers", {}),
        )

    def but(self, target: Sequence[str], given: Mapping[str, str], **lists: Any) -> SavedQuestion:
        """The same question with what is typed beside it: that counts more, and profiles are added."""
        library = lists["library"] or self.library
        changed = replace(
            self,
            target=tuple(target) or self.target,
            given={**self.given, **given},
            profiles=(*self.profiles, *lists["profiles"]),
            each=tuple(lists["each"]) or self.each,
            added=(*self.added, *lists["added"]),
            library=library,
        )
        is_same = changed == self
        return changed if is_same else replace(changed, answers={})

    def answered(self, answers: Iterable[Answer]) -> SavedQuestion:
        """The question with its answers, with all their digits."""
        told = {
            one.quantity.name: f"{one.quantity.unit.from_base(one.base)!r} {one.quantity.unit.text}".strip()
            for one in answers
            if one.base is not None
        }
        return replace(self, answers=told)

    def text(self, folder: Path) -> str:
        """The file, with paths relative to a folder."""

        def near(path: str) -> str:
            return Path(os.path.relpath(path, folder)).as_posix()

        lists = {"target": self.target, "with": self.profiles, "each": self.each, "add": [*map(near, self.added)]}
        rows = [f"# {MARK}: a question to ask again with  derive solve --from"]
        rows += [f"{key} = [{', '.join(map(_quoted, held))}]" for key, held in lists.items() if held]
        rows += [f"library = {_quoted(near(self.library))}"] if self.library else []
        for title, table in (("given", self.given), ("answers", self.answers)):
            rows += ["", f"[{title}]", *(f"{_quoted(key)} = {_quoted(text)}" for key, text in table.items())]
        return "\n".join(rows) + "\n"

    def changes(self, answers: Iterable[Answer]) -> Iterator[str]:
        """A sentence for each answer that is no longer what was saved."""
        from derive.presentation.text import headline
        from derive.tolerances import SAME_ROOT
        from quantities.value import read_value

        for answer in answers:
            saved = self.answers.get(answer.quantity.name)
            if saved is None or answer.base is None:
                continue
            if not isclose(read_value(saved).base[1], answer.base, rel_tol=SAME_ROOT):
                yield f"{headline(answer)} now; it was {saved} when the question was saved"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _prove_kind(path: str, key: str, held: Any) -> None:
    """Refuse a key that a saved question does not have, and what is not as it is written."""
    if key not in _KEYS:
        raise click.UsageError(f"{path!r} is no saved question: it has the key {key!r}.")
    texts = [held] if key == "library" else held
    if key in ("given", "answers"):
        texts = list(held.values()) if isinstance(held, dict) else None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise click.UsageError(f"{path!r}: {key!r} is not written as a saved question has it.")
