"""`gluster volume rebalance … status`: what each server has moved.

Source: glusterfs 3.4 to 11, cli/src/cli-rpc-ops.c (gf_cli_print_rebalance_status(): columns of
fixed width, sizes as in facts.py, the run time as H:MM:SS, in old outputs in seconds; "Estimated
time left for rebalance to complete : H:MM:SS"; gf_cli_defrag_volume_cbk(): "volume rebalance:
VOLUME: success").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers.gluster.facts import SIZE, size_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import joinings

_HEAD = re.compile(r"\s*Node\s+Rebalanced-files(?:\s+size\b|\s*$)")
_HEAD_REST = re.compile(r"[\sA-Za-z:-]{1,200}$")
"""The rest of a head that a mail broke, and the dashes below it."""
_ROW = re.compile(
    rf"\s*(?P<node>[\w.:-]{{1,120}})\s+(?P<files>\d{{1,12}})\s+(?P<size>{SIZE})\s+"
    r"(?P<scanned>\d{1,12})\s+(?P<failures>\d{1,12})\s+"
    r"(?P<skipped>\d{1,12})\s+(?P<state>[a-z][a-z -]{3,24}?)\s+"
    r"(?P<time>\d{1,5}:\d\d:\d\d|\d{1,9}\.\d\d)\s*$"
)
_LEFT = re.compile(
    r"\s*Estimated time left for rebalance to complete\s*:\s*(?P<time>\d{1,5}:\d\d:\d\d)\s*$"
)
_ASKED = re.compile(r"\brebalance (?P<volume>\S{1,200}) status")
_RESULT = re.compile(r"\s*volume rebalance: (?P<volume>\S{1,200}): (?P<result>\w{4,12})\b.{0,80}$")
_MOST = 20_000


class GlusterRebalance(StateOutput):
    tool = "gluster volume rebalance"
    anchors = ("Rebalanced-files",)
    commands = ("gluster",)
    reach = 3
    beginning = _HEAD
    nothing = "its first row is not whole"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows = list(close_lines(cursor, first, _MOST))
        nodes: dict[str, dict[str, Scalar]] = {}
        volume: dict[str, Scalar] = {}
        asked = _ASKED.search(prompt.command)
        name = asked["volume"] if asked else ""
        at, last = 1, 0
        while at < len(rows):
            lines = [text for _, text in rows[at : at + 3]]
            line = lines[0]
            count, row = _row(lines)
            if row:
                nodes[row["node"]] = _moved(row)
            elif left := _LEFT.match(line):
                volume["time_left"] = _seconds(left["time"])
            elif result := _RESULT.match(line):
                name = result["volume"]
                volume["result"] = result["result"]
            elif nodes or not _HEAD_REST.fullmatch(line):
                break
            last = at + count - 1
            at += count
        subjects = [PrintedSubject("gluster_rebalance", node, values, prompt.host)
                    for node, values in nodes.items()]  # fmt: skip
        if nodes and (volume or name):
            states = sorted({str(values["state"]) for values in nodes.values()})
            volume["rebalance"] = ", ".join(states)
            subjects.insert(0, PrintedSubject("gluster_volume", name, volume, prompt.host))
        return rows[last][0] if rows else first, subjects


def _row(lines: list[str]) -> tuple[int, re.Match[str] | None]:
    """How many lines a server's row takes, and the row; a blank stands where a mail broke it."""
    for count in range(1, len(lines) + 1):
        for text in joinings(lines[:count]):
            if match := _ROW.match(text):
                return count, match
    return 1, None


def _moved(row: re.Match[str]) -> dict[str, Scalar]:
    """What a server's row says."""
    return {
        "files": int(row["files"]), "scanned": int(row["scanned"]),
        "failures": int(row["failures"]), "skipped": int(row["skipped"]),
        "state": row["state"], "elapsed": _seconds(row["time"]), "moved": size_of(row["size"]),
    }  # fmt: skip


def _seconds(text: str) -> int | float:
    """Seconds of H:MM:SS, or of seconds with decimals."""
    return units.clock_seconds(text) if ":" in text else float(text)
