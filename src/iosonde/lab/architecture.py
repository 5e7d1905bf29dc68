"""Processor architectures that nodes can have, and what of QEMU and Debian differs between them.

Source: qemu(1) 7.2; QEMU docs/system/arm/virt.rst (gic-version=max: by KVM that of the host),
docs/system/arm/cpu-features.rst (pauth-impdef: without it each pointer that a guest signs costs an
emulated QARMA5); Linux Documentation/admin-guide/kernel-parameters.txt (console); RHEL's package
qemu-kvm, which has /usr/libexec/qemu-kvm and nothing in the path.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from iosonde.errors import HostFailed, UsageError
from iosonde.hosts.packages import install_here


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture by Debian's name, and its machine as QEMU and the kernel's packages have it.

    `uname` is what `uname -m` prints, `kernel` Debian's package.
    """

    name: str
    uname: str
    qemu: str
    qemu_package: str
    machine: str
    emulated_cpu: str
    console: str
    kernel: str

    @property
    def is_own(self) -> bool:
        """Whether this machine has it."""
        return platform.machine() == self.uname


ARCHITECTURES: Mapping[str, Architecture] = {
    architecture.name: architecture
    for architecture in (
        Architecture(
            "amd64", "x86_64", "qemu-system-x86_64", "qemu-system-x86", "q35", "max", "ttyS0",
            "linux-image-amd64",
        ),
        Architecture(
            "arm64", "aarch64", "qemu-system-aarch64", "qemu-system-arm", "virt,gic-version=max",
            "max,pauth-impdef=on", "ttyAMA0", "linux-image-arm64",
        ),
    )
}  # fmt: skip
_OTHER_PLACES = ("qemu-kvm", "/usr/libexec/qemu-kvm", "/usr/lib/qemu-kvm")
"""What is QEMU for the machine's own architecture where a distribution has no qemu-system-…"""


def architecture(name: str = "") -> Architecture:
    """An architecture by Debian's name or by that of `uname -m`; "" is this machine's own.

    Raises:
        UsageError: nodes cannot have it.
    """
    wanted = name or platform.machine()
    for known_as in ARCHITECTURES.values():
        if wanted in {known_as.name, known_as.uname}:
            return known_as
    raise UsageError(
        f"a node cannot have the architecture {wanted!r}; it can have {', '.join(ARCHITECTURES)}"
    )


def qemu(of: Architecture) -> str:
    """QEMU's program for an architecture, as it is called here.

    Raises:
        HostFailed: it is not installed.
    """
    names = (of.qemu, *_OTHER_PLACES) if of.is_own else (of.qemu,)
    for program in names:
        if shutil.which(program):
            return program
    raise HostFailed(
        f"{of.qemu} is not installed", where="local", hint=install_here(of.qemu_package)
    )
