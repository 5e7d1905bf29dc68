"""What single commands of Ceph answer. Oracle: what they asked for, and the lines as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "answers.txt").read_text()


def _things(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(s.kind, s.name, dict(s.values)) for s in subjects_in(text, "ceph")]


_EVERY: list[tuple[str, str, dict[str, object]]] = [
    ("ceph_pool", "rbd", {"pg_num": 64}),
    ("ceph_pool", "rbd", {"crush_rule": "replicated_rule"}),
    ("ceph_pool", "cache.nfs", {"size": 3, "min_size": 2, "hashpspool": True,
                                "target_max_bytes": 322122547200, "fast_read": 0}),
    ("ceph_pool", "cache.nfs", {"target_max_bytes": 512 << 30}),
    ("ceph", "ceph", {"full_ratio": 0.95, "backfillfull_ratio": 0.9, "nearfull_ratio": 0.85}),
    ("ceph_daemon", "osd.7", {
        "bluefs_log_compact_min_ratio": 5.0, "bluefs_log_compact_min_size": 1 << 24,
        "bluestore_rocksdb_options": "compression=kNoCompression,max_write_buffer_number=4,"
        "write_buffer_size=134217728",
        "mon_compact_on_trim": True, "rgw_crypt_s3_kms_encryption_keys": "",
        "rocksdb_sync_compaction": "max_background_compactions=1"}),
]  # fmt: skip


def test_answers_in_every_shape() -> None:
    """The token is in none."""
    for shape, given in mangled(TEXT, wraps=False):
        assert _things(given) == _EVERY, shape


def test_the_host_is_the_prompts() -> None:
    assert {subject.host for subject in subjects_in(TEXT, "ceph")} == {"mon1"}


def test_without_a_prompt() -> None:
    text = "```\nceph osd pool get rbd size\nsize: 3\n```\n"
    assert _things(text) == [("ceph_pool", "rbd", {"size": 3})]


@pytest.mark.parametrize(
    "text",
    [
        "# ceph osd pool get rbd pg_num\nsize: 3\n",
        "# ceph osd pool get rbd pg_num\nError ENOENT: unrecognized pool 'rbd'\n",
        "# ceph osd pool set rbd size 2\n\nIt says: 3\n",
        "# ceph osd pool set rbd size 2\nset pool 3 min_size to 1\n",
        "# ceph osd dump | grep pool\nfull_ratio of 0.95 is right\n",
        '# ceph daemon osd.7 config show | grep x\n  it says "x": "1"\n',
        "We use ceph osd pool get to see it\nsize: 3\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert _things(text) == []
