"""nvme id-ctrl and id-ns: what a controller and a namespace say they are.

Source: nvme-cli 2.3, nvme-print-stdout.c (stdout_id_ctrl, stdout_id_ns: "NAME      : VALUE"); NVM
Express Base Specification 2.0, figures 275 and 97: LBADS is a power of two of bytes, temperatures
are in kelvin; MDTS is a power of two of the controller's smallest page, which is not printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers._commands.versions import PackageVersion, V
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, top_of

_HEAD = re.compile(r"\s*NVME Identify (?P<what>Controller|Namespace (?P<space>\d{1,9})):?\s*$")
_PAIR = re.compile(r"\s*(?P<name>[a-z]\w{1,12})\s*: ?(?P<value>.{0,200})$")
_NAMES = frozenset({
    "vid", "ssvid", "sn", "mn", "fr", "rab", "ieee", "cmic", "mdts", "cntlid", "ver", "rtd3r",
    "rtd3e", "oaes", "ctratt", "rrls", "oacs", "acl", "aerl", "frmw", "lpa", "elpe", "npss",
    "avscc", "apsta", "wctemp", "cctemp", "mtfa", "hmpre", "hmmin", "tnvmcap", "unvmcap",
    "rpmbs", "edstt", "dsto", "fwug", "kas", "hctma", "mntmt", "mxtmt", "sanicap", "sqes",
    "cqes", "maxcmd", "nn", "oncs", "fuses", "fna", "vwc", "awun", "awupf", "nvscc", "nwpc",
    "acwu", "sgls", "mnan", "subnqn", "nsze", "ncap", "nuse", "nsfeat", "nlbaf", "flbas", "mc",
    "dpc", "dps", "nmic", "rescap", "fpi", "dlfeat", "nawun", "nawupf", "nacwu", "nabsn", "nabo",
    "nabspf", "noiob", "nvmcap", "nguid", "eui64",
})  # fmt: skip
_OTHER = re.compile(r"\s{6,}+\S|\s*+(?:\[|ps\s+\d|lbaf\s+\d|rwt:|active_power)")
_FORMAT = re.compile(
    r"\s*lbaf\s+(?P<number>\d{1,2}) : ms:(?P<meta>\d{1,5})\s+(?:lba)?ds:(?P<shift>\d{1,2})\s+"
    r"rp:\S+(?P<used> \(in use\))?"
)
_LBA_FORMAT = re.compile(
    r"\s*LBA Format {1,3}(?P<number>\d{1,2}) : Metadata Size: (?P<meta>\d{1,5}) {1,4}bytes - "
    r"Data Size: (?P<block>\d{1,6}) bytes - Relative Performance: \S+ [A-Z]\w+"
    r"(?P<used> \(in use\))?"
)
"""As `--human-readable` prints it."""
_CHOSEN = re.compile(r"nvme id-(?:ctrl|ns) .{0,80}/dev/nvme\w{1,8}.{0,20}\| ?\w?grep ")
_REMARK = re.compile(r"\s*#{1,2} ?(?=[a-z]\w{1,12}\s*:)")
"""What makes a line a remark: so some write an output below its command."""
_DEVICE = re.compile(r"/dev/(nvme\d{1,4}(?:n\d{1,4})?)\b")
_HEX = frozenset({"cntlid", "ver", "rtd3r", "rtd3e", "sgls"})
"""What nvme-cli 1.5 prints as hexadecimal figures with nothing before them ("%x")."""
_READ = frozenset({"mn", "sn", "fr", "vid", "mdts", "nn", "vwc", "wctemp", "cctemp"})
_OF_CONTROLLER = frozenset({
    "mn", "sn", "mdts", "vwc", "nn", "tnvmcap", "unvmcap", "cntlid", "oacs", "oncs", "edstt",
    "dsto", "sanicap",
})  # fmt: skip
"""Some of what only a controller has, of which grep may leave one."""
_MOST = 300


class NvmeIdentify(StateOutput):
    tool = "nvme id"
    anchors = (
        "NVME Identify Controller", "NVME Identify Namespace", "nvme id-ctrl ", "nvme id-ns ",
        "mdts      :", "vwc       :", "oncs      :", "mn        :", "fr        :", "nsze    :",
        "ncap    :", "nuse    :", "tnvmcap ", "unvmcap ", "flbas   :", " lbads:", "LBA Format ",
    )  # fmt: skip
    commands = ("nvme",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        if _is_alone(line):
            return top_of(cursor, _is_alone, most=60)
        below = _REMARK.sub("", cursor.line(cursor.at + 1))
        chosen = _CHOSEN.search(line) and (_PAIR.match(below) or _FORMAT.match(below))
        return cursor.at + 1 if chosen else None  # grep leaves no head

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first))
        pairs, last = dict[str, str](), first
        formats: dict[int, re.Match[str]] = {}
        remarked = head is None and _REMARK.match(cursor.line(first)) is not None
        alone = head is None and "nvme" not in prompt.command
        for index, whole in lines(cursor, first + bool(head), _MOST):
            line = _REMARK.sub("", whole) if remarked else whole
            pair, lbaf = _PAIR.match(line), _FORMAT.match(line) or _LBA_FORMAT.match(line)
            if alone and line and not _is_alone(line):
                break
            if index > last + 2 or (line and not (pair or lbaf or _OTHER.match(line))):
                break
            if lbaf:
                formats[int(lbaf["number"])] = lbaf
            elif pair:
                pairs.setdefault(pair["name"], _marked(pair["name"], pair["value"].strip()))
            last = index if line else last
        device = _DEVICE.search(prompt.command)
        name = device[1] if device else ""
        space = head["space"] if head else "id-ns" in prompt.command
        space = space or (head is None and not pairs.keys() & _OF_CONTROLLER)
        values = _namespace(pairs, formats) if space else controller_facts(pairs)
        values = as_labelled(pairs, _READ) | values
        if not values:
            raise Unreadable("what it identifies is cut off", last)
        return last, [PrintedSubject("disk", name, values, prompt.host)]


def _marked(name: str, value: str) -> str:
    """A value as later versions print it: hexadecimal figures but 0 behind "0x" ("%#x")."""
    is_bare = name in _HEX and re.fullmatch(r"[0-9a-f]{1,16}", value) and value != "0"
    return f"0x{value}" if is_bare else value


def _is_alone(line: str) -> bool:
    """Whether a line is of this tool without a head above it."""
    pair = _PAIR.match(line)
    return bool((pair and pair["name"] in _NAMES) or _FORMAT.match(line) or _LBA_FORMAT.match(line))


def _block_of(form: re.Match[str]) -> int | None:
    """Bytes of a logical block in a format."""
    cells = form.groupdict()
    if cells.get("block"):
        return int(form["block"])
    return 1 << int(form["shift"]) if int(form["shift"]) < 20 else None


def _number(text: str | None) -> int | None:
    if text and (match := re.match(r"0x[0-9a-fA-F]{1,16}|\d{1,19}", text)):
        return int(match[0], 16) if match[0].startswith("0x") else int(match[0])
    return None


def controller_facts(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What a controller is, by the names of discovery.

    Args:
        pairs: field of the identify structure → value as printed.
    """
    cache = _number(pairs.get("vwc"))
    return without_none(
        {
            "model": pairs.get("mn") or None,
            "serial": pairs.get("sn") or None,
            "firmware": pairs.get("fr") or None,
            "vendor_id": pairs.get("vid") or None,
            "mdts": _number(pairs.get("mdts")),
            "size": _number(pairs.get("tnvmcap")) or None,
            "namespaces": _number(pairs.get("nn")),
            "volatile_write_cache": bool(cache & 1) if cache is not None else None,
            "warning_temperature": _celsius(_number(pairs.get("wctemp"))),
            "critical_temperature": _celsius(_number(pairs.get("cctemp"))),
            "transport": "nvme" if pairs.get("mn") else None,
        }
    )


def _celsius(kelvin: int | None) -> int | None:
    return kelvin - 273 if kelvin else None


def _namespace(pairs: Mapping[str, str], formats: Mapping[int, re.Match[str]]) -> dict[str, Scalar]:
    chosen = next((form for form in formats.values() if form["used"]), None)
    block = _block_of(chosen) if chosen else None
    blocks, used = _number(pairs.get("nsze")), _number(pairs.get("nuse"))
    return namespace_size(blocks, used, block, int(chosen["meta"]) if chosen else 0)


def namespace_size(
    blocks: int | None, used: int | None, block: int | None, meta: int
) -> dict[str, Scalar]:
    """Sizes of a namespace in bytes.

    Args:
        blocks: of it.
        used: blocks of it that hold data.
        block: bytes of a logical block.
        meta: bytes of metadata with each block.
    """
    return without_none(
        {
            "blocks": blocks,
            "size": blocks * block if blocks and block else None,
            "used": used * block if used and block else None,
            "logical_block_size": block,
            "metadata_size": meta or None,
        }
    )


VERSION = PackageVersion(
    {"nvme-cli": rf"nvme version {V}(?: \(git.{{0,60}}\))?"},
    anchors=("nvme version ",),
    commands=("nvme",),
)
"""Source: nvme-cli 2.3, plugin.c."""
