"""ioping's statistics: latency of single requests.

Source: ioping 1.3, ioping.c, print_statistics(); mdev is the deviation from the mean.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, TextCursor, command_before, compact, lines
from iosonde.text.reader import nearest

_HEAD = re.compile(r"--- (?P<target>.+?)(?: \(.*\))? ioping statistics ---")
_DONE = re.compile(
    r"(?P<n>[\d.]{1,30}[kMG]?)requestscompletedin[\d.]{1,30}(?:ns|us|ms|s|min|hour)\w*,[\d.]{1,30}[KMGT]?i?B"
    r"(?P<what>read|written),(?P<iops>[\d.]{1,30}[kMG]?)iops,(?P<rate>[\d.]{1,30}[KMGT]?i?B)/s"
)
_TIMES = re.compile(
    r"min/avg/max/mdev=(?P<min>[\d.]{1,30})(?P<a>[num]?s|min)/(?P<mean>[\d.]{1,30})(?P<b>[num]?s|min)/"
    r"(?P<max>[\d.]{1,30})(?P<c>[num]?s|min)/(?P<stdev>[\d.]{1,30})(?P<d>[num]?s|min)"
)
_SCALE = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


class Ioping(Output):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "ioping"
    anchors: ClassVar[tuple[str, ...]] = (
        "ioping statistics",
        "min/avg/max/mdev",
        "requests completed",
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 12, lambda line: "ioping stat" in line)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last = first
        for index, line in lines(cursor, first, 14):
            if "mdev" in line or (index > first and line.startswith("---")):
                last = index if "mdev" in line else last
                break
            last = index if line else last
        tail = cursor.line(last + 1) or ""
        text = compact(cursor, first, last + 1 if re.fullmatch(r"[\d./ =nums]{2,}", tail) else last)
        done, times = _DONE.search(text), _TIMES.search(text)
        if not done or not times:
            raise Unreadable("its statistics are cut off")
        way = "read" if done["what"] == "read" else "write"
        metrics: dict[str, float] = {}
        steps: dict[str, float] = {}
        for name, value in (("iops", done["iops"]), ("bandwidth", done["rate"])):
            metrics[f"{way}.{name}"], steps[f"{way}.{name}"] = units.printed(value)
        for name, unit in zip(("min", "mean", "max", "stdev"), "abcd", strict=True):
            value, step = units.printed(times[name])
            scale = _SCALE[times[unit]]
            metrics[f"{way}.latency.{name}"] = value * scale
            steps[f"{way}.latency.{name}"] = step * scale
        kinds = dict.fromkeys(metrics, "s")
        kinds |= {f"{way}.iops": "1/s", f"{way}.bandwidth": "B/s"}
        head = _HEAD.search(cursor.line(first) or "")
        begin, prompt = command_before(cursor, first, ("ioping",), reach=30)
        trial = PrintedTrial(
            tool=self.tool,
            loops=(LoadResult(metrics=metrics, units=kinds),),
            command=prompt.command,
            host=prompt.host,
            target=head["target"] if head else "",
            options={"rw": f"rand{way}", "iodepth": 1, "numjobs": 1},
            steps=steps,
            details={"requests": units.printed(done["n"])[0]},
        )
        return OutputReading(begin, last, trials=(trial,))
