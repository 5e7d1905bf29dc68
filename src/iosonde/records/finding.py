"""A diagnosis and the figures that it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field

from iosonde.contract import NULL
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class Evidence:
    """One figure a finding rests on, and where it was read."""

    what: str
    value: Scalar
    unit: str
    where: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosis."""

    rule: str
    severity: str = field(metadata={"schema": {"enum": ["error", "warning", "note"]}})
    subject: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    remedy: str = field(default="", metadata=NULL)
    confirm: str = field(default="", metadata=NULL)
