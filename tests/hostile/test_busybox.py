"""Hosts over ssh that have busybox's shell and tools and no others (tests/busybox.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iosonde.hosts import open_host
from iosonde.hosts.private import temporary_directory
from tests import busybox, sshd
from tests.cli.conftest import Ended

pytestmark = pytest.mark.root


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sshd.Sshd]:
    with busybox.server(tmp_path) as server:
        monkeypatch.setenv("HOME", str(server.home))
        yield server


async def test_commands_input_files_and_signals(box: sshd.Sshd, tmp_path: Path) -> None:
    host = await open_host(box.address)
    try:
        done = await host.run(["sh", "-c", "cat; echo bad >&2; exit 3"], stdin=b"in\0\xff",
                              check=False)  # fmt: skip
        assert (done.status, done.stdout, done.stderr) == (3, b"in\0\xff", b"bad\n")
        assert await host.glob("/bin/[[]") == ("/bin/[",)
        assert await host.resolve("/bin/sh") == "/bin/busybox"
        odd = 'a\'b\\c!e $HOME `id` "f"\n\tg\\n%b é\n'
        assert (await host.run(["printf", "%s", odd])).stdout.decode() == odd
        await host.write("/tmp/made", b"x", mode=0o600)
        assert (tmp_path / "root/tmp/made").read_bytes() == b"x"
        own = await temporary_directory(host, "iosonde-try")
        assert (tmp_path / "root" / own[1:]).stat().st_mode & 0o777 == 0o700
        process = await host.start(["sleep", "60"])
        assert (await process.stop()).status in {-15, 143}
    finally:
        await host.close()


def test_it_is_shown_and_explained_and_its_settings_are_read(
    box: sshd.Sshd, iosonde: Callable[..., Ended], environment: dict[str, str]
) -> None:
    environment["HOME"] = str(box.home)
    shown = iosonde("show", box.address, "--json")
    assert shown.status == 0, shown.stderr
    assert shown.json["layers"]
    assert iosonde("explain", box.address, "--json").status in {0, 1}
    settings = iosonde("settings", box.address, "--json")
    assert settings.status == 0, settings.stderr
    assert settings.json["settings"]


def test_what_it_lacks_for_a_measurement_is_named_with_its_own_installer(
    box: sshd.Sshd, iosonde: Callable[..., Ended], environment: dict[str, str], tmp_path: Path
) -> None:
    environment["HOME"] = str(box.home)
    (tmp_path / "data").mkdir()
    study = ("run", "--load", "latency", "--target", f"{box.address}:{tmp_path}/data",
             "--size", "4m", "--loops", "1")  # fmt: skip
    ended = iosonde(*study)
    assert ended.status == 4, ended.stderr
    said = " ".join(ended.stderr.split())
    assert "apk add fio" in said or "apk add coreutils" in said
    assert list((tmp_path / "data").iterdir()) == []
