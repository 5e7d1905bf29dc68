"""A keeper does the same on every kind of host, in Perl and in Python."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from iosonde.change import keeper as keepers
from iosonde.change.keeper import OPENED, KeeperRefused, keepers_stay, start_keeper
from iosonde.change.scratch import make_scratch
from iosonde.errors import CommandFailed, CommandTimeout, HostFailed
from iosonde.hosts.host import Host
from iosonde.hosts.ssh.host import SshHost
from tests.contract.conftest import until
from tests.processes import loads_on, pids_with

MIB = 2**20


@pytest.fixture(params=["perl", "python3"], autouse=True)
def interpreter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    rows = tuple(row for row in keepers._SCRIPTS if row[0] == request.param)
    monkeypatch.setattr(keepers, "_SCRIPTS", rows)
    return str(request.param)


async def test_a_command_gives_status_and_both_streams(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "read me"
    file.write_bytes(b"\0content\xff")
    keeper = await start_keeper(host, where=str(file))
    opened = await keeper.open("read", str(file))
    try:
        assert opened.path == str(file)
        assert (opened.node.kind, opened.node.size) == ("file", 9)
        assert (await keeper.run(["cat", OPENED])).stdout == b"\0content\xff"
        done = await keeper.run(["sh", "-c", "echo out; echo err >&2; exit 3"], check=False)
        assert (done.status, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
        with pytest.raises(CommandFailed) as caught:
            await keeper.run(["no-such-command"])
        assert caught.value.status == 127
        killed = await keeper.run(["sh", "-c", "kill -9 $$"], check=False)
        assert killed.status == -9
        large = await keeper.run(["head", "-c", "3000000", "/dev/zero"])
        assert len(large.stdout) == 3_000_000
    finally:
        await keeper.close()


@pytest.mark.slow
async def test_a_command_past_its_time_ends_with_its_children(host: Host, tmp_path: Path) -> None:
    keeper = await start_keeper(host, where=str(tmp_path))
    await keeper.open("scratch", str(tmp_path))
    script = f"setsid sleep 1000 {keeper.token}x & trap '' TERM; sleep 1000 & wait; wait"
    try:
        with pytest.raises(CommandTimeout, match=r"within 0\.5 s"):
            await keeper.run(["sh", "-c", script], timeout=0.5)
        assert (await keeper.run(["echo", "next"])).stdout == b"next\n"
    finally:
        await keeper.close()
    assert await until(lambda: not pids_with(keeper.token))
    assert list(tmp_path.iterdir()) == []


async def test_what_does_not_exist_is_told(host: Host, tmp_path: Path) -> None:
    keeper = await start_keeper(host, where="x")
    try:
        with pytest.raises(KeeperRefused, match="No such file") as caught:
            await keeper.open("read", str(tmp_path / "none"))
        assert caught.value.where == str(tmp_path / "none")
        with pytest.raises(KeeperRefused):
            await keeper.open("device", "/dev/null")
    finally:
        await keeper.close()


async def test_a_lost_connection_ends_the_load_and_removes_the_file(
    host: Host, tmp_path: Path
) -> None:
    if not isinstance(host, SshHost):
        return  # a local keeper's connection ends with iosonde: tests/hostile/test_handle.py
    scratch = await make_scratch(host, str(tmp_path), MIB)
    load = ["fio", "--name=x", f"--filename={OPENED}", "--rw=randwrite", "--size=1m",
            "--runtime=60", "--time_based", "--numjobs=2"]  # fmt: skip
    running = asyncio.ensure_future(scratch.keeper.run(load, timeout=None))
    assert await until(lambda: len(loads_on(str(tmp_path))) == 3)
    host._connection.abort()
    with pytest.raises(HostFailed):
        await running
    assert await until(lambda: not loads_on(str(tmp_path)))
    assert await until(lambda: not list(tmp_path.iterdir()))
    await scratch.remove()


async def test_the_claim_is_given_up_before_a_keeper_is_closed(host: Host, tmp_path: Path) -> None:
    """Its warden has the target open too: the next run would find the device claimed."""
    file = tmp_path / "target"
    file.touch()
    keeper = await start_keeper(host, where=str(file))
    await keeper.open("read", str(file))
    wardens = [pid for pid in pids_with(keeper.token) if _is_warden(pid)]
    (warden,) = wardens
    os.kill(warden, signal.SIGSTOP)
    closing = asyncio.ensure_future(keeper.close())
    try:
        assert not (await asyncio.wait({closing}, timeout=1))[0]
    finally:
        os.kill(warden, signal.SIGCONT)
        await closing
    assert not pids_with(keeper.token)


async def test_a_keeper_stays_for_the_next_target_and_holds_nothing_until_then(
    host: Host, tmp_path: Path
) -> None:
    file = tmp_path / "read me"
    file.touch()
    async with keepers_stay(host):
        first = await start_keeper(host, where=str(file))
        with pytest.raises(KeeperRefused):
            await first.open("read", str(tmp_path / "none"))
        await first.close()
        scratch = await make_scratch(host, str(tmp_path), MIB)
        assert scratch.keeper is first
        await scratch.remove()
        assert list(tmp_path.iterdir()) == [file]
        (pid,) = _without_sudo(first.token)  # its warden has ended
        assert not any(Path(f"/proc/{pid}/fd/{choice}").exists() for choice in (100, 101, 102))
        assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")
        again = await start_keeper(host, where=str(file))
        beside = await start_keeper(host, where=str(file))
        assert again is first
        assert beside is not first
        await again.open("read", str(file))
        assert (await again.run(["cat", OPENED])).status == 0
        await again.close()
        await beside.close()
    assert await until(lambda: not pids_with(first.token) and not pids_with(beside.token))


async def test_a_keeper_is_asked_to_let_go_once_and_whether_it_is_here_before_the_next(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To let go it looks at every process of the host, which takes time in each loop."""
    asked: list[str] = []
    ask = keepers.Keeper._ask

    def noted(self: keepers.Keeper, *fields: str) -> None:
        asked.append(fields[0])
        ask(self, *fields)

    monkeypatch.setattr(keepers.Keeper, "_ask", noted)
    async with keepers_stay(host):
        first = await start_keeper(host, where="x")
        await first.close()
        again = await start_keeper(host, where="x")
        assert again is first
        await again.close()
    assert asked == ["let go", "here", "let go"]


async def test_a_keeper_that_was_killed_or_did_not_answer_yet_serves_no_more(
    host: Host, tmp_path: Path
) -> None:
    file = tmp_path / "read me"
    file.touch()
    async with keepers_stay(host):
        killed = await start_keeper(host, where=str(file))
        await killed.close()
        (pid,) = _without_sudo(killed.token)
        os.kill(pid, signal.SIGKILL)
        late = await start_keeper(host, where=str(file))
        assert late is not killed
        await late.open("read", str(file))
        with pytest.raises(CommandTimeout):
            await late.run(["sleep", "1000"], timeout=0.2)
        await late.close()
        other = await start_keeper(host, where=str(file))
        assert other is late  # it answered what it was asked
        opening = asyncio.ensure_future(other.open("read", str(file)))
        await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait({opening})
        await other.close()
        assert not pids_with(other.token)


def _without_sudo(token: str) -> list[int]:
    """Processes of a keeper; sudo, which began it, has its arguments too."""
    names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids_with(token)}
    return [pid for pid, name in names.items() if name != "sudo"]


def _is_warden(pid: int) -> bool:
    """A child of a process of the same keeper, with the target open."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    opened = Path(f"/proc/{pid}/fd/100")
    parent = int(stat[1])
    return opened.exists() and Path(f"/proc/{parent}/fd/100").exists()
