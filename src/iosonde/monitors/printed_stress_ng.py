"""stress-ng --metrics: what each stressor did in how many seconds, as counters of it; what failed.

Bogus operations are a stressor's own. Further metrics of a stressor are kept with what they are of,
in the unit that is printed there (its MB are MiB).

Where people cut off the table, the further metrics stand alone. What ends a run says how many
instances of each stressor passed, failed or were skipped, and what share of all CPUs was used.

Source: stress-ng 0.12 to 0.20, stress-ng.c, stress_metrics_dump() (the last two of the columns of
--metrics are the share of a processor and memory in KB; --sn prints exponents), core-time.c; an
output of 0.15.06.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_OWN = re.compile(r"^\s*(?:stress-ng: )?(?P<level>info|metrc|fail|warn|error|debug): +\[\d{1,9}\] ")
_HEAD = re.compile(r"stressor {2,}bogo ops ")
_LEVELS = frozenset({"info", "metrc"})
_N = r"\d{1,18}\.\d{2,5}(?:e[+-]\d{2,3})?"
_ROW = re.compile(
    rf"(?P<name>[a-z][\w-]{{1,30}}) +(?P<operations>\d{{1,18}}) +(?P<seconds>{_N}) +"
    rf"(?P<user>{_N}) +(?P<system>{_N}) +(?P<rate>{_N}) +(?P<cpu_rate>{_N})"
    rf"(?: +(?P<cpu>{_N}) +(?P<rss>\d{{1,12}}))?\s*$"
)
_METRIC = re.compile(rf"(?P<name>[a-z][\w-]{{1,30}}) +(?P<value>{_N}) (?P<what>[^\d\s].{{0,120}})$")
_HOGS = re.compile(r"dispatching hogs: (?P<hogs>\d{1,9} [a-z].{0,400})$")
_HOG = re.compile(r"(?P<count>\d{1,9}) (?P<name>[a-z][\w-]{1,30})(?=,|\s|$)")
_LENGTH = re.compile(r"(?:setting to|defaulting to) a (?P<time>\d.{0,80}?) run per stressor$")
_DONE = re.compile(r"(?P<how>\w{6,12}) run completed in (?P<time>\d.{0,80}?)$")
_PART = re.compile(r"(?P<n>\d{1,9}(?:\.\d{1,2})?) ?(?P<unit>day|hour|min|sec|s)(?:s|\b)")
_UNITS = {"day": 86400, "hour": 3600, "min": 60, "sec": 1, "s": 1}
_ENDED = re.compile(
    r"(?P<what>passed|failed|skipped|metrics untrustworthy): (?P<count>\d{1,9})"
    r"(?:: (?P<names>[a-z].{0,400}))?$"
)
_NAMED = re.compile(r"(?P<name>[a-z][\w-]{1,30}) \((?P<count>\d{1,9})\)")
_CPU_TIME = re.compile(
    r"(?P<seconds>\d{1,12}\.\d\d)s (?P<what>available|user|system|total)(?: CPU)? time"
    r"(?: +\( *(?P<share>\d{1,3}\.\d\d)%\))?$"
)
_AVERAGE = re.compile(r"load average: (\d{1,6}\.\d\d) (\d{1,6}\.\d\d) (\d{1,6}\.\d\d)$")
_RUN = re.compile(r"for a (?P<seconds>\d{1,9}\.\d\d)s run time:")
_MOST = 2000


class StressNg(StateOutput):
    tool = "stress-ng"
    anchors = ("stressor       bogo ops", "stress-ng: ", "metrc: [")
    commands = ("stress-ng",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _OWN.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, run = first, _Run()
        for index, line in close_lines(cursor, first, _MOST):
            own = _OWN.match(line)
            if own is None:
                break
            last = index
            run.take(own["level"], line[own.end() :].strip())
        if not run.stressors and not run.failures:
            raise Unreadable("no figures of a stressor follow", last)
        counters = [
            self.counted("stressor", name, values, prompt) for name, values in run.stressors.items()
        ]
        whole = [self.counted("host", "", values, prompt)] if (values := run.whole()) else []
        return last, [*counters, *whole]


class _Run:
    """What the lines of one run have said so far."""

    def __init__(self) -> None:
        self.stressors = dict[str, dict[str, Json]]()
        self.failures = list[Json]()
        self._seconds = 0.0
        self._around = dict[str, Json]()
        self._headed = False

    def take(self, level: str, text: str) -> None:
        """Notes what a line says."""
        if level in {"fail", "error"}:
            self.failures.append(text)
        elif _HEAD.match(text):
            self._headed = True
        elif match := _RUN.match(text):
            self._seconds = float(match["seconds"])
        elif self._headed and (row := _ROW.match(text)):
            self.stressors.setdefault(row["name"], {}).update(_figures(row))
        elif metric := _METRIC.match(text):
            if level == "metrc" or metric["name"] in self.stressors:
                stressor = self.stressors.setdefault(metric["name"], {})
                others = stressor.setdefault("metrics", {})
                if isinstance(others, dict):
                    others[metric["what"]] = float(metric["value"])
        elif level in _LEVELS:
            self._around.update(_said(text))

    def whole(self) -> dict[str, Json]:
        """Of the run itself; empty where nothing is said of it."""
        values: dict[str, Json] = {"seconds": self._seconds, "failures": self.failures}
        return {name: value for name, value in values.items() if value} | self._around


def _figures(row: re.Match[str]) -> dict[str, Json]:
    """Operations, seconds and rates of a row; memory in bytes, and the share of one processor."""
    values: dict[str, Json] = {
        "operations": int(row["operations"]),
        "seconds": float(row["seconds"]),
        "user_seconds": float(row["user"]),
        "system_seconds": float(row["system"]),
        "operations_per_second": float(row["rate"]),
        "operations_per_cpu_second": float(row["cpu_rate"]),
    }
    if row["cpu"]:
        values |= {"cpu": round(float(row["cpu"]) / 100, 8), "rss": int(row["rss"]) * 1024}
    return values


def _said(text: str) -> dict[str, Json]:
    """What a line says of the run: what it was to do, how it ended, and its times."""
    if hogs := _HOGS.match(text):
        return {
            f"hogs.{match['name']}": int(match["count"]) for match in _HOG.finditer(hogs["hogs"])
        }
    if length := _LENGTH.match(text):
        return {"seconds_per_stressor": _seconds(length["time"])}
    if done := _DONE.match(text):
        return {"completion": done["how"], "completed_in_seconds": _seconds(done["time"])}
    if ended := _ENDED.match(text):
        what = ended["what"].replace(" ", "_")
        counts: dict[str, Json] = {
            f"{what}.{match['name']}": int(match["count"])
            for match in _NAMED.finditer(ended["names"] or "")
        }
        return {what: int(ended["count"]), **counts}
    return _times(text)


def _times(text: str) -> dict[str, Json]:
    """Seconds and shares of all CPUs, and the load."""
    if time := _CPU_TIME.match(text):
        values: dict[str, Json] = {f"cpu_{time['what']}_seconds": float(time["seconds"])}
        if time["share"]:
            values[f"cpu_{time['what']}"] = round(float(time["share"]) / 100, 6)
        return values
    if average := _AVERAGE.match(text):
        return {"load_average": [float(load) for load in average.groups()]}
    return {}


def _seconds(text: str) -> float:
    """Of `1 min, 0.12 secs` or `60.01s`."""
    return round(sum(float(part["n"]) * _UNITS[part["unit"]] for part in _PART.finditer(text)), 2)
