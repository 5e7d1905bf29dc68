"""A fast device in front of a slow one: what the declared caches of device-mapper have in common.

device-mapper stores nowhere which origin a cache belongs to. A cache that is brought back with
another origin, or as another kind, would write its dirty blocks over foreign data. So the first
MiB of the fast device is kept for a label, one line of text that says what the rest is:

    iosonde dm_cache UUID origin=262144 block=512 metadata=10240 start=12288 data=249856

The UUID is that of the declared layer; the figures are 512-byte sectors, so that a mapping that is
made again after a reboot lies where the first one lay. What the kernel keeps begins behind it.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, writecache.rst, linear.rst.
"""

from __future__ import annotations

from iosonde.hosts.host import Host
from iosonde.layers.site import Site
from iosonde.layers.step import Check, Command, Step, wipe
from iosonde.scripts import program
from iosonde.units import MIB, SECTOR

HEADER = MIB // SECTOR
"""Sectors of the fast device before what the kernel keeps there."""
PATIENCE = 600.0
"""Seconds in which what only the fast device holds must be on the slow one."""
ATTEMPT = 30.0
"""Seconds that one attempt waits for that; change/standing.py makes 20, which is `PATIENCE`."""
PACKAGE = "iosonde.layers"
"""Where the programs of layers lie."""
NUMBER = """
number() { lsblk --noheadings --nodeps --output MAJ:MIN "$1" | tr -d ' '; }
"""
"""A shell function that prints major:minor of a device."""


def pair(site: Site) -> tuple[str, str]:
    """The devices of a cache: the slow one (origin), then the fast one.

    Raises:
        UsageError: it stands on another number of layers, or twice on one.
    """
    devices = tuple(lower.device for lower in site.below)
    if len(devices) != 2 or site.below[0].name == site.below[1].name:
        raise site.wrong(
            f"a layer of kind {site.kind} stands `of` two layers, and here on {len(devices)}",
            hint="first the slow one, then the fast one: of: [origin, cache]",
        )
    return devices[0], devices[1]


def labelled(site: Site, layout: str, block: int, write_back: Command) -> Step:
    """The step that claims both devices: it writes the label, and the kernel finds no old cache.

    Args:
        site: of the cache.
        layout: shell text that sets `words`, what the label says of the layout; it finds the fast
            device in $1, its sectors in `size` and the sectors of a block in $5.
        block: sectors that are cached at once.
        write_back: brings what only the fast device holds to the slow one, and unmaps the cache.
    """
    origin, cache = pair(site)
    uuid = site.uuid()
    script = _LABEL.replace("LAYOUT", layout.strip())
    return Step(
        "label the fast device",
        (script_command(script, cache, origin, site.kind, uuid, str(block)),),
        Check(
            ("sh", "-c", _READ, "sh", cache), (f"iosonde {site.kind} {uuid} ", f" block={block} ")
        ),
        (
            write_back,
            wipe("sh", "-c", _FORGET.strip(), "sh", cache, origin, uuid),
        ),
        destroys=(origin, cache),
    )


def script_command(script: str, *arguments: str, timeout: float = 60.0) -> Command:
    """A fixed script with what it works on as its positional arguments."""
    return Command(("sh", "-c", script.strip(), "sh", *arguments), timeout=timeout)


async def in_mapper(host: Host, site: Site) -> str | None:
    """The device of a layer in /dev/mapper, None where it is not there."""
    path = f"/dev/mapper/{site.label}"
    done = await host.run(["test", "-b", path], check=False)
    return None if done.status else path


# Direct, since the page cache of a device may be older than what a mapping above it wrote.
_READ = (
    """dd if="$1" bs=4096 count=1 iflag=direct status=none | tr -d '\\0' | grep -a '^iosonde '"""
)
_LABEL = program(PACKAGE, "_caches/label.sh")
_FORGET = program(PACKAGE, "_caches/functions.sh", "_caches/forget.sh")
