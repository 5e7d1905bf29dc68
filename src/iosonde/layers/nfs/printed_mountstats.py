"""/proc/self/mountstats and the mountstats command: what a client did with an NFS mount.

Source: Linux fs/nfs/super.c, nfs_show_stats(); net/sunrpc/stats.c, rpc_clnt_show_stats() (times in
milliseconds; queue, round trip, execution); nfs-utils 2.6.2, tools/mountstats/mountstats.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers._mounts.options import options_of
from iosonde.layers.nfs.facts import mount_facts
from iosonde.layers.nfs.mount_counts import (
    event_counts,
    flags,
    implementation,
    printed_age,
    printed_events,
    transports,
)
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, command_before, compact, flow, lines, prompt_in
from iosonde.text.reader import groups_of
from iosonde.text.torn import torn_words

_DEVICE = re.compile(
    r"\s*device (?P<source>\S+) mounted on (?P<point>\S+) with fstype (?P<type>\w+)"
    r"(?: statvers=(?P<version>[\d.]+))?\s*$"
)
_STATS = re.compile(r"\s*Stats for (?P<source>\S+) mounted on (?P<point>[^\s:]+):\s*$")
_LABEL = re.compile(
    r"\s*(?:(?P<label>opts|age|impl_id|caps|nfsv4|sec|events|bytes|fsc|xprt):"
    r"|RPC iostats version:|per-op statistics|(?P<op>[A-Z][A-Z_0-9]{1,30}): (?=\d))\s*(?P<rest>.*)$"
)
_PARTS = 80
"""Lines of one label: a transport each, and what a wrap made of them."""
_BYTES = ("normal_read", "normal_written", "direct_read", "direct_written", "server_read",
          "server_written", "pages_read", "pages_written")  # fmt: skip
_OP = ("operations", "transmissions", "timeouts", "bytes_sent", "bytes_received", "queue_time",
       "round_trip_time", "execute_time", "errors")  # fmt: skip
_AMOUNTS = {
    "normal_read": re.compile(r"applicationsread(\d+)bytesviaread\(2\)"),
    "normal_written": re.compile(r"applicationswrote(\d+)bytesviawrite\(2\)"),
    "direct_read": re.compile(r"applicationsread(\d+)bytesviaO_DIRECTread\(2\)"),
    "direct_written": re.compile(r"applicationswrote(\d+)bytesviaO_DIRECTwrite\(2\)"),
    "server_read": re.compile(r"clientread(\d+)bytesviaNFSREAD"),
    "server_written": re.compile(r"clientwrote(\d+)bytesviaNFSWRITE"),
}
_OF_COMMAND = re.compile(
    r"(?P<op>[A-Z][A-Z_0-9]{1,30}):(?P<operations>\d+)ops\((?P<share>\d{1,9})%\)"
    r"(?:(?P<retransmissions>\d{1,18})retrans\(\d{1,9}%\))?"
    r"(?:(?P<timeouts>\d{1,18})majortimeouts)?[^:]{0,99}?(?:errors:(?P<errors>\d{1,18})\(\d{1,9}%\))?"
    r"avgbytessentperop:(?P<sent>\d+)avgbytesreceivedperop:(?P<received>\d+)"
    r"backlogwait:(?P<queue>[\d.]+)RTT:(?P<round>[\d.]+)totalexecutetime:(?P<execute>[\d.]+)"
)
_REQUESTS = re.compile(
    r"(?P<sent>\d+)RPCrequestssent,(?P<replies>\d+)RPCrepliesreceived"
    r"(?:\((?P<bad_xids>\d{1,18})XIDsnotfound\))?(?:averagebacklogqueuelength:(?P<backlog>\d{1,18}))?"
)
_FLAGS = {
    "capabilities": re.compile(r"NFSservercapabilities:([^:]{1,2000}?)(?=NFS|$)"),
    "nfsv4": re.compile(r"NFSv4capabilityflags:([^:]{1,2000}?)(?=NFSsec|NFSbyte|Cache|RPC|$)"),
}
_PROGRAM = re.compile(
    r"\s*(?P<statistics_version>\d{1,3}\.\d{1,3})\s+p/v:\s+(?P<program>\d{1,9}/\d{1,3})\s"
)
_SECURITY = re.compile(r"NFSsecurityflavor:(\d{1,9})pseudoflavor:(\d{1,9})")
_OPTIONS = re.compile(r"NFSmountoptions:(\S*?)NFSmountage:")
_TELLS = re.compile(
    r"NFS |applications |client (?:read|wrote)|RPC |average |[A-Z_0-9]+:\s*$|\s+\d+ ops|avg bytes"
    r"|backlog wait|\s+\d+ (?:retrans|errors)|VFS |data cache|attribute cache"
    r"|[A-Z]+ (?:calls|cache)"
)


class Mountstats(Output):
    tool = "mountstats"
    anchors = (
        "with fstype nfs", "RPC iostats version:", "per-op statistics", "NFS mount options:",
        "NFS byte counts:", "applications read ", "RPC requests sent",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 30, -1), -1):
            line = cursor.line(index)
            if _STATS.match(line):
                return index
            if match := _DEVICE.match(line):
                return index if match["type"].startswith("nfs") and index < cursor.at + 1 else None
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first)
        if head := _DEVICE.match(line):
            values, options, last = _of_file(cursor, first)
        elif head := _STATS.match(line):
            values, options, last = _of_command(cursor, first)
        if head is None or not values:
            raise Unreadable("no figures follow")
        begin, prompt = command_before(
            cursor, first, ("cat", "mountstats", "grep"), reach=3, about="mountstats"
        )
        named = options_of(options.split(","))
        subject = PrintedSubject(
            "nfs", head["point"], {**mount_facts(head["source"], named), **named}
        )
        return OutputReading(
            begin,
            last,
            counters=(
                PrintedCounters(
                    self.tool, "nfs", head["point"], values, prompt.host, prompt.command
                ),
            ),
            states=(PrintedState(self.tool, (subject,), prompt.host),) if options else (),
        )


def _labelled(cursor: TextCursor, first: int) -> tuple[dict[str, list[str]], set[str], int]:
    """The lines of one mount by their labels, which of these are operations, the last index."""
    parts: dict[str, list[str]] = {}
    ops: set[str] = set()
    here, last = "", first
    for index, line in lines(cursor, first + 1, 250):
        if _DEVICE.match(line):
            break
        if match := _LABEL.match(line):
            here = match["label"] or match["op"] or ""
            if match["op"]:
                ops.add(here)
            parts.setdefault(here, []).append(match["rest"])
            last = index
        elif line.strip() and here in parts and len(parts[here]) < _PARTS:
            if ops and not re.match(r"[\d\s]+$", line):
                break
            parts[here].append(line)
            last = index
        elif line.strip() and not line.strip().startswith("statvers="):
            break
    return parts, ops, last


def _of_file(cursor: TextCursor, first: int) -> tuple[dict[str, Json], str, int]:
    """Figures, options and the index of the last line of one mount in /proc/self/mountstats."""
    parts, ops, last = _labelled(cursor, first)
    values: dict[str, Json] = {}
    if parts.get("age") and parts["age"][0].strip().isdecimal():
        values["age"] = int(parts["age"][0])
    for label, name in (("caps", "capabilities"), ("nfsv4", "nfsv4"), ("sec", "security")):
        if named_flags := flags("".join("".join(parts.get(label, [])).split())):
            values[name] = named_flags
    if program := _PROGRAM.match(" ".join(parts.get("", []))):
        values |= program.groupdict()
    if server := dict(implementation("".join(parts.get("impl_id", [])))):
        values["server_implementation"] = server
    if events := event_counts(parts.get("events", [])):
        values["events"] = events
    if each := transports(parts.get("xprt", [])):
        values["transports"] = each
    if "bytes" in parts:
        figures = [int(word) for word in torn_words(parts["bytes"], len(_BYTES))]
        amounts: dict[str, Json] = dict(zip(_BYTES, figures, strict=True))
        values["bytes"] = amounts
    counted: dict[str, Json] = {op: _operation(parts[op]) for op in sorted(ops)}
    done = {op: figures for op, figures in counted.items() if figures}
    if done:
        values["operations"] = dict(done)
    return values, "".join("".join(parts.get("opts", [])).split()), last


def _operation(parts: list[str]) -> Json:
    """The figures of one operation, seconds instead of milliseconds; None where it never ran."""
    figures = [
        int(word) for word in torn_words(parts, 8 if len(" ".join(parts).split()) < 9 else 9)
    ]
    if not any(figures):
        return None
    named: dict[str, Json] = {}
    for name, figure in zip(_OP, figures, strict=False):
        named[name] = figure / 1000 if name.endswith("time") else figure
    return named


def _of_command(cursor: TextCursor, first: int) -> tuple[dict[str, Json], str, int]:
    """The same of one mount as the command tells it."""
    last = first
    for index, line in lines(cursor, first + 1, 250):
        if _STATS.match(line) or line.startswith(("# ", "## ")) or prompt_in(line):
            break
        if _TELLS.search(line):
            last = index
        elif line.strip() and index > last + 12:
            break
    text = compact(cursor, first, last)
    values = _figures_of_command(text)
    if events := printed_events(text, flow(cursor, first, last)):
        values["events"] = events
    ops: dict[str, Json] = {
        str(match["op"]): _operation_of_command(match.groupdict())
        for match in _OF_COMMAND.finditer(text)
    }
    if ops:
        values["operations"] = ops
    options = _OPTIONS.search(text)
    return values, options[1] if options else "", last


def _figures_of_command(text: str) -> dict[str, Json]:
    """What the command says of the mount as a whole, in a text without blanks."""
    amounts: dict[str, Json] = {
        name: int(match[1]) for name, pattern in _AMOUNTS.items() if (match := pattern.search(text))
    }
    values: dict[str, Json] = {"bytes": amounts} if amounts else {}
    if match := _REQUESTS.search(text):
        values["rpc"] = groups_of(match)
    if (age := printed_age(text)) is not None:
        values["age"] = age
    for name, pattern in _FLAGS.items():
        if match := pattern.search(text):
            values[name] = flags(match[1])
    if match := _SECURITY.search(text):
        values["security"] = {"flavor": int(match[1]), "pseudoflavor": int(match[2])}
    return values


def _operation_of_command(figures: Mapping[str, str | None]) -> Json:
    """The sums of one operation, and the averages that these are made of, as they are printed."""
    count = int(figures["operations"] or 0)
    averages: dict[str, Json] = {
        "bytes_sent": int(figures["sent"] or 0),
        "bytes_received": int(figures["received"] or 0),
        **{
            name: float(figures[key] or 0) / 1000
            for name, key in (
                ("queue_time", "queue"), ("round_trip_time", "round"), ("execute_time", "execute"),
            )
        },
    }  # fmt: skip
    counted: dict[str, Json] = {
        name: int(text)
        for name in ("retransmissions", "timeouts", "errors")
        if (text := figures[name])
    }
    return {
        "operations": count,
        "share": int(figures["share"] or 0) / 100,
        **{name: count * float(str(value)) if name.endswith("time") else count * int(str(value))
           for name, value in averages.items()},
        **counted,
        "average": averages,
    }  # fmt: skip
