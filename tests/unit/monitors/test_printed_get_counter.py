"""Get-Counter. Oracle: the units of Windows' counters."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import counters, mangled, read

TEXT = (
    Path(__file__).parents[2] / "outputs" / "windows-composed" / "get-counter.txt"
).read_text()  # fmt: skip


def test_every_sample_of_every_set() -> None:
    for shape, text in mangled(TEXT, wraps=False):
        if shape == "behind times":
            continue  # which are taken for its own
        assert [(each.kind, each.name, dict(each.values)) for each in counters(text)] == [
            ("disk", "0 c:", {"read.await": 0.00412, "write.bandwidth": 1048576, "idle": 0.975,
                              "time": "6/10/2025 2:20:48 PM", "report": 1}),
            ("mount", "d:", {"free": 1 << 30, "time": "6/10/2025 2:20:48 PM", "report": 1}),
            ("disk", "0 c:", {"read.await": 0, "write.bandwidth": 2.5e-05, "idle": 0.9925,
                              "time": "6/10/2025 2:20:49 PM", "report": 2}),
        ], shape  # fmt: skip
    assert {each.host for each in counters(TEXT)} == {"srv1"}


def test_a_path_alone_is_none() -> None:
    assert not counters(r"See \\srv1\physicaldisk(0 c:)\avg. disk sec/read for that.")
    assert not read(r"typeperf '\PhysicalDisk(*)\Disk Reads/sec'")
