"""hdparm's settings: what the sample's author wrote down; sectors are of 512 bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in, trials

SAMPLES = Path(__file__).parents[3] / "outputs" / "hdparm-composed"
SETTINGS = (SAMPLES / "settings.txt").read_text()
IDENTITY = (SAMPLES / "identity.txt").read_text()


def drives(text: str) -> dict[str, Mapping[str, Scalar]]:
    return {disk.name: disk.values for state in states(text) for disk in state.subjects}


def test_settings_of_two_drives_in_every_shape() -> None:
    for shape, given in mangled(SETTINGS, wraps=False):
        drives_read = drives(given)
        assert set(drives_read) == {"sdc", "sdd"}, shape
        assert drives_read["sdc"]["read_ahead_kb"] == 256
        assert drives_read["sdc"]["size"] == 976773168 * 512
        assert (drives_read["sdc"]["read_only"], drives_read["sdc"]["using_dma"]) == (False, True)
        assert drives_read["sdd"]["write_cache"] == "write through"
        assert (drives_read["sdd"]["apm_level"], drives_read["sdd"]["drive_state"]) == (
            254,
            "standby",
        )


def test_the_drives_own_word() -> None:
    disk = drives("# hdparm -I /dev/sdc\n" + IDENTITY)["sdc"]
    assert (disk["model"], disk["firmware"]) == ("EXAMPLE HDX4000A2", "EX01")
    assert disk["size"] == 7814037168 * 512
    assert (disk["logical_block_size"], disk["physical_block_size"]) == (512, 4096)
    assert (disk["write_cache"], disk["interface_speed_max"]) == ("write through", 6 * 10**9)
    assert disk["rotation_rate"] == 7200


def test_features_security_and_standards_of_a_drive() -> None:
    disk = drives(IDENTITY)["sdc"]
    assert disk["features_not_enabled"] == "Write cache"
    assert str(disk["features_enabled"]).split("; ")[:2] == ["SMART feature set", "Look-ahead"]
    assert (disk["ata_versions"], disk["checksum"]) == ("9 8 7 6 5", "correct")
    assert (disk["multcount_max"], disk["multcount"], disk["cylinders"]) == (16, 16, 16383)
    assert disk["security_enabled"] is False
    locked = IDENTITY.replace(
        "\t\tnot\tenabled\n",
        "\tMaster password revision code = 65534\n\t\tsupported\n\t\tenabled\n\tnot\tlocked\n"
        "\t\tfrozen\n\tnot\texpired: security count\n\t\tsupported: enhanced erase\n"
        "\t112min for SECURITY ERASE UNIT. 90min for ENHANCED SECURITY ERASE UNIT.\n"
        "Logical Unit WWN Device Identifier: 50012345abcdef01\n",
    )
    disk = drives(locked)["sdc"]
    assert (disk["security_enabled"], disk["security_locked"]) == (True, False)
    assert (disk["security_frozen"], disk["security_enhanced_erase"]) == (True, True)
    assert disk["security_erase_time"] == 112 * 60
    assert disk["security_enhanced_erase_time"] == 90 * 60
    assert disk["wwn"] == "50012345abcdef01"


def test_figures_of_a_page_that_is_cut_are_left_out() -> None:
    assert "size" in drives(IDENTITY)["sdc"]
    large = re.sub(r"LBA    user addressable sectors: +\d+", "LBA    user addressable sectors: "
                   "268435455", IDENTITY)  # fmt: skip
    assert drives(large)["sdc"]["size"] == drives(IDENTITY)["sdc"]["size"]
    without = re.sub(r"\tLBA48 .*\n", "", large)
    assert "size" not in drives(without)["sdc"]  # so many and more
    cut = IDENTITY[: IDENTITY.index("4096 bytes") + 3]
    assert "physical_block_size" not in drives(cut)["sdc"]


def test_features_whose_names_begin_like_a_section_or_with_a_figure() -> None:
    added = IDENTITY.replace(
        "Commands/features:\n\tEnabled\tSupported:\n",
        "Commands/features:\n\tEnabled\tSupported:\n\t    \tSecurity Mode feature set\n"
        "\t   *\t48-bit Address feature set\n\t   *\t{READ,WRITE}_DMA_EXT_GPL commands\n",
    )
    assert added != IDENTITY
    before, after = drives(IDENTITY)["sdc"], drives(added)["sdc"]
    assert after["features_enabled"] == (
        f"48-bit Address feature set; {{READ,WRITE}}_DMA_EXT_GPL commands; "
        f"{before['features_enabled']}"
    )
    assert after["features_not_enabled"] == (
        f"Security Mode feature set; {before['features_not_enabled']}"
    )


def test_the_old_word_and_one_line_forms() -> None:
    old = (
        "/dev/hda:\n\n Model=EX DISK 20, FwRev=1.2, SerialNo=A1\n"
        " AdvancedPM=no WriteCache=enabled\n"
    )
    assert drives(old)["hda"]["model"] == "EX DISK 20"
    assert drives("/dev/sdb: write-caching = 1 (on)")["sdb"] == {"write_cache": "write back"}


def test_a_timing_stays_a_timing() -> None:
    text = "/dev/sdc:\n Timing buffered disk reads: 300 MB in  3.00 seconds = 100.00 MB/sec\n"
    assert len(trials(text)) == 1
    assert not states(text)


def test_prose_about_settings_is_none() -> None:
    assert read("The readahead = 256 setting and write-caching = off help.") == []
    assert read("Set multcount and using_dma in /etc/hdparm.conf.") == []


def test_all_lines_of_what_the_kernel_knew() -> None:
    """-i: the size stands some lines below the model (hdparm.c, dump_identity)."""
    text = (
        " Model=EXAMPLE HDX1000A1, FwRev=EX01, SerialNo=EX-0001\n"
        " Config={ HardSect NotMFM HdSw>15uSec SpinMotCtl Fixed DTR>5Mbs FmtGapReq }\n"
        " RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=0\n"
        " BuffType=unknown, BuffSize=unknown, MaxMultSect=16, MultSect=16\n"
        " CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=1953525168\n"
        " IORDY=on/off, tPIO={min:120,w/IORDY:120}, tDMA={min:120,rec:120}\n"
        " UDMA modes: udma0 udma1 udma2 udma3 udma4 udma5 *udma6\n"
    )
    for shape, given in mangled(text, wraps=False):
        disk = drives(given)[""]
        assert (disk["model"], disk["size"]) == ("EXAMPLE HDX1000A1", 1953525168 * 512), shape


def test_the_geometry_is_said_as_it_stands() -> None:
    (state,) = states(
        "# hdparm /dev/hdq\n\n/dev/hdq:\n multcount     = 16 (on)\n readahead     = 256 (on)\n"
        " geometry      = 24321/255/63, sectors = 2048, start = 0\n"
    )
    values = state.subjects[0].values
    assert (values["geometry"], values["size"]) == ("24321/255/63", 1 << 20)


QUICK = """# hdparm -i /dev/sdx

/dev/sdx:

 Model=HERON MHW2060BQ, FwRev=00910031, SerialNo=        NW05T6B29HM6
 Config={ HardSect NotMFM HdSw>15uSec Fixed DTR>10Mbs }
 RawCHS=16383/16/63, TrkSize=0, SectSize=0, ECCbytes=4
 BuffType=DualPortCache, BuffSize=4096kB, MaxMultSect=16, MultSect=?8?
 CurCHS=16383/16/63, CurSects=16514064, LBA=yes, LBAsects=117210240
 IORDY=on/off, tPIO={min:240,w/IORDY:120}, tDMA={min:120,rec:120}
 PIO modes:  pio0 pio1 pio2 pio3 pio4
 DMA modes:  mdma0 mdma1 mdma2
 UDMA modes: udma0 udma1 udma2 udma3 *udma4 udma5
 AdvancedPM=yes: mode=0x80 (128) WriteCache=disabled
 Drive conforms to: unknown:  ATA/ATAPI-4,5,6,7

 * signifies the current active mode
"""


def test_all_that_i_prints_is_said() -> None:
    for shape, given in mangled(QUICK, wraps=False):
        (drive,) = subjects_in(given, "hdparm settings")
        values = drive.values
        assert values["buffer_size"] == 4 << 20, shape
        assert values["multcount_max"] == 16, shape
        assert values["multcount"] == "?8?", "it is not known to hold"
        assert values["transfer_mode"] == "udma4", shape
        assert values["udma_modes"] == "udma0 udma1 udma2 udma3 udma4 udma5", shape
        assert values["dma_modes"] == "mdma0 mdma1 mdma2", shape
        assert values["advanced_pm"] == "yes: mode=0x80 (128)", shape
        assert values["write_cache"] == "write through", shape
        assert values["current_sectors"] == 16514064, shape


def test_sectors_that_a_drive_hides() -> None:
    given = "\n/dev/sdx:\n max sectors   = 1953523055/1953525168, HPA is enabled\n"
    (drive,) = subjects_in(given, "hdparm settings")
    assert drive.values == {
        "max_sectors": 1953523055, "native_max_sectors": 1953525168,
        "host_protected_area": "enabled",
    }  # fmt: skip
