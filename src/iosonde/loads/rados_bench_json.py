"""`rados bench --format json`: the same figures as in text, one trial per run.

Source: Ceph 12, src/common/obj_bencher.cc, write_bench(), seq_read_bench(), status_printer():
figures stand as texts, rates in MiB/s, times in seconds; one key is `max_latency:`.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.loads.rados_bench import POOL, figures, kind_of
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, command_before
from iosonde.text.json_output import begin_of, object_at
from iosonde.text.json_tree import as_json

_HEAD = re.compile(
    r'\{\s*"(?:concurrent_ios"\s*:\s*"?\d{1,6}"?\s*,|datas"\s*:\s*\[\s*\{\s*"sec"\s*:)'
)
_LABELS = {
    "total_time_run": "Totaltimerun:", "total_writes_made": "Totalwritesmade:",
    "total_reads_made": "Totalreadsmade:", "bandwidth": "Bandwidth(MB/sec):",
    "stddev_bandwidth": "StddevBandwidth:", "max_bandwidth": "Maxbandwidth(MB/sec):",
    "min_bandwidth": "Minbandwidth(MB/sec):", "average_iops": "AverageIOPS:",
    "max_iops": "MaxIOPS:", "min_iops": "MinIOPS:", "average_latency": "AverageLatency:",
    "stddev_latency": "StddevLatency:", "max_latency": "Maxlatency:", "min_latency": "Minlatency:",
}  # fmt: skip
"""Keys, and how the text has them."""
_KEPT = ("object_size", "seconds_to_run", "max_objects", "stddev_iops")
_ABOVE = 400  # lines of what was printed each second


class RadosBenchJson(Output):
    tool = "rados bench"
    anchors = ('"concurrent_ios"', '"total_time_run"', '"datas":')

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - _ABOVE, -1), -1):
            line = cursor.line(index)
            if line and "{" in line and begin_of(cursor, index, _HEAD) is not None:
                return index
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        given, last = object_at(cursor, first, _HEAD)
        value = {key.rstrip(":"): text for key, text in given.items()}
        sums = "".join(f"{label}{value[key]}" for key, label in _LABELS.items() if key in value)
        begin, prompt = command_before(cursor, first, ("rados",), about="bench")
        metrics, steps, details, direction = figures(sums)
        options: dict[str, Scalar] = {"rw": direction}
        if " rand" in prompt.command:
            options["rw"] = "randread"
        for name, keys in (("bs", ("write_size", "read_size", "op_size")),
                           ("iodepth", ("concurrent_ios",))):  # fmt: skip
            if sizes := [str(value[key]) for key in keys if str(value.get(key)).isdecimal()]:
                options[name] = int(sizes[0])
        kept: dict[str, Json] = {
            key: float(value[key]) if "." in str(value[key]) else int(value[key])
            for key in _KEPT
            if re.fullmatch(r"\d{1,15}(?:\.\d{1,9})?", str(value.get(key)))
        }
        if value.get("datas"):
            kept["seconds"] = as_json(value["datas"])
        pool = POOL.search(prompt.command)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics=metrics, units={name: kind_of(name) for name in metrics}),),
            command=prompt.command,
            host=prompt.host,
            target=pool[1] if pool else "",
            elapsed=(float(value["total_time_run"]),) if "total_time_run" in value else None,
            options=options,
            steps=steps,
            details={**details, **kept},
        )
        return OutputReading(begin, last, trials=(trial,))
