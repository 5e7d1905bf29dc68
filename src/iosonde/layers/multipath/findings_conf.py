"""Lines of multipath.conf that multipath does not follow.

Source: multipath-tools, libmultipath/dict.c (keywords and their sections; getuid_callout is
deprecated, uid_attribute took its place; prio_callout became prio in 0.4.9, default_NAME of the
defaults section NAME; udev_dir was removed) and libmpathutil/parser.c; multipath.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.layers._rules.misspelt import meant
from iosonde.records.evidence import EvidenceSet, Rule, subject_of
from iosonde.records.finding import Finding

_KEYWORDS = (
    "alias", "alias_prefix", "all_tg_pt", "allow_usb_devices", "auto_resize", "checker",
    "checker_timeout", "deferred_remove", "delay_wait_checks", "delay_watch_checks",
    "detect_checker", "detect_pgpolicy", "detect_pgpolicy_use_tpg", "detect_prio", "dev_loss_tmo",
    "device", "devnode", "eh_deadline", "enable_foreign", "failback", "fast_io_fail_tmo",
    "features", "find_multipaths", "find_multipaths_timeout", "flush_on_last_del", "force_sync",
    "ghost_delay", "gid", "hardware_handler", "log_checker_err",
    "marginal_path_double_failed_time", "marginal_path_err_rate_threshold",
    "marginal_path_err_recheck_gap_time", "marginal_path_err_sample_time", "marginal_pathgroups",
    "max_fds", "max_polling_interval", "max_retries", "max_sectors_kb",
    "missing_uev_wait_timeout", "mode", "multipath", "no_path_retry", "partition_delimiter",
    "path_checker", "path_grouping_policy", "path_selector", "polling_interval", "prio",
    "prio_args", "prkeys_file", "product", "product_blacklist", "property", "protocol",
    "purge_disconnected", "queue_without_daemon", "reassign_maps", "recheck_wwid",
    "remove_retries", "reservation_key", "retain_attached_hw_handler", "retrigger_delay",
    "retrigger_tries", "revision", "rr_min_io", "rr_min_io_rq", "rr_weight",
    "san_path_err_forget_rate", "san_path_err_recovery_time", "san_path_err_threshold",
    "skip_kpartx", "strict_timing", "uid", "uid_attribute", "uid_attrs", "user_friendly_names",
    "uxsock_timeout", "vendor", "verbosity", "vpd_vendor", "wwid",
)  # fmt: skip
_NOW = {"getuid_callout": "uid_attribute", "prio_callout": "prio", "selector": "path_selector"}
_KEY = re.compile(r"(?P<key>[^\s,]{1,80})(?: of \w{3,30})? \(line \d{1,6}\)")


def _ignored(case: EvidenceSet) -> Iterator[Finding]:
    for file in case.of_kind("multipath_config"):
        keys, values = (
            str(file.values.get(name) or "") for name in ("invalid_keywords", "invalid_values")
        )
        if not keys and not values:
            continue
        said = [f"keywords that it does not know there: {keys}"] if keys else []
        said += [f"values that it does not take: {values}"] if values else []
        hints = [hint for match in _KEY.finditer(keys) if (hint := _hint(match["key"]))]
        yield Finding(
            "ignored-setting", "warning", subject_of(file),
            f"multipath leaves out lines of {file.name}, with {'; and '.join(said)}. What they "
            "were to set has its default.",
            file.evidence("invalid_keywords", "invalid_values", "duplicate_keywords",
                          "deprecated_options"),
            ("; ".join(dict.fromkeys(hints)) + "; " if hints else "")
            + "correct or remove these lines, then `multipathd reconfigure`",
            "`multipath -t` prints no warning; `multipathd show config local` has the values",
        )  # fmt: skip


def _hint(key: str) -> str:
    """What may be meant by a keyword; empty where nothing is near it."""
    if key in _NOW:
        return f"{key} has become {_NOW[key]}"
    plain = key.removeprefix("default_")
    if plain in _KEYWORDS:
        return (
            f"{key} is one of another section, or of a newer version" if plain == key
            else f"{key} has become {plain}"
        )  # fmt: skip
    right = meant(key, _KEYWORDS)
    return f"{key} may be meant to be {right}" if right else ""


RULES: tuple[Rule, ...] = (
    Rule("ignored-setting", "multipath_config", "Lines of multipath.conf that are not followed.",
         "multipath-tools, libmpathutil/parser.c; multipath.conf(5)", _ignored),
)  # fmt: skip
