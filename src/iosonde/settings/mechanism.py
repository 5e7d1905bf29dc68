"""What every mechanism can do: read and write the settings of one kind of place on a host.

A setting's address is text that only its mechanism understands: a file of sysfs, the name of a
kernel parameter. Many are read at once, because a host may be a network away.

What changes a setting is an argument list that ends with its value, so that the record of a change
holds all that is needed to put it back, and nothing has to be known of mechanisms by who does it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import IosondeError, PermissionMissing, Refused
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.records.stack import Scalar

_OK, _END = "::iosonde-ok::", "::iosonde-end::"
_LONG = 80  # signs of a word that commands may have in common
_UNFOLD = 'program=$1; shift; eval "$(printf %b "$program")"'
# dd tells what the kernel said; a shell's own printf would only say "I/O error".
_WRITE = 'printf "%s\\n" "$2" | dd of="$1" status=none'


MARK = "# made by iosonde"
"""How a file of iosonde's own begins: `persist --undo` takes away no other."""


@dataclass(frozen=True, slots=True)
class PersistentLine:
    """What keeps a setting over a reboot: a line of a file of iosonde's own.

    `key` is the part of the line that says what is set: a later line with the same key takes its
    place. `section` is the heading it stands under, in files that have some. Where the file is
    somebody else's, `edit` makes its new text of the old instead. `first`: it is set before the
    other lines, which it would disturb. `then` are commands after the file has changed; `note` is
    what the user should know.
    """

    file: str
    key: str = ""
    line: str = ""
    section: str = ""
    first: bool = False
    edit: Callable[[str], str] | None = None
    then: tuple[tuple[str, ...], ...] = ()
    note: str = ""


ReadValues: TypeAlias = Mapping[str, Scalar | IosondeError]
"""Address → its value, or why it could not be read; what the host lacks is not named."""


class Mechanism(Protocol):
    """One way in which a host keeps settings."""

    name: ClassVar[str]
    files: ClassVar[tuple[str, ...]]
    """Where it keeps settings over a reboot."""

    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        """The values now.

        Returns:
            address → value, or the error that kept it from being read (a missing right, a
            missing tool). An address that this host does not have is left out: a device that
            lacks a setting is no error.
        """
        ...

    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The words that the host itself offers for a setting; only where it says so."""
        del host, addresses
        return {}

    def look(self, address: str) -> tuple[str, ...]:
        """An argument list that prints the value and nothing else; it fails where there is none."""
        ...

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """An argument list that sets the value; it fails where the host refuses."""
        ...

    def device(self, address: str) -> str:
        """A file whose content tells one device from the next of the same name.

        Empty where the address names for good what it means: the kernel, a server, a module.
        """
        del address
        return ""

    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """What would keep a value over a reboot, in the host's native configuration.

        Raises:
            Refused: there is no way; the message says why.
        """
        ...

    def without(self, text: str) -> str:
        """One of its files without what iosonde put there; empty: there is nothing else in it."""
        return own_file(text)

    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """The values that the host's configuration sets at boot, as far as it can be read."""
        ...


def value_of(text: str) -> Scalar:
    """What a value's text on its host says.

    Returns:
        An integer where it is one, else the words separated by single blanks.
    """
    joined = " ".join(text.split())
    return int(joined) if joined.removeprefix("-").isdecimal() else joined


async def looked(host: Host, mechanism: Mechanism, addresses: Sequence[str]) -> ReadValues:
    """`Mechanism.get` by the command that looks at each; what it fails for, the host lacks."""
    if not addresses:
        return {}
    # All in one go: a host may be far, or slow to start a command. A program is written out once:
    # an argument has at most 128 KiB (execve(2), MAX_ARG_STRLEN).
    looks = [mechanism.look(address) for address in addresses]
    long = list(dict.fromkeys(word for argv in looks for word in argv if len(word) > _LONG))
    rows = ["exec 2>/dev/null"]
    rows += [f"long{number}={quote([word])}" for number, word in enumerate(long)]
    for argv in looks:
        quoted = [
            f'"$long{long.index(argument)}"' if argument in long else quote([argument])
            for argument in argv
        ]
        rows += [f"{' '.join(quoted)} && echo {_OK}", f"echo {_END}"]
    done = await host.run(["sh", "-c", "; ".join(rows)], check=False)
    answers = kerneltext.decoded(done.stdout).split(f"{_END}\n")
    values = {
        address: value_of(answer.removesuffix(f"{_OK}\n"))
        for address, answer in zip(addresses, answers, strict=False)
        if answer.endswith(f"{_OK}\n")
    }
    return {address: value for address, value in values.items() if value != ""}


class ParameterFiles(Mechanism):
    """What mechanisms have in common whose settings are files of the kernel, one each."""

    @abstractmethod
    def path(self, address: str) -> str:
        """The file of a setting."""

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        return await read_files(host, {address: self.path(address) for address in addresses})

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("cat", self.path(address))

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        return write_file(self.path(address), value)


def in_one_line(program: str, *arguments: str) -> tuple[str, ...]:
    """An argument list without a line break that runs a program: the journal holds such alone."""
    text = program.replace("\\", r"\\").replace("\n", r"\n").replace("\t", r"\t")
    return ("sh", "-c", _UNFOLD, "sh", text, *arguments)


class Scripted(Mechanism):
    """What mechanisms have in common whose values are read and set by programs of the shell.

    Both get the words of the address as their arguments, and `changing` the value behind them.
    """

    looking: ClassVar[str]
    changing: ClassVar[str]

    def arguments(self, address: str) -> tuple[str, ...]:
        """What both programs get."""
        return tuple(address.split(" "))

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return in_one_line(self.looking, *self.arguments(address))

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        return in_one_line(self.changing, *self.arguments(address), value)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        return await looked(host, self, addresses)


class Unkept(Mechanism):
    """What mechanisms have in common whose values no file of the host keeps."""

    files = ()
    unkept: ClassVar[str]
    """Why."""
    remedy: ClassVar[str] = ""
    """What keeps a value instead."""

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        del host, value
        raise Refused(self.unkept, where=address, hint=self.remedy)

    @override
    def without(self, text: str) -> str:
        return text

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """It is what it is now."""
        del host, addresses
        return {}


class Lasting(Scripted, Unkept):
    """What mechanisms have in common whose values the host itself keeps over a reboot.

    A controller or a record of a node holds them: there is nothing to write that would keep them.
    """

    unkept = "the host itself keeps it: there is nothing to write"


async def read_files(
    host: Host, places: Mapping[str, str], parse: Callable[[str], Scalar] = value_of
) -> ReadValues:
    """`Mechanism.get` of settings that are files of the kernel.

    Args:
        host: where.
        places: address → file.
        parse: what a file's text means.
    """
    files = await host.read_many(list(places.values()))
    values: dict[str, Scalar | IosondeError] = {}
    for address, path in places.items():
        content = files.get(path)
        if isinstance(content, bytes):
            values[address] = parse(kerneltext.decoded(content))
        elif isinstance(content, PermissionMissing):
            values[address] = content
    return values


async def drop_ins(host: Host, folders: Sequence[str]) -> list[str]:
    """The files *.conf of folders, in the order in which they are read.

    They are sorted by name whatever their folder; one hides those of its name in later folders
    (sysctl.d(5), modprobe.d(5)).
    """
    chosen: dict[str, str] = {}
    for folder in folders:
        for path in await host.glob(f"{folder}/*.conf"):
            chosen.setdefault(path.rpartition("/")[2], path)
    return [path for _, path in sorted(chosen.items())]


def write_file(path: str, value: str) -> tuple[str, ...]:
    """An argument list that writes a value to a file of the kernel, in one write."""
    return ("sh", "-c", _WRITE, "sh", path, value)


def own_file(text: str) -> str:
    """`Mechanism.without` of a file that is iosonde's own, as long as its first line says so."""
    return "" if text.startswith(MARK) else text


async def texts(host: Host, paths: Sequence[str]) -> dict[str, str]:
    """The files that can be read, path → text."""
    files = await host.read_many(paths) if paths else {}
    return {
        path: kerneltext.decoded(content)
        for path, content in files.items()
        if isinstance(content, bytes)
    }
