"""radosgw-admin's JSON. Oracle: its KiB times 1024 are its bytes, objects over shards its share."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "rgw-stats.txt").read_text()


def _subjects(text: str) -> list[tuple[str, str, dict[str, Scalar]]]:
    return [(s.kind, s.name, dict(s.values)) for state in states(text) for s in state.subjects]


def _number(values: dict[str, Scalar], name: str) -> int:
    return int(str(values[name]))


def test_buckets_and_users_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        if shape == "escaped":  # is no JSON any more
            continue
        (bucket, user, over, fine) = _subjects(given)
        assert (bucket[:2], user[:2]) == (("rgw_bucket", "photos"), ("rgw_user", "anna")), shape
        for values, key in ((bucket[2], "usage.rgw.main"), (user[2], "stats")):
            assert _number(values, f"{key}.size") == _number(values, f"{key}.size_kb") * 1024, shape
        assert bucket[2]["usage.rgw.multimeta.num_objects"] == 3, shape
        assert (bucket[2]["owner"], bucket[2]["bucket_quota.enabled"]) == ("anna", False), shape
        assert (over[1], over[2]["state"], fine[2]["state"]) == ("photos", "over", "ok"), shape
        shards = _number(over[2], "num_shards")
        share = _number(over[2], "objects_per_shard")
        assert _number(over[2], "num_objects") // shards == share, shape


def test_a_bucket_that_is_cut_off_is_said_to_be_broken() -> None:
    cut = TEXT.partition('"max_size"')[0]
    (*_, entry) = read(cut)
    assert isinstance(entry, Unread)
    assert entry.reason == "it is cut off here"


@pytest.mark.parametrize("text", ['see "bucket_quota" in it\n', '{"objects_per_shard": 3}\n'])
def test_words_about_it_are_none(text: str) -> None:
    assert not _subjects(text)
