"""Hosts that are opened at their first use."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.change.late import is_asleep, late
from iosonde.errors import HostFailed
from iosonde.lab.state import Lab, LabNode


async def test_it_sleeps_until_something_is_asked_of_it(tmp_path: Path) -> None:
    host = late("local")
    assert is_asleep(host)
    assert host.name == "local"
    await host.close()
    assert is_asleep(host), "closing what was never opened opens nothing"
    (tmp_path / "file").write_text("text")
    assert await host.read(str(tmp_path / "file")) == b"text"
    assert not is_asleep(host)
    assert (await host.run(["cat"], stdin=b"in")).stdout == b"in"
    await host.close()


async def test_a_machine_of_the_lab_that_does_not_run_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOSONDE_LAB", str(tmp_path))
    (tmp_path / "key").write_text("")
    Lab("try", str(tmp_path), "tcg", True, (), (LabNode("vm", 1, 1, (), ()),)).keep()
    (tmp_path / "host_key.pub").write_text("")
    host = late("lab:try/vm")
    with pytest.raises(HostFailed, match="is not running"):
        await host.run(["true"])
    assert is_asleep(host)
