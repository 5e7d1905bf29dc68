"""Keys of open-iscsi's node record; the address is "IQN PORTAL KEY".

The record is what stays over a reboot. A change logs out and in again, so that it takes effect at
once: only where nothing stands on the session's disks. Where there is no session the record alone
is changed.

Source: iscsiadm(8), node mode; open-iscsi's README and iscsid.conf ("node.session…"); Linux
Documentation/ABI/testing/sysfs-class-iscsi_session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records import Scalar
from iosonde.settings.mechanism import Lasting, looked

# $1 the name of the target, $2 the portal, $3 the key, $4 the value.
_LOOK = (
    'iscsiadm --mode node --targetname "$1" --portal "$2" 2>/dev/null | '
    """awk -v k="$3" '$1 == k { print $3; found = 1; exit } END { exit !found }'"""
)
_DISKS = (
    'disks() { for one in $(grep -lxF "$1" /sys/class/iscsi_session/session*/targetname '
    "2>/dev/null); do for disk in ${one%/targetname}/device/target*/*/block/*; do "
    '[ -e "$disk" ] && echo "/dev/${disk##*/}"; done; done; true; }; '
)
_NODE = 'iscsiadm --mode node --targetname "$1" --portal "$2"'
_CHANGE = (
    f'{_DISKS} before=$(disks "$1"); for disk in $before; do '
    'if lsblk --noheadings --raw --output TYPE,MOUNTPOINT "$disk" | '
    "awk 'NF > 1 || (NR > 1 && $1 != \"part\") { used = 1 } END { exit !used }'; then "
    'echo "$disk is in use, and the change would take it away for a moment" >&2; exit 1; fi; done; '
    f'{_NODE} --op update --name "$3" --value "$4" || exit 1; '
    'grep -qxF "$1" /sys/class/iscsi_session/session*/targetname 2>/dev/null || exit 0; '
    f"sync; {_NODE} --logout >/dev/null && {_NODE} --login >/dev/null || exit 1; "
    'n=0; until [ -n "$(disks "$1")" ] || [ -z "$before" ] || [ $n -ge 100 ]; do '
    "n=$((n + 1)); sleep 0.1; done; ! command -v udevadm >/dev/null || udevadm settle"
)


class Iscsiadm(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "iscsiadm"

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        return await looked(host, self, addresses)

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        return ("sh", "-c", _LOOK, "sh", *address.split(" "))

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        return ("sh", "-c", _CHANGE, "sh", *address.split(" "), value)
