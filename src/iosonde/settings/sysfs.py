"""Settings that are files of sysfs; the address is the path.

A choice prints all its words with the current one in brackets ("none [mq-deadline] bfq"). A
device that lacks a setting has no such file, or one that answers EINVAL (wbt_lat_usec without
writeback throttling): both count as "it does not have it".

Source: Linux Documentation/ABI/stable/sysfs-block; block/blk-sysfs.c (6.x).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError, PermissionMissing
from iosonde.hosts.host import Host
from iosonde.records import Scalar

_CHOSEN = re.compile(r"\[([^\]\s]+)\]")
_INTEGER = re.compile(r"-?\d+")


def parse_attribute(text: str) -> Scalar:
    """The value in an attribute's text: the chosen word, an integer, or the text itself."""
    stripped = text.strip()
    chosen = _CHOSEN.search(stripped)
    if chosen:
        return chosen[1]
    if _INTEGER.fullmatch(stripped):
        return int(stripped)
    return stripped


class Sysfs:
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "sysfs"

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        values: dict[str, Scalar | IosondeError] = {}
        for path, content in (await host.read_many(addresses)).items():
            if isinstance(content, bytes):
                values[path] = parse_attribute(content.decode(errors="replace"))
            elif isinstance(content, PermissionMissing):
                values[path] = content
        return values
