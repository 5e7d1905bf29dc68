"""Outputs of fio 2.1 to 3.42 for the same job, against what the same file says elsewhere."""

from __future__ import annotations

import gzip
import json
import re
import resource
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from iosonde.loads.fio import Fio
from iosonde.loads.fio.histogram import bins, histogram
from iosonde.loads.fio.result import find_document
from iosonde.records.load import Histogram, LoadResult, Target, TargetKind
from iosonde.statistics.histogram import quantile
from tests.fio_result import read_document

OUTPUTS = Path(__file__).parents[3] / "outputs"
WITH_BINS = ("2.19", "2.21", "3.33", "3.42")
VERSIONS = ("2.1.10", *WITH_BINS)


def text_of(version: str) -> str:
    folder = OUTPUTS / f"fio-{version}"
    packed = folder / "three-jobs.out.gz"
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode()
    return (folder / "three-jobs.out").read_text()


def document_of(version: str) -> Any:
    document = find_document(text_of(version))
    assert document is not None
    return document


def one_job(version: str, index: int) -> LoadResult:
    """The result as if the output had only this job."""
    document = document_of(version)
    return read_document(json.dumps({**document, "jobs": [document["jobs"][index]]}))


def clat(job: Any, direction: str) -> tuple[Any, float]:
    part = job[direction]
    return (part["clat_ns"], 1e-9) if "clat_ns" in part else (part["clat"], 1e-6)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_gives_the_same_metrics(version: str) -> None:
    result = read_document(text_of(version))
    assert result.tool_version == version
    assert result.faults == ()
    for direction in ("read", "write"):
        for name in ("iops", "bandwidth", "latency.mean", "latency.stdev", "latency.max"):
            assert result.metrics[f"{direction}.{name}"] > 0, name
        # The device of the recording took between 10 µs and 10 ms for any of its I/Os.
        assert 1e-5 < result.metrics[f"{direction}.latency.mean"] < 1e-2
    assert result.metrics["cpu.system"] > 0
    assert result.units["write.latency.mean"] == "s"


@pytest.mark.parametrize("version", VERSIONS)
def test_ios_are_those_of_the_job(version: str) -> None:
    """pages: 800, after: 800; log: 16 MiB by 16 KiB or 800, as the version reads its limits."""
    result = read_document(text_of(version))
    total = result.issued["read"] + result.issued["write"]
    assert total == pytest.approx(2400, abs=250)


@pytest.mark.parametrize("version", WITH_BINS)
def test_percentiles_from_bins_are_those_that_fio_printed(version: str) -> None:
    """fio's own rule on fio's own bins, for all its percentiles and each job and direction."""
    compared = 0
    for job in document_of(version)["jobs"]:
        for direction in ("read", "write"):
            stat, scale = clat(job, direction)
            counter = bins(stat, scale)
            if not counter:
                continue
            for key, printed in stat["percentile"].items():
                if float(key) == 0:
                    continue  # fio 2 fills its list up with "0.00"
                value = quantile(histogram(counter), float(key) / 100)
                assert value == pytest.approx(printed * scale, rel=1e-9), (direction, key)
                compared += 1
    assert compared == 40, "four jobs and directions, ten percentiles each"


@pytest.mark.parametrize("version", VERSIONS)
def test_one_job_has_fios_own_rates(version: str) -> None:
    for index, direction in ((0, "read"), (0, "write"), (1, "write"), (2, "read")):
        part = document_of(version)["jobs"][index][direction]
        metrics = one_job(version, index).metrics
        assert metrics[f"{direction}.iops"] == pytest.approx(part["iops"], rel=1e-4, abs=1)
        # fio prints KiB/s without a fraction; before 2.21 it also counted whole KiB.
        assert metrics[f"{direction}.bandwidth"] == pytest.approx(part["bw"] * 1024, rel=1e-3)


@pytest.mark.parametrize("version", WITH_BINS)
def test_groups_agree_with_the_summary_in_fios_normal_output(version: str) -> None:
    """The second view: "WRITE: bw=119MiB/s (124MB/s), …" under the first group's status."""
    text = text_of(version)
    summary = text[text.index("Run status group 0") :]
    printed = re.search(r"WRITE: .*?(?:bw=|aggrb=)([\d.]+)\s*([KM])i?B/s", summary)
    assert printed
    figure = float(printed[1]) * {"K": 1024, "M": 1024**2}[printed[2]]
    document = document_of(version)
    first = [job for job in document["jobs"] if job["groupid"] == 0]
    result = read_document(json.dumps({**document, "jobs": first}))
    assert result.metrics["write.bandwidth"] == pytest.approx(figure, rel=0.01)


def test_merged_percentiles_are_no_mean_of_percentiles() -> None:
    result = read_document(text_of("3.33"))
    jobs = document_of("3.33")["jobs"]
    both = [clat(job, "write")[0] for job in jobs[:2]]
    merged: Histogram = result.histograms["write"]
    assert sum(merged.counts) == sum(stat["N"] for stat in both)
    printed = sorted(stat["percentile"]["99.000000"] * 1e-9 for stat in both)
    assert printed[0] <= result.metrics["write.latency.p99"] <= printed[1]


def test_processor_time_is_what_the_kernel_charged(tmp_path: Path) -> None:
    """Two busy processes, reported together: cores used, against the children's rusage.

    They end after so many requests, not after a time, of which a busy machine gives them little.
    """
    scratch = tmp_path / "scratch"
    scratch.write_bytes(bytes(1 << 20))
    fio = Fio()
    load = fio.declare(
        {"j": {"ioengine": "null", "rw": "write", "bs": "4k", "size": "1m", "io_size": "16g",
               "numjobs": 2, "group_reporting": True}},
        name="j", where="here",
    )  # fmt: skip
    target = Target("local", str(scratch), TargetKind.FILE)
    command = fio.command(load, target, directory=str(tmp_path), seconds=None)
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command.argv, capture_output=True, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stderr == b""
    result = read_document(Path(command.outputs[0]).read_text())
    elapsed = result.metrics["elapsed"]
    assert 0 < elapsed < time.monotonic() - began
    used = (result.metrics["cpu.user"] + result.metrics["cpu.system"]) * elapsed
    charged = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    # The rest is fio's main process, which waits, and the processes' own beginning.
    assert used == pytest.approx(charged, rel=0.25)
    assert result.metrics["cpu.per_io"] == pytest.approx(used / result.issued["write"])


def test_a_path_with_a_colon_and_blanks_is_one_file(tmp_path: Path) -> None:
    scratch = tmp_path / "pci-0000:00 1f.2 $ncpus"
    scratch.write_bytes(bytes(1 << 20))
    fio = Fio()
    load = fio.declare("fio --rw=write --bs=4k --size=1m --verify=crc32c", name="j", where="here")
    target = Target("local", str(scratch), TargetKind.FILE)
    command = fio.command(load, target, directory=str(tmp_path), seconds=None)
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    subprocess.run(command.argv, capture_output=True, check=True, timeout=60)
    result = read_document(Path(command.outputs[0]).read_text())
    assert result.issued == {"write": 256, "read": 256}
    assert scratch.read_bytes() != bytes(1 << 20)
    state = "local-j-0-verify.state"  # what fio would otherwise leave in the working directory
    assert {path.name for path in tmp_path.iterdir()} == {
        scratch.name, "job.fio", "fio.json", state,
    }  # fmt: skip
    assert not Path(state).exists()
