"""What mechanisms write, offer and keep: pure parts, and what they read from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from iosonde.change.keep import merged
from iosonde.errors import FileMissing, Refused
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.layers.nfs.facts import parse_section
from iosonde.layers.nfs.settings import NfsdSettings
from iosonde.settings import MECHANISMS
from iosonde.settings.cpufreq import Cpufreq
from iosonde.settings.ethtool import Ethtool
from iosonde.settings.mechanism import MARK, PersistentLine, write_file
from iosonde.settings.modparam import Modparam, parse_options
from iosonde.settings.remount import (
    Remount,
    edited,
    mounted_options,
    value_in,
    with_option,
    without_edits,
)
from iosonde.settings.sysctl import Sysctl, parse_configuration
from iosonde.settings.sysfs import Sysfs, parse_rules

PROPERTIES = "DEVNAME=/dev/vdb\nID_SERIAL=d1\nDEVTYPE=disk\n"
FEATURES = """Features for eth1:
rx-checksumming: on [fixed]
tcp-segmentation-offload: off
\ttx-tcp-segmentation: off
generic-receive-offload: on
"""


class Files(LocalHost):
    """A host that has just these files, and answers these programs."""

    name = "box"

    def __init__(self, files: Mapping[str, str], answers: Mapping[str, str] | None = None) -> None:
        self.files = files
        self.answers = answers or {}

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:  # fmt: skip
        said = self.answers.get(argv[0])
        return Completed(tuple(argv), 127 if said is None else 0, (said or "").encode(), b"", 0.0)

    def _read(self, path: str) -> bytes:
        if path not in self.files:
            raise FileMissing(f"{path}: No such file or directory", where=self.name)
        return self.files[path].encode()

    async def glob(self, pattern: str) -> tuple[str, ...]:
        head, _, tail = pattern.partition("*")
        return tuple(
            sorted(file for file in self.files if file.startswith(head) and file.endswith(tail))
        )


def test_a_value_is_an_argument_of_its_own() -> None:
    *_, path, value = write_file("/sys/x y", "$(reboot); `halt`")
    assert (path, value) == ("/sys/x y", "$(reboot); `halt`")


@pytest.mark.parametrize("name", sorted(MECHANISMS))
async def test_on_a_host_without_anything_nothing_is_offered_or_kept(name: str) -> None:
    mechanism, host = MECHANISMS.load(name)(), Files({})
    assert await mechanism.offered(host, []) == {}
    assert await mechanism.kept(host, []) == {}
    if not mechanism.files:  # nothing on the host could hold it
        with pytest.raises(Refused):
            await mechanism.keep(host, "what", "1")
    assert mechanism.without("what somebody wrote\n") == "what somebody wrote\n"


async def test_a_scheduler_offers_what_the_kernel_has() -> None:
    path = "/sys/block/vdb/queue/scheduler"
    host = Files({path: "none [mq-deadline] bfq\n", "/sys/x": "5\n"})
    assert await Sysfs().offered(host, [path, "/sys/x"]) == {path: ("none", "mq-deadline", "bfq")}
    assert Sysfs().device(path) == "/sys/block/vdb/diskseq"
    assert Sysfs().device("/sys/class/net/eth0/mtu") == "/sys/class/net/eth0/ifindex"
    assert Sysfs().device("/sys/module/x/parameters/y") == ""


async def test_a_rule_of_udev_names_the_disk_by_its_serial_and_is_read_back() -> None:
    path, other = "/sys/block/vdb/queue/scheduler", "/sys/block/vdb/queue/nr_requests"
    host = Files({}, {"udevadm": PROPERTIES})
    kept = await Sysfs().keep(host, path, "none")
    assert 'ENV{ID_SERIAL}=="d1"' in kept.line
    added, changed = kept.line.splitlines()
    assert added.endswith('ATTR{queue/scheduler}="none", ACTION=="add"')
    assert changed.endswith('ATTR{queue/scheduler}="none", ACTION=="change", ENV{SYNTH_UUID}!="0"')
    assert added.startswith(kept.key)
    assert changed.startswith(kept.key)
    assert parse_rules(kept.line) == {("ENV{ID_SERIAL}", "d1", "queue/scheduler"): "none"}
    again = Files({kept.file: f"# made by iosonde\n{kept.line}\n"}, {"udevadm": PROPERTIES})
    assert await Sysfs().kept(again, [path, other]) == {path: "none"}
    stranger = Files(again.files, {"udevadm": "ID_SERIAL=d2\nDEVTYPE=disk\n"})
    assert await Sysfs().kept(stranger, [path]) == {}


async def test_without_a_lasting_name_the_user_is_told() -> None:
    kept = await Sysfs().keep(Files({}), "/sys/block/loop0/queue/nomerges", "2")
    assert 'KERNEL=="loop0"' in kept.line
    assert "may change" in kept.note
    with pytest.raises(Refused):
        await Sysfs().keep(Files({}), "/sys/module/x/parameters/y", "2")
    with pytest.raises(Refused):
        await Sysfs().keep(Files({}), "/sys/block/loop0/queue/nomerges", '"')


def test_sysctl_configuration() -> None:
    text = (
        "# x = 1\n; y = 2\n\nvm.dirty_ratio=10\n-net/ipv4/tcp_rmem =  1\t2  3\nvm.swappiness = \n"
    )
    assert parse_configuration(text) == {
        "vm.dirty_ratio": "10", "net.ipv4.tcp_rmem": "1 2 3", "vm.swappiness": "",
    }  # fmt: skip


async def test_a_later_file_of_sysctl_wins_and_one_hides_its_namesake() -> None:
    host = Files({
        "/usr/lib/sysctl.d/50-a.conf": "vm.swappiness = 1\nvm.dirty_ratio = 1\n",
        "/etc/sysctl.d/50-a.conf": "vm.swappiness = 2\n",
        "/etc/sysctl.d/60-b.conf": "vm.swappiness = 3\n",
    })  # fmt: skip
    assert await Sysctl().kept(host, ["vm.swappiness", "vm.dirty_ratio"]) == {"vm.swappiness": "3"}
    last = Files({**host.files, "/etc/sysctl.conf": "vm.swappiness = 4\n"})
    assert await Sysctl().kept(last, ["vm.swappiness"]) == {"vm.swappiness": "4"}
    assert "is read later" in (await Sysctl().keep(last, "vm.swappiness", "9")).note
    assert (await Sysctl().keep(host, "vm.swappiness", "9")).note == ""


async def test_module_parameters() -> None:
    text = "options aoe aoe_maxout=64 aoe_deadsecs=5\nblacklist x\n options a-b c=d=e\n"
    assert parse_options(text) == {"aoe.aoe_maxout": "64", "aoe.aoe_deadsecs": "5", "a_b.c": "d=e"}
    path = "/sys/module/aoe/parameters/aoe_maxout"
    host = Files({
        path: "128\n", "/etc/modprobe.d/x.conf": text, "/proc/cmdline": "ro aoe.aoe_maxout=7\n",
    })  # fmt: skip
    assert await Modparam().get(host, ["aoe.aoe_maxout", "no.such"]) == {"aoe.aoe_maxout": 128}
    assert await Modparam().kept(host, ["aoe.aoe_maxout", "aoe.aoe_deadsecs"]) == {
        "aoe.aoe_maxout": "7", "aoe.aoe_deadsecs": "5",
    }  # fmt: skip
    kept = await Modparam().keep(host, "aoe.aoe_maxout", "16")
    assert parse_options(kept.line) == {"aoe.aoe_maxout": "16"}
    assert "built into the kernel" in kept.note


async def test_threads_of_nfsd() -> None:
    text = "[general]\nthreads=1\n[nfsd]\n# threads=8\n threads = 16\nhost=a\n[mountd]\nthreads=2\n"
    assert parse_section(text) == {"threads": "16", "host": "a"}
    files = {"/proc/fs/nfsd/threads": "8\n", "/etc/nfs.conf": text}
    assert await NfsdSettings().get(Files(files), ["threads"]) == {"threads": 8}
    more = Files({**files, "/etc/nfs.conf.d/zz-iosonde.conf": "[nfsd]\nthreads = 64\n"})
    assert await NfsdSettings().kept(more, ["threads"]) == {"threads": "64"}
    kept = await NfsdSettings().keep(Files(files), "threads", "32")
    assert parse_section(f"{kept.section}\n{kept.line}\n") == {"threads": "32"}


async def test_what_ethtool_calls_fixed_offers_only_what_it_is() -> None:
    host = Files({}, {"ethtool": FEATURES})
    wanted = ["eth1 rx_checksum", "eth1 tso", "eth1 rx_ring"]
    assert await Ethtool().offered(host, wanted) == {"eth1 rx_checksum": ("on",)}
    assert Ethtool().change("eth1 rx_ring", "512") == ("ethtool", "-G", "eth1", "rx", "512")
    assert Ethtool().change("eth1 adaptive_rx", "on")[1:] == ("-C", "eth1", "adaptive-rx", "on")


async def test_a_rule_for_an_interface_is_read_back_and_says_what_may_change() -> None:
    path, assigned = "/sys/class/net/enp3s0/mtu", "/sys/class/net/enp3s0/name_assign_type"
    kept = await Sysfs().keep(Files({assigned: "4\n"}), path, "9000")
    assert 'ACTION=="add|move"' in kept.line
    assert "may change" not in kept.note
    again = Files({kept.file: f"# made by iosonde\n{kept.line}\n"})
    assert await Sysfs().kept(again, [path, path.replace("enp3s0", "eth0")]) == {path: "9000"}
    counted = await Sysfs().keep(Files({assigned: "1\n"}), path, "9000")
    assert "may change" in counted.note  # eth0, as the kernel counts them


async def test_a_rule_for_the_governor_is_read_back() -> None:
    kept = await Cpufreq().keep(Files({}), "scaling_governor", "performance")
    again = Files({kept.file: f"# made by iosonde\n{kept.line}\n"})
    wanted = ["scaling_governor", "energy_performance_preference"]
    assert await Cpufreq().kept(again, wanted) == {"scaling_governor": "performance"}


def test_a_value_kept_anew_takes_the_place_of_both_its_rules() -> None:
    old, new = (
        PersistentLine("f", 'K, ATTR{x}="', f'K, ATTR{{x}}="{value}", A\nK, ATTR{{x}}="{value}", B')
        for value in "12"
    )
    mark = f"{MARK} today"
    text = merged(merged("", [old], mark), [new], mark)
    assert text.splitlines() == [mark, 'K, ATTR{x}="2", A', 'K, ATTR{x}="2", B']


async def test_a_rule_that_runs_ethtool_is_read_back() -> None:
    host = Files({}, {"sh": "/usr/sbin/ethtool\n"})
    kept = await Ethtool().keep(host, "eth1 gro", "off")
    again = Files({kept.file: f"# made by iosonde\n{kept.line}\n"})
    assert await Ethtool().kept(again, ["eth1 gro", "eth1 tso"]) == {"eth1 gro": "off"}


def test_mount_options() -> None:
    text = (
        "30 1 8:1 / /mnt/a\\040b rw,noatime shared:1 - ext4 /dev/sda rw,commit=30,nobarrier\n"
        "31 1 8:2 / /x rw,relatime - ext4 /dev/sdb rw\nshort line\n"
    )
    values = mounted_options(text)
    assert value_in("atime", values["/mnt/a b"]) == "noatime"
    assert value_in("commit", values["/mnt/a b"]) == "30"
    assert value_in("barrier", values["/mnt/a b"]) == "off"
    assert value_in("commit", values["/x"]) is None


async def test_a_default_that_the_kernel_does_not_show_is_known() -> None:
    text = "31 1 8:2 / /x rw,relatime - ext4 /dev/sdb rw\n"
    host = Files({"/proc/self/mountinfo": text})
    wanted = ["commit /x", "barrier /x", "atime /x", "discard /x", "lazytime /y"]
    assert await Remount().get(host, wanted) == {
        "commit /x": 5, "barrier /x": "on", "atime /x": "relatime", "discard /x": "off",
    }  # fmt: skip


FSTAB = (
    "# a note\nUUID=1  /mnt/a\\040b\text4\tdefaults  0 2\n/dev/x /x xfs rw,relatime,noexec 0 0\n"
)


def test_a_line_of_fstab_keeps_its_shape_and_comes_back() -> None:
    once = edited(FSTAB, "/mnt/a b", "atime", "noatime")
    assert "UUID=1  /mnt/a\\040b\text4\tnoatime  0 2\n" in once
    twice = edited(once, "/mnt/a b", "commit", "30")
    assert "\tnoatime,commit=30  0 2\n" in twice
    assert edited(twice, "/mnt/a b", "commit", "60").count("commit=") == 1
    assert with_option("/dev/x /x xfs rw,relatime,noexec 0 0", "atime", "noatime") == (
        "/dev/x /x xfs rw,noexec,noatime 0 0"
    )
    assert without_edits(twice) == FSTAB
    assert without_edits(FSTAB) == FSTAB


async def test_what_fstab_does_not_name_cannot_be_kept() -> None:
    with pytest.raises(Refused, match="fstab"):
        await Remount().keep(Files({"/etc/fstab": FSTAB}), "atime /elsewhere", "noatime")
    with pytest.raises(Refused, match="no such mount option"):
        Remount().change("atime /x", "maybe")
