"""Keeps changed settings over a reboot, in the host's native configuration, and takes that back.

What is kept stands in files of iosonde's own wherever the host reads a folder of them; each says in
its first line whose it is, since when and what for.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iosonde import kerneltext
from iosonde.change.settings_journal import SettingsJournal
from iosonde.errors import FileMissing, Refused
from iosonde.hosts.host import Host
from iosonde.hosts.private import require_trusted
from iosonde.settings import MECHANISMS
from iosonde.settings.mechanism import MARK, PersistentLine, texts
from iosonde.stack.settable import Settable


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file of a host as it is and as it shall be; `after` None: it is taken away."""

    path: str
    before: str | None
    after: str | None
    then: tuple[tuple[str, ...], ...] = ()

    @property
    def diff(self) -> str:
        """As `diff -u` shows it."""
        lines = difflib.unified_diff(
            kerneltext.lines(self.before or ""),
            kerneltext.lines(self.after or ""),
            fromfile=self.path if self.before is not None else "/dev/null",
            tofile=self.path if self.after is not None else "/dev/null",
        )
        return "".join(lines)


@dataclass(slots=True)
class Keeping:
    """What is to be kept: name → value, the files it takes, and what the user should know."""

    values: dict[str, str] = field(default_factory=dict)
    files: list[FileChange] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)


def merged(old: str, lines: Sequence[PersistentLine], mark: str) -> str:
    """The text of a file of iosonde's own with some lines set.

    Args:
        old: what is in it; empty where there is none.
        lines: what is to be kept.
        mark: its new first line.
    """
    rows = [row for row in kerneltext.lines(old) if row and not row.startswith(MARK)]
    section = next((one.section for one in lines if one.section), "")
    rows = [row for row in rows if row != section]
    first: list[str] = []
    for one in lines:
        rows = [row for row in rows if not row.startswith(one.key)]
        (first if one.first else rows).append(one.line)
    return "".join(row + "\n" for row in [mark, *([section] if section else []), *first, *rows])


async def keeping(
    host: Host, journal: SettingsJournal, known: Sequence[Settable], study: str = ""
) -> Keeping:
    """What would keep all changes that are in force.

    Raises:
        Refused: one of them cannot be kept; the message names it.
    """
    before, found = journal.before, Keeping()
    lines: dict[str, list[PersistentLine]] = {}
    for one in (one for one in known if one.name in journal.tentative):
        value = " ".join(kerneltext.decoded((await host.run(one.look)).stdout).split())
        if value == before.get(one.name):
            continue
        if one.declared.lasts:
            found.values[one.name] = value
            found.notes[one.name] = "the host itself keeps it"
            continue
        mechanism = MECHANISMS.load(one.declared.mechanism)()
        try:
            kept = await mechanism.keep(host, one.address, value)
        except Refused as problem:
            problem.message = f"{one.name} cannot be kept: {problem.message}"
            problem.hint = problem.hint or "set it back, then keep the others"
            raise
        found.values[one.name] = value
        if kept.note:
            found.notes[one.name] = kept.note
        lines.setdefault(kept.file, []).append(kept)
    there = await texts(host, list(lines))
    mark = f"{MARK} on {time.strftime('%Y-%m-%d')}" + (f" for {study}" if study else "")
    for path, some in lines.items():
        found.files.append(_changed(path, there.get(path), some, mark))
    return found


def _changed(
    path: str, before: str | None, some: Sequence[PersistentLine], mark: str
) -> FileChange:
    then = tuple(dict.fromkeys(argv for one in some for argv in one.then))
    after = before or ""
    for one in some:
        if one.edit:
            after = one.edit(after)
    own = [one for one in some if one.edit is None]
    if own and before and not before.startswith(MARK):
        raise Refused(
            "a file of that name is there, and its first line does not say that it is iosonde's",
            where=path,
            evidence=kerneltext.lines(before)[0] if kerneltext.lines(before) else "",
            hint="move it away",
        )
    return FileChange(path, before, merged(after, own, mark) if own else after, then)


_RELOAD = (
    ("/udev/", (("udevadm", "control", "--reload"),)),
    ("/systemd/", (("systemctl", "daemon-reload"),)),
    ("/exports", (("exportfs", "-r"),)),
)


async def undoing(host: Host) -> list[FileChange]:
    """What would take away all that iosonde keeps on a host."""
    found: dict[str, FileChange] = {}
    for name in MECHANISMS:
        mechanism = MECHANISMS.load(name)()
        files = [path for file in mechanism.files for path in await _found(host, file)]
        for path, text in (await texts(host, files)).items():
            after = mechanism.without(text)
            if after != text:
                then = next((argv for part, argv in _RELOAD if part in path), ())
                found[path] = FileChange(path, text, after or None, then)
    return list(found.values())


async def _found(host: Host, file: str) -> tuple[str, ...]:
    return await host.glob(file) if "*" in file else (file,)


async def write(host: Host, changes: Sequence[FileChange]) -> None:
    """Change files on a host, each at once and on the disk when this returns.

    A file keeps its mode; one that is reached by a link is changed where it is, and the link stays.

    Raises:
        Refused: another user could have put something in a file's place.
        HostFailed: one cannot be written.
    """
    for one in changes:
        await require_trusted(host, one.path)
        if one.after is None:
            await host.remove(one.path)
        else:
            await host.run(["mkdir", "-p", one.path.rpartition("/")[0]])
            path, mode = await _place(host, one.path)
            await host.write(path, kerneltext.encoded(one.after), mode=mode)
    await host.run(["sync"], timeout=300.0)
    for argv in dict.fromkeys(argv for one in changes for argv in one.then):
        await host.run(argv, check=False)


async def _place(host: Host, path: str) -> tuple[str, int]:
    """Where a file is, links followed, and its mode; what is not there yet is for all to read."""
    try:
        real = await host.resolve(path)
    except FileMissing:
        return path, 0o644
    done = await host.run(["stat", "-c", "%a", "--", real])
    return real, int(done.stdout, 8)


def differs(values: Mapping[str, str], known: Sequence[Settable]) -> dict[str, str]:
    """Of settings that are kept: those that something else sets otherwise at boot, with what."""
    return {
        one.name: one.kept for one in known if one.name in values and one.kept != values[one.name]
    }
