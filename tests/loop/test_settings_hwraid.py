"""Policies of virtual drives, from discovery to rollback, by fakes of the controllers' tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.change.keep import keeping
from iosonde.change.settings_lock import locked
from iosonde.change.tentative import WantedSetting, change
from iosonde.errors import HostFailed
from iosonde.hosts.local import LocalHost
from iosonde.settings import MECHANISMS
from iosonde.stack.settable import find, settable
from tests.fakes.controller import new_state
from tests.loop.test_hwraid import WithDriver

pytestmark = [pytest.mark.root, pytest.mark.slow]

NAA = "600605b0000000012a3b4c5d6e7f0000"


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The kernel's name of a virtual drive that is not iosonde's own."""
    drives = ["252:0", "252:1", "252:2"]
    new_state(tmp_path, drives, "storcli64")
    path = f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    ask = ["storcli64", "/c0"]
    subprocess.run([*ask, "add", "vd", "type=raid5", f"drives={','.join(drives)}"], check=True)
    try:
        yield policies(tmp_path)["device"].removeprefix("/dev/")
    finally:
        subprocess.run(["storcli64", "/c0/v0", "del", "force"], check=False)


def policies(place: Path) -> dict[str, str]:
    """What the controller has."""
    return dict(json.loads((place / "state.json").read_text())["volumes"]["0"])


async def test_policies_are_set_kept_by_the_controller_and_put_back(
    drive: str, tmp_path: Path
) -> None:
    host: LocalHost = WithDriver()
    before, settables = policies(tmp_path), await settable(host)
    shown = {
        setting.declared.name: setting
        for setting in settables
        if setting.title == f"hwraid:{drive}"
    }
    assert (shown["write_policy"].value, shown["write_policy"].kept) == ("write_back", "write_back")
    assert (shown["strip_size"].value, shown["strip_size"].declared.needs) == (262144, "rebuild")
    assert "cache_ratio" not in shown  # a Smart Array's
    new = {"write_policy": "write_through", "read_ahead": "off", "disk_cache": "disabled"}
    wanted = [
        WantedSetting(setting, setting.checked(value))
        for name, value in new.items()
        for setting in [find(settables, f"{drive}.{name}")]
    ]
    async with locked(host, "a test") as journal:
        done = await change(host, journal, wanted, owner="a test", confirm=60.0)
        assert [altered.state for altered in done] == ["changed"] * 3
        now = policies(tmp_path)
        assert (now["wrcache"], now["rdcache"], now["pdcache"]) == ("wt", "nora", "off")
        kept = await keeping(host, journal, await settable(host))
        mine = {name: value for name, value in kept.values.items() if drive in name}
        assert mine == {f"hwraid:{drive}.{name}": value for name, value in new.items()}
        assert all(kept.notes[name] == "the host itself keeps it" for name in mine)
        batch = max(journal.batches.values(), key=lambda settings_batch: settings_batch.number)
        assert batch.lasts
        await journal.restore()
        assert policies(tmp_path) == before


async def test_a_policy_that_the_controller_refuses_changes_nothing(
    drive: str, tmp_path: Path
) -> None:
    host: LocalHost = WithDriver()
    before, settables = policies(tmp_path), await settable(host)
    wanted = [
        WantedSetting(find(settables, f"{drive}.read_ahead"), "off"),
        WantedSetting(find(settables, f"{drive}.disk_cache"), "sometimes"),
    ]
    async with locked(host, "a test") as journal:
        with pytest.raises(HostFailed, match="syntax error"):
            await change(host, journal, wanted, owner="a test", confirm=60.0)
    assert policies(tmp_path) == before
    other = MECHANISMS.load("hwraid")().look(f"storcli64 c0/v0 {NAA[:-1]}9 write_policy")
    assert (await host.run(other, check=False)).status != 0  # another drive of that number
