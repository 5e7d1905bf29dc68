"""Messages of Ceph's daemons about requests that wait, of the cluster's log and of their own.

Source: Ceph 0.94 to 18: osd/OpRequest.cc and common/TrackedOp.cc ("slow request %f seconds old,
received at", since 14 "slow request %s initiated %s currently %s"; "%d slow requests, %d included
below; oldest blocked for > %f secs"), osd/OSD.cc, get_health_metrics()
("reporting %d slow ops, oldest is"), mon/HealthMonitor.cc ("Health check
failed|update: … (CODE)", "Health check cleared: CODE (was: …)"), mon/health_check.h; mon/PGMap.cc
("%d slow ops, oldest one blocked for %d sec, daemons [%s] have slow ops."; "%d slow requests are
blocked > %d sec"); os/bluestore/BlueStore.cc, log_latency_fn() ("slow operation observed for");
common/HeartbeatMap.cc ("'%s' had timed out after %d"); osd/OSD.cc, heartbeat_check().
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from iosonde.records.stack import Json

_DAEMON = r"(?:osd|mon|mds|mgr)\.[\w.-]{1,60}"
_CHECK = r"Health check (?:failed|update): "
FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("slow_checks", re.compile(
        rf"(?:{_CHECK})?(?P<most>\d{{1,9}}) slow ops, oldest one blocked for "
        rf"(?P<seconds>\d{{1,9}}) sec(?:, (?:daemons \[(?P<listed>[\w.,-]{{3,900}})\]"
        rf"|(?P<daemon>{_DAEMON})) (?:have|has) slow ops)?")),
    ("slow_checks", re.compile(
        rf"(?:{_CHECK})?(?P<most>\d{{1,9}}) slow requests are blocked > (?P<least>\d{{1,6}}) sec"
        r"(?:\. Implicated osds (?P<numbers>[\d,]{1,600}))?")),
    ("cleared_slow_checks", re.compile(
        r"Health check cleared: (?:SLOW_OPS|REQUEST_SLOW|REQUEST_STUCK)\b")),
    ("failed_checks", re.compile(rf"{_CHECK}.{{2,600}}\((?P<code>[A-Z][A-Z_]{{3,50}})\)$")),
    ("cleared_checks", re.compile(r"Health check cleared: (?P<code>[A-Z][A-Z_]{3,50})\b")),
    ("slow_sums", re.compile(
        r"(?P<most>\d{1,9}) slow requests, \d{1,6} included below; oldest blocked for > "
        r"(?P<seconds>\d{1,9}(?:\.\d{1,9})?) secs")),
    ("slow_requests", re.compile(
        r"slow request (?P<seconds>\d{1,9}(?:\.\d{1,9})?) seconds old, received at ")),
    ("slow_requests", re.compile(
        r"slow request (?P<operation>\w{3,30})\([^)]{1,300}\) initiated ")),
    ("slow_metrics", re.compile(
        rf"(?:(?P<daemon>{_DAEMON}) \d{{1,12}} )?get_health_metrics reporting (?P<most>\d{{1,9}}) "
        r"slow ops, oldest is ")),
    ("slow_operations", re.compile(
        r"(?:bluestore\([^)]{1,160}\) )?log_latency(?:_fn)? slow operation observed for "
        r"(?P<operation>\w{2,60}), latency = (?P<seconds>\d{1,9}(?:\.\d{1,12})?)s")),
    ("missing_heartbeats", re.compile(
        rf"(?:(?P<daemon>{_DAEMON}) \d{{1,12}} )?heartbeat_check: no reply from "
        rf"(?P<peer>\S{{3,120}})(?: (?P<silent>{_DAEMON}))? (?:since|ever)\b")),
    ("timed_out_threads", re.compile(
        r"heartbeat_map (?:is_healthy|reset_timeout|clear_timeout) '(?P<thread>[\w:. ]{3,90})' had "
        r"timed out after (?P<limit>\d{1,9})")),
)  # fmt: skip
"""What a message counts, and what it begins with."""
SLOW = frozenset({
    "slow_checks", "slow_sums", "slow_requests", "slow_metrics", "slow_operations",
})  # fmt: skip


@dataclass(slots=True)
class SlowOps:
    """What messages say of requests that waited."""

    messages: int = 0
    most: int = 0
    """Requests that waited at once, by the message that counts the most."""
    seconds: float = 0.0
    """How long the oldest waited, by the message that names the longest."""
    daemons: list[str] = field(default_factory=list)
    is_cleared: bool = False
    """Whether the last message is that the check is cleared."""

    def add(self, counter: str, match: re.Match[str]) -> None:
        """Count a message, in the order of the log."""
        if counter == "cleared_slow_checks":
            self.is_cleared = self.messages > 0
        if counter not in SLOW:
            return
        groups = match.groupdict()
        self.messages += 1
        self.is_cleared = False
        self.most = max(self.most, int(groups.get("most") or 1))
        self.seconds = max(self.seconds, float(groups.get("seconds") or groups.get("least") or 0))
        names = [groups.get("daemon") or "", *(groups.get("listed") or "").split(",")]
        names += [f"osd.{number}" for number in (groups.get("numbers") or "").split(",") if number]
        self.daemons += [name for name in names if name and name not in self.daemons]

    def values(self) -> dict[str, Json]:
        """The figures, as counters of a log have them; none where no message is of such requests.

        `longest_wait` is in seconds.
        """
        if not self.messages:
            return {}
        values: dict[str, Json] = {"most_slow_ops": self.most, "is_cleared": self.is_cleared}
        if self.seconds:
            values["longest_wait"] = self.seconds
        if self.daemons:
            values["slow_daemons"] = [*self.daemons]
        return values


def event_of(text: str) -> tuple[str, re.Match[str]] | None:
    """What a message counts; None where it is none of these."""
    for counter, form in FORMS:
        if match := form.match(text):
            return counter, match
    return None


def slow_ops(texts: Iterable[str]) -> SlowOps:
    """What all messages together say, in their order."""
    slow = SlowOps()
    for text in texts:
        if event := event_of(text):
            slow.add(*event)
    return slow
