"""Services and timers of systemd that disturb measurements; the address is the unit.

The value is "running" (systemd calls it active) or "stopped". One that shall stay stopped over a
reboot gets a drop-in with a condition that never holds: its own files and links stay as they are.

Source: systemctl(1), is-active, show; systemd.unit(5), ConditionPathExists=, drop-ins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.settings.mechanism import Mechanism, PersistentLine, ReadValues, looked, texts

UNITS = (
    "irqbalance.service", "tuned.service", "smartd.service", "ksm.service", "ksmtuned.service",
    "fstrim.timer", "mdcheck_start.timer", "mdcheck_continue.timer", "raid-check.timer",
    "xfs_scrub_all.timer", "e2scrub_all.timer", "plocate-updatedb.timer", "mlocate-updatedb.timer",
    "man-db.timer", "apt-daily.timer", "apt-daily-upgrade.timer", "dnf-makecache.timer",
    "fwupd-refresh.timer", "sysstat-collect.timer",
)  # fmt: skip
"""What a host may have that reads or writes disks, or moves interrupts, at times of its own."""
_NEVER = "ConditionPathExists=!/"
_LOOK = (
    'systemctl cat "$1" >/dev/null 2>&1 || exit 1; case $(systemctl is-active "$1") in '
    "active|activating|reloading) echo running;; *) echo stopped;; esac"
)
_CHANGE = 'case $2 in running) systemctl start "$1";; stopped) systemctl stop "$1";; esac'


def drop_in(unit: str) -> str:
    """The file that keeps a unit from being started at boot."""
    return f"/etc/systemd/system/{unit}.d/zz-iosonde.conf"


class ServiceMechanism(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "service"
    files = tuple(drop_in(unit) for unit in UNITS)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        """On a host without systemd, none."""
        if not addresses or not await host.glob("/run/systemd/system"):
            return {}
        asked = await host.run(
            ["systemctl", "show", "--property=Id,LoadState", *addresses], check=False
        )
        there = {
            kerneltext.lines(block.partition("Id=")[2])[0]
            for block in kerneltext.decoded(asked.stdout).split("\n\n")
            if "Id=" in block and "LoadState=loaded" in block
        }
        return await looked(host, self, [address for address in addresses if address in there])

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("sh", "-c", _LOOK, "sh", address)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        return ("sh", "-c", _CHANGE, "sh", address, value)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """Only what is stopped can be kept by a drop-in."""
        del host
        if value != "stopped":
            raise Refused(
                "a drop-in can keep it from running, not make it run at boot",
                where=address, hint=f"`systemctl enable {address}` there does that",
            )  # fmt: skip
        reload = (("systemctl", "daemon-reload"),)
        return PersistentLine(drop_in(address), "Condition", _NEVER, section="[Unit]", then=reload)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """Of drop-ins, iosonde reads its own."""
        contents = await texts(host, [drop_in(address) for address in addresses])
        return {
            address: "stopped"
            for address in addresses
            if _NEVER in contents.get(drop_in(address), "")
        }
