"""File systems in the ledger: declared, or the file under test by its extents as found.

Source: filefrag(8).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from iosonde._core import Same
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    pieces,
)
from iosonde.layers.site import Site
from iosonde.records.stack import StackLayer
from iosonde.units import SECTOR


def file_system(_site: Site, scene: LedgerContext) -> LedgerLayer:
    """A file system that hands direct I/O to one file down as it is."""
    notes = (
        "its journal and metadata (of ext4 12 KiB in two writes for each fsync after a write), and "
        "where files lie: direct I/O to one preallocated file",
    )
    return LedgerLayer(Same(), scene.size, notes=notes)


_EXTENT = re.compile(r"^[^\S\n]*\d+:\s*(\d+)\.\.\s*\d+:\s*(\d+)\.\.\s*\d+:\s*(\d+):", re.MULTILINE)


def extents_of_file(look: Look, layer: StackLayer) -> LedgerLayer:
    """The file that is the target, by its extents: direct I/O to what is laid out."""
    rows = [
        (0, int(start) * SECTOR, int(length) * SECTOR, int(at) * SECTOR)
        for start, at, length in _EXTENT.findall(look.text(layer, "filefrag"))
    ]
    if not rows or any(extent[1] + extent[2] != two[1] for extent, two in pairwise(rows)):
        raise NotCovered("where its file lies is not known (filefrag)")
    notes = ("its journal and metadata",)
    return replace(pieces(rows), notes=notes)


ACCOUNTING = Accounting(discovered=extents_of_file)
