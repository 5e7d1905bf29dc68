"""Outputs of other projects that `tools.published` looks for, and how files are taken apart."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Collection:
    """The outputs of one repository: which paths (group `tool`), and how a file is taken apart."""

    repository: str
    paths: str
    parts: Callable[[str, str], Iterator[tuple[str, str]]]
    oracle: str = ""


def whole(path: str, text: str) -> Iterator[tuple[str, str]]:
    """A file that is one output, or a page of several between prose."""
    yield path, text


def constants(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Strings of several lines that a module of tests gives a name to."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and (value := _string(node.value)) is not None
            and len(value.strip().splitlines()) > 1
        ):
            yield f"{path}:{node.targets[0].id}", value.strip("\n") + "\n"


def _string(node: ast.expr) -> str | None:
    """The text of a string constant, or of one with `.strip()` and the like behind it."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def cram(path: str, text: str) -> Iterator[tuple[str, str]]:
    """A test of cram: commands and outputs two columns in; lines with patterns are left out."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("  ")]
    yield path, "\n".join(line for line in lines if not line.endswith((" (glob)", " (re)"))) + "\n"


_HEREDOC = re.compile(r"<<[-~]?'?([A-Z]\w*)'?[^\n]*\n(.*?)\n[ \t]*\1\b", re.DOTALL)


def heredocs(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Texts that a test in Ruby or a shell has between `<<WORD` and WORD."""
    for at, match in enumerate(_HEREDOC.finditer(text), start=1):
        content = textwrap.dedent(match[2])
        if len(content.strip().splitlines()) > 1:
            yield f"{path}:{at}", content + "\n"


_OF_STORAGE = re.compile(
    r"/(?:diskstats|mdstat|meminfo|vmstat|loadavg|swaps|slabinfo|stat|interrupts|zoneinfo|buddyinfo|"
    r"mounts|mountinfo|mountstats|io|status|limits|smaps|fs/.+|rpc/.+|pressure/.+|spl/.+|"
    r"stats|stats_total/.+|queue/.+|block/.+/uevent)$"
)


def archive(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Files of an archive of ttar that are about storage and have more than one line."""
    for entry in re.split(r"^Path: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = entry.partition("\n")
        count, _, content = rest.partition("\n")
        if not count.startswith("Lines: ") or not _OF_STORAGE.search(name):
            continue
        lines = content.split("\n")[: int(count.removeprefix("Lines: "))]
        if len(lines) > 1:
            yield f"{path}:{name}", "\n".join(lines).replace("NULLBYTE", "") + "\n"


_STORAGE = (
    "blkid|df|du|findmnt|free|fstab|iostat|lsblk|lsmod|mdadm|mount|mpstat|pidstat|proc|sfdisk|"
    "stat|swapon|sysctl|top|tune2fs|udevadm|uptime|vmstat|zpool|lspci"
)
COLLECTIONS = (
    Collection(
        "kellyjonbrazil+jc",
        rf"tests/fixtures/.*/(?P<tool>{_STORAGE})[-\w.]*\.out",
        whole,
        ".json",
    ),
    Collection(
        "RedHatInsights+insights-core",
        r"insights/tests/parsers/test_(?P<tool>bdi_read_ahead_kb|blkid|cciss|ceph_\w+|cifs|"
        r"cryptsetup_luksDump|df|dmesg|dmsetup|du|dumpe2fs_h|ethtool|fcoeadm_i|filefrag|findmnt|"
        r"fstab|gluster_\w+|iscsiadm_mode_session|losetup|ls_dev|lsblk|lsscsi|lvdisplay|lvm\w*|lvs|"
        r"mdadm|mdstat|meminfo|messages|mlx4_port|mount|multipath_\w+|ndctl_list|nfs_\w+|"
        r"nvme_\w+|parted|partitions|pvs|qemu_xml|repquota|scheduler|scsi\w*|smartctl|sockstat|"
        r"sys_block|sysctl|systool|tuned\w*|udev_rules|uptime|vdo_status|vgdisplay|vgs|"
        r"vmcore_dmesg|xfs_\w+|slabinfo|pidstat|lspci|cpupower\w+|interrupts)\.py",
        constants,
    ),
    Collection(
        "intel+lkp-tests",
        r"spec/fixtures/stats/(?P<tool>dbench|dmesg|fio|fsmark|fxmark|iperf|kmsg|mpstat|netperf|"
        r"perf-stat|vmstat|sysbench\w*|xfstests|stress-ng|mdadm-selftests|turbostat|stream)/[^.]+",
        whole,
        ".yaml",
    ),
    Collection(
        "util-linux+util-linux",
        r"tests/expected/(?P<tool>lsblk|fdisk|sfdisk|blkid|findmnt|losetup|dmesg|swapon|partx|"
        r"lscpu|mkswap)/[\w.-]+",
        whole,
    ),
    Collection(
        "sysstat+sysstat",
        r"tests/expected\.(?P<tool>iostat|mpstat|pidstat|sar|cifsiostat|sadf)[-+\w.]*",
        whole,
    ),
    Collection("akopytov+sysbench", r"tests/t/(?P<tool>\w+)\.t", cram),
    Collection("tytso+e2fsprogs", r"tests/(?P<tool>[fjmru])_\w+/expect(?:\.\d)?", whole),
    Collection("iovisor+bcc", r"(?:libbpf-)?tools/(?P<tool>\w+)_example\.txt", whole),
    Collection("iovisor+bpftrace", r"tools/(?P<tool>\w+)_example\.txt", whole),
    Collection("brendangregg+perf-tools", r"examples/(?P<tool>[\w-]+)_example\.txt", whole),
    Collection(
        "glensc+nagios-plugin-check_raid",
        r"t/data/(?P<tool>\w+)/(?:.*/)?[\w.-]+",
        whole,
    ),
    Collection(
        "netdata+netdata",
        r"src/go/plugin/go\.d/collector/(?P<tool>adaptecraid|megacli|hpssa|zfspool|storcli|nvme|lvm|"
        r"smartctl|dmcache|ceph|ethtool)/testdata/.*",
        whole,
    ),
    Collection(
        "proxmox+pve-storage",
        r"src/test/disk_tests/(?P<tool>\w+)/\w+_(?:smart|health)",
        whole,
    ),
    Collection(
        "AnalogJ+scrutiny",
        r"(?:collector|webapp/backend)/pkg/.*/testdata/(?P<tool>smart)\w*-?[-\w]*\.json",
        whole,
    ),
    Collection(
        "influxdata+telegraf",
        r"plugins/inputs/(?P<tool>smartctl)/testcases_device/\w+/response\.json",
        whole,
    ),
    Collection("prometheus+procfs", r"testdata/(?P<tool>fixtures)\.ttar", archive),
    Collection(
        "prometheus+node_exporter",
        r"collector/fixtures/proc/(?:.*/)?(?P<tool>mountinfo|mountstats|diskstats|drbd|interrupts|loadavg|"
        r"mdstat|meminfo|nfsd?|(?<=pressure/)\w+|slabinfo|\w+stats|(?<=pool\d/)io|objset-\d|zil|fm|"
        r"dmu_tx|stat|swaps|vmstat|zoneinfo|buddyinfo)",
        whole,
    ),
    Collection(
        "prometheus-community+smartctl_exporter", r"(?P<tool>testdata)/.*\.json", whole
    ),
    Collection(
        "prometheus-community+node-exporter-textfile-collector-scripts",
        r"mock/fixtures/(?P<tool>storcli|zfs)_.*",
        whole,
    ),
    Collection("truenas+py-SMART", r"tests/dataset/(?P<tool>\w+)tests/.*/_-.*", whole),
    Collection(
        "openstack+os-brick",
        r"os_brick/tests/(?:.*/)?test_(?P<tool>\w+)\.py",
        constants,
    ),
    Collection(
        "chef+ohai",
        r"spec/unit/plugins/(?:linux/)?(?P<tool>filesystem|mdadm|zpools|memory|interrupts|"
        r"block_device|lspci|sysctl)_spec\.rb",
        heredocs,
    ),
    Collection(
        "puppetlabs+facter",
        r"spec/fixtures/(?P<tool>blkid|df|lsblk|meminfo|mount|proc_self_mounts|rhel5_memory|zfs|"
        r"zpool)[-\w]*",
        whole,
    ),
    Collection("canonical+curtin", r"tests/data/(?P<tool>bcache|multipath|udevadm)[-\w.]*", whole),
    Collection(
        "canonical+curtin",
        r"tests/unittests/test_(?P<tool>block\w*|swap|udev)\.py",
        constants,
    ),
    Collection("canonical+probert", r"probert/tests/data/(?P<tool>\w+)\.(?:out|view)", whole),
    Collection("LINBIT+drbd-utils", r"tests/v\d+/(?P<tool>drbdsetup)_\w+\.txt", whole),
    Collection(
        "DocBrown101+zfs-spectator", r"src/Zfs\.Tests/TestData/(?P<tool>[a-z]+)\w*\.\w+", whole
    ),
)  # fmt: skip
"""What is looked for. To add one: a row, and how its files are taken apart."""
