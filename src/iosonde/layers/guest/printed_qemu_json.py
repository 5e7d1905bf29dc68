"""`qemu-img info`, `check` and `map` with --output=json: images of virtual disks.

Source: QEMU, qapi/block-core.json (SnapshotInfo, ImageInfo, ImageCheck, MapEntry: sizes and
offsets in bytes; what one format has stands in "format-specific") and qemu-img.c
(dump_json_image_check(), dump_map_entry(): one extent a line) as of 2.2, and later changes to them:
"compression-type" (5.1), "present" (6.1), BlockNodeInfo, from which nodes below an image stand in
"children" (8.0), "compressed" of extents (8.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects
from iosonde.text.json_tree import as_json, scalars, tables

_KEYS = (
    "virtual-size|children|snapshots|filename|cluster-size|format|actual-size|encrypted|compressed|"
    "(?:full-)?backing-filename(?:-format)?|dirty-flag|format-specific"
)
_NAMES = {
    "virtual_size": "size", "actual_size": "allocation", "backing_filename": "backing_file",
    "backing_filename_format": "backing_format", "full_backing_filename": "full_backing_file",
    "dirty_flag": "dirty",
}  # fmt: skip
"""Names that `qemu-img info` in text has."""
_OF_FORMAT = "format_specific_data_"
_MAPPED = re.compile(r"\bmap\b[^|;&<>]*\s(?P<path>[^\s|;&<>-][^\s|;&<>]{0,300})\s*(?:[|;&<>]|$)")
_FLAGS = ("present", "zero", "data", "compressed")


class QemuImageJson(JsonOutput):
    tool = "qemu-img info"
    anchors = ('"virtual-size"', '"actual-size"')
    commands = ("qemu-img",)
    reach = 3
    nothing = "it does not say the size of an image"
    head = re.compile(rf'(?<!:)(?<!: )(?:\[\s*)?\{{\s*"(?:{_KEYS})"\s*:')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for image in [value] if isinstance(value, dict) else objects(value):
            size, path = number(image.get("virtual-size")), image.get("filename")
            if size is None or not isinstance(path, str) or "format" not in image:
                continue
            yield PrintedSubject("guest", path, _image(image), prompt.host)
            if lists := tables(image):
                yield self.counted("guest", path, lists, prompt)


def _image(image: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for key, value in scalars(image, ("filename",)).items():
        name = _NAMES.get(key, key.removeprefix(_OF_FORMAT))
        if key != "format_specific_type" or value != image["format"]:
            values[name] = value
    return values


class QemuCheckJson(JsonOutput):
    tool = "qemu-img check"
    anchors = ('"check-errors"',)
    commands = ("qemu-img",)
    reach = 3
    nothing = "it does not say what was checked"
    head = re.compile(
        r'\{\s*"(?:image-end-offset|total-clusters|allocated-clusters|fragmented-clusters|'
        r'compressed-clusters|check-errors|filename|format|leaks|corruptions)(?:-fixed)?"\s*:'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedCounters]:
        path = value.get("filename")
        if isinstance(path, str) and number(value.get("check-errors")) is not None:
            yield self.counted("guest", path, {**scalars(value, ("filename",))}, prompt)


class QemuMapJson(JsonOutput):
    """The extents as a table, and what they hold in bytes."""

    tool = "qemu-img map"
    anchors = ('"depth":',)
    commands = ("qemu-img",)
    reach = 3
    nothing = "it lists no extent"
    head = re.compile(
        r'\[\s*\{\s*"start"\s*:\s*\d{1,19}\s*,\s*"length"\s*:\s*\d{1,19}\s*,\s*"depth"\s*:'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedCounters]:
        extents = [row for row in objects(value) if isinstance(row.get("length"), int)]
        if not extents:
            return
        sums: dict[str, Json] = {"extents": len(extents)}
        for flag in _FLAGS:
            if any(flag in row for row in extents):
                sums[f"{flag}_bytes"] = sum(row["length"] for row in extents if row.get(flag))
        image = _MAPPED.search(prompt.command)
        path = image["path"] if image else ""
        yield self.counted("guest", path, {**sums, "table": as_json(extents)}, prompt)
