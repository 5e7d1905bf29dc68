"""A command of the simulated host, run in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.simulation.disk import Effect
from tests.simulation.shell import tools
from tests.simulation.shell.place import Place
from tests.simulation.shell.process import Kept, Process, Readable
from tests.simulation.world import Answer, Question, World


@dataclass(frozen=True, slots=True)
class Execution:
    """What a command did, in order, and how it ended."""

    effects: tuple[Effect, ...]
    status: int
    stdout: bytes
    stderr: bytes


def play(
    argv: Sequence[str], stdin: bytes, world: World
) -> tuple[Execution, list[tuple[Question, Answer]]]:
    """What a command does in a state of the host, and what it asked of that, in order.

    Raises:
        Unplayed: there is something in it that is not known here.
    """
    place = Place(world)
    process = Process(place, "", ())
    out, err = Kept(), Kept()
    process.files = {0: Readable(stdin.decode("latin-1")), 1: out, 2: err}
    try:
        status = tools.started(process, argv, {})
    except tools.Terminated:
        status = -15
    printed, said = ("".join(kept.parts).encode("latin-1") for kept in (out, err))
    return Execution(tuple(place.effects), status, printed, said), place.asked
