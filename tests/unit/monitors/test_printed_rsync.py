"""rsync's sums where the language parts thousands by dots and decimals by a comma.

The oracle is do_big_num() of lib/compat.c: the same figures with the signs exchanged; and the rate,
which is (sent + received) / (seconds + 0.5).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"

ENGLISH = """\
# rsync -av --stats /srv/a/ /srv/b/
Number of files: 1,204 (reg: 1,200, dir: 4)
Number of created files: 12 (reg: 12)
Number of regular files transferred: 1,200
Total file size: 2,490,000,000 bytes
Total transferred file size: 2,490,000,000 bytes
Total bytes sent: 2,492,961,262
Total bytes received: 1,582,425

sent 2,492,961,262 bytes  received 1,582,425 bytes  17,629,284.01 bytes/sec
total size is 2,490,000,000  speedup is 1.00
"""
SIGNS = str.maketrans(",.", ".,")


@pytest.mark.parametrize("text", [ENGLISH, ENGLISH.translate(SIGNS)])
@pytest.mark.parametrize("since", ["# rsync", "sent "])
def test_figures_are_the_same_in_both_notations(text: str, since: str) -> None:
    (figures,) = counters(text[text.index(since) :])
    assert figures.values["sent"] == 2492961262
    assert figures.values["received"] == 1582425
    assert figures.values["bandwidth"] == pytest.approx((2492961262 + 1582425) / 141.5, rel=1e-6)
    if since == "# rsync":
        assert figures.values["files"] == 1204
        assert figures.values["size"] == figures.values["transferred_size"] == 2490000000


@pytest.mark.parametrize(("line", "rate"), [
    ("sent 43 bytes  received 135 bytes  14.24 bytes/sec", 14.24),
    ("sent 43 bytes  received 135 bytes  14,24 bytes/sec", 14.24),
    ("sent 147726 bytes  received 74 bytes  98533.33 bytes/sec", 98533.33),
    ("sent 4,240 bytes  received 120 bytes  8,720 bytes/sec", 8720),
    ("sent 4.240 bytes  received 120 bytes  8.720,00 bytes/sec", 8720),
])  # fmt: skip
def test_rates(line: str, rate: float) -> None:
    (figures,) = counters(line + "\n")
    assert figures.values["bandwidth"] == pytest.approx(rate)


@pytest.mark.parametrize("line", [
    "sent 5.83T bytes  received 1.61M bytes  102.84M bytes/sec",
    "sent 1,5 bytes  received 1.50K bytes  1.61K bytes/sec",
])  # fmt: skip
def test_a_figure_with_a_prefix_is_none(line: str) -> None:
    assert counters(line + "\n") == []


PROGRESS = (OUTPUTS / "rsync-progress.txt").read_text()


def test_each_file_of_progress_with_the_prefixes_that_the_command_asks_for() -> None:
    first, second, whole = counters(PROGRESS)
    assert (first.kind, first.name, first.host) == ("file", "film one.mkv", "attic")
    assert first.values["size"] == 629.15e6
    assert first.values["bandwidth"] == pytest.approx(52.43 * 2**20)
    assert first.values["seconds"] == 12
    assert second.name == "clips/two.mp4"
    assert (second.values["transfer"], second.values["files_left"]) == (2, 0)
    assert whole.values["sent"] == 708.01e6
    assert whole.values["bandwidth"] == 44.25e6
    assert whole.values["size"] == 900e6
    assert whole.values["speedup"] == 1.27


def test_prefixes_of_two_h_are_of_1024_and_without_a_command_they_say_nothing() -> None:
    *_, whole = counters(PROGRESS.replace("-vrth", "-vrthh"))
    assert whole.values["size"] == 900 * 2**20
    *_, plain = counters(PROGRESS[PROGRESS.index("sent ") :])
    assert plain.values == {"received": 61, "speedup": 1.27}
    for command in ("rsync -e ssh --progress", "rsync -vrt -essh --progress"):
        *_, unsure = counters(PROGRESS.replace("rsync -vrth --progress", command))
        assert "sent" not in unsure.values


@pytest.mark.parametrize("line", [
    "  700.00M 100%   52.43MB/s    0:00:12 (xfr#1, to-chk=2/4) of yesterday",
    "the log says 100% (xfr#1, to-chk=2/4)",
])  # fmt: skip
def test_what_looks_like_progress(line: str) -> None:
    assert counters(line + "\n", "rsync") == []


def test_kinds_of_files_and_times_of_the_list() -> None:
    (figures,) = counters((OUTPUTS / "rsync.txt").read_text())
    reg, folders, files = (figures.values[name] for name in ("files.reg", "files.dir", "files"))
    assert isinstance(reg, int)
    assert isinstance(folders, int)
    assert reg + folders == files
    assert figures.values["file_list_generation_seconds"] == 0.001
    assert figures.values["literal_data"] == figures.values["transferred_size"]


@pytest.mark.parametrize("other", [
    "Number of files: 702\n",
    "Sep 02 06:54:46 db1 borg[3637]: Number of files: 702\n"
    "Sep 02 06:54:46 db1 borg[3637]: Utilization of max. archive size: 0%\n",
])  # fmt: skip
def test_other_programs_count_files_too(other: str) -> None:
    assert not counters(other, "rsync")


def test_what_rsync_logged_is_its_own() -> None:
    logged = "".join(
        f"Sep 02 06:54:46 db1 rsync[3637]: {line}\n" for line in ENGLISH.splitlines()[1:8]
    )
    (figures,) = counters(logged, "rsync")
    assert figures.values["files"] == 1204
