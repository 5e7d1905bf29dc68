"""How guests are run here: by KVM where a probe boot works, else by emulation (TCG).

That /dev/kvm exists is not enough: under some hypervisors a guest hangs there for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

from iosonde.lab.architecture import qemu
from iosonde.lab.image import Image, base
from iosonde.private_folder import temporary_folder

_PATIENCE = 5.0


async def accelerator(image: Image) -> str:
    """How guests are run: "kvm" or "tcg"; found out once for each boot of this machine."""
    if not image.architecture.is_own or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    remembered = base() / f"accel-{boot}"
    with contextlib.suppress(OSError):
        return remembered.read_text()
    kind = "kvm" if await _boots(image) else "tcg"
    for old in base().glob("accel-*"):
        old.unlink(missing_ok=True)
    remembered.write_text(kind)
    return kind


async def _boots(image: Image) -> bool:
    """Whether the lab's kernel says anything under KVM within a few seconds."""
    own = image.architecture
    with temporary_folder("iosonde-probe-") as directory:
        console = directory / "console"
        process = await asyncio.create_subprocess_exec(
            qemu(own), "-machine", f"{own.machine},accel=kvm", "-cpu", "host", "-m", "256M",
            "-nodefaults",
            "-no-user-config", "-display", "none", "-no-reboot", "-serial", f"file:{console}",
            "-kernel", str(image.kernel), "-initrd", str(image.initramfs),
            "-append", f"console={own.console} panic=-1",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(_PATIENCE):
                while process.returncode is None:
                    if console.exists() and b"Freeing unused kernel" in console.read_bytes():
                        return True
                    await asyncio.sleep(0.05)
        except TimeoutError:
            pass
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
    return False
