"""Failures that the author of a text brought about or mended: these are no faults of a host.

A command that takes a part away stands above the output that shows it missing, or a sentence says
that a failure is simulated. Where the same text shows other trouble (errors of a drive), a part is
taken away because of that, and where it was missing before, the command is not why. A file system
that is full is enlarged further down.

Source: mdadm(8), --fail; drbdadm(8), disconnect, down, detach; zpool-offline(8); systemctl(1);
ceph(8), osd down and out; Linux drivers/scsi/scsi_sysfs.c (device/delete, device/state);
resize2fs(8); xfs_growfs(8); lvextend(8); btrfs-filesystem(8), resize.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iosonde.kerneltext import fields
from iosonde.printed_names import device_key
from iosonde.records.evidence import CommandEvidence, EvidenceSet, StateEvidence, place_of
from iosonde.records.finding import Finding

_LINE = 400  # characters that are looked at
_NEAR = 30  # lines below a sentence in which what it speaks of is shown
_SHOWN = 70
_TRIED = "It was brought about to try this out, as the text says above."
_ARRAY = r"(?:/dev/)?(?:md/)?(?P<name>md\w{1,40}|(?<=/dev/md/)[\w.:-]{1,60})"
_COMMANDS = (
    re.compile(rf"\bmdadm\s(?:[^|;&#]{{0,60}}\s)?{_ARRAY}\s[^|;&#]{{0,60}}"
               r"(?:--fail|--set-faulty|-f)\b"),
    re.compile(rf"\bmdadm\s(?:--manage\s+)?(?:--fail|--set-faulty|-f)\s+{_ARRAY}\b"),
    re.compile(r"\bdrbdadm\s+(?:disconnect|down|detach|invalidate(?:-remote)?)\s+"
               r"(?P<name>[\w.-]{1,60})"),
    re.compile(r"\bzpool\s+offline\s+(?:-\w\s+)?(?P<name>[\w.:-]{1,60})\s"),
    re.compile(r"\b(?:systemctl|service)\s+(?:stop\s+)?(?:ceph-osd|glusterd|glusterfsd)\S{0,20}"
               r"(?<!\.conf)(?:\s+stop)?"),
    re.compile(r"\bceph\s+(?:osd\s+(?:down|out|stop)|orch\s+daemon\s+stop)\s+(?:osd\.)?\d"),
    re.compile(r"\b(?:pkill|killall)\s[^|;&#]{0,40}(?:ceph-osd|glusterfsd?)\b"),
    re.compile(r">\s{0,3}/sys/(?:block|class/block)/\w{1,20}/device/(?:delete|state)\b"),
)  # fmt: skip
_ENLARGED = re.compile(
    r"\b(?:resize2fs|xfs_growfs|lvextend|lvresize|btrfs\s+fi\w{0,8}\s+resize)\s"
    r"(?:[^|;&#\n]{0,80}\s)?(?P<name>/[\w./-]{0,100})"
)
_FILLS = re.compile(
    r"\b(?:dd\s[^|;&#]{0,60}if=/dev/(?:zero|u?random)\s[^|;&#]{0,60}of=|fallocate\s[^|;&#/]{0,40})"
    r"(?P<name>/[^\s|;&#'\"]{1,200})"
)
_PARTS = (
    "mdadm", "drbdadm", "zpool", "ceph", "gluster", "/device/", "resize", "xfs_growfs", "lvextend",
    "if=/dev/", "fallocate", "mul", "retend", "митир", "мулир", "模拟", "模擬", "シミュレ",
)  # fmt: skip
"""One of these is in each line that is sought, whose case does not matter; few lines have any."""
_STOPS = re.compile(r"\bstop\b|^(?!.*\b(?:systemctl|service)\b)")
_ASSEMBLES = re.compile(r"\s(?:-A|-C|-D\w?|-E|--assemble|--create|--detail|--examine|--build)\b")
_SAID = re.compile(
    r"(?i:\b(?:(?:re)?simul(?!tan)\w{2,8}|emulat\w{1,6}|pretend\w{0,4})\b"
    r"|имитир|симулир|эмулир|模拟|模擬|シミュレ)"
)
_FAILURE = re.compile(
    r"(?i:fail|fault|broken|breaks?\b|crash|loss|lost|losing|outage|corrupt|full\b|exhaust|overflow"
    r"|unplug|pull|degraded|health|ausfall|defekt|falla|fallo|panne|сбо|отказ|повре|故障|损坏|坏|失"
    r"|health|障害)"
)
_MAY_BE = frozenset({
    "checksum-errors", "cleared-errors", "damaged-files", "degraded", "fault", "filesystem-errors",
    "failed-paths", "heal-pending", "lost-peer", "member-failed", "out-of-space", "split-brain",
})  # fmt: skip
"""Rules of what a demonstration brings about."""
_BY_COMMAND = frozenset({"degraded", "heal-pending", "lost-peer", "member-failed", "split-brain"})
_TROUBLE = frozenset(
    {"device-resets", "drive-failing", "drive-failed", "io-errors", "media-errors"}
)
"""Rules of why somebody takes a part away that fails by itself."""
_DOWN = frozenset({"DEGRADED", "FAULTED", "UNAVAIL", "StandAlone", "WFConnection"})


def staged_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Index and text of each command that takes a part away or enlarges, and of what says so."""
    for index, whole in enumerate(lines):
        line = whole[:_LINE]
        folded = line.casefold()
        if any(word in folded for word in _PARTS) and _is_staged(line):
            yield index, " ".join(fields(line.strip(" \t#>*-`|")))


def _is_staged(line: str) -> bool:
    return bool(
        _command(line)
        or _ENLARGED.search(line)
        or _FILLS.search(line)
        or (_SAID.search(line) and _FAILURE.search(line))
    )


def _command(line: str) -> re.Match[str] | None:
    if "mdadm" in line and _ASSEMBLES.search(line):
        return None
    for pattern in _COMMANDS:
        if (match := pattern.search(line)) and _STOPS.search(match[0]):
            return match
    return None


def without_blame(case: EvidenceSet, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, those of what was brought about on purpose as notes that say so."""
    if not case.staged:
        return list(findings)
    troubled = {
        _source_of(finding) for finding in findings
        if finding.rule in _TROUBLE and finding.severity == "error"
    }  # fmt: skip
    return [
        finding if _source_of(finding) in troubled else _as_staged(case, finding)
        for finding in findings
    ]


def _as_staged(case: EvidenceSet, finding: Finding) -> Finding:
    source, line = place_of(finding.evidence[0].where) if finding.evidence else ("", 0)
    if finding.severity == "note" or finding.rule not in _MAY_BE or not line:
        return finding
    for asked in reversed(case.staged):
        file, at = place_of(asked.where)
        if file == source and (why := _reason(case, finding, asked, line - at)):
            return replace(finding, severity="note", message=f"{finding.message} {why}")
    return finding


def _reason(case: EvidenceSet, finding: Finding, asked: CommandEvidence, below: int) -> str:
    """What a command or a sentence has to do with a finding; empty: nothing.

    Args:
        case: of both.
        finding: about something that failed.
        asked: one of the case's staged ones.
        below: lines by which the finding's output stands further down.
    """
    if grown := _ENLARGED.search(asked.command):
        is_mended = below < 0 and _is_enlarged(finding, grown["name"])
        return f"`{grown[0].strip()[:_SHOWN]}` below enlarges it." if is_mended else ""
    if below < 0:
        return ""
    if filled := _FILLS.search(asked.command):
        is_full = finding.rule == "out-of-space" and _is_within(filled["name"], finding)
        return f"`{filled[0][:_SHOWN]}` above fills it." if is_full else ""
    if taken := _command(asked.command):
        name = taken.groupdict().get("name") or ""
        if finding.rule in _BY_COMMAND and _is_of(case, finding, name, asked):
            return f"`{taken[0].strip()[:_SHOWN]}` above brought it about."
        return ""
    return _TRIED if below <= _NEAR else ""


def _is_of(case: EvidenceSet, finding: Finding, name: str, asked: CommandEvidence) -> bool:
    """Whether a command is about what a finding is about, and nothing was missing there before."""
    if name and name != "all" and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ".join(
        (finding.subject, finding.message))):  # fmt: skip
        return False
    at = place_of(asked.where)[1]
    return not any(
        state.source == asked.source and place_of(state.where)[1] < at
        and (not name or state.name in {name, f"/dev/{name}"}) and _is_down(state)
        for state in case.states
    )  # fmt: skip


def _is_within(path: str, finding: Finding) -> bool:
    """Whether a file lies on what a finding says to be full, which is not the root."""
    place = finding.subject.rpartition(": ")[2].rstrip("/")
    return place.startswith("/") and path.startswith(f"{place}/")


def _is_enlarged(finding: Finding, name: str) -> bool:
    """Whether a volume or a place is what a finding says to be full."""
    if finding.rule != "out-of-space":
        return False
    places = {str(figure.value) for figure in finding.evidence} | {finding.subject}
    places |= {place.partition(": ")[2] for place in places}
    alike = {
        device_key(place.rstrip("/")) for place in places if place.startswith(("/", "mapper/"))
    }
    return device_key(name.rstrip("/")) in alike


def _is_down(state: StateEvidence) -> bool:
    return bool(state.number("degraded")) or bool(
        _DOWN & {str(state.values.get(name)) for name in ("state", "connection")}
    )


def _source_of(finding: Finding) -> str:
    return place_of(finding.evidence[0].where)[0] if finding.evidence else ""
