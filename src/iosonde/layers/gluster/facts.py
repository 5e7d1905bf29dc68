"""How Gluster prints bricks and sizes.

Source: glusterfs 3.4 to 11, libglusterfs/src/common-utils.c (gf_uint64_2human_readable(): powers of
1024 from "KB" to "PB" with one decimal, "Bytes" below).
"""

from __future__ import annotations

import re

from iosonde import units

BRICK = r"[\w.:-]{1,120}:/\S{1,300}"
SIZE = r"\d{1,12}(?:\.\d{1,2})?(?:Bytes|[KMGTP]B)"
_SIZE = re.compile(SIZE)


def size_of(text: str) -> int | None:
    """Bytes of a size as Gluster prints it; None where it is none."""
    if not _SIZE.fullmatch(text):
        return None
    return round(units.printed(text.replace("Bytes", "B"), binary=True)[0])
