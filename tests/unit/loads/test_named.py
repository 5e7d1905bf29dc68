"""Bundled loads, loads as studies name them, and hdparm."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import LoadFailed, UsageError
from iosonde.hosts.local import LocalHost
from iosonde.loads import LOADS
from iosonde.loads.hdparm.load import Hdparm
from iosonde.loads.named import declare_load, limits_of, named_load, names, text_of
from iosonde.measure.requirements import declared
from iosonde.records.load import Load, RawOutput, Target, TargetKind
from tests.loop.devices import loop_device

DOCS = Path(__file__).parents[3] / "docs" / "use" / "loads.md"
WRITERS = {
    "ceph-osd-journal", "certification", "etcd-wal", "integrity", "kafka-log", "mixed-70-30",
    "mixed-80-20", "mysql-like", "postgresql-wal", "sequential-write", "video-capture",
    "write-iops", "write-latency",
}  # fmt: skip


def declare(entry: object, directory: Path = Path()) -> Load:
    return declare_load(entry, where="s.yaml", directory=directory)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", names())
def test_each_is_declared_described_and_honest_about_writing(name: str) -> None:
    load = named_load(name)
    demand = LOADS.load(load.engine)().demand(load)
    assert load.name == name
    assert len(load.about) > 20
    assert demand.writes == (name in WRITERS)
    assert f"`{name}`" in DOCS.read_text()


def test_each_limit_can_be_required_and_names_its_source() -> None:
    limits = {name: limits_of(name, directory=Path()) for name in names()}
    assert {name: values for name, values in limits.items() if values} == {
        "etcd-wal": {"sync.latency.p99": "< 10 ms"},
        "video-capture": {"write.bandwidth": "> 158 MiB/s"},
        "vm-boot-storm": {"read.bandwidth": "> 119.2 MiB/s"},
    }
    for name, values in limits.items():
        about = named_load(name).about
        assert len(declared({"require": values})) == len(values)
        assert not values or ("Limit: " in about and "Source: " in about)
        assert "No limit is published" not in about or not values


def test_the_limits_are_the_figures_of_their_sources() -> None:
    """158 MB/s of the manual against its frames (v210: 128 bytes for 48 pixels); 1 Gbit/s."""
    frame = 1920 * 1080 * 128 // 48
    assert "bs: 5400k" in text_of("video-capture")
    assert frame == 5400 * 1024
    assert round(frame * 30 / 1.001 / 2**20) == 158
    assert round(1e9 / 8 / 2**20, 1) == 119.2


def test_a_copied_load_keeps_its_limit(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(text_of("etcd-wal").replace("10 ms", "2 ms"))
    assert limits_of("mine.yaml", directory=tmp_path) == {"sync.latency.p99": "< 2 ms"}
    assert declare("mine.yaml", tmp_path).spec["sections"]
    (tmp_path / "mine.yaml").write_text("require: fast\nfio: {rw: read}\n")
    with pytest.raises(UsageError, match="expected metrics and their bounds"):
        limits_of("mine.yaml", directory=tmp_path)
    assert limits_of("fio --rw=read", directory=tmp_path) == {}


@pytest.mark.parametrize("name", sorted(set(names()) - {"hdparm"}))
def test_each_is_a_job_the_real_fio_accepts(name: str, tmp_path: Path) -> None:
    """fio --parse-only reads the job file as it would be run."""
    import subprocess

    load = named_load(name)
    target = Target("local", str(tmp_path / "x"), TargetKind.FILE)
    command = LOADS.load("fio")().command(load, target, directory=str(tmp_path), seconds=1)
    for path, content in command.files.items():
        Path(path).write_bytes(content)
    done = subprocess.run([*command.argv, "--parse-only"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_copied_file_is_the_same_load(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(text_of("latency"))
    mine = declare("mine.yaml", tmp_path)
    assert (mine.name, mine.spec) == ("mine", named_load("latency").spec)


def test_the_ways_to_name_a_load(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[j]\nrw=read\nsize=1m\n")
    by_file = declare("job.fio", tmp_path)
    assert declare({"fio": "job.fio"}, tmp_path).spec == by_file.spec
    assert declare({"fio": {"rw": "read", "size": "1m"}, "name": "mine"}).name == "mine"
    assert declare({"fio": "fio --name=pasted --rw=read"}).name == "pasted"
    smaller = declare({"load": "latency", "size": "8m", "name": "small"})
    assert LOADS.load("fio")().demand(smaller).size == 8 * 2**20
    assert smaller.name == "small"
    assert declare({"hdparm": "-t"}).engine == "hdparm"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("latncy", "did you mean 'latency'"),
        ("none.fio", "none.fio cannot be read"),
        ({}, "found nothing"),
        ({"fio": {"rw": "read"}, "hdparm": "-t"}, "found fio, hdparm"),
        ({"foi": "x"}, "found foi"),
        ({"fio": 5}, "fio needs a command line or a mapping"),
        ({"load": "latency", "exec_prerun": "id"}, "not allowed"),
        ({"load": "hdparm", "bs": "4k"}, "hdparm can only measure"),
    ],
)
def test_what_names_no_load_is_told(entry: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        declare(entry)
    assert message in str(caught.value)


# Printed by hdparm 9.65 on a SATA disk and on an NVMe drive.
HDPARM = b"""
/dev/sda:
 Timing cached reads:   24310 MB in  1.99 seconds = 12224.62 MB/sec
 Timing buffered disk reads: 782 MB in  3.00 seconds = 260.42 MB/sec
"""


def test_hdparms_megabytes_are_mebibytes() -> None:
    result = Hdparm().parse(RawOutput(0, HDPARM, b""))
    assert result.metrics == {
        "cached_read.bandwidth": pytest.approx(12224.62 * 2**20),
        "buffered_read.bandwidth": pytest.approx(260.42 * 2**20),
    }
    direct = HDPARM.replace(b"buffered disk", b"O_DIRECT disk").replace(b"260.42 MB", b"2.5 GB")
    metrics = Hdparm().parse(RawOutput(0, direct, b"")).metrics
    assert metrics["buffered_read.bandwidth"] == 2.5 * 2**30


@pytest.mark.parametrize("text", [b"", b"/dev/sda: Permission denied", b" Timing cached reads: 1"])
def test_hdparm_without_a_speed_is_a_failure(text: bytes) -> None:
    with pytest.raises(LoadFailed, match="gave no speed"):
        Hdparm().parse(RawOutput(13, b"", text))


@pytest.mark.parametrize("text", ["-tT --yes-i-know", "-W0", "--security-erase x", "", "-y"])
def test_hdparm_only_measures(text: str) -> None:
    with pytest.raises(UsageError, match="hdparm can only measure"):
        declare({"hdparm": text})


def test_hdparm_refuses_a_file() -> None:
    with pytest.raises(UsageError, match="measures block devices"):
        Hdparm().command(
            declare({"hdparm": "-t"}), Target("local", "/x", TargetKind.FILE),
            directory="/tmp", seconds=None,
        )  # fmt: skip


@pytest.mark.slow
@pytest.mark.root
async def test_the_real_hdparm_on_a_loop_device(tmp_path: Path) -> None:
    with loop_device(tmp_path / "disk", 64 * 2**20) as device:
        command = Hdparm().command(
            declare({"hdparm": "hdparm -t /dev/sdx"}),
            Target("local", device, TargetKind.DEVICE),
            directory=str(tmp_path), seconds=None,
        )  # fmt: skip
        done = await LocalHost().run(command.argv)
    metrics = Hdparm().parse(RawOutput(done.status, done.stdout, done.stderr)).metrics
    assert metrics["buffered_read.bandwidth"] > 2**20
