"""`rbd info`, `rbd ls -l` and `rbd du` with --format json: images, their snapshots and their use.

Source: Ceph, src/tools/rbd/action/Info.cc (do_show_info()) as of about 13: its fields were compared
one by one, sizes are in bytes, "features" and "flags" lists of words, "protected" a text; "id",
"snapshot_count", "op_features" and "pool_namespace" came later. List.cc (list_process_image()) and
DiskUsage.cc (format_image_disk_usage()) were not compared again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects, part
from iosonde.text.json_tree import scalars

_NAME = r'"\s*:\s*"[^"]{1,200}"\s*,\s*'
_PARTS = ("name", "image", "snapshot", "parent", "protected", "lock_type")
_LOCKS = {"exclusive": "excl", "shared": "shr"}  # as the table has them


class _RbdJson(JsonOutput):
    """What all have in common."""

    commands = ("rbd",)
    reach = 3
    nothing = "it names no image"


class RbdInfoJson(_RbdJson):
    tool = "rbd info"
    anchors = ('"block_name_prefix"', '"object_size"', '"order":')
    head = re.compile(
        rf'\{{\s*"(?:name{_NAME}"(?:id{_NAME}")?|id{_NAME}")size"\s*:\s*\d{{1,19}}\s*,\s*"objects"'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        if not isinstance(value.get("block_name_prefix"), str):
            return
        values = _image(value)
        for key in ("features", "op_features", "flags"):
            if isinstance(entries := value.get(key), list) and entries:
                values[key] = ", ".join(map(str, entries))
        name = str(value.get("name") or value.get("id"))
        yield PrintedSubject("rbd", name, values, prompt.host)


class RbdImagesJson(_RbdJson):
    tool = "rbd ls"
    anchors = ('"lock_type"', '"image":')
    head = re.compile(
        rf'\[\s*\{{\s*"image{_NAME}"(?:id{_NAME}")?(?:snapshot{_NAME}"snapshot_id"\s*:\s*\d+\s*,'
        r'\s*")?size"\s*:\s*\d{1,19}\s*,\s*"(?:parent|format)"'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for row in objects(value):
            if isinstance(row.get("image"), str) and number(row.get("size")) is not None:
                yield PrintedSubject("rbd", _spec(row, "image"), _image(row), prompt.host)


class RbdUsageJson(_RbdJson):
    tool = "rbd du"
    anchors = ('"provisioned_size"', '"used_size"', '"images":')
    head = re.compile(
        rf'\{{\s*"images"\s*:\s*\[\s*\{{\s*"name{_NAME}[^{{}}]{{0,400}}?"provisioned_size"\s*:\s*\d'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for row in objects(value.get("images")):
            provisioned = number(row.get("provisioned_size"))
            if isinstance(row.get("name"), str) and provisioned is not None:
                values: dict[str, Scalar] = {
                    "provisioned": provisioned, **_numbers(row, {"used_size": "used"}),
                    **{key: row[key] for key in ("id", "snapshot_id") if row.get(key)},
                }  # fmt: skip
                yield PrintedSubject("rbd", _spec(row, "name"), values, prompt.host)
        totals = {"total_provisioned_size": "provisioned", "total_used_size": "used"}
        if sums := _numbers(value, totals):
            yield PrintedSubject("rbd", "<TOTAL>", sums, prompt.host)


def _spec(row: Mapping[str, Any], key: str) -> str:
    """An image, or one of its snapshots, as the tables of `rbd` name it."""
    snapshot = row.get("snapshot")
    return f"{row[key]}@{snapshot}" if isinstance(snapshot, str) else str(row[key])


def _numbers(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Scalar]:
    """The numbers of an object, by other names."""
    return {
        name: figure for key, name in names.items() if (figure := number(row.get(key))) is not None
    }


def _image(row: Mapping[str, Any]) -> dict[str, Scalar]:
    """Single values of an image, and the parent that it is a clone of as POOL/IMAGE@SNAPSHOT."""
    values = scalars(row, _PARTS)
    parent = part(row, "parent")
    if parent.get("image"):
        place = [str(parent[key]) for key in ("pool", "pool_namespace", "image") if parent.get(key)]
        values["parent"] = f"{'/'.join(place)}@{parent.get('snapshot')}"
        values |= _numbers(parent, {"overlap": "overlap"})
        if parent.get("id"):
            values["parent_id"] = str(parent["id"])
        if parent.get("trash"):
            values["parent_trash"] = parent["trash"]
    if "protected" in row:
        values["protected"] = str(row["protected"]).lower() == "true"
    if row.get("lock_type"):
        values["lock"] = _LOCKS.get(str(row["lock_type"]), str(row["lock_type"]))
    return values
