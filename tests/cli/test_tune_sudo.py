"""`iosonde tune` on a host where root cannot log in: the real sshd, the real sudo, the real fio."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from iosonde.change.settings_journal import FOLDER
from tests import sudo
from tests.cli.conftest import Ended
from tests.cli.test_tune import Queue, loops, slow_queue, start, until
from tests.loop.devices import tool

Iosonde = Callable[..., Ended]

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with slow_queue(tmp_path) as made:
        yield made


@pytest.fixture
def allowed(tmp_path: Path, environment: Mapping[str, str]) -> str:
    """Sudoers by which USER may do everything, with the paced fio in its path."""
    return f'Defaults secure_path="{tmp_path}/bin:{environment["PATH"]}"\n{sudo.ALL}'


@pytest.fixture
def box(tmp_path: Path, environment: dict[str, str], allowed: str) -> Iterator[sudo.SudoBox]:
    """A server that HOME knows by the name box; its state directory is one of the test's."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    environment["HOME"] = str(tmp_path)
    with sudo.server(tmp_path, over={FOLDER: state}) as server:
        sudo.allow(server.sudoers, allowed)
        yield server


def lose_connections(box: sudo.SudoBox) -> int:
    """End every connection of the server; how many there were."""
    children = Path(f"/proc/{box.sshd.pid}/task/{box.sshd.pid}/children").read_text().split()
    for pid in children:
        os.kill(int(pid), signal.SIGKILL)
    return len(children)


def test_a_campaign_that_was_begun_with_become_goes_on_with_it(
    iosonde: Iosonde, queue: Queue, box: sudo.SudoBox, allowed: str, tmp_path: Path,
    environment: Mapping[str, str],
) -> None:  # fmt: skip
    before = queue.state()
    study = queue.study(tmp_path, "600 s", depth_only=True)
    target = f"targets: {{host: box, path: {queue.device}}}"
    study.write_text(study.read_text().replace(f"targets: {queue.device}", target))
    plain = iosonde("tune", str(study))
    assert plain.status in {2, 3, 4}, plain.stderr
    assert queue.state() == before

    process = start(environment, tmp_path, "--become", str(study), "--confirm", "600", "--trace")
    said, gone = "", 0
    assert process.stderr is not None
    for line in process.stderr:
        said += "" if line.startswith("+ ") else line
        if not gone and queue.state() != before and "fio --output" in line:  # in its loop
            gone = lose_connections(box)
    process.communicate(timeout=120)
    assert gone, said
    assert process.returncode == 4, said
    assert queue.state() != before
    assert "`iosonde rollback --become box`" in said
    back = iosonde("rollback", "--become", "box")
    assert back.status == 0, back.stderr
    assert queue.state() == before
    kept = loops(environment)
    assert kept

    sudo.allow(box.sudoers, "")  # where it cannot become root again, it says so
    refused = iosonde("tune", "--resume")
    assert refused.status == 4
    assert "NOPASSWD" in refused.stderr
    sudo.allow(box.sudoers, allowed)
    again = start(environment, tmp_path, "--resume")
    until(again, " left (")
    again.send_signal(signal.SIGINT)
    _, rest = again.communicate(timeout=60)
    assert again.returncode == 130, rest
    assert loops(environment) > kept
    assert queue.state() == before
    tool("nsenter", "--mount", f"--target={box.sshd.pid}", "test", "-e", f"{FOLDER}/journal")
