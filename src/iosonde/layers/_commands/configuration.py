"""Files of settings with a reader of their own, whose names and variables may be misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class ShellVariables:
    """Variables of a shell that configure a technology.

    Args:
        anchors: words of which each such line has one.
        line: the whole of one, with the groups `name` and `value`.
        names: those that are known.
        unknown: what is said of any other.
        cost: of having them read again, behind how that is done.
        subject: name and value of one → of what else it is a setting; None of nothing.
        confirm: name → how it is seen in force.
    """

    anchors: tuple[str, ...]
    line: re.Pattern[str]
    names: tuple[str, ...]
    unknown: str
    cost: str
    subject: Callable[[str, Scalar], PrintedSubject | None]
    confirm: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of settings, which has one of several names.

    Args:
        files: paths by which it is read.
        reader: what reads it.
        renewed_by: what makes the reader read it again.
        confirm: how its values are seen in force.
        variables: that stand in it; None: settings of the kernel.
    """

    files: tuple[str, ...]
    reader: str
    renewed_by: str
    confirm: str = ""
    variables: ShellVariables | None = None
