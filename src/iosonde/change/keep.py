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
            lineterm="",
        )
        return "".join(f"{line}\n" for line in lines)


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
    section = next((line.section for line in lines if line.section), "")
    rows = [row for row in rows if row != section]
    first: list[str] = []
    for line in lines:
        rows = [row for row in rows if not row.startswith(line.key)]
        (first if line.first else rows).append(line.line)
    return "".join(row + "\n" for row in [mark, *([section] if section else []), *first, *rows])


async def keeping(
    host: Host, journal: SettingsJournal, settings: Sequence[Settable], study: str = ""
) -> Keeping:
    """What would keep all changes that are in force.

    Raises:
        Refused: one of them cannot be kept; the message names it.
    """
    before, result = journal.before, Keeping()
    lines: dict[str, list[PersistentLine]] = {}
    for setting in (setting for setting in settings if setting.name in journal.tentative):
        value = " ".join(kerneltext.decoded((await host.run(setting.look)).stdout).split())
        if value == before.get(setting.name):
            continue
        if setting.declared.lasts:
            result.values[setting.name] = value
            result.notes[setting.name] = "the host itself keeps it"
            continue
        mechanism = MECHANISMS.load(setting.declared.mechanism)()
        try:
            kept = await mechanism.keep(host, setting.address, value)
        except Refused as problem:
            problem.message = f"{setting.name} cannot be kept: {problem.message}"
            problem.hint = problem.hint or "set it back, then keep the others"
            raise
        result.values[setting.name] = value
        if kept.note:
            result.notes[setting.name] = kept.note
        lines.setdefault(kept.file, []).append(kept)
    there = await texts(host, list(lines))
    mark = f"{MARK} on {time.strftime('%Y-%m-%d')}" + (f" for {study}" if study else "")
    for path, some in lines.items():
        result.files.append(_changed(path, there.get(path), some, mark))
    return result


def _changed(
    path: str, before: str | None, some: Sequence[PersistentLine], mark: str
) -> FileChange:
    then = tuple(dict.fromkeys(argv for line in some for argv in line.then))
    after = before or ""
    for line in some:
        if line.edit:
            after = line.edit(after)
    own = [line for line in some if line.edit is None]
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
    changes: dict[str, FileChange] = {}
    for name in MECHANISMS:
        mechanism = MECHANISMS.load(name)()
        files = [path for file in mechanism.files for path in await _matching_files(host, file)]
        for path, text in (await texts(host, files)).items():
            after = mechanism.without(text)
            if after != text:
                then = next((argv for part, argv in _RELOAD if part in path), ())
                changes[path] = FileChange(path, text, after or None, then)
    return list(changes.values())


async def _matching_files(host: Host, file: str) -> tuple[str, ...]:
    return await host.glob(file) if "*" in file else (file,)


async def write(host: Host, changes: Sequence[FileChange]) -> None:
    """Change files on a host, each at once and on the disk when this returns.

    A file keeps its mode; one that is reached by a link is changed where it is, and the link stays.

    Raises:
        Refused: another user could have put something in a file's place.
        HostFailed: one cannot be written.
    """
    for change in changes:
        await require_trusted(host, change.path)
        if change.after is None:
            await host.remove(change.path)
        else:
            await host.run(["mkdir", "-p", change.path.rpartition("/")[0]])
            path, mode = await _place(host, change.path)
            await host.write(path, kerneltext.encoded(change.after), mode=mode)
    await host.run(["sync"], timeout=300.0)
    for argv in dict.fromkeys(argv for change in changes for argv in change.then):
        await host.run(argv, check=False)


async def _place(host: Host, path: str) -> tuple[str, int]:
    """Where a file is, links followed, and its mode; what is not there yet is for all to read."""
    try:
        real = await host.resolve(path)
    except FileMissing:
        return path, 0o644
    done = await host.run(["stat", "-c", "%a", "--", real])
    return real, int(done.stdout, 8)


def differs(values: Mapping[str, str], settings: Sequence[Settable]) -> dict[str, str]:
    """Of settings that are kept: those that something else sets otherwise at boot, with what."""
    return {
        setting.name: setting.kept
        for setting in settings
        if setting.name in values and setting.kept != values[setting.name]
    }
