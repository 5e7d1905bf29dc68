"""What a host's tools print and its files hold takes bounded memory, here and over ssh."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from iosonde import limits
from iosonde.errors import CommandFailed, HostFailed
from iosonde.hosts.host import Host
from tests.contract.conftest import box, gone, host, sudo_box

__all__ = ["box", "host", "sudo_box"]

MIB = 1 << 20


def _resident() -> int:
    """Bytes this process has resident."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def _printing(stream: str, size: int, then: str = "") -> list[str]:
    """A command that prints so many bytes."""
    return [
        sys.executable, "-c",
        f"import sys\nout = sys.{stream}.buffer\nout.write(b'first\\n')\n"
        f"for _ in range({size // MIB}): out.write(b'x' * {MIB})\nout.write(b'\\nlast')\n{then}",
    ]  # fmt: skip


async def test_a_command_that_prints_without_end_is_stopped(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COMMAND_OUTPUT", 32 * MIB)
    before = _resident()
    script = f"echo $$ > {tmp_path}/pid; exec yes something"
    with pytest.raises(HostFailed, match="sh printed more than 32 MiB, the limit for a command"):
        await host.run(["sh", "-c", script], timeout=60)
    assert _resident() - before < 150 * MIB
    assert gone(int((tmp_path / "pid").read_text()))
    assert (await host.run(["echo", "alive"])).stdout == b"alive\n"


async def test_a_command_that_printed_too_much_and_ended_is_an_error(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COMMAND_OUTPUT", MIB)
    with pytest.raises(HostFailed, match="more than 1 MiB"):
        await host.run(_printing("stdout", 3 * MIB))


async def test_output_up_to_the_limit_is_whole(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COMMAND_OUTPUT", 3 * MIB + 11)
    done = await host.run(_printing("stdout", 3 * MIB))
    assert done.stdout == b"first\n" + b"x" * 3 * MIB + b"\nlast"


async def test_of_long_complaints_the_ends_are_kept(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COMMAND_ERRORS", MIB)
    before = _resident()
    done = await host.run(_printing("stderr", 300 * MIB, "raise SystemExit(3)"), check=False)
    assert (done.status, done.stderr[:6], done.stderr[-5:]) == (3, b"first\n", b"\nlast")
    assert f"[{298 * MIB + 11} bytes are left out here]".encode() in done.stderr
    assert len(done.stderr) < 3 * MIB
    assert _resident() - before < 150 * MIB
    with pytest.raises(CommandFailed, match="last"):
        await host.run(_printing("stderr", 10 * MIB, "raise SystemExit(3)"))


async def test_complaints_up_to_the_limit_are_whole(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COMMAND_ERRORS", MIB)
    done = await host.run(_printing("stderr", 2 * MIB - 11), check=False)
    assert done.stderr == b"first\n" + b"x" * MIB + b"\nlast"


async def test_a_command_is_given_all_its_input_and_may_leave_it(host: Host) -> None:
    given = b"0123456789abcdef" * (MIB // 4)
    assert (await host.run(["cat"], stdin=given)).stdout == given
    assert (await host.run(["true"], stdin=given)).status == 0


async def test_a_file_longer_than_the_limit_is_an_error(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "HOST_FILE", MIB)
    short, long = tmp_path / "short", tmp_path / "long"
    short.write_bytes(b"x" * MIB)
    with long.open("wb") as file:
        file.truncate(1 << 40)
    assert len(await host.read(str(short))) == MIB
    values = await host.read_many([str(long), str(short)])
    assert isinstance(values[str(long)], HostFailed)
    assert "longer than 1 MiB, the limit for a file" in str(values[str(long)])
    assert values[str(short)] == b"x" * MIB


async def test_a_fifo_on_this_machine_is_no_file(tmp_path: Path) -> None:
    from iosonde.hosts import open_host

    os.mkfifo(tmp_path / "fifo")
    here = await open_host("local")
    begun = time.monotonic()
    with pytest.raises(HostFailed, match="is a FIFO"):
        await here.read(str(tmp_path / "fifo"))
    assert time.monotonic() - begun < 60
