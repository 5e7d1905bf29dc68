"""lvs, vgs and pvs: the same facts as LVM's own report in JSON gives, whatever broke the lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.facts import by_uuid, parse_report, size_of, volume_facts
from iosonde.records.stack import Scalar
from tests.mangle import mangled, states, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "lvm-2.03.16"


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[str, dict[str, Scalar]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(given)}


def reported() -> dict[str, dict[str, Scalar]]:
    """The independent view: LVM's own report, as discovery reads it."""
    volumes = by_uuid(parse_report((PLACE / "lvs.json").read_bytes(), "lv")).values()
    return {
        mapper_name("my-vg", str(volume[0]["lv_name"])): volume_facts(volume) for volume in volumes
    }


@pytest.mark.parametrize(
    "name", ["lvs.txt", "lvs-stripes.txt", "lvs-bytes.txt", "lvs-segments.txt"]
)
def test_tables_agree_with_the_report(name: str) -> None:
    values_by_name, expected = values_of(text(name)), reported()
    assert values_by_name.keys() == expected.keys()
    for volume, values in values_by_name.items():
        for fact in values.keys() & expected[volume].keys():
            assert values[fact] == expected[volume][fact], (volume, fact)


def test_striped_volumes_have_their_geometry() -> None:
    values_by_name = values_of(text("lvs-stripes.txt"))
    assert values_by_name["mapper/my--vg-r5"] == {
        "volume_group": "my-vg", "segment_type": "raid5", "stripes": 3, "chunk_size": 32768,
        "data_members": 2, "stripe_width": 65536, "in_sync": 1.0, "size": 16 * 2**20,
        "attributes": "rwi-a-r---", "degraded": False,
    }  # fmt: skip


def test_all_volumes_and_what_they_stand_on() -> None:
    values_by_name = values_of(text("lvs-a.txt"))
    assert values_by_name["mapper/my--vg-striped"]["below"] == "ubda ubdb"
    assert values_by_name["mapper/my--vg-r5"]["below"] == (
        "mapper/my--vg-r5_rimage_0 mapper/my--vg-r5_rimage_1 mapper/my--vg-r5_rimage_2"
    )
    assert values_by_name["mapper/my--vg-r5_rimage_1"] | {} == {
        "volume_group": "my-vg", "size": 8 * 2**20, "attributes": "iwi-aor---", "below": "ubdb",
        "role": "part", "first_extents": "ubdb:3",
    }  # fmt: skip
    assert len(values_by_name) == len(text("lvs-a.txt").splitlines()) - 2


def test_groups_and_physical_volumes() -> None:
    assert values_of(text("vgs.txt"))["my-vg"] == {
        "size": 624 * 2**20, "free": 388 * 2**20, "volumes": 4, "logical_volumes": 8,
        "snapshots": 1, "attributes": "wz--n-",
    }  # fmt: skip
    assert values_of(text("vgs-v.txt"))["my-vg"]["extent_size"] == 4 * 2**20
    assert values_of(text("pvs-start.txt"))["ubda"]["data_offset"] == 2**20


@pytest.mark.parametrize(
    ("printed", "size"),
    [("16.00m", 2**24), ("<1.50t", 3 * 2**39), ("1000.00M", 10**9), ("2048s", 2**20), ("0 ", None),
     ("0", 0), ("64,00k", 65536), ("512B", 512), ("x", None)],
)  # fmt: skip
def test_sizes(printed: str, size: int | None) -> None:
    assert size_of(printed) == size


@pytest.mark.parametrize(
    "name",
    ["lvs.txt", "lvs-a.txt", "lvs-stripes.txt", "lvs-segments.txt", "lvs-bytes.txt", "vgs.txt",
     "vgs-v.txt", "pvs.txt", "pvs-start.txt"],
)  # fmt: skip
def test_every_shape(name: str) -> None:
    expected = values_of(text(name))
    assert expected
    for shape, changed in mangled(text(name)):
        assert values_of(changed) == expected, shape


def test_columns_that_were_asked_for_are_kept() -> None:
    text = (
        "  LV VG Attr       LSize   Pool        Origin     Data%  Meta%  Move Log Cpy%Sync Convert "
        "CacheMode CachePolicy CacheTotalBlocks CacheDirtyBlocks CacheReadHits\n"
        "  lv vg Cwi-aoC--- 100.00g [fast_cvol] [lv_corig] 12.34  5.67            0.00            "
        " writeback smq                     1000               20          4711\n"
    )
    (volume,) = subjects_in(text)
    values = volume.values
    assert (values["mode"], values["policy"], values["dirty_share"]) == ("writeback", "smq", 0.02)
    assert (values["cache_dirty_blocks"], values["cache_read_hits"]) == (20, 4711)
    strange = states(text.replace("CacheReadHits", "CacheReadHums"))
    assert strange == []


VERBOSE = """\
  LV    VG    #Seg Attr       LSize  Maj Min KMaj KMin Pool  Origin Data%  Meta%  Move Cpy%Sync Log Convert LV UUID                                LProfile
  root  pond     1 -wi-ao----  4.00g  -1  -1  253    0                                                     Ab12cd-34ef-56gh-78ij-90kl-mnop-qrstuv
  pool0 pond     1 twi-aotz-- 10.00g  -1  -1  253    3               12.00  10.00                          Bb12cd-34ef-56gh-78ij-90kl-mnop-qrstuv
  home  pond     1 Vwi-aotz-- 10.00g  -1  -1  253    2 pool0         25.00                                 Cb12cd-34ef-56gh-78ij-90kl-mnop-qrstuv
"""  # noqa: E501


@pytest.mark.parametrize("below", ["", "root@db1:~# \n", "==== ls ====\n", "\nand so on\n", "x\n"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_last_row_has_its_cells_where_they_stand_whatever_is_below(
    rows: int, below: str
) -> None:
    head, *volumes = VERBOSE.splitlines(keepends=True)
    (*_, last) = subjects_in("".join([head, *volumes[:rows]]) + below)
    assert last.values["lv_uuid"] == f"{'ABC'[rows - 1]}b12cd-34ef-56gh-78ij-90kl-mnop-qrstuv"
    assert last.values.get("pool") == ("pool0" if rows == 3 else None)
    assert "move" not in last.values


def test_segments_of_pvs_are_counted_in_extents_not_in_bytes() -> None:
    text = (
        "# pvs --segments\n"
        "  PV         VG  Fmt  Attr PSize   PFree   Start SSize\n"
        "  /dev/sda1  vg0 lvm2 a--  931.51g 831.51g     0 25600\n"
        "# lvs --segments\n"
        "  LV    VG   Attr       #Str Type    SSize  \n"
        "  home  vg0  -wi-ao----    1 linear  100.00g\n"
    )
    device, volume = (subject for state in states(text) for subject in state.subjects)
    assert (device.values["first_extent"], device.values["extents"]) == (0, 25600)
    assert "ssize" not in device.values
    assert volume.values["ssize"] == 100 << 30


def test_a_format_is_no_group_where_blanks_were_lost() -> None:
    (state,) = states(
        "# pvs\nPV VG Fmt Attr PSize PFree\n/dev/sdq lvm2 a-- 15.00g 15.00g\n"
        "/dev/sdr vg7 lvm2 a-- 15.00g 4.00g\n"
    )
    spare, used = (dict(thing.values) for thing in state.subjects)
    assert (spare["fmt"], used["fmt"], used["volume_group"]) == ("lvm2", "lvm2", "vg7")
    assert "volume_group" not in spare


def test_the_log_of_a_mirror_is_no_pool() -> None:
    (state,) = states(
        "# lvs\nLV VG Attr LSize Pool Origin Data% Move Log Cpy%Sync Convert\n"
        "data7 vg7 mwi-a-m-- 10.00g data7_mlog 100.00\nthin7 vg7 Vwi-a-tz-- 2.00g pool7 3.10\n"
    )
    mirror, thin = (dict(thing.values) for thing in state.subjects)
    assert "pool" not in mirror
    assert mirror["in_sync"] == 1.0
    assert thin["pool"] == "pool7"


def test_dashes_that_a_page_made_long() -> None:
    (state,) = states(
        "$ sudo vgs\nVG  #PV #LV #SN Attr  VSize  VFree\n"
        "vg7 2   1   0   wz\u2013n- 28.99g <10.00g\n"
    )
    assert state.subjects[0].values["attributes"] == "wz--n-"
