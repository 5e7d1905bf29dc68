"""What `ceph -s` says of its maps and daemons: epochs, quorum, MDS, managers, gateways.

Source: Ceph 0.48 to 10, mon/Monitor.cc (get_cluster_status(): "monmap e1: 3 mons at {…}", "election
epoch", "osdmap e455: "), mon/MDSMap.cc and mds/FSMap.cc (print_summary(): "e39: UP/IN/MAX up
{RANK=NAME=STATE}, N up:standby"), osd/OSDMap.cc ("; N remapped pgs"); Ceph 12 to 19,
mon/Monitor.cc ("mon: 3 daemons, quorum a,b,c (age 3d)"), mon/MgrMap.h (print_summary()),
mon/PGMap.cc (overall recovery of 0.67: "4/2000 degraded (0.200%)").
"""

from __future__ import annotations

import re

from iosonde.records.stack import Scalar

_LISTED = r"[\w.-]{1,60}(?:,[\w.-]{1,60}){0,30}"
_SPACED = r"[\w.-]{1,60}(?:, ?[\w.-]{1,60}){0,30}"
_INTEGERS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("monmap_epoch", r"\bmonmap e(\d{1,9}):"),
        ("election_epoch", r"\belection epoch (\d{1,9})"),
        ("osdmap_epoch", r"\bosdmap e(\d{1,9}):"),
        ("mdsmap_epoch", r"\bmdsmap e(\d{1,9}):"),
        ("fsmap_epoch", r"\bfsmap e(\d{1,9}):"),
        ("pgmap_version", r"\bpgmap v(\d{1,12}):"),
        ("remapped_pgs", r"\b(\d{1,8}) remapped pgs"),
        ("mds_standby", r"\b(\d{1,4}) (?:up:standby(?!-)|standby\b(?! ?replay))"),
        ("rgw_daemons", r"\brgw: (\d{1,4}) daemons? active"),
    )
)
_TEXTS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("quorum", rf"\bquorum (?:\d{{1,3}}(?:,\d{{1,3}}){{0,30}} )?({_LISTED})"),
        ("monitors_out_of_quorum", rf"\bout of quorum: ({_SPACED})"),
        ("mgr", r"\bmgr: (no daemons active)"),
        ("mgr_active", r"\bmgr: ([\w.-]{1,60})\(active\b"),
        ("mgr_standbys", rf"\bstandbys: ({_SPACED})"),
    )
)
_RANKS_OLD = re.compile(
    r"(?:\b(?:mdsmap|fsmap) e\d{1,9}:|\bmds:(?: [\w.-]{1,40}-)?) ?"
    r"(?P<up>\d{1,4})/(?P<in>\d{1,4})/(?P<max>\d{1,4}) up\b"
)
_RANKS = re.compile(r"\bmds:(?: [\w.-]{1,40}:(?P<up>\d{1,4}))(?:/(?P<in>\d{1,4}))?\s")
_RANKS_COUNTED = re.compile(r"\bmds: (?P<up>\d{1,4})/(?P<in>\d{1,4}) daemons up\b")
_RANK = re.compile(r"[{,](?:[\w.-]{1,40}:)?(\d{1,4})=([\w.-]{1,60})=up:([a-z-]{4,20})")
_DEGRADED = re.compile(r"(?<![\d/])(\d{1,15})/(\d{1,15}) (degraded|unfound) \(")


def daemons(text: str) -> dict[str, Scalar]:
    """What a status says beside its health, OSDs and groups; the text has single blanks."""
    values: dict[str, Scalar] = {}
    for name, pattern in _INTEGERS:
        if match := pattern.search(text):
            values[name] = int(match[1])
    for name, pattern in _TEXTS:
        if match := pattern.search(text):
            values[name] = match[1].replace(", ", ",")
    for part in _DEGRADED.finditer(text):
        values[f"objects_{part[3]}"] = int(part[1])
        if int(part[2]):
            values[f"{part[3]}_share"] = int(part[1]) / int(part[2])
    return values | _ranks(text)


def _ranks(text: str) -> dict[str, Scalar]:
    """How many MDS hold ranks, and the ranks that do not serve."""
    values: dict[str, Scalar] = {}
    ranks = _RANKS_OLD.search(text) or _RANKS_COUNTED.search(text) or _RANKS.search(text)
    if ranks:
        values |= {f"mds_{key}": int(figure) for key, figure in ranks.groupdict().items() if figure}
    for rank in _RANK.finditer(text):
        if rank[3] != "active":
            values[f"mds_rank_{rank[1]}"] = rank[3]
    return values
