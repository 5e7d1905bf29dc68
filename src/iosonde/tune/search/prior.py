"""What a model holds for the best: where a search begins. It is measured first, and no more.

A prior is the file that `iosonde predict --search --prior FILE` writes (`iosonde.prior/1`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import limits, units
from iosonde.errors import UsageError
from iosonde.exact import from_json
from iosonde.inputs import read_input

if TYPE_CHECKING:
    from iosonde.records.stack import Scalar
    from iosonde.tune.search.space import Candidate, Space

FEW = 3
"""Candidates that a search looks at before its own order."""


def read_prior(file: Path) -> list[dict[str, str]]:
    """Settings in the order of a prior, the most promising first.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    try:
        document = from_json(read_input(file, limits.JSON_FILE, what="a prior"))
        if document["schema"] != "iosonde.prior/1":
            raise KeyError("schema")
        return [dict(row["settings"]) for row in document["ranking"]]
    except (ValueError, KeyError, TypeError):
        raise UsageError(
            "this is not a prior", where=str(file),
            hint="`iosonde predict --search --prior FILE` writes one",
        ) from None  # fmt: skip


def with_prior(space: Space, prior: list[dict[str, str]], few: int = FEW) -> Space:
    """The space, with the most promising of its candidates to be looked at first.

    Settings of the prior that the space does not vary count for nothing; candidates that may not
    be tried are left out.
    """
    hopeful: list[Candidate] = []
    for settings in prior:
        candidate = _candidate(space, settings)
        if (
            candidate
            and candidate not in hopeful
            and candidate != space.baseline
            and space.allows(candidate)
        ):
            hopeful.append(candidate)
        if len(hopeful) == few:
            break
    return replace(space, hopeful=tuple(hopeful))


def _candidate(space: Space, settings: dict[str, str]) -> Candidate | None:
    """The candidate of some settings; what they do not name stays as it is in force."""
    if not {setting.name for setting in space.vary} & set(settings):
        return None
    chosen = []
    for vary in space.vary:
        text = settings.get(vary.name)
        wanted = vary.default if text is None else text
        places = [at for at, value in enumerate(vary.values) if _same(value, wanted)]
        if not places:
            return None
        chosen.append(places[0])
    return tuple(chosen)


def _same(value: Scalar, other: Scalar) -> bool:
    """Whether both mean the same value: as texts, or as sizes."""
    first, another = str(value).strip().lower(), str(other).strip().lower()
    if first == another:
        return True
    try:
        return units.parse_bytes(first) == units.parse_bytes(another)
    except UsageError:
        return False
