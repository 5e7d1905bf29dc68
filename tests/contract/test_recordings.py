"""Recordings of hosts: they answer as the host did, and know what they do not know."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iosonde.errors import FileMissing, HostFailed, IosondeError, UsageError
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.hosts.local import LocalHost
from iosonde.hosts.recording import Recorder


async def test_names_of_any_bytes_can_be_recorded(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"odd\xff")).touch()
    recorder = Recorder(LocalHost(), tmp_path / "rec")
    names = await recorder.glob(f"{tmp_path}/odd*")
    await recorder.close()
    assert len(names) == 1
    assert await (await open_host(f"recording:{tmp_path}/rec")).glob(f"{tmp_path}/odd*") == names


async def test_a_recording_answers_as_the_host_did(host: Host, tmp_path: Path) -> None:
    recorder = Recorder(host, tmp_path / "rec")
    asked = ["/proc/version", "/none", "/proc/1/environ"]
    commands = [["uname", "-a"], ["sh", "-c", "printf '\\377'; exit 4"], ["no-such-command"]]
    live = (
        await recorder.read_many(asked),
        [await recorder.run(argv, check=False) for argv in commands],
        await recorder.glob("/sys/class/net/*"),
        await recorder.resolve("/proc/self/ns"),
    )
    with pytest.raises(FileMissing):
        await recorder.resolve("/none")
    await recorder.close()
    replay = await open_host(f"recording:{tmp_path}/rec")
    again = await replay.read_many(asked)
    for path in asked:
        was = live[0][path]
        now = again[path]
        if isinstance(was, IosondeError):
            assert isinstance(now, type(was))
        else:
            assert now == was
    for argv, said in zip(commands, live[1], strict=True):
        done = await replay.run(argv, check=False)
        assert (done.status, done.stdout, done.stderr) == (said.status, said.stdout, said.stderr)
    assert await replay.glob("/sys/class/net/*") == live[2]
    assert await replay.resolve("/proc/self/ns") == live[3]
    with pytest.raises(FileMissing):
        await replay.resolve("/none")
    assert replay.name == host.name


async def test_a_recording_knows_what_it_does_not_know(tmp_path: Path) -> None:
    recorder = Recorder(LocalHost(), tmp_path / "rec")
    await recorder.close()
    replay = await open_host(f"recording:{tmp_path}/rec")
    for question in (
        replay.read("/proc/version"), replay.run(["uname"]), replay.glob("/*"),
        replay.resolve("/"), replay.write("/x", b""), replay.remove("/x"), replay.start(["x"]),
        replay.copy("/x", "/y"),
    ):  # fmt: skip
        with pytest.raises(HostFailed):
            await question
    with pytest.raises(UsageError, match="describes no host"):
        await open_host(f"recording:{tmp_path}")
