"""Tells a QEMU what to do, by its own protocol and that protocol's library.

Source: QEMU docs/interop/qmp-spec.rst and qapi/*.json (7.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qemu.qmp import ExecInterruptedError, ExecuteError, QMPClient, QMPError

from iosonde.errors import HostFailed


async def ask(socket: Path, command: str, arguments: Mapping[str, object] | None = None) -> object:
    """What one command returns.

    Raises:
        HostFailed: QEMU does not run, or refuses.
    """
    client = QMPClient("iosonde")
    try:
        await client.connect(str(socket))
        return await client.execute(command, arguments)
    except ExecuteError as problem:
        raise HostFailed(f"QEMU refuses {command}: {problem}", where=str(socket)) from None
    except (QMPError, ExecInterruptedError, OSError) as problem:
        raise HostFailed(
            f"QEMU cannot be asked for {command}: {problem}", where=str(socket)
        ) from None
    finally:
        await client.disconnect()
