"""Columns of lvs, vgs and pvs: their headings, what stands below them, the fields behind them.

Source: LVM2 2.03, lib/report/columns.h (headings, names and types of the fields that `-o` takes),
lvs(8), vgs(8), pvs(8) (`--nameprefixes`, `--noheadings`, `--reportformat`); the attributes were
fewer in older versions (lvs 6 of them and pvs 2 in LVM2 2.02.88).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iosonde.kerneltext import fields
from iosonde.layers.lvm.facts import SIZE
from iosonde.text.cells import Column

_NAME = re.compile(r"\[?(?![\d.,]+$)[\w+][\w+.-]*\]?")
_WORD, _NUMBER = re.compile(r"\S+"), re.compile(r"-?\d+")
_TEXT = re.compile(r"\S.*")
_SHARE = re.compile(r"\d+[.,]\d+")
_ATTR = re.compile(  # of logical volumes, groups, physical volumes
    r"[-CmMoOgrRsSpvViIlctTdDeE][-wrR][-a-zA-Z][-m][-a-zA-Z]{2,6}|[-wr][-z][-x][-p][-a-z][-cs]"
    r"|[-adu][-x][-m]?"
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
    ("Data%,Meta%,Cpy%Sync,Copy%", _SHARE, True, False),
    ("Pool,Origin", _NAME, True, False),
    ("Type", _TYPE, False, False),
    ("Fmt", re.compile(r"lvm[12]"), True, False),
    ("Devices", re.compile(r"(?:unknown device|[^\s,()]+)\(\d+\)"
                           r"(?:,(?:unknown device|[^\s,()]+)\(\d+\))*"), True, True),
    ("PE Ranges,LE Ranges", re.compile(r"\S+:\d+-\d+(?: \S+:\d+-\d+)*"), True, True),
    ("Move,Log,Convert,LProfile,VProfile,Host", _NAME, True, False),
    ("LV UUID,VG UUID,PV UUID", re.compile(r"\w{6}(?:-\w{4}){5}-\w{6}"), True, False),
    ("Tags,LV Tags,VG Tags,PV Tags,Path,DMPath", _WORD, True, False),
    ("KRahead,Rahead", re.compile(r"auto|[\d.,]+[a-zA-Z]?"), True, False),
    ("CacheMode,CachePolicy,KCacheMode,KCachePolicy,Health,SyncAction,WhenFull,Discards,KDiscards,"
     "Monitor,AllocPol,LPerms,VPerms,Active,Layout,Role,Modules,Ancestors,Descendants,Parent,Data,"
     "Meta,SYS ID,LockType,VLockArgs,LLockArgs,Zero,DeviceID,DeviceIDType,Clustered,Shared,"
     "Extendable,Exported,Partial,AutoAct,Missing,PInUse,Allocatable,Suspended,LiveTable,DevOpen,"
     "CheckNeeded,MergeFailed,SnapInvalid,Converting,Merging,PRSet,PR,System ID,Duplicate,"
     "IntegMode,VDOOperatingMode,VDOCompressionState,VDOIndexState,VDOCompression,VDODeduplication,"
     "VDOWritePolicy", _WORD, True, False),
    ("CacheTotalBlocks,CacheUsedBlocks,CacheDirtyBlocks,CacheReadHits,CacheReadMisses,"
     "CacheWriteHits,CacheWriteMisses,CachePromotions,CacheDemotions,WCacheTotalBlocks,"
     "WCacheFreeBlocks,WCacheWritebackBlocks,WCacheErrors,Mismatches,WBehind,MinSync,MaxSync,"
     "IntegMismatches,TransId,ThId,#Thins,#Par,#DStr,#Cpy,KMFmt,CMFmt,MaxLV,MaxPV,Seq,#PMda,"
     "#PMdaUse,#VMda,#VMdaUse,#VMdaCps,PExtVsn,PE,Alloc,DOff,NOff,#PV Missing,IntegBlkSize,"
     "WCacheBlkSize", _NUMBER, True, False),
    ("Snap%,VDOSaving%", re.compile(r"\d+(?:[.,]\d+)?"), True, False),
    ("OSize,MSize,RSize,PMdaFree,PMdaSize,VMdaFree,VMdaSize,BA Start,VDOSlabSize",
     SIZE, True, False),
    ("CacheSettings,KCacheSettings,Cache Settings,Metadata Devs", _WORD, True, False),
    ("VDOAckThreads,VDOBioRotation,VDOBioThreads,VDOBlockMapEraLength,VDOCPUThreads,"
     "VDOHashZoneThreads,VDOLogicalThreads,VDOMaxDiscard,VDOMinimumIOSize,"
     "VDOPhysicalThreads,VDOUsedSize",
     _NUMBER, True, False),
    ("VDOBlockMapCacheSize,VDOHeaderSize,VDOIndexMemorySize",
     SIZE, True, False),
    ("ActExcl,ActLocal,ActRemote,AllocLock,Convert UUID,Data UUID,FAncestors,"
     "FDescendants,FixMin,Historical,ImgSynced,InactiveTable,InitImgSync,IntegSettings,"
     "Log UUID,Meta UUID,Metadata LE Ranges,Move UUID,Origin UUID,Pool UUID,Seg Tags,"
     "SkipAct,VDOMetadataHints,VDOSparseIndex",
     _WORD, True, False),
    ("CTime,RTime", _TEXT, True, True),
)  # fmt: skip
COLUMNS: Mapping[str, Column] = {
    name: Column(name, cell, empty, several_words)
    for names, cell, empty, several_words in _ALIKE
    for name in names.split(",")
} | {"VG": Column("VG", re.compile(rf"(?!lvm[12]$){_NAME.pattern}"), empty=True)}


def _headings(pairs: str) -> dict[str, str]:
    """Names and headings of "lv_name=LV pe_start=1st_PE"."""
    return {
        name: heading.replace("_", " ")
        for name, _, heading in (pair.partition("=") for pair in fields(pairs))
    }


FIELDS: Mapping[str, Mapping[str, str]] = {
    "lvm": _headings(
        "lv_name=LV vg_name=VG lv_attr=Attr lv_size=LSize pool_lv=Pool origin=Origin"
        " data_percent=Data% metadata_percent=Meta% copy_percent=Cpy%Sync sync_percent=Cpy%Sync"
        " segtype=Type stripes=#Str stripe_size=Stripe chunk_size=Chunk region_size=Region"
        " devices=Devices seg_pe_ranges=PE_Ranges cache_mode=CacheMode seg_count=#Seg"
        " cache_policy=CachePolicy cache_total_blocks=CacheTotalBlocks move_pv=Move"
        " cache_used_blocks=CacheUsedBlocks cache_dirty_blocks=CacheDirtyBlocks"
        " raid_sync_action=SyncAction raid_mismatch_count=Mismatches mirror_log=Log"
        " writecache_block_size=WCacheBlkSize convert_lv=Convert lv_tags=LV_Tags"
        " lv_metadata_size=MSize lv_uuid=LV_UUID lv_path=Path"
    ),
    "lvm_pv": _headings(
        "pv_name=PV vg_name=VG pv_attr=Attr pv_size=PSize pv_free=PFree pe_start=1st_PE"
        " dev_size=DevSize pv_fmt=Fmt pv_used=Used pv_uuid=PV_UUID pv_tags=PV_Tags"
    ),
    "lvm_group": _headings(
        "vg_name=VG vg_attr=Attr vg_size=VSize vg_free=VFree vg_extent_size=Ext pv_count=#PV"
        " lv_count=#LV snap_count=#SN vg_uuid=VG_UUID vg_tags=VG_Tags"
    ),
}
"""Kind → name of a field → its heading."""
OTHER_FIELDS: Mapping[str, str] = _headings(
    "lv_full_name=LV lv_dm_path=DMPath lv_parent=Parent lv_layout=Layout lv_role=Role "
    "lv_initial_image_sync=InitImgSync lv_image_synced=ImgSynced lv_merging=Merging "
    "lv_converting=Converting lv_allocation_policy=AllocPol lv_allocation_locked=AllocLock "
    "lv_fixed_minor=FixMin lv_skip_activation=SkipAct lv_autoactivation=AutoAct "
    "lv_when_full=WhenFull lv_active=Active lv_active_locally=ActLocal "
    "lv_active_remotely=ActRemote lv_active_exclusively=ActExcl lv_major=Maj lv_minor=Min "
    "lv_read_ahead=Rahead origin_uuid=Origin_UUID origin_size=OSize lv_ancestors=Ancestors "
    "lv_full_ancestors=FAncestors lv_descendants=Descendants lv_full_descendants=FDescendants "
    "raid_write_behind=WBehind raid_min_recovery_rate=MinSync raid_max_recovery_rate=MaxSync "
    "raidintegritymode=IntegMode raidintegrityblocksize=IntegBlkSize "
    "integritymismatches=IntegMismatches move_pv_uuid=Move_UUID convert_lv_uuid=Convert_UUID "
    "mirror_log_uuid=Log_UUID data_lv=Data data_lv_uuid=Data_UUID metadata_lv=Meta "
    "metadata_lv_uuid=Meta_UUID pool_lv_uuid=Pool_UUID lv_profile=LProfile "
    "lv_lockargs=LLockArgs lv_time=CTime lv_time_removed=RTime lv_host=Host "
    "lv_modules=Modules lv_historical=Historical lv_kernel_major=KMaj lv_kernel_minor=KMin "
    "lv_kernel_read_ahead=KRahead lv_permissions=LPerms lv_suspended=Suspended "
    "lv_live_table=LiveTable lv_inactive_table=InactiveTable lv_device_open=DevOpen "
    "snap_percent=Snap% cache_read_hits=CacheReadHits cache_read_misses=CacheReadMisses "
    "cache_write_hits=CacheWriteHits cache_write_misses=CacheWriteMisses "
    "cache_promotions=CachePromotions cache_demotions=CacheDemotions "
    "kernel_cache_settings=KCacheSettings kernel_cache_policy=KCachePolicy "
    "kernel_metadata_format=KMFmt kernel_cache_mode=KCacheMode lv_health_status=Health "
    "kernel_discards=KDiscards lv_check_needed=CheckNeeded lv_merge_failed=MergeFailed "
    "lv_snapshot_invalid=SnapInvalid vdo_operating_mode=VDOOperatingMode "
    "vdo_compression_state=VDOCompressionState vdo_index_state=VDOIndexState "
    "vdo_used_size=VDOUsedSize vdo_saving_percent=VDOSaving% "
    "writecache_total_blocks=WCacheTotalBlocks writecache_free_blocks=WCacheFreeBlocks "
    "writecache_writeback_blocks=WCacheWritebackBlocks writecache_error=WCacheErrors "
    "pv_major=Maj pv_minor=Min pv_mda_free=PMdaFree pv_mda_size=PMdaSize pv_ext_vsn=PExtVsn "
    "pv_allocatable=Allocatable pv_exported=Exported pv_missing=Missing pv_pe_count=PE "
    "pv_pe_alloc_count=Alloc pv_mda_count=#PMda pv_mda_used_count=#PMdaUse "
    "pv_ba_start=BA_Start pv_ba_size=BA_Size pv_in_use=PInUse pv_duplicate=Duplicate "
    "pv_device_id=DeviceID pv_device_id_type=DeviceIDType vg_fmt=Fmt vg_permissions=VPerms "
    "vg_extendable=Extendable vg_exported=Exported vg_autoactivation=AutoAct "
    "vg_partial=Partial vg_allocation_policy=AllocPol vg_clustered=Clustered vg_shared=Shared "
    "vg_sysid=SYS_ID vg_systemid=System_ID vg_lock_type=LockType vg_lock_args=VLockArgs "
    "vg_persist=PRSet vg_pr=PR vg_extent_count=#Ext vg_free_count=Free max_lv=MaxLV "
    "max_pv=MaxPV vg_missing_pv_count=#PV_Missing vg_seqno=Seq vg_profile=VProfile "
    "vg_mda_count=#VMda vg_mda_used_count=#VMdaUse vg_mda_free=VMdaFree vg_mda_size=VMdaSize "
    "vg_mda_copies=#VMdaCps data_stripes=#DStr reshape_len=RSize reshape_len_le=RSize "
    "data_copies=#Cpy data_offset=DOff new_data_offset=NOff parity_chunks=#Par "
    "thin_count=#Thins discards=Discards cache_metadata_format=CMFmt zero=Zero "
    "transaction_id=TransId thin_id=ThId seg_start=Start seg_start_pe=Start seg_size=SSize "
    "seg_size_pe=SSize seg_tags=Seg_Tags seg_le_ranges=LE_Ranges "
    "seg_metadata_le_ranges=Metadata_LE_Ranges metadata_devices=Metadata_Devs "
    "seg_monitor=Monitor cache_settings=CacheSettings integrity_settings=IntegSettings "
    "vdo_compression=VDOCompression vdo_deduplication=VDODeduplication "
    "vdo_minimum_io_size=VDOMinimumIOSize vdo_block_map_cache_size=VDOBlockMapCacheSize "
    "vdo_block_map_era_length=VDOBlockMapEraLength vdo_use_sparse_index=VDOSparseIndex "
    "vdo_index_memory_size=VDOIndexMemorySize vdo_slab_size=VDOSlabSize "
    "vdo_ack_threads=VDOAckThreads vdo_bio_threads=VDOBioThreads "
    "vdo_bio_rotation=VDOBioRotation vdo_cpu_threads=VDOCPUThreads "
    "vdo_hash_zone_threads=VDOHashZoneThreads vdo_logical_threads=VDOLogicalThreads "
    "vdo_physical_threads=VDOPhysicalThreads vdo_max_discard=VDOMaxDiscard "
    "vdo_header_size=VDOHeaderSize vdo_use_metadata_hints=VDOMetadataHints "
    "vdo_write_policy=VDOWritePolicy pvseg_start=Start pvseg_size=SSize"
)
"""Name → heading of the fields that have the same name in every kind of row."""
_SIZED = (
    "lv_size lv_metadata_size origin_size lv_read_ahead lv_kernel_read_ahead dev_size pv_mda_free "
    "pv_mda_size pe_start pv_size pv_free pv_used pv_ba_start pv_ba_size vg_size vg_free "
    "vg_extent_size vg_mda_free vg_mda_size reshape_len stripe_size region_size chunk_size "
    "seg_start seg_size vdo_block_map_cache_size vdo_index_memory_size vdo_slab_size "
    "vdo_header_size"
)
SIZED_FIELDS = frozenset(fields(_SIZED))
"""Fields of the type SIZ, which `--units` is about."""
DEFAULTS: Mapping[str, str] = {
    "lvs": "lv_name,vg_name,lv_attr,lv_size,pool_lv,origin,data_percent,metadata_percent,move_pv,"
    "mirror_log,copy_percent,convert_lv",
    "vgs": "vg_name,pv_count,lv_count,snap_count,vg_attr,vg_size,vg_free",
    "pvs": "pv_name,vg_name,pv_fmt,pv_attr,pv_size,pv_free",
}
"""What each command prints where it is not told (lib/config/config_settings.h)."""
