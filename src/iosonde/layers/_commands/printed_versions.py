"""Which version a storage tool says it is: `mdadm --version`, `btrfs --version`, `zfs version`.

The forms of the lines stand in the folders of the technologies.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from typing_extensions import override

from iosonde.layers import VERSIONS
from iosonde.layers._commands.versions import PackageVersion
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_PACKAGES = tuple(map(VERSIONS.load, VERSIONS))
_FORMS = tuple(
    (package, name, re.compile(rf"\s*{form}\s*$"))
    for package in _PACKAGES
    for name, form in package.forms.items()
)
_MOST = 8


class ToolVersions(StateOutput):
    tool = "tool versions"
    anchors = tuple(dict.fromkeys(anchor for package in _PACKAGES for anchor in package.anchors))
    commands = tuple(command for package in _PACKAGES for command in package.commands)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        said = _version(cursor.line(cursor.at))
        below = cursor.line(cursor.at + 1).strip()
        if said is None:
            return None
        heads = said.package.heads
        is_head = heads and below and heads.match(below) and not prompt_in(below)
        return None if is_head else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        versions: dict[str, Scalar] = {}
        last = first
        more = dict(package.below for package in _PACKAGES if package.below)
        for index, line in close_lines(cursor, first, _MOST):
            said = _version(line)
            name = next((name for name, form in more.items() if form.match(f"{line} ")), None)
            if index > first and name:
                versions[name], last = line.strip(), index
                continue
            if said is None or said.name in versions or (index > first and prompt_in(line)):
                break
            versions[said.name] = said.version
            for name, form in said.package.also.items():
                versions[name] = form.format(version=said.version)
            last = index
        return last, [PrintedSubject("host", "", versions, prompt.host)]


class _Said(NamedTuple):
    package: PackageVersion
    name: str
    version: str


def _version(line: str) -> _Said | None:
    """What a line is the version of."""
    for package, name, form in _FORMS:
        if match := form.match(line):
            return _Said(package, name, match["version"])
    return None
