"""What `ceph -s` says of its maps and daemons: epochs, quorum, MDS, managers, gateways.

Source: Ceph 0.48 to 10, mon/Monitor.cc (get_cluster_status(): "monmap e1: 3 mons at {…}", "election
epoch", "osdmap e455: "), mon/MDSMap.cc and mds/FSMap.cc (print_summary(): "e39: UP/IN/MAX up
{RANK=NAME=STATE}, N up:standby"), osd/OSDMap.cc ("; N remapped pgs"); Ceph 12 to 19,
mon/Monitor.cc ("mon: 3 daemons, quorum a,b,c (age 3d)"), mon/MgrMap.h (print_summary()),
mon/PGMap.cc (overall recovery of 0.67: "4/2000 degraded (0.200%)"; "%lf%% pgs not active"),
osd/OSDMap.cc (print_summary(): "N up (since AGE), N in (since AGE); epoch: eN"), mgr/ServiceMap.cc.
"""

from __future__ import annotations

import re

from iosonde.layers.ceph.facts import not_whole
from iosonde.records.stack import Scalar

_LISTED = r"[\w.-]{1,60}(?:,[\w.-]{1,60}){0,30}"
_SPACED = r"[\w.-]{1,60}(?:, ?[\w.-]{1,60}){0,30}"
_AGE = r"\d{1,9}(?:\.\d{1,9})?[a-zA-Z]{0,2}"
_INTEGERS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("monmap_epoch", r"\bmonmap e(\d{1,9}):"),
        ("election_epoch", r"\belection epoch (\d{1,9})"),
        ("osdmap_epoch", r"\bosdmap e(\d{1,9}):"),
        ("osdmap_epoch", r"\bosds: [^;:]{1,80}; epoch: e(\d{1,9})(?!\w)"),
        ("mdsmap_epoch", r"\bmdsmap e(\d{1,9}):"),
        ("fsmap_epoch", r"\bfsmap e(\d{1,9}):"),
        ("pgmap_version", r"\bpgmap v(\d{1,12}):"),
        ("remapped_pgs", r"\b(\d{1,8}) remapped pgs"),
        ("mds_standby", r"\b(\d{1,4}) (?:up:standby(?!-)|standby\b(?! ?replay))"),
        ("mds_standby_replay", r"\b(\d{1,4}) up:standby-replay\b"),
        ("mds_hot_standby", r"\b(\d{1,4}) hot standby\b"),
        ("volumes", r"\bvolumes: \d{1,4}/(\d{1,4}) healthy"),
        ("volumes_healthy", r"\bvolumes: (\d{1,4})/\d{1,4} healthy"),
    )
)
_TEXTS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("quorum", rf"\bquorum (?:\d{{1,3}}(?:,\d{{1,3}}){{0,30}} )?({_LISTED})"),
        ("monitors_out_of_quorum", rf"\bout of quorum: ({_SPACED})"),
        ("mgr", r"\bmgr: (no daemons active)"),
        ("mgr_active", r"\bmgr(?:: (?=[\w.-]{1,60}\(active\b)| active: )([\w.-]{1,60})"),
        ("mgr_active_since", rf"\bmgr: [\w.-]{{1,60}}\(active, since ({_AGE})"),
        ("mgr_standbys", rf"\bstandbys: ({_SPACED})"),
        ("quorum_age", rf"\bquorum {_LISTED} \(age ({_AGE})\)"),
        ("osds_up_since", rf"\bosds: \d{{1,6}} up \(since ({_AGE})\)"),
        ("osds_in_since", rf"\d up(?: \(since {_AGE}\))?, \d{{1,6}} in \(since ({_AGE})\)"),
    )
)
_RANKS_OLD = re.compile(
    r"(?:\b(?:mdsmap|fsmap) e\d{1,9}:|\bmds:(?: [\w.-]{1,40}-)?) ?"
    r"(?P<up>\d{1,4})/(?P<in>\d{1,4})/(?P<max>\d{1,4}) up\b"
)
_RANKS = re.compile(r"\bmds:(?: [\w.-]{1,40}:(?P<up>\d{1,4}))(?:/(?P<in>\d{1,4}))?\s")
_RANKS_COUNTED = re.compile(r"\bmds: (?P<up>\d{1,4})/(?P<in>\d{1,4}) daemons up\b")
_RANK = re.compile(r"[{,](?:[\w.-]{1,40}:)?(\d{1,4})=([\w.-]{1,60})=up:([a-z-]{4,20})")
_INACTIVE = re.compile(r"(?<![\w.])(\d{1,3}\.\d{1,3})% pgs (not active|unknown|inactive)\b")
_SERVICE = re.compile(
    r"(?<![\w.-])(?P<name>[a-z][a-z-]{2,20}): (?P<count>\d{1,4}) (?:daemon|portal)s? active"
    rf"(?: \((?P<names>{_SPACED})\))?"
)
"""A gateway or a mirror of any name. Source: mgr/ServiceMap.cc, Service::get_summary()."""
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
    for service in _SERVICE.finditer(text):
        name = service["name"].replace("-", "_")
        values.setdefault(f"{name}_daemons", int(service["count"]))
        if service["names"]:
            values.setdefault(f"{name}_names", service["names"].replace(", ", ","))
    for part in _DEGRADED.finditer(text):
        values |= not_whole(part[3], part[1], part[2])
    for part in _INACTIVE.finditer(text):
        values[f"pgs_{part[2].replace(' ', '_')}_share"] = round(float(part[1]) / 100, 6)
    return values | _ranks(text)


def _ranks(text: str) -> dict[str, Scalar]:
    """How many MDS hold ranks, which are active, and the ranks that do not serve."""
    values: dict[str, Scalar] = {}
    ranks = _RANKS_OLD.search(text) or _RANKS_COUNTED.search(text) or _RANKS.search(text)
    if ranks:
        values |= {f"mds_{key}": int(figure) for key, figure in ranks.groupdict().items() if figure}
    active = list[str]()
    for rank in _RANK.finditer(text):
        if rank[3] == "active":
            active.append(rank[2])
        else:
            values[f"mds_rank_{rank[1]}"] = rank[3]
    if active:
        values["mds_active"] = ",".join(active)
    return values
