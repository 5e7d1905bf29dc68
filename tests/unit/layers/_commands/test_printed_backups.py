"""borg and restic. Oracle: what each prints twice, in another unit or as a sum."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, subjects_in

FOLDER = Path(__file__).parents[3] / "outputs/backups-composed"
BORG, RESTIC = (FOLDER / "borg.txt").read_text(), (FOLDER / "restic.txt").read_text()


def test_archives_of_borg_in_every_shape() -> None:
    for shape, given in mangled(BORG.replace("\n\n", "\n"), wraps=False):
        if shape == "behind times":  # where a label of two words looks like a program's name
            continue
        things = {(s.kind, s.name): s.values for s in subjects_in(given, "borg")}
        archive = things["backup_archive", "etc-2026-03-04T05:06:07"]
        assert (archive["duration"], archive["number_of_files"]) == (64.25, 7021), shape
        repository = things["backup_repository", "/srv/heron"]
        assert repository["encrypted"] == "Yes (repokey)", shape
        of_archive, of_repository = (dict(c.values) for c in counters(given, "borg"))
        assert of_archive["this_archive"] == {
            "original_size": 2_500_000_000, "compressed_size": 957_100_000,
            "deduplicated_size": 572,
        }, shape  # fmt: skip
        assert of_repository["chunk_index"] == {"unique_chunks": 616677, "chunks": 5527680}, shape
        listed = {s.name: s.values["id"] for s in subjects_in(given, "borg list")}
        assert listed["etc-2026-03-04T05:06:07"] == archive["archive_fingerprint"], shape


def test_binary_sizes_and_lines_behind_a_log() -> None:
    lines = BORG.partition("root@n1:~# borg list")[0].replace("957.10 MB", "912.76 MiB").split("\n")
    log = "\n".join(f"Mar 04 05:07:12 n1 borg[3637]: {line}" for line in lines[1:] if line)
    (count,) = counters(log, "borg")
    sizes = dict(count.values)["this_archive"]
    assert isinstance(sizes, dict)
    assert int(str(sizes["compressed_size"])) == pytest.approx(957_100_000, rel=1e-4)


def test_snapshots_and_a_backup_of_restic_in_every_shape() -> None:
    for shape, given in mangled(RESTIC.replace("\n\n", "\n"), wraps=False):
        old, new = subjects_in(given, "restic snapshots")
        assert (old.values["tags"], old.values["paths"]) == ("daily,db", "/srv/data"), shape
        assert "tags" not in new.values, shape
        backup, stats = (dict(c.values) for c in counters(given, "restic"))
        assert backup["files"] == sum(
            int(str(backup[f"files_{name}"])) for name in ("new", "changed", "unmodified")
        ), shape
        assert (backup["snapshot"], backup["duration"]) == (new.name, 754), shape
        assert backup["processed_size"] == new.values["size"], shape
        ratio = int(str(stats["total_uncompressed_size"])) / int(str(stats["total_size"]))
        assert ratio == pytest.approx(float(str(stats["compression_ratio"])), abs=0.005), shape


@pytest.mark.parametrize(
    "text",
    [
        "Number of files: 702\nTotal file size: 9 bytes\n",
        "All archives: 8.56 GB are kept here\n",
        "We met Mon, 2026-03-02 05:06:08 [see the list]\n",
        "Total Size: 61.400 GiB\n",
        "There are 3 new, 2 changed, 1 unmodified ones\n",
        "ID Name Host  Paths\n79d1e2a4 2026-03-03 04:05:06 n1 /srv\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, "borg", "borg list", "restic snapshots")
    assert not counters(text, "borg", "restic", "restic snapshots")
