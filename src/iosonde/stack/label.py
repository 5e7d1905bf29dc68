"""The words that stand for a layer in every drawing: its name, size, and what it is in short."""

from __future__ import annotations

from iosonde.kerneltext import lines
from iosonde.layers import NO_PLATTERS
from iosonde.records.stack import HostFacts, Scalar, StackLayer
from iosonde.units import show_bytes
from iosonde.visible import visible

# Facts worth a place in a drawing, in this order, whatever the kind of layer they belong to.
_FACTS = (
    "model", "transport", "level", "raid_level", "segment_type", "data_profile", "cipher",
    "policy", "mode",
    "server", "export", "version", "backing_file", "state",
)  # fmt: skip
_SIZES = ("chunk_size", "strip_size", "block_size", "used")
_FLAGS = {"direct_io": "direct I/O"}


def name(layer: StackLayer) -> str:
    """What people call it: the mount point, else the device without /dev/, else the id's name."""
    if layer.mount:
        return visible(layer.mount)
    if layer.device:
        return visible(layer.device.removeprefix("/dev/").removeprefix("mapper/"))
    return visible(layer.id.partition(":")[2])


def brief(layer: StackLayer) -> tuple[str, ...]:
    """What the layer is in a few words; the page of its kind tells the rest."""
    phrases = [str(layer.facts[key]) for key in _FACTS if layer.facts.get(key)]
    if "rotational" in layer.facts and layer.facts.get("transport") not in NO_PLATTERS:
        phrases.append("rotating" if layer.facts["rotational"] else "solid state")
    for key in _SIZES:
        size = layer.facts.get(key)
        if isinstance(size, int) and size:
            phrases.append(f"{key.removesuffix('_size').replace('_', ' ')} {show_bytes(size)}")
    phrases += [text for key, text in _FLAGS.items() if layer.facts.get(key) is True]
    phrases += _sectors(layer) + _start(layer)
    if layer.facts.get("mounts"):
        word = "also at" if layer.mount else "at"
        phrases.append(f"{word} {', '.join(lines(str(layer.facts['mounts'])))}")
    return tuple(map(visible, phrases))


def _sectors(layer: StackLayer) -> list[str]:
    """Logical and physical sector of a device of its own, "512/4096 B"."""
    logical = layer.facts.get("logical_block_size")
    physical = layer.facts.get("physical_block_size")
    return [f"{logical}/{physical} B"] if logical and physical else []


def _start(layer: StackLayer) -> list[str]:
    start = layer.facts.get("start")
    return [f"from {show_bytes(start)}"] if isinstance(start, int) and start else []


def host_title(host: HostFacts) -> str:
    """`local: Linux 6.12.9, 8 CPUs, 31.2 GiB`."""
    parts = [f"Linux {host.kernel}"] if host.kernel else []
    if host.cpus is not None:
        parts.append(f"{host.cpus} CPU{'' if host.cpus == 1 else 's'}")
    if host.memory is not None:
        parts.append(show_bytes(host.memory))
    return visible(f"{host.name}: {', '.join(parts)}" if parts else host.name)


def setting(key: str, value: Scalar) -> str:
    """`nr_requests=256`; what may not be read is `?`."""
    if isinstance(value, bool):
        return f"{key}={'on' if value else 'off'}"
    text = "?" if value is None else visible(str(value))
    return f"{key}={text!r}" if " " in text or text == "" else f"{key}={text}"


def is_grave(hazard: str) -> bool:
    """Whether a hazard is a fault (degraded, misaligned), not just a sign of use."""
    return not hazard.startswith(("mounted", "swap", "held by ", "in use", "read-only", "exported"))
