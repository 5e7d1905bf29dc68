"""A made-up RAID controller: its state in a JSON file, virtual drives as loop devices.

It lies in the directory above that of the called program: `new_state` makes DIR/bin/storcli64 a
link to the fake, and DIR/state.json; a test puts DIR/bin first in the path.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

State = dict[str, Any]


def new_state(
    place: Path,
    drives: Sequence[str],
    tool: str,
    marks: Mapping[str, str] | None = None,
    **more: Any,
) -> None:
    """A controller without virtual drives.

    Args:
        place: directory of its state; made if need be, with `bin` and the tool in it.
        drives: names of the physical drives, as the tool writes them.
        tool: "storcli64" or "ssacli".
        marks: states of drives that are not free: "JBOD", "GHS" …, "foreign".
        more: what is different from usual: battery, version, policies of the controller …
    """
    (place / "bin").mkdir(parents=True, exist_ok=True)
    link = place / "bin" / tool
    if not link.exists():
        link.symlink_to(Path(__file__).parent / tool)
    state: State = {
        "controller": 0, "drives": dict.fromkeys(drives, "") | dict(marks or {}), "volumes": {},
        "size": 64 << 20,
        "battery": "Optimal", "old": False, "loops": True, "next": 0,
    }  # fmt: skip
    (place / "state.json").write_text(json.dumps({**state, **more}))


@contextmanager
def state_of(program: str) -> Iterator[State]:
    """The state of the controller that a program belongs to; what is changed is kept.

    Args:
        program: as it was called; empty: this one.
    """
    place = Path.cwd().joinpath(program or sys.argv[0]).parent.parent
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with (place / "calls").open("a") as calls:
            calls.write(" ".join(sys.argv[1:]) + "\n")
        state: State = json.loads((place / "state.json").read_text())
        state["place"] = str(place)
        before = json.dumps(state)
        yield state
        if json.dumps(state) != before:
            new = place / "state.new"
            new.write_text(json.dumps(state))
            new.rename(place / "state.json")


def attach(state: State, number: str, size: int) -> str:
    """The device of a new virtual drive: a loop device on a sparse file."""
    image = Path(state["place"]) / f"v{number}.img"
    with image.open("wb") as file:
        file.truncate(size)
    if not state["loops"]:
        return str(image)
    done = subprocess.run(
        ["losetup", "--find", "--show", str(image)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def detach(state: State, number: str) -> None:
    """Take the device of a virtual drive away."""
    volume = state["volumes"].pop(number)
    if state["loops"]:
        subprocess.run(["losetup", "--detach", volume["device"]], check=True)
    (Path(state["place"]) / f"v{number}.img").unlink()


def data_drives(level: int, drives: int, spans: int) -> int:
    """How many drives hold data."""
    return {0: drives, 1: 1, 5: drives - 1, 6: drives - 2, 10: drives // 2, 50: drives - spans,
            60: drives - 2 * spans}[level]  # fmt: skip


def parsed(arguments: Sequence[str], names: set[str]) -> dict[str, str]:
    """Words as options: "name=value", or a flag with an empty value.

    Raises:
        ValueError: one is not known.
    """
    options = {}
    for word in arguments:
        name, _, value = word.partition("=")
        if name.lower() not in names:
            raise ValueError(word)
        options[name.lower()] = value
    return options
