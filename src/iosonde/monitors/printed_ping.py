"""ping: sizes, replies, packets lost and round-trip times of a host.

Source: iputils 20240117, ping/ping_common.c, finish() ("rtt min/avg/max/mdev") and ping/ping.c,
pr_icmph() (what others answer, as "Frag needed and DF set (mtu = 1500)"); FreeBSD sbin/ping and
macOS ("round-trip min/avg/max/stddev"); busybox (without the deviation).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(
    r"\s*PING (?P<name>\S{1,120}?) ?\((?P<address>[\da-fA-F:.]{3,45})\):? (?:.{0,80}?(?<!\S)"
    r"(?P<payload>\d{1,6})(?:\((?P<packet>\d{1,6})\))? (?:data )?bytes)?"
)
_HEAD_6 = re.compile(
    r"\s*PING6?\(?.{0,120}?(?P<name>[\da-fA-F:.]{3,45})\)?(?: |:)\d* ?(?:data )?bytes"
)
_REPLY = re.compile(
    r"\s*(?:\[\d{1,12}\.\d{1,9}\] )?(?P<bytes>\d{1,6}) bytes from .{3,160}?[: ]"
    r"(?:icmp_)?seq=(?P<sequence>\d{1,9}) (?:.{0,40}?(?:ttl|hlim)=(?P<ttl>\d{1,3})\b)?"
    r".*?time[=<](?P<ms>\d+(?:\.\d+)?) ?ms"
)
_ANSWER = re.compile(
    r"\s*(?:From \S{1,160}(?: \(\S{1,60}\))?:? icmp_seq[= ]\d{1,9} \S"
    r"|Request timeout for icmp_seq |no answer yet for icmp_seq="
    r"|ping6?: (?:local error: |sendmsg: |sendto: )"
    r"|\d{1,6} bytes from .{3,160}?: (?:Destination|Time to live|frag needed))"
)
_MTU = re.compile(r"(?:[Mm]essage too long, mtu[=:] ?|Frag needed and DF set \(mtu = )(\d{1,6})")
_TITLE = re.compile(r"\s*--- .{1,120} ping6? statistics ---\s*$")
_SENT = re.compile(
    r"\s*(?P<sent>\d{1,9}) packets transmitted, (?P<received>\d{1,9}) (?:packets )?received,"
    r"(?: \+?(?P<duplicates>\d{1,9}) duplicates,)?(?: \+(?P<corrupted>\d{1,9}) corrupted,)?"
    r"(?: \+(?P<errors>\d{1,9}) errors,)?"
    r".{0,60}?(?P<loss>\d{1,3}(?:\.\d+)?)% packet loss(?:, time (?P<ms>\d{1,12}) ?ms)?"
)
_TIMES = re.compile(
    r"\s*(?:rtt|round-trip) min/avg/max(?:/\w+)? = (?P<least>[\d.]+)/(?P<mean>[\d.]+)/"
    r"(?P<most>[\d.]+)(?:/(?P<deviation>[\d.]+))? ms(?:, pipe (?P<pipe>\d{1,6}))?"
    r"(?:, ipg/ewma (?P<gap>\d{1,9}\.\d{1,6})/(?P<recent>\d{1,9}\.\d{1,6}) ms)?"
)
_PIPE = re.compile(r"\s*pipe (?P<pipe>\d{1,6})\s*$")
_APART = 6
_MOST = 2000


class Ping(StateOutput):
    tool = "ping"
    anchors = ("PING ", "seq=", "packets transmitted,")
    commands = ("ping", "ping6")
    nothing = "no reply and no sum follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if any(form.match(line) for form in (_HEAD, _HEAD_6, _REPLY, _SENT)):
            return cursor.at
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        run, last = _Run(), first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _APART:
                break
            if head := _HEAD.match(line) or _HEAD_6.match(line):
                if run.name or run.replies:
                    break
                run.name = head["name"]
                run.values |= _of_head(head.groupdict())
                last = index
            elif run.take(line):
                last = index
                if run.is_ended:
                    break
        values = run.whole()
        if values.keys() <= {"address", "payload", "packet_size"}:
            return last, []
        return last, [self.counted("link", run.name, values, prompt)]


@dataclass
class _Run:
    """One run as far as it was read."""

    name: str = ""
    values: dict[str, Json] = field(default_factory=dict)
    replies: list[re.Match[str]] = field(default_factory=list)
    answers: list[Json] = field(default_factory=list)
    is_ended: bool = False

    def take(self, line: str) -> bool:
        """Whether a line is of the run and no head."""
        if reply := _REPLY.match(line):
            self.replies.append(reply)
        elif sent := _SENT.match(line):
            self.values |= _of_sum(sent)
        elif total := _TIMES.match(line) or _PIPE.match(line):
            self.values |= _of_times(total.groupdict())
            self.is_ended = True
        elif _ANSWER.match(line):
            self.answers.append(line.strip())
            if mtu := _MTU.search(line):
                self.values["mtu"] = int(mtu[1])
        else:
            return _TITLE.match(line) is not None
        return True

    def whole(self) -> dict[str, Json]:
        """All that was read."""
        answers: dict[str, Json] = {"answers": self.answers} if self.answers else {}
        return self.values | _of_replies(self.replies) | answers


def _of_head(parts: Mapping[str, str | None]) -> dict[str, Json]:
    """The address, and the bytes of a request without and with its headers."""
    values: dict[str, Json] = {}
    if parts.get("address"):
        values["address"] = parts["address"]
    for key, name in (("payload", "payload"), ("packet", "packet_size")):
        if size := parts.get(key):
            values[name] = int(size)
    return values


def _of_replies(replies: list[re.Match[str]]) -> dict[str, Json]:
    """Round trips, sequence numbers, and sizes and times to live: once where all are alike."""
    values: dict[str, Json] = {}
    if not replies:
        return values
    values["round_trips"] = [float(reply["ms"]) / 1e3 for reply in replies]
    values["sequence"] = [int(reply["sequence"]) for reply in replies]
    for key, name in (("bytes", "reply_size"), ("ttl", "ttl")):
        each = [int(reply[key]) if reply[key] else None for reply in replies]
        if any(each):
            values[name] = each[0] if len(set(each)) == 1 else list[Json](each)
    return values


def _of_sum(sent: re.Match[str]) -> dict[str, Json]:
    """Packets by what became of them, and the seconds that all took."""
    counts = ("sent", "received", "duplicates", "corrupted", "errors")
    values: dict[str, Json] = {name: int(sent[name]) for name in counts if sent[name]}
    values["loss"] = float(sent["loss"]) / 100
    if sent["ms"]:
        values["seconds"] = int(sent["ms"]) / 1e3
    return values


def _of_times(total: Mapping[str, str | None]) -> dict[str, Json]:
    """Round-trip times; of a flood also the time between packets and the moving average."""
    values: dict[str, Json] = {
        f"round_trip.{name}": float(text) / 1e3
        for name in ("least", "mean", "most", "deviation")
        if (text := total.get(name))
    }
    if pipe := total["pipe"]:
        values["pipe"] = int(pipe)
    if (gap := total.get("gap")) and (recent := total.get("recent")):
        values["packet_gap"] = float(gap) / 1e3
        values["round_trip.moving_average"] = float(recent) / 1e3
    return values
