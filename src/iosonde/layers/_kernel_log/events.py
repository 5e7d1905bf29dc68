"""What a message of the kernel is, as a technology declares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Trouble = Literal[
    "data",
    "contents",
    "device",
    "gone",
    "damage",
    "member",
    "stall",
    "memory",
    "lockup",
    "queued",
    "crash",
    "misused",
    "warned",
    "unanswered",
    "recovered",
]
"""What a message is a sign of.

data: a request ended with an error, and what it carried was not read or written; contents: what
was read is not what was written there; device: a device or its link did not answer and was reset;
gone: the kernel gave a device up; damage: a file system found itself damaged or stopped; member: an
array lost a member; stall: a process waited for minutes, mostly for I/O; memory: one waited for
memory; lockup: a processor did not leave the kernel; queued: the kernel's own work was not begun;
crash: the kernel itself failed; misused: it used memory that is not its own; warned: it met a state
that its authors had ruled out, and went on; unanswered: a server did not answer; recovered: an
error that a layer below repaired.
"""


class TroubleText(NamedTuple):
    """How a trouble is said: `after` the counters, with its remedy.

    A list of seconds that the log names may stand in braces.
    """

    rule: str
    severity: str
    after: str
    remedy: str
    confirm: str


@dataclass(frozen=True, slots=True)
class KernelMessage:
    """A message of the kernel.

    Args:
        literal: what each of these messages holds, as the kernel's source has it: the text is
            searched for it.
        pattern: of the whole message, which is matched at its beginning. Group `name` is the device
            it is about; a group `other` may name a second one, such as the member of an array.
        kind: of the layer that `name` is; "host" without a name.
        counts: name of the counter that it adds to.
        trouble: what it is a sign of; None: of none, it only says more of what stands beside it.
        each: a group whose distinct values are counted, where the kernel says each several times;
            empty: each message counts.
        is_bare: only a line without a time is one; nothing else keeps what those say that no other
            message names.
        cause: of `iosonde.layers._kernel_log.causes`, which it shows to be that of what follows it.
    """

    literal: str
    pattern: str
    kind: str
    counts: str
    trouble: Trouble | None = None
    each: str = ""
    is_bare: bool = False
    cause: str = ""


def bare_messages(kind: str, *heads: tuple[str, str]) -> tuple[KernelMessage, ...]:
    """What a technology says in lines without a time, beside the messages that it declares.

    Args:
        kind: of what `name` is.
        heads: a literal, and the pattern of what such messages begin with; they are tried last.
    """
    return tuple(
        KernelMessage(
            literal, before + r"(?P<notices>\S.{1,200})", kind, "other_messages", is_bare=True
        )
        for literal, before in heads
    )
