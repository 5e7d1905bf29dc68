"""bcache by its files in sysfs, as grep, head, tail or cat show them.

`PATH:VALUE` lines (grep . over a directory; the paths may be relative), `==> PATH <==` with the
value below (head and tail of several files), or one cat with its answer. Counters are those of
stats_total; the others go beside them by the names of their directories.

Source: Linux Documentation/admin-guide/bcache.rst; drivers/md/bcache/stats.c: hit ratios are cut to
whole percents; sysfs.c (writeback_rate_debug, priority_stats).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.bcache.facts import cache_facts, chosen, counts, size
from iosonde.records.printed import (
    AS_PRINTED,
    PRINTED,
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
    without_none,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import close_lines, close_rows

_NAMES = (
    "backing_dev_name", "cache_mode", "dirty_data", "io_errors", "running", "sequential_cutoff",
    "state", "stripe_size", "writeback_delay", "writeback_metadata", "writeback_percent",
    "writeback_rate", "writeback_running", "readahead_cache_policy", "partial_stripes_expensive",
)  # fmt: skip
_RELATIVE = (
    rf"\.?/?(?:bcache/)?(?:(?:stats_\w+|cache\d*|bdev\d+|internal)/[\w/.-]+|{'|'.join(_NAMES)})"
    r"|\./[\w/.-]+"
)
_ITEM = re.compile(rf"^[\s|]*(?P<path>/sys/[^\s:]*bcache[^\s:]*|{_RELATIVE}):(?P<value>.*)$")
_TORN = re.compile(r"^[\s|]*/sys/[^\s:]*bcache[^\s:]*$")
_ABOVE = re.compile(rf"^[\s|]*==> (?P<path>/sys/\S*bcache\S*|{_RELATIVE}) <==\s*$")
_CAT = re.compile(r"\bcat\s+(?P<path>/sys/\S*bcache\S*)\s*$")
_DEVICE = re.compile(r"^/sys/\S*?/(?P<name>[\w!.-]+)/bcache/(?P<rest>.+)$")
_SET = re.compile(r"^/sys/fs/bcache/(?P<set>[0-9a-f-]{36})/(?:(?P<part>bdev\d+)/)?(?P<rest>.+)$")
_SHARE = re.compile(r"(Unused|Clean|Dirty|Metadata):\s*(\d{1,3})%")
_OF_LINES = ("priority_stats", "writeback_rate_debug")
"""Files of several lines."""
_USE = re.compile(r"(?P<label>Average|Sectors per Q):\s*(?P<figure>\d{1,18})")
_USED_AS = {"Average": "average_priority", "Sectors per Q": "sectors_per_quantile"}
_RATE = re.compile(
    r"(?P<label>rate|dirty|target|proportional|integral|derivative|change):\s*"
    r"(?P<size>-?\d{1,6}(?:\.\d)?[kMGTPE]?)"
)
_NEXT = re.compile(r"next io:\s*(?P<milliseconds>-?\d{1,12})ms")
_WIDE = 60
_FIGURES = (
    "io_errors", "writeback_delay", "writeback_percent", "congested_read_threshold_us",
    "congested_write_threshold_us", "nbuckets",
)  # fmt: skip
_FLAGS = (
    "running",
    "writeback_running",
    "writeback_metadata",
    "partial_stripes_expensive",
    "discard",
)
_SIZES = ("sequential_cutoff", "stripe_size", "written", "metadata_written", "btree_cache_size")
_CHOICES = ("readahead_cache_policy", "cache_replacement_policy")


class BcacheOutput(Output):
    tool = "bcache"
    anchors = (
        "/sys/block/bcache", "/sys/fs/bcache/", "/bcache/stats_", "/bcache/cache_mode",
        "/bcache/state", "/bcache/running", "/bcache/dirty_data",
        "/bcache/sequential_cutoff", "stats_total/", "cache_mode:", "sequential_cutoff:",
        "/bypassed:", "./state:",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _cat_at(cursor, cursor.at):
            answer = cursor.line(cursor.at + 1)
            return cursor.at if answer and not prompt_in(answer) else None
        if not (_ITEM.match(line) or _ABOVE.match(line) or _TORN.match(line)):
            return None
        first, gap = cursor.at, 0
        for index in range(cursor.at, -1, -1):
            text = cursor.line(index)
            if _ITEM.match(text) or _ABOVE.match(text):
                first, gap = index, 0
            elif prompt_in(text) or gap > 3:
                break
            else:
                gap += 1
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first)
        begin, prompt = command_before(
            cursor, first, ("grep", "head", "tail", "egrep", "cat"), reach=3
        )
        if cat := _cat_at(cursor, first):
            begin, path, prompt = cat
            items, last = _answer(cursor, first, path)
        elif _ABOVE.match(line):
            items, last = _below_heads(cursor, first)
        else:
            items, last = _in_lines(cursor, first)
        texts: dict[str, dict[str, str]] = {}
        for path, value in items:
            name, rest = _split(path)
            before = texts.setdefault(name, {})
            before[rest] = f"{before[rest]} {value.strip()}" if rest in before else value.strip()
        states, counters = [], []
        for name, files in texts.items():
            if values := _values(files):
                states.append(PrintedSubject("bcache", name, values))
            if counted := _counts(files):
                counters.append(
                    PrintedCounters(self.tool, "bcache", name, counted, prompt.host, prompt.command)
                )
        if not states and not counters:
            counters = [
                PrintedCounters(PRINTED, AS_PRINTED, name, dict(files), prompt.host, prompt.command)
                for name, files in texts.items()
                if files
            ]
        if not states and not counters:
            raise Unreadable("none of its files has a value", last)
        state = PrintedState(self.tool, tuple(states), prompt.host, prompt.command)
        return OutputReading(
            begin, last, states=(state,) if states else (), counters=tuple(counters)
        )


def _in_lines(cursor: TextCursor, first: int) -> tuple[list[tuple[str, str]], int]:
    """Paths and values of `PATH:VALUE`; a line too long may go on in the next."""
    items: list[tuple[str, str]] = []
    last, torn = first, ""
    for index, line in close_lines(cursor, first, 2000, gap=2):
        item = _ITEM.match(torn + line.strip() if torn else line)
        if item:
            items.append((item["path"], item["value"]))
        elif _TORN.match(line):
            torn, last = line.strip(), index
            continue
        elif items and index == last + 1 and len(cursor.line(last)) >= _WIDE:
            if prompt_in(line):
                break
            path, value = items[-1]
            items[-1] = (path, value + line.strip())
        else:
            break
        last, torn = index, ""
    return items, last


def _below_heads(cursor: TextCursor, first: int) -> tuple[list[tuple[str, str]], int]:
    """Paths and values of `==> PATH <==`, the value in the line below."""
    items: list[tuple[str, str]] = []
    path, last = "", first
    for index, line in lines(cursor, first, 2000):
        if match := _ABOVE.match(line):
            path, last = match["path"], index
        elif line and path and not prompt_in(line):
            items.append((path, line))
            path, last = "", index
        elif line or index > last + 4:
            break
    return items, last


def _cat_at(cursor: TextCursor, index: int) -> tuple[int, str, Prompt] | None:
    """The line where a cat of one file begins, its path and the command; a mail may break it."""
    line, above = cursor.line(index), cursor.line(index - 1)
    if match := _CAT.search(line):
        return index, match["path"], prompt_in(line) or Prompt(line.strip())
    prompt = prompt_in(above)
    if _TORN.match(line) and prompt and prompt.command.rpartition(" ")[2] == "cat":
        path = line.strip(" |")
        return index - 1, path, Prompt(f"{prompt.command} {path}", prompt.host)
    return None


def _answer(cursor: TextCursor, first: int, path: str) -> tuple[list[tuple[str, str]], int]:
    """What cat printed of one file: one line, more of priority_stats."""
    most = 8 if path.endswith(_OF_LINES) else 1
    return close_rows(cursor, first + 1, lambda line: (path, line), most, gap=0, no_prompts=True)


def _split(path: str) -> tuple[str, str]:
    """The device, or the cache set by its uuid, and the path below its directory.

    What belongs to the cache of a device has the same name whichever way leads there.
    """
    if match := _SET.match(path):
        return (match["part"], match["rest"]) if match["part"] else (match["set"], match["rest"])
    if match := _DEVICE.match(path):
        return match["name"].replace("!", "/"), match["rest"]
    return "", path.removeprefix("./").removeprefix("bcache/")


def _values(files: Mapping[str, str]) -> dict[str, Scalar]:
    plain = {path.rpartition("/")[2]: text for path, text in files.items() if "stats_" not in path}
    texts = {**plain, **{f"cache/{name}": text for name, text in plain.items()}}
    values: dict[str, Scalar] = {
        **cache_facts(texts),
        "backing_device": plain.get("backing_dev_name"),
        **{name: size(plain.get(name)) for name in _SIZES},
        **{name: chosen(plain.get(name, "")) for name in _CHOICES},
        **{name: int(plain[name]) for name in _FIGURES if plain.get(name, "").isdecimal()},
        **{name: plain[name] == "1" for name in _FLAGS if plain.get(name) in {"0", "1"}},
    }
    use = next((text for path, text in files.items() if path.endswith("priority_stats")), "")
    for what, percent in _SHARE.findall(use):
        values[f"{what.lower()}_share"] = int(percent) / 100
    for pair in _USE.finditer(use):
        values[_USED_AS[pair["label"]]] = int(pair["figure"])
    rate = next((text for path, text in files.items() if path.endswith(_OF_LINES[1])), "")
    for pair in _RATE.finditer(rate):
        label, bytes_ = pair["label"], size(pair["size"].lstrip("-"))
        if bytes_ is not None:
            name = label if label == "dirty" else f"writeback_{label}"
            values.setdefault(name, -bytes_ if pair["size"].startswith("-") else bytes_)
    if after := _NEXT.search(rate):
        values["writeback_next_io"] = int(after["milliseconds"]) / 1000
    return without_none(values)


def _counts(files: Mapping[str, str]) -> dict[str, Json]:
    """The counters since the device was registered; those of a while in a part of their own."""
    texts = {"/".join(path.split("/")[-2:]): text for path, text in files.items()}
    counted: dict[str, Json] = dict(counts(texts))
    for span in ("stats_five_minute", "stats_hour", "stats_day"):
        if of_span := counts(texts, span):
            counted[span] = dict(of_span)
    return counted
