"""For whom quotas are on. Oracle: the lines themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, read, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "quota-composed" / "switch.txt").read_text()


def test_in_every_shape() -> None:
    for shape, text in mangled(TEXT, wraps=False):
        mounts: dict[str, dict[str, object]] = {}
        for subject in subjects_in(text, "quotaon"):
            mounts.setdefault(subject.name, {}).update(subject.values)
        assert mounts == {
            "/": {"device": "/dev/vdq1", "group_quota": True, "user_quota": True},
            "/srv": {
                "device": "/dev/vdq2", "group_quota": True, "user_quota": False,
                "project_quota": True, "project_quota_mode": "enforced",
            },
        }, shape  # fmt: skip
        (checked,) = counters(text, "quotacheck")
        assert checked.values == {"folders": 1245, "files": 13423}, shape


def test_the_label_of_a_box_is_no_part_of_a_device() -> None:
    (mount,) = subjects_in("Output/dev/vdq1 [/srv]: user quotas turned on\n", "quotaon")
    assert (mount.name, mount.values["device"]) == ("/srv", "/dev/vdq1")
    (root,) = subjects_in("$ cat /proc/mounts | grep ' / '\n\nOutput/dev/vdq1 / ext4 rw 0 0\n")
    assert root.values["device"] == "/dev/vdq1"


@pytest.mark.parametrize("text", [
    "On our server group quotas turned on by themselves\n",
    "user quota on /home is on my list\n",
    "quotacheck: Checked twice\n",
])  # fmt: skip
def test_what_looks_like_it(text: str) -> None:
    assert not [part for part in read(text) if getattr(part, "tool", "").startswith("quota")]
