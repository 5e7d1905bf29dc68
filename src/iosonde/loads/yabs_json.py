"""What YABS writes with -j and -w: fio's mixed reads and writes of each size of blocks.

Source: yet-another-bench-script, yabs.sh, disk_test() (fields 7, 8, 48 and 49 of fio's terse
output, bandwidths in KiB/s under the name KBps), launch_geekbench(), JSON_RESULT.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedSubject,
    PrintedTrial,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, document_at, number, objects
from iosonde.text.json_tree import scalars

_SIZE = re.compile(r"\d{1,6}[kmg]?")
_WAYS = {"r": "read", "w": "write"}
_UNITS = {"KBps": float(units.KIB)}
_OF_FIO: dict[str, Scalar] = {
    "rw": "randrw", "rwmixread": 50, "ioengine": "libaio", "iodepth": 64, "numjobs": 2,
    "direct": True,
}  # fmt: skip


class YabsJson(JsonOutput):
    tool = "yabs"
    anchors = ('"speed_units":',)
    commands = ()
    reach = 0
    head = re.compile(
        r'\{\s*"version"\s*:\s*"v\d{4}-\d\d-\d\d"\s*,\s*"time"\s*:\s*"[\d-]{8,20}"\s*,\s*"os"'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject | PrintedCounters]:
        return ()

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        document = document_at(cursor, first, self.head)
        value = document.value if isinstance(document.value, Mapping) else {}
        trials = tuple(_trials(value))
        if not trials:
            raise Unreadable("it has no result of fio", document.last)
        cut = ((document.last, document.last, "it is cut off here"),) if document.is_cut else ()
        return OutputReading(first, document.last, trials=trials, unread=cut)


def _trials(value: Mapping[str, Any]) -> Iterator[PrintedTrial]:
    """A trial of each size, with what the document says of the host."""
    details: dict[str, Json] = {
        name: {**scalars(content)}
        for name in ("os", "cpu", "mem", "net", "runtime")
        if isinstance(content := value.get(name), Mapping)
    }
    details |= {
        name: [{**scalars(entry)} for entry in objects(value.get(name))]
        for name in ("iperf", "geekbench")
        if value.get(name)
    }
    details |= {
        name: str(value[name]) for name in ("time", "partition") if isinstance(value.get(name), str)
    }
    for entry in objects(value.get("fio")):
        unit, size = _UNITS.get(str(entry.get("speed_units"))), str(entry.get("bs"))
        if unit is None or not _SIZE.fullmatch(size):
            continue
        metrics: dict[str, float] = {}
        for mark, way in _WAYS.items():
            for key, name, scale in (("speed", "bandwidth", unit), ("iops", "iops", 1.0)):
                figure = number(entry.get(f"{key}_{mark}"))
                if figure is not None:
                    metrics[f"{way}.{name}"] = figure * scale
        if not metrics:
            continue
        sums: dict[str, Json] = {
            name: figure * scale
            for key, name, scale in (("speed_rw", "bandwidth", unit), ("iops_rw", "iops", 1.0))
            if (figure := number(entry.get(key))) is not None
        }
        yield PrintedTrial(
            tool=YabsJson.tool,
            loops=(LoadResult(metrics=metrics, units={
                name: "1/s" if name.endswith("iops") else "B/s" for name in metrics
            }),),
            version=str(value.get("version") or ""),
            label=f"randrw {units.show_bytes(units.parse_bytes(size))}",
            options={**_OF_FIO, "bs": units.parse_bytes(size)},
            steps={
                name: 1.0 if name.endswith("iops") else unit for name in metrics
            },
            details={**details, "both ways": sums} if sums else details,
        )  # fmt: skip
