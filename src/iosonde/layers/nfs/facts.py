"""NFS: options of mounts, what a server exports, and sections of nfs.conf.

Source: nfs(5); fs/nfs/super.c, nfs_show_mount_options(): what the client and the server agreed on,
which is not always what was asked for; exportfs(8); nfs.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde import kerneltext
from iosonde.layers.layer import options_of
from iosonde.records.printed import known
from iosonde.records.stack import Scalar

_EXPORT = re.compile(r"^(\S+)\s+([^\s(]*)\(([^)]*)\)", re.MULTILINE)
_SECTION = re.compile(r"^\s*\[\s*([\w-]+)[^\]]*\]")
_LINE = re.compile(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$")


def mount_facts(source: str, options: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Server, export and what the mount is, from its source and options. Sizes in bytes."""
    server, _, export = source.rpartition(":/")
    return known(
        {
            "server": server.strip("[]"),
            "export": "/" + export,
            "version": options.get("vers"),
            "protocol": options.get("proto"),
            "address": options.get("addr"),
            "read_size": figure(options.get("rsize")),
            "write_size": figure(options.get("wsize")),
            "connections": figure(options.get("nconnect")) or 1,
            "hard": None if not {"hard", "soft", "softerr"} & options.keys() else "hard" in options,
            "sync": "sync" in options,
        }
    )


def figure(value: Scalar) -> int | None:
    """An option that is a number."""
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def parse_exports(text: str) -> dict[str, dict[str, Scalar]]:
    """Directory → options of its first client, from /var/lib/nfs/etab (exportfs(8))."""
    exports: dict[str, dict[str, Scalar]] = {}
    for path, _, options in _EXPORT.findall(text):
        exports.setdefault(path, options_of(options.split(",")))
    return exports


def parse_section(text: str, wanted: str = "nfsd") -> dict[str, str]:
    """Name → value of one section of a file of nfs.conf(5)."""
    values: dict[str, str] = {}
    inside = False
    for line in kerneltext.lines(text):
        if heading := _SECTION.match(line):
            inside = heading[1] == wanted
        elif inside and (row := _LINE.match(line)):
            values[row[1]] = row[2]
    return values
