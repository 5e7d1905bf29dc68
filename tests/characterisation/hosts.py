"""Hosts that nobody has, under names as ssh knows them; `local` is one of them too."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from iosonde.change.journal import FOLDER, Made
from iosonde.errors import HostFailed
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.layers.step import Check
from iosonde.stack.file import builder, read_stack
from tests.characterisation.plans import standing
from tests.recordings.machine import Machine
from tests.recordings.nfs_client import nfs_client
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath
from tests.recordings.sata_md_lvm import sata_md_lvm

_MACHINES: dict[str, Callable[[], Machine]] = {
    "app1": nfs_client, "desk": nvme_crypt, "db1": san_multipath, "filer": sata_md_lvm,
    "local": nvme_crypt,
}  # fmt: skip
_BOOT = "0f0e0d0c-0b0a-4908-8706-050403020100"
_BUILT = Path(__file__).parents[2] / "examples" / "stacks"


async def open_composed(address: str = "") -> LocalHost:
    """The host of a name; `HOST@built-NAME` is that host of the example stack NAME, which stands.

    Raises:
        HostFailed: there is none, as of a name that ssh cannot resolve.
    """
    address = address or "local"
    name, built, stack = address.partition("@built-")
    if built:
        return _Root(_built(stack, name).host())
    if address not in _MACHINES:
        raise HostFailed("no such host", where=address, hint="these tests know: " + _names())
    machine = _MACHINES[address]()
    machine.name = address
    machine.file("/proc/sys/kernel/random/boot_id", _BOOT)
    return _Root(machine.host())


def _names() -> str:
    return ", ".join(_MACHINES)


def _built(stack: str, name: str) -> Machine:
    """A host of a stack, with the record of what `up` built there."""
    declared = read_stack(_BUILT / f"{stack}.yaml")
    lines, number = [], 0
    for site in declared.sites:
        for place, step in enumerate(builder(site.kind).plan(standing(site))):
            number += 1
            if step.undo and (step.host or site.host) == name:
                made = Made(
                    site.name, place, number, step.does, step.there or Check(("true",)),
                    step.undo, step.destroys, "begun", subjects=step.subjects,
                )  # fmt: skip
                lines += [json.dumps(asdict(made)), json.dumps({"number": number, "state": "done"})]
    machine = Machine(name, "6.1.0-18-amd64", cpus=4, memory=8 << 30)
    machine.file(f"{FOLDER}/{declared.name}", "\n".join(lines))
    return machine


class _Root(LocalHost):
    """A composed machine on which we are root and whose directories are private."""

    def __init__(self, host: LocalHost) -> None:
        self._host = host
        self.name = host.name
        for name in ("read", "read_many", "glob", "resolve"):
            setattr(self, name, getattr(host, name))

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        """As of the machine; questions about rights are answered as to root."""
        if tuple(argv) == ("id", "-u"):
            return Completed(tuple(argv), 0, b"0\n", b"", 0.01)
        if tuple(argv[:2]) == ("sh", "-c"):  # private.sh, and the lock of what is at work
            return Completed(tuple(argv), 0, b"", b"", 0.01)
        if argv[0] in {"cat", "sed"} and await self._host.glob(argv[-1]):
            content = await self._host.read(argv[-1])
            done = subprocess.run(argv[:-1], input=content, capture_output=True, check=True)
            return Completed(tuple(argv), 0, done.stdout, b"", 0.01)
        return await self._host.run(argv, stdin=stdin, timeout=timeout, check=check)
