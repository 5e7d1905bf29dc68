"""iperf3 and iperf 2: how fast a link carried a stream, as counters of the link.

Of a run it is the sums at its end that count: of all streams where there are several ([SUM]), what
was sent and what was received where iperf3 prints both. A bit rate becomes bytes per second.

Source: iperf 3.12, src/iperf_locale.c, report_bw_format and its like, src/units.c, unit_snprintf():
prefixes of bit rates are of 1000, of amounts 1024; iperf 2.1, src/ReportOutputs.c. YABS (yabs.sh,
launch_iperf()) prints a table of the same rates and of ping's times. iperf3 -J: iperf_api.c,
iperf_print_results(), the object "end".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_ROW = re.compile(
    r"^\s*\[ *(?P<id>\d{1,6}|SUM)\] *(?:\[(?:[TR]X-[CS])\] *)?(?P<from>\d{1,7}\.\d{1,4})- *"
    r"(?P<to>\d{1,7}\.\d{1,4}) +sec +\d{1,9}(?:\.\d{1,4})? [KMGT]?Bytes +"
    r"(?P<rate>\d{1,9}(?:\.\d{1,4})?) (?P<unit>[KMGT]?)(?P<what>bits|Bytes)/sec"
    r"(?:\s+(?P<retries>\d{1,9})(?=\s|$))?.{0,80}?(?P<who>sender|receiver)?\s*$"
)
_OWN = re.compile(
    r"^\s*(?:\[ *(?:ID|SUM|\d{1,6})\]|- - -|iperf Done|-{10}|Connecting to host|Server listening"
    r"|Accepted connection|Reverse mode|Client connecting|TCP window|UDP buffer|Test Complete"
    r"|iperf 3|Linux |Time:|Cookie:|TCP MSS|Starting Test|CPU Utilization|snd_|rcv_)"
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
        last, rows = first, list[re.Match[str]]()
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
                rows.append(row)
        sums = _sums(rows)
        if not sums:
            raise Unreadable("its sums at the end are cut off", last)
        values: dict[str, Json] = {}
        for name, row in sums.items():
            values[name] = _bytes(row["rate"], row["unit"], row["what"])
            values["seconds"] = float(row["to"])
            if row["retries"]:
                values["retransmissions"] = int(row["retries"])
        streams = {row["id"] for row in rows} - {"SUM"}
        values["streams"] = len(streams)
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


def _sums(rows: list[re.Match[str]]) -> Mapping[str, re.Match[str]]:
    """What counts of a run: the last sums by what they are of.

    Without a sender or receiver named (iperf 2, or cut) it is the last line over the whole time.
    """
    of_all = [row for row in rows if row["id"] == "SUM"] or rows
    if len({row["id"] for row in rows} - {"SUM"}) > 1 and of_all is rows:
        return {}
    named = {row["who"]: row for row in of_all if row["who"]}
    if named:
        names = {"sender": "send.bandwidth", "receiver": "receive.bandwidth"}
        return {names[who]: row for who, row in named.items()}
    whole = [row for row in of_all if float(row["from"]) == 0]
    ends = max((float(row["to"]) for row in rows), default=0.0)
    if whole and float(whole[-1]["to"]) >= ends and (len(rows) == len(whole) or len(of_all) > 1):
        return {"bandwidth": whole[-1]}
    return {}


def _bytes(rate: str, prefix: str, what: str) -> float:
    """Bytes per second; iperf's Bytes/sec have prefixes of 1024."""
    if what == "Bytes":
        return float(rate) * 1024.0 ** " KMGT".index(prefix or " ")
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
