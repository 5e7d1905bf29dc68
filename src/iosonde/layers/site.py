"""What a user declares of a layer, and the place where it is to stand."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from iosonde import units
from iosonde.errors import IosondeError, UsageError
from iosonde.hosts.host import Host
from iosonde.layers.step import Step
from iosonde.records.stack import Scalar, StackLayer

_NAMESPACE = uuid.UUID("5f4b6d0e-8a52-4d0e-9c5e-1f0a6f6e7a10")


def _several(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _bytes(value: object) -> object:
    try:
        return units.parse_bytes(value)  # type: ignore[arg-type]
    except IosondeError as problem:
        raise ValueError(f"{problem.message} ({problem.hint})") from None


def _seconds(value: object) -> object:
    try:
        return units.parse_seconds(value)  # type: ignore[arg-type]
    except IosondeError as problem:
        raise ValueError(f"{problem.message} ({problem.hint})") from None


Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
"""One name or a list of them."""
Size = Annotated[int, BeforeValidator(_bytes, json_schema_input_type=int | str)]
"""Bytes, written "64 KiB" or as a number."""
Duration = Annotated[float, BeforeValidator(_seconds, json_schema_input_type=float | str)]
"""Seconds, written "20 ms" or as a number."""


class Declared(BaseModel):
    """What every declared layer has; each kind adds its own keys.

    `of` names the layers it stands on, `host` where it stands; needed only where that is not the
    host of what it stands on (an initiator, a disk). `unsafe` are keys with the values that trade
    safety of data for speed; deeper keys by further dots.

    `unread` are keys of which what stands does not tell, and why: they are compared with what
    iosonde's record says that the layer was built with. `immaterial` are keys that change nothing
    about what stands, or that `up` sets on it, and why: they are not compared.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {}
    unread: ClassVar[Mapping[str, str]] = {}
    immaterial: ClassVar[Mapping[str, str]] = {}

    kind: str
    of: Names = ()
    host: str = ""


class DriveDeclared(Declared):
    """The bottom of a stack: a real device by its `path`, a `file`, or a virtual disk."""

    path: str = Field(default="", pattern=r"^(/dev/.+)?$")
    file: str = Field(default="", pattern=r"^(/.+)?$")
    size: Size = 2**30
    like: str = ""
    iops: float | None = Field(default=None, gt=0)
    bandwidth: Size | None = Field(default=None, gt=0)
    latency: Duration | None = Field(default=None, gt=0)


D = TypeVar("D", bound=Declared)


@dataclass(frozen=True, slots=True)
class Site:
    """A declared layer at its place.

    Args:
        stack: name of the stack.
        name: of the layer in it.
        host: the name of its host in the stack.
        declared: what the user wrote.
        below: the sites it stands on, in the order of `of`.
        addresses: of every host of the stack on the network that storage goes over.
        lab: names of the hosts that are virtual machines of iosonde's lab.
        stripe: chunk in bytes and number of data members of the striping that what stands on it
            aligns to: its own, or the nearest below; None without one.
        device: the path to open there (a block device or a mount point), once it stands; while it
            does not, a text in angle brackets that stands for it in a plan that is only shown.
    """

    stack: str
    name: str
    host: str
    declared: Declared
    below: tuple[Site, ...] = ()
    addresses: Mapping[str, str] = field(default_factory=dict)
    lab: frozenset[str] = frozenset()
    stripe: tuple[int, int] | None = None
    device: str = ""

    @property
    def kind(self) -> str:
        """The kind declared."""
        return self.declared.kind

    @property
    def label(self) -> str:
        """A name that no other layer of any stack on its host has: "STACK-NAME"."""
        return f"{self.stack}-{self.name}"

    @property
    def in_lab(self) -> bool:
        """Whether its host is a virtual machine of the lab."""
        return self.host in self.lab

    @property
    def only(self) -> Site:
        """The one site that this one stands on.

        Raises:
            UsageError: none, or several.
        """
        if len(self.below) != 1:
            raise self.wrong(f"a layer of kind {self.kind} stands on one layer")
        return self.below[0]

    def address(self, host: str) -> str:
        """The address of a host on the storage network.

        Raises:
            UsageError: the stack file names none.
        """
        if host not in self.addresses:
            raise UsageError(
                f"the host {host!r} needs an address on the storage network",
                where=f"layer {self.name}",
                hint=f"add `address:` to hosts.{host}",
            )
        return self.addresses[host]

    def uuid(self, part: str = "") -> str:
        """A UUID that is the same each time for this layer (RFC 4122, version 5)."""
        return str(uuid.uuid5(_NAMESPACE, f"{self.stack}/{self.name}/{part}"))

    def declared_as(self, model: type[D]) -> D:
        """What was declared, as its own kind knows it."""
        if not isinstance(self.declared, model):
            raise TypeError(f"{self.name} is a {self.kind}, not a {model.__name__}")
        return self.declared

    def under(self) -> Iterator[Site]:
        """All sites below, each once, the nearest first."""
        seen: set[str] = set()
        queue = list(self.below)
        while queue:
            site = queue.pop(0)
            if site.name not in seen:
                seen.add(site.name)
                yield site
                queue += site.below

    def wrong(self, message: str, hint: str = "") -> UsageError:
        """The complaint that this layer cannot be built as declared."""
        return UsageError(message, where=f"layer {self.name}", hint=hint)


@dataclass(frozen=True, slots=True)
class DiskExport:
    """How a machine gets the device below a layer as its disk.

    Args:
        steps: by which a host exports it at an address and a port.
        source: what QEMU calls it, with the places `{host}`, `{port}` and `{label}`.
    """

    steps: Callable[[Site, str, str, int], tuple[Step, ...]]
    source: str


@runtime_checkable
class Builds(Protocol):
    """A kind of layer that can be declared, built and taken away."""

    kind: ClassVar[str]
    declaration: ClassVar[type[Declared]]
    probe: ClassVar[str]
    """What a load can be run at: "device", "mount", or "" for an export, which offers neither."""

    def plan(self, site: Site) -> tuple[Step, ...]:
        """The steps that make it, in order; undone in reverse. Executes nothing.

        Raises:
            UsageError: it cannot be built as declared (`site.wrong`).
        """
        ...

    async def place(self, host: Host, site: Site) -> str | None:
        """The path to open once it stands (stable over a reboot where there is such a path).

        None where it is not there. For an export, what initiators are told ("" will do).
        """
        ...


@dataclass(frozen=True, slots=True)
class Compared:
    """A declared key beside what stands; None where nothing was declared or read.

    Args:
        key: of the declaration.
        declared: what it would be built with.
        standing: what was read.
        unit: of both: "B", "s" or "".
        granted: the other side may grant another value, so one that differs is no difference
            where the record says that it was asked for.
    """

    key: str
    declared: Scalar
    standing: Scalar
    unit: str = ""
    granted: bool = False

    @property
    def differs(self) -> bool:
        """Whether both are known, and are not the same."""
        unknown = self.declared is None or self.standing is None
        return not unknown and self.declared != self.standing


@runtime_checkable
class Compares(Protocol):
    """A kind that reads declared keys from the layer that stands."""

    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """Each key that can be read, whether it is declared or not.

        Keys that a step's check compares (`Step.there`) need not be among them.

        Args:
            site: as declared, its layers below with their devices.
            layer: what `discover` found there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """How far a layer is that was given members back.

    `progress` as its kind says it; `look` is the command that shows more.
    """

    whole: bool
    idle: bool
    progress: str
    look: str


@runtime_checkable
class Repairs(Protocol):
    """A kind of layer that takes members back which it has lost."""

    def repair(self, site: Site) -> tuple[str, ...]:
        """The command that gives it back members that are its own; it refuses all others."""
        ...

    async def rebuilding(self, host: Host, site: Site) -> Rebuilding:
        """How far it is."""
        ...


@runtime_checkable
class Homed(Protocol):
    """A kind that says itself on which host it stands, such as a replicated volume's primary."""

    def home(self, declared: Any, below: tuple[Site, ...]) -> str:
        """Name of the host, "" where the declaration leaves it open."""
        ...


@runtime_checkable
class Hosting(Protocol):
    """A kind that makes a machine: a further host of the stack, named for the layer.

    The layer stands in that machine, as what stands on it does; its steps say where they are done.
    """

    def runs_at(self, declared: Any, below: tuple[Site, ...]) -> str:
        """Name of the host that the machine runs on, "" where the declaration leaves it open."""
        ...

    def reached(self, declared: Any) -> str:
        """What iosonde opens to reach a machine outside of the lab; "" where nothing is said."""
        ...

    def size(self, declared: Any) -> tuple[int, int]:
        """Its memory in bytes and its number of CPUs."""
        ...

    def lab_disk(self, site: Site, host: str) -> Mapping[str, Any]:
        """What its host in the lab exports for it: keys and values of a disk (lab/spec.py)."""
        ...


@runtime_checkable
class Sized(Protocol):
    """A kind whose size follows from what it stands on, and that not every size will do for."""

    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """The most bytes that it can give; None where that is not known.

        Args:
            site: as declared.
            below: the most bytes of each layer below, in the order of `of`.

        Raises:
            UsageError: it cannot be built as declared, or not on layers of these sizes.
        """
        ...


@runtime_checkable
class Checks(Protocol):
    """A kind whose layers of one stack have to fit each other, or what they stand on."""

    def check(self, own: Sequence[Site], room: Mapping[str, int | None], /) -> None:
        """Refuse what no host is needed for to see.

        Args:
            own: all layers of this kind in the stack.
            room: the most bytes of every layer of the stack, by name; None where not known.

        Raises:
            UsageError: of the first layer that cannot be built so.
        """
        ...


@runtime_checkable
class Shares(Protocol):
    """A kind of which several layers may stand on one device, by rules of its own."""

    def claim(self, site: Site, /) -> tuple[str, ...]:
        """What it takes its devices for, the same for those that share them; empty: for nothing."""
        ...


@runtime_checkable
class Pools(Protocol):
    """A kind that may be declared as a pool: its volumes are devices, it is none."""

    def is_pool(self, site: Site) -> bool:
        """Whether it is declared as one."""
        ...

    def stands_on_pool(self, site: Site) -> bool:
        """Whether it is declared as a volume of one."""
        ...


@runtime_checkable
class Geometric(Protocol):
    """A kind that stripes: file systems above it align to it."""

    def geometry(self, site: Site) -> tuple[int, int] | None:
        """Bytes on one member before the next one's turn, and how many members hold data."""
        ...
