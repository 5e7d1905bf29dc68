"""The page cache that a buffered load goes through, before the layer that the load is applied to.

Source: Linux 6.1, mm/page-writeback.c (`dirty_background_ratio` 10 % of what may become dirty),
include/linux/backing-dev.h and mm/backing-dev.c (VM_READAHEAD_PAGES: 128 KiB).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iosonde._core import PageCache
from iosonde.errors import UsageError
from iosonde.layers._ledger.rule import LedgerLayer
from iosonde.units import KIB

KIND = "page_cache"
NOT_RECKONED = "the load goes through the page cache, which is not modelled"
_PAGE = 4 * KIB
_REQUEST = 1280 * KIB
_AHEAD = 128  # KiB
SETTINGS = ("page_cache", "dirty_background_bytes", "read_ahead_kb")
"""Of the layer that a load is applied to; `page_cache` is bytes of memory for its pages."""


def page_cache(top: str, size: int, extra: Mapping[str, Any], *, device: bool) -> LedgerLayer:
    """The page cache before a layer of so many bytes, which is a block `device` or has files.

    Raises:
        UsageError: not as much as a page.
    """
    memory = int(extra["page_cache"])
    if memory < _PAGE:
        raise UsageError(f"a page cache of {memory} bytes has no page", where=f"--set {top}")
    background = int(extra.get("dirty_background_bytes", memory // 10))
    rule = PageCache(
        pages=memory // _PAGE, background=background // _PAGE,
        ahead=int(extra.get("read_ahead_kb", _AHEAD)) * KIB // _PAGE,
        largest=_REQUEST // _PAGE, size=-(-size // _PAGE), apart=device,
    )  # fmt: skip
    approximate = (
        "one program reads and writes one file; dirty pages are written above the background "
        "threshold, at flushes and after the load, not because they are old",
        "the page that was used longest ago has to go first",
    )
    return LedgerLayer(rule, size, approximate=approximate)
