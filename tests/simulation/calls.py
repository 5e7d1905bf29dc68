"""What strace says of a command, as effects on the files of the simulated host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.change.settings_journal import FOLDER
from tests.simulation.disk import Effect

CALLS = (
    "openat,creat,write,writev,pwrite64,sendfile,copy_file_range,splice,ftruncate,rename,renameat,"
    "renameat2,unlink,unlinkat,mkdir,mkdirat,fsync,fdatasync,sync,syncfs,link,linkat"
)
"""Every call that can change a file or bring it to the disk; one that is not understood fails."""
_CALL = re.compile(r"^(\d+) +(\w+)\((.*?)(?:\) += (-?\d+|\?).*| <unfinished \.\.\.>)$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+|\?).*$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD = re.compile(r"^\d+<((?:\\x[0-9a-f]{2})*|[^>]*)>")


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()


def _calls(log: str) -> Iterator[tuple[str, str, str, int]]:
    """Process, call, arguments and result of the calls that succeeded, in the order they ended."""
    begun: dict[str, str] = {}
    for line in log.splitlines():
        if resumed := _RESUMED.match(line):
            pid, name, rest, result = resumed.groups()
            arguments = begun.pop(pid) + rest
        elif call := _CALL.match(line):
            pid, name, arguments, result = call.groups()
            if result is None:
                begun[pid] = arguments
                continue
        elif "+++" in line:
            continue
        else:
            raise AssertionError(f"strace said {line[:200]!r}")
        if result != "?" and int(result) >= 0:
            yield pid, name, arguments, int(result)


def effects(log: str, others_mark: str) -> Iterator[Effect]:
    """What the calls have done to the host's files; what a process sets at once is one effect.

    Args:
        log: what strace wrote.
        others_mark: what others do lies between the opening of files that begin so.
    """
    others, sets, setter = False, b"", ""
    for pid, name, arguments, result in _calls(log):
        paths = [_plain(text).decode(errors="replace") for text in _TEXT.findall(arguments)]
        if name in {"openat", "creat"} and paths and paths[0].startswith(others_mark):
            others = paths[0].endswith("begin")
        if others:
            continue
        for kind, where, data in _effect(name, paths, arguments, result):
            if sets and (kind != "set" or pid != setter):
                yield "set", "", sets
                sets = b""
            if kind == "set":
                sets, setter = sets + where.encode() + b"=" + data + b"\0", pid
            else:
                yield kind, where, data
    if sets:
        yield "set", "", sets


def _effect(name: str, paths: Sequence[str], arguments: str, result: int) -> Iterator[Effect]:
    own = _own(paths[0]) if paths else ""
    if name == "openat":
        yield from _opened(own, arguments)
    elif name == "write":
        yield from _written(arguments, result)
    elif name.startswith("rename") and own:
        yield "rename", own, _own(paths[1]).encode()
    elif name.startswith("unlink") and own:
        yield "unlink", own, b""
    elif name.startswith("mkdir"):
        if paths[0] in {FOLDER, FOLDER.rpartition("/")[2]}:  # mkdir -p goes there first
            yield "mkdir", ".", b""
    elif name in {"sync", "syncfs"}:
        yield "sync-all", ".", b""
    elif own := _own(_fd(arguments)):
        if name == "ftruncate":
            yield "cut", own, arguments.rpartition(",")[2].strip().encode()
        else:
            assert name in {"fsync", "fdatasync"}, f"{name} is not understood: {arguments[:200]}"
            yield "sync", own, b""


def _own(path: str) -> str:
    """The name of a file of the journal's directory; "." is the directory, "" another place."""
    if path == FOLDER:
        return "."
    return path.removeprefix(f"{FOLDER}/") if path.startswith(f"{FOLDER}/") else ""


def _fd(arguments: str) -> str:
    match = _FD.match(arguments)
    return _plain(match[1]).decode(errors="replace") if match else ""


def _opened(own: str, arguments: str) -> Iterator[Effect]:
    if own not in {"", "."}:
        if "O_CREAT" in arguments:
            yield "create", own, b""
        if "O_TRUNC" in arguments:
            yield "truncate", own, b""


def _written(arguments: str, result: int) -> Iterator[Effect]:
    path = _fd(arguments)
    match = _TEXT.search(arguments)
    data = _plain(match[1])[:result] if match else b""
    if own := _own(path):
        yield "write", own, data
    elif path.startswith("/sys/block/"):
        yield "set", path, data
