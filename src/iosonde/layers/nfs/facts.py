"""NFS: options of mounts, what a server exports, and sections of nfs.conf.

Source: nfs(5); fs/nfs/super.c, nfs_show_mount_options(): what the client and the server agreed on,
which is not always what was asked for; exportfs(8); nfs.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.layers.layer import options_of
from iosonde.records.printed import known
from iosonde.records.stack import Scalar

EXPORT_CLIENT = re.compile(
    r"(?P<client>[^\s()]*)(?P<apart>\s*)\((?P<options>[^()\s]*)\)|(?P<bare>\S+)"
)
"""A client with its options, or one alone, in a line of exports(5)."""
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


@dataclass(frozen=True, slots=True)
class ExportClient:
    """A client of an export with its options, `*` for the whole world.

    `apart_from` is the client that a blank stands behind: its options are those of the world.
    """

    name: str
    options: dict[str, Scalar]
    apart_from: str = ""


def parse_clients(text: str) -> Iterator[ExportClient]:
    """The clients that have options, from what stands behind a directory (exports(5))."""
    alone = ""
    for match in EXPORT_CLIENT.finditer(text):
        if match["bare"]:
            alone = match["bare"]
            continue
        client, options = match["client"], options_of(match["options"].split(","))
        if not client or match["apart"]:
            yield ExportClient("*", options, client or alone)
        else:
            yield ExportClient("*" if client == "<world>" else client, options)


def parse_exports(text: str) -> dict[str, list[ExportClient]]:
    """Directory → its clients, from a file of exports(5) or /var/lib/nfs/etab (exportfs(8))."""
    exports: dict[str, list[ExportClient]] = {}
    for line in kerneltext.lines(text):
        directory, *rest = kerneltext.fields(line) or [""]
        if directory and not directory.startswith("#") and "(" in line:
            exports.setdefault(directory, []).extend(parse_clients(" ".join(rest)))
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
