"""Steps by which layers are built and taken away: data, executed by change/.

A kind plans; it executes nothing. A step says how to see that it is done, so that doing it again
is harmless, and how to undo it, so that the record on the host suffices to take it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LEFT = "left: "
"""Begins a line on standard error of an undo that ended well, about what it had to leave."""
_LONG = 600  # characters of a text that are shown whole


@dataclass(frozen=True, slots=True)
class Command:
    """An argument list and what it reads from standard input. `timeout` in seconds.

    A command that `may_fail` is one whose failure does no harm: what follows shows it. One of an
    undo that `wipes` loses what is on the devices that its step `destroys`, or what it removes.
    """

    argv: tuple[str, ...]
    stdin: str = ""
    timeout: float = 60.0
    may_fail: bool = False
    wipes: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """A command that ends with status 0 where a thing is there.

    `shows` are texts that must stand in what it prints, blanks counted as one; where one does not,
    the thing is there but is another than the declared one.
    """

    argv: tuple[str, ...]
    shows: tuple[str, ...] = ()
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class UndoSubject:
    """What an undo works on, to be known again by more than its name (change/identity.py).

    Args:
        what: a "device"; a "file" whose content counts; a "mount"; or an "output", a thing without
            a file of its own, which the output of a command tells from others.
        name: its path; of a mount its mount point. Where a device has another name at the moment of
            undo, each argument of `undo` and `there` that is this name becomes that one. A device
            without a path before it is made has a name in angle brackets.
        ask: prints the path of such a device; of an output, the command itself.
        given: what becomes of the content of the device that the layer gives: "kept" elsewhere, or
            "lost". It must not be in use; where it is lost, nothing of others may be on it.
        fleeting: it ends when it is detached and when its host ends: one that is not found is gone.
    """

    what: Literal["device", "file", "mount", "output"]
    name: str
    ask: tuple[str, ...] = ()
    given: Literal["", "kept", "lost"] = ""
    fleeting: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to be made on a host.

    Args:
        does: what, in a few words ("create the RAID 5 of 4 members").
        do: commands that make it, in order.
        there: whether it is there; None for what leaves nothing behind (loading a module), which
            is done each time and never undone.
        undo: commands that take it away, in order; each must also work after half of `do`.
        host: where; empty: the host of the layer.
        destroys: paths of devices whose content is lost by `do`; the guard is asked for each.
        again: commands that bring back what was made once and is not there now (after a reboot),
            without losing what is in it. Empty: `do` does, unless it destroys something.
        shared: several layers of a stack make the same thing (a port); the last takes it away.
        patience: seconds to wait until `there` shows it after `do`.
        turn: of all steps of a host with the same word only one is done at a time.
        touches: what `undo` works on besides the devices of `destroys`.
    """

    does: str
    do: tuple[Command, ...]
    there: Check | None = None
    undo: tuple[Command, ...] = ()
    host: str = ""
    destroys: tuple[str, ...] = ()
    again: tuple[Command, ...] = ()
    shared: bool = False
    patience: float = 20.0
    turn: str = ""
    touches: tuple[UndoSubject, ...] = ()

    @property
    def subjects(self) -> tuple[UndoSubject, ...]:
        """All that its undo must know again; nothing where nothing is undone."""
        if not self.undo:
            return ()
        return (*(UndoSubject("device", path) for path in self.destroys), *self.touches)


def run(*argv: str, timeout: float = 60.0, may_fail: bool = False) -> Command:
    """A command without input."""
    return Command(argv, timeout=timeout, may_fail=may_fail)


def wipe(*argv: str, timeout: float = 60.0) -> Command:
    """A command of an undo that loses what is on a device, or removes a file with its content."""
    return Command(argv, timeout=timeout, wipes=True)


def put(path: str, text: str, *, may_fail: bool = False) -> Command:
    """Writes a text to a file, which may be one of sysfs or configfs, in one write."""
    return Command(("dd", f"of={path}", "status=none"), stdin=text, may_fail=may_fail)


def modules(*names: str) -> Step:
    """Loads kernel modules; one that is built in or loaded already is no error."""
    return Step(f"load {', '.join(names)}", (run("modprobe", "-a", *names),))


def exists(path: str) -> Check:
    """Whether there is something at a path."""
    return Check(("test", "-e", path))


def folder(path: str) -> Step:
    """Makes a directory, and takes it away while it is empty."""
    return Step(
        f"make the directory {path}",
        (run("mkdir", "-p", path),),
        Check(("test", "-d", path)),
        (run("rmdir", path, may_fail=True),),
    )


def file(path: str, text: str, does: str = "") -> Step:
    """Writes a configuration file of iosonde's own; one that others wrote is left alone.

    The first line of `text` should say whose it is.
    """
    return Step(
        does or f"write {path}",
        (run("mkdir", "-p", path.rpartition("/")[0]), put(path, text)),
        Check(("cat", path), shows=(text,)),
        (run("rm", "-f", path),),
        touches=(UndoSubject("output", path, ask=("cat", path)),),
    )


def soft_roce(interface: str) -> tuple[Step, ...]:
    """Steps that give a network interface a Soft-RoCE device (rdma-link(8))."""
    name = f"rxe_{interface}"
    return (
        modules("rdma_rxe"),
        Step(
            f"make the Soft-RoCE device {name}",
            (run("rdma", "link", "add", name, "type", "rxe", "netdev", interface),),
            Check(("rdma", "link", "show", f"{name}/1")),
            (run("rdma", "link", "delete", name),),
            shared=True,
        ),
    )


def shown(commands: Sequence[Command]) -> list[str]:
    """Commands as lines to read, with what is written to them."""
    from iosonde.hosts.command import quote

    return [
        quote(command.argv) + (f" <<< {_abridged(command.stdin)}" if command.stdin else "")
        for command in commands
    ]


def _abridged(text: str) -> str:
    """What is written to a command; of a long text its first line and how much follows."""
    from iosonde.hosts.command import quote

    if len(text) <= _LONG:
        return quote([text])
    first = text.strip().split("\n", 1)[0][:_LONG]
    return f"{quote([first])}… ({len(text)} characters)"
