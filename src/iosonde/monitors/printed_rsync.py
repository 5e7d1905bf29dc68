"""rsync --stats, the two lines that end every verbose run, and --progress of each file.

bytes/sec are of both directions together over the whole run. Figures with prefixes are read where
the command says which: those of -h are of 1000, those of -hh of 1024. The speeds of --progress are
of 1024 always.

Source: rsync 3.2, main.c, output_summary(); progress.c, rprint_progress(); lib/compat.c,
get_number_separator() and do_big_num(): commas part thousands since 3.1, dots where the language
has a decimal comma.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.log_lines import log_prefix
from iosonde.text.reader import Items, StateOutput

_PLAIN = r"\d{1,3}(?:(?:,\d{3}){1,6}|(?:\.\d{3}){1,6})|\d{1,18}"
_N = rf"((?:{_PLAIN})(?![\d.,]*[KMGTP\d])|\d{{1,4}}[.,]\d\d[KMGTP](?!\w))"
_ANY = r"[\d,.]{1,24}[KMGTP]?"
_FIGURES = {
    "files": re.compile(rf"^\s*Number of files: {_N}"),
    "created_files": re.compile(rf"^\s*Number of created files: {_N}"),
    "deleted_files": re.compile(rf"^\s*Number of deleted files: {_N}"),
    "transferred_files": re.compile(rf"^\s*Number of (?:regular )?files transferred: {_N}"),
    "size": re.compile(rf"^\s*(?:Total file size: |total size is ){_N}"),
    "transferred_size": re.compile(rf"^\s*Total transferred file size: {_N} bytes"),
    "literal_data": re.compile(rf"^\s*Literal data: {_N} bytes"),
    "matched_data": re.compile(rf"^\s*Matched data: {_N} bytes"),
    "file_list_size": re.compile(rf"^\s*File list size: {_N}"),
    "sent": re.compile(rf"^\s*(?:Total bytes sent: |sent ){_N}"),
    "received": re.compile(rf"^\s*(?:Total bytes received: |sent {_ANY} bytes  received ){_N}"),
}
_TIMES = re.compile(
    r"^\s*File list (?P<what>generation|transfer) time: (?P<seconds>\d{1,9}[.,]\d{3}) seconds"
)
_KINDS = re.compile(
    r"^\s*Number of (?P<what>(?:created |deleted )?files): [\d,.]{1,24} "
    r"\((?P<kinds>(?:[a-z]{3,7}: [\d,.]{1,24}(?:, )?){1,6})\)\s*$"
)
_KIND = re.compile(r"(?P<kind>[a-z]{3,7}): (?P<count>[\d,.]{1,23}\d|\d)")
_SPEEDUP = re.compile(
    r"^\s*total size is \S{1,24}  speedup is "
    r"(?P<whole>\d{1,3}(?:[,.]\d{3}){0,5}|\d{1,15})[,.](?P<part>\d\d)(?![\d.,])"
    r"(?P<dry> \(DRY RUN\))?"
)
_RATE = re.compile(
    rf"^\s*sent {_ANY} bytes  received {_ANY} bytes  "
    rf"(?:(?P<rate>{_PLAIN})(?:[.,](?P<part>\d\d))?|(?P<scaled>\d{{1,4}}[.,]\d\d[KMGTP]))"
    r" bytes/sec"
)
_OWN = re.compile(
    r"^\s*(?:Number of (?:files|created|deleted|regular)|Total (?:file|transferred|bytes)"
    r"|Literal data|Matched data|File list (?:size|generation|transfer)"
    rf"|sent {_ANY} bytes  received|total size is )"
)
_HUMAN = re.compile(r"\s-(?!-)(?P<flags>[a-zA-Z0-9]{1,40})|\s--(?P<long>human-readable)\b")
_WITH_VALUES = re.compile(r"[efBTM@].*")
_PREFIXES = "KMGTP"
_MOST = 60


_PROGRESS = re.compile(
    rf"^\s*{_N}\s{{1,20}}(?P<share>\d{{1,3}})%\s{{1,20}}(?P<rate>\d{{1,6}}[.,]\d\d)"
    r"(?P<unit>[kMGT])B/s\s{1,20}(?P<time>\d{1,4}:\d\d:\d\d)"
    r"(?: \(xfe?r#(?P<number>\d{1,12}), (?P<what>to|ir)-che?c?k="
    r"(?P<left>\d{1,12})/(?P<of>\d{1,12})\))?\s*$"
)
_LISTED = re.compile(r"^(?:sending|receiving|building) (?:incremental )?file list|^\./$")
_AHEAD = 6
_MOST_FILES = 4000


class Rsync(StateOutput):
    tool = "rsync"
    anchors = (
        "Number of files: ", "Number of created files: ", "Total transferred file size: ",
        "bytes  received ", "(xfr#", "(xfer#",
    )  # fmt: skip

    commands = ("rsync",)
    nothing = "its figures have prefixes or are cut off"
    reach = 60

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        logged = log_prefix(cursor.stamped(cursor.at))
        if logged and logged.program and not logged.program.startswith("rsync"):
            return None
        first = cursor.at
        if _OWN.match(cursor.line(first)):
            return first
        if not _PROGRESS.match(cursor.line(first)):
            return None
        while _PROGRESS.match(cursor.line(first - 1)):
            first -= 1
        return first - 1 if _is_name(cursor.line(first - 1)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        base = _base(prompt.command)
        last, files = _files(cursor, first, base)
        below = first if last is None else last + 1
        last = first if last is None else last
        values = dict[str, Json]()
        for index, line in lines(cursor, below, _MOST):
            if index > last + 4 or (line and (prompt_in(line) or not _OWN.match(line))):
                break
            last = index if line else last
            for name, pattern in _FIGURES.items():
                match = pattern.match(line)
                if match and (amount := _amount(match[1], base)) is not None:
                    values.setdefault(name, amount)
            values |= _more(line)
            if match := _RATE.match(line):
                if match["rate"]:
                    values["bandwidth"] = _whole(match["rate"]) + int(match["part"] or 0) / 100
                elif (amount := _amount(match["scaled"], base)) is not None:
                    values["bandwidth"] = amount
        if values.keys() == {"files"} and not prompt.command:
            values = {}  # other programs that copy count files in these words, too
        counters = [self.counted("file", name, figures, prompt) for name, figures in files]
        return last, [*counters, *([self.counted("host", "", values, prompt)] if values else [])]


def _files(
    cursor: TextCursor, first: int, base: int
) -> tuple[int | None, list[tuple[str, dict[str, Json]]]]:
    """Index of the last line of --progress (None: none is there), and the files that it says."""
    last, name, files = None, "", list[tuple[str, dict[str, Json]]]()
    for index, line in lines(cursor, first, _MOST_FILES):
        if row := _PROGRESS.match(line):
            last = index
            if row["number"]:
                files.append((name, _progress(row, base)))
                name = ""
        elif not _is_name(line) or index > (first if last is None else last) + _AHEAD:
            break
        else:
            name = line.strip()
    return last, files


def _more(line: str) -> dict[str, Json]:
    """Files by kind, seconds of the list, and how much less was sent than the files have."""
    if kinds := _KINDS.match(line):
        what = kinds["what"].replace(" ", "_")
        return {
            f"{what}.{match['kind']}": _whole(match["count"])
            for match in _KIND.finditer(kinds["kinds"])
        }
    if time := _TIMES.match(line):
        return {f"file_list_{time['what']}_seconds": float(time["seconds"].replace(",", "."))}
    if speedup := _SPEEDUP.match(line):
        values: dict[str, Json] = {
            "speedup": round(_whole(speedup["whole"]) + int(speedup["part"]) / 100, 2)
        }
        return {**values, "dry_run": True} if speedup["dry"] else values
    return {}


def _base(command: str) -> int:
    """What prefixes are of: 1000 with one -h, 1024 with more, 0 where the command does not say."""
    times = 0
    for match in _HUMAN.finditer(command):
        times += 1 if match["long"] else _WITH_VALUES.sub("", match["flags"]).count("h")
    return 0 if not times else 1000 if times == 1 else 1024


def _amount(figure: str, base: int) -> int | float | None:
    """A figure in its unit; None where it has a prefix of which is not known what it means."""
    if figure[-1] not in _PREFIXES:
        return _whole(figure)
    if not base:
        return None
    power = _PREFIXES.index(figure[-1]) + 1
    return round(float(figure[:-1].replace(",", ".")) * float(base) ** power, 2)


def _whole(figure: str) -> int:
    return int(figure.replace(",", "").replace(".", ""))


def _is_name(line: str) -> bool:
    """Whether a line can be the name of a file."""
    return bool(line) and not prompt_in(line) and not _LISTED.match(line) and not _OWN.match(line)


def _progress(row: re.Match[str], base: int) -> dict[str, Json]:
    """Bytes, share, bytes a second, seconds, and the files that are left."""
    values: dict[str, Json] = {}
    if (size := _amount(row[1], base)) is not None:
        values["size"] = size
    power = "kMGT".index(row["unit"]) + 1
    values |= {
        "done": int(row["share"]) / 100,
        "bandwidth": float(row["rate"].replace(",", ".")) * 1024**power,
        "seconds": units.clock_seconds(row["time"]),
        "transfer": int(row["number"]), "files_left": int(row["left"]),
        "files": int(row["of"]),
    }  # fmt: skip
    if row["what"] == "ir":
        values["listing"] = True
    return values
