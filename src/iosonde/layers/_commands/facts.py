"""What a command sets: the commands that change storage, network and kernel settings.

Sectors of blockdev and hdparm have
512 bytes; a speed of ethtool is in Mbit/s.

Source: blockdev(8), ifconfig(8), ip-link(8), ethtool(8), hdparm(8), sysctl(8), chkconfig(8),
systemctl(1), mount(8), nfsd(7) for /proc/fs/nfsd/threads; HP's Array Configuration Utility
CLI guide for cacheratio (read/write).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from iosonde import units
from iosonde.layers._commands.printed_sysctl import as_values
from iosonde.layers._mounts.facts import REMOTE
from iosonde.layers._mounts.facts import subject as mounted
from iosonde.layers._names import kind_by_name
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar

_ECHO = re.compile(
    r"(?:echo|printf)\s{1,9}(?:-\w{1,9}\s{1,9})?[\"']?(?P<value>[^\"'>|;]{1,100}?)[\"']?\s{0,9}"
    r"(?:>|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)\s*[\"']?(?P<path>/(?:sys|proc)/[^\s\"';|&`()]+)"
)
_LOOP = re.compile(r"for\s+(?P<name>\w+)\s+in\s+(?P<items>[^;$`]{1,200});?\s+do\b")
_BLOCK = re.compile(
    r"/sys/(?:class/)?block/(?P<device>[^/]+)/(?:queue|device|md|bcache)/(?P<name>\w+)$"
)
_SOURCED = re.compile(r"(?P<value>\d{1,12}) \((?P<source>system|local)\)")
_NET = re.compile(r"/sys/class/net/(?P<device>[^/]+)/(?P<name>mtu|tx_queue_len)$")
_PORT = re.compile(r"/sys/class/fc_host/(?P<port>host\d{1,5})/(?P<name>\w+)$")
_SETRA = re.compile(
    r"blockdev\s+(?:-v\s+)?--setra\s+(?P<sectors>\d{1,9})\s+(?P<devices>/dev/\S+(?:\s+/dev/\S+)*)"
)
_HDPARM = re.compile(
    r"hdparm\s+(?P<options>(?:-[A-Za-z]\s?\d*\s+)+)(?P<devices>/dev/\S+(?:\s+/dev/\S+)*)"
)
_IFCONFIG = re.compile(
    r"ifconfig\s+(?P<device>[\w.:-]+)\s+(?P<rest>.*\b(?:mtu|txqueuelen)\s+\d+.*)"
)
_IP_LINK = re.compile(
    r"ip\s+(?:-\w+\s+)?link\s+set\s+(?:dev\s+)?(?P<device>[\w.:@-]+)\s+"
    r"(?P<rest>.*\b(?:mtu|txqueuelen|qlen)\s+\d+.*)"
)
_PAIR = re.compile(r"\b(mtu|txqueuelen|qlen)\s+(\d{1,9})")
_ETHTOOL = re.compile(
    r"ethtool\s+(?:-(?P<letter>[KGCLs])|"
    r"--(?P<word>offload|features|set-ring|coalesce|set-channels|change))\s+"
    r"(?P<device>[\w.:-]+)\s+(?P<rest>[\w-]+\s+\S.*)"
)
_SYSCTL = re.compile(r"sysctl\s+(?:-[a-vx-z]\s+)*(?:-w|--write)?\s*(?P<rest>[a-z]+[./][\w./-]+=.*)")
_NAMED = re.compile(r"([a-z]+[./][\w./-]+)=(?:\"([^\"]*)\"|'([^']*)'|(\S*))")
_SERVICE = re.compile(
    r"chkconfig\s+(?:--levels?\s+\d+\s+)?(?P<old>[\w.@-]+)\s+off\b"
    r"|systemctl\s+(?:--now\s+)?(?:disable|mask)\s+(?:--now\s+)?(?P<new>[\w.@-]+(?:\s+[\w.@-]+)*)"
)
_RATIO = re.compile(
    r"(?:hpacucli|hpssacli|ssacli)\s+(?:ctrl|controller)\s+(?P<key>slot|ch|sn)=(?P<slot>\w+)\s+"
    r"modify\s+(?P<rest>[\w]+=.*)"
)
_MOUNT = re.compile(
    r"mount\s+(?:-t\s+(?P<type>\w+)\s+)?(?:-t\s+\w+\s+)?-o\s+"
    r"(?P<options>[\w=,.:/-]+)\s+(?:-t\s+(?P<later>\w+)\s+)?"
    r"(?P<source>\S*[/:]\S*)(?:\s+(?P<point>/\S*))?$"
)
_FEATURES = {"rx": "rx_checksum", "tx": "tx_checksum"}
_CHANNELS = {"combined": "combined_channels", "rx": "rx_channels", "tx": "tx_channels"}

_Set = Callable[["re.Match[str]"], Iterator[PrintedSubject]]


def number(text: str) -> Scalar:
    """What a file holds: a whole number where it is one."""
    text = text.strip()
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text


def _sourced(name: str, value: str) -> Iterator[tuple[str, Scalar]]:
    """A value, and where the file says so, whether it is of all arrays or of this one alone."""
    sourced = _SOURCED.fullmatch(value)
    yield name, number(sourced["value"] if sourced else value)
    if sourced:
        yield f"{name}_source", sourced["source"]


def _echoed(match: re.Match[str]) -> Iterator[PrintedSubject]:
    path, value = match["path"].replace("\\", ""), match["value"].strip()
    loop = _LOOP.search(match.string[: match.start()])
    items = loop["items"].split() if loop else [""]
    for item in items:
        whole = path
        if loop:
            for variable in (f"${{{loop['name']}}}", f"${loop['name']}"):
                whole = whole.replace(variable, item.removeprefix("/dev/"))
        if "$" not in whole and "`" not in whole:
            yield from written(whole, value)


def written(path: str, value: str) -> Iterator[PrintedSubject]:
    """What a value in a file of /sys or /proc is about.

    Args:
        path: of the file.
        value: what it holds, or is to hold.
    """
    if match := _BLOCK.match(path):
        name = match["device"].replace("!", "/")
        yield PrintedSubject(kind_by_name(name), name, dict(_sourced(match["name"], value)))
    elif match := _NET.match(path):
        setting = "txqueuelen" if match["name"] == "tx_queue_len" else match["name"]
        yield PrintedSubject("link", match["device"], {setting: number(value)})
    elif match := _PORT.match(path):
        yield PrintedSubject("fc_host", match["port"], {match["name"]: number(value)})
    elif path == "/proc/fs/nfsd/threads":
        yield PrintedSubject("nfsd", "", {"threads": number(value)})
    elif path.startswith("/proc/sys/"):
        yield PrintedSubject("host", "", as_values({path.removeprefix("/proc/sys/"): value}))
    elif match := re.match(r"/sys/module/(\w+)/parameters/(\w+)$", path):
        yield PrintedSubject("module", match[1], {match[2]: number(value)})
    elif path.endswith("/cpufreq/scaling_governor"):
        yield PrintedSubject("host", "", {"cpu.governor": value})
    elif match := re.match(r"/proc/irq/(\d+)/(smp_affinity(?:_list)?)$", path):
        yield PrintedSubject("host", "", {f"irq.{match[1]}.{match[2]}": value})


def _read_ahead(match: re.Match[str]) -> Iterator[PrintedSubject]:
    for device in match["devices"].split():
        kilobytes = int(match["sectors"]) * units.SECTOR // units.KIB
        yield PrintedSubject("disk", device.removeprefix("/dev/"), {"read_ahead_kb": kilobytes})


def _drive(match: re.Match[str]) -> Iterator[PrintedSubject]:
    values: dict[str, Scalar] = {}
    for letter, figure in re.findall(r"-([Wa])\s?(\d+)", match["options"]):
        if letter == "W":
            values["write_cache"] = "write back" if figure == "1" else "write through"
        else:
            values["read_ahead_kb"] = int(figure) * units.SECTOR // units.KIB
    for device in match["devices"].split() if values else ():
        yield PrintedSubject("disk", device.removeprefix("/dev/"), values)


def _interface(match: re.Match[str]) -> Iterator[PrintedSubject]:
    values: dict[str, Scalar] = {
        "txqueuelen" if name == "qlen" else name: int(figure)
        for name, figure in _PAIR.findall(match["rest"])
    }
    yield PrintedSubject("link", match["device"], values)


def _ethtool(match: re.Match[str]) -> Iterator[PrintedSubject]:
    letters = {"offload": "K", "features": "K", "set-ring": "G", "coalesce": "C",
             "set-channels": "L", "change": "s"}  # fmt: skip
    letter = match["letter"] or letters[match["word"]]
    pairs = re.findall(r"([a-z][\w-]*)\s+([\w.]+)", match["rest"])
    values: dict[str, Scalar] = {}
    for name, text in pairs:
        value: Scalar = text == "on" if text in {"on", "off"} else number(text)
        if letter == "K":
            values[_FEATURES.get(name, name.replace("-", "_"))] = value
        elif letter == "G":
            values[f"{name.replace('-', '_')}_ring"] = value
        elif letter == "L":
            values[_CHANNELS.get(name, name)] = value
        elif name == "speed" and isinstance(value, int):
            values["speed"] = value * 1_000_000 // 8
        else:
            values[name.replace("-", "_")] = value
    if values:
        yield PrintedSubject("link", match["device"], values)


def _sysctl(match: re.Match[str]) -> Iterator[PrintedSubject]:
    values = {
        name: bare or two or three for name, bare, two, three in _NAMED.findall(match["rest"])
    }
    yield PrintedSubject("host", "", as_values(values))


def _service(match: re.Match[str]) -> Iterator[PrintedSubject]:
    names = [name for name in (match["old"] or match["new"]).split() if not name.startswith("-")]
    if match.end() < len(match.string) or len(names) > 8:
        names = names[:1]  # a sentence goes on
    yield PrintedSubject("host", "", {"services_off": ", ".join(names)})


def _controller(match: re.Match[str]) -> Iterator[PrintedSubject]:
    values: dict[str, Scalar] = {match["key"]: number(match["slot"])}
    for name, value in re.findall(r"(\w+)=([\w/.-]+)", match["rest"]):
        shares = re.fullmatch(r"(\d{1,3})/(\d{1,3})", value)
        if name in {"cacheratio", "cr"} and shares:
            values["cache_read_share"] = int(shares[1]) / 100
            values["cache_write_share"] = int(shares[2]) / 100
        elif name in {"drivewritecache", "dwc"}:
            values["disk_cache"] = {"enable": "enabled", "disable": "disabled"}.get(value, value)
        else:
            values[name] = value
    yield PrintedSubject("controller", f"{match['key']}{match['slot']}", values)


def _mount(match: re.Match[str]) -> Iterator[PrintedSubject]:
    fstype = match["type"] or match["later"]
    source, point = match["source"], match["point"]
    if fstype is None and point and re.match(r"[\w.\[\]:-]+:/", source):
        fstype = REMOTE
    if fstype and point and (mount := mounted(source, point, fstype, match["options"])):
        yield mount


_COMMANDS: tuple[tuple[re.Pattern[str], _Set], ...] = (
    (_ECHO, _echoed), (_SETRA, _read_ahead), (_HDPARM, _drive), (_IFCONFIG, _interface),
    (_IP_LINK, _interface), (_ETHTOOL, _ethtool), (_SYSCTL, _sysctl), (_SERVICE, _service),
    (_RATIO, _controller), (_MOUNT, _mount),
)  # fmt: skip


def settings_in(text: str) -> Iterator[PrintedSubject]:
    """What the commands of a line set, in no order; what stands in grave accents is one command."""
    for command in text.split("`"):
        for pattern, subjects in _COMMANDS:
            for match in pattern.finditer(command.strip()):
                yield from subjects(match)
