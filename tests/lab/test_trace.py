"""A device of the real kernel traced while fio works, beside what fio and blkparse count."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND
from tests.lab.conftest import good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAME = "test-trace"
_FIO = (
    "fio", "--name=x", "--filename=/dev/vdb", "--direct=1", "--rw=randrw", "--bsrange=4k-64k",
    "--size=64m", "--number_ios=300", "--thinktime=5000", "--output-format=json",
)  # fmt: skip


@pytest.fixture(scope="module")
def node() -> Iterator[str]:
    with running(NAME, "--name", NAME, "--nodes", "1", "--disks", "1", "--size", "128 MiB") as lab:
        yield lab


def test_every_request_of_fio_is_recorded(node: str, tmp_path: Path) -> None:
    argv = [*COMMAND, "trace", "record", f"lab:{node}/n1:/dev/vdb", "--seconds", "60", "--json"]
    with subprocess.Popen([*argv, "-o", tmp_path], stdout=subprocess.PIPE) as recording:
        _until_traced(node, recording)
        printed_results = json.loads(ssh(node, "n1", *_FIO))
        # blktrace ends by an alarm(2) of its own after so many seconds; sent now, nobody waits.
        ssh(node, "n1", "pkill", "-ALRM", "-x", "blktrace")
        out, _ = recording.communicate(timeout=200)
    assert recording.returncode == 0
    document = json.loads(out)
    jsonschema.validate(document, schema("trace"))
    recorded = document["recorded"]
    assert recorded["complete"], recorded
    described = good("trace", "describe", recorded["path"], "--json").document["traces"][0]
    fio, answer = printed_results["jobs"][0], described["operations"]
    assert answer["write"]["count"] == fio["write"]["total_ios"]
    assert answer["write"]["bytes"] == fio["write"]["io_bytes"]
    assert answer["read"]["count"] >= fio["read"]["total_ios"], "udev reads too"
    if shutil.which("blkparse"):
        text = subprocess.run(
            ["blkparse", "-i", "vdb"], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout
        one_by_one, _, all_together = text.partition("Total (")  # which one CPU alone has not
        queued = re.findall(r"Reads Queued: +(\d+)", all_together or one_by_one)
        assert sum(map(int, queued)) == described["operations"]["read"]["count"]
    assert ssh(node, "n1", "sh", "-c", "'ls /dev/shm | wc -l'").strip() == "0"
    again = iosonde("trace", "record", f"lab:{node}/n1:/dev/vdb", "-o", tmp_path)
    assert again.status == 2, "it would write over a recording"
    _replayed(node, recorded["path"], fio["write"]["total_ios"])


def _replayed(node: str, recording: str, writes: int) -> None:
    """The recording again at its own disk: the kernel counts as many writes as fio made.

    Whether an emulated guest keeps the recording's rate depends on what else its machine does;
    that the command says so by its exit code does not.
    """
    target = ("--target", f"lab:{node}/n1:/dev/vdb", "--json")
    refused = iosonde("trace", "replay", recording, *target)
    assert refused.status == 3, "it writes to a device that nobody gave up"
    before = _writes(node)
    replayed = iosonde("trace", "replay", recording, *target, "--destroy", "/dev/vdb")
    answer = replayed.document
    assert replayed.status == int(not answer["kept_up"]), replayed
    assert answer["kept_up"] is not any("rate was not kept" in fault for fault in answer["faults"])
    assert answer["writes"] == writes == _writes(node) - before


def _writes(node: str) -> int:
    """Writes that the disk has completed (Documentation/block/stat.rst: the fifth figure)."""
    return int(ssh(node, "n1", "cat", "/sys/class/block/vdb/stat").split()[4])


def _until_traced(node: str, recording: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for blktrace, no longer than the command that starts it lives."""
    enable, until = "/sys/class/block/vdb/trace/enable", time.monotonic() + 300
    while time.monotonic() < until:
        if ssh(node, "n1", "cat", enable).strip() != "0":
            return
        if recording is not None and recording.poll() is not None:
            said = recording.stdout.read() if recording.stdout else b""
            raise AssertionError(f"the recording ended, {recording.returncode}: {said!r}")
    raise AssertionError("blktrace did not begin within 300 s")


def test_it_ends_by_itself_after_the_time_that_is_asked_for(node: str, tmp_path: Path) -> None:
    steady = "fio --name=x --filename=/dev/vdb --direct=1 --rw=randread --bs=4k --thinktime=5000"
    timed = f"{steady} --size=64m --time_based --runtime=300"
    ssh(node, "n1", "sh", "-c", f"'{timed} >/dev/null 2>&1 &'")
    try:
        place = ("-o", tmp_path / "short")
        answer = good(
            "trace", "record", f"lab:{node}/n1:/dev/vdb", "--seconds", "1", "--json", *place
        )
    finally:
        ssh(node, "n1", "pkill", "-x", "fio")
    assert answer.document["recorded"]["complete"]
    assert ssh(node, "n1", "cat", "/sys/class/block/vdb/trace/enable").strip() == "0"


def test_a_device_that_is_traced_already_is_left_alone(node: str, tmp_path: Path) -> None:
    ssh(node, "n1", "sh", "-c", "'blktrace -d /dev/vdb -w 60 -D /run -o other >/dev/null 2>&1 &'")
    _until_traced(node)
    refused = iosonde("trace", "record", f"lab:{node}/n1:/dev/vdb", "-o", tmp_path, "--json")
    assert refused.status == 3
    assert "trace/enable" in json.loads(refused.out)["error"]["evidence"]


@pytest.mark.parametrize("device", ["/dev/none", "/etc/passwd"])
def test_what_is_no_device_is_told(node: str, device: str, tmp_path: Path) -> None:
    assert iosonde("trace", "record", f"lab:{node}/n1:{device}", "-o", tmp_path).status == 2
