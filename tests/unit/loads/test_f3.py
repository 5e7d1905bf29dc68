"""f3: its speeds, what it read back, and f3probe's geometry.

Oracle: the samples were printed by f3 8.0; the file system in them had 300 MiB, of which 4 KiB were
overwritten and 1 MiB copied over another place before it was read for the second time.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedTrial
from iosonde.verbs.explain import explain
from tests.mangle import counters, mangled, read, states, trials

OUTPUTS = Path(__file__).parents[2] / "outputs" / "f3-8.0"
SOUND, LOST, PROBE = ((OUTPUTS / f"{name}.txt").read_text() for name in ("sound", "lost", "probe"))
MIB = 1 << 20


def sums(text: str) -> dict[str, object]:
    (read_back,) = counters(text)
    return dict(read_back.values)


def figures(entries: list[PrintedTrial]) -> list[dict[str, float]]:
    return [{name: round(value) for name, value in trial.loops[0].metrics.items()}
            for trial in entries]  # fmt: skip


def test_speeds_are_in_powers_of_1024() -> None:
    write, reads = trials(SOUND)
    assert figures([write, reads]) == [
        {"write.bandwidth": round(323.23 * MIB)}, {"read.bandwidth": round(241.51 * MIB)},
    ]  # fmt: skip
    assert (write.target, write.version, write.command) == (
        "/mnt/stick", "8.0", "f3write /mnt/stick",
    )  # fmt: skip
    assert write.details == {"free_before": 271.10 * MIB, "free_after": pytest.approx(4.10 * MIB)}
    assert reads.options == {"rw": "read"}
    assert sums(SOUND) == {
        "ok_bytes": 267 * MIB, "lost_bytes": 0, "corrupted_bytes": 0, "changed_bytes": 0,
        "overwritten_bytes": 0,
    }  # fmt: skip


def test_what_is_lost_is_said_in_bytes_of_sectors() -> None:
    assert sums(LOST) == {
        "ok_bytes": 266 * MIB - 4096, "lost_bytes": MIB + 4096, "corrupted_bytes": 4096,
        "changed_bytes": 0, "overwritten_bytes": MIB,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "rules"), [("lost", 1), ("sound", 0), ("probe", 0)])
def test_a_drive_that_loses_data_is_a_finding(name: str, rules: int) -> None:
    findings = explain(str(OUTPUTS / f"{name}.txt")).findings
    assert len([finding for finding in findings if finding.rule == "damaged-files"]) == rules


@pytest.mark.parametrize("text", [SOUND, LOST], ids=["sound", "lost"])
def test_any_shape_says_the_same(text: str) -> None:
    for name, shape in mangled(text):
        assert figures(trials(shape)) == figures(trials(text)), name


def test_prose_about_speeds_is_none() -> None:
    assert not read("The card had an\nAverage writing speed: good enough for a camera\n\n")
    box = "- It was sold with an average reading speed.\nAverage reading speed: 15 m/s\n"
    assert not read(box)


def test_the_geometry_is_exact_by_its_blocks() -> None:
    (state,) = states(PROBE)
    (disk,) = state.subjects
    assert (disk.kind, disk.name) == ("disk", "sdx")
    assert disk.values == {
        "genuine": True, "usable_size": 300 * MIB, "announced_size": 300 * MIB,
        "module_size": 512 * MIB, "cache_size": 0, "block_size": 512,
    }  # fmt: skip


def test_a_counterfeit_is_a_finding(tmp_path: Path) -> None:
    fake = PROBE.replace(
        "Good news: The device `/dev/sdx' is the real thing",
        'Bad news: The device `/dev/sdx\' is a counterfeit of type limbo\n\nYou can "fix" this '
        "device using the following command:\nf3fix --last-sec=614399 /dev/sdx",
    ).replace("Announced size: 300.00 MB (614400", "Announced size: 3.00 GB (6291456")
    (tmp_path / "page.txt").write_text(fake)
    (finding,) = explain(str(tmp_path / "page.txt")).findings
    assert (finding.rule, finding.severity) == ("damaged-files", "error")
    assert "of 3 GiB that it announces 300 MiB can be used" in finding.message
