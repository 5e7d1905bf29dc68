"""Hosts that run commands, and what their commands leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from tests import sshd, sudo

SUDO = pytest.param("sudo", marks=[pytest.mark.root, pytest.mark.slow])


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sshd.Sshd]:
    with sshd.server(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture(scope="session")
def sudo_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sudo.SudoBox]:
    with sudo.server(tmp_path_factory.mktemp("sudo")) as server:
        yield server


@pytest.fixture(params=["local", "ssh", SUDO])
async def host(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Host]:
    if request.param == "sudo":
        sudo_box = request.getfixturevalue("sudo_box")
        monkeypatch.setenv("HOME", str(sudo_box.sshd.home))
        opened = await open_host(f"sudo:{sudo_box.sshd.address}")
    elif request.param == "ssh":
        box = request.getfixturevalue("box")
        monkeypatch.setenv("HOME", str(box.home))
        opened = await open_host(box.address)
    else:
        opened = await open_host("local")
    yield opened
    await opened.close()


def gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


async def until(met: object, *, seconds: float = 60) -> bool:
    for _ in range(int(seconds / 0.05)):
        if met():  # type: ignore[operator]
            return True
        await asyncio.sleep(0.05)
    return False
