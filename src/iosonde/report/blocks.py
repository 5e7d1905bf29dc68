"""The parts of a page, whatever it is written in, and how values of a campaign stand in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from iosonde import units
from iosonde.records.campaign import Intent, Varied
from iosonde.records.comparison import Outcome
from iosonde.records.finding import Evidence
from iosonde.records.run import Metric
from iosonde.records.stack import Scalar
from iosonde.report.charts import Figure

MOST_SHOWN = 20
"""Rows of a table that are seen at once; the others are folded in."""
_TEXT_COLUMNS = frozenset(
    {"verdict", "note", "reason", "what happened", "why", "candidate", "best so far", "part",
     "what for", "metric", "unit", "setting", "value", "load", "place", "where"}
)  # fmt: skip


class Tone(StrEnum):
    """What a colour says; the word beside it says the same."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    PLAIN = "plain"


TONES = {
    Outcome.BETTER: Tone.GOOD,
    Outcome.WORSE: Tone.BAD,
    Outcome.EQUIVALENT: Tone.PLAIN,
    Outcome.UNDECIDED: Tone.UNSURE,
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A word or two beside a sentence, a chart or a table's cell."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Number:
    """One of the few large figures of a page: `9,780 IOPS`, what it is, how sure it is."""

    figure: str
    label: str
    note: str = ""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class StripLayer:
    """One layer in the strip of a stack; members of the same kind are one, `count` of them."""

    kind: str
    name: str
    notes: tuple[str, ...] = ()
    measured: bool = False
    count: int = 1


@dataclass(frozen=True, slots=True)
class Title:
    """A heading; 2 or 3."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; `kind` is "", "note" (must be seen) or "soft"."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """A table. The first `text_columns` are text, as are notes; `bold` rows are those to see.

    With `folded` it is shown under that title on demand.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str | Badge, ...], ...]
    bold: frozenset[int] = frozenset()
    text_columns: int = 1
    folded: str = ""

    @property
    def left(self) -> frozenset[int]:
        """Columns of words, which begin at the left."""
        named = {at for at, head in enumerate(self.head) if head in _TEXT_COLUMNS}
        return frozenset({*range(self.text_columns), *named})


@dataclass(frozen=True, slots=True)
class Lines:
    """Commands, as they are typed."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Charts side by side."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding with all its places: where they say the same, `said` is one sentence of no place.

    Args:
        said: sentence → the places it is about.
        remedies: what to do, or to confirm, and how.
        evidence: place and figure.
    """

    rule: str
    severity: str
    said: tuple[tuple[str, tuple[str, ...]], ...]
    remedies: tuple[tuple[str, str], ...] = ()
    evidence: tuple[tuple[str, Evidence], ...] = ()


@dataclass(frozen=True, slots=True)
class Problems:
    """What the rules say, the worst first."""

    problems: tuple[Problem, ...]


Block = Title | Text | Cells | Lines | Pictures | Problems


def clock(seconds: float) -> str:
    """Device time, to the second: `48 s`, `3 min 05 s`, `16 h 15 min`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60:02d} s"
    return units.show_seconds(seconds)


def candidate_words(intent: Intent, settings: Mapping[str, Scalar]) -> str:
    """A candidate in words; settings of one value are not told."""
    varied = {setting.name: setting for setting in intent.vary}
    return ", ".join(
        f"{name}={in_words(varied.get(name), value)}"
        for name, value in settings.items()
        if name not in varied or len(varied[name].values) > 1
    )


def show_value(varied: Varied, value: Scalar) -> str:
    """A setting's value with its unit, so that whoever set it knows it again.

    An MTU stays 9000 B; 3389 extents of 4 MiB are 3389 × 4 MiB.
    """
    if value is None:
        return "–"
    if not varied.unit or isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if varied.unit[0].isdigit():
        return f"{value} × {varied.unit}"
    if varied.unit == "B" and value % units.KIB:
        return f"{value} B"
    return units.show(float(value), varied.unit)


def in_words(varied: Varied | None, value: Scalar) -> str:
    """A value of a setting that may be none of the study's."""
    return show_value(varied, value) if varied else str(value)


def half(metric: Metric | None) -> str:
    """Half of the 95 % interval of a mean, as a share of it: `1.2 %`."""
    if metric is None or metric.ci95 is None or not metric.mean:
        return "–"
    share = (metric.ci95[1] - metric.ci95[0]) / 2 / abs(metric.mean)
    return units.show_spread(share).removeprefix("± ")


def interval(bounds: tuple[float, float] | None) -> str:
    """`+1.2 … +3.4 %`; "–" where there is none."""
    return "–" if bounds is None else units.show_changes(*bounds)
