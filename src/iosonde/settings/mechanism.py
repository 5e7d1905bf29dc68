"""What every mechanism can do: read the settings of one kind of place on a host.

A setting's address is text that only its mechanism understands: a file of sysfs, the name of a
kernel parameter. Many are read at once, because a host may be a network away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records import Scalar


class Mechanism(Protocol):
    """One way in which a host keeps settings."""

    name: ClassVar[str]

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """The values now.

        Returns:
            address → value, or the error that kept it from being read (a missing right, a
            missing tool). An address that this host does not have is left out: a device that
            lacks a setting is no error.
        """
        ...
