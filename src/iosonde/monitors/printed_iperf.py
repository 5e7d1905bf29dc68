"""iperf3 and iperf 2: how fast a link carried a stream, as counters of the link.

Of a run it is the sums at its end that count: of all streams where there are several ([SUM]), what
was sent and what was received where iperf3 prints both. All its rows stand in `intervals`, each of
which has the figures that it was printed with. A bit rate becomes bytes per second.

Source: iperf 3.12, src/iperf_locale.c, report_bw_format and its like, src/units.c, unit_snprintf():
prefixes of bit rates are of 1000, of amounts 1024; iperf 2.1, src/ReportOutputs.c. YABS (yabs.sh,
launch_iperf()) prints a table of the same rates and of ping's times. iperf3 -J: iperf_api.c,
iperf_print_results(), the object "end".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, groups_of, nearest

_ROW = re.compile(
    r"^\s*\[ *(?P<id>\d{1,6}|SUM)\] *(?:\[(?P<role>[TR]X-[CS])\] *)?(?P<from>\d{1,7}\.\d{1,4})- *"
    r"(?P<to>\d{1,7}\.\d{1,4}) +sec +(?P<amount>\d{1,9}(?:\.\d{1,4})?) (?P<size>[KMGT]?)Bytes +"
    r"(?P<rate>\d{1,9}(?:\.\d{1,4})?) (?P<unit>[KMGT]?)(?P<what>bits|Bytes)/sec"
    r"(?P<rest>.{0,80}?)(?P<who>sender|receiver)?\s*$"
)
_DATAGRAMS = re.compile(
    r"\s+(?P<jitter>\d{1,9}(?:\.\d{1,4})?) ms\s+(?P<lost>\d{1,12})/ *(?P<packets>\d{1,12})"
    r" \((?P<loss>\d{1,3}(?:\.\d{1,4})?(?:e[-+]\d\d)?)%\)"
)
_RETRIES = re.compile(
    r"\s+(?P<retries>\d{1,9})(?:\s+(?P<window>\d{1,9}(?:\.\d{1,4})?) (?P<prefix>[KMGT]?)Bytes)?\s*$"
)
_SETUP = (
    re.compile(r"^\s*Connecting to host (?P<server>\S{1,120}), port (?P<port>\d{1,5})"),
    re.compile(
        r"^\s*Client connecting to (?P<server>\S{1,120}), (?P<protocol>TCP|UDP) port "
        r"(?P<port>\d{1,5})"
    ),
    re.compile(r"^\s*Server listening on (?:(?P<protocol>TCP|UDP) port )?(?P<port>\d{1,5})"),
    re.compile(r"^\s*Accepted connection from (?P<client>\S{1,120}), port \d{1,5}"),
    re.compile(
        r"^\s*\[ *\d{1,6}\] local (?P<local>\S{1,60}) port \d{1,5} connected (?:to|with) "
        r"(?P<peer>\S{1,60}) port \d{1,5}"
    ),
    re.compile(r"^\s*iperf (?P<version>3\.\d{1,3}[\w.+-]{0,12})\s*$"),
    re.compile(r"^\s*TCP MSS: (?P<segment_size>\d{1,6})\b"),
    re.compile(
        r"^\s*Starting Test: protocol: (?P<protocol>\w{1,8}), \d{1,5} streams, "
        r"(?P<block_size>\d{1,12}) byte blocks"
    ),
    re.compile(r"^\s*snd_tcp_congestion (?P<congestion_control>\w{1,20})\s*$"),
)
_WINDOW = re.compile(
    r"^\s*(?:TCP window|UDP buffer) size: *(?P<size>\d{1,9}(?:\.\d{1,4})?) (?P<prefix>[KMGT]?)Byte"
)
_CPU = re.compile(
    r"^\s*CPU Utilization: local/(?:sender|receiver) (?P<host>[\d.]{1,8})% \([^()]{1,40}\), "
    r"remote/(?:sender|receiver) (?P<remote>[\d.]{1,8})%"
)
_OWN = re.compile(
    r"^\s*(?:\[ *(?:ID|SUM|\d{1,6})\]|- - -|iperf Done|-{10}|Connecting to host|Server listening"
    r"|Accepted connection|Reverse mode|Client connecting|TCP window|UDP buffer|Test Complete"
    r"|iperf 3|Linux |Time:|Cookie:|TCP MSS|Starting Test|CPU Utilization|snd_|rcv_"
    r"|Control connection MSS|Sending \d+ byte datagrams|IPG target)"
)
_YABS = re.compile(r"^\s*iperf3 Network Speed Tests \((?P<of>IPv[46])\):")
_YABS_ROW = re.compile(
    r"^\s*(?P<who>\S[^|]{0,40}?) *\| *(?P<place>\S[^|]{0,60}?) *"
    r"\| *(?P<send>[\d.]{1,9} [KMGT]?bits/sec|busy|N/A) *"
    r"\| *(?P<receive>[\d.]{1,9} [KMGT]?bits/sec|busy|N/A) *"
    r"(?:\| *(?P<ping>[\d.]{1,9} ms|--|-|N/A)? *)?$"
)
_SCALE = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_MOST = 4000
_GAP = 3


class Iperf(StateOutput):
    tool = "iperf"
    anchors = ("bits/sec", "Bytes/sec")

    commands = ("iperf3", "iperf")
    reach = 16

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _YABS_ROW.match(line):
            return nearest(cursor, 12, _YABS.match)
        if not _ROW.match(line):
            return None
        top = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - 40, -1), -1):
            above = cursor.line(index)
            if above and (prompt_in(above) or not _OWN.match(above)):
                break
            top = index if above else top
        return top

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if match := _YABS.match(cursor.line(first)):
            return self._of_yabs(cursor, first, match["of"], prompt)
        last, rows, head = first, list[_Row](), ""
        values: dict[str, Json] = {}
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (line and (prompt_in(line) or not _OWN.match(line))):
                break
            again = rows and re.match(
                r"^\s*(?:Connecting to host|Client connecting|Accepted)", line
            )
            if again:
                break
            last = index if line else last
            if row := _ROW.match(line):
                rows.append(_Row(row, head))
            elif "Interval" in line:
                head = line
            elif line:
                values = _setup(line) | values
        values |= _of_sums(rows)
        values["streams"] = len({row.match["id"] for row in rows} - {"SUM"})
        values["intervals"] = [row.values() for row in rows]
        return last, [self.counted("link", "", values, prompt)]

    def _of_yabs(
        self, cursor: TextCursor, first: int, of: str, prompt: Prompt
    ) -> tuple[int, list[PrintedCounters]]:
        """The places of YABS' table: rates of what was sent and received, and the way there."""
        last, counters = first, list[PrintedCounters]()
        for index, line in lines(cursor, first + 1, 40):
            row = _YABS_ROW.match(line)
            if row:
                values: dict[str, Json] = {"over": of}
                for name in ("send", "receive"):
                    rate, _, unit = row[name].partition(" ")
                    is_rate = unit.endswith("bits/sec")
                    values[f"{name}.bandwidth"] = (
                        _bytes(rate, unit[:-8], "bits") if is_rate else None
                    )
                if (ping := row["ping"]) and ping.endswith("ms"):
                    values["round_trip"] = float(ping[:-3]) / 1e3
                name = f"{row['who']}, {row['place']}"
                counters.append(self.counted("link", name, values, prompt))
            elif not line or not ("|" in line or set(line.strip()) <= {"-"}):
                if counters:
                    break
                continue
            last = index
        return last, counters


@dataclass(frozen=True, slots=True)
class _Row:
    """A row, and the last line of titles above it: empty where there was none."""

    match: re.Match[str]
    head: str

    def values(self) -> dict[str, Json]:
        """The row's own figures."""
        row = self.match
        values: dict[str, Json] = {
            "stream": row["id"], "from": float(row["from"]), "to": float(row["to"]),
            "bytes": _size(row["amount"], row["size"]),
            "bandwidth": _bytes(row["rate"], row["unit"], row["what"]),
        }  # fmt: skip
        if row["role"]:
            values["role"] = row["role"]
        if row["who"]:
            values["side"] = row["who"]
        if "omitted" in row["rest"]:
            values["omitted"] = True
        return values | self.more()

    def more(self) -> dict[str, Json]:
        """What stands behind the rate: of TCP retransmissions and the window, of UDP datagrams."""
        rest = self.match["rest"].replace("(omitted)", "")
        if datagrams := _DATAGRAMS.match(rest):
            return {
                "jitter": float(datagrams["jitter"]) / 1e3, "lost_packets": int(datagrams["lost"]),
                "packets": int(datagrams["packets"]), "loss": float(datagrams["loss"]) / 100,
            }  # fmt: skip
        match = _RETRIES.match(rest)
        if match is None:
            return {}
        if "Datagrams" in self.head:
            return {"packets": int(match["retries"])} if not match["window"] else {}
        if not (match["window"] or self.match["who"] or "Retr" in self.head):
            return {}  # without titles, a number may be of either
        values: dict[str, Json] = {"retransmissions": int(match["retries"])}
        if match["window"]:
            values["window"] = _size(match["window"], match["prefix"])
        return values


def _setup(line: str) -> dict[str, Json]:
    """What a line above or below the rows says of the run."""
    if match := _WINDOW.match(line):
        return {"window": _size(match["size"], match["prefix"])}
    if match := _CPU.match(line):
        return {f"{side}.cpu": float(match[side]) / 100 for side in ("host", "remote")}
    for form in _SETUP:
        if match := form.match(line):
            return groups_of(match)
    return {}


def _of_sums(rows: list[_Row]) -> dict[str, Json]:
    """Rates, bytes and all else of the sums at the end; nothing where these are cut off."""
    values: dict[str, Json] = {}
    for name, row in _sums(rows).items():
        match = row.match
        values[f"{name}bandwidth"] = _bytes(match["rate"], match["unit"], match["what"])
        values[f"{name}bytes"] = _size(match["amount"], match["size"])
        values["seconds"] = float(match["to"])
        backwards = "reverse." if name.startswith("reverse.") else ""
        values |= {f"{backwards}{key}": figure for key, figure in row.more().items()}
    return values


def _sums(rows: list[_Row]) -> Mapping[str, _Row]:
    """What counts of a run: the last sums by what they are of.

    Without a sender or receiver named (iperf 2, or cut) it is the last line over the whole time.
    Of both ways at once, what goes from the server to the client is the reverse.
    """
    of_all = [row for row in rows if row.match["id"] == "SUM"] or rows
    if len({row.match["id"] for row in rows} - {"SUM"}) > 1 and of_all is rows:
        named = {(row.match["who"], row.match["role"]) for row in rows if row.match["who"]}
        if not named or len(named) < sum(bool(row.match["who"]) for row in rows):
            return {}  # several streams in one way, and no sum of them
    sums: dict[str, _Row] = {}
    for row in of_all:
        if who := row.match["who"]:
            back = "reverse." if row.match["role"] in {"RX-C", "TX-S"} else ""
            sums[f"{back}{'send' if who == 'sender' else 'receive'}."] = row
    if sums:
        return sums
    whole = [row for row in of_all if float(row.match["from"]) == 0 and not row.match["role"]]
    ends = max((float(row.match["to"]) for row in rows), default=0.0)
    if (
        whole
        and float(whole[-1].match["to"]) >= ends
        and (len(rows) == len(whole) or len(of_all) > 1)
    ):
        return {"": whole[-1]}
    return {}


def _size(amount: str, prefix: str) -> float:
    """Bytes; the prefixes of iperf's amounts are of 1024."""
    return float(amount) * 1024.0 ** " KMGT".index(prefix or " ")


def _bytes(rate: str, prefix: str, what: str) -> float:
    """Bytes per second; iperf's Bytes/sec have prefixes of 1024."""
    if what == "Bytes":
        return _size(rate, prefix)
    return float(rate) * _SCALE[prefix] / 8


_END = re.compile(r'^\s*"end":\s{0,4}\{\s*$')


class IperfJson(StateOutput):
    tool = "iperf"
    anchors = ('"end": {', '"end":\t{')
    commands = ("iperf3",)
    beginning = _END

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        texts, depth, last = list[str](), 0, first
        for index, line in lines(cursor, first, _MOST):
            texts.append(line)
            depth += line.count("{") - line.count("}")
            last = index
            if depth <= 0:
                break
        if depth > 0:
            raise Unreadable("its end is cut off", last)
        text = "\n".join(texts)
        end = json.loads(text[text.index("{") : text.rindex("}") + 1])
        values = _of_json(end) if isinstance(end, dict) else {}
        if not values:
            raise Unreadable("it holds no sums of iperf", last)
        return last, [self.counted("link", "", values, prompt)]


def _of_json(end: Mapping[str, Json]) -> dict[str, Json]:
    """The sums of iperf3's "end"; empty where it is of something else."""
    values: dict[str, Json] = {}
    names = {
        "sum_sent": "send.bandwidth", "sum_received": "receive.bandwidth", "sum": "bandwidth",
        "sum_sent_bidir_reverse": "reverse.send.bandwidth",
        "sum_received_bidir_reverse": "reverse.receive.bandwidth",
    }  # fmt: skip
    for key, name in names.items():
        total = end.get(key)
        if not isinstance(total, dict) or not isinstance(total.get("bits_per_second"), int | float):
            continue
        values[name] = float(str(total["bits_per_second"])) / 8
        for figure, own, scale in (
            ("seconds", "seconds", 1.0), ("retransmits", "retransmissions", 1),
            ("jitter_ms", "jitter", 1e-3), ("lost_packets", "lost_packets", 1),
            ("packets", "packets", 1),
        ):  # fmt: skip
            if isinstance(value := total.get(figure), int | float):
                values.setdefault(own, value * scale)
    cpu = end.get("cpu_utilization_percent")
    if not values or not isinstance(cpu, dict):
        return {}
    for side in ("host", "remote"):
        if isinstance(share := cpu.get(f"{side}_total"), int | float):
            values[f"{side}.cpu"] = share / 100
    if isinstance(streams := end.get("streams"), list):
        values["streams"] = len(streams)
    return values
