"""Files of settings without a reader of their own: names and values as they are written.

Only where a command shows or edits the file, or the line above names it, and every line is a
setting, a comment or the head of a section: a script has other lines as well. Secrets are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from iosonde.records.stack import Json
from iosonde.text.programs import programs
from iosonde.text.shell import program_of, shows_file

_PATH = re.compile(
    r"(?<![\w/.-])/(?:etc(?!/init)|usr/lib|lib|boot|opt|var/lib)/[\w./@:+-]{2,120}(?<![.:])"
)
_FOLDERS = frozenset({"etc", "default", "conf", "lib", "usr", "opt", "var", "boot", "system"})
_OF_STORAGE = frozenset({
    "autofs", "btrbk", "btrfsmaintenance", "ganesha", "idmapd", "iscsitarget", "mergerfs",
    "netconfig", "nfsmount", "rpcbind", "sanoid", "smartmontools", "snapper", "snapraid", "zed",
})  # fmt: skip
"""Words of files of storage that no program of a reader is called by."""
_EDITORS = frozenset({"vi", "vim", "nano", "emacs", "sudoedit", "mcedit", "gedit", "tee"})
_SETTING = re.compile(
    r"\s{0,16}(?:export )?(?P<name>[A-Za-z][\w.-]{0,60})(?: ?= ?|:\s{1,40})(?P<value>\S.{0,200}?)"
    r"(?:\s{1,40}#\s.*)?$"
)
_SECTION = re.compile(r"\s*\[(?P<name>[\w .:@/-]{1,80})\]\s*$")
_COMMENT = re.compile(r"\s*(?:[#;]|//)")
_LEFT_OUT = re.compile(r"\s*[.…]{1,6}\s*$")
_CODE = re.compile(r"[`{}]|\$\(|;;|[;&]\s*$")
_WORD = re.compile(r"[a-z][a-z\d]{2,30}")
_SHELLS = {"bash", "sh", "sudo", "zsh"}
_SECRET = re.compile(
    r"passw|passphrase|secret|token|psk|credential|private|api_?key", re.IGNORECASE
)
_MOST = 200  # lines


def file_of(command: str, above: str) -> str:
    """The file that a command shows or edits, or else that a line of prose names; empty: none.

    Args:
        command: at a prompt; empty where there is none.
        above: the line above a block that stands below no command.

    A word of the path begins a program's name, or the file is of another trade.
    """
    if command and program_of(command) not in _EDITORS and not shows_file(command):
        return ""
    match = _PATH.search(command or above)
    path = match[0] if match else ""
    parts = {part for part in _WORD.findall(path) if part not in _FOLDERS}
    beginnings = _beginnings() | _OF_STORAGE
    return "" if parts.isdisjoint(beginnings) else path


@cache
def _beginnings() -> frozenset[str]:
    """All that names of programs begin with, the names themselves too."""
    return frozenset(name[:end] for name in programs() for end in range(1, len(name) + 1))


def file_settings(lines: Sequence[str]) -> dict[str, Json] | None:
    """Name → value, with its section before it; None where a line is anything else.

    Args:
        lines: clean ones. What is set twice has a list of its values.
    """
    own = [
        line for line in lines
        if line.strip() and not _COMMENT.match(line) and not _LEFT_OUT.match(line)
    ]  # fmt: skip
    values: dict[str, Json] = {}
    section, settings = "", 0
    for line in own[: _MOST + 1]:
        if head := _SECTION.match(line):
            section = f"{head['name']}."
            continue
        setting = _SETTING.match(line)
        if setting is None or setting["name"] in _SHELLS or _CODE.search(setting["value"]):
            return None
        settings += 1
        if _SECRET.search(line):
            continue
        name, value = section + setting["name"], setting["value"].strip("\"'")
        before = values.get(name)
        if before is None:
            values[name] = value
        else:
            values[name] = [*(before if isinstance(before, list) else [before]), value]
    return values if values and settings <= _MOST and len(own) <= _MOST else None
