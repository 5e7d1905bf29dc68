"""What lies in the partitions of a disk is lost with it, so `--destroy` must name all of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from tests.hostile.conftest import COMMAND, clean_environment
from tests.loop.devices import MIB, loop_device, partitions, tool

pytestmark = [pytest.mark.root]
HOST = LocalHost()
FIRST, SECOND = (2048, 40960), (65536, 40960)  # sectors: start, count


async def refusal(path: str, *destroy: str) -> Refused:
    with pytest.raises(Refused) as caught:
        await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))
    assert caught.value.exit_code == 3
    return caught.value


async def allowed(path: str, *destroy: str) -> None:
    await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))


def partitioned(device: str, table: str) -> None:
    """A table with two partitions, an ext4 and a swap area in them; the kernel knows neither."""
    tool("parted", "--script", device, "mklabel", "msdos" if table == "dos" else table)
    for start, count in (FIRST, SECOND):
        tool("parted", "--script", device, "unit", "s", "mkpart", "primary", str(start),
             str(start + count - 1))  # fmt: skip
    subprocess.run(["partx", "--delete", device], check=False, capture_output=True, timeout=30)
    with partitions(device, FIRST, SECOND) as (first, second):
        tool("mkfs.ext4", "-q", "-F", first)
        tool("mkswap", second)


@contextmanager
def scanned_partitions(device: str, *, kernel: bool) -> Iterator[None]:
    """The kernel knows the partitions, or only the table does."""
    if not kernel:
        yield
        return
    with partitions(device, FIRST, SECOND):
        yield


@pytest.mark.parametrize("kernel", [True, False], ids=["known", "in the table alone"])
@pytest.mark.parametrize("table", ["gpt", "dos"])
async def test_all_that_lies_in_partitions_is_to_be_named(
    device: str, table: str, kernel: bool
) -> None:
    partitioned(device, table)
    everything = f"{device}={','.join(sorted([table, 'ext4', 'swap']))}"
    with scanned_partitions(device, kernel=kernel):
        for destroy in (device, f"{device}={table}", f"{device}={table},ext4", "/dev/null"):
            refused = await refusal(device, destroy)
            assert refused.hint == f"if that is meant: --destroy {everything}"
            first, second = (
                (f"{device[5:]}p1", f"{device[5:]}p2")
                if kernel
                else (f"the partition at byte {FIRST[0] * 512}", "the partition at byte 33554432")
            )
            assert f"{first} has ext4" in refused.evidence
            assert f"{second} has swap" in refused.evidence
        assert "xfs" in (await refusal(device, f"{everything},xfs")).message
        await allowed(device, everything)


async def test_a_partition_needs_only_its_own_to_be_named(device: str) -> None:
    partitioned(device, "gpt")
    with partitions(device, FIRST, SECOND) as (first, second):
        await allowed(first, f"{first}=ext4")
        await allowed(second, f"{second}=swap")
        assert "ext4" in (await refusal(first, f"{first}=gpt")).message


async def test_empty_partitions_add_nothing(device: str) -> None:
    partitioned(device, "gpt")
    with partitions(device, FIRST, SECOND) as parts:
        for part in parts:
            tool("wipefs", "--all", "--quiet", part)
        await allowed(device, f"{device}=gpt")
        tool("dd", "if=/dev/zero", f"of={device}", "bs=1M", "count=1", "conv=notrunc,fsync")
        tool("dd", "if=/dev/zero", f"of={device}", "bs=1M", "seek=63", "conv=notrunc,fsync",
             "count=1")  # fmt: skip
        tool("mkfs.ext4", "-q", "-F", parts[0])  # no table leads to it any more, but the kernel
        assert "ext4" in (await refusal(device)).message
        await allowed(device, f"{device}=ext4")


async def test_what_the_first_loop_destroyed_is_not_asked_for_again(
    device: str, tmp_path: Path
) -> None:
    """One permission holds for all loops, but for the device alone that carried what it names."""
    partitioned(device, "gpt")
    with partitions(device, FIRST, SECOND) as (first, _):
        permissions = parse_destroy([f"{device}=gpt,ext4,swap"])
        await check_target(HOST, device, writes=True, permissions=permissions)
        tool("dd", "if=/dev/zero", f"of={device}", "bs=1M", "conv=notrunc,fsync", "count=64")
        await check_target(HOST, device, writes=True, permissions=permissions)
        assert "does not carry" in (await refusal(device, f"{device}=gpt,ext4,swap")).message
        tool("mkfs.ext2", "-q", "-F", first)
        with pytest.raises(Refused, match="ext2, which --destroy does not name"):
            await check_target(HOST, device, writes=True, permissions=permissions)
        tool("wipefs", "--all", "--quiet", first)
    tool("losetup", "--detach", device)  # the same number, but another device from here on
    tool("losetup", device, tmp_path / "disk")
    with pytest.raises(Refused, match="does not carry"):
        await check_target(HOST, device, writes=True, permissions=permissions)


def run(
    home: Path, *argv: str | Path, within: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*within, *COMMAND, *argv], env=clean_environment(home), capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip


def test_run_with_more_than_one_loop(device: str, tmp_path: Path) -> None:
    partitioned(device, "gpt")
    argv = ["run", "--load", "sequential-write", "--target", device, "--loops", "2",
            "--seconds", "1", "--destroy"]  # fmt: skip
    refused = run(tmp_path, *argv, f"{device}=gpt")
    assert refused.returncode == 3
    assert f"--destroy {device}=ext4,gpt,swap" in refused.stderr
    assert tool("blkid", "--probe", "--offset", str(FIRST[0] * 512), "-o", "value", "-s", "TYPE",
                device) == "ext4"  # fmt: skip
    done = run(tmp_path, *argv, f"{device}=gpt,ext4,swap")
    assert done.returncode == 0, done.stderr


OWN_STATE = (
    'mkdir -p /var/lib/iosonde; mount -t tmpfs -o mode=0700 own /var/lib/iosonde; exec "$0" "$@"'
)
"""Runs a command with an empty /var/lib/iosonde."""


def test_up_asks_for_the_same(
    device: str,
    tmp_path: Path,
    unshared: Callable[[Sequence[str | Path]], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    partitioned(device, "gpt")
    stack = tmp_path / "stack.yaml"
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "modprobe").write_text("#!/bin/sh\n")  # the guard comes before md is needed
    (tools / "modprobe").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    with loop_device(tmp_path / "other", 64 * MIB) as other:
        stack.write_text(
            "stack: hostile\nhosts:\n  here: {at: local, address: 127.0.0.1}\nlayers:\n"
            f"  d1: {{kind: disk, host: here, path: {device}}}\n"
            f"  d2: {{kind: disk, host: here, path: {other}}}\n"
            "  array: {kind: md, of: [d1, d2], level: 1}\n"
        )
        refused = run(
            tmp_path, "up", stack, "--destroy", f"{device}=gpt", "--destroy", other,
            within=unshared(["sh", "-c", OWN_STATE]),
        )  # fmt: skip
    assert refused.returncode == 3, refused.stderr
    assert f"--destroy {device}=ext4,gpt,swap" in refused.stderr
    assert "has ext4" in refused.stderr
