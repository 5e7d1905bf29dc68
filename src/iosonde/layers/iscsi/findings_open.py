"""Targets whose LUNs every initiator may have: no list of initiators, and nobody asked who he is.

Source: targetcli(8) and LIO's demo mode: Linux drivers/target/target_core_tpg.c,
core_tpg_check_initiator_node_acl() (generate_node_acls makes an entry for whoever logs in), and
core_tpg_add_node_to_devs() (of such an entry LUNs are read-only unless demo_mode_write_protect is
0; drivers/target/iscsi/iscsi_target_tpg.h, TA_DEMO_MODE_WRITE_PROTECT is 1); tgtadm(8), --op bind
--initiator-address ALL; tgt 1.0, usr/target.c, account_show().
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_GROUP = re.compile(r"tpgt?(?P<tag>\d+)$")
_OWN = re.compile(r"(?:127\.|\[?::1\]?:)")
_TARGET = "iscsi_target"


def _open_targets(case: EvidenceSet) -> Iterator[Finding]:
    """Targets of LIO in demo mode, and of tgtd for ALL, with a LUN and without authentication."""
    for target in case.of_kind(_TARGET):
        if _is_local(target):
            continue
        if group := _demo_group(target):
            yield _of_lio(target, group)
        elif _is_for_all(case, target):
            yield _of_tgt(target)


def _is_local(target: StateEvidence) -> bool:
    """Whether all its portals are addresses of its own host, which no other one reaches."""
    portals = str(target.values.get("portal") or "").split()
    return bool(portals) and all(map(_OWN.match, portals))


def _demo_group(target: StateEvidence) -> str:
    """Name of a portal group in demo mode that asks nobody for a secret; empty where none is."""
    if not target.number("luns"):
        return ""
    for name, status in target.values.items():
        match = _GROUP.match(name)
        if match and {"gen-acls", "no-auth"} <= {*str(status).split(", ")}:
            return name
    for name in target.values:
        group = name.removesuffix("_generate_node_acls")
        if (
            group != name
            and target.number(name) == 1
            and target.values.get(f"{group}_authentication") == 0
            and target.values.get(f"{group}_enabled") is not False
        ):
            return group
    return ""


def _of_lio(target: StateEvidence, group: str) -> Finding:
    protected = target.values.get(f"{group}_demo_mode_write_protect")
    may = (
        "read and write its LUNs" if protected == 0
        else "read its LUNs" if protected == 1
        else "read its LUNs, and write to them where demo_mode_write_protect is 0"
    )  # fmt: skip
    return Finding(
        "export-unsafe", "warning" if protected == 0 else "note", subject_of(target),
        f"{target.name or 'A target'} ({group}) takes every initiator (generate_node_acls) and "
        f"asks none for a secret: whoever reaches its portals may {may}. Two hosts that write to "
        "one LUN destroy its file system, unless it is one for clusters.",
        target.evidence(group, f"{group}_generate_node_acls", f"{group}_authentication",
                        f"{group}_demo_mode_write_protect", "luns", "portal"),
        f"name the initiators that are meant (`targetcli /iscsi/{target.name or 'IQN'}/{group}/acls"
        " create IQN-OF-THE-INITIATOR`), then `set attribute generate_node_acls=0` there: sessions "
        "of others end; in a network that others reach set CHAP, too",
        "`targetcli ls` shows no-gen-acls, and an initiator that is not named cannot log in",
    )  # fmt: skip


def _is_for_all(case: EvidenceSet, target: StateEvidence) -> bool:
    """Whether a target of tgtd is for ALL, has no account, and serves a device."""
    values = target.values
    if "ALL" not in str(values.get("initiators") or "").split() or values.get("accounts") != 0:
        return False
    return any(
        lun.source == target.source and lun.where == target.where
        and lun.name.startswith(f"{target.name}/lun_") and lun.values.get("device")
        and lun.values.get("readonly") != "Yes"
        for lun in case.of_kind(_TARGET)
    )  # fmt: skip


def _of_tgt(target: StateEvidence) -> Finding:
    return Finding(
        "export-unsafe", "warning", subject_of(target),
        f"{target.name} is for ALL initiators and has no account: whoever reaches the server may "
        "read and write its LUNs. Two hosts that write to one LUN destroy its file system, unless "
        "it is one for clusters.",
        target.evidence("initiators", "accounts", "luns"),
        "give it the addresses or names of the initiators that are meant (`initiator-address` or "
        "`initiator-name` in targets.conf, `tgtadm --op bind --initiator-address`), and unbind "
        "ALL; in a network that others reach set `incominguser`, too",
        "`tgtadm --op show --mode target` lists them, and ALL no more",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("export-unsafe", "iscsi_target", "Targets whose LUNs every initiator may have.",
         "Linux drivers/target/target_core_tpg.c; tgtadm(8)", _open_targets),
)  # fmt: skip
