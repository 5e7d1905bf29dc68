"""Signals while a host is changed: settings are all set or all put back, layers can be taken away.

`IOSONDE_SIGNALS=N` makes N rounds of each test.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tests.hostile.test_signals import assert_clean, burst, called
from tests.loop.queues import Devices
from tests.loop.test_settings import assignments, devices, run
from tests.loop.test_up_down import Stack

__all__ = ["devices"]

_ROUNDS = int(os.environ.get("IOSONDE_SIGNALS", "1"))

pytestmark = [pytest.mark.slow, pytest.mark.root]


@pytest.mark.parametrize("seed", range(_ROUNDS * 2))
def test_settings_are_all_set_or_all_put_back_and_the_last_line_says_which(
    seed: int, devices: Devices, tmp_path: Path
) -> None:
    chance = random.Random(f"set {seed}")
    before, new = devices.state(), devices.ten()
    try:
        with called(tmp_path, "set", *assignments(new)) as call:
            call.until_it_listens()
            if chance.random() < 0.7:
                first = f"{next(iter(new))}: "
                while first not in (call.home / "out").read_text() and call.process.poll() is None:
                    time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.6))
            codes = burst(call, chance)
            ended = call.ended(60)
        assert_clean(ended, {0} | codes)
        now = {name: devices.value(name) for name in new}
        if ended.status == 0 or "in force" in ended.stderr:
            assert now == new
        else:
            assert devices.state() == before
    finally:
        run("rollback")
    assert devices.state() == before


@pytest.mark.parametrize("seed", range(_ROUNDS))
def test_a_stack_that_was_begun_can_be_taken_away(seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"up {seed}")
    stack = Stack(tmp_path, f"signals{os.getpid()}-{seed}")
    with called(tmp_path / "up", "up", str(stack.file)) as call:
        call.until_it_listens()
        time.sleep(chance.uniform(0, 2.5))
        codes = burst(call, chance)
        assert_clean(call.ended(60), {0} | codes)
    with called(tmp_path / "down", "down", str(stack.file)) as call:
        call.until_it_listens()
        time.sleep(chance.uniform(0.2, 1.5))
        codes = burst(call, chance)
        assert_clean(call.ended(60), {0} | codes)
    done = stack.run("down")
    assert done.returncode == 0, done.stderr
    assert stack.left() == []


@pytest.mark.parametrize("seed", range(_ROUNDS))
def test_down_ends_also_while_a_command_is_being_started(seed: int, tmp_path: Path) -> None:
    """The guard asks much at once there; a start that the end of the loop cancelled hung."""
    chance = random.Random(f"down {seed}")
    stack = Stack(tmp_path, f"starting{os.getpid()}-{seed}")
    assert stack.run("up").returncode == 0
    with called(tmp_path / "down", "down", str(stack.file)) as call:
        call.until("make the directory")
        time.sleep(chance.uniform(0.03, 0.3))
        codes = burst(call, chance)
        assert_clean(call.ended(60), {0} | codes)
    assert stack.run("down").returncode == 0
    assert stack.left() == []


@pytest.mark.parametrize(
    "arguments", [("import", "long.txt"), ("explain", "long.txt")], ids=" ".join
)
def test_workers_of_a_killed_import_are_gone(arguments: tuple[str, ...], tmp_path: Path) -> None:
    samples = sorted((Path(__file__).parents[1] / "outputs").glob("**/*.txt"))[:40]
    text = b"".join(sample.read_bytes() for sample in samples)
    (tmp_path / "long.txt").write_bytes(text * (24 * 2**20 // len(text) + 1))
    with called(tmp_path, *arguments) as call:
        end = time.monotonic() + 60
        while len(call.kin.alive()) < 2 and call.process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.005)
        assert call.process.poll() is None
        time.sleep(0.2)
        call.process.kill()
        assert call.ended().status == -9
