"""A directory on a disk that writes back: what stands there, and what a loss of power leaves of it.

Until a file is synced, any part of what was appended to it may be missing after a loss of power:
all, the end, or, where its length came to the disk first, the content, which is then zeros. Names
are on the disk only after their directory was synced; of those that are not, the first so many
changes are there. A rename is there or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

Effect: TypeAlias = tuple[str, str, bytes]
"""What a command did: kind, name, data.

`create`, `truncate`, `write` (at the end), `cut` (data: to so many bytes), `unlink`, `rename`
(data: the new name), `sync` (a file; "." is the directory), `sync-all`; `mkdir`: the directory;
`set`: the kernel took settings, PATH=TEXT in data, each ended by a zero.
"""


@dataclass(slots=True)
class _File:
    seen: bytes = b""
    kept: bytes = b""


@dataclass(slots=True)
class Disk:
    """Files by name, as processes see them (`names`) and as the disk has them (`kept`)."""

    names: dict[str, _File] = field(default_factory=dict)
    kept: dict[str, _File] = field(default_factory=dict)
    waiting: list[tuple[str, str, _File | None]] = field(default_factory=list)
    """Changes of names that are not on the disk: name, what it was called before, the file."""
    there: bool = False
    there_kept: bool = False
    """Whether there is such a directory, and whether that is on the disk."""

    @classmethod
    def of(cls, files: Mapping[str, bytes] | None) -> Disk:
        """One that has these files, and all of them for good; None: no directory yet."""
        names = {name: _File(content, content) for name, content in (files or {}).items()}
        there = files is not None
        return cls(names, dict(names), there=there, there_kept=there)

    @property
    def files(self) -> dict[str, bytes]:
        """What a process reads."""
        return {name: file.seen for name, file in self.names.items()}

    def copy(self) -> Disk:
        """Another one that is the same, and shares nothing with it."""
        copies: dict[int, _File] = {}

        def twin(file: _File) -> _File:
            return copies.setdefault(id(file), _File(file.seen, file.kept))

        return Disk(
            {name: twin(file) for name, file in self.names.items()},
            {name: twin(file) for name, file in self.kept.items()},
            [(new, old, twin(file) if file else None) for new, old, file in self.waiting],
            self.there,
            self.there_kept,
        )

    def apply(self, effect: Effect) -> None:
        """What a system call has done, as far as processes see it."""
        kind, name, data = effect
        if kind == "truncate":
            self.names[name].seen = b""
        elif kind == "write":
            self.names[name].seen += data
        elif kind == "cut":
            self.names[name].seen = self.names[name].seen[: int(data)]
        elif kind in {"sync", "sync-all"}:
            self._sync(name, everything=kind == "sync-all")
        else:
            self._name(kind, name, data.decode() if kind == "rename" else "")

    def _name(self, kind: str, name: str, new: str) -> None:
        if kind == "mkdir":
            self.there = True
        elif kind == "create" and name not in self.names:
            self.names[name] = _File()
            self.waiting.append((name, "", self.names[name]))
        elif kind == "unlink":
            del self.names[name]
            self.waiting.append(("", name, None))
        elif kind == "rename":
            file = self.names[new] = self.names.pop(name)
            self.waiting.append((new, name, file))

    def _sync(self, name: str, *, everything: bool) -> None:
        if everything:
            self.there_kept = self.there
        if everything or name == ".":
            self._keep_names(len(self.waiting))
        for file in self.names.values() if everything else ():
            file.kept = file.seen
        if name != ".":
            self.names[name].kept = self.names[name].seen

    def _keep_names(self, count: int) -> None:
        for new, old, file in self.waiting[:count]:
            self.kept.pop(old, None)
            if file is not None:
                self.kept[new] = file
        del self.waiting[:count]

    def lose_power(self, random: Random) -> None:
        """What has come to the disk is all that is left."""
        self._keep_names(random.randint(0, len(self.waiting)))
        self.waiting.clear()
        # Nothing of a file whose name came to the disk is sure before it was synced itself.
        for name in sorted(self.kept):
            file = self.kept[name]
            file.seen = file.kept = random.choice(list(_left(file.kept, file.seen, random)))
        self.there = self.there_kept
        if not self.there:
            self.kept = {}
        self.names = dict(self.kept)


def _left(kept: bytes, seen: bytes, random: Random) -> Iterator[bytes]:
    """What may be left of a file: as it was, as it is, or something between."""
    yield kept
    if kept == seen:
        return
    yield seen
    if kept.startswith(seen):  # it was only made shorter
        return
    start = len(kept) if seen.startswith(kept) else 0
    if start == 0:
        yield b""
    cuts = list(places(seen, start))
    if not cuts:
        return
    at = random.choice(cuts)
    yield seen[:at]
    yield seen[:at] + bytes(len(seen) - at)  # its length was there before its content


def places(text: bytes, start: int) -> Iterator[int]:
    """Where a text of lines and fields is cut: at their ends, and within them."""
    last = start
    for at in range(start, len(text)):
        if text[at : at + 1] in {b"\t", b"\n"}:
            yield from {at - 1, at, at + 1, (last + at) // 2} - set(range(start + 1)) - {len(text)}
            last = at


def settings_of(effect: Effect) -> Mapping[str, str]:
    """The settings that an effect sets, path → text."""
    kind, _, data = effect
    rows = data.decode().split("\0") if kind == "set" else []
    return dict(row.split("=", 1) for row in rows if row)
