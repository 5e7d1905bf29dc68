"""Outputs of ZFS in the shapes they come in: the figures are those that stand in the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.zfs.facts import number
from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
KIB, MIB, GIB, TIB = (1024**power for power in (1, 2, 3, 4))


def text(name: str) -> str:
    return (PLACE / f"{name}.txt").read_text()


def subjects(given: str) -> dict[str, dict[str, Scalar]]:
    return {thing.name: dict(thing.values) for state in states(given) for thing in state.subjects}


def test_status_in_every_shape() -> None:
    for shape, given in mangled(text("status")):
        things = subjects(given)
        assert list(things) == [
            "tank", "raidz2-0", "sda", "sdb", "sdc", "sdd", "nvme0n1p1", "nvme0n1p2", "sde", "back",
            "mirror-0", "sdf", "sdg",
        ], shape  # fmt: skip
        assert things["tank"]["state"] == "DEGRADED"
        assert (things["tank"]["data_errors"], things["tank"]["scrub_errors"]) == (0, 0)
        assert things["tank"]["msgid"] == "ZFS-8000-9P"
        assert "msgid" not in things["back"]
        assert (things["tank"]["devices"], things["back"]["devices"]) == (7, 2)
        assert things["sdb"]["checksum_errors"] == 1200  # of 1.2K
        assert (things["sdc"]["read_errors"], things["sdc"]["write_errors"]) == (3, 12)
        assert (things["sdc"]["state"], things["sde"]["state"]) == ("UNAVAIL", "AVAIL")
        uses = {name: thing["use"] for name, thing in things.items() if "use" in thing}
        assert uses == {"nvme0n1p1": "logs", "nvme0n1p2": "cache", "sde": "spares"}
        assert (things["sdf"]["block_size"], things["sdf"]["physical_block_size"]) == (512, 4096)
        assert (things["sda"]["part_of"], things["sdg"]["part_of"]) == ("raidz2-0", "mirror-0")


@pytest.mark.parametrize("stamp", ["07:18:29.34 ", "  07:18:29.341 "])
def test_status_behind_the_time_that_a_test_suite_prints(stamp: str) -> None:
    given = "\n".join(stamp + line for line in text("status").split("\n"))
    assert subjects(given) == subjects(text("status"))


def test_status_with_data_errors() -> None:
    given = text("status").replace(
        "errors: No known data errors", "errors: 3 data errors, use '-v' for a list"
    )
    assert subjects(given)["tank"]["data_errors"] == 3


def test_a_status_without_its_table_is_told() -> None:
    given = text("status").split("config:")[0]
    (entry,) = (part for part in read(given) if isinstance(part, Unread))
    assert "cut off" in entry.reason
    assert subjects(given)["tank"]["state"] == "DEGRADED"
    bare = "  pool: tank\n state: ONLINE\nconfig:\n\nas on the other host\n"
    assert [type(part) for part in read(bare)] == [Unread]


def test_list_in_every_shape() -> None:
    for shape, given in mangled(text("list")):
        pool = subjects(given)["tank"]
        assert pool["size"] == round(14.5 * TIB), shape
        assert (pool["full"], pool["fragmentation"], pool["state"]) == (0.97, 0.61, "DEGRADED")
        assert "checkpoint" not in pool


def test_iostat() -> None:
    for shape, given in mangled(text("iostat"), wraps=False):
        rates = counters(given, "zpool iostat")
        assert [(thing.kind, thing.name) for thing in rates] == [
            ("zpool", "tank"), ("zpool_device", "raidz2-0"), ("zpool_device", "sda"),
            ("zpool_device", "sdb"), ("zpool_device", "nvme0n1p1"),
        ] * 2, shape  # fmt: skip
        assert rates[0].values["read.bandwidth"] == 1.5 * MIB
        assert rates[5].values["write.iops"] == pytest.approx(1.2 * KIB)
        assert (rates[0].values["since_boot"], rates[5].values["since_boot"]) == (None, False)


def test_since_boot_by_the_command() -> None:
    assert counters("# zpool iostat -v 5\n" + text("iostat"))[0].values["since_boot"] is True
    assert counters("# zpool iostat -yv 5\n" + text("iostat"))[0].values["since_boot"] is False


def test_datasets_in_every_shape() -> None:
    for shape, given in mangled(text("zfs-list")):
        things = subjects(given)
        assert list(things) == ["tank", "tank/db", "tank/vm-101", "tank/old"], shape
        assert (things["tank/db"]["used"], things["tank/db"]["mount"]) == (
            round(1.2 * TIB),
            "/srv/db",
        )
        assert "mount" not in things["tank/vm-101"]


def test_properties_in_every_shape() -> None:
    for shape, given in mangled(text("zfs-get")):
        assert subjects(given)["tank/db"] == {
            "type": "filesystem", "recordsize": 16 * KIB, "compression": "lz4",
            "compressratio": 2.31, "atime": False, "sync": "standard", "primarycache": "metadata",
            "available": 198 * GIB,
            "recordsize_source": "local", "compression_source": "inherited from tank",
            "atime_source": "local", "primarycache_source": "local",
                "sync_source": "default",
        }, shape  # fmt: skip


def test_numbers() -> None:
    assert (number("0"), number("1.50M"), number("128K")) == (0, 1.5 * MIB, 128 * KIB)


@pytest.mark.parametrize(
    "near_miss",
    [
        'printf("  pool: %s\\n", zpool_get_name(zhp));\nprintf(" state: ");',
        "  pool: the name of the pool\n\nThe state of the pool is one of ONLINE, DEGRADED.",
        "pool: default\nsize: 10\nmode: session",
        "A pool's CAP is its used space; HEALTH is its state. NAME SIZE ALLOC FREE CAP HEALTH",
        "NAME PROPERTY VALUE of every dataset is printed by zfs get.",
        "NAME   CAPACITY  HEALTH\nups-1  97%  ONLINE",
    ],
)
def test_sources_and_prose_are_no_outputs(near_miss: str) -> None:
    assert read(near_miss) == []


def test_how_far_a_resilver_is_and_what_stands_behind_a_device() -> None:
    busy = (
        text("status")
        .replace(
            "scrub repaired 1.20M in 02:11:33 with 0 errors on Sun Mar  9 02:35:34 2025",
            "resilver in progress since Sun Mar  9 01:00:00 2025\n"
            "\t1.00T scanned at 900M/s, 500G issued at 450M/s, 4.00T total\n"
            "\t120G resilvered, 12.20% done, 02:13:30 to go",
            1,
        )
        .replace("sdb       ONLINE       0     0 1.2K", "sdb  ONLINE  0  0 1.2K  (resilvering)", 1)
    )
    things = subjects(busy)
    assert things["tank"]["scan_share"] == 0.122
    assert things["tank"]["resilvered"] == 120 * GIB
    assert things["sdb"]["note"] == "resilvering"
    assert "note" not in things["sda"]
    assert "scan_share" not in subjects(text("status"))["tank"]


def test_a_pool_whose_first_line_is_cut_off_or_that_stands_in_one_line() -> None:
    pool = text("status").split("\n  pool: back")[0]
    whole = subjects(pool)["tank"]
    assert subjects("\n".join(pool.split("\n")[1:]))["tank"] == whole
    flowed = "# zpool status tank " + " ".join(pool.split())
    assert subjects(flowed)["tank"] == whole
    assert read("The state: DEGRADED of a pool is told by its config:") == []


def test_a_pool_that_can_be_imported_and_properties_without_a_head() -> None:
    offered = (
        "   pool: otter\n     id: 6554193320433390805\n  state: ONLINE\n action: The pool can be "
        "imported using its name.\n config:\n\n\totter       ONLINE\n\t  mirror-0  ONLINE\n"
        "\t    sdx     ONLINE\n\t    sdy     ONLINE\n"
    )
    assert subjects(offered)["otter"]["state"] == "ONLINE"
    bare = "# zfs get -H compression tank/a tank/b\ntank/a\tcompression\tlz4\tlocal\n"
    assert subjects(bare)["tank/a"]["compression"] == "lz4"


def test_list_with_devices_in_every_shape() -> None:
    text = (PLACE / "list-v.txt").read_text()
    for shape, given in mangled(text):
        named = {
            s.name: (s.kind, dict(s.values)) for state in states(given) for s in state.subjects
        }
        assert named["vat"][1]["dedup_ratio"] == 1.0, shape
        kind, mirror = named["raidz2-0"]
        assert (kind, mirror["full"], mirror["pool"]) == ("zpool_device", 0.661, "vat")
        assert named["sdq"][1] == {"state": "ONLINE", "pool": "vat"}
        assert (named["nvme0n1p1"][1]["use"], named["nvme0n1p3"][1]["use"]) == ("logs", "cache")
        assert named["nvme0n1p3"][1]["allocated"] == round(61.5 * 2**30)


def test_a_line_of_a_scan_whose_date_a_mail_broke() -> None:
    line = "scan: resilvered 817G in 0 days 01:33:48 with 0 errors on Wed Jan 15"
    whole, broken = (states(f"{line}{gap}19:36:08 2020\n") for gap in (" ", "\n"))
    assert whole == broken
    assert str(whole[0].subjects[0].values["scan"]).endswith("19:36:08 2020")
    (alone,) = states(f"{line}\n19:36:08 up 4 days\n")
    assert str(alone.subjects[0].values["scan"]).endswith("Jan 15")


ROWS = (
    "a1  compressratio         1.35x                  -\na2  recordsize  128K  inherited from a\n"
)


def test_properties_that_grep_left_of_a_list() -> None:
    for shape, given in mangled(f"# zfs get all | grep -e ratio -e record\n{ROWS}", wraps=False):
        named = {s.name: dict(s.values) for state in states(given) for s in state.subjects}
        assert named == {
            "a1": {"compressratio": 1.35},
            "a2": {"recordsize": 128 << 10, "recordsize_source": "inherited from a"},
        }, shape
    assert len(states(ROWS)) == 1
    assert not states("The  compression  algorithm  is  -\nmy pool's compressratio is 1.35x -\n")


def test_any_columns_of_a_list_of_datasets_and_not_those_of_disks() -> None:
    text = (
        "# zfs list -o name,used,quota,compressratio,recordsize,mountpoint\n"
        "NAME       USED  QUOTA  RATIO  RECSIZE  MOUNTPOINT\n"
        "oak        1.5T   none  1.35x     128K  /oak\n"
        "oak/data   700G     2T  2.01x       1M  legacy\n"
    )
    for shape, given in mangled(text, wraps=False):
        named = {s.name: dict(s.values) for state in states(given) for s in state.subjects}
        assert named == {
            "oak": {
                "used": 3 << 39, "compressratio": 1.35, "recordsize": 128 << 10, "mount": "/oak",
            },
            "oak/data": {
                "used": 700 << 30, "quota": 2 << 40, "compressratio": 2.01, "recordsize": 1 << 20,
                "mount": "legacy",
            },
        }, shape  # fmt: skip
    disks = "NAME  TYPE  MOUNTPOINT\nsda1  part  /\n"
    assert not [state for state in states(disks) if state.tool == "zfs list"]


def test_the_number_of_a_pool_that_can_be_imported() -> None:
    text = (
        "# zpool import\n   pool: oak\n     id: 6554193320433390805\n  state: ONLINE\n"
        " action: The pool can be imported using its name or numeric identifier.\n config:\n\n"
        "\toak      ONLINE\n\t  sda    ONLINE\n"
    )
    assert states(text)[0].subjects[0].values["id"] == "6554193320433390805"


@pytest.mark.parametrize("prose", ["4. Attach the new one\n", "`zpool attach`\n"])
def test_a_status_without_errors_ends_with_its_table(prose: str) -> None:
    status = (
        "# zpool status data\n  pool: data\n state: ONLINE\nconfig:\n\n"
        "\tNAME        STATE     READ WRITE CKSUM\n"
        "\tdata        ONLINE       0     0     0\n"
        "\t  sdb       ONLINE       0     0     0\n"
    )
    (output,) = [each for each in read(f"{status}\n\n{prose}") if not isinstance(each, Unread)]
    assert output.place.last_line == len(status.splitlines())
    (whole,) = read(f"{status}\nerrors: No known data errors\n\n{prose}")
    assert whole.place.last_line == len(status.splitlines()) + 2


@pytest.mark.parametrize(
    ("sentence", "host"),
    [
        ("", "nas1"),
        ("That one is fine. This is the one I worry about:", "nas1"),
        ("On the backup server:", ""),
        ("root@nas2:~# zfs list", ""),
    ],
)
def test_pools_below_the_first_are_of_the_same_command(sentence: str, host: str) -> None:
    first, second = text("status").split("  pool: back\n")
    given = f"root@nas1:~# zpool status\n{first}{sentence}\n\n  pool: back\n{second}"
    hosts = {
        subject.name: state.host or subject.host
        for state in states(given)
        for subject in state.subjects
    }
    assert (hosts["tank"], hosts["back"]) == ("nas1", host)


def test_decimal_commas() -> None:
    """As printf() writes in many languages; sizes by hand: 9.5 GiB, 1.62 MiB."""
    given = (
        "$ zpool list\n"
        "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
        "tank  9,50G   696K  9,50G        -         -     0%     7%  1,50x    ONLINE  -\n\n"
        "$ zfs list\nNAME        USED  AVAIL     REFER  MOUNTPOINT\n"
        "tank/pond  1,62M  9,20G       24K  /tank/pond\n\n"
        "$ zfs get used tank/pond\nNAME       PROPERTY  VALUE  SOURCE\n"
        "tank/pond  used      1,62M  -\n"
    )
    pool, dataset, got = (each for state in states(given) for each in state.subjects)
    assert (pool.values["size"], pool.values["dedup_ratio"]) == (round(9.5 * GIB), 1.5)
    assert pool.values["full"] == 0.07
    assert (dataset.values["used"], dataset.values["available"]) == (
        round(1.62 * MIB), round(9.2 * GIB),
    )  # fmt: skip
    assert got.values["used"] == round(1.62 * MIB)
    assert number("1,5T") == 1.5 * TIB


def test_rows_of_pools_that_grep_left() -> None:
    rows = "tank  autoreplace\t\t  off\t\tdefault\ntank  feature@lz4_compress  active  local\n"
    (pool,) = (each for state in states(rows) for each in state.subjects)
    assert (pool.kind, pool.values["autoreplace"]) == ("zpool", False)
    assert pool.values["feature@lz4_compress"] == "active"
