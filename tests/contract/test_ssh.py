"""What only a host over ssh can meet: keys, addresses, connections that are lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.errors import HostFailed, IosondeError, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.ssh import parse_address
from iosonde.measure.workplace import workplace
from tests import sshd
from tests.contract.conftest import gone, until
from tests.ports import free_port


async def test_a_cut_connection_ends_the_command_there(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(box.home))
    pid = tmp_path / "pid"
    host = await open_host(box.address)
    process = await host.start(["sh", "-c", f"echo $$ > {pid}; exec sleep 80"])
    assert await until(lambda: pid.exists() and pid.read_text().strip() != "")
    host._connection.abort()  # type: ignore[attr-defined]
    with pytest.raises(HostFailed, match="connection was lost"):
        await process.wait(10)
    assert await until(lambda: gone(int(pid.read_text())))


async def test_a_server_that_dies_is_told_as_such(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(box.home))
    pid = tmp_path / "pid"
    host = await open_host(box.address)
    process = await host.start(["sh", "-c", f"echo $PPID $$ > {pid}; exec sleep 81"])
    assert await until(lambda: pid.exists() and len(pid.read_text().split()) == 2)
    runner, command = (int(word) for word in pid.read_text().split())
    os.kill(_parent(runner), signal.SIGKILL)  # sshd's process of this connection
    with pytest.raises(HostFailed, match="box: the connection was lost while sh ran"):
        await process.wait(10)
    assert await until(lambda: gone(command) and gone(runner))
    for question in (host.run(["true"]), host.read("/proc/version"), host.resolve("/")):
        with pytest.raises(HostFailed, match="box: the connection failed"):
            await question
    await host.close()


_KILLING = {
    "mktemp": '/usr/bin/mktemp "$@"; kill -9 "$(ps -o ppid= -p $PPID)"',
    "rm": "until [ $(pgrep -cP $PPID) -gt 1 ]; do sleep 0.01; done; kill -9 $PPID; sleep 60",
}


@pytest.fixture
def killing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the far side's temporary files lie; a tool there kills its runner at its first call.

    The tools are those of _KILLING, which are put into bin/ beside that place.
    """
    made = sshd.configure(tmp_path)
    for name in ("tmp", "bin"):
        (tmp_path / name).mkdir()
    config = tmp_path / "sshd_config"
    wanted = f"SetEnv SHLVL=2 TMPDIR={tmp_path}/tmp PATH={tmp_path}/bin:/usr/bin:/bin\n"
    config.write_text(config.read_text().replace("SetEnv SHLVL=2\n", wanted))
    running = sshd.start(made)
    monkeypatch.setenv("HOME", str(made.home))
    yield tmp_path / "tmp"
    running.terminate()
    running.wait(10)


def _kill_at(tool: str, place: Path) -> Path:
    """Have a tool kill its runner; the file that it makes when it does."""
    done = place.parent / f"{tool}.done"
    path = place.parent / "bin" / tool
    path.write_text(
        f'#!/bin/sh\n[ -e {done} ] && exec /usr/bin/{tool} "$@"\n: >{done}\n{_KILLING[tool]}\n'
    )
    path.chmod(0o755)
    return done


@pytest.mark.parametrize("tool", _KILLING)
async def test_a_killed_runner_leaves_no_working_directory(killing: Path, tool: str) -> None:
    done = _kill_at(tool, killing)
    host = await open_host("box")
    try:
        async with workplace(host):
            pass
    except HostFailed:
        assert tool == "mktemp"
    finally:
        await host.close()
    assert done.exists()
    assert list(killing.iterdir()) == []


async def test_a_killed_runner_leaves_no_input(killing: Path) -> None:
    done = _kill_at("mktemp", killing)
    host = await open_host("box")
    with pytest.raises(IosondeError):
        await host.run(["cat"], stdin=b"x")
    await host.close()
    assert done.exists()
    assert list(killing.iterdir()) == []


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


async def test_an_unknown_host_key_is_refused(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".ssh").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(HostFailed, match=r"host key is not known here.*fingerprint"):
        await open_host(f"root@127.0.0.1:{box.port}")


async def test_a_host_that_wants_another_key(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/known_hosts").write_text((box.home / ".ssh/known_hosts").read_text())
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with pytest.raises(HostFailed, match=r"accepts none of your keys.*ssh-agent"):
        await open_host(f"root@127.0.0.1:{box.port}")


async def test_nobody_there() -> None:
    with pytest.raises(HostFailed, match="nothing listens at its ssh port"):
        await open_host(f"127.0.0.1:{free_port()}")


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        ("web1", ("web1", None, None)),
        ("root@web1", ("web1", "root", None)),
        ("root@web1:2222", ("web1", "root", 2222)),
        ("[fe80::1]:22", ("fe80::1", None, 22)),
        ("[::1]", ("::1", None, None)),
        ("fe80::1", ("fe80::1", None, None)),
    ],
)
def test_addresses(address: str, parsed: tuple[str, str | None, int | None]) -> None:
    assert parse_address(address) == parsed


@pytest.mark.parametrize("address", ["root@", "@web1", ":22", "web1:", "web1:ssh", "web1:70000"])
async def test_what_is_no_address(address: str) -> None:
    with pytest.raises(UsageError, match=r"expected \[user@\]name\[:port\]"):
        await open_host(address)


async def test_the_hint_can_be_run_as_it_stands(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(HostFailed, match=f"`ssh -p {box.port} root@127.0.0.1` once"):
        await open_host(f"root@127.0.0.1:{box.port}")


async def test_a_file_that_never_answers_is_given_up(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(box.home))
    monkeypatch.setattr("iosonde.hosts.ssh.host._TRANSFER", 1.0)
    silent, other = tmp_path / "silent", tmp_path / "other"
    os.mkfifo(silent)  # opening it waits for a writer, as a file of a dead NFS server would
    other.write_text("here")
    host = await open_host(box.address)
    with pytest.raises(HostFailed, match=r"no answer about .*silent within 1 s"):
        await host.read(str(silent))
    assert await host.read(str(other)) == b"here"
    await host.close()
    os.close(os.open(silent, os.O_WRONLY | os.O_NONBLOCK))  # lets the waiting sftp server end
