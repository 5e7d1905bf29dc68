"""Run status of fio that stands alone, as `grep READ` leaves it."""

from __future__ import annotations

import pytest

from iosonde.records.printed import Unread
from tests.mangle import read, trials

STATUS = (
    "   READ: bw=181MiB/s (190MB/s), 181MiB/s-181MiB/s (190MB/s-190MB/s), io=512MiB (537MB), "
    "run=2827-2827msec\n"
)
WRITE = STATUS.replace("READ", "WRITE").replace("181MiB", "23.6MiB").replace("2827", "21688")
OLD = (
    "  READ: io=1024.0MB, aggrb=35952KB/s, minb=35952KB/s, maxb=35952KB/s, "
    "mint=29166msec, maxt=29166msec\n"
)


@pytest.mark.parametrize("text", [STATUS, STATUS.replace("), io=", "),\n   io="), "> " + STATUS])
def test_a_lone_line_is_a_result(text: str) -> None:
    (trial,) = trials(f"# fio --name=a --rw=read a.fio | grep READ\n{text}")
    assert trial.loops[0].metrics == {"read.bandwidth": 181 * 2**20, "elapsed": 2.827}
    assert trial.steps == {"read.bandwidth": 2**20 / 2}
    assert trial.command.startswith("fio --name=a")
    assert trial.details["cut_off"] == "what stands above the run status"


def test_reads_and_writes_of_a_run_are_one_result() -> None:
    (trial,) = trials(STATUS + WRITE)
    assert trial.loops[0].metrics == pytest.approx(
        {"read.bandwidth": 181 * 2**20, "write.bandwidth": 23.6 * 2**20, "elapsed": 21.688}
    )
    assert len(trials(STATUS + STATUS)) == 2


def test_fio_before_version_3_is_read() -> None:
    (trial,) = trials(OLD)
    assert trial.loops[0].metrics["read.bandwidth"] == 35952 * 1024


@pytest.mark.parametrize("end", [27, 60, 97, 103])
def test_a_line_is_read_up_to_where_it_was_cut(end: int) -> None:
    (trial,) = trials(STATUS[:end] + "\n")
    figures = dict(trial.loops[0].metrics)
    assert figures.pop("elapsed", None) is None
    assert figures == {"read.bandwidth": 181 * 2**20}


@pytest.mark.parametrize("text", [STATUS[:18], OLD[:19], OLD[:32]])
def test_a_line_that_is_cut_off_within_its_speed_is_told(text: str) -> None:
    (unread,) = read(text + "\n")
    assert isinstance(unread, Unread)
    assert unread.reason == "its end is cut off"


def test_each_line_has_its_own_speed_whatever_stands_behind_it() -> None:
    text = "READ: bw=298MiB/s (312MB/s), 18.1MiB/s-19.9MiB/s (18.9MB/s-20.8MB/s)   #128k\n"
    both = trials(text + text.replace("298", "88").replace("128k", "256k"))
    assert [trial.loops[0].metrics["read.bandwidth"] / 2**20 for trial in both] == [298, 88]
    status = both[0].details["run_status"]
    assert isinstance(status, dict)
    assert status["read"] == {
        "bandwidth": 298 * 2**20, "min_bandwidth": 18.1 * 2**20, "max_bandwidth": 19.9 * 2**20,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["READ: bw=12 is what it printed\n", "the READ: bw=12MiB/s line\n"]
)
def test_prose_about_it_is_no_result(text: str) -> None:
    assert not read(text)


LINE = STATUS.strip()
OTHER = WRITE.strip()


@pytest.mark.parametrize("text", [
    f"`{LINE}`", f"- {LINE}", f"* `{LINE}`", f"1. {LINE}", f"a) {LINE}", f"- **{LINE}**",
    f"**`{LINE}`**", f"# {LINE}", LINE.replace("READ", "**READ**"),
    LINE.replace("READ:", "**READ:**"),
])  # fmt: skip
def test_a_line_that_is_marked_in_a_page_is_a_result(text: str) -> None:
    (trial,) = trials(f"# Results\n\n{text}\n")
    assert trial.loops[0].metrics == {"read.bandwidth": 181 * 2**20, "elapsed": 2.827}
    assert trial.label == ""


@pytest.mark.parametrize("text", [
    f"* {LINE}\n* {OTHER}", f"`{LINE}`\n`{OTHER}`", f"{LINE}, {OTHER}",
    f"on the NAS: `{LINE}`\non the NAS: `{OTHER}`",
])  # fmt: skip
def test_reads_and_writes_of_a_run_are_one_result_however_they_are_marked(text: str) -> None:
    (trial,) = trials(text)
    assert set(trial.loops[0].metrics) == {"read.bandwidth", "write.bandwidth", "elapsed"}


def test_what_names_a_line_is_its_label() -> None:
    both = trials(f"- raid5: `{LINE}`\n- **raid10**: {OTHER}\n")
    assert [trial.label for trial in both] == ["raid5", "raid10"]


@pytest.mark.parametrize("text", [
    f"The last line says {LINE}", f"`fio` says {LINE}", f"that is what it said to me: {LINE}",
    f"fio: {LINE}", f"$ {LINE}",
])  # fmt: skip
def test_a_line_within_a_sentence_is_no_result(text: str) -> None:
    assert not trials(text)


def test_runs_below_one_title_are_each_a_result() -> None:
    title = "Run status group 0 (all jobs):\n"
    again = f"{STATUS}{WRITE}\n".replace("181MiB", "179MiB")
    whole = trials(f"{title}{STATUS}{WRITE}\n{again}{STATUS}{WRITE}")
    speeds = [trial.loops[0].metrics["read.bandwidth"] / 2**20 for trial in whole]
    assert speeds == [181, 179, 181]
    assert all("write.bandwidth" in trial.loops[0].metrics for trial in whole)
    second = title.replace("0", "1")  # titles of their own: two groups of one run
    (both,) = read(f"{title}{STATUS}{WRITE}\n{second}{again}")
    assert not isinstance(both, Unread)
    assert len(both.trials) == 2
