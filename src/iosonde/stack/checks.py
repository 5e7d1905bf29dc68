"""What no host is needed for to see: layers that cannot be built as they are declared.

Sizes go up from the disks; where that of a real disk is not known yet, what follows from it is
looked at once the host was asked (`change/build.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iosonde.errors import UsageError
from iosonde.layers import LAYERS
from iosonde.layers.site import Builds, Checks, Hosting, Pools, Shares, Site, Sized

_PLACE_NAMES = {"mount": "a file system", "": "an export", "device": "a block device"}


def check_sites(sites: Sequence[Site]) -> None:
    """Refuse what cannot be built, whatever the hosts have.

    Args:
        sites: all layers, each after those that it stands on.

    Raises:
        UsageError: of the first layer that cannot be; `where` names it.
    """
    for site in sites:
        _check_below(site)
    for site in sites:
        _check_shared(
            site, [upper for upper in sites if any(site.name == u.name for u in upper.below)]
        )
    check_sizes(sites, {})


def check_sizes(sites: Sequence[Site], disks: Mapping[str, int]) -> None:
    """Refuse what does not fit on what it stands on.

    Args:
        sites: all layers, each after those that it stands on.
        disks: bytes of real disks, by layer, as far as they are known.

    Raises:
        UsageError: of the first layer that does not fit; `where` names it.
    """
    room: dict[str, int | None] = dict(disks)
    for site in sites:
        if site.name in room:
            continue
        kind, below = _kind(site), [room.get(lower.name) for lower in site.below]
        if isinstance(kind, Sized) and (below or not site.declared.of):
            room[site.name] = kind.room(site, below)
        elif kind.probe != "mount":
            room[site.name] = below[0] if below else None
    for name in dict.fromkeys(site.kind for site in sites):
        checked = LAYERS.load(name)()
        if isinstance(checked, Checks):
            checked.check([site for site in sites if site.kind == name], room)


def _kind(site: Site) -> Builds:
    made = LAYERS.load(site.kind)()
    if not isinstance(made, Builds):
        raise UsageError(f"layers of kind {site.kind!r} are found, but cannot be declared")
    return made


def _check_below(site: Site) -> None:
    """A file system stands on a device, not on a directory or on what others import."""
    stands_on = LAYERS.load(site.kind).stands_on
    needed = stands_on if stands_on in _PLACE_NAMES else ""
    exporter = "" if needed else stands_on
    for under in site.below:
        offered = _kind(under).probe
        kind = _kind(site)
        if is_pool(under) and not (isinstance(kind, Pools) and kind.stands_on_pool(site)):
            raise site.wrong(
                f"{under.name} is a thin pool, which is no device",
                hint="stand it on a volume of `type: thin` of that pool",
            )
        if offered != needed or exporter not in {"", under.kind}:
            on = f"a layer of kind {exporter}" if exporter else _PLACE_NAMES[needed]
            raise site.wrong(
                f"a layer of kind {site.kind} stands on {on}, and {under.name} ({under.kind}) is "
                f"{_PLACE_NAMES[offered]}"
            )


def is_pool(site: Site) -> bool:
    """Whether a layer is a thin pool: its volumes are devices, it is none."""
    kind = _kind(site)
    return isinstance(kind, Pools) and kind.is_pool(site)


def _check_shared(site: Site, above: Sequence[Site]) -> None:
    """Only what shares a device by its own rules may stand on it together."""
    if len({name for upper in above for name in [upper.name]}) < 2 or _kind(site).probe != "device":
        return
    claims = {upper.name: _claim(upper) for upper in above}
    exclusive = [name for name, claim in claims.items() if claim]
    others = [name for name, claim in claims.items() if exclusive and claim != claims[exclusive[0]]]
    if others:
        raise next(upper for upper in above if upper.name == others[0]).wrong(
            f"{exclusive[0]} and {others[0]} both stand on {site.name}, and each would destroy "
            "what the other puts there",
            hint=f"give each a partition of {site.name}, or a device of its own",
        )


def _claim(site: Site) -> tuple[str, ...]:
    """What a layer takes a device for, the same for those that share it; empty where it exports."""
    kind = _kind(site)
    if isinstance(kind, Shares):
        return kind.claim(site)
    return (site.name,) if isinstance(kind, Hosting) or kind.probe else ()
