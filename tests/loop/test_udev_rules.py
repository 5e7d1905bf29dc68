"""Rules that `persist` writes, followed by a real udevd: events of the kernel, names that change.

It runs in namespaces of its own for the network and for mounts, with no rules but those of the
test, and sees none of the machine's devices in /dev.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from iosonde.settings.cpufreq import Cpufreq
from iosonde.settings.ethtool import Ethtool
from iosonde.settings.mechanism import Mechanism
from iosonde.settings.sysfs import Sysfs
from tests.loop.devices import MIB, loop_device
from tests.unit.settings.test_changing import Files

UDEVD = Path("/lib/systemd/systemd-udevd")
pytestmark = [
    pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(120),
    pytest.mark.skipif(
        not UDEVD.exists() or not shutil.which("udevadm") or not shutil.which("ethtool"),
        reason="udevd, udevadm and ethtool are needed",
    ),
]  # fmt: skip

# As 80-net-setup-link.rules with the name that it finds in a slot or a link file.
RENAME = (
    'SUBSYSTEM=="net", ACTION=="add", NAME=="", ATTR{address}=="02:00:00:00:00:01", NAME="enp3s0"\n'
    'SUBSYSTEM=="net", ACTION=="add", NAME=="", ATTR{address}=="02:00:00:00:00:02", NAME="eth0"\n'
)
_IN_NAMESPACES = r"""
set -e
mount -t sysfs sys /sys
for own in /run /etc/udev /lib/udev/rules.d /dev; do mount -t tmpfs own $own; done
mknod -m 666 /dev/null c 1 3
mkdir -p /etc/udev/rules.d /run/udev
printf %s "$1" >/etc/udev/rules.d/80-rename.rules
printf %s "$2" >/etc/udev/rules.d/99-zz-iosonde.rules
/lib/systemd/systemd-udevd --resolve-names=never >/run/told 2>&1 &
udevd=$!
trap 'kill $udevd; wait $udevd || true' EXIT
tries=0
until udevadm control --ping 2>/dev/null; do
    tries=$((tries + 1)); [ $tries -lt 100 ] || { cat /run/told; exit 1; }
    sleep 0.1
done
eval "$3"
"""
SETTLED = "udevadm settle --timeout=30"


def followed(rules: str, events: str) -> list[str]:
    """What some commands print beside a udevd that follows the rules."""
    done = subprocess.run(
        ["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", _IN_NAMESPACES,
         "sh", RENAME, rules, events],
        capture_output=True, text=True, check=False, timeout=90,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def named(interface: str, number: int) -> str:
    address = f"02:00:00:00:00:0{number}"
    return f"ip link add {interface} address {address} type veth peer name peer9; {SETTLED}"


async def rules_for(mechanism: Mechanism, values: Mapping[str, str]) -> str:
    host = Files({}, {"sh": f"{shutil.which('ethtool')}\n"})
    kept = [await mechanism.keep(host, address, value) for address, value in values.items()]
    return "".join(f"{line.line}\n" for line in kept)


MTU = "cat /sys/class/net/*/mtu"


async def test_an_interface_that_udev_renames_keeps_its_settings() -> None:
    rules = await rules_for(Sysfs(), {"/sys/class/net/enp3s0/mtu": "4200"})
    rules += await rules_for(Ethtool(), {"enp3s0 tso": "off"})
    look = "cat /sys/class/net/enp3s0/mtu; ethtool -k enp3s0 | grep ^tcp-seg"
    seen = followed(rules, f"{named('eth0', 1)}; {look}")
    assert seen == ["4200", "tcp-segmentation-offload: off"]


async def test_an_interface_that_keeps_its_name_keeps_its_settings() -> None:
    rules = await rules_for(Sysfs(), {"/sys/class/net/eth1/mtu": "4200"})
    rules += await rules_for(Ethtool(), {"eth1 tso": "off"})
    look = "cat /sys/class/net/eth1/mtu; ethtool -k eth1 | grep ^tcp-seg"
    assert followed(rules, f"{named('eth1', 9)}; {look}") == [
        "4200", "tcp-segmentation-offload: off",
    ]  # fmt: skip


async def test_one_that_only_begins_with_the_name_is_left_alone() -> None:
    rules = await rules_for(Sysfs(), {"/sys/class/net/eth0/mtu": "4200"})
    rules += await rules_for(Ethtool(), {"eth0 tso": "off"})
    look = "cat /sys/class/net/enp3s0/mtu; ethtool -k enp3s0 | grep ^tcp-seg"
    seen = followed(rules, f"{named('eth0', 1)}; {look}")
    assert seen == ["1500", "tcp-segmentation-offload: on"]
    look = "cat /sys/class/net/eth0/mtu"  # what gets the name is meant, whatever it had before
    assert followed(rules, f"{named('usb7', 2)}; {look}") == ["4200"]


async def test_one_whose_name_udev_affirms_is_meant() -> None:
    rules = await rules_for(Sysfs(), {"/sys/class/net/eth0/mtu": "4200"})
    assert followed(rules, f"{named('eth0', 2)}; cat /sys/class/net/eth0/mtu") == ["4200"]


async def test_a_disk_is_set_when_the_kernel_tells_of_it_and_not_when_a_writer_closes_it(
    tmp_path: Path,
) -> None:
    with loop_device(tmp_path / "disk", 16 * MIB) as device:
        name = Path(device).name
        file = f"/sys/block/{name}/queue/read_ahead_kb"
        numbers = Path(f"/sys/block/{name}/dev").read_text().strip().replace(":", " ")
        rules = await rules_for(Sysfs(), {file: "512"})
        values = {
            "at boot": f"udevadm trigger --action=add {file.removesuffix('/queue/read_ahead_kb')}",
            "by old udevadm": f"echo add >/sys/block/{name}/uevent",
            "another size": f"mknod /dev/{name} b {numbers}; losetup --set-capacity /dev/{name}",
            "a writer has closed it": f"echo change >/sys/block/{name}/uevent",
        }
        os.truncate(tmp_path / "disk", 32 * MIB)
        seen = {
            why: followed(rules, f"echo 64 >{file}; {event}; {SETTLED}; cat {file}")
            for why, event in values.items()
        }
    assert seen == {
        "at boot": ["512"], "by old udevadm": ["512"], "another size": ["512"],
        "a writer has closed it": ["64"],
    }  # fmt: skip


async def test_a_governor_is_set_by_a_command_that_runs_after_the_driver_is_loaded() -> None:
    """The CPUs here need no cpufreq: a directory that they have stands for it."""
    kept = await Cpufreq().keep(Files({}), "scaling_governor", "performance")
    place = "/sys/devices/system/cpu/cpu0/topology"
    seen = followed(
        kept.line.replace("/cpufreq ", "/topology ") + "\n",
        f"mount -t tmpfs own {place}; echo powersave >{place}/scaling_governor; "
        f"udevadm trigger --action=add /sys/devices/system/cpu/cpu0; {SETTLED}; "
        f"cat {place}/scaling_governor",
    )
    assert seen == ["performance"]
