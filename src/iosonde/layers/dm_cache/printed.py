"""dm-cache: its line in `dmsetup status` (what it counts) and in `dmsetup table`.

Source: of what the lines say, facts.py.
"""

from __future__ import annotations

from iosonde.layers._mapper.listing import Listing


class DmCacheOutput(Listing):
    tool = "dm-cache"
    anchors = (
        " cache 8 ", " cache 8:", " cache 9:", " cache 25", " cache 98:", "migration_threshold",
        "no_discard_passdown", " smq ", " cache Fail", " cache /dev/",
    )  # fmt: skip
