"""What the kernel's log says of bcache.

Source: Linux 6.12 drivers/md/bcache/io.c, bch_count_io_errors() and bch_count_backing_io_errors();
drivers/md/bcache/super.c, bch_cache_set_error(), bch_cached_dev_error(), bch_cached_dev_attach(),
cached_dev_status_update(), bcache_device_init(), bcache_device_free(), run_cache_set() and
register_bcache(); drivers/md/bcache/journal.c, bch_journal_replay();
drivers/md/bcache/request.c, backing_request_endio() and cached_dev_cache_miss() ("intsert" is
its spelling).
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_BCACHE = r"bcache: (?:\w{1,40}\(\) )?"

MESSAGES = (
    KernelMessage(
        "IO error on", rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): IO error on (?!backing)[a-z]",
        "bcache", "cache_errors",
    ),
    KernelMessage(
        "IO error on backing device",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): IO error on backing device", "bcache",
        "backing_errors", "data",
    ),
    KernelMessage(
        "Read-ahead I/O failed",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): Read-ahead I/O failed on backing device", "bcache",
        "failed_read_aheads",
    ),
    KernelMessage(
        "too many IO errors",
        rf"{_BCACHE}error on (?P<name>[\da-f-]{{36}}): .{{0,60}}too many IO errors", "bcache",
        "disabled_caches",
    ),
    KernelMessage(
        "disabling caching",
        rf"{_BCACHE}(?:bcache: )?error on (?P<name>[\da-f-]{{36}}): (?P<errors>\S.{{2,120}}?), "
        r"disabling caching", "bcache", "disabled_caches",
    ),
    KernelMessage(
        "too many IO errors on",
        rf"{_BCACHE}(?:stop (?P<name>[\w!-]{{1,32}}): )?too many IO errors on backing device "
        r"(?P<other>[\w!-]{1,32})", "bcache", "stopped_devices",
    ),
    KernelMessage(
        "device offline for ",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): device offline for (?P<offline_seconds>\d{{1,6}}) "
        r"sec",
        "bcache", "offline_backing_devices", "device",
    ),
    KernelMessage(
        " to register", rf"{_BCACHE}error ?(?P<name>/?[\w!/-]{{1,40}})?: fail(?:ed)? to register "
        r"(?P<failures>[a-z][a-z ]{3,30})", "bcache", "failed_registrations",
    ),
    KernelMessage(
        "error creating kobject",
        rf"{_BCACHE}error (?P<name>[\w!-]{{1,32}}): (?P<failures>error creating kobject)", "bcache",
        "failed_registrations",
    ),
    KernelMessage(
        "failed to run cache set",
        rf"{_BCACHE}error (?P<name>[\w!-]{{1,32}}): (?P<failures>failed to run cache set)",
        "bcache", "failed_registrations",
    ),
    KernelMessage(
        "device already registered",
        rf"{_BCACHE}error ?(?P<name>/?[\w!/-]{{1,40}})?: (?P<failures>device already registered)",
        "bcache", "failed_registrations",
    ),
    KernelMessage(
        "Couldn't attach ",
        rf"{_BCACHE}Couldn't attach (?P<name>[\w!-]{{1,32}}): (?P<failures>[A-Za-z].{{3,100}})",
        "bcache", "failed_attachments",
    ),
    KernelMessage(
        "Can't attach ",
        rf"{_BCACHE}Can't attach (?P<name>[\da-f-]{{36}}) ?: (?P<failures>[A-Za-z].{{3,100}})",
        "bcache", "failed_attachments",
    ),
    KernelMessage(
        "Tried to attach ",
        rf"{_BCACHE}Tried to attach (?P<name>[\w!-]{{1,32}}) but "
        r"(?P<failures>duplicate UUID already attached)", "bcache", "failed_attachments",
    ),
    KernelMessage(
        "Couldn't find uuid for ",
        rf"{_BCACHE}Couldn't find uuid for (?P<name>[\w!-]{{1,32}}) in set", "bcache",
        "unknown_to_sets",
    ),
    KernelMessage(
        ", no room for UUID",
        rf"{_BCACHE}Not caching (?P<name>[\w!-]{{1,32}}), (?P<failures>no room for UUID)",
        "bcache", "failed_attachments",
    ),
    KernelMessage(
        "for failed cache set ",
        rf'{_BCACHE}stop_when_cache_set_failed of (?P<name>[\w!-]{{1,32}}) is "always", stop it '
        r"for failed cache set (?P<cache_sets>[\da-f-]{36})", "bcache", "stopped_devices",
    ),
    KernelMessage(
        "cache is clean",
        rf'{_BCACHE}stop_when_cache_set_failed of (?P<name>[\w!-]{{1,32}}) is "\w{{1,8}}" and '
        r"cache is clean, keep it alive", "bcache", "kept_devices",
    ),
    KernelMessage(
        " on set ", rf"{_BCACHE}Caching (?P<other>[\w!-]{{1,32}}) as (?P<name>[\w!-]{{1,32}}) on "
        r"set (?P<cache_sets>[\da-f-]{36})", "bcache", "attachments",
    ),
    KernelMessage(
        "Caching disabled for ", rf"{_BCACHE}Caching disabled for (?P<name>[\w!-]{{1,32}})",
        "bcache", "detachments",
    ),
    KernelMessage(
        "registered backing device ",
        rf"{_BCACHE}registered backing device (?P<name>[\w!-]{{1,32}})", "bcache",
        "registered_backing_devices",
    ),
    KernelMessage(
        "registered cache device ",
        rf"{_BCACHE}registered cache device (?P<name>[\w!-]{{1,32}})", "bcache",
        "registered_cache_devices",
    ),
    KernelMessage(
        " unregistered", rf"{_BCACHE}Cache set (?P<name>[\da-f-]{{36}}) unregistered", "bcache",
        "unregistered_sets",
    ),
    KernelMessage(
        "cache is dirty",
        rf'{_BCACHE}stop_when_cache_set_failed of (?P<name>[\w!-]{{1,32}}) is "\w{{1,8}}" and '
        r'cache '
        r"is dirty, stop it", "bcache", "stopped_devices",
    ),
    KernelMessage(
        "journal replay done",
        rf"{_BCACHE}journal replay done, (?P<replayed_keys>\d{{1,12}}) keys in "
        r"(?P<replayed_entries>\d{1,12}) entries, seq (?P<sequences>\d{1,18})", "bcache",
        "journal_replays",
    ),
    KernelMessage(
        "Can't flush ",
        rf"{_BCACHE}Can't flush (?P<name>[\w!-]{{1,32}}): returned bi_status "
        r"(?P<statuses>\d{1,3})", "bcache", "failed_flushes", "data",
    ),
    KernelMessage(
        "invalidating existing data", rf"{_BCACHE}invalidating existing data", "bcache",
        "invalidated_caches",
    ),
    KernelMessage(
        "bcache_device_free() ", r"bcache: bcache_device_free\(\) (?P<name>[\w!-]{1,32}) stopped",
        "bcache", "stops",
    ),
    KernelMessage(
        "is running already",
        rf"{_BCACHE}cached dev (?P<name>[\w!-]{{1,32}}) is running already", "bcache",
        "devices_that_run",
    ),
    KernelMessage(
        "bch_cache_set_error() ",
        r"bcache: bch_cache_set_error\(\) (?:bcache: )?error on (?P<name>[\da-f-]{36}): *$",
        "bcache", "disabled_caches",
    ),
    KernelMessage(
        "falling back to device logical block size",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): sb/logical block size "
        r"\((?P<asked_block_sizes>\d{3,7})\) greater than page size \(\d{4,7}\) falling back "
        r"to device logical block size \((?P<logical_block_sizes>\d{3,7})\)", "bcache",
        "replaced_block_sizes",
    ),
    KernelMessage(
        "disable I/O request due to backing device offline",
        rf"{_BCACHE}(?P<name>[\w!-]{{1,32}}): disable I/O request due to backing device offline",
        "bcache", "refused_backing_devices", "device",
    ),
    KernelMessage(
        "inserting bio is too large",
        rf"{_BCACHE}inserting bio is too large: (?P<vectors>\d{{1,9}}) iovecs, not intsert",
        "bcache", "uncached_reads",
    ),
)  # fmt: skip
