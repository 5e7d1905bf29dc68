"""lvs, vgs and pvs as tables, with the columns that were asked for.

Source: LVM2 2.03, lvs(8), vgs(8), pvs(8); lib/report/columns.h: the columns that `-o` may add.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.facts import SIZE, row_of_table, size_of, volume_facts
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cells import Column, head_at, rows
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput

_NAME = re.compile(r"\[?(?![\d.,]+$)[\w+][\w+.-]*\]?")
_WORD, _NUMBER = re.compile(r"\S+"), re.compile(r"-?\d+")
_TEXT = re.compile(r"\S.*")
_SHARE = re.compile(r"\d+[.,]\d+")
_ATTR = re.compile(  # of logical volumes, groups, physical volumes
    r"[-CmMoOrRsSpvVtTdeEil][-wrR][-a-zA-Z][-m][-a-zA-Z]{5,6}|[-wr][-z][-x][-p][-a-z][-cs]"
    r"|[-adu][-x][-m]"
)
_TYPE = re.compile(r"[a-z]+[a-z0-9_-]*")
_ALIKE: tuple[tuple[str, re.Pattern[str], bool, bool], ...] = (  # names, cell, empty, words
    ("LV,VG", _NAME, False, False),
    ("PV", re.compile(r"/dev/\S+|\[unknown\]|unknown device"), False, True),
    ("Attr", _ATTR, False, False),
    ("LSize,PSize,PFree,VSize,VFree,SSize,DevSize,1st PE,Used,Ext,BA Size", SIZE, False, False),
    ("#PV,#LV,#SN,#Str,#Seg,#PE,#Ext,Free", _NUMBER, False, False),
    ("Stripe,Region,Chunk,Start", SIZE, False, False),
    ("Maj,Min,KMaj,KMin", _NUMBER, True, False),
    ("Data%,Meta%,Cpy%Sync", _SHARE, True, False),
    ("Pool,Origin", _NAME, True, False),
    ("Type", _TYPE, False, False),
    ("Fmt", re.compile(r"lvm[12]"), True, False),
    ("Devices", re.compile(r"[^\s,()]+\(\d+\)(?:,[^\s,()]+\(\d+\))*"), True, False),
    ("PE Ranges,LE Ranges", re.compile(r"\S+:\d+-\d+(?: \S+:\d+-\d+)*"), True, True),
    ("Move,Log,Convert,LProfile,VProfile,Host", _NAME, True, False),
    ("LV UUID,VG UUID,PV UUID", re.compile(r"\w{6}(?:-\w{4}){5}-\w{6}"), True, False),
    ("Tags,LV Tags,VG Tags,PV Tags,Path,DMPath", _WORD, True, False),
    ("KRahead,Rahead", re.compile(r"auto|[\d.,]+[a-zA-Z]?"), True, False),
    ("CacheMode,CachePolicy,KCacheMode,KCachePolicy,Health,SyncAction,WhenFull,Discards,KDiscards,"
     "Monitor,AllocPol,LPerms,VPerms,Active,Layout,Role,Modules,Ancestors,Descendants,Parent,Data,"
     "Meta,SYS ID,LockType,VLockArgs,LLockArgs,Zero,DeviceID,DeviceIDType,Clustered,Shared,"
     "Extendable,Exported,Partial,AutoAct,Missing,PInUse,Allocatable,Suspended,LiveTable,DevOpen,"
     "CheckNeeded,MergeFailed,SnapInvalid,Converting,Merging", _WORD, True, False),
    ("CacheTotalBlocks,CacheUsedBlocks,CacheDirtyBlocks,CacheReadHits,CacheReadMisses,"
     "CacheWriteHits,CacheWriteMisses,CachePromotions,CacheDemotions,WCacheTotalBlocks,"
     "WCacheFreeBlocks,WCacheWritebackBlocks,WCacheErrors,Mismatches,WBehind,MinSync,MaxSync,"
     "IntegMismatches,TransId,ThId,#Thins,#Par,#DStr,#Cpy,KMFmt,CMFmt,MaxLV,MaxPV,Seq,#PMda,"
     "#PMdaUse,#VMda,#VMdaUse,PExtVsn,PE,Alloc", _NUMBER, True, False),
    ("Snap%,VDOSaving%", _SHARE, True, False),
    ("OSize,MSize,RSize,PMdaFree,PMdaSize,VMdaFree,VMdaSize,BA Start,WCacheBlkSize,IntegBlkSize",
     SIZE, True, False),
    ("CacheSettings,KCacheSettings,Cache Settings,Metadata Devs", _WORD, True, False),
    ("CTime,RTime", _TEXT, True, True),
)  # fmt: skip
COLUMNS: Mapping[str, Column] = {
    name: Column(name, cell, empty, several_words)
    for names, cell, empty, several_words in _ALIKE
    for name in names.split(",")
} | {"VG": Column("VG", _NAME, empty=True)}
"""Columns by their headings."""
_GROUP = {"VSize": "size", "VFree": "free", "Ext": "extent_size", "#PV": "volumes",
          "#LV": "logical_volumes", "#SN": "snapshots", "Attr": "attributes"}  # fmt: skip
_VOLUME = {"PSize": "size", "PFree": "free", "1st PE": "data_offset", "VG": "volume_group",
           "Attr": "attributes", "DevSize": "device_size"}  # fmt: skip
_READ = frozenset({
    "LV", "VG", "PV", "Attr", "LSize", "Pool", "Origin", "Data%", "Meta%", "Cpy%Sync", "Type",
    "#Str", "Stripe", "Chunk", "Region", "Devices", "PE Ranges", "LE Ranges", "CacheMode",
    "CachePolicy", *_GROUP, *_VOLUME,
})  # fmt: skip
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEAD = re.compile(r"^\s*(?:LV|VG|PV)\s+[A-Z#1]")


class LvmOutput(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "lvm"
    anchors: ClassVar[tuple[str, ...]] = (
        "LSize", "PSize", "VSize", " #PV", "#Str", "LV VG", "LV   ", "1st PE", "Fmt  Attr",
    )  # fmt: skip

    commands: ClassVar[tuple[str, ...]] = ("lvs", "vgs", "pvs", "lvm")
    nothing: ClassVar[str] = "no volume follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - 4, -1), -1):
            line = cursor.line(index)
            if line is None:
                return None
            if _HEAD.match(line):
                return index if head_at(cursor, index, COLUMNS) else None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = head_at(cursor, first, COLUMNS)
        if head is None:
            raise Unreadable("its columns are not known")
        table = list(rows(cursor, head))
        last = table[-1].last if table else first
        columns = {column.name for column in head.columns}
        return last, subjects_of_rows(columns, [row.cells for row in table], prompt.host)


def subjects_of_rows(
    columns: Collection[str], table: Sequence[Mapping[str, str]], host: str
) -> Iterator[PrintedSubject]:
    """What rows of lvs, vgs or pvs are about.

    Args:
        columns: headings that there are; LV and PV tell which of the three it is.
        table: cells by their headings.
        host: as the prompt names it.
    """
    if "LV" in columns:
        return _volumes(table, host)
    if "PV" in columns:
        return _others("lvm_pv", "PV", _VOLUME, table, host)
    return _others("lvm_group", "VG", _GROUP, table, host)


def _volumes(table: Sequence[Mapping[str, str]], host: str) -> Iterator[PrintedSubject]:
    """The logical volumes, each with the rows of all its segments."""
    volumes: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for cells in table:
        volumes.setdefault((cells.get("VG", ""), cells["LV"].strip("[]")), []).append(cells)
    for (group, volume), segments in volumes.items():
        reported = [row_of_table(cells) for cells in segments]
        below = [_member(group, device) for cells in segments for device in _devices(cells)]
        part = segments[0]["LV"].startswith("[")
        more = {
            "size": reported[0].get("lv_size"),
            "attributes": reported[0].get("lv_attr"),
            "below": " ".join(dict.fromkeys(below)) or None,
            "role": "part" if part else None,
        }
        values = _columns(segments[0]) | volume_facts(reported) | without_none(more)
        yield PrintedSubject("lvm", mapper_name(group, volume), values, host)


def _columns(cells: Mapping[str, str]) -> dict[str, Scalar]:
    """What columns say that `-o` added: "CacheDirtyBlocks" as cache_dirty_blocks."""
    others = {name: text for name, text in cells.items() if name not in _READ}
    return as_labelled({_CAPITAL.sub(" ", name): text for name, text in others.items()})


def _devices(cells: Mapping[str, str]) -> list[str]:
    text = cells.get("Devices") or cells.get("PE Ranges") or ""
    return re.findall(r"([^\s,(:]+)[(:]\d", text)


def _member(group: str, name: str) -> str:
    """What a volume stands on: a device of /dev, or another volume of the group."""
    if name.startswith("/dev/"):
        return name.removeprefix("/dev/")
    return mapper_name(group, name.strip("[]"))


def _others(
    kind: str, column: str, names: Mapping[str, str], table: Sequence[Mapping[str, str]], host: str
) -> Iterator[PrintedSubject]:
    for cells in table:
        values = _columns(cells)
        for name, fact in names.items():
            text = cells.get(name)
            if text is None or name == column:
                continue
            if COLUMNS[name].cell is SIZE:
                values[fact] = size_of(text)
            else:
                values[fact] = int(text) if _NUMBER.fullmatch(text) else text
        yield PrintedSubject(kind, cells[column].removeprefix("/dev/"), values, host)
