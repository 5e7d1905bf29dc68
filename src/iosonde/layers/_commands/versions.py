"""How tools say which version they are, which the row of their technology tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

V = r"(?P<version>\d{1,5}(?:\.\d{1,5}){1,3}[\w.+~()/-]{0,40})"
"""A version as most tools print it."""


@dataclass(frozen=True, slots=True)
class PackageVersion:
    """The lines with the versions of a package, each a line as a whole.

    Args:
        forms: name of a value → pattern of its line, whose group `version` is the value.
        anchors: words of which each such line has one.
        commands: that print them.
        heads: what stands below where the version is the first line of another output, which
            keeps it.
        also: name of a further value → the version within it.
        below: a value's name, and the pattern of a line below that is the value.
    """

    forms: Mapping[str, str]
    anchors: tuple[str, ...]
    commands: tuple[str, ...]
    heads: re.Pattern[str] | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    below: tuple[str, re.Pattern[str]] | None = None
