"""Summaries as dictionaries whose keys are attributes as well."""

from __future__ import annotations

import json
from typing import Any


class Summary(dict[str, Any]):
    """A dictionary whose keys are attributes as well: `summary.total.goodput_bps.mean`.
    docs/results.md says what is in it."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            near = ", ".join(self)
            raise AttributeError(f"there is no `{name}`; there are {near}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


def read(text: str) -> Summary:
    """A summary of its JSON."""
    summary: Summary = json.loads(text, object_hook=Summary)
    return summary
