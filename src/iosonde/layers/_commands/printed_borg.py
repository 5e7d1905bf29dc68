"""BorgBackup: what `borg create --stats`, `borg info`, `borg prune --stats` and `borg list` print.

Sizes are decimal ("2.14 MB"), or binary with --iec ("2.04 MiB").

Source: borg 1.1 to 1.4, src/borg/archive.py (Archive.__str__(), Statistics), helpers/parseformat.py
(format_file_size()), archiver.py (do_info(), do_list(): "{archive:<36} {time} [{id}]"); borg 2.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import PartlyReadItems, StateOutput, close_lines, close_rows, start_of

_LABELS = (
    "Repository ID|Repository|Location|Repository version|Encrypted|Cache|Security dir|Key file"
    "|Append only|Storage quota|Archive name|Archive fingerprint|Comment|Hostname|Username"
    r"|Tags|Time \(start\)|Time \(end\)|Duration|Number of files|Command line"
    "|Utilization of max[.] archive size|Utilization of maximum supported archive size"
    "|Added files|Unchanged files|Modified files|Error files|Files changed while reading"
    "|Original size|Deduplicated size|Compressed size|Bytes read from remote|Bytes sent to remote"
    "|Time spent in hashing|Time spent in chunking|Hashing time|Chunking time"
)
_PAIR = re.compile(rf"\s*(?P<label>{_LABELS}):\s+(?P<value>\S.{{0,400}}?)\s*$")
_SIZE = r"-?\d{1,12}(?:\.\d{1,3})? (?:[kMGTPEZY]i?)?B"
_SIZES = re.compile(
    r"\s*(?P<what>This archive|All archives|Deleted data|Deleted archives):"
    rf"\s+(?P<original>{_SIZE})\s+(?P<compressed>{_SIZE})\s+(?P<deduplicated>{_SIZE})\s*$"
)
_CHUNKS = re.compile(r"\s*Chunk index:\s+(?P<unique>\d{1,15})\s+(?P<total>\d{1,15})\s*$")
_HEADS = re.compile(
    r"\s*(?:Original size\s+Compressed size\s+Deduplicated size|Unique chunks\s+Total chunks"
    r"|-{20,})\s*$"
)
_WHEN = r"[A-Z][a-z]{2}, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [+-]\d{4})?"
_ARCHIVE = re.compile(
    rf"\s*(?P<name>\S[^\[\]|]{{0,199}}?)\s+(?P<time>{_WHEN}) \[(?P<id>[0-9a-f]{{64}})\]\s*$"
)
_DURATION = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) (second|minute|hour|day)s?")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_FIRM = ("Archive fingerprint", "Repository ID", "Archive name", "Utilization of ")


class BorgStatistics(StateOutput):
    tool = "borg"
    anchors = (
        "Archive name: ", "Archive fingerprint: ", "Repository ID: ", "This archive: ",
        "All archives: ", "Deleted data: ", "Chunk index: ", "Utilization of max",
    )  # fmt: skip
    commands = ("borg", "borgmatic")
    nothing = "none of its figures is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        pair = _PAIR.match(line)
        is_firm = pair is not None and pair["label"].startswith(_FIRM)
        if not (is_firm or _SIZES.match(line) or _CHUNKS.match(line)):
            return None
        return start_of(cursor, _is_own, most=30)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        pairs: dict[str, str] = {}
        totals: dict[str, Json] = {}
        last = first
        for index, line in close_lines(cursor, first, 60, gap=2):
            pair, sizes, chunks = _PAIR.match(line), _SIZES.match(line), _CHUNKS.match(line)
            if prompt_in(line) or not _is_own(line) or (pair and pair["label"] in pairs):
                break
            last = index
            if pair:
                pairs[pair["label"]] = pair["value"]
            elif sizes:
                what = sizes["what"].lower().replace(" ", "_")
                totals[what] = {
                    f"{name}_size": _bytes(sizes[name])
                    for name in ("original", "compressed", "deduplicated")
                }
            elif chunks:
                totals["chunk_index"] = {
                    "unique_chunks": int(chunks["unique"]), "chunks": int(chunks["total"]),
                }  # fmt: skip
        return last, _things(self, pairs, totals, prompt)


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_PAIR, _SIZES, _CHUNKS, _HEADS))


def _things(
    output: StateOutput,
    pairs: Mapping[str, str],
    totals: Mapping[str, Json],
    prompt: Prompt,
) -> Iterable[PrintedSubject | PrintedCounters]:
    name = pairs.get("Archive name", "")
    place = pairs.get("Repository") or pairs.get("Location") or pairs.get("Repository ID", "")
    kind = "backup_archive" if name or not place else "backup_repository"
    if pairs:
        yield PrintedSubject(kind, name or place, _values(pairs), prompt.host)
    if totals:
        yield output.counted(kind, name or place, dict(totals), prompt)


def _values(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What the labels say: sizes in bytes, a duration in seconds, a share of 1."""
    values: dict[str, Scalar] = {}
    rest: dict[str, str] = {}
    for label, text in pairs.items():
        if label == "Duration" and (parts := _DURATION.findall(text)):
            values["duration"] = round(
                sum(float(count) * _SECONDS[unit] for count, unit in parts), 3
            )
        elif label.startswith("Utilization") and (share := re.fullmatch(r"(\d{1,3})%", text)):
            values["archive_size_limit_used_share"] = int(share[1]) / 100
        elif re.fullmatch(_SIZE, text):
            values |= dict.fromkeys(as_labelled({label: "0"}), _bytes(text))
        else:
            rest[label] = text
    return as_labelled(rest) | values


def _bytes(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    return sign * round(units.printed(text.lstrip("-").replace(" ", ""))[0])


class BorgArchives(StateOutput):
    tool = "borg list"
    anchors = (*(f"{day}, 20" for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")),)
    commands = ("borg", "borgmatic")
    reach = 6
    beginning = _ARCHIVE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        rows, last = close_rows(cursor, first, _ARCHIVE.match, 4000)
        return last, [
            PrintedSubject(
                "backup_archive", row["name"], {"time": row["time"], "id": row["id"]}, prompt.host
            )
            for row in rows
        ]
