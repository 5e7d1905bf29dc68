"""`ceph osd dump` and `ceph osd pool ls detail`: pools and OSDs, also single lines of them.

Source: Ceph 0.48 to 19, osd/OSDMap.cc (OSDMap::print(), print_pools(), print_osd_line()) and
osd/osd_types.cc (operator<< of pg_pool_t, osd_info_t).
"""

from __future__ import annotations

import re
from itertools import pairwise

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest, top_of

_POOL = re.compile(
    r"\s*pool (?P<id>\d{1,9}) '(?P<name>[^'\n]{1,120})'(?: (?P<type>replicated|rep|erasure|raid4))?"
    r"(?P<rest>(?: .*)?)$"
)
_KEYS = frozenset((
    "profile", "size", "min_size", "crush_rule", "crush_ruleset", "object_hash", "pg_num",
    "pgp_num", "pg_num_target", "pgp_num_target", "pg_num_pending", "autoscale_mode",
    "last_change", "lfor", "owner", "flags", "max_bytes", "max_objects", "tiers", "tier_of",
    "read_tier", "write_tier", "cache_mode", "target_bytes", "target_objects", "stripe_width",
    "expected_num_objects", "fast_read", "crash_replay_interval", "application", "pg_num_max",
    "pg_num_min", "pg_autoscale_bias", "compression_mode", "compression_algorithm",
    "recovery_priority",
    "target_size_bytes", "target_size_ratio", "min_read_recency_for_promote", "lpg_num", "lpgp_num",
    "min_write_recency_for_promote",
    "read_balance_score", "removed_snaps", "hit_set", "decay_rate",
    "search_last_n", "snap_seq", "scrub_min_interval", "deep_scrub_interval",
    "csum_type", "pg_size",
))  # fmt: skip
_OSD = re.compile(
    r"\s*osd\.?(?P<id>\d{1,7}) (?P<status>up|down) {1,3}(?P<membership>in|out) {1,2}weight "
    r"(?P<weight>[\d.]{1,9})(?: primary_affinity (?P<affinity>[\d.]{1,9}))? up_from "
    r"(?P<up_from>\d{1,9}) up_thru (?P<up_thru>\d{1,9}) down_at (?P<down_at>\d{1,9}) "
    r"last_clean_interval \[(?P<clean_from>\d{1,9})[,-](?P<clean_to>\d{1,9})\)(?P<rest>.{0,900})$"
)
_OSD_BEGUN = re.compile(r"\s*osd\.?\d{1,7} (?:up|down) {1,3}(?:in|out) {1,2}weight [\d.]")
_STATES = re.compile(
    r"(?:^| )(?P<states>[a-z]{1,20}(?:,[a-z]{1,20}){0,6})(?: (?P<uuid>[0-9a-f]{8}-[\w-]{27}))?$"
)
_HEAD = re.compile(
    r"\s*(?P<name>epoch|fsid|created|modifed|modified|flags|crush_version|full_ratio|max_osd|"
    r"backfillfull_ratio|nearfull_ratio|require_min_compat_client|min_compat_client|"
    r"require_osd_release|stretch_mode_enabled|cluster_snapshot) (?P<value>\S.{0,160})$"
)
_PASSED = re.compile(r"\s*(?P<name>pg_temp|primary_temp|pg_upmap|pg_upmap_items|pg_upmap_primary|"
                     r"blacklist|blocklist|removed_snaps|removed_snaps_queue) \S")  # fmt: skip
_NUMBER = re.compile(r"\d{1,18}")
_RATIO = re.compile(r"\d{1,9}\.\d{1,9}")
_PIECES = 8
_MOST = 5000


class CephOsdMap(StateOutput):
    tool = "ceph osd dump"
    anchors = (
        "hash rjenkins", " pgp_num ", "' replicated size ", "' rep size ", " in  weight ",
        " out weight ", "exists,up", " up_thru ",
    )  # fmt: skip
    commands = ("ceph",)
    reach = 3
    nothing = "no line of it is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 3, lambda line: _POOL.match(line) or _OSD_BEGUN.match(line))
        if first != cursor.at:
            return first
        return top_of(
            cursor, lambda line: _HEAD.match(line) or _POOL.match(line) or _PASSED.match(line)
        )

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        values: dict[str, Scalar] = {}
        last = first - 1
        for index, line in lines(cursor, first, _MOST):
            if index <= last or (not line and index == last + 1):
                continue
            if head := _HEAD.match(line):
                values[head["name"]], last = _value(head["value"].strip()), index
            elif passed := _PASSED.match(line):
                name = f"{passed['name']}_lines"
                values[name], last = int(values.get(name) or 0) + 1, index
            else:
                subject, end = _thing(cursor, index, prompt.host)
                if subject is None:
                    break
                subjects.append(subject)
                last = end
        if values and subjects:
            subjects.insert(0, PrintedSubject("ceph", "ceph", values, prompt.host))
        return last, subjects


def _thing(cursor: TextCursor, index: int, host: str) -> tuple[PrintedSubject | None, int]:
    """The pool or the OSD of a line, with what a mail broke off it, and its last line."""
    line = cursor.line(index)
    if _OSD_BEGUN.match(line):
        return _osd(cursor, index, host)
    match = _POOL.match(line)
    if match is None:
        return None, index
    parts, last = fields(match["rest"]), index
    for place, more in lines(cursor, index + 1, _PIECES):
        cells = fields(more)
        goes_on = cells and (cells[0] in _KEYS or (parts and parts[-1] in _KEYS))
        if not goes_on or _PASSED.match(more) or _POOL.match(more) or prompt_in(more):
            break
        parts += cells
        last = place
    values: dict[str, Scalar] = {"id": int(match["id"])}
    kind = match["type"] or next((part for part in parts[:1] if part not in _KEYS), "")
    if kind:
        values["type"] = "replicated" if kind == "rep" else kind
    values |= _pairs(parts)
    if not {"size", "pg_size"} & values.keys():
        return None, index
    return PrintedSubject("ceph_pool", match["name"], values, host), last


def _pairs(parts: list[str]) -> dict[str, Scalar]:
    """What stands behind the names of a pool's fields; a pool may have several applications."""
    values: dict[str, Scalar] = {}
    for name, text in pairwise(parts):
        if name in _KEYS and text not in _KEYS and name not in values:
            values[name] = _value(text)
    return values


def _osd(cursor: TextCursor, index: int, host: str) -> tuple[PrintedSubject | None, int]:
    text, whole, last = "", None, index
    for place, line in lines(cursor, index, 5):
        if place > index and (not line or _OSD_BEGUN.match(line) or prompt_in(line)):
            break
        text = f"{text} {line.strip()}" if text else line
        match = _OSD.match(text)
        states = _STATES.search(match["rest"]) if match else None
        if match and (whole is None or states):
            whole, last = match, place
        if states and states["uuid"]:
            break
    if whole is None:
        return None, index
    values: dict[str, Scalar] = {
        name: _value(text) for name, text in whole.groupdict().items()
        if text and name not in {"id", "rest"}
    }  # fmt: skip
    if states := _STATES.search(whole["rest"]):
        values |= {name: text for name, text in states.groupdict().items() if text}
    return PrintedSubject("osd", f"osd.{whole['id']}", values, host), last


def _value(text: str) -> Scalar:
    if _NUMBER.fullmatch(text):
        return int(text)
    return float(text) if _RATIO.fullmatch(text) else text
