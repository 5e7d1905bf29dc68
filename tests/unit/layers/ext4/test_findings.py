"""What is said of file systems that do not fit their devices."""

from __future__ import annotations

from pathlib import Path

from iosonde.verbs.explain import explain


def test_the_kernel_s_geometry_is_no_damage(tmp_path: Path) -> None:
    page = tmp_path / "log.txt"
    page.write_text(
        "[   12.345678] EXT4-fs (md5): bad geometry: block count 61865984 exceeds size of device "
        "(61079552 blocks)\n"
    )
    (finding,) = explain(str(page)).findings
    assert (finding.rule, finding.severity) == ("larger-than-device", "error")
    assert "786432 blocks" in finding.message


def test_another_geometry_is_damage(tmp_path: Path) -> None:
    page = tmp_path / "log.txt"
    page.write_text(
        "[   12.345678] EXT4-fs (md5): bad geometry: first data block is beyond the end\n"
    )
    (finding,) = explain(str(page)).findings
    assert finding.rule == "filesystem-errors"


def test_a_device_that_is_shorter_by_one_block(tmp_path: Path) -> None:
    page = tmp_path / "log.txt"
    page.write_text(
        "[   12.345678] EXT4-fs (md5): bad geometry: block count 61865984 exceeds size of device "
        "(61865983 blocks)\n"
    )
    (finding,) = explain(str(page)).findings
    assert "shorter than the file system on it by 1 block," in finding.message
