"""A file of sysfs or /proc/sys with its value, as cat, grep, head and tail show it, or as noted.

The files of a block device's queue and of bcache have readers of their own.

Source: Linux Documentation/ABI/stable/sysfs-block and ABI/testing/sysfs-block-device ("inflight":
reads, then writes), Documentation/admin-guide/md.rst, admin-guide/sysctl/;
drivers/scsi/scsi_transport_fc.c (fc_port_type_names, fc_port_state_names, fc_port_speed_names);
grep(1) and head(1) for what they put before each file's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers._commands.facts import number, written
from iosonde.layers._names import kind_by_name
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_with_path
from iosonde.text.reader import Items, StateOutput

_PATH = (
    r"(?P<path>/sys/(?:class/)?block/[\w!.-]{1,40}/(?:device|md)/[a-z]\w{1,40}"
    r"|/sys/(?:class/|devices/virtual/)?block/md[\w!.-]{1,40}/md/(?:rd\d{1,4}|dev-[\w!.-]{1,40})"
    r"/[a-z]\w{1,40}"
    r"|/sys/(?:class/|devices/virtual/)?block/[\w!.-]{1,40}(?:/[\w!.-]{1,40})?"
    r"/(?:inflight|size|ro|removable|start)"
    r"|/sys/class/net/[\w.:-]{1,32}/(?:mtu|tx_queue_len)"
    r"|/sys/class/fc_host/host\d{1,5}/(?:port_\w{2,5}|fabric_name|node_name|speed|dev_loss_tmo)"
    r"|/sys/module/\w{1,40}/parameters/\w{1,60}"
    r"|/sys/devices/system/cpu/cpu\d{1,4}/cpufreq/scaling_governor"
    r"|/proc/sys/(?:vm|net|fs|dev|kernel|sunrpc)/[\w./-]{1,80}\w"
    r"|/proc/fs/nfsd/threads)"
)
_SAME = re.compile(
    rf"\s*(?:[#$] (?:sudo )?cat )?{_PATH}(?:: ?| : | ?= ?|\s{{1,12}})(?P<value>\S.{{0,200}})$"
)
_HEADED = re.compile(rf"\s*==> {_PATH} <==\s*$")
_SLAVE = re.compile(r"(?:/devices/virtual|/class)?/block/[\w!.-]{1,40}/slaves/")
"""Where sysfs has links to the devices that a device is made of."""
_SHOWN = re.compile(rf"(?:sudo )?(?:cat|head|tail|more)\s+(?:-\S+ )*{_PATH}\s*$")
_VALUE = re.compile(
    r"-?\d{1,20}(?:\s+-?\d{1,20}){0,3}$|[A-Za-z][\w-]{0,30}$|0x[0-9a-f]{1,16}$"
    r"|[a-z]\w{1,30}(?:,[a-z]\w{1,30}){1,6}$"  # what holds for a member of md
    r"|(?:N|NL|L)Port \([a-z -]{8,30}\)$|Point-To-Point \([a-z ]{8,30}\)$|NPIV VPORT$|Not Present$"
    r"|\d{1,3} Gbit$"  # of a port of Fibre Channel
    r"|\d{1,12} \((?:system|local)\)$"  # md's limits of a resync: of all arrays, or its own
)
_BARE = re.compile(
    r"/block/(?:(?P<disk>[^/]+)/)?(?P<device>[^/]+)/(?P<name>inflight|size|ro|removable|start)$"
)
_MEMBER = re.compile(r"/block/(?P<array>md[^/]+)/md/(?P<member>rd\d+|dev-[^/]+)/(?P<name>\w+)$")


class SysfsFiles(StateOutput):
    tool = "sysfs"
    anchors = (
        "/device/queue_depth", "/device/timeout", "/device/state", "/md/", "/inflight",
        "/sys/module/", "/sys/class/net/", "/cpufreq/scaling_governor", "/proc/sys/",
        "/proc/fs/nfsd/threads", "/class/fc_host/", "/removable", "/size", "/start", "/md# ",
        "/md$ ", "cat inflight", "cat slaves/",
    )  # fmt: skip
    commands = ("cat", "grep", "head", "tail", "more")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _entry(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        items: list[PrintedSubject | PrintedCounters] = []
        last, after = first, first
        for index, line in lines(cursor, first, 2000):
            if index < after or not line:
                if index > last + 2:
                    break
                continue
            entry = _entry(cursor, index)
            if entry is None:
                break
            path, value, last, host = entry
            after = last + 1
            where = Prompt(prompt.command, host or prompt.host)
            items += self._of(path, value, where)
        return last, _merged(items)

    def _of(
        self, path: str, value: str, where: Prompt
    ) -> Iterable[PrintedSubject | PrintedCounters]:
        bare, member = _BARE.search(path), _MEMBER.search(path)
        if member:
            values = {f"{member['member']}.{member['name']}": number(value)}
            yield PrintedSubject(kind_by_name(member["array"]), member["array"], values, where.host)
            return
        if bare is None:
            for subject in written(path, value):
                yield PrintedSubject(subject.kind, subject.name, subject.values, where.host)
            return
        device, figures = bare["device"].replace("!", "/"), value.split()
        kind = "partition" if bare["disk"] else kind_by_name(device)
        if bare["name"] == "inflight" and len(figures) == 2:
            reads, writes = map(int, figures)
            flying = {"reads_in_flight": reads, "writes_in_flight": writes}
            yield self.counted(kind, device, flying, where)
        elif len(figures) == 1 and value.isdecimal():
            sizes: Mapping[str, tuple[str, Scalar]] = {
                "size": ("size", int(value) * units.SECTOR),
                "start": ("start", int(value) * units.SECTOR),
                "ro": ("read_only", value == "1"), "removable": ("removable", value == "1"),
            }  # fmt: skip
            if bare["name"] in sizes:
                name, fact = sizes[bare["name"]]
                yield PrintedSubject(kind, device, {name: fact}, where.host)


def _entry(cursor: TextCursor, index: int) -> tuple[str, str, int, str] | None:
    """Path, value, index of its last line, and host; None where no file is shown."""
    line = cursor.line(index)
    if "/" not in line:
        return None
    match = _SAME.match(line)
    if match and _VALUE.match(match["value"].strip()):
        return match["path"], match["value"].strip(), index, ""
    prompt = prompt_with_path(line)
    command = _SLAVE.sub("/class/block/", prompt.command if prompt else line.strip())
    shown = _HEADED.match(line) or _SHOWN.match(command)
    value = cursor.line(index + 1).strip()
    if not shown or not _VALUE.match(value):
        return None
    return shown["path"], value, index + 1, prompt.host if prompt else ""


def _merged(
    items: Iterable[PrintedSubject | PrintedCounters],
) -> Iterable[PrintedSubject | PrintedCounters]:
    """One subject for each thing."""
    subjects: dict[tuple[str, str, str], dict[str, Scalar]] = {}
    for item in items:
        if isinstance(item, PrintedSubject):
            subjects.setdefault((item.kind, item.name, item.host), {}).update(item.values)
        else:
            yield item
    for (kind, name, host), values in subjects.items():
        yield PrintedSubject(kind, name, values, host)
