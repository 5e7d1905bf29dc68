"""What iostat, sar, vmstat, iotop, /proc and the tools of md, LVM and DRBD say of disks."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled, states, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs"


def text(name: str) -> str:
    return (OUTPUTS / name).read_text()


def cells(name: str, start: str) -> list[list[str]]:
    """The independent view: words of the lines that begin with a word."""
    return [line.split() for line in text(name).splitlines() if line.split()[:1] == [start]]


def test_iostat_has_every_report_of_every_device() -> None:
    table = [
        counter for counter in counters(text("sysstat-12.6/iostat-x.txt")) if counter.name == "vda"
    ]
    rows = cells("sysstat-12.6/iostat-x.txt", "vda")
    assert len(table) == len(rows) == 2
    for report, (counted, row) in enumerate(zip(table, rows, strict=True), 1):
        assert counted.values["report"] == report
        assert counted.values["read.iops"] == float(row[1])
        assert counted.values["read.bandwidth"] == float(row[2]) * 1024
        assert counted.values["util"] == pytest.approx(float(row[-1]) / 100)
        assert counted.values["write.await"] == pytest.approx(float(row[11]) / 1000)


def test_iostat_d_and_megabytes() -> None:
    (counter,) = [
        counter for counter in counters(text("sysstat-12.6/iostat-dk.txt")) if counter.name == "vda"
    ]
    row = cells("sysstat-12.6/iostat-dk.txt", "vda")[0]
    assert counter.values["iops"] == float(row[1])
    assert counter.values["read.bytes"] == float(row[5]) * 1024
    assert len(counters(text("sysstat-12.6/iostat-xm.txt"))) > 1


def test_iostat_of_older_sysstat() -> None:
    """Composed after sysstat 10."""
    given = (
        "$ iostat -x /dev/cciss/c0d1\n\n"
        "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz"
        "   await  svctm  %util\n"
        "cciss/c0d1        0.13    90.31   20.15   18.02  1234.56   867.04    55.06     0.42"
        "   11.02   2.56   9.77\n"
    )
    (counter,) = counters(given)
    assert counter.name == "cciss/c0d1"
    assert counter.values["read.bandwidth"] == 1234.56 * 512
    assert counter.values["size"] == pytest.approx(55.06 * 512)
    assert counter.values["await"] == pytest.approx(0.01102)
    assert counter.command == "iostat -x /dev/cciss/c0d1"


def test_iostat_tells_which_report_is_since_boot() -> None:
    counted = counters("$ iostat -x 1 2\n" + text("sysstat-12.6/iostat-x.txt"))
    assert {counter.values["report"]: counter.values["since_boot"] for counter in counted} == {
        1: True,
        2: False,
    }
    (first, *_) = counters("$ iostat -dky 1 1\n" + text("sysstat-12.6/iostat-dk.txt"))
    assert first.values["since_boot"] is False


def test_iostat_of_short_and_of_readable_columns() -> None:
    short = {
        counter.name: counter.values
        for counter in counters(text("sysstat-12.6/iostat-xs.txt"))
        if counter.values["report"] == 1
    }
    row = cells("sysstat-12.6/iostat-xs.txt", "vda")[0]
    assert short["vda"]["bandwidth"] == float(row[2]) * 1024
    assert short["vda"]["await"] == pytest.approx(float(row[4]) / 1000)
    readable = {
        counter.name: counter.values for counter in counters(text("sysstat-12.6/iostat-h.txt"))
    }
    assert readable["vda"]["read.bandwidth"] == pytest.approx(11.0 * 2**20)
    assert readable["vda"]["write.bytes"] == pytest.approx(651.1 * 2**30)
    assert readable["loop1"]["iops"] == 1.63


IOSTAT_ROWS = """\
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s   wrqm/s  aqu-sz  %util
sdq              1.50     96.00     0.00   40.00    160.00     2.00    0.50  87.50
sdr              0.00      0.00     0.00    2.00      8.00     0.00    0.01   1.25
"""


@pytest.mark.parametrize("shaped", [
    "".join(f"07:08:0{9 - at} {line}\n" for at, line in enumerate(IOSTAT_ROWS.splitlines())),
    IOSTAT_ROWS.replace("  ", "\u00a0 "), IOSTAT_ROWS.replace("87.50", "**87.50**"),
    IOSTAT_ROWS.replace("Device  ", "Device\uff1a ").replace(".", ","),
])  # fmt: skip
def test_iostat_as_people_paste_it(shaped: str) -> None:
    wanted = [(counter.name, counter.values) for counter in counters(IOSTAT_ROWS)]
    assert [(counter.name, counter.values) for counter in counters(shaped)] == wanted
    assert dict(wanted)["sdq"]["util"] == pytest.approx(0.875)


def test_a_device_and_times_in_a_sentence_are_no_iostat() -> None:
    assert counters("07:08:09 Device r/s and w/s of sdq are 1.50 and 40.00\n") == []


def test_sar_with_the_device_at_the_end_and_a_clock_of_twelve_hours() -> None:
    counted = counters(text("sysstat-12.6/sar-p.txt"))
    assert {row.name for row in counted} == {"loop0", "loop1", "loop2", "loop3", "vda"}
    given = (
        "12:00:01 AM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await"
        "     svctm     %util\n"
        "12:10:01 AM    dev8-0     12.50     80.00    200.00     22.40      0.10      8.00"
        "      2.00      2.50\n"
    )
    (counter,) = counters(given)
    assert (counter.name, counter.values["time"]) == ("dev8-0", "12:10:01 AM")
    assert counter.values["write.bandwidth"] == 200 * 512
    assert counter.values["size"] == pytest.approx(22.4 * 512)


@pytest.mark.parametrize("name", ["vmstat-t.txt", "vmstat-w.txt", "vmstat-SM.txt"])
def test_vmstat_with_times_wide_and_in_other_units(name: str) -> None:
    given = f"$ vmstat {'-S M ' if 'SM' in name else ''}1 2\n" + text(f"vmstat-4.0.2/{name}")
    (counter,) = counters(given)
    rows = [line.split() for line in text(f"vmstat-4.0.2/{name}").splitlines()[2:]]
    assert counter.values["blocks_out"] == [int(row[9]) * 1024 for row in rows]
    unit = 2**20 if "SM" in name else 1024
    assert counter.values["memory_free"] == [int(row[3]) * unit for row in rows]
    assert counter.values["since_boot"] is True


def test_sar_has_every_interval_and_the_averages() -> None:
    counted = [
        counter for counter in counters(text("sysstat-12.6/sar-d.txt")) if counter.name == "vda"
    ]
    assert [str(row.values["time"])[:3] for row in counted][-1] == "Ave"
    assert len(counted) == 3


def test_vmstat_keeps_a_line_an_interval() -> None:
    (counter,) = counters(text("vmstat-4.0.2/vmstat.txt"))
    rows = [line.split() for line in text("vmstat-4.0.2/vmstat.txt").splitlines()[3:]]
    assert counter.values["blocks_in"] == [int(row[8]) * 1024 for row in rows]
    assert counter.values["cpu_idle"] == pytest.approx([int(row[14]) / 100 for row in rows])


def test_iotop_gives_totals_and_threads() -> None:
    (counter,) = counters(text("iotop-page/totals.txt"))
    assert counter.values["asked.read.bandwidth"] == pytest.approx(506.61 * 1024)
    threads = counter.values["threads"]
    assert isinstance(threads, list)
    assert len(threads) == 8
    first = threads[0]
    assert isinstance(first, dict)
    assert (first["tid"], first["user"], first["command"]) == (30312, "mysql", "mysqld")
    assert first["io"] == pytest.approx(0.111)
    total = sum(
        float(str(dict(thread)["read.bandwidth"])) for thread in threads if isinstance(thread, dict)
    )
    assert total == pytest.approx(506.61 * 1024, rel=0.05)


def test_iotop_of_what_was_done_since_it_began() -> None:
    text = (
        "$ iotop -Poa\n\nTotal DISK READ: 0.00 B/s | Total DISK WRITE: 133.83 K/s\n"
        "  PID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n"
        " 2022 be/4 root          0.00 B     76.00 K  0.00 %  0.02 % [kjournald]\n"
        " 4704 ?dif oak           0.00 B      8.00 K  0.00 %  0.00 % ./agent ../conf -d\n"
        "25504 be/4 oak           0.00 B     72.00 K  0.00 %  0.00 % newt1002\n"
    )
    (counter,) = counters(text)
    threads = cast("list[dict[str, object]]", counter.values["threads"])
    assert [each["command"] for each in threads] == [
        "[kjournald]",
        "./agent ../conf -d",
        "newt1002",
    ]
    assert [each["write.bytes"] for each in threads] == [76 << 10, 8 << 10, 72 << 10]
    assert "write.bandwidth" not in threads[0]
    assert threads[0]["io"] == 0.0002


def test_diskstats_agree_with_the_file() -> None:
    values_by_name = {
        counter.name: counter.values for counter in counters(text("linux-6.18/diskstats.txt"))
    }
    rows = [line.split() for line in text("linux-6.18/diskstats.txt").splitlines()[1:]]
    assert list(values_by_name) == [row[2] for row in rows]
    for row in rows:
        assert values_by_name[row[2]]["reads"] == int(row[3])
        assert values_by_name[row[2]]["write_bytes"] == int(row[9]) * 512
        assert values_by_name[row[2]]["flushes"] == int(row[18])


def test_interrupts_name_their_devices() -> None:
    values_by_name = {
        counter.name: counter.values for counter in counters(text("linux-6.18/interrupts.txt"))
    }
    lines = text("linux-6.18/interrupts.txt").splitlines()
    row = next(line.split() for line in lines if line.strip().startswith("24:"))
    assert values_by_name["24"]["counts"] == [int(row[1]), int(row[2])]
    assert values_by_name["24"]["devices"] == [row[-1]]
    row = next(line.split() for line in lines if line.strip().startswith("LOC:"))
    assert values_by_name["LOC"] == {
        "counts": [int(row[1]), int(row[2])], "description": "Local timer interrupts",
    }  # fmt: skip
    shared = (
        "           CPU0       CPU1\n"
        " 16:   20000000          0   IO-APIC  16-fasteoi   ehci_hcd:usb1, eth0, cciss0\n"
    )
    assert counters(shared)[0].values["devices"] == ["ehci_hcd:usb1", "eth0", "cciss0"]


def test_interrupts_of_old_kernels_and_of_other_chips() -> None:
    values_by_name = {
        counter.name: counter.values for counter in counters(text("interrupts-composed/shared.txt"))
    }
    assert values_by_name["19"]["devices"] == ["ata_piix", "uhci_hcd:usb5"]
    assert values_by_name["120"]["devices"] == ["PCIe PME", "aerdrv"]
    assert values_by_name["120"]["controller"] == "IR-PCI-MSI-0000:00:1c.0"
    assert values_by_name["124"]["devices"] == ["eth0-TxRx-0"]
    assert values_by_name["130"] == {
        "counts": [2, 91_000_000, 1, 0], "devices": ["mmc0"], "controller": "GICv3",
    }  # fmt: skip


def test_interrupts_end_where_prose_begins() -> None:
    alone = "            CPU0       CPU1\n  45:   1         9   PCI-MSI 524288-edge      eth0\n"
    rows = counters(f"{alone} NMI:          5   Non-maskable interrupts\n ERR:          3\n")
    assert {row.name: row.values["counts"] for row in rows} == {"45": [1, 9], "ERR": [3]}
    given = (
        "            CPU0       CPU1\n"
        "  45:   12345678         99   PCI-MSI 524288-edge      eth0-TxRx-0\n"
        "All of it goes to the first one.\n"
    )
    (counter,) = counters(given)
    assert counter.values["devices"] == ["eth0-TxRx-0"]


def test_diskstats_without_their_command_and_of_old_kernels() -> None:
    rows = text("linux-6.18/diskstats.txt").splitlines()[1:]
    assert len(counters("\n".join(rows))) == len(rows)
    given = "   8       0 sda 52106 2066 1901406 99376 40417 29113 1008610 405260 0 69436 504600\n"
    (counter,) = counters(given)
    assert counter.values["queue_time"] == pytest.approx(504.6)
    assert "discards" not in counter.values
    assert counters("   8       0 sda 52106 2066 1901406\n") == []


def test_an_array_is_the_same_to_mdstat_and_mdadm() -> None:
    printed_subjects = subjects_in(text("uml-md-lvm/all.txt"))
    arrays = [
        subject.values
        for subject in printed_subjects
        if subject.kind == "md" and subject.name == "md0"
    ]
    stat, detail = arrays[0], arrays[1]
    for key in ("level", "raid_disks", "chunk_size", "data_members", "stripe_width", "size",
                "degraded", "metadata_version"):  # fmt: skip
        assert stat[key] == detail[key], key
    assert stat["stripe_width"] == 2 * 65536
    (member,) = [subject for subject in printed_subjects if subject.kind == "md_member"]
    assert member.values["data_offset"] == 2048 * 512
    assert (arrays[-1]["degraded"], arrays[-1]["faulty"]) == (1, "ubdc")


def test_mdstat_of_a_rebuild_and_of_raid_10() -> None:
    given = (
        "Personalities : [raid10] [raid6]\n"
        "md2 : active raid10 sdd1[3] sdc1[2] sdb1[1] sda1[0]\n"
        "      1953260544 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]\n"
        "      bitmap: 0/15 pages [0KB], 65536KB chunk\n\n"
        "md1 : active raid6 sde[4] sdf[1](F) sdg[2](S)\n"
        "      3906521088 blocks level 6, 64k chunk, algorithm 2 [4/3] [U_UU]\n"
        "      [==>..................]  recovery = 12.6% (246320/1953260) finish=127.5min"
        " speed=12345K/sec\n\nunused devices: <none>\n"
    )
    first, second = subjects_in(given)
    assert (first.values["data_members"], first.values["bitmap"]) == (2, "internal")
    assert (second.values["sync_action"], second.values["sync_share"]) == ("recover", 0.126)
    assert (second.values["faulty"], second.values["spares"]) == ("sdf", "sdg")


def test_lvm_and_lsblk_tell_sizes_and_kinds() -> None:
    printed_subjects = subjects_in(text("uml-md-lvm/all.txt"))
    volumes = [subject for subject in printed_subjects if subject.kind == "lvm"]
    assert volumes[0].values["size"] == 24 * 2**20
    assert any(subject.values.get("below") == "md0" for subject in volumes)
    groups = [subject for subject in printed_subjects if subject.kind == "lvm_group"]
    assert groups[0].values["free"] == 84 * 2**20
    (volume,) = [subject for subject in printed_subjects if subject.kind == "lvm_pv"]
    assert volume.values["data_offset"] == 2**20
    disks = [subject for subject in printed_subjects if subject.kind == "disk"]
    assert {disk.name for disk in disks} == {"ubda", "ubdb", "ubdc", "ubdd"}
    assert disks[-1].values["scheduler"] == "mq-deadline"


def test_drbd_old_and_new() -> None:
    old = subjects_in(text("drbd-composed/proc-8.4.txt"))
    assert [subject.name for subject in old] == ["drbd0", "drbd1", ""]
    assert old[0].values["out_of_sync"] == 524288 * 1024
    assert old[0].values["protocol"] == "C"
    assert old[0].values["sync_share"] == pytest.approx(0.334)
    assert counters(text("drbd-composed/proc-8.4.txt"))[0].values["ns"] == 1048576 * 1024
    new = subjects_in(text("drbd-composed/status-9.txt"))
    assert [subject.name for subject in new] == ["r0", "r1"]
    assert new[0].values["peer_disk_state"] == "UpToDate"
    assert new[1].values["sync_share"] == pytest.approx(0.421)


@pytest.mark.parametrize(
    "name",
    ["sysstat-12.6/iostat-x.txt", "sysstat-12.6/iostat-xs.txt", "sysstat-12.6/iostat-xm.txt",
     "sysstat-12.6/iostat-dk.txt", "sysstat-12.6/iostat-h.txt", "sysstat-12.6/sar-d.txt",
     "sysstat-12.6/sar-p.txt", "vmstat-4.0.2/vmstat.txt", "vmstat-4.0.2/vmstat-t.txt",
     "linux-6.18/interrupts.txt", "linux-6.18/diskstats.txt", "interrupts-composed/shared.txt"],
)  # fmt: skip
def test_counters_survive_every_shape(name: str) -> None:
    def plain(counted: list[PrintedCounters]) -> list[tuple[str, object]]:
        return [(counter.name, dict(counter.values)) for counter in counted]

    expected = plain(counters(text(name)))
    assert expected
    for shape, changed in mangled(text(name)):
        if shape == "behind times" and "sar" in name:
            continue  # its own times begin the lines
        assert plain(counters(changed)) == expected, shape


@pytest.mark.parametrize("name", ["drbd-composed/proc-8.4.txt", "drbd-composed/status-9.txt"])
def test_states_survive_every_shape(name: str) -> None:
    expected = [(subject.name, dict(subject.values)) for subject in subjects_in(text(name))]
    for shape, changed in mangled(text(name), wraps=False):
        rows = [(subject.name, dict(subject.values)) for subject in subjects_in(changed)]
        assert rows == expected, shape


IOSTAT = """Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
vda              10.00        40.00         0.00         40          0
vdb              20.00        80.00         0.00         80          0
"""


def test_lines_that_sum_up_are_no_disks() -> None:
    rows = "".join(f"{name:9}        15.00        60.00         0.00         60          0\n"
                   for name in ("sum", "avg", "stddev"))  # fmt: skip
    given = counters(IOSTAT + rows)
    assert [(counter.kind, counter.name) for counter in given] == [
        ("disk", "vda"), ("disk", "vdb"), ("disks", "sum"), ("disks", "avg"), ("disks", "stddev"),
    ]  # fmt: skip
    near = counters(IOSTAT.replace("vdb", "vg-sum"))
    assert [counter.kind for counter in near] == ["disk", "disk"]
    grouped = counters("$ iostat -g both vda vdb\n" + IOSTAT.replace("vdb ", "both"))
    assert [counter.kind for counter in grouped] == ["disk", "disks"]


@pytest.mark.parametrize(
    ("command", "since_boot"),
    [
        ("iostat -y 1", False), ("iostat -dxy 1 5", False), ("/usr/bin/iostat -xyz 2", False),
        ("iostat -dx sda -y 1", False), ("sudo iostat -y 1 1", False),
        ("iostat -dx 1", True), ("iostat -j ID mydisk-y 1", True), ("iostat -p vdy-y", True),
    ],
)  # fmt: skip
def test_iostat_with_y_is_not_since_boot(command: str, since_boot: bool) -> None:
    given = counters(f"$ {command}\n{IOSTAT}\n{IOSTAT}")
    first = [counter.values["since_boot"] for counter in given if counter.values["report"] == 1]
    later = [counter.values["since_boot"] for counter in given if counter.values["report"] == 2]
    assert (set(first), set(later)) == ({since_boot}, {False})


def test_whether_a_report_alone_is_since_boot_is_not_known() -> None:
    assert {counter.values["since_boot"] for counter in counters(IOSTAT)} == {None}
    many = counters("$ iostat 1\n" + f"{IOSTAT}\n" * 300)
    assert len(many) == 600
    assert [counted.values["since_boot"] for counted in many[2:]] == [False] * 598


def test_vmstat_goes_on_below_a_repeated_head() -> None:
    head = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    )
    row = " 1  0      0 100000  20000 300000    0    0    {}    10  100  200  1  2 97  0  0\n"
    given = head + row.format(1) + row.format(2) + head + row.format(3)
    (counter,) = counters(f"$ vmstat 1\n{given}")
    assert counter.values["blocks_in"] == [1024, 2048, 3072]
    assert counter.values["since_boot"] is True
    assert counters(given)[0].values["since_boot"] is None


DRIVE = """=== START OF INFORMATION SECTION ===
Vendor:               ACME
Product:              DISK{number}
User Capacity:        2,000,398,934,016 bytes [2.00 TB]
Rotation Rate:        7200 rpm
Transport protocol:   SAS (SPL-3)
Accumulated start-stop cycles:  {number}
"""


def test_each_drive_of_several_is_its_own() -> None:
    text = f"20T:\n\n{DRIVE.format(number=182)}\n18T:\n\n{DRIVE.format(number=261)}"
    drives = [s.values for state in states(text) for s in state.subjects]
    assert [drive["model"] for drive in drives] == ["DISK182", "DISK261"]
    assert [drive["accumulated_start_stop_cycles"] for drive in drives] == [182, 261]
    assert drives[0]["transport_protocol"] == "SAS (SPL-3)"


def test_a_raw_value_that_is_no_number_is_kept_as_text() -> None:
    head = "ID# ATTRIBUTE_NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW_VALUE\n"
    row = "  9 Power_On_Hours_and_Msec 0x0032   093   093   000    Old_age   Always       -       "
    (drive,) = states(f"{head}{row}6206h+47m+20.770s\n")[0].subjects
    assert drive.values == {
        "power_on_hours_and_msec": "6206h+47m+20.770s",
        "power_on_time": (6206 * 60 + 47) * 60 + 20,
    }
    (drive,) = states(f"{head}{row}6206\n")[0].subjects
    assert drive.values["power_on_hours_and_msec"] == 6206


WIDE = """$ lsblk -f
NAME   FSTYPE            FSVER LABEL     UUID                                 FSAVAIL FSUSE% MOUNTPOINT
sdq
└─sdq1 linux_raid_member 1.2   box:0     7a726017-4d75-40db-a90c-485f61209c56
  └─md7 ext4             1.0             ceef50e9-afdd-4903-899d-1ad05a0780e0    2.7T    51% /srv/a
sdr
└─sdr1 btrfs                   Data4     207ea593-b347-453a-bc5d-fce2a9d4c609    1.5T    73% /srv/b
"""  # noqa: E501


def test_lsblk_f_that_a_mail_broke_at_any_width() -> None:
    whole = subjects_in(WIDE, "lsblk")
    named = {thing.name: dict(thing.values) for thing in whole}
    assert named["md7"]["uuid"] == "ceef50e9-afdd-4903-899d-1ad05a0780e0"
    assert (named["sdr1"]["label"], named["sdr1"]["fsavail"]) == ("Data4", 1.5 * 2**40)
    assert named["sdr1"]["fsused_share"] == 0.73
    assert not {"fsavail", "fsused_share"} & set(named["sdr"])  # it is not mounted
    for width in (78, 84, 87):
        broken = "\n".join(
            line
            if len(line) <= width
            else f"{line[: (at := line.rfind(' ', 0, width))].rstrip()}\n{line[at:].strip()}"
            for line in WIDE.splitlines()
        )
        assert broken.count("\n") > WIDE.count("\n"), width
        assert subjects_in(f"{broken}\n", "lsblk") == whole, broken


def test_multipath_maps_by_their_wwids_stand_in_a_table() -> None:
    table = """\
NAME                                MAJ:MIN RM   SIZE RO TYPE  MOUNTPOINT
sdb                                   8:16   0    10G  0 disk
└─3600a098038314b7334245854726b6548 253:0    0    10G  0 mpath /data
sdc                                   8:32   0    10G  0 disk
└─3600a098038314b7334245854726b6548 253:0    0    10G  0 mpath /data
"""
    for text in (f"root@db1:~# lsblk\n{table}", table.partition("\n")[2]):
        named = {thing.name: dict(thing.values) for thing in subjects_in(text, "lsblk")}
        assert set(named) == {"sdb", "sdc", "mapper/3600a098038314b7334245854726b6548"}
        assert named["mapper/3600a098038314b7334245854726b6548"]["below"] == "sdb sdc"
    short = table.replace("3600a098038314b7334245854726b6548", "36-5                             ")
    assert {thing.name for thing in subjects_in(short, "lsblk")} == {"sdb", "sdc"}  # no name
