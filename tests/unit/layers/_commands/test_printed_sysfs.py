"""Files of sysfs with their values; which file a value is of is never guessed."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from iosonde.text.cursor import prompt_in
from tests.mangle import counters, mangled, read, states

SAMPLES = Path(__file__).parents[3] / "outputs" / "sysfs-composed"
CATS, PAIRS, BRACES = ((SAMPLES / f"{n}.txt").read_text() for n in ("cats", "pairs", "braces"))


def settings(text: str) -> dict[tuple[str, str, str], object]:
    return {
        (thing.kind, thing.name, name): value
        for state in states(text)
        for thing in state.subjects
        for name, value in thing.values.items()
    }


def test_files_with_the_value_below() -> None:
    for shape, given in mangled(CATS, wraps=False):
        if shape == "with blank lines":
            continue  # a file and its value stand together
        assert settings(given) == {
            ("md", "md7", "stripe_cache_size"): 4096,
            ("disk", "sdb", "queue_depth"): 32,
            ("host", "", "vm.dirty_ratio"): 20,
        }, shape


def test_files_with_the_value_beside_them() -> None:
    (counted,) = counters(PAIRS)
    assert counted.values == {"reads_in_flight": 12, "writes_in_flight": 340}
    assert settings(PAIRS) == {
        ("disk", "sdb", "timeout"): 30, ("module", "nvme_core", "io_timeout"): 30,
    }  # fmt: skip


def test_a_limit_of_all_arrays_or_of_one() -> None:
    limits = "cat /sys/block/md7/md/sync_speed_max\n1000000 (system)\n"
    assert settings(limits) == {
        ("md", "md7", "sync_speed_max"): 1000000, ("md", "md7", "sync_speed_max_source"): "system",
    }  # fmt: skip
    assert settings("/sys/block/md7/md/sync_speed_min:5000 (local)\n") == {
        ("md", "md7", "sync_speed_min"): 5000, ("md", "md7", "sync_speed_min_source"): "local",
    }  # fmt: skip
    assert settings("/sys/block/md7/md/sync_speed_min:5000 (of course)\n") == {}


def test_several_files_of_one_cat() -> None:
    assert settings(BRACES) == {
        ("disk", "sdb", "scheduler"): "mq-deadline", ("disk", "sdc", "scheduler"): "bfq",
        ("disk", "nvme0n1", "scheduler"): "none",
    }  # fmt: skip
    (entry,) = read(BRACES.replace("{sdb,sdc,nvme0n1}", "*"))
    assert isinstance(entry, Unread)
    assert "which device" in entry.reason
    assert settings("cat /sys/block/sd*/queue/scheduler\nnoop [cfq]\n") == {
        ("disk", "sd*", "scheduler"): "cfq"
    }


def test_a_path_in_prose_is_no_setting() -> None:
    assert read("See /sys/block/sdb/device/timeout for the seconds until it gives up.") == []
    assert read("ls /sys/module/nvme_core/parameters/io_timeout\n") == []
    assert not states("cat /sys/block/md7/md/stripe_cache_size\ncat: No such file or directory\n")


def test_a_partition_by_its_own_files() -> None:
    text = "# cat /sys/block/sdb/sdb1/start\n2048\n# cat /sys/block/sdb/sdb1/size\n4096\n"
    (partition,) = [s for state in states(text) for s in state.subjects]
    assert (partition.kind, partition.name) == ("partition", "sdb1")
    assert partition.values == {"start": 2048 * 512, "size": 4096 * 512}
    assert states("# cat /sys/block/sdb/sdb1/start_of\n2048\n") == []


def test_a_map_is_of_one_kind_in_all_its_files() -> None:
    files = "cat /sys/block/dm-3/size\n2048\ncat /sys/block/dm-3/ro\n0\n"
    assert settings(files) == {
        ("dm", "dm-3", "size"): 2048 * 512, ("dm", "dm-3", "read_only"): False,
    }  # fmt: skip


def test_what_md_says_of_a_member() -> None:
    text = (
        "[root@n4 ~]# cat /sys/block/md7/md/rd1/state\nin_sync,failfast\n"
        "[root@n4 ~]# cat /sys/block/md7/md/dev-sdc1/errors\n12\n"
    )
    assert settings(text) == {
        ("md", "md7", "rd1.state"): "in_sync,failfast", ("md", "md7", "dev-sdc1.errors"): 12,
    }  # fmt: skip
    assert not states("# cat /sys/block/md7/md/rd1/state\nin_sync, and failfast as well\n")
    assert not states("# cat /sys/block/sdc/md/rd1/state\nin_sync,failfast\n")


def test_a_prompt_that_is_a_folder_alone() -> None:
    shown = "cat /sys/block/md7/md/sync_speed_max\n1000000 (system)\n"
    said = {
        ("md", "md7", "sync_speed_max"): 1000000,
        ("md", "md7", "sync_speed_max_source"): "system",
    }
    assert settings(f"~$ {shown}") == settings(f"~/arrays# {shown}") == said
    assert prompt_in("~$ cat /proc/mdstat") is not None
    assert prompt_in("it costs ~$ 40 a month") is None
    assert prompt_in("node7~$ cat") is None


def test_files_that_are_shown_from_within_the_folder_of_the_prompt() -> None:
    text = "root@h:/sys/devices/virtual/block/md7# cat inflight\n        0       65\n"
    text += "root@h:/sys/devices/virtual/block/md7# cat slaves/sdq1/inflight\n        0        3\n"
    array, member = counters(text)
    assert (array.kind, array.name, array.values["writes_in_flight"]) == ("md", "md7", 65)
    assert (member.name, member.values["writes_in_flight"]) == ("sdq1", 3)
    ((md,),) = [s.subjects for s in states("u@h:/sys/block/md7/md$ cat stripe_cache_size\n256\n")]
    assert (md.name, md.values) == ("md7", {"stripe_cache_size": 256})
    for line in ("root@h:~# cat inflight", "[root@h md]# cat stripe_cache_size",
                 "root@h:/srv/block/md7# cat inflight"):  # fmt: skip
        assert not counters(f"{line}\n 0 65\n"), line
