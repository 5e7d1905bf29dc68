"""How deep a layer of a declared stack lies: settings are searched from the disks up."""

from __future__ import annotations

from iosonde.layers.site import Site
from iosonde.stack.file import DeclaredStack


def without_host(stack: DeclaredStack | None, name: str) -> tuple[str, str]:
    """A name "HOST/REST" with a host of the stack as both; else no host and the name."""
    host, slash, rest = name.partition("/")
    return (host, rest) if stack and slash and host in stack.opens else ("", name)


def layer_depth(stack: DeclaredStack, name: str) -> int:
    """How many layers a layer stands on, on whatever hosts."""
    return len(list(stack.site(name).under()))


def link_depth(stack: DeclaredStack) -> float:
    """Of the network: right below the lowest layer that stands on one of another host."""
    return min((layer_depth(stack, site.name) for site in crossings(stack)), default=0) - 0.5


def crossings(stack: DeclaredStack) -> list[Site]:
    """The layers that stand on one of another host."""
    return [
        site
        for site in stack.sites
        if site.name not in stack.guests and {lower.host for lower in site.below} - {site.host}
    ]
