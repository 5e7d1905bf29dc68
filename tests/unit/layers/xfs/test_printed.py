"""What mkfs.xfs printed when it was given su=64k,sw=4: its words are the oracle."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs" / "xfsprogs-6.1" / "mkfs.txt").read_text()


def test_the_geometry_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        ((xfs,),) = [state.subjects for state in states(given)]
        assert (xfs.kind, xfs.name) == ("xfs", "x.img"), shape
        assert (xfs.values["stripe_unit"], xfs.values["stripe_width"]) == (64 << 10, 4 * 64 << 10)
        assert (xfs.values["block_size"], xfs.values["allocation_groups"]) == (4096, 8)
        assert (xfs.values["log"], xfs.values["log_size"]) == ("internal", 16384 * 4096)


def test_the_mount_names_it() -> None:
    (state,) = states("[root@n1 ~]# xfs_info /srv/data\n" + TEXT.replace("x.img", "/dev/sdb1"))
    (xfs,) = state.subjects
    assert (state.host, xfs.name, xfs.values["device"]) == ("n1", "/srv/data", "/dev/sdb1")


def test_what_is_cut_and_what_only_looks_alike() -> None:
    (entry,) = read(TEXT[: TEXT.index("data ")])
    assert isinstance(entry, Unread)
    assert "data section" in entry.reason
    assert read('printf("meta-data=%-22s isize=%-6d", name, isize);') == []
    assert read("The line that begins with meta-data= names the device.") == []


def test_a_head_that_a_mail_broke() -> None:
    broken = (
        "meta-data=/dev/sdq               isize=512    agcount=6,\nagsize=268435455 blks\n"
        "         =                       sectsz=4096  attr=2, projid32bit=1\n"
        "data     =                       bsize=4096   blocks=1465130646, imaxpct=5\n"
        "         =                       sunit=0      swidth=0 blks\n"
    )
    values = states(broken)[0].subjects[0].values
    assert (values["sector_size"], values["blocks"]) == (4096, 1465130646)


def test_the_features_by_their_names() -> None:
    ((xfs,),) = [state.subjects for state in states(TEXT)]
    for name in ("crc", "finobt", "sparse", "rmapbt", "reflink", "bigtime"):
        if f"{name}=" in TEXT:
            assert xfs.values[name] is (f"{name}=1" in TEXT), name
    assert "crc" in xfs.values


def test_every_word_of_a_geometry_is_kept() -> None:
    text = """meta-data=/dev/sdq1              isize=512    agcount=4, agsize=1000 blks
         =                       sectsz=512   attr=2, projid32bit=1
data     =                       bsize=4096   blocks=4000, imaxpct=25
         =                       sunit=0      swidth=0 blks
naming   =version 2              bsize=4096   ascii-ci=0, ftype=1, parent=0
log      =internal log           bsize=4096   blocks=1368, version=2
realtime =none                   extsz=4096   blocks=0, rtextents=0
"""
    (subject,) = states(text)[0].subjects
    values = subject.values
    assert values["allocation_group_size"] == 1000 * 4096
    assert (values["isize"], values["attr"], values["data_imaxpct"]) == (512, 2, 25)
    assert (values["naming_parent"], values["log_version"]) == (0, 2)
    assert "data_blocks" not in values


GREW = (Path(__file__).parents[3] / "outputs" / "xfsprogs-composed" / "growfs.txt").read_text()


def test_how_far_it_has_grown() -> None:
    for shape, given in mangled(GREW, wraps=False):
        ((xfs,),) = [state.subjects for state in states(given)]
        assert (xfs.name, xfs.values["blocks"]) == ("/srv/data", 2621440), shape
        assert xfs.values["blocks_grown_to"] == 5242880, shape
    alone = f"# xfs_growfs /srv/data | tail -1\n{GREW.splitlines()[-1]}\n"
    ((xfs,),) = [state.subjects for state in states(alone)]
    assert (xfs.kind, xfs.name) == ("xfs", "/srv/data")
    assert xfs.values == {"blocks": 2621440, "blocks_grown_to": 5242880}
    assert not states("The data blocks changed from 7 to 8 overnight.\n")
