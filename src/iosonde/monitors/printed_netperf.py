"""netperf: how fast a link carried a stream, or how many requests it answered, as counters of it.

A rate of the processors that is -1 was not measured. Of UDP there are two rates: what was sent, and
what arrived.

Source: netperf 2.7, src/nettest_bsd.c (the heads of send_tcp_stream(), send_udp_stream() and
send_tcp_rr(): with -f its rate is a throughput of both ways, and may be a latency in microseconds),
and src/netlib.c, format_units() and format_number(): 10^0bits to 10^9bits, or Bytes with prefixes
of 1024; the service demand is of 1024 bytes or of a transaction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_TITLE = re.compile(
    r"^\s*(?:MIGRATED )?(?P<test>[A-Z][\w /-]{1,40}?) TEST from (?P<from>\S{1,80}) "
    r"(?:\([^)]{0,80}\) )?port \d{1,5} AF_INET6? to (?P<to>\S{1,80})"
)
_UNIT = re.compile(
    r"(?<!\S)(?:10\^(?P<power>[0369])bits|(?P<prefix>[KMG]?)Bytes)"
    r"(?:/s|(?= {1,4}local {1,4}remote))"
)
_RATE_OF = re.compile(r"\b(?P<what>Throughput|Tput|Latency)\b")
_ROW = re.compile(r"^\s*-?\d[\d. -]{3,200}$")
_HEAD = re.compile(
    r"^\s*(?:Recv|Send|Socket|Size|bytes|Local|Request|Elapsed|Message|!!! WARNING)\b"
)
_MOST = 24


class Netperf(StateOutput):
    tool = "netperf"
    anchors = (" TEST from ",)
    commands = ("netperf",)
    beginning = _TITLE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        title = self.first_line(cursor, first)
        last, rows, unit, rate_of = first, list[list[str]](), 0.0, ""
        for index, line in lines(cursor, first + 1, _MOST):
            if not line:
                continue
            if _ROW.match(line):
                rows.append(fields(line))
            elif not _HEAD.match(line) or rows:
                break
            else:
                match, rate = _UNIT.search(line), _RATE_OF.search(line)
                unit = _scale(match) if match else unit
                rate_of = rate["what"] if rate else rate_of
            if index > last + 4:
                break
            last = index
        test = title["test"]
        values = _figures(test, rows, unit, rate_of)
        if not values:
            raise Unreadable("no figures follow that its test prints", last)
        values |= {"test": test, "from": title["from"], "to": title["to"]}
        return last, [self.counted("link", "", values, prompt)]


def _scale(match: re.Match[str]) -> float:
    """Bytes in the unit of a rate."""
    if match["power"]:
        return float(10 ** int(match["power"])) / 8
    return float(1024 ** (" KMG".index(match["prefix"] or " ")))


def _figures(
    test: str, rows: Sequence[Sequence[str]], unit: float, rate_of: str
) -> dict[str, Json]:
    """Of the rows below a title; empty where they are not those of its test.

    Args:
        test: its name.
        rows: their cells.
        unit: bytes in the unit of the rate; 0: of none.
        rate_of: what the head calls the rate where it is not one of transactions.
    """
    if not rows:
        return {}
    row, width = rows[0], len(rows[0])
    values = dict[str, Json]()
    if "REQUEST/RESPONSE" in test or test.endswith(" RR"):
        rate = _rate_of_requests(float(row[5]), unit, rate_of) if width in {6, 8, 10} else {}
        if not rate:
            return {}
        values = {
            "seconds": float(row[4]), "request_size": int(row[2]), "response_size": int(row[3]),
            "send_socket_size": int(row[0]), "receive_socket_size": int(row[1]), **rate,
        }  # fmt: skip
        if len(rows) > 1 and len(rows[1]) == 2:
            values |= {
                "remote.send_socket_size": int(rows[1][0]),
                "remote.receive_socket_size": int(rows[1][1]),
            }
        _put_processors(values, row[6:], 1e-6)
    elif test.startswith("UDP") and unit:
        if width not in {6, 8} or len(rows) < 2 or len(rows[1]) not in {4, 6}:
            return {}
        values = {
            "seconds": float(row[2]), "messages": int(row[3]), "errors": int(row[4]),
            "send.bandwidth": float(row[5]) * unit, "message_size": int(row[1]),
            "send_socket_size": int(row[0]), "receive_socket_size": int(rows[1][0]),
            "receive.messages": int(rows[1][2]), "receive.bandwidth": float(rows[1][3]) * unit,
        }  # fmt: skip
        for side, cells in (("local", row[6:]), ("remote", rows[1][4:])):
            if cells:
                _put_side(values, side, cells[0], cells[1], 1e-6 / 1024)
    elif unit and width in {5, 9}:
        values = {
            "seconds": float(row[3]), "bandwidth": float(row[4]) * unit,
            "message_size": int(row[2]), "receive_socket_size": int(row[0]),
            "send_socket_size": int(row[1]),
        }  # fmt: skip
        _put_processors(values, row[5:], 1e-6 / 1024)
    return values


def _rate_of_requests(rate: float, unit: float, rate_of: str) -> dict[str, Json]:
    """What the head calls the rate of requests; empty where it is in no unit that is known."""
    if rate_of == "Latency":
        return {"latency.mean": round(rate / 1e6, 12)}
    if not rate_of:
        return {"transactions_per_second": rate}
    return {"bandwidth": rate * unit} if unit else {}


def _put_processors(values: dict[str, Json], cells: Sequence[str], scale: float) -> None:
    """The shares of both hosts, and what a KB or a transaction took of them."""
    if len(cells) == 4:
        _put_side(values, "local", cells[0], cells[2], scale)
        _put_side(values, "remote", cells[1], cells[3], scale)


def _put_side(values: dict[str, Json], side: str, cpu: str, demand: str, scale: float) -> None:
    if float(cpu) >= 0:
        values[f"{side}.cpu"] = round(float(cpu) / 100, 8)
    if float(demand) >= 0:
        values[f"{side}.service_demand"] = float(demand) * scale
