"""dm-writecache: its line in `dmsetup status` (what it counts) and in `dmsetup table`.

Source: of what the lines say, facts.py.
"""

from __future__ import annotations

from iosonde.layers._mapper.listing import Listing


class DmWritecacheOutput(Listing):
    tool = "dm-writecache"
    anchors = (" writecache ",)
