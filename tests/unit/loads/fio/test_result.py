"""fio's output, whole, damaged, and in the ways in which other tools were deceived by it."""

from __future__ import annotations

import contextlib
import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.errors import LoadFailed
from iosonde.loads.fio import Fio
from iosonde.loads.fio.result import moved
from iosonde.measure.trial import written
from iosonde.records.load import LoadResult, RawOutput, Target, TargetKind
from iosonde.statistics.histogram import quantile
from tests.fio_result import read_document

FIO = Fio()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("fio") / "scratch"
    place.write_bytes(bytes(range(256)) * 4096 * 8)
    return place


def run_fio(spec: object, scratch: Path, seconds: float | None = 1) -> RawOutput:
    """One loop by the real fio, as measure/ runs it."""
    load = FIO.declare(spec, name="load", where="test")  # type: ignore[arg-type]
    directory = scratch.parent / "loop"
    directory.mkdir(exist_ok=True)
    target = Target("local", str(scratch), TargetKind.FILE)
    command = FIO.command(load, target, directory=str(directory), seconds=seconds)
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    done = subprocess.run(command.argv, capture_output=True, check=False, timeout=60)
    files = written(command)
    files |= {Path(path).name: Path(path).read_bytes() for path in command.outputs[:1]}
    return RawOutput(done.returncode, done.stdout, done.stderr, files)


@pytest.fixture(scope="module")
def two_jobs(scratch: Path) -> RawOutput:
    """Two jobs, reported apart."""
    spec = {"ioengine": "psync", "rw": "randrw", "bs": "4k", "size": "8m", "numjobs": 2}
    return run_fio(spec, scratch)


def document(raw: RawOutput) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(raw.files["fio.json"])
    return values


def parsed(value: object, *, stderr: bytes = b"", status: int = 0) -> LoadResult:
    text = value if isinstance(value, str) else json.dumps(value)
    return FIO.parse(RawOutput(status, b"", stderr, {"fio.json": text.encode()}))


def test_all_jobs_count_not_the_first_alone(two_jobs: RawOutput) -> None:
    jobs = document(two_jobs)["jobs"]
    assert len(jobs) == 2
    result = FIO.parse(two_jobs)
    for direction in ("read", "write"):
        total = sum(job[direction]["total_ios"] for job in jobs)
        longest = max(job[direction]["runtime"] for job in jobs) / 1000
        assert result.issued[direction] == total
        assert result.metrics[f"{direction}.iops"] == pytest.approx(total / longest)
        assert result.metrics[f"{direction}.iops"] > 1.5 * jobs[0][direction]["iops"]
        means = [(job[direction]["lat_ns"]["mean"], job[direction]["lat_ns"]["N"]) for job in jobs]
        weighted = sum(mean * n for mean, n in means) / sum(n for _, n in means) * 1e-9
        assert result.metrics[f"{direction}.latency.mean"] == pytest.approx(weighted)
        assert sum(result.histograms[direction].counts) == total


@pytest.mark.slow
def test_percentiles_are_fios_own_for_one_job(scratch: Path) -> None:
    spec = {"ioengine": "psync", "rw": "randread", "bs": "4k", "size": "8m"}
    raw = run_fio(spec, scratch)
    clat = document(raw)["jobs"][0]["read"]["clat_ns"]
    histogram = FIO.parse(raw).histograms["read"]
    assert len(clat["percentile"]) >= 15
    for percent, value in clat["percentile"].items():
        assert quantile(histogram, float(percent) / 100) == pytest.approx(value * 1e-9), percent


@pytest.mark.slow
def test_grouped_and_apart_give_the_same(scratch: Path) -> None:
    """The second view: fio's own group report of such jobs; a job left out would halve it."""
    spec = {"ioengine": "psync", "rw": "read", "bs": "4k", "size": "4m", "numjobs": 2,
            "rate_iops": 500}  # fmt: skip
    apart = FIO.parse(run_fio(spec, scratch)).metrics
    grouped = FIO.parse(run_fio({**spec, "group_reporting": True}, scratch)).metrics
    for name in ("read.iops", "read.bandwidth"):
        assert apart[name] == pytest.approx(grouped[name], rel=0.2)
    assert apart["read.iops"] == pytest.approx(1000, rel=0.2)


@pytest.mark.slow
def test_phases_one_after_the_other_are_not_added_up(scratch: Path) -> None:
    spec = {
        "global": {"ioengine": "psync", "bs": "4k", "size": "4m", "rate_iops": 500},
        "first": {"rw": "read"},
        "second": {"stonewall": True, "rw": "read"},
    }
    result = FIO.parse(run_fio(spec, scratch, seconds=2))
    assert result.metrics["read.iops"] == pytest.approx(500, rel=0.1)


@pytest.mark.slow
def test_a_new_group_runs_beside_the_one_before_it(scratch: Path) -> None:
    """fio numbers groups at `new_group` as at `stonewall`, and names neither in its result."""
    spec = {
        "global": {"ioengine": "psync", "bs": "4k", "size": "4m", "rw": "read"},
        "first": {"rate_iops": 500},
        "second": {"new_group": True, "rate_iops": 300},
        "third": {"stonewall": True, "rate_iops": 200},
        "fourth": {"new_group": True, "rate_iops": 100},
    }
    raw = run_fio(spec, scratch, seconds=1)
    assert [job["groupid"] for job in document(raw)["jobs"]] == [0, 1, 2, 3]
    metrics = FIO.parse(raw).metrics
    assert metrics["elapsed"] == pytest.approx(1, rel=0.15)
    # 800 a second for one half of the time, 300 for the other
    assert metrics["read.iops"] == pytest.approx(550, rel=0.1)


OUTPUTS = Path(__file__).parents[3] / "outputs" / "fio-3.33-normal"


def test_groups_that_fio_had_no_time_for_one_after_the_other_ran_together() -> None:
    """Three `new_group` jobs of 2 s in a run of less than 3 s; its job file is not known."""
    metrics = read_document((OUTPUTS / "groups.out").read_text()).metrics
    assert metrics["elapsed"] == pytest.approx(2.002, abs=0.002)
    assert metrics["read.iops"] == pytest.approx(1600 / 2.002, rel=1e-3)
    assert metrics["write.iops"] == pytest.approx(400 / 2.001, rel=1e-3)


def test_groups_that_fio_had_time_for_ran_one_after_the_other() -> None:
    """Near miss: two groups apart by `stonewall`, of which `elapsed` says nothing else."""
    metrics = read_document((OUTPUTS / "waves.out").read_text()).metrics
    assert metrics["elapsed"] == pytest.approx(0.148 + 0.101, abs=0.002)


@pytest.mark.slow
def test_two_processes_reported_together_do_not_take_twice_the_time(scratch: Path) -> None:
    """fio adds up the time of a group's processes, and does not say that it is a group."""
    spec = {"ioengine": "psync", "rw": "randrw", "bs": "4k", "size": "4m", "numjobs": 2,
            "group_reporting": True, "rate_iops": 200}  # fmt: skip
    raw = run_fio(spec, scratch, seconds=2)
    assert len(document(raw)["jobs"]) == 1
    assert FIO.parse(raw).metrics["elapsed"] == pytest.approx(2, abs=0.3)


def test_complaints_mixed_into_the_json_are_passed_over(two_jobs: RawOutput) -> None:
    text = two_jobs.files["fio.json"].decode()
    wanted = FIO.parse(two_jobs)
    lines = text.splitlines()
    middle = len(lines) // 2
    mixed = [
        "fio: this platform does not support something",
        *lines[:middle],
        "fio: pid=123, err=0/file:x.c:1, func=y, error=Success",
        *lines[middle:],
        "note: trailing words {not json}",
    ]
    assert parsed("\n".join(mixed)) == wanted
    assert parsed(text.replace("\n", "\r\n")) == wanted
    before = RawOutput(0, text.encode(), b"warning", {})
    assert FIO.parse(before) == wanted


def test_client_stats_stand_for_jobs(two_jobs: RawOutput) -> None:
    whole = document(two_jobs)
    jobs = whole.pop("jobs")
    total = {**jobs[0], "jobname": "All clients"}
    result = parsed({**whole, "client_stats": [*jobs, total]})
    assert result.metrics == FIO.parse(two_jobs).metrics


def test_keys_that_are_missing_leave_metrics_out_and_no_more(two_jobs: RawOutput) -> None:
    for key in ("clat_ns", "lat_ns", "slat_ns", "iops_mean", "bw_mean", "runtime", "total_ios"):
        whole = document(two_jobs)
        for job in whole["jobs"]:
            del job["read"][key]
        result = parsed(whole)
        assert result.metrics["write.iops"] > 0
    whole = document(two_jobs)
    for job in whole["jobs"]:
        del job["read"]["lat_ns"]
    mean = parsed(whole).metrics["read.latency.mean"]
    clat = [job["read"]["clat_ns"]["mean"] for job in whole["jobs"]]
    assert min(clat) * 1e-9 <= mean <= max(clat) * 1e-9


def test_a_duplicate_key_does_not_hide_figures(two_jobs: RawOutput) -> None:
    text = two_jobs.files["fio.json"].decode()
    doubled = text.replace('"total_ios"', '"total_ios" : 0,\n "total_ios"', 1)
    assert parsed(doubled).issued == FIO.parse(two_jobs).issued


@pytest.mark.parametrize("content", ["", "{}", '{"jobs": []}', "[]", "null", '{"jobs": [{}]}'])
def test_an_empty_result_quotes_what_fio_complained(content: str) -> None:
    with pytest.raises(LoadFailed, match="fio: no I/O performed by libaio"):
        parsed(content, stderr=b"fio: no I/O performed by libaio\n", status=1)


def test_a_result_cut_off_is_told_as_such(two_jobs: RawOutput) -> None:
    text = two_jobs.files["fio.json"].decode()
    with pytest.raises(LoadFailed, match="cut off or not JSON"):
        parsed(text[: len(text) // 2])


def test_a_job_that_failed_fails_the_loop(two_jobs: RawOutput) -> None:
    whole = document(two_jobs)
    whole["jobs"][1]["error"] = 28
    with pytest.raises(LoadFailed, match=r"job load failed: No space left on device \(errno 28\)"):
        parsed(whole)


def test_a_missing_file_is_fios_word(tmp_path: Path) -> None:
    with pytest.raises(LoadFailed, match=r"fio|errno"):
        FIO.parse(run_fio({"rw": "read", "size": "1m"}, tmp_path / "none"))


def test_a_changed_byte_is_found_by_verify_with_its_place(scratch: Path) -> None:
    base = {"ioengine": "psync", "bs": "4k", "size": "1m", "verify": "crc32c", "verify_fatal": 1}
    written = FIO.parse(run_fio({**base, "rw": "write"}, scratch, None))
    assert written.metrics["write.iops"] > 0
    assert FIO.parse(run_fio({**base, "rw": "write", "verify_only": True}, scratch, None))
    with scratch.open("r+b") as file:
        file.seek(40960 + 1000)
        file.write(b"\0\1\2\3")
    with pytest.raises(LoadFailed, match="what was written is not what was read back") as caught:
        FIO.parse(run_fio({**base, "rw": "write", "verify_only": True}, scratch, None))
    assert "40960" in caught.value.message


def test_fio_2_counted_in_microseconds_and_kib() -> None:
    part = {"io_bytes": 4000, "total_ios": 1000, "runtime": 1000, "iops": 1000.0, "bw": 4000,
            "lat": {"min": 10, "max": 900, "mean": 250.0, "stddev": 20.0},
            "clat": {"min": 9, "max": 890, "mean": 240.0, "stddev": 20.0,
                     "percentile": {"99.000000": 500}}}  # fmt: skip
    job = {"jobname": "old", "error": 0, "read": part, "usr_cpu": 2.0, "sys_cpu": 5.0}
    result = parsed({"fio version": "fio-2.2.10", "jobs": [job]})
    assert result.metrics["read.bandwidth"] == 4000 * 1024
    assert result.metrics["read.latency.mean"] == pytest.approx(250e-6)
    assert result.metrics["read.latency.max"] == pytest.approx(900e-6)
    assert result.tool_version == "2.2.10"


def test_device_statistics_are_kept(two_jobs: RawOutput) -> None:
    result = FIO.parse(two_jobs)
    names = {disk["name"] for disk in document(two_jobs)["disk_util"]}
    assert set(result.device_io) == names


@given(st.data())
def test_no_damage_makes_the_parser_crash(data: st.DataObject) -> None:
    text = json.dumps(_SMALL)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    junk = data.draw(st.sampled_from(["", "null", "{", "]", '"', "1e999", "-1", "nan", "\0"]))
    with contextlib.suppress(LoadFailed):
        FIO.parse(RawOutput(0, (text[:start] + junk + text[end:]).encode(), b"", {}))


_SMALL: dict[str, Any] = {
    "fio version": "fio-3.33",
    "jobs": [
        {"jobname": "a", "groupid": 0, "error": 0, "usr_cpu": 1.5, "sys_cpu": 2.5,
         "read": {"io_bytes": 4096, "io_kbytes": 4, "total_ios": 1, "runtime": 5, "iops": 200.0,
                  "lat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "N": 1},
                  "clat_ns": {"min": 1, "max": 2, "mean": 1.5, "stddev": 0.1, "N": 1,
                              "bins": {"1": 1}}}}
    ],
    "disk_util": [{"name": "sda", "read_ios": 1, "write_ios": 2, "util": 5.0}],
}  # fmt: skip


def test_the_small_one_is_whole() -> None:
    assert parsed(copy.deepcopy(_SMALL)).metrics["read.iops"] == 200


@pytest.mark.slow
def test_requests_that_move_nothing_are_no_measurement(tmp_path: Path) -> None:
    """Reads at the end of a file give latencies, and nothing else."""
    small = tmp_path / "small"
    small.write_bytes(b"x" * 1267)
    spec = {"ioengine": "libaio", "direct": True, "rw": "randread", "bs": "4k", "size": "1g",
            "time_based": True}  # fmt: skip
    with pytest.raises(LoadFailed, match="fio moved no data"):
        FIO.parse(run_fio(spec, small))


def test_a_load_that_trims_has_moved_something() -> None:
    result = LoadResult({"trim.iops": 5.0, "trim.latency.mean": 1e-3}, {}, issued={"trim": 5})
    assert moved(result) is result


def test_a_target_whose_server_is_lost_is_not_called_a_file_that_may_not_be_made(
    tmp_path: Path,
) -> None:
    arguments = ["fio", "--name=x", "--rw=read", "--size=1m", f"--filename={tmp_path}/gone/file"]
    done = subprocess.run(
        [*arguments, "--allow_file_create=0", "--output-format=json"],
        capture_output=True,
        check=False,
    )
    with pytest.raises(LoadFailed, match="its server, its device or its mount was lost") as caught:
        Fio().parse(RawOutput(done.returncode, done.stdout, done.stderr))
    assert "file creation disallowed" in caught.value.message  # fio's own words are kept
