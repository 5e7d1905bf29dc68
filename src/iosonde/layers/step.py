"""Steps by which layers are built and taken away: data, executed by change/.

A kind plans; it executes nothing. A step says how to see that it is done, so that doing it again
is harmless, and how to undo it, so that the record on the host suffices to take it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LONG = 600  # characters of a text that are shown whole


@dataclass(frozen=True, slots=True)
class Command:
    """An argument list and what it reads from standard input. `timeout` in seconds.

    A command that `may_fail` is one whose failure does no harm: what follows shows it.
    """

    argv: tuple[str, ...]
    stdin: str = ""
    timeout: float = 60.0
    may_fail: bool = False


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


def run(*argv: str, timeout: float = 60.0, may_fail: bool = False) -> Command:
    """A command without input."""
    return Command(argv, timeout=timeout, may_fail=may_fail)


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

    return [quote(one.argv) + (f" <<< {_told(one.stdin)}" if one.stdin else "") for one in commands]


def _told(text: str) -> str:
    """What is written to a command; of a long text its first line and how much follows."""
    from iosonde.hosts.command import quote

    if len(text) <= _LONG:
        return quote([text])
    first = text.strip().split("\n", 1)[0][:_LONG]
    return f"{quote([first])}… ({len(text)} characters)"
