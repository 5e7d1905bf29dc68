"""A thin pool that runs full under a load: the run ends in time, the pool is named, all can go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.conftest import good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME = "full"
STACK = """\
stack: full
hosts:
  s1: {lab: {memory: 384 MiB}}
layers:
  d1: {kind: disk, host: s1, size: 192 MiB}
  pool: {kind: lvm, type: thin-pool, of: d1}
  thin: {kind: lvm, type: thin, of: pool, size: 1 GiB}
  fs: {kind: ext4, of: thin, mount: /mnt/thin}
"""
LOAD = "--name=w --rw=write --bs=256k --ioengine=libaio --direct=1 --size=400m --end_fsync=1"
LONGEST = 300.0
"""Seconds until the run has ended: the pool lets writes wait for 60 (lvmthin(7))."""


def test_a_thin_pool_runs_full(tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(STACK)
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: full\ntargets: ['lab:{NAME}/s1:/mnt/thin']\nloops: 2\nseconds: 20\n"
        f"loads: [{{fio: '{LOAD}'}}]\n"
    )
    with running(NAME, file):
        good("up", file)
        ssh(NAME, "s1", "fio", "--name=k", "--filename=/mnt/thin/kept", "--rw=write", "--bs=64k",
            "--size=4m", "--verify=crc32c", "--do_verify=0", "--end_fsync=1")  # fmt: skip
        run = iosonde("run", study, "--json", timeout=LONGEST)
        assert run.status == 4, run.out
        document = run.document["error"]["message"].lower()
        assert "no space" in document or "input/output error" in document
        findings = good("explain", f"lab:{NAME}/s1", "--json", timeout=200).document["findings"]
        (record,) = [finding for finding in findings if finding["rule"] == "out-of-space"]
        assert record["severity"] == "error"
        assert record["evidence"][0]["value"] > 0.99
        ssh(NAME, "s1", "sh", "-c", "'echo 3 > /proc/sys/vm/drop_caches'")
        ssh(NAME, "s1", "fio", "--name=k", "--filename=/mnt/thin/kept", "--rw=write", "--bs=64k",
            "--size=4m", "--verify=crc32c", "--verify_only")  # fmt: skip
        good("down", file)
        assert good("down", file, "--json").document["steps"] == []
