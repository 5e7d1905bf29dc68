"""Stacks and loads to be timed, from a few words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from iosonde.loads.named import declare_load
from iosonde.predict.devices import DeviceModels
from iosonde.predict.model import model_of, top_of
from iosonde.predict.time import NoTime, Time, timed
from iosonde.stack.file import DeclaredStack, understand


def disks(
    number: int, layer: str = "", *, keys: str = "path: /dev/x{0}, size: 4 TB", at: str = "local"
) -> DeclaredStack:
    """Disks d1 … of one host, and a layer on them; {of} stands for their names."""
    of = ", ".join(f"d{count}" for count in range(1, number + 1))
    lines = ["stack: s", f"hosts: {{n: {{at: {at}}}}}" if at else "hosts: {n: {}}", "layers:"]
    lines += [
        f"  d{count}: {{kind: disk, host: n, {keys.format(count)}}}"
        for count in range(1, number + 1)
    ]
    return understand("\n".join([*lines, f"  {layer.replace('{of}', of)}"]), "s.yaml")


def md(level: int, number: int, *, keys: str = "path: /dev/x{0}, size: 4 TB") -> DeclaredStack:
    """An array of disks, chunk 64 KiB."""
    return disks(
        number, f"r: {{kind: md, level: {level}, chunk_size: 64k, of: [{{of}}]}}", keys=keys
    )


def time_of(
    stack: DeclaredStack, load: str, devices: Mapping[str, str] | None = None, at: str = ""
) -> Time | NoTime:
    """How fast a load will be on a stack."""
    model = model_of(top_of(stack, at), stack.mtu)
    declared = declare_load(f"fio --name=x --direct=1 {load}", where="test", directory=Path())
    models = DeviceModels({**stack.devices, **(devices or {})})
    return timed(model, declared, 1000, models)


def certain(answer: Time | NoTime) -> Time:
    """A time that is there."""
    assert isinstance(answer, Time), answer
    return answer
