"""dd, ioping, bonnie++."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, trials

OUTPUTS = Path(__file__).parents[2] / "outputs"
DD = (OUTPUTS / "dd-9.1" / "three.txt").read_text()
IOPING = (OUTPUTS / "ioping-1.3" / "two.txt").read_text()
BONNIE = (OUTPUTS / "bonnie-2.00" / "table.txt").read_text()


def test_dd_gives_speed_direction_and_how_it_was_asked() -> None:
    first, second, third = trials(DD)
    assert first.loops[0].metrics == {"write.bandwidth": 67108864 / 0.203682}
    assert first.steps["write.bandwidth"] == pytest.approx(67108864 / 0.203682**2 * 0.5e-6)
    assert first.options["end_fsync"] is True
    assert (second.options["direct"], second.options["bs"]) == (True, 4096)
    assert list(second.loops[0].metrics) == ["read.bandwidth"]
    for trial in (first, second, third):
        (rate,) = trial.loops[0].metrics.values()
        size = trial.details["bytes"]
        assert isinstance(size, int)
        assert trial.elapsed
        assert rate == size / trial.elapsed[0]


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("536870912 bytes (537 MB) copied, 5.02 s, 107 MB/s", 536870912 / 5.02),
        ("67108864 bytes (64.0MB) copied, 0.213 seconds, 300.5MB/s", 67108864 / 0.213),
        ("1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.976 s, 1.1 GB/s", 2**30 / 0.976),
        ("512 bytes (512 B) copied, 0 s, 11 MB/s", 11e6),
    ],
)
def test_dd_of_other_years(line: str, rate: float) -> None:
    (trial,) = trials(f"512+0 records in\n512+0 records out\n{line}\n")
    assert list(trial.loops[0].metrics.values()) == [rate]


def test_dd_in_every_shape() -> None:
    name = DD.split("\n\n")[0].partition("\n")[2]
    for shape, text in mangled(name):
        assert [dict(trial.loops[0].metrics) for trial in trials(text)] == [
            {"copy.bandwidth": 67108864 / 0.203682}
        ], shape


def test_ioping_gives_latency_of_single_requests() -> None:
    first, second = trials(IOPING)
    assert first.loops[0].metrics == pytest.approx({
        "read.iops": 6850, "read.bandwidth": 26.8 * 2**20, "read.latency.min": 112.8e-6,
        "read.latency.mean": 146e-6, "read.latency.max": 181.5e-6, "read.latency.stdev": 28.4e-6,
    })  # fmt: skip
    assert first.target == "/tmp/ddx"
    assert second.loops[0].metrics["read.iops"] == 12_500
    assert second.steps["read.iops"] == 50


def test_ioping_in_every_shape() -> None:
    statistics = IOPING[IOPING.index("---") :].partition("\n\n")[0]
    expected = dict(trials(statistics)[0].loops[0].metrics)
    for shape, text in mangled(statistics):
        records = [dict(trial.loops[0].metrics) for trial in trials(text)]
        assert records == [expected], shape


def test_bonnie_in_table_and_csv() -> None:
    (table,) = trials(BONNIE)
    (csv,) = trials(BONNIE.strip().rsplit("\n", 1)[1])
    assert table.loops[0].metrics["write.bandwidth"] == 333 * 2**20
    assert csv.loops[0].metrics["write.bandwidth"] == 341254 * 1024
    for name, value in table.loops[0].metrics.items():
        assert value == pytest.approx(csv.loops[0].metrics[name], abs=table.steps[name]), name
    assert table.details["too short to be measured"] == csv.details["too short to be measured"]
    assert (table.version, table.host) == ("2.00a", "vm")


def test_bonnie_of_1_03() -> None:
    """Composed after bonnie++ 1.03's source."""
    (trial,) = trials(
        "Version  1.03e       ------Sequential Output------ --Sequential Input- --Random-\n"
        "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
        "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
        "box              4G 41130  87 61020  12 28877   6 40210  76 73456   7 182.3   0\n"
    )
    assert trial.loops[0].metrics["read.bandwidth"] == 73456 * 1024
    assert trial.loops[0].metrics["random_seek.iops"] == 182.3
    assert trial.options["size"] == 4 * 2**30


_COMPARED = """\
Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
nas(old)         2G           35000  17 17000  11            46000  13 157.5   6
Latency                        2100ms    1500ms             68000us    1900ms
nas(new)         2G           87000  40 41000  27           102000  27  4100 178
Latency                         840ms     230ms              7600us    9000us
Version  1.97       ------Sequential Create------ --------Random Create--------
nas(new)            -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
                 16   600   3 +++++ +++   590   2   610   3 +++++ +++   605   3
"""


def test_bonnie_of_several_machines_without_single_characters() -> None:
    """With -f the columns of single characters are blank."""
    old, new = trials(_COMPARED)
    assert (old.host, new.host) == ("nas(old)", "nas(new)")
    assert old.loops[0].metrics["write.bandwidth"] == 35000 * 1024
    assert old.loops[0].metrics["random_seek.latency.max"] == pytest.approx(1.9)
    assert new.loops[0].metrics["read.bandwidth"] == 102000 * 1024
    assert new.loops[0].metrics["read.latency.max"] == pytest.approx(7.6e-3)
    assert "write_char.bandwidth" not in new.loops[0].metrics
    assert new.details["files"] == {
        "count": 16, "sequential create": 600, "sequential delete": 590, "random create": 610,
        "random delete": 605, "sequential create cpu": 0.03, "sequential delete cpu": 0.02,
        "random create cpu": 0.03, "random delete cpu": 0.03,
    }  # fmt: skip


def test_bonnie_with_a_torn_row_is_no_fast_one() -> None:
    """Ten cells are neither all tests nor those of -f."""
    torn = _COMPARED.replace("           35000  17 17000", "  99     35000  17 17000")
    assert [trial.host for trial in trials(torn)] == ["nas(new)"]
    (entry,) = [entry for entry in read(torn) if isinstance(entry, Unread)]
    assert entry.reason.startswith("1 of its rows")


OLD_CSV = "raid,8G,90001,96,130002,28,70003,16,80004,95,140005,15,512.5,11"
FILES = ",16,678,3,+++++,+++,593,2,616,3,+++++,+++,603,3\n"


def test_lines_of_csv_of_old_bonnie_are_each_a_result() -> None:
    first, second = trials(OLD_CSV + FILES + OLD_CSV.replace("130002,28", "+++++,+++") + FILES)
    assert first.loops[0].metrics["write.bandwidth"] == 130002 * 1024
    assert first.loops[0].metrics["random_seek.iops"] == 512.5
    assert (first.host, first.options["size"]) == ("raid", 8 << 30)
    assert "write.bandwidth" not in second.loops[0].metrics
    assert second.details["too short to be measured"] == ["write"]


@pytest.mark.parametrize("line", [OLD_CSV + "\n", "a,8G,1,2,+++++,+++,7\n", "x" + FILES])
def test_csv_with_too_few_fields_is_no_bonnie(line: str) -> None:
    assert read(line) == []


@pytest.mark.parametrize("line", [
    "tls: rx: strp: force mixed decrypted records into copy mode",
    "the log has no records in the last hour, and nothing was copied",
])  # fmt: skip
def test_prose_about_records_is_no_dd(line: str) -> None:
    assert read(f"tls: fix record length in copy mode\n{line}\ntls: copying data\n") == []


@pytest.mark.parametrize("line", [
    "Iozone prints this by default. (iozone -a, or iozone -az)",
    'echo "filename is the output of iozone -a"',
])  # fmt: skip
def test_iozone_in_a_sentence_is_no_command(line: str) -> None:
    assert read(f"{line}\n") == []
    assert read("$ iozone -a -f '/mnt/a file'\n") != []


@pytest.mark.parametrize("printed", [
    "8192+0 Datensätze ein\n8192+0 Datensätze aus\n"
    "1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 2,14748 s, 500 MB/s\n",
    "8192+0 enregistrements lus\n8192+0 enregistrements écrits\n"
    "1073741824 octets (1,1 GB, 1,0 GiB) copiés, 2,14748 s, 500 MB/s\n",
    "8192+0 registros leídos\n8192+0 registros escritos\n"
    "1073741824 bytes (1,1 GB, 1,0 GiB) copied, 2,14748 s, 500 MB/s\n",
    "8192+0 записей получено\n8192+0 записей отправлено\n"
    "1073741824 байт (1,1 GB, 1,0 GiB) скопирован, 2,14748 s, 500 MB/s\n",
    "记录了8192+0 的读入\n记录了8192+0 的写出\n"
    "1073741824字节（1.1 GB，1.0 GiB）已复制，2.14748 s，500 MB/s\n",
    "记录了8192+0 的读入\n记录了8192+0 的写出\n"
    "1073741824字节(1.1 GB)已复制，2.14748 秒，500 MB/秒\n",
    "8192+0 レコード入力\n8192+0 レコード出力\n"
    "1073741824 バイト (1.1 GB) コピーされました、 2.14748 秒、 500 MB/秒\n",
])  # fmt: skip
def test_dd_in_other_languages_says_what_it_says_in_english(printed: str) -> None:
    english = (
        "8192+0 records in\n8192+0 records out\n"
        "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.14748 s, 500 MB/s\n"
    )
    command = "$ dd if=/dev/zero of=/mnt/a bs=128k count=8192 oflag=direct\n"
    assert trials(command + printed) == trials(command + english)
    assert trials(printed * 2) == trials(english * 2)


def test_sequences_of_a_terminal_are_taken_off() -> None:
    timing = " Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec"
    plain = f"/dev/sda:\n{timing}\nHDParm: 41.90 MB/s\n"
    coloured = (
        f"\x1b(B\x1b[m/dev/sda:\n{timing}\x1b(B\x1b[m\n\x1b[33mHDParm: 41.90 MB/s\x1b(B\x1b[m\n"
    )
    assert trials(coloured) == trials(plain)
    assert len(trials(plain)) == 1
