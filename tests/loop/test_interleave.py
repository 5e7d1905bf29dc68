"""`iosonde run --interleave` with settings of a loop device: struck, they are as they were."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.loop.devices import MIB, loop_device

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(120)]


def test_settings_are_back_after_ctrl_c_and_after_a_kill(tmp_path: Path) -> None:
    with loop_device(tmp_path / "disk", 16 * MIB) as device:
        name = Path(device).name
        file = Path(f"/sys/block/{name}/queue/read_ahead_kb")
        before = file.read_text()
        env = {**os.environ, "IOSONDE_STORE": str(tmp_path / "s.sqlite"), "LC_ALL": "C.UTF-8"}
        arms = [f"{name}.read_ahead_kb=64", f"{name}.read_ahead_kb=512"]
        call = [*COMMAND, "run", "--interleave", *arms, "--target", device, "--loops", "4"]
        reads = ["--fio", "fio --name=r --rw=read --size=8m --direct=1 --runtime=2 --time_based"]

        def struck(blow: int) -> str:
            """The value right after the run was struck within a loop."""
            running = subprocess.Popen(
                [*call, *reads], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            end = time.monotonic() + 30
            while file.read_text() == before and time.monotonic() < end:
                time.sleep(0.05)
            assert file.read_text().strip() in {"64", "512"}
            running.send_signal(blow)
            running.wait(timeout=60)
            return file.read_text()

        def done(*arguments: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run([*COMMAND, *arguments], env=env, capture_output=True, check=False)

        assert struck(signal.SIGINT) == before
        struck(signal.SIGKILL)
        assert done("rollback").returncode == 0
        assert file.read_text() == before
