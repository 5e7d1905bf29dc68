"""`lscpu`: a host's processors, their caches, and which of them belong to which NUMA node.

Source: util-linux 2.38, sys-utils/lscpu.c (print_summary(); since 2.34 caches are sums in KiB and
MiB, since 2.37 with "(N instances)" and under heads; before, each is one cache's in K; before
2.20 sockets are "CPU socket(s)").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, command_before, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_NUMBERS = {
    "CPU(s)": "cpus", "Thread(s) per core": "threads_per_core",
    "Core(s) per socket": "cores_per_socket", "Core(s) per cluster": "cores_per_cluster",
    "Socket(s)": "sockets", "CPU socket(s)": "sockets",
    "NUMA node(s)": "numa_nodes", "CPU family": "cpu_family",
    "Model": "cpu_model", "CPU MHz": "cpu_mhz", "CPU max MHz": "cpu_max_mhz",
    "CPU min MHz": "cpu_min_mhz", "BogoMIPS": "bogomips",
}  # fmt: skip
_TEXTS = {
    "Architecture": "architecture", "Vendor ID": "cpu_vendor", "Model name": "cpu_model_name",
    "On-line CPU(s) list": "online_cpus", "Off-line CPU(s) list": "offline_cpus",
    "Byte Order": "byte_order", "Stepping": "cpu_stepping", "Virtualization": "virtualization",
    "Hypervisor vendor": "hypervisor", "Virtualization type": "virtualization_type",
    "Address sizes": "address_sizes", "CPU(s) scaling MHz": "cpu_scaling",
    "Frequency boost": "frequency_boost",
}  # fmt: skip
_OTHER = re.compile(
    r"\s*(?:CPU op-mode\(s\)|Flags|Vulnerabilit(?:y .{1,50}|ies)|BIOS .{1,30}|Caches \(sum of all\)"
    r"|Virtualization features|NUMA|(?:Gather|Itlb|L1tf|Mds|Meltdown|Mmio|Reg file|Retbleed"
    r"|Spec|Spectre|Srbds|Tsx|Tsa|Tsx async|Ghostwrite|Indirect|Old|Vmscape)[\w -]{0,40}"
    r"|Cluster\(s\)|Book\(s\)[\w ]{0,20}|Drawer\(s\)|Machine type|Dispatching mode"
    r"|Physical [a-z]+|Hypervisor):(?:\s|$)"
)
_ROW = re.compile(r"\s*(?P<name>[A-Z][\w() -]{1,40}?):\s{1,60}(?P<value>\S.{0,200}?)\s*$")
_CACHE = re.compile(r"(?P<name>L\d[di]?)(?: cache)?$")
_SIZE = re.compile(
    r"(?P<size>\d{1,9}(?:\.\d{1,3})? ?[KMG](?P<binary>iB)?)"
    r"(?: \((?P<instances>\d{1,5}) instances?\))?$"
)
_NODE = re.compile(r"NUMA node(?P<node>\d{1,4}) CPU\(s\)$")
_CPUS = re.compile(r"[\d,-]{1,400}$")
_STRONG = re.compile(
    r"\s*(?:NUMA node\d{1,4} CPU\(s\)|Thread\(s\) per core|Core\(s\) per socket"
    r"|On-line CPU\(s\) list|CPU op-mode\(s\)):\s"
)
_MOST = 120


class Lscpu(StateOutput):
    tool = "lscpu"
    anchors = (
        "CPU op-mode(s):", "On-line CPU(s) list:", "Thread(s) per core:", "Core(s) per socket:",
        "NUMA node", "Model name:", "CPU(s):", "Socket(s):",
    )  # fmt: skip
    commands = ("lscpu",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _fact(line) is None:
            return None
        first = top_of(cursor, _is_row)
        asked = command_before(cursor, first, self.commands, reach=self.reach)[1].command
        return first if _STRONG.match(line) or asked else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + 2 or (index > first and prompt_in(line)):
                break
            row = _fact(line)
            if row and row.keys() & values.keys():
                break  # of another host
            if row:
                values |= row
                name = next(iter(row))
            elif line and name.endswith("cpus") and _CPUS.match(line.strip()):
                values[name] = f"{values[name]}{line.strip()}"  # a mail broke the list
            elif line and name == "cpu_model_name" and index == last + 1 and _is_torn(cursor, last):
                values[name], name = f"{values[name]} {line.strip()}", ""
            elif line and not _OTHER.match(line) and not _is_flags(line, index == last + 1):
                break
            elif line:
                name = ""
            last = index if line else last
        if not values:
            raise Unreadable("none of its rows has a value", last)
        return last, [PrintedSubject("host", "", values, prompt.host)]


def _fact(line: str) -> dict[str, Scalar] | None:
    """What a row says; None where it is no row of lscpu's, or one without a fact."""
    row = _ROW.match(line)
    if row is None:
        return None
    name, text = row["name"], row["value"]
    if name in _NUMBERS:
        number = _number(text)
        return {_NUMBERS[name]: number} if number is not None else None
    if name in _TEXTS:
        return {_TEXTS[name]: text}
    if node := _NODE.match(name):
        return {f"numa_node{node['node']}_cpus": text} if _CPUS.match(text) else None
    cache, size = _CACHE.match(name), _SIZE.match(text)
    if not cache or not size:
        return None
    key = f"{cache['name'].lower()}_cache{'s' if size['binary'] else ''}"
    number = round(units.printed(size["size"].replace(" ", ""), binary=True)[0])
    values: dict[str, Scalar] = {key: number}
    if size["instances"]:
        values[f"{cache['name'].lower()}_instances"] = int(size["instances"])
    return values


def _number(text: str) -> int | float | None:
    """A number that stands alone."""
    if not re.fullmatch(r"\d{1,9}(?:\.\d{1,6})?", text):
        return None
    return float(text) if "." in text else int(text)


def _is_row(line: str) -> bool:
    """Whether a line may be one of lscpu's."""
    return _fact(line) is not None or _OTHER.match(line) is not None


def _is_torn(cursor: TextCursor, index: int) -> bool:
    """Whether a line is so long that a mail breaks it."""
    return len(cursor.line(index)) > 60 and not _is_row(cursor.line(index + 1))


def _is_flags(line: str, follows: bool) -> bool:
    """Whether a line is the rest of the flags, or of a weakness: a mail broke the row above."""
    return follows and all(re.fullmatch(r"[a-z][a-z0-9_]{1,30}", part) for part in fields(line))
