"""Members of md's arrays that gave read errors and are still members.

Source:
    Linux Documentation/admin-guide/md.rst, dev-XXX/errors ("An approximate count of read errors
    that have been detected on this device but have not caused the device to be evicted from the
    array (either because they were corrected or because they happened while the array was
    read-only)"); it outlives restarts of arrays with metadata of version 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._backing import where_to_look
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_ERRORS = re.compile(r"dev-(?P<member>[\w!.-]{1,40})\.errors")


def corrected_reads(case: EvidenceSet) -> Iterator[Finding]:
    """Members that gave read errors and are still members."""
    for array in case.of_kind("md"):
        counts = {
            match["member"].replace("!", "/"): value
            for name, value in array.values.items()
            if (match := _ERRORS.fullmatch(name)) and isinstance(value, int) and value > 0
        }
        for member, count in counts.items():
            times = "a read error" if count == 1 else f"{count} read errors"
            yield Finding(
                rule="media-errors",
                severity="warning",
                subject=subject_of(array),
                message=f"md has counted {times} of {member} that did not cost it its place in "
                f"{array.name or 'the array'}: the other members gave the data, or the array was "
                "read-only.",
                evidence=(Evidence(f"dev-{member}/errors", count, "", array.where),),
                remedy=f"{where_to_look(case, array, member)}, and replace a drive where sectors "
                "are pending; a check of the whole array "
                f"(`echo check > /sys/block/{array.name or 'mdX'}/md/sync_action`) reads every "
                "sector and writes those anew that cannot be read",
                confirm="the count no longer grows after a check",
            )


RULES: tuple[Rule, ...] = (
    Rule("media-errors", "md", "Read errors of a member that is still one.",
         "Linux Documentation/admin-guide/md.rst, dev-XXX/errors", corrected_reads),
)  # fmt: skip
