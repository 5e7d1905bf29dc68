"""`nvme list-subsys` and `nvme list -v`: subsystems of NVMe, their controllers and their paths.

Source: nvme-cli 1.16, nvme-print.c (print_nvme_subsystem_list(): "%s - NQN=%s", a backslash,
" +- %s %s %s %s %s"), and 2.11, nvme-print-stdout.c (stdout_subsystem_list(): "hostnqn=",
"iopolicy=" below; stdout_detailed_list(): tables of subsystems, controllers and namespaces, as
wide as their dashes). States are the kernel's: Linux 4.16 to 6.12, drivers/nvme/host/core.c and
sysfs.c, nvme_sysfs_show_state() (reconnecting and only-admin of old ones), multipath.c,
nvme_ana_state_names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest

_SUBSYSTEM = re.compile(r"\s*(?P<name>nvme-subsys\d{1,4}) - NQN=(?P<nqn>\S.{0,222}?)\s*$")
_MORE = re.compile(r"\s*(?P<name>hostnqn|iopolicy|model|serial|firmware|type)=(?P<value>.{0,222})$")
_PATH = re.compile(
    r"\s*\+- (?P<name>nvme\d{1,4}) (?P<transport>pcie|tcp|rdma|fc|loop|apple-nvme)"
    r"(?P<address>(?: [\w:.=,%\[\]/-]{1,200}?){0,6}?) (?P<state>live|connecting"
    r"|reconnecting|resetting|deleting|deleting \(no IO\)|dead|new|only-admin|unknown state)"
    r"(?: (?P<ana>optimized|non-optimized|inaccessible|persistent-loss|change|invalid state))?\s*$"
)
_HEAD = re.compile(
    r"\s*(?:Subsystem +Subsystem-NQN +Controllers|Device +(?:Cntlid +)?SN +MN +FR +TxPort +.{0,12}"
    r"Address +.{0,30}Namespaces|Device +(?:Generic +)?NSID +Usage +Format +Controllers)\s*$"
)
_TITLE = re.compile(r"\s*NVM Express (?:Subsystems|Controllers|Namespaces)\s*$")
_DASHES = re.compile(r"\s*-{4,}(?: +-{4,}){2,9}\s*$")
_USAGE = re.compile(r"(?P<used>[\d.,]{1,12} +[kMGTP]?B) / +(?P<size>[\d.,]{1,12} +[kMGTP]?B)$")
_FORMAT = re.compile(r"(?P<block>\d{1,5} +[KM]?i?B) \+ +(?P<meta>\d{1,5}) B$")
_MOST = 1000


class NvmeSubsystems(StateOutput):
    tool = "nvme list-subsys"
    anchors = (" - NQN=", "+- nvme")
    commands = ("nvme",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _SUBSYSTEM.match(line):
            return cursor.at
        if not _PATH.match(line):
            return None
        above = nearest(cursor, 8, _SUBSYSTEM.match)
        return cursor.at if above is None else above

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        above: dict[str, Scalar] = {}
        last, opened = first, False
        for index, line in lines(cursor, first, _MOST):
            if index <= last and index > first:
                continue  # the rest of a path
            if index > last + 2 or (index > first and prompt_in(line)):
                break
            if subsystem := _SUBSYSTEM.match(line):
                subjects += _without_path(above, prompt.host) if opened else ()
                above = {"nqn": subsystem["nqn"].strip(), "subsystem": subsystem["name"]}
                opened = False
            elif more := _MORE.match(line):
                above[more["name"]] = more["value"].strip()
            elif path := _PATH.match(f"{line} {cursor.line(index + 1).strip()}"):
                subjects.append(_controller(path, above, prompt.host))
                last, opened = index + bool(cursor.line(index + 1)), False  # a mail broke it
                continue
            elif path := _PATH.match(line):
                subjects.append(_controller(path, above, prompt.host))
                opened = False
            elif line.strip() not in {"", "\\"}:
                opened = opened and "+-" not in line
                break
            opened = opened or line.strip() == "\\"
            last = index if line else last
        subjects += _without_path(above, prompt.host) if opened else ()
        if not subjects:
            raise Unreadable("no controller follows", last)
        return last, subjects


class NvmeVerboseList(StateOutput):
    tool = "nvme list -v"
    anchors = ("Subsystem-NQN", " TxPort ", "NSID     Usage", "NSID       Usage")
    commands = ("nvme",)
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _HEAD.match(cursor.line(cursor.at)):
            return None
        above = nearest(cursor, 3, _TITLE.match)
        return cursor.at if above is None else above

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head: list[str] = []
        spans: list[tuple[int, int]] = []
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + 3 or (index > first and prompt_in(line)):
                break
            if _HEAD.match(line):
                head, spans = fields(line.replace("Subsystem-NQN", "NQN")), []
            elif _DASHES.match(line):
                spans = [match.span() for match in re.finditer(r"-+", line)]
            elif line and spans and line.lstrip().startswith(("nvme", "/dev/nvme")):
                if len(spans) != len(head):
                    raise Unreadable("its columns are not those of its head", index)
                subjects += _row(_cells(line, spans, head), prompt.host)
            elif line and not _TITLE.match(line):
                break
            last = index if line else last
        if not subjects:
            raise Unreadable("no row follows its head", last)
        return last, subjects


def _without_path(above: Mapping[str, Scalar], host: str) -> Iterator[PrintedSubject]:
    """A subsystem below whose backslash no controller follows."""
    if "nqn" in above:
        values = {name: value for name, value in above.items() if name != "subsystem"}
        yield PrintedSubject("nvmeof", str(above["subsystem"]), {**values, "paths": 0}, host)


def _controller(path: re.Match[str], above: Mapping[str, Scalar], host: str) -> PrintedSubject:
    """A controller, with the subsystem that it is a path of."""
    values: dict[str, Scalar] = {**above, "state": path["state"]}
    if path["ana"]:
        values["ana_state"] = path["ana"]
    for part in path["address"].replace(",", " ").split(" "):
        name, equals, value = part.partition("=")
        if equals:
            values[{"traddr": "address", "trsvcid": "port"}.get(name, name)] = value
        elif name:
            values["address"] = name
    return _of_transport(path["name"], path["transport"], values, host)


def _of_transport(
    name: str, transport: str, values: dict[str, Scalar], host: str
) -> PrintedSubject:
    """A disk's controller, or one that is reached over a network."""
    if transport == "pcie":
        return PrintedSubject("disk", name, {"transport": "nvme", **values}, host)
    return PrintedSubject("nvmeof", name, {"transport": transport, **values}, host)


def _cells(line: str, spans: list[tuple[int, int]], head: list[str]) -> dict[str, str]:
    """The cells of a row by their head; the last goes to the end of the line.

    Raises:
        Unreadable: a cell goes over the border of its column.
    """
    cells = {}
    for at, (begin, end) in enumerate(spans):
        following = spans[at + 1][0] if at + 1 < len(spans) else len(line)
        if line[end:following].strip() and at + 1 < len(spans):
            raise Unreadable("a cell is wider than its column")
        cells[head[at]] = line[begin:following].strip()
    return cells


def _row(cells: Mapping[str, str], host: str) -> Iterator[PrintedSubject]:
    """What a row of one of the three tables is about."""
    if "NQN" in cells:
        values: dict[str, Scalar] = {"nqn": cells["NQN"], "controllers": cells["Controllers"]}
        yield PrintedSubject("nvme_subsystem", cells["Subsystem"], values, host)
    elif "SN" in cells:
        values = {
            "serial": cells["SN"], "model": cells["MN"], "firmware": cells["FR"],
            "address": cells.get("Address", ""), "subsystem": cells.get("Subsystem", ""),
            "namespaces": cells.get("Namespaces", ""), "slot": cells.get("Slot", ""),
        }  # fmt: skip
        kept: dict[str, Scalar] = {name: value for name, value in values.items() if value}
        yield _of_transport(cells["Device"], cells["TxPort"], kept, host)
    else:
        usage, form = _USAGE.match(cells["Usage"]), _FORMAT.match(cells["Format"])
        if usage is None or form is None:
            raise Unreadable("a size of a namespace is not as nvme prints it")
        size, used = (
            round(units.printed(usage[name].replace(" ", "").replace(",", "."))[0])
            for name in ("size", "used")
        )
        numbers: dict[str, Scalar | None] = {
            "size": size, "used": used,
            "logical_block_size": units.parse_bytes(form["block"].replace(" ", "")),
            "metadata_size": int(form["meta"]) or None,
            "nsid": int(cells["NSID"], 0), "controllers": cells["Controllers"] or None,
        }  # fmt: skip
        yield PrintedSubject(
            "disk", cells["Device"].removeprefix("/dev/"), without_none(numbers), host
        )
