from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from iosonde.errors import CommandFailed, CommandTimeout, PermissionMissing
from iosonde.hosts.local import LocalHost


async def test_cancelling_a_command_ends_its_children(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    script = f"while :; do date +%s%N > {beat}; sleep 0.05; done & wait"
    task = asyncio.ensure_future(LocalHost().run(["sh", "-c", script], timeout=None))
    while not beat.exists():
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    last = beat.read_text()
    time.sleep(0.2)
    assert beat.read_text() == last


async def test_a_command_past_its_time_is_stopped() -> None:
    with pytest.raises(CommandTimeout, match=r"local: sleep did not end within 0.1 s"):
        await LocalHost().run(["sleep", "30"], timeout=0.1)


async def test_a_missing_command_has_status_127() -> None:
    with pytest.raises(CommandFailed) as caught:
        await LocalHost().run(["no-such-command"])
    assert caught.value.status == 127


async def test_a_kernel_setting_is_read_though_the_limit_for_files_is_large() -> None:
    # The kernel refuses reads of /proc/sys that ask for megabytes at once.
    path = "/proc/sys/kernel/random/boot_id"
    assert await LocalHost().read(path) == Path(path).read_bytes()


@pytest.mark.parametrize(("user", "hint"), [(1000, "run as root"), (0, "root is refused too")])
async def test_root_is_not_advised_to_be_root(
    user: int, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr("os.open", refused)
    monkeypatch.setattr("builtins.open", refused)
    with pytest.raises(PermissionMissing, match=f"Operation not permitted .{hint}"):
        await LocalHost().read("/dev/vda")
