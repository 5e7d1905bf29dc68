"""The fake fio says what is consistent, and in the form of the real one."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FAKE = Path(__file__).parent / "bin" / "fio"
JOBS = {
    "reads": "[a]\nrw=randread\nbs=4k\ndirect=1\nsize=1m\ntime_based\nruntime=100ms\n",
    "processes of one group": (
        "[global]\ndirect=1\nioengine=libaio\ngroup_reporting\nsize=1m\n"
        "[a]\nrw=randwrite\nnumjobs=2\niodepth=8\nthread\ntime_based\nruntime=100ms\n"
    ),
    "processes apart": "[a]\nrw=write\nbs=64k\nnumjobs=2\nsize=1m\ndirect=1\nend_fsync=1\n",
    "one after the other": (
        "[global]\nsize=256k\nbs=4k\ndirect=1\n[a]\nrw=read\n"
        "[b]\nstonewall\nrw=write\nverify=crc32c\nfsync=4\n"
        "[c]\nstonewall\nrw=rw\nrwmixread=70\ntime_based\nruntime=100ms\n"
    ),
    "a rate": "[a]\nrw=randrw\nbs=4k\nsize=1m\nrate_iops=100,100\ntime_based\nruntime=200ms\n",
    "an error": "[a]\nrw=read\nbs=1000\ndirect=1\nsize=1m\n",
}


def said(fio: str | Path, job: str, place: Path) -> tuple[int, dict[str, Any]]:
    """Its exit status and its result, called as iosonde does."""
    (place / "job.fio").write_text(job)
    data, output = place / "data", place / "fio.json"
    data.write_bytes(bytes(2**20))
    done = subprocess.run(
        [fio, f"--output={output}", "--output-format=json+", "--eta=never",
         f"--aux-path={place}", f"--filename={data}", "--allow_file_create=0",
         str(place / "job.fio")], capture_output=True, check=False,
    )  # fmt: skip
    text = output.read_text()
    return done.returncode, json.loads(text[text.index("{\n") :])


def shape(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each path in a document with the type that is there; latencies of bins are one."""
    if isinstance(value, dict):
        yield path, "object"
        for key, below in value.items():
            name = "*" if path.endswith("bins") else key
            yield from shape(below, f"{path}/{name}")
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield from shape(below, f"{path}/{at}")
    else:
        yield path, type(value).__name__


def require_consistent(document: dict[str, Any]) -> None:
    """What holds between the figures of any fio."""
    for job in document["jobs"]:
        for way in ("read", "write", "trim"):
            part = job[way]
            if not part["io_bytes"]:
                continue
            ran = part["runtime"] / 1000
            assert part["iops"] == pytest.approx(part["total_ios"] / ran, rel=0.01)
            assert part["bw_bytes"] == pytest.approx(part["io_bytes"] / ran, rel=0.01)
            assert part["io_kbytes"] == part["io_bytes"] // 1024
            assert part["io_bytes"] / part["total_ios"] % 512 == 0
            clat, lat = part["clat_ns"], part["lat_ns"]
            assert clat["N"] == lat["N"] == part["total_ios"] == sum(clat["bins"].values())
            assert clat["min"] <= clat["mean"] <= clat["max"]
            assert clat["mean"] + part["slat_ns"]["mean"] <= lat["mean"] * 1.001
            values = list(clat["percentile"].values())
            assert values == sorted(values)
            # A bin is as wide as a 64th of its latency.
            assert values[-1] == pytest.approx(clat["max"], rel=0.02, abs=1)
            _require_little(job, part, ran)
        assert sum(job["sync"]["lat_ns"].get("bins", {}).values()) == job["sync"]["lat_ns"]["N"]
        assert document["jobs"][0]["elapsed"] == job["elapsed"]


def _require_little(job: dict[str, Any], part: dict[str, Any], ran: float) -> None:
    """No more I/Os were under way at once than the jobs allow (Little's law)."""
    under_way = part["lat_ns"]["mean"] * 1e-9 * part["total_ios"] / ran
    allowed = job["latency_depth"] * int(job["job options"].get("numjobs", 1))
    assert under_way <= allowed * 1.05
    assert math.isfinite(under_way)


@pytest.mark.parametrize("job", JOBS)
def test_its_figures_are_consistent(job: str, tmp_path: Path) -> None:
    status, document = said(FAKE, JOBS[job], tmp_path)
    assert status == (job == "an error")
    require_consistent(document)


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_the_real_one_says_the_same_with_other_figures(job: str, tmp_path: Path) -> None:
    status, real = said("fio", JOBS[job], tmp_path)
    same, fake = said(FAKE, JOBS[job], tmp_path)
    assert status == same
    require_consistent(real)
    assert sorted(set(shape(fake))) == sorted(set(shape(real)))
    for record, other in zip(real["jobs"], fake["jobs"], strict=True):
        for key in ("jobname", "groupid", "error", "job options", "latency_depth"):
            assert record[key] == other[key]
        for way in ("read", "write", "trim"):
            assert bool(record[way]["io_bytes"]) is bool(other[way]["io_bytes"])
            if "runtime" not in record["job options"]:
                assert record[way]["io_bytes"] == other[way]["io_bytes"]


def test_one_seed_gives_the_same_figures_and_each_call_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOSONDE_FAKE_FIO", str(tmp_path))

    def rates() -> list[float]:
        (tmp_path / "runs").unlink(missing_ok=True)
        records = [said(FAKE, JOBS["reads"], tmp_path)[1] for _ in range(8)]
        return [values["jobs"][0]["read"]["iops"] for values in records]

    (tmp_path / "spread").write_text("0.1")
    first = rates()
    assert rates() == first
    assert len(set(first)) > 4
    assert 1.1 < max(first) / min(first) < 2
    (tmp_path / "seed").write_text("2")
    assert rates() != first
    (tmp_path / "spread").write_text("0")
    assert len(set(rates())) == 1


def test_what_a_job_writes_is_in_the_file_and_what_is_not_there_is_not_made(
    tmp_path: Path,
) -> None:
    said(FAKE, JOBS["processes apart"], tmp_path)
    assert any((tmp_path / "data").read_bytes())
    gone = ["--allow_file_create=0", f"--filename={tmp_path}/gone", "--name=a", "--rw=read"]
    done = subprocess.run([FAKE, *gone], capture_output=True, text=True, check=False)
    assert (done.returncode, "file creation disallowed" in done.stderr) == (1, True)
    done = subprocess.run(
        [FAKE, "--parse-only", "-"], input="[a]\nbss=4k\n", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, "Bad option <bss=4k>" in done.stderr) == (1, True)
