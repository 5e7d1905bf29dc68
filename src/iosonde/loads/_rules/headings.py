"""What a result is called against what it is: the block size in a heading.

A size in a heading is taken for the load's block size only where it stands beside a word of a load
("4k random write", "bs=64k"), and where the heading names no other size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding

_SIZE = re.compile(r"(?<![\w.])(\d{1,4})\s?([kKmM])(?:i?[bB])?(?![\w/])")
_LOAD = r"(?:rand\w*|seq\w*|read\w*|writ\w*|blocks?|bs|block[ -]size|i/?os?|iops)"
_BESIDE = re.compile(
    rf"(?:{_LOAD}[\s:=,(-]{{1,3}}{_SIZE.pattern})|(?:{_SIZE.pattern}[\s,)-]{{1,3}}{_LOAD}\b)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"strip|chunk|stripe|sector|cluster|extent|file|region|cache|[rw]size|mtu|page",
                    re.IGNORECASE)  # fmt: skip
_SCALE = {"k": (units.KIB, 1000), "m": (units.MIB, 10**6)}


def named_otherwise(case: EvidenceSet) -> Iterator[Finding]:
    """Trials whose heading names another block size than they had."""
    for trial in case.trials:
        size = trial.options.get("bs")
        for heading in dict.fromkeys((trial.heading, trial.job)):
            named = _named(heading) if trial.printed else None
            if named and isinstance(size, int) and size not in named:
                yield _finding(trial, heading, named[0], size)
                break


def _named(heading: str) -> tuple[int, int] | None:
    """The size in a heading, by 1024 and by 1000; None where it is not clear which it is."""
    sizes = {(match[1], match[2].lower()) for match in _SIZE.finditer(heading)}
    if len(sizes) != 1 or _OTHER.search(heading) or not _BESIDE.search(heading):
        return None
    ((count, letter),) = sizes
    if not count.isdecimal() or int(count).bit_count() != 1:
        return None  # 10k and 15k are speeds of drives
    binary, decimal = _SCALE[letter]
    return int(count) * binary, int(count) * decimal


def _finding(trial: TrialEvidence, heading: str, named: int, size: int) -> Finding:
    return Finding(
        rule="heading-mismatch",
        severity="warning",
        subject=trial.label,
        message=f"It is called “{heading}”, but its blocks were of {units.show_bytes(size)}, not "
        f"of {units.show_bytes(named)}: either the heading or the output is another's.",
        evidence=(
            Evidence("block size in the heading", named, "B", trial.where),
            Evidence("block size of the load", size, "B", trial.where),
        ),
        remedy="Find out which of them is right before the figures are compared with others of "
        "that name.",
        confirm="the command line that was run",
    )


RULES = (
    Rule("heading-mismatch", "all loads", "Results whose heading or name tells another block size "
         "than they had.", "the tool's own options", named_otherwise),
)  # fmt: skip
