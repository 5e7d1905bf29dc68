"""iozone as a load engine: command lines as people paste them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.iozone import Iozone
from iosonde.records.load import Load, RawOutput, Target, TargetKind

SINGLE = (
    "iozone -+u -p -+T -r 4k -r 64k -r 1m -s {size} -i 0 -i 1 -i 2 -i 8 -f /vmraid/iozone.tmp "
    "-R -b ~/bench/one.xls"
)
THREE = (
    "iozone {more}-+u -p -t 3 -l 3 -u 3 -r {record} -s {size} -i 0 -i 1 -i 2 -i 8 "
    "-F /vmraid/F1 /vmraid/F2 /vmraid/F3 -R -b ~/bench/three.xls"
)
ENGINE = Iozone()
FILE = Target("local", "/scratch/file", TargetKind.FILE)


def declared(text: str) -> Load:
    return ENGINE.declare(text, name="iozone", where="here")


def test_paths_of_others_are_left_out_and_said() -> None:
    load = declared(SINGLE.format(size="2g"))
    assert load.spec["arguments"] == [
        "-+u", "-p", "-+T", "-r", "4k", "-r", "64k", "-r", "1m", "-s", "2g", "-i", "0", "-i", "1",
        "-i", "2", "-i", "8", "-R",
    ]  # fmt: skip
    notes = load.spec["notes"]
    assert isinstance(notes, list)
    assert [str(note)[:2] for note in notes] == ["-f", "-b"]


def test_files_stand_beside_the_target_and_are_told_to_be_removed() -> None:
    load = declared(THREE.format(more="", record="10m", size="1g"))
    command = ENGINE.command(load, FILE, directory="/tmp", seconds=None)
    assert command.argv[-4:] == (
        "-F", "/scratch/file.1", "/scratch/file.2", "/scratch/file.3",
    )  # fmt: skip
    assert command.beside == command.argv[-3:]
    assert ENGINE.demand(load).size == 3 * 2**30
    assert ENGINE.demand(load).own_files


def test_direct_io_is_known() -> None:
    assert ENGINE.demand(declared("iozone -I -i 0 -s 1m")).direct
    assert not ENGINE.demand(declared("iozone -i 0 -s 1m")).direct


def test_combined_and_joined_options() -> None:
    load = declared("sudo /usr/bin/iozone -Rac -i0 -s64k")
    assert load.spec["arguments"] == ["-R", "-a", "-c", "-i", "0", "-s", "64k"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("iozone -s 1m", "names no test"),
        ("iozone -i 0 -U /mnt", "unmount"),
        ("iozone -i 0 -+m hosts", "other hosts"),
        ("iozone -i 0 --weird", "no option '--weird'"),
        ("iozone -i x", "number of a test"),
        ("iozone -i 0 -s big", "not a size"),
        ("iozone -i 0 -t many", "number of processes"),
        ("iozone -i", "needs a value"),
        ("iozone 'unclosed", "not a command"),
    ],
)
def test_what_cannot_be_run_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        declared(text)


def test_options_can_be_changed() -> None:
    load = ENGINE.adjust(declared("iozone -i 0 -r 4k -s 1g"), {"size": "4m"}, where="x")
    assert ENGINE.demand(load).size == 4 * 2**20
    with pytest.raises(UsageError, match="no option 'colour'"):
        ENGINE.adjust(load, {"colour": "red"}, where="x")


def test_a_device_is_no_target() -> None:
    with pytest.raises(UsageError, match="file systems"):
        ENGINE.command(
            declared("iozone -i 0"), Target("local", "/dev/sda", TargetKind.DEVICE),
            directory="/tmp", seconds=None,
        )  # fmt: skip


def test_an_output_without_figures_is_a_failure() -> None:
    with pytest.raises(LoadFailed, match="No space left"):
        ENGINE.parse(RawOutput(1, b"", b"iozone: write: No space left on device\n"))


def test_several_record_sizes_are_told_apart_in_the_names() -> None:
    text = (Path(__file__).parents[3] / "outputs" / "iozone-3.489" / "automatic.txt").read_bytes()
    result = ENGINE.parse(RawOutput(0, text, b""))
    assert {"write.4k.bandwidth", "random_read.64k.bandwidth", "write.4k.cpu"} <= set(
        result.metrics
    )
