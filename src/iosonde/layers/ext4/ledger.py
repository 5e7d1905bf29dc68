"""ext3 and ext4: direct I/O to one preallocated file, or data that go through the journal.

Source: e2fsprogs 1.47, lib/ext2fs/mkjournal.c (`ext2fs_default_journal_size()`: blocks by the
size of the file system); Linux 6.1, fs/jbd2/journal.c (`journal_tag_bytes()`: 16 bytes with the
checksums of ext4, 8 without 64 bits) and commit.c (a descriptor block ends where no tag and no UUID
fit behind).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iosonde._core import Journal
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._mounts.ledger import extents_of_file, file_system

if TYPE_CHECKING:
    from iosonde.layers.site import Site

_BLOCK = 4096
_HEADER, _UUID, _TAIL = 12, 16, 4
_DEFAULT = (
    (32768, 1024), (256 * 1024, 4096), (512 * 1024, 8192), (4096 * 1024, 16384),
    (8192 * 1024, 32768), (16384 * 1024, 65536), (32768 * 1024, 131072),
)  # fmt: skip
"""Blocks of a file system below which its journal has so many."""


def ext4(site: Site, scene: LedgerContext) -> LedgerLayer:
    """ext4; with `journal: journal` all data are written twice."""
    declared: Any = site.declared
    if declared.journal != "journal":
        return file_system(site, scene)
    blocks = (declared.journal_size or 0) // _BLOCK or journal_blocks(scene.size // _BLOCK)
    size = (scene.size // _BLOCK - blocks - 1) * _BLOCK
    if size <= 0:
        raise site.wrong("its journal leaves no room for data")
    rule = Journal(at=size, blocks=blocks, tags=tags(checksums=declared.version == 4))
    approximate = (
        "a transaction ends by a flush or when it is full, not after 5 seconds; blocks are written "
        "to their places by the next flush, when the journal is full, and after the load",
        "the journal is taken to lie behind the data",
    )
    notes = ("its metadata but for the inode of one preallocated file",)
    return LedgerLayer(rule, size, notes=notes, approximate=approximate)


def journal_blocks(blocks: int) -> int:
    """Blocks of the journal that mke2fs makes for a file system of so many blocks."""
    return next((journal for below, journal in _DEFAULT if blocks < below), 262144)


def tags(*, checksums: bool) -> int:
    """Blocks that one descriptor block names."""
    tag, tail = (16, _TAIL) if checksums else (8, 0)
    room, least = _BLOCK - _HEADER - _UUID, tag + _UUID + tail
    return (room - least) // tag + 1


ACCOUNTING = Accounting(declared=ext4, discovered=extents_of_file)
