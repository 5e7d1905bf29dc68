"""`dmsetup table` and `dmsetup status` of targets that are no caches.

Numbers of devices stay "MAJOR:MINOR", as printed; the key of dm-crypt is not looked at.

Source: of what the lines say, facts.py and those of dm-crypt and multipath.
"""

from __future__ import annotations

from iosonde.layers._mapper.listing import Listing


class Dmsetup(Listing):
    tool = "dmsetup"
    anchors = (
        "dmsetup table", "dmsetup status", " linear 8:", " linear 9:", " linear 25", " linear 7:",
        " linear 98:", " linear /dev/", " striped ", " crypt aes", " crypt serpent",
        " thin-pool ", " thin 25", " multipath ", " snapshot 25", " snapshot-origin ", " raid raid",
        " verity 1 ", " verity V", " verity C", " integrity 8:", " integrity 25", " integrity 7:",
        " integrity 0 ", " era 25", " delay 8:", " delay 7:", " delay 25", " flakey 8:",
        " flakey 7:", " flakey 25", " dust 8:", " dust 7:", " dust 25",
        " clone 25", " unstriped ", " vdo V4 ", " vdo /dev/", " vdo 25",
    )  # fmt: skip
