"""A command of the simulated host, run in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.simulation.disk import Effect
from tests.simulation.shell import tools
from tests.simulation.shell.place import Place
from tests.simulation.shell.process import Kept, Process, Readable

if TYPE_CHECKING:
    from tests.simulation.machine import World

Played = tuple[tuple[Effect, ...], int, bytes, bytes]
"""What it did, in order; its status; what it printed, and what to standard error."""


def play(argv: Sequence[str], stdin: bytes, world: World, boot: str) -> Played:
    """What a command does in a state of the host.

    Raises:
        Unplayed: there is something in it that is not known here.
    """
    place = Place(world, boot)
    process = Process(place, "", ())
    out, err = Kept(), Kept()
    process.files = {0: Readable(stdin.decode("latin-1")), 1: out, 2: err}
    try:
        status = tools.started(process, argv, {})
    except tools.Terminated:
        status = -15
    printed, said = ("".join(one.parts).encode("latin-1") for one in (out, err))
    return tuple(place.effects), status, printed, said
