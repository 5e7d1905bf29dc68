"""All that a command on the simulated host can see, and what it asks of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Question: TypeAlias = tuple[str, str]
"""A subject, and the name or path that it is about."""
Answer: TypeAlias = bytes | str | int | None


@dataclass(frozen=True, slots=True)
class World:
    """All that a command on the host can see.

    `files` are those of FOLDER (None: there is no such directory), `settings` those of /sys/block,
    `stubborn` the setting that takes nothing, `room` the bytes that the journal may still grow by
    (None: any), `held` whether somebody else has the lock on settings. While the command waits for
    the other lock, the files and settings become those of `meanwhile`.
    """

    files: Mapping[str, bytes] | None
    settings: Mapping[str, str]
    boot: int = 1
    clock: int = 1_700_000_000
    stubborn: str = ""
    room: int | None = None
    held: bool = False
    meanwhile: World | None = None


class Sight:
    """A world as a command sees it, which learns nothing but what it asks for.

    What a command does follows from the answers so far, and so does what it asks next.
    """

    __slots__ = ("_at_first", "_now")

    def __init__(self, world: World) -> None:
        self._at_first = self._now = world

    def answer(self, question: Question) -> Answer:
        """What a command learns; "meanwhile" is asked by one that waits for the lock."""
        subject, name = question
        now = self._now
        if subject == "file":
            return now.files.get(name) if now.files is not None else None
        if subject == "setting":
            return now.settings.get(name)
        if subject == "folder":  # whether settings are in it
            return any(path.startswith(f"{name}/") for path in now.settings)
        if subject == "directory":
            return now.files is not None
        if subject == "meanwhile":
            self._now = now.meanwhile or now
            return now.meanwhile is not None
        if subject == "most":  # the bytes that the journal may have
            files = self._at_first.files or {}
            room = self._at_first.room
            return None if room is None else len(files.get("journal", b"")) + room
        facts: dict[str, Answer] = {
            "boot": self._at_first.boot, "clock": self._at_first.clock,
            "stubborn": self._at_first.stubborn, "held": self._at_first.held,
        }  # fmt: skip
        return facts[subject]


def boot_id(boot: int) -> str:
    """The kernel's name of a boot."""
    return f"{boot:08d}-0000-4000-8000-000000000000"
