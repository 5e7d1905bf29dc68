"""`up` and `down` killed after each of their steps, on hosts that stand on one another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.lab.conftest import good, running, ssh, started

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME = "interrupted"
STACK = """\
stack: interrupted
hosts:
  s1: {lab: {memory: 384 MiB}}
  s2: {lab: {memory: 320 MiB}}
layers:
  d1: {kind: disk, host: s1, size: 96 MiB}
  d2: {kind: disk, host: s1, size: 96 MiB}
  d3: {kind: disk, host: s1, size: 96 MiB}
  e1: {kind: disk, host: s2, size: 96 MiB}
  r1: {kind: md, level: 1, of: [d1, d2], assume_clean: true}
  lv: {kind: lvm, of: r1}
  r0: {kind: drbd, of: [lv, e1], primary: s1, protocol: C, assume_clean: true}
  ta: {kind: aoe_target, of: r0, mtu: 4200}
  ia: {kind: aoe, of: ta, host: s2, mtu: 4200}
  fa: {kind: ext4, of: ia, mount: /mnt/aoe}
  tn: {kind: nvmeof_target, of: d3}
  in: {kind: nvmeof, of: tn, host: s2}
  fn: {kind: ext4, of: in, mount: /mnt/nvme}
  sn: {kind: nfs_server, of: fn}
  nn: {kind: nfs, of: sn, host: s1, mount: /mnt/nfs}
"""
PATIENCE = 300.0
MOST = 4
"""Steps after which it is killed, by turns 1 to so many: that a step is done is written down with
the next one, so what is killed after one each time begins with that one for ever: safe, in vain."""


def killed(verb: str, file: Path, after: int) -> bool:
    """Whether it was killed as soon as it had told of so many steps; False: it came to its end.

    Modules are loaded by each attempt anew, so they are no step further.
    """
    with started(verb, str(file), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        number = 0
        for line in process.stderr:
            number += (": done" in line and ": load " not in line) or ": removed" in line
            if number == after:
                process.kill()
                break
        return process.wait(PATIENCE) != 0


def test_up_and_down_killed_after_each_step(tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK)
    with running(NAME, file):
        kills = through("up", file)
        assert kills > 8, "it is killed again and again on its way"
        steps = good("up", file, "--json").document["steps"]
        assert [step for step in steps if step["state"] == "found"] == [], (
            "nothing counts as not ours"
        )
        assert {step["state"] for step in steps} <= {"unchanged", "done"}
        for node, mount in (("s2", "/mnt/aoe"), ("s2", "/mnt/nvme"), ("s1", "/mnt/nfs")):
            ssh(NAME, node, "mountpoint", mount)
        assert through("down", file) > 5
        assert good("down", file, "--json").document["steps"] == []
        for node in ("s1", "s2"):
            ssh(NAME, node, "test", "!", "-e", "/var/lib/iosonde/built")


def through(verb: str, file: Path) -> int:
    """How often it had to be killed until it came to its end."""
    kills = 0
    while killed(verb, file, 1 + kills % MOST):
        kills += 1
        assert kills < 150
    return kills
