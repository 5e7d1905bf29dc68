"""Where a study at the layers of a declared stack applies its loads."""

from __future__ import annotations

from pathlib import Path

from iosonde.errors import UsageError
from iosonde.layers.site import Site
from iosonde.measure.study import EVERY_LAYER, ProbePoint, Study
from iosonde.stack.checks import is_pool
from iosonde.stack.file import DeclaredStack, builder, read_stack


def stack_of(study: Study, directory: Path) -> DeclaredStack:
    """The declared stack of a study."""
    file = directory / Path(study.stack)
    return read_stack(file, rehearse=study.rehearse, values=study.set)


def depth(site: Site) -> int:
    """How many layers lie below it, on the longest way down."""
    return 1 + max((depth(lower) for lower in site.below), default=-1)


def probe_points(study: Study, stack: DeclaredStack) -> list[ProbePoint]:
    """Where the study's loads are applied, from the disks up.

    Raises:
        UsageError: a layer that is named is not there, or no load can be applied to it.
    """
    wanted = study.at or [EVERY_LAYER]
    if wanted == [EVERY_LAYER]:
        sites = [site for site in stack.sites if builder(site.kind).probe and not is_pool(site)]
    else:
        sites = [stack.site(name) for name in wanted]
    for site in sites:
        if not builder(site.kind).probe:
            raise UsageError(
                f"the layer {site.name!r} is an export: no load can be applied to it",
                where=stack.file,
                hint="name the layer that imports it",
            )
        if is_pool(site):
            raise UsageError(
                f"the layer {site.name!r} is a thin pool: no load can be applied to it",
                where=stack.file,
                hint="name a volume of `type: thin` on it",
            )
    ordered = sorted(sites, key=depth)
    return [ProbePoint(host=stack.opens[site.host], path="", name=site.name) for site in ordered]
