"""A study on a host where root cannot log in: the real sshd, the real sudo, the real fio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import sudo
from tests.cli.conftest import Ended

Iosonde = Callable[..., Ended]

pytestmark = [pytest.mark.slow, pytest.mark.root]


@pytest.fixture
def box(tmp_path: Path, environment: dict[str, str]) -> Iterator[sudo.SudoBox]:
    """A server that HOME knows by the name box."""
    with sudo.server(tmp_path) as server:
        yield server


def test_a_place_that_is_roots_alone_is_measured(
    box: sudo.SudoBox, iosonde: Iosonde, tmp_path: Path
) -> None:
    place = tmp_path / "data"
    place.mkdir(mode=0o700)
    study = ("run", "--load", "latency", "--size", "8m", "--seconds", "1", "--loops", "1")
    plain = iosonde(*study, "--target", f"box:{place}")
    assert plain.status in {3, 4}, plain.stdout
    for target, more in ((f"sudo:box:{place}", ()), (f"box:{place}", ("--become",))):
        ended = iosonde(*study, "--target", target, *more, "--trace")
        assert ended.status == 0, ended.stderr
        assert f"+ {target.removesuffix(f':{place}')}: sudo -n -- " in ended.stderr
    runs = iosonde("list", "--json").json["runs"]
    assert {trial["host"] for run in runs for trial in run["trials"]} == {"sudo:box", "box"}
    assert list(place.iterdir()) == []
    sudo.allow(box.sudoers, "")
    refused = iosonde(*study, "--target", f"sudo:box:{place}")
    assert refused.status == 4
    assert "its sudo asks this user for a password" in refused.stderr
    assert "NOPASSWD" in refused.stderr
