"""Releases of Debian that nodes can have, and whether an archive holds them.

A release is named by its suite. One that ends in "-backports" is the release before the dash with
the kernel of that pocket alone: what is newer there besides is not taken.

Source: sources.list(5); Debian's wiki, DebianRepository/Format (dists/SUITE/InRelease);
https://backports.debian.org/Instructions/; apt-helper(8) of apt 2.6.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace

from iosonde.errors import UsageError
from iosonde.private_folder import temporary_folder

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_POCKET = "-backports"
_HELPER = "/usr/lib/apt/apt-helper"
_PATIENCE = 60.0
_ABSENT = re.compile(r"\b404\b|File not found")
"""What apt says of a file that its methods http and file do not find."""


@dataclass(frozen=True, slots=True)
class PackageSource:
    """An archive of packages: `suite` its release, `uri` where, `components` of it."""

    suite: str
    uri: str
    components: tuple[str, ...]


def checked_suite(name: str) -> str:
    """The same name; "" is the release of this machine.

    Raises:
        UsageError: no suite of Debian can be called so.
    """
    if name and not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a name of a release of Debian",
            where="--suite",
            hint="small letters, digits and -, a letter first: trixie, bookworm-backports",
        )
    return name


def kernel_pocket(suite: str) -> str:
    """The suite that the kernel alone comes from; "": that of everything else."""
    return suite if suite.endswith(_POCKET) else ""


def archives(own: PackageSource, suite: str) -> tuple[PackageSource, ...]:
    """Where the packages of a release come from: this machine's archive, the suite exchanged.

    Args:
        own: where this machine's packages come from.
        suite: of the release; "": this machine's.

    Returns:
        The release's own suite first, then the pocket that its kernel comes from.
    """
    release = replace(own, suite=suite.removesuffix(_POCKET)) if suite else own
    pocket = kernel_pocket(suite)
    return (release, replace(own, suite=pocket)) if pocket else (release,)


def require_suites(sources: tuple[PackageSource, ...], own: PackageSource) -> None:
    """Look whether an archive has the suites, with apt's own proxies and certificates.

    Where apt cannot tell, nothing is said: who fetches the packages then has the reason.

    Args:
        sources: what is wanted.
        own: where this machine's packages come from.

    Raises:
        UsageError: the archive answers, and lacks one.
    """
    for wanted in sources:
        if wanted.suite != own.suite and _is_absent(wanted):
            place = f"{wanted.uri.rstrip('/')}/dists/"
            raise UsageError(
                f"the archive {wanted.uri} has no release {wanted.suite!r}",
                where="--suite",
                hint=f"name one that {place} lists, or leave --suite out: "
                f"nodes then have this machine's release, {own.suite}",
            )


def _is_absent(wanted: PackageSource) -> bool:
    index = f"{wanted.uri.rstrip('/')}/dists/{wanted.suite}/InRelease"
    with temporary_folder("iosonde-suite-") as directory:
        argv = [_HELPER, "download-file", index, str(directory / "InRelease")]
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, errors="replace", check=False,
                timeout=_PATIENCE, stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode != 0 and _ABSENT.search(done.stdout + done.stderr) is not None
