"""Mounts, exports, sizes and settings of hosts, as files and tools print them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedState
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states, subjects_in, unread_in

OUTPUTS = Path(__file__).parents[3] / "outputs"
KIB = 1024
GIB = 1 << 30
REAL = [
    *sorted(
        str(path.relative_to(OUTPUTS))
        for folder in ("util-linux-2.38.1", "coreutils-9.1", "procps-4.0.2")
        for path in (OUTPUTS / folder).glob("*.txt")
        if path.name != "df-i.txt"
    ),
    "linux-6.1-nfs/proc-mounts.txt", "nfs-utils-2.6.2/exportfs-v.txt",
    "nfs-utils-2.6.2/exportfs-s.txt", "nfs-utils-2.6.2/nfsstat-m.txt",
    *(f"linux-2.6.18-nfs/{name}.txt" for name in
      ("df-h", "fstab", "exports", "sysctl", "sysclt", "sysconfig", "commands")),
]  # fmt: skip


def text_of(name: str) -> str:
    return (OUTPUTS / name).read_text()


def hostless(text: str) -> list[PrintedState]:
    return [replace(output, host="") for output in states(text)]


def values(text: str, kind: str, name: str = "") -> dict[str, Scalar]:
    (subject,) = [
        subject for subject in subjects_in(text) if (subject.kind, subject.name) == (kind, name)
    ]
    return dict(subject.values)


@pytest.mark.parametrize("name", REAL)
def test_every_shape_of_an_output_says_the_same(name: str) -> None:
    expected = hostless(text_of(name))
    assert expected
    for shape, text in mangled(text_of(name)):
        assert hostless(text) == expected, shape
        assert not unread_in(text), shape


def test_five_views_of_the_same_mounts_agree() -> None:
    expected = subjects_in(text_of("linux-6.1-nfs/proc-mounts.txt"))
    assert [(subject.kind, subject.name) for subject in expected] == [
        ("ext4", "/run/export"), ("nfs", "/run/images"),
    ]  # fmt: skip
    for name in ("mount", "findmnt", "findmnt-l", "findmnt-P"):
        assert subjects_in(text_of(f"util-linux-2.38.1/{name}.txt")) == expected, name
    (mount,) = subjects_in(text_of("nfs-utils-2.6.2/nfsstat-m.txt"))
    own = dict(expected[1].values)
    assert own.pop("type") == "nfs4"  # which nfsstat does not print
    assert mount.values == own
    assert mount.values["server"] == "127.0.0.1"
    assert (mount.values["write_size"], mount.values["connections"]) == (65_536, 4)
    assert mount.values["hard"] is False


def test_exportfs_in_two_forms_agrees() -> None:
    wrapped = subjects_in(text_of("nfs-utils-2.6.2/exportfs-v.txt"))
    assert wrapped == subjects_in(text_of("nfs-utils-2.6.2/exportfs-s.txt"))
    last = wrapped[-1]
    assert (last.name, last.values["clients"]) == ("/run/export/lost+found", "*")
    assert (last.values["async"], last.values["sync"]) == (True, False)
    assert wrapped[1].values["sec"] == "sys:krb5"


@pytest.mark.parametrize(("line", "expected"), [
    ("/srv 10.0.0.0/24(rw,sync) backup(ro,async)",
     [("10.0.0.0/24", True), ("backup", False)]),
    ("/srv \\\n   10.0.0.1(rw,sync) \\\n   10.0.0.2(rw,async)",
     [("10.0.0.1", True), ("10.0.0.2", False)]),
])  # fmt: skip
def test_exports_with_several_clients(line: str, expected: list[tuple[str, bool]]) -> None:
    printed_subjects = subjects_in(line)
    assert [
        (subject.values["clients"], subject.values["sync"]) for subject in printed_subjects
    ] == expected


@pytest.mark.parametrize("line", ["/* Purge status (ro) */", "/*- blocking (sync) or not */"])
def test_a_comment_of_a_program_is_no_export(line: str) -> None:
    assert read(line) == []
    assert subjects_in(line.replace("/*", "/srv", 1).removesuffix(" */").removesuffix(" or not */"))


def test_a_blank_before_the_options_gives_them_to_the_world() -> None:
    (subject,) = subjects_in("/srv trusted (rw,no_root_squash)")
    assert subject.values["clients"] == "*"
    assert subject.values["written_apart_from"] == "trusted"


def test_fstab_with_four_and_six_fields() -> None:
    (ext3,) = subjects_in(text_of("linux-2.6.18-nfs/fstab.txt"))
    assert (ext3.kind, ext3.name) == ("ext3", "/mnt/nfs")
    assert ext3.values == {
        "device": "/dev/cciss/c0d1", "defaults": True, "noatime": True, "data": "journal",
    }  # fmt: skip
    table = (
        "# /etc/fstab: static file system information.\n"
        "#\n"
        "# <file system> <mount point>   <type>  <options>       <dump>  <pass>\n"
        "UUID=6a454a-c0fc /               ext4    errors=remount-ro 0       1\n"
        "LABEL=data\t/srv\txfs\tdefaults,noatime,logbsize=256k\t0\t2\n"
        "tmpfs /tmp tmpfs defaults 0 0\n"
        "/dev/sdb2 none swap sw 0 0\n"
        "filer:/vol/home /home nfs4 rw,hard,wsize=32768 0 0\n"
    )
    printed_subjects = subjects_in(table)
    assert [(subject.kind, subject.name) for subject in printed_subjects] == [
        ("ext4", "/"), ("xfs", "/srv"), ("swap", "sdb2"), ("nfs", "/home"),
    ]  # fmt: skip
    assert printed_subjects[1].values["logbsize"] == "256k"
    assert printed_subjects[3].values["write_size"] == 32_768


def test_df_in_all_its_units() -> None:
    exact = {
        subject.name: subject.values for subject in subjects_in(text_of("coreutils-9.1/df.txt"))
    }
    assert exact["/run/export"] == {
        "device": "/dev/ubda", "size": 587_464 * KIB, "used": 61_464 * KIB,
        "available": 482_992 * KIB, "used_share": 0.12,
    }  # fmt: skip
    for name in ("df-h", "df-hT", "df-T", "df-P", "df-m"):
        for subject in subjects_in(text_of(f"coreutils-9.1/{name}.txt")):
            size = exact[subject.name]["size"]
            assert isinstance(size, int)
            assert subject.values["size"] == pytest.approx(size, rel=0.01), (name, subject.name)
    commanded = "root@node:~# df -H\n" + text_of("coreutils-9.1/df-H.txt")
    assert values(commanded, "filesystem", "/run/export")["size"] == 602_000_000
    (state,) = states(commanded)
    assert (state.host, state.command) == ("node", "df -H")
    kinds = {
        subject.name: subject.kind for subject in subjects_in(text_of("coreutils-9.1/df-hT.txt"))
    }
    assert (kinds["/run/export"], kinds["/run/images"]) == ("ext4", "nfs")


def test_df_with_a_long_device_name() -> None:
    printed_subjects = subjects_in(text_of("linux-2.6.18-nfs/df-h.txt"))
    assert [subject.name for subject in printed_subjects] == ["/", "/boot", "/dev/shm", "/mnt/nfs"]
    assert printed_subjects[0].values["device"] == "/dev/mapper/VolGroup00-LogVol00"
    assert printed_subjects[0].values["size"] == 128 * GIB


def test_sysctl_of_a_whole_host_against_its_recording() -> None:
    """A second view: the same names as plain lines, split at the equals sign."""
    fields = values(text_of("procps-4.0.2/sysctl-a.txt"), "host")
    plain = [line.split(" =", 1) for line in text_of("procps-4.0.2/sysctl-a.txt").splitlines()]
    assert len(fields) == len(plain) == 765
    for name, value in plain:
        assert str(fields[name]).split() == value.split() or name == "kernel.version", name
    assert fields["vm.dirty_background_ratio"] == 10


def test_files_are_named_as_the_text_names_them() -> None:
    text = text_of("linux-2.6.18-nfs/sysclt.txt")
    assert values(text, "host")["vm.dirty_background_ratio"] == 1
    assert values(text, "file", "/etc/sysclt.conf") == {"holds": "sysctl"}
    assert values(text_of("linux-2.6.18-nfs/sysconfig.txt"), "file", "/etc/sysconfig/nfs") == {
        "holds": "nfs", "RPCNFSCOUNTD": 128,
    }  # fmt: skip
    right = text_of("linux-2.6.18-nfs/sysconfig.txt").replace("COUNTD", "DCOUNT")
    assert values(right, "nfsd") == {"threads": 128}


@pytest.mark.parametrize(("line", "kind", "name", "expected"), [
    ('echo "noop" > /sys/block/cciss\\!c0d1/queue/scheduler', "disk", "cciss/c0d1",
     {"scheduler": "noop"}),
    ("echo mq-deadline | sudo tee /sys/block/sdb/queue/scheduler", "disk", "sdb",
     {"scheduler": "mq-deadline"}),
    ("echo 32768 > /sys/block/md0/md/stripe_cache_size", "md", "md0",
     {"stripe_cache_size": 32768}),
    ("echo 64 >/sys/block/sda/device/queue_depth", "disk", "sda", {"queue_depth": 64}),
    ("echo 128 > /proc/fs/nfsd/threads", "nfsd", "", {"threads": 128}),
    ("echo 5 > /proc/sys/vm/dirty_ratio", "host", "", {"vm.dirty_ratio": 5}),
    ("It was started (by echo 1 > /proc/sys/vm/compact_memory):", "host", "",
     {"vm.compact_memory": 1}),
    ("/sbin/blockdev --setra 1024 /dev/cciss/c0d0", "disk", "cciss/c0d0", {"read_ahead_kb": 512}),
    ("/sbin/ifconfig eth0 txqueuelen 10000", "link", "eth0", {"txqueuelen": 10000}),
    ("ifconfig eth1 192.168.1.1 netmask 255.255.255.0 mtu 9000 up", "link", "eth1", {"mtu": 9000}),
    ("ip link set dev eth2 mtu 9000 txqueuelen 5000", "link", "eth2",
     {"mtu": 9000, "txqueuelen": 5000}),
    ("ethtool -K eth0 tso off gro on rx off", "link", "eth0",
     {"tso": False, "gro": True, "rx_checksum": False}),
    ("ethtool -G eth0 rx 4096 tx 4096", "link", "eth0", {"rx_ring": 4096, "tx_ring": 4096}),
    ("ethtool -C eth0 adaptive-rx off rx-usecs 10", "link", "eth0",
     {"adaptive_rx": False, "rx_usecs": 10}),
    ("ethtool -L eth0 combined 8", "link", "eth0", {"combined_channels": 8}),
    ("ethtool -s eth0 speed 1000 duplex full autoneg off", "link", "eth0",
     {"speed": 125_000_000, "duplex": "full", "autoneg": False}),
    ("sysctl -w vm.dirty_ratio=10 net.ipv4.tcp_rmem='4096 87380 16777216'", "host", "",
     {"vm.dirty_ratio": 10, "net.ipv4.tcp_rmem": "4096 87380 16777216"}),
    ("hdparm -W0 /dev/sdb", "disk", "sdb", {"write_cache": "write through"}),
    ("hdparm -W 1 -a 256 /dev/sdb", "disk", "sdb",
     {"write_cache": "write back", "read_ahead_kb": 128}),
    ("chkconfig --level 3 sendmail off", "host", "", {"services_off": "sendmail"}),
    ("systemctl disable --now irqbalance", "host", "", {"services_off": "irqbalance"}),
    ("hpacucli ctrl slot=2 modify cacheratio=75/25", "controller", "slot2",
     {"slot": 2, "cache_read_share": 0.75, "cache_write_share": 0.25}),
    ("ssacli ctrl slot=0 modify dwc=enable", "controller", "slot0",
     {"slot": 0, "disk_cache": "enabled"}),
    ("mount -o noatime,data=writeback -t ext3 /dev/sdb1 /srv", "ext3", "/srv",
     {"device": "/dev/sdb1", "noatime": True, "data": "writeback"}),
])  # fmt: skip
def test_commands_that_set_something(
    line: str, kind: str, name: str, expected: dict[str, Scalar]
) -> None:
    for text in (line, f"[root@san1 ~]# {line}", f"    {line}", f"Then run `{line}` there."):
        assert values(text, kind, name) == expected, text
    (state,) = states(f"[root@san1 ~]# {line}")
    assert state.host == "san1"


def test_a_loop_over_disks_and_a_block_of_commands() -> None:
    printed_subjects = subjects_in(
        "for d in sda sdb; do echo none > /sys/block/$d/queue/scheduler; done"
    )
    assert [(subject.name, subject.values) for subject in printed_subjects] == [
        ("sda", {"scheduler": "none"}), ("sdb", {"scheduler": "none"}),
    ]  # fmt: skip
    block = "chkconfig --level 3 xfs off\nchkconfig --level 3 sendmail off\nchkconfig gpm off\n"
    assert values(block, "host") == {"services_off": "xfs, sendmail, gpm"}
    long = (
        "ip link set dev enp175s0f1np1 txqueuelen 10000 promisc off multicast on\n"
        "mtu 9000\n"
    )  # fmt: skip
    assert values(long, "link", "enp175s0f1np1") == {"txqueuelen": 10000, "mtu": 9000}


@pytest.mark.parametrize("prose", [
    "Set vm.dirty_ratio to a lower value, as net.core.rmem_max was raised.",
    "Use the export options (rw,sync) rather than (rw,async).",
    "The file system is ext4 on most hosts; an xfs volume is of type xfs (see below).",
    "The df output has Used Avail columns and is Mounted on a host.",
    "ethtool -k eth0 shows it; ifconfig eth0 tells the mtu and txqueuelen as well.",
    "The files in /sys/block/sda/queue/ tell it: cat /sys/block/sda/queue/scheduler",
    "mount -o is what sets options, blockdev --setra the read-ahead.",
])  # fmt: skip
def test_prose_is_no_output(prose: str) -> None:
    assert read(prose) == []


def test_what_tee_prints_is_no_part_of_the_path() -> None:
    prompt = "gerard@desktop-of-the-office:~$ echo 3 | sudo tee "
    (state,) = states(f"{prompt}/proc/sys/vm/drop_caches\n3\n")
    assert [dict(subject.values) for subject in state.subjects] == [{"vm.drop_caches": 3}]
    (state,) = states(f"{prompt}/proc/sys/vm/dirty_\nratio\n")
    assert [dict(subject.values) for subject in state.subjects] == [{"vm.dirty_ratio": 3}]


def test_rows_of_a_table_that_explains_settings_are_none() -> None:
    assert (
        states("| vm.swappiness = 0   | The kernel swaps only to avoid being out of memory\n") == []
    )
    (state,) = states("vm.swappiness = 0\nkernel.core_pattern = |/usr/lib/crash %p\n")
    assert state.subjects[0].values["vm.swappiness"] == 0
