"""What LVM says. Oracle: the messages that stand in LVM's own program, with their gaps filled."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import cast

import pytest

from iosonde.layers.lvm.printed_messages import LvmMessages
from tests.mangle import counters, mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "messages.txt").read_text()
GIB = 1 << 30


def _things(text: str) -> dict[tuple[str, str], dict[str, object]]:
    things: dict[tuple[str, str], dict[str, object]] = {}
    for state in states(text):
        if state.tool == LvmMessages.tool:
            for subject in state.subjects:
                things.setdefault((subject.kind, subject.name), {}).update(subject.values)
    return things


def test_what_was_made_and_what_became_of_it() -> None:
    assert _things(TEXT) == {
        ("lvm_pv", "sdx1"): {"created": True},
        ("lvm_pv", "sdy1"): {"created": True},
        ("lvm_pv", "sdz1"): {"unusable": "device is partitioned"},
        ("lvm_group", "vg-fast"): {
            "created": True, "active_volumes": 1, "free_extents": 1021, "extents_needed": 2359296,
        },
        ("lvm_group", "vg-old"): {"active_volumes": 0},
        ("lvm", "mapper/vg--old-home"): {"partial": True},
        ("lvm", "mapper/vg--fast-data"): {
            "created": True, "resized": True, "size_before": 10 * GIB, "size": 12 * GIB,
            "extents": 3072,
        },
    }  # fmt: skip
    (first, *_) = counters(TEXT, LvmMessages.tool)
    assert "device is partitioned" in str(first.values["messages"])


def require_own_messages(text: str) -> None:
    """Fails where a line is no message of the LVM that is installed; skips where none is."""
    program = shutil.which("lvm", path="/sbin:/usr/sbin:/bin:/usr/bin")
    if program is None:
        pytest.skip("needs lvm")
    texts = re.findall(rb"[\x20-\x7e]{12,}", Path(program).read_bytes())
    forms = [
        re.compile(re.sub(r"%(?:l|ll)?[a-z]", ".*", re.escape(text.decode()).replace(r"\%", "%")))
        for text in texts
        if len(re.sub(rb"%\w+", b"", text)) > 12
    ]
    lines = [line.strip() for line in text.splitlines() if not line.startswith("#")]
    for line in [*lines, made_up := "Physical volume /dev/sdx1 was made with success."]:
        is_own = any(form.fullmatch(line) or form.fullmatch(f"{line} ") for form in forms)
        assert is_own is (line != made_up), line


def test_the_messages_are_lvm_s() -> None:
    require_own_messages(TEXT)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("lvcreate -l 256 vg0 -n data", "mapper/vg0-data"),
        ("lvcreate -n data -y vg0 /dev/sdb1", "mapper/vg0-data"),
        ("sudo lvcreate -s --name=data /dev/vg0/home", "mapper/vg0-data"),
        ("lvcreate -n data /dev/mapper/vg0-home", "data"),
        ("make data", "data"),
    ],
)
def test_the_group_of_a_volume_is_the_command_s(command: str, name: str) -> None:
    assert _things(f'# {command}\n  Logical volume "data" created.\n') == {
        ("lvm", name): {"created": True}
    }


@pytest.mark.parametrize(
    "text",
    [
        "  --- Logical volume ---\n",
        "Logical volume management was created for this.\n",
        'The volume group "vg0" successfully created a mess.\n',
        'Nov 27 01:02:03 nas lvm[12]:   1 logical volume(s) in volume group "vg0" now active\n',
        "Logical volume is wiped clean.\n",
    ],
)
def test_what_is_no_message(text: str) -> None:
    assert _things(text) == {}


def test_a_message_alone() -> None:
    assert _things('> Volume group "vg0" successfully extended\n') == {
        ("lvm_group", "vg0"): {"extended": True}
    }
    assert len(read('Volume group "vg0" successfully extended\n')) == 1


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _things(text) == _things(TEXT), shape


PROGRESS = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "progress.txt").read_text()


def test_what_goes_on_and_what_was_named_anew() -> None:
    things = _things(PROGRESS)
    assert things["lvm", "mapper/pond-heron"] == {
        "cached": False, "dirty_blocks": 7, "merged_share": 1.0, "converted_share": 1.0,
    }  # fmt: skip
    assert things["lvm_pv", "sdb1"] == {"moved_share": 1.0, "removed_from": "pond"}
    assert things["lvm", "mapper/pond-new"] == {"name_before": "old"}
    assert things["lvm_group", "lake"] == {"name_before": "pond", "restored": True}
    assert things["lvm_group", "pond"]["backed_up"] is True
    assert things["lvm_group", "pond"]["data_to_move"] is False
    assert things["host", ""] == {"devices_resized": 1, "devices_not_resized": 0}
    said = str([dict(c.values) for c in counters(PROGRESS, LvmMessages.tool)])
    for sentence in ("39132856320 bytes", "in 13 data slabs", "at most <15.88 TiB", "<50.00 GiB)"):
        assert sentence in said


def test_a_warning_above_a_table_is_said_and_the_table_keeps_its_command() -> None:
    table = "  VG   #PV #LV #SN Attr   VSize   VFree\n  pond   2   1   0 wz-pn- 200.00 10.00\n"
    warning = "  WARNING: VG pond is missing PV 8aq9y7-m6wg-SWeQ-udyZ-dXvR-pFv5-Hi0UOb.\n"
    for above in (
        "",
        warning,
        f"{warning}  Couldn't find device with uuid {'a' * 6}{'-bbbb' * 5}-cccccc.\n",
    ):
        text = f"# vgs --units g --nosuffix\n{above}{table}"
        (group,) = [s for state in states(text) for s in state.subjects if s.name == "pond"]
        assert group.values["size"] == 200 * GIB


def test_a_table_below_a_command_that_changes_is_no_sentence() -> None:
    text = (
        "# lvextend -L+1G pond/a && lvs\n  Logical volume pond/a successfully resized.\n"
        "  LV   VG   Attr       LSize\n  a    pond -wi-a----- 2.00g\n"
    )
    assert [state.tool for state in states(text)] == ["lvm messages", "lvm"]


def test_a_test_is_told_and_its_first_words_are_no_group() -> None:
    text = (
        "root@db1:~# lvextend --test --extents +1279 /dev/mapper/data--vg-home--long\n"
        "  TEST MODE: Metadata will NOT be updated and volumes will not be (de)activated.\n"
        "  Size of logical volume data-vg/home-long changed from 5,00 GiB (1280 extents) to "
        "10,00 GiB (2559 extents).\n"
        "  Logical volume home-long successfully resized.\n"
    )
    (thing,) = _things(text).items()
    assert thing == (
        ("lvm", "mapper/data--vg-home--long"),
        {"size": 10 << 30, "size_before": 5 << 30, "extents": 2559, "resized": True, "test": True},
    )
    done = "\n".join(line for line in text.splitlines() if "TEST MODE" not in line)
    (values,) = _things(done.replace("--test ", "")).values()
    assert "test" not in values


def test_what_lvm_does_step_by_step_and_that_a_pool_needs_repair() -> None:
    header = (
        "  WARNING: PV /dev/md7 in VG pond is using an old PV header, modify the VG to update.\n"
    )
    text = (
        f"# lvchange -ay pond/eel -v\n{header}  Activating logical volume pond/eel.\n"
        "  Creating pond-pool_tmeta\n  Loading table for pond-pool_tmeta (253:4).\n"
        "  Executing: /usr/sbin/thin_check -q /dev/mapper/pond-pool_tmeta\n"
        "  /usr/sbin/thin_check failed: 1\n"
        "  Check of pool pond/pool failed (status:1). Manual repair required!\n"
        "  Removing pond-pool_tmeta (253:4)\n"
    )
    (said,) = counters(text, LvmMessages.tool)
    messages = cast("list[str]", said.values["messages"])
    assert len(messages) == 8
    assert "Manual repair required!" in messages[6]
    rows = "  VG   #PV #LV #SN Attr   VSize   VFree\n  pond   2   1   0 wz--n- 2.00g 1.00g\n"
    table = f"# vgs\n{header}{rows}"
    assert [s.name for state in states(table) for s in state.subjects] == ["pond"]
