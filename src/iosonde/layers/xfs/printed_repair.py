"""xfs_repair: how far it came, what it stopped at, and what it counted otherwise than was written.

Source: xfsprogs 6.1, repair/xfs_repair.c ("Phase %d - …", "done"), repair/phase2.c (the log that
must be replayed), repair/sb.c, libxfs/util.c and repair/globals.c (do_error: "fatal error -- %s");
repair/scan.c and phase5.c ("agf_freeblks %u, counted %u in ag %u", "sb_fdblocks %lu, counted %lu"),
phase6.c and phase7.c ("disconnected inode %lu, moving to lost+found", "resetting inode %lu nlinks
from %u to %u"); with -n "would have …", "No modify flag set"; phase1.c, no_sb() and xfs_repair.c:
what it ends with where it cannot go on; with -v what repair_figures.py reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.xfs.repair_figures import is_figure, repair_figures, sentences
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, groups_of

_PHASE = re.compile(
    r"\s*Phase ([1-7]) - "
    r"(using external log on /\S{1,160}|[a-z][\w ,'()-]{3,80}?)(?:\.\.\.)?\s*$"
)
_OWN = re.compile(
    r"\s*(?:- |Phase \d|done\b|ERROR: |fatal error|superblock read failed|bad |resetting |clearing "
    r"|rebuilding |found |correcting |Metadata |Inode |entry |attempting |Log |Maximum |destroy"
    r"|Sorry, could|Exiting now|Cannot proceed|Inode allocation btrees|Found unsupported"
    r"|\.{3,}|be replayed|re-running|the -L option|Note that|of the filesystem|reinitializing )"
)
_DONE = re.compile(r"\s*done\s*$")
_READ = re.compile(
    r"superblock read failed, offset (?P<offset>\d{1,19}), size \d{1,12}, ag (?P<ag>\d{1,9})"
)
_FATAL = re.compile(r"fatal error -- ([A-Z][\w' /,()-]{2,120})")
_ENDS = re.compile(
    r"Sorry, could not find valid secondary superblock|Cannot proceed further in no_modify mode"
    r"|Found unsupported filesystem features|Inode allocation btrees are too corrupted, skipping "
    r"phases 6 and 7"
)
_LOG = "The filesystem has valuable metadata changes in a log which needs to be replayed"
_N = r"\d{1,19}"
_COUNTED = re.compile(
    rf"\b(?P<problem>(?:ag[fi]|sb)_[a-z]{{3,12}}) (?P<said>{_N}), counted (?P<counted>{_N})"
    rf"(?: in ag (?P<group>{_N}))?"
)
_LINKS = re.compile(
    rf"(?:resetting|would have reset) inode (?P<inode>{_N}) nlinks from (?P<said>{_N}) "
    rf"to (?P<counted>{_N})"
)
_PROBLEMS = (
    ("disconnected_inodes",
     re.compile(r"\bdisconnected (?:dir )?inode \d{1,19}, (?:would move|moving)")),
    ("cleared_inodes", re.compile(r"\b(?:cleared|would have cleared) inode \d{1,19}")),
    ("metadata_checksum_errors", re.compile(r"\bMetadata CRC error detected at ")),
    ("corrupt_metadata", re.compile(r"\bMetadata corruption detected at ")),
    ("multiply_claimed", re.compile(r"\bmultiply claimed by ")),
    ("inode_map_errors", re.compile(r"\bimap claims ")),
)  # fmt: skip
_NO_MODIFY = re.compile(r"\bNo modify flag set")
_KEPT = 1000
_DEVICE = re.compile(r"xfs_repair\s+(?:-\S+ )*(?:/dev/)?(?P<name>[\w/.-]+)\s*$")


class XfsRepair(StateOutput):
    tool = "xfs_repair"
    anchors = ("Phase 1 - find", "Phase 2 - ")
    commands = ("xfs_repair",)
    reach = 3
    beginning = _PHASE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values = first, dict[str, Scalar]()
        reached, texts = _last_phase(cursor, first), list[str]()
        for index, line in lines(cursor, first, _MOST):
            if not line:
                continue
            own = index <= reached or (index <= last + 4 and _is_own(line))
            if not own or prompt_in(line):
                break
            if phase := _PHASE.match(line):
                values["repair_phase"] = f"Phase {phase[1]} - {phase[2]}"
            last = index
            texts.append(line)
            if _DONE.match(line):
                values["repaired"] = True
                break
        whole = " ".join(" ".join(texts).split())
        values |= dict(_stopped(flow(cursor, first, last)))
        if _NO_MODIFY.search(whole):
            values["no_modify"] = True
        device = _DEVICE.search(prompt.command)
        name = device["name"] if device else ""
        items: list[PrintedSubject | PrintedCounters] = [
            PrintedSubject("xfs", name, values, prompt.host)
        ]
        others = [line for line in texts if not (_COUNTED.search(line) or _LINKS.search(line))]
        counts = {**dict(_problems(whole)), **repair_figures(texts), **sentences(others)}
        if counts:
            items.append(self.counted("xfs", name, counts, prompt))
        return last, items


_MOST = 20000


def _stopped(text: str) -> Iterator[tuple[str, Scalar]]:
    """What it stopped at."""
    if read := _READ.search(text):
        yield "failed_offset", int(read["offset"])
        yield "failed_group", int(read["ag"])
    if fatal := _FATAL.search(text):
        yield "repair_error", fatal[1].strip()
    elif _LOG in text:
        yield "repair_error", _LOG
    elif ended := _ENDS.search(text):
        yield "repair_error", ended[0]


def _is_own(line: str) -> bool:
    forms = (_COUNTED, _LINKS, _NO_MODIFY, *(form for _, form in _PROBLEMS))
    return bool(_OWN.match(line)) or is_figure(line) or any(form.search(line) for form in forms)


def _last_phase(cursor: TextCursor, first: int) -> int:
    """Index of the last phase that follows one with a smaller number, whatever stands between."""
    reached, number, blank = first, 0, 0
    for index, line in lines(cursor, first, _MOST):
        blank = 0 if line else blank + 1
        if blank > 3 or (line and index > first and prompt_in(line)):
            break
        phase = _PHASE.match(line)
        if phase and int(phase[1]) <= number:
            break
        if phase:
            reached, number = index, int(phase[1])
    return reached


def _problems(text: str) -> Iterator[tuple[str, Json]]:
    """How many problems of a sort there are, and each figure that was counted otherwise."""
    rows: list[Json] = [{**groups_of(match)} for match in _COUNTED.finditer(text)]
    rows += [{"problem": "nlinks", **groups_of(match)} for match in _LINKS.finditer(text)]
    if rows:
        yield "wrong_figures", len(rows)
        yield "figures", rows[:_KEPT]
    for name, form in _PROBLEMS:
        if count := sum(1 for _ in form.finditer(text)):
            yield name, count
