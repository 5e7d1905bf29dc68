"""What is the stack of these hosts?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.hosts.recording import Recorder
from iosonde.records.stack import Capture
from iosonde.stack.discover import discover
from iosonde.verbs.signals import run_async


def show(*hosts: str, record: Path | None = None) -> Capture:
    """The storage stack of hosts: every layer with its facts, settings and hazards.

    Args:
        hosts: `local`, names that ssh knows, or `recording:PATH`: a recording, or a directory or
            tar archive of what a support tool collected; none: this host.
        record: directory in which all that each host answers is kept, for `recording:DIR/HOST`.

    Raises:
        HostFailed: a host cannot be reached. What cannot be read there is among the `gaps`.
    """
    return run_async(_discover(hosts or ("local",), record))


async def _discover(names: Sequence[str], record: Path | None) -> Capture:
    opened: dict[str, Host] = {}
    try:
        for name in names:
            host = await open_host(name)
            if record is not None:
                host = Recorder(host, record / host.name.replace("/", "_"))
            if host.name in opened:  # two names of one host
                await host.close()
            opened.setdefault(host.name, host)
        capture = await discover(tuple(opened.values()))
        if record is not None:
            from iosonde.predict.described import ask_facts

            await ask_facts(capture, tuple(opened.values()))
        return capture
    finally:
        for host in opened.values():
            await host.close()
