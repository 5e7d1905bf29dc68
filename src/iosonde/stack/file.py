"""Stack files: hosts and layers as a user declares them, in the order in which they are built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from iosonde.errors import UsageError
from iosonde.hosts.become import without_way
from iosonde.inputs import read_declaration_file
from iosonde.layers import LAYERS
from iosonde.layers.site import Builds, Declared, Geometric, Homed, Hosting, Site, Size
from iosonde.records.stack import Json
from iosonde.stack.checks import check_sites
from iosonde.stack.declare import STACK_FILE, Tree, check_part, read_tree, require_kind
from iosonde.stack.overrides import override

_NAME = r"^[a-z][a-z0-9_]{0,30}$"
_LAB_NETWORK = "10.9.0."


class LabHost(BaseModel):
    """The virtual machine that stands for a host in the lab.

    One that `remembers` keeps its root file system over a loss of power, as a real host does; it
    boots a few seconds later. Others begin anew, with nothing but their disks.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory: Size = 384 * 2**20
    cpus: int = Field(default=1, ge=1, le=64)
    remembers: bool = False


class HostEntry(BaseModel):
    """A host of a stack: in the lab unless it says otherwise.

    `at` is what iosonde opens ("local", or what ssh knows); `address` that of the storage network.
    With `become`, a host over ssh is root's by sudo or doas, as with `sudo:` before `at`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str = ""
    address: str = ""
    become: Literal["", "sudo", "doas"] = ""
    lab: LabHost = LabHost()


class StackFile(BaseModel):
    """The top of a stack file. `devices` says how fast what is, for `predict`: layer → model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stack: str = Field(pattern=r"^[a-z][a-z0-9-]{0,24}$")
    about: str = ""
    mtu: int = Field(default=9000, ge=576, le=9000)
    hosts: dict[str, HostEntry] = Field(min_length=1)
    layers: dict[str, dict[str, Any]] = Field(min_length=1)
    devices: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class DeclaredStack:
    """A stack file understood.

    Args:
        name: of the stack.
        file: where it was read.
        hosts: as declared, by name, and after them the machines that layers make.
        opens: what iosonde opens for each host.
        sites: the layers in an order in which they can be built; `device` is not filled in.
        mtu: of the lab's network, bytes.
        guests: hosts that layers make, with the host that each runs on.
        devices: how fast what is, as written: layer or kind → model (docs/use/predict.md).
    """

    name: str
    file: str
    hosts: Mapping[str, HostEntry]
    opens: Mapping[str, str]
    sites: tuple[Site, ...]
    mtu: int
    guests: Mapping[str, str] = field(default_factory=dict)
    devices: Mapping[str, str] = field(default_factory=dict)

    @property
    def lab(self) -> frozenset[str]:
        """Names of the hosts that stand in the lab."""
        return frozenset(name for name, address in self.opens.items() if address[:4] == "lab:")

    def site(self, name: str) -> Site:
        """The layer of a name.

        Raises:
            UsageError: there is none.
        """
        for site in self.sites:
            if site.name == name:
                return site
        names = ", ".join(site.name for site in self.sites)
        raise UsageError(f"there is no layer {name!r}; known: {names}", where=self.file)


def buildable() -> dict[str, type[Builds]]:
    """The kinds of layer that can be declared, by name."""
    kinds = {name: LAYERS.load(name) for name in LAYERS}
    return {name: kind for name, kind in kinds.items() if isinstance(kind(), Builds)}  # type: ignore[misc]


def builder(kind: str) -> Builds:
    """What builds layers of a kind."""
    made = _new(kind)
    if not isinstance(made, Builds):
        raise UsageError(f"layers of kind {kind!r} are found, but cannot be declared")
    return made


def _new(kind: str) -> object:
    return LAYERS.load(kind)()


def read_stack(
    file: Path,
    *,
    rehearse: bool = False,
    at: Mapping[str, str] | None = None,
    values: Mapping[str, Json] | None = None,
) -> DeclaredStack:
    """The stack in a file.

    Args:
        file: YAML.
        rehearse: all hosts stand in the lab, whatever the file says.
        at: what to open for some hosts instead of what the file says.
        values: "LAYER.KEY" → what holds instead of what the file says.

    Raises:
        UsageError: it cannot be read or understood; where is "FILE:LINE".
    """
    text = read_declaration_file(file, "the stack file")
    return understand(text, str(file), rehearse=rehearse, at=at or {}, values=values or {})


def understand(
    text: str,
    file: str,
    *,
    rehearse: bool = False,
    at: Mapping[str, str] | None = None,
    values: Mapping[str, Json] | None = None,
) -> DeclaredStack:
    """As `read_stack`, of a text."""
    tree = read_tree(text, file)
    require_kind(tree, STACK_FILE)
    override(tree, values or {})
    top = check_part(tree, [], tree.values, StackFile)
    for kind, names in (("host", top.hosts), ("layer", top.layers)):
        for name in names:
            _check_name(name, kind, tree)
    declared = {name: _layer(name, values, tree) for name, values in top.layers.items()}
    machines = _machines(top, declared, tree)
    hosts = {**top.hosts, **machines}
    opens = _opens(top, hosts, tree, rehearse=rehearse, at=at or {})
    sites = _placed(top, declared, tree, opens, machines)
    _check(sites, tree)
    guests = {name: _runs_at(sites, name) for name in machines}
    return DeclaredStack(top.stack, file, hosts, opens, sites, top.mtu, guests, top.devices)


def _machines(top: StackFile, declared: Mapping[str, Declared], tree: Tree) -> dict[str, HostEntry]:
    """The hosts that layers make, by the layers' names; see `Hosting`."""
    machines = {}
    for name, declaration in declared.items():
        made = builder(declaration.kind)
        if isinstance(made, Hosting):
            if name in top.hosts:
                raise tree.wrong(["layers", name], f"a host bears the name {name!r} already")
            memory, cpus = made.size(declaration)
            machines[name] = HostEntry(
                at=made.reached(declaration), lab=LabHost(memory=memory, cpus=cpus)
            )
    return machines


def _check(sites: Sequence[Site], tree: Tree) -> None:
    """Refuse what cannot be built, with the line of the layer."""
    try:
        check_sites(sites)
    except UsageError as problem:
        name = problem.where.removeprefix("layer ")
        message = f"the layer {name!r} cannot be built: {problem.message}"
        raise tree.wrong(["layers", name], message, problem.hint) from None


def _runs_at(sites: Sequence[Site], name: str) -> str:
    """The host on which a layer's machine runs."""
    (site,) = (site for site in sites if site.name == name)
    made = builder(site.kind)
    return made.runs_at(site.declared, site.below) if isinstance(made, Hosting) else site.host


def _check_name(name: str, kind: str, tree: Tree) -> None:
    import re

    if not re.match(_NAME, name):
        raise tree.wrong(
            [f"{kind}s", name],
            f"{name!r} is no name for a {kind}: expected small letters, digits and _, a letter "
            "first, at most 31",
        )


def _opens(
    top: StackFile,
    hosts: Mapping[str, HostEntry],
    tree: Tree,
    *,
    rehearse: bool,
    at: Mapping[str, str],
) -> dict[str, str]:
    for name in at:
        if name not in hosts:
            raise UsageError(f"the stack has no host {name!r}", where=tree.file)
    opens = {}
    for name, entry in hosts.items():
        named = at.get(name) or ("" if rehearse else _reached(entry, name, tree))
        opens[name] = named or f"lab:{top.stack}/{name}"
    return opens


def _reached(entry: HostEntry, name: str, tree: Tree) -> str:
    """What iosonde opens for a host of the file; "" for one of the lab."""
    if not entry.become or without_way(entry.at) != entry.at:
        return entry.at
    if entry.at in {"", "local", "localhost"} or entry.at.startswith(("lab:", "recording:")):
        raise tree.wrong(
            ["hosts", name, "become"],
            f"{entry.become} makes root on hosts over ssh; expected their `at` too",
        )
    return f"{entry.become}:{entry.at.removeprefix('ssh:')}"


def _layer(name: str, values: dict[str, Any], tree: Tree) -> Declared:
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in LAYERS or not isinstance(_new(kind), Builds):
        from difflib import get_close_matches

        kinds = buildable()
        near = get_close_matches(str(kind), kinds, n=1)
        raise tree.wrong(
            ["layers", name, "kind"],
            f"{kind!r} is no kind of layer that can be declared; known: {', '.join(sorted(kinds))}"
            if kind
            else f"the layer {name!r} has no kind; known: {', '.join(sorted(kinds))}",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )
    return check_part(tree, ["layers", name], values, builder(kind).declaration)


def _placed(
    top: StackFile,
    declared: Mapping[str, Declared],
    tree: Tree,
    opens: Mapping[str, str],
    machines: Mapping[str, HostEntry],
) -> tuple[Site, ...]:
    """The layers in an order in which they can be built: as in the file where that will do."""
    for name, declaration in declared.items():
        for under in declaration.of:
            if under not in declared:
                raise tree.wrong(["layers", name, "of"], f"there is no layer {under!r}")
        if declaration.host and declaration.host not in opens:
            raise tree.wrong(["layers", name, "host"], f"there is no host {declaration.host!r}")
    try:
        order = tuple(
            TopologicalSorter(
                {name: declaration.of for name, declaration in declared.items()}
            ).static_order()
        )
    except CycleError as ring:
        names = " → ".join(ring.args[1])
        raise tree.wrong(
            ["layers", ring.args[1][0]], f"layers stand on one another: {names}"
        ) from None
    lab = frozenset(name for name, address in opens.items() if address.startswith("lab:"))
    addresses = {
        name: f"{_LAB_NETWORK}{number}" if name in lab else entry.address
        for number, (name, entry) in enumerate({**top.hosts, **machines}.items(), 1)
        if name in lab or entry.address
    }
    sites: dict[str, Site] = {}
    for name in order:
        below = tuple(sites[under] for under in declared[name].of)
        site = Site(top.stack, name, "", declared[name], below, addresses, lab)
        placed = replace(site, host=_host_of(site, top.hosts, tree))
        sites[name] = replace(placed, stripe=_stripe(placed))
        _check_machine(sites[name], machines, tree)
    return tuple(sites[name] for name in _as_written(declared))


def _check_machine(site: Site, machines: Mapping[str, HostEntry], tree: Tree) -> None:
    """A machine runs on a real host; what is in it stands on its disk, so that it ends first."""
    path = ["layers", site.name]
    made = builder(site.kind)
    if isinstance(made, Hosting):
        runs_at = made.runs_at(site.declared, site.below)
        if runs_at in machines:
            raise tree.wrong(path, f"{runs_at!r} is a guest itself: no guest can run in a guest")
        if not runs_at:
            raise tree.wrong(path, f"a layer of kind {site.kind} stands on one layer")
    elif site.host in machines and site.host not in {lower.name for lower in site.under()}:
        raise tree.wrong(
            path, f"the layer {site.name!r} is in the guest {site.host!r}, but does not stand on it"
        )


def _as_written(declared: Mapping[str, Declared]) -> list[str]:
    """The order of the file, each layer only moved behind what it stands on."""
    placed: list[str] = []

    def put(name: str) -> None:
        if name not in placed:
            for under in declared[name].of:
                put(under)
            placed.append(name)

    for name in declared:
        put(name)
    return placed


def _stripe(site: Site) -> tuple[int, int] | None:
    """The striping that what stands on a layer must align to: its own, or the nearest below."""
    made = builder(site.kind)
    own = made.geometry(site) if isinstance(made, Geometric) else None
    return own or next((under.stripe for under in site.below if under.stripe), None)


def _host_of(site: Site, hosts: Mapping[str, HostEntry], tree: Tree) -> str:
    """Where a layer stands: where it says, or where what it stands on does."""
    made = builder(site.kind)
    if isinstance(made, Hosting):
        return site.name
    named = site.declared.host
    if not named and isinstance(made, Homed):
        named = made.home(site.declared, site.below)
    if named:
        return named
    under = {lower.host for lower in site.below} or (set(hosts) if len(hosts) == 1 else set())
    if len(under) == 1:
        return under.pop()
    path = ["layers", site.name]
    if not under:
        raise tree.wrong(
            path, f"the layer {site.name!r} needs `host:`, since it stands on no other"
        )
    raise tree.wrong(
        path, f"the layer {site.name!r} stands on layers of several hosts, so it needs `host:`"
    )


def stack_schema() -> dict[str, Any]:
    """The JSON schema of a stack file, made of the declarations of all kinds."""
    top = StackFile.model_json_schema(ref_template="#/$defs/{model}")
    definitions = top.pop("$defs", {})
    branches = []
    for name, kind in sorted(buildable().items()):
        schema = kind.declaration.model_json_schema(ref_template="#/$defs/{model}")
        definitions |= schema.pop("$defs", {})
        schema["properties"]["of"] = {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        }
        schema["required"] = sorted({*schema.get("required", []), "kind"})
        definitions[f"layer_{name}"] = schema
        branches.append({"$ref": f"#/$defs/layer_{name}"})
    top["properties"]["layers"]["additionalProperties"] = {"anyOf": branches}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "title": "iosonde.stack/1",
        "description": "A stack file: hosts, and layers by kind with what they stand on.",
        "$defs": definitions,
    }
