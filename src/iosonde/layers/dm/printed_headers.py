"""`integritysetup dump`, `veritysetup dump` and `cryptsetup bitlkDump`: headers of a device.

Salts, root hashes and keys are not kept.

Source: cryptsetup 2.6 and 2.8, lib/integrity/integrity.c (INTEGRITY_dump(): before 2.8 "%s %u" with
underscores, "provided_data_sectors" of 512 bytes), lib/verity/verity.c (VERITY_dump()),
lib/bitlk/bitlk.c (BITLK_dump()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*(?:Info for (?P<bitlk>BITLK)(?: To Go)? device (?P<windows>\S{1,200})\."
    r"|Info for integrity device (?P<old>\S{1,200})\."
    r"|(?P<format>INTEGRITY|VERITY) header information for (?P<device>\S{1,200}?)\.?)\s*$"
)
_NAMES = (
    "version|superblock_version|tag size|integrity_tag_size|sector size|sector_size|data size"
    "|provided_data_sectors|recalculate sector|recalc_sector|journal sections|journal_sections"
    "|log2 interleave sectors|log2_interleave_sectors|log2 blocks per bitmap"
    "|log2_blocks_per_bitmap|flags"
)
_INTEGRITY = re.compile(rf"\s*(?P<label>{_NAMES}):?\s+(?P<value>\S.{{0,120}}?)\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z ]{2,24}):\s*(?P<value>.{0,200}?)\s*$")
_ROW = re.compile(
    r"\s*(?:\d{1,2}: (?:VMK|FVEK|FVE metadata area|Volume header)|Keyslots:|Metadata segments:)\s*$"
)
_BYTES = re.compile(r"\s*[0-9a-f]{1,2}(?:[ :]?[0-9a-f]{2}){0,63}[0-9a-f]?\s*$")
_SIZE = re.compile(r"(\d{1,20}) (?:\[bytes\]|\[512-byte units\] \((?P<bytes>\d{1,20}) \[bytes\]\))")
_SECRET = {"Salt", "Root hash"}
_RENAMED = {
    "provided_data_sectors": ("data size", units.SECTOR), "integrity_tag_size": ("tag size", 1),
    "recalculate sector": ("recalc_sector", 1), "version": ("superblock_version", 1),
}  # fmt: skip
"""Labels of versions before and since 2.8 → those kept, and bytes of one."""


class HeaderDump(StateOutput):
    tool = "header dump"
    anchors = (
        "INTEGRITY header information for ", "VERITY header information for ",
        "Info for integrity device", "Info for BITLK",
    )  # fmt: skip
    commands = ("integritysetup", "veritysetup", "cryptsetup")
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        kind = head["bitlk"] or head["format"] or "INTEGRITY"
        form = _INTEGRITY if kind == "INTEGRITY" else _PAIR
        pairs, last, parts = dict[str, str](), first, ""
        for index, line in close_lines(cursor, first + 1, 200, gap=3):
            pair = form.match(line)
            if prompt_in(line) or not (pair or _ROW.match(line) or _BYTES.match(line)):
                break
            last = index
            parts = line.strip() if _ROW.match(line) else parts
            if pair and not parts and pair["label"] not in _SECRET:
                pairs[pair["label"]] = pair["value"]
        if not pairs:
            raise Unreadable("its fields are cut off", last)
        device = (head["device"] or head["windows"] or head["old"]).removeprefix("/dev/")
        named = dict(_in_bytes(label, text) for label, text in pairs.items())
        values: dict[str, Scalar] = {"format": kind, **as_labelled(named)}
        return last, [PrintedSubject("dm", device, values, prompt.host)]


def _in_bytes(label: str, text: str) -> tuple[str, str]:
    """A label and its value, sizes as bytes."""
    if size := _SIZE.match(text):
        return label, size["bytes"] or size[1]
    name, unit = _RENAMED.get(label, (label, 1))
    return name, str(int(text) * unit) if text.isdecimal() and unit > 1 else text
