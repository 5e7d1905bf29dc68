r"""Keyrings of Ceph and what `ceph auth get` and `ceph auth ls` print: who may do what.

Keys are secrets: no record holds them, only that there is one.

Source: Ceph 18, auth/KeyRing.cc (KeyRing::encode_plaintext(): "[%s]", "\tkey = ", "\tcaps %s = ";
KeyRing::print()), mon/AuthMonitor.cc ("exported keyring for", "installed auth entries:"), whose
list has "\tkey: " and "\tcaps: [%s] ".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput, nearest
from iosonde.text.secrets import MASK

_ENTITY = r"(?P<entity>(?:client|osd|mon|mds|mgr|auth)\.[\w.@*-]{0,90})"
_HEAD = re.compile(rf"\s*(?:\[{_ENTITY}\]|{_ENTITY.replace('entity', 'listed')})\s*$")
_KEY = re.compile(r"\s*key(?: = |: )\"?(?:AQ[\w+/]{2,60}={0,2}|\S{1,80})\"?\s*$")
_CAPS = re.compile(
    r"\s*caps(?: (?P<daemon>mon|osd|mds|mgr) = |: \[(?P<listed>mon|osd|mds|mgr)\] )"
    r"\"?(?P<caps>\S[^\"]{0,400}?)\"?\s*$"
)
_BESIDE = re.compile(r"\s*(?:auid(?: =|:) -?\d{1,20}|exported keyring for \S{1,90})\s*$")
_REACH = 8


class CephAuth(HeadedOutput):
    tool = "ceph auth"
    anchors = (
        "key = AQ", "key: AQ", "caps mon", "caps osd", "caps mgr", "caps mds", "caps: [",
    )  # fmt: skip
    commands = ("ceph", "ceph-authtool", "cat")
    reach = 4
    beginning = _HEAD

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not self.goes_on(cursor.line(cursor.at), []):
            return None
        return nearest(cursor, _REACH, _HEAD.match, between=lambda line: self.goes_on(line, []))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return any(form.match(line) for form in (_KEY, _CAPS, _BESIDE))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterable[PrintedSubject]:
        values: dict[str, Scalar] = {}
        lines = text.split("\n")
        for line in lines[1:]:
            if caps := _CAPS.match(line):
                values[f"caps_{caps['daemon'] or caps['listed']}"] = caps["caps"]
            elif _KEY.match(line):
                values["key"] = MASK
        if (head := _HEAD.match(lines[0])) and values:
            yield PrintedSubject("ceph_auth", head["entity"] or head["listed"], values, prompt.host)
