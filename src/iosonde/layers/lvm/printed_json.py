"""`lvs`, `vgs`, `pvs` and `lvm fullreport` with --reportformat json or json_std.

Source: LVM2 2.03, lib/report/columns.h (which heading a field has in tables), libdm/libdm-report.c
(json: every value a text; json_std: numbers and lists as such, null where there is none),
tools/reporter.c and lib/config/defaults.h (fullreport: "vg", "pv", "lv", "pvseg" and "seg" of each
group; segments name their volume by lv_uuid); lvs(8): --units, --nosuffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import override

from iosonde.layers.lvm.facts import SIZE
from iosonde.layers.lvm.printed import COLUMNS, subjects_of_rows
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects

_FIELDS = """
lv_name=LV lv_path=Path lv_dm_path=DMPath lv_parent=Parent lv_layout=Layout lv_role=Role
lv_merging=Merging lv_converting=Converting lv_allocation_policy=AllocPol
lv_autoactivation=AutoAct lv_when_full=WhenFull lv_active=Active lv_major=Maj lv_minor=Min
lv_read_ahead=Rahead lv_size=LSize lv_metadata_size=MSize seg_count=#Seg origin_size=OSize
lv_ancestors=Ancestors lv_descendants=Descendants raid_mismatch_count=Mismatches
raid_sync_action=SyncAction raid_write_behind=WBehind raid_min_recovery_rate=MinSync
raid_max_recovery_rate=MaxSync raidintegrityblocksize=IntegBlkSize
integritymismatches=IntegMismatches move_pv=Move convert_lv=Convert mirror_log=Log
data_lv=Data metadata_lv=Meta pool_lv=Pool lv_profile=LProfile lv_lockargs=LLockArgs
lv_time=CTime lv_time_removed=RTime lv_host=Host lv_modules=Modules
writecache_block_size=WCacheBlkSize lv_kernel_major=KMaj lv_kernel_minor=KMin
lv_kernel_read_ahead=KRahead lv_permissions=LPerms lv_suspended=Suspended
lv_live_table=LiveTable lv_device_open=DevOpen data_percent=Data% snap_percent=Snap%
metadata_percent=Meta% copy_percent=Cpy%Sync sync_percent=Cpy%Sync
kernel_cache_settings=KCacheSettings kernel_cache_policy=KCachePolicy
kernel_metadata_format=KMFmt kernel_cache_mode=KCacheMode lv_health_status=Health
kernel_discards=KDiscards lv_check_needed=CheckNeeded lv_merge_failed=MergeFailed
lv_snapshot_invalid=SnapInvalid vdo_saving_percent=VDOSaving%
writecache_total_blocks=WCacheTotalBlocks writecache_free_blocks=WCacheFreeBlocks
writecache_writeback_blocks=WCacheWritebackBlocks writecache_error=WCacheErrors lv_attr=Attr
pv_fmt=Fmt pv_name=PV pv_major=Maj pv_minor=Min pv_mda_free=PMdaFree pv_mda_size=PMdaSize
pv_ext_vsn=PExtVsn pe_start=1st_PE pv_size=PSize pv_free=PFree pv_used=Used pv_attr=Attr
pv_allocatable=Allocatable pv_exported=Exported pv_missing=Missing pv_pe_count=PE
pv_pe_alloc_count=Alloc pv_mda_count=#PMda pv_mda_used_count=#PMdaUse pv_ba_start=BA_Start
pv_ba_size=BA_Size pv_in_use=PInUse pv_device_id=DeviceID pv_device_id_type=DeviceIDType
vg_fmt=Fmt vg_name=VG vg_attr=Attr vg_permissions=VPerms vg_extendable=Extendable
vg_exported=Exported vg_autoactivation=AutoAct vg_partial=Partial
vg_allocation_policy=AllocPol vg_clustered=Clustered vg_shared=Shared vg_size=VSize
vg_free=VFree vg_sysid=SYS_ID vg_lock_type=LockType vg_lock_args=VLockArgs
vg_extent_size=Ext vg_extent_count=#Ext vg_free_count=Free pv_count=#PV lv_count=#LV
snap_count=#SN vg_seqno=Seq vg_profile=VProfile vg_mda_count=#VMda
vg_mda_used_count=#VMdaUse vg_mda_free=VMdaFree vg_mda_size=VMdaSize segtype=Type
stripes=#Str data_stripes=#DStr reshape_len=RSize reshape_len_le=RSize data_copies=#Cpy
parity_chunks=#Par stripe_size=Stripe region_size=Region chunk_size=Chunk thin_count=#Thins
cache_metadata_format=CMFmt transaction_id=TransId thin_id=ThId seg_start=Start
seg_start_pe=Start seg_size=SSize seg_size_pe=SSize seg_pe_ranges=PE_Ranges
seg_le_ranges=LE_Ranges metadata_devices=Metadata_Devs seg_monitor=Monitor pvseg_start=Start
pvseg_size=SSize origin=Origin dev_size=DevSize cache_mode=CacheMode devices=Devices
cache_policy=CachePolicy
"""
_HEADINGS = {
    field: heading.replace("_", " ")
    for field, heading in (pair.split("=") for pair in _FIELDS.split())
}
"""Field of a report → heading of its column, where the table names the value otherwise."""
_UNITS = re.compile(r"--units[= ]['\"]?([A-Za-z]+)")
_LETTERS = frozenset("bBsSkKmMgGtTpPeE")
_SHARE = frozenset({"Data%", "Meta%", "Cpy%Sync", "Snap%", "VDOSaving%"})


class LvmJson(JsonOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "lvm"
    anchors: ClassVar[tuple[str, ...]] = ('"report"',)
    commands: ClassVar[tuple[str, ...]] = ("lvs", "vgs", "pvs", "lvm")
    nothing: ClassVar[str] = "no volume follows"
    head: ClassVar[re.Pattern[str]] = re.compile(
        r'\{\s*"report"\s*:\s*\[\s*\{\s*"(?:lv|vg|pv|seg|pvseg|log)"\s*:'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        asked = _UNITS.search(prompt.command)
        unit = asked[1] if asked else ""
        for report in objects(value.get("report")):
            groups = objects(report.get("vg"))
            name = {"vg_name": groups[0]["vg_name"]} if _names_one(groups) else {}
            for part in ("vg", "pv", "lv"):
                rows = objects(report.get(part))
                if part == "lv":
                    rows = _with_segments(rows, objects(report.get("seg")))
                cells = [_cells({**name, **row}, unit) for row in rows]
                column = part.upper()
                named = [row for row in cells if column in row]
                yield from subjects_of_rows({column}, named, prompt.host)


def _names_one(groups: list[Mapping[str, Any]]) -> bool:
    """Whether a part of a full report is about one group, which its volumes do not name."""
    return len(groups) == 1 and "vg_name" in groups[0]


def _with_segments(
    volumes: list[Mapping[str, Any]], segments: list[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """A row for each segment, with what is said of its volume."""
    by_volume: dict[object, list[Mapping[str, Any]]] = {}
    for segment in segments:
        by_volume.setdefault(segment.get("lv_uuid"), []).append(segment)
    return [
        {**volume, **segment}
        for volume in volumes
        for segment in by_volume.get(volume.get("lv_uuid") or "", [{}])
    ]


def _cells(row: Mapping[str, Any], unit: str) -> dict[str, str]:
    """A row as the table has it: heading, or field that the table does not rename → cell."""
    return dict(_cells_of(row, unit))


def _cells_of(row: Mapping[str, Any], unit: str) -> Iterator[tuple[str, str]]:
    for field, value in row.items():
        heading = _HEADINGS.get(field, field)
        text = _text(value, heading)
        column = COLUMNS.get(heading)
        if column is not None and column.cell is SIZE:
            text = _sized(text, unit)
        if text and (column is None or column.cell.fullmatch(text)):
            yield heading, text


def _text(value: object, heading: str) -> str:
    """A value as the table prints it."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, int | float) and heading in _SHARE:
        return f"{value:.2f}"
    return "" if value is None else str(value).strip()


def _sized(text: str, unit: str) -> str:
    """A size with its unit; "" where nothing says the unit that --nosuffix left out."""
    if not text or text[-1].isalpha() or text == "0":
        return text
    if unit:
        return text + unit if unit in _LETTERS else ""
    return text if text.isdecimal() else ""
