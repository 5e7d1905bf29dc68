"""Keys of open-iscsi's node record; the address is "IQN PORTAL KEY".

The record is what stays over a reboot. A change logs out and in again, so that it takes effect at
once: only where nothing stands on the session's disks. Where there is no session the record alone
is changed.

Source: iscsiadm(8), node mode; open-iscsi's README and iscsid.conf ("node.session…"); Linux
Documentation/ABI/testing/sysfs-class-iscsi_session.
"""

from __future__ import annotations

from iosonde.scripts import program
from iosonde.settings.mechanism import Lasting


class Iscsiadm(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "iscsiadm"
    looking = program("iosonde.layers", "iscsi/read.sh")
    changing = program("iosonde.layers", "iscsi/change.sh")
