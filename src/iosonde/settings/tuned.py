"""The profile of tuned, which sets many settings at once; the address is "profile".

tuned keeps the name of the profile itself (/etc/tuned/active_profile), so a change outlives a
reboot. "none": tuned runs and no profile is in force.

Source: tuned-adm(8): active, list, profile, off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.settings.mechanism import Lasting

# Nothing is said where the daemon does not run: then no profile is in force, and none can be set.
_LOOK = (
    "told=$(tuned-adm active 2>&1); case $told in "
    "*'Current active profile: '*) echo \"$told\" | sed -n 's/^Current active profile: //p';; "
    "*'No current active profile'*) echo none;; *) exit 1;; esac"
)
_CHANGE = '[ "$2" != none ] || exec tuned-adm off; [ -n "$1" ] && exec tuned-adm profile $2'
_LISTED = re.compile(r"^- (\S+)", re.MULTILINE)


class Tuned(Lasting):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "tuned"
    looking = _LOOK
    changing = _CHANGE

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The profiles that are installed."""
        if not addresses:
            return {}
        done = await host.run(["tuned-adm", "list"], check=False)
        names = _LISTED.findall(kerneltext.decoded(done.stdout))
        return {address: (*names, "none") for address in addresses if names}
