"""A page in Chromium: it is set by its address, and says what it shows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from derive.pages.page import unpacked

_PATIENCE = 15_000  # milliseconds that an act may take on a busy machine

_SHOWN = """() => {
  const at = (id) => document.getElementById(id), texts = (id) => [...at(id).children].map((one) => one.textContent);
  return {
    number: Number(at("number").dataset.value), solve: at("unknown").value, why: at("why").textContent,
    failed: [...at("failed").children].filter((one) => one.dataset.check).map((one) => one.dataset.check),
    verdicts: texts("failed"), notes: texts("cautions"), address: location.hash.slice(1),
    regime: Object.fromEntries([...at("regime").children].map((one) => [one.dataset.relation, one.dataset.arm])),
  };
}"""

_AT_EACH = f"""async (addresses) => {{
  const shown = {_SHOWN}, found = [];
  for (const address of addresses) {{
    const done = new Promise((resolve) => addEventListener("hashchange", () => setTimeout(resolve, 0), {{once: true}}));
    if (location.hash.slice(1) !== address) {{ location.hash = address; await done; }}
    found.push(shown());
  }}
  return found;
}}"""


def data_of(text: str) -> dict[str, Any]:
    """The data of a page's text."""
    found = re.search(r'id="packed">([^<]*)<', text)
    assert found is not None
    script = unpacked(found[1])
    made: dict[str, Any] = json.loads(script[script.index("{data: ") + 7 : script.index(",\nkernels: ")])
    return made


@dataclass
class Shown:
    """What a tab of a browser shows. All tests share one, because opening one costs more than most tests."""

    tab: Any
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tab.set_default_timeout(_PATIENCE)
        self.tab.on("console", lambda message: self.complaints.append(message.text))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))

    def opened(
        self, path: Path, address: str = "", *, scheme: str = "light", width: int = 1280, height: int = 780
    ) -> Shown:
        """A page loaded anew, with nothing left of what was there before."""
        self.tab.goto("about:blank")  # otherwise an address of the same page would only change its state
        self.tab.emulate_media(color_scheme=scheme)
        self.tab.set_viewport_size({"width": width, "height": height})
        self.complaints.clear()
        self.tab.goto(f"{path.as_uri()}#{address}" if address else path.as_uri())
        self.tab.wait_for_selector("html[data-ready]", state="attached")
        return self

    @property
    def now(self) -> dict[str, Any]:
        found: dict[str, Any] = self.tab.evaluate(_SHOWN)
        return found

    def at_each(self, addresses: Sequence[str]) -> list[dict[str, Any]]:
        """What the page shows at each address."""
        found: list[dict[str, Any]] = self.tab.evaluate(_AT_EACH, list(addresses))
        return found


def address(
    solve: str = "", values: Mapping[str, float] | None = None, chosen: Sequence[str] = (), held: str = ""
) -> str:
    """The address of a setting."""
    parts = [f"~{key}={quote(name)}" for key, name in (("held", held), ("solve", solve)) if name]
    parts += [f"~with{i}={quote(name)}" for i, name in enumerate(chosen)]
    return "&".join([*parts, *(f"{quote(name)}={number!r}" for name, number in (values or {}).items())])
