"""`python -m tests.simulation.moments`: what the simulation says of some moments of a change.

At each the controller is killed when a command has been carried out and before it hears of that;
test_real.py holds what is printed here against real devices.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TypedDict

from iosonde.change.settings_journal import SCRIPT
from tests.simulation.history import known_clock
from tests.simulation.host import QUEUE, Blow, Gone, Reached, Simulated
from tests.simulation.machine import Machine, enclosed
from tests.simulation.scenes import CONFIRM, SETS, play

SCENE = 0
MOMENTS = ("begin", "arm", "change 1", "change 2", "confirm")


class Seen(TypedDict):
    """The two settings, and the kinds of the journal's lines about the batch."""

    settings: list[str]
    journal: list[str]


def name_of(argv: Sequence[str]) -> str:
    """The moment that a command is, if it is one."""
    if list(argv[:2]) != ["sh", SCRIPT]:
        return ""
    return f"change {argv[4]}" if argv[2] == "change" else argv[2]


def kinds(journal: str) -> list[str]:
    """The kinds of lines of its last batch."""
    rows = [row.split("\t") for row in journal.splitlines() if "\t" in row]  # not those cut short
    last = max((int(row[1]) for row in rows if row[0] == "begin"), default=0)
    return [row[0] for row in rows if row[1] == str(last)]


def _seen(host: Simulated) -> Seen:
    names = [name.partition(".")[2] for name in SETS[SCENE]]
    return {
        "settings": [host.settings[QUEUE.format("sda", name)].strip() for name in names],
        "journal": kinds(host.disk.files.get("journal", b"").decode()),
    }


def simulated(machine: Machine, moment: str) -> list[Seen]:
    """At the controller's death, when the host has had its time, after a rollback by hand."""
    host = Simulated(machine)
    with known_clock():
        trial = Reached(host.copy())
        play(trial, SCENE)
        at = 1 + [name_of(argv) for argv in trial.seen].index(moment)
        play(Reached(host, Blow(at, ends=Gone)), SCENE)
    states = [_seen(host)]
    host.pass_time(CONFIRM + 1)
    states.append(_seen(host))
    host.execute(["sh", SCRIPT])
    return [*states, _seen(host)]


if __name__ == "__main__":
    enclosed()
    only = Machine(every=1)
    sys.stdout.write(json.dumps({moment: simulated(only, moment) for moment in MOMENTS}))
