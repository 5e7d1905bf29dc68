"""Physical volumes of LVM that no device was found for, or that were away and are flagged since.

Source:
    LVM2 2.03: lib/format_text/import_vsn1.c, _set_pv_device() ("Couldn't find device with uuid"),
    lib/metadata/metadata.c, vg_read() ("is missing PV", "was missing PV"); pvs(8), pv_attr, third
    place ("m": missing); vgs(8), vg_attr, fourth place ("p": a physical volume is missing); lib/
    display/display.c, vgdisplay_full ("Act PV" are those that are not missing); vgreduce(8),
    --removemissing; vgextend(8), --restoremissing; lvmdevices(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iosonde.layers.lvm.facts import UUID
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Finding

_NAMELESS = frozenset({"[unknown]", "unknown device", "unknown"})
_SHOWN = ("attributes", "missing", "missing_devices", "pv_missing", "last_device", "act_pv")
_SEVERAL = 2  # groups
_LISTED = 3  # physical volumes that are named


def missing_devices(case: EvidenceSet) -> Iterator[Finding]:
    """Groups that lack physical volumes, one finding for each text and host."""
    for source, host in dict.fromkeys((state.source, state.host) for state in _said(case)):
        said = [state for state in _said(case) if (state.source, state.host) == (source, host)]
        lacking = _still_lacking(said)
        if lacking:
            yield _finding(host, lacking)


def _said(case: EvidenceSet) -> Iterator[StateEvidence]:
    return case.of_kind("lvm_pv", "lvm_group")


def _still_lacking(said: Sequence[StateEvidence]) -> list[StateEvidence]:
    """What tells that something is missing, unless a later listing shows it or its group whole."""
    lacking: list[StateEvidence] = []
    for state in said:
        if _lacks(state):
            lacking.append(state)
        elif _is_whole(state):
            lacking = [before for before in lacking if _group(before) not in {"", state.name}]
        elif state.kind == "lvm_pv" and "attributes" in state.values:
            lacking = [
                before for before in lacking
                if (before.kind, before.name) != (state.kind, state.name)
            ]  # fmt: skip
    return lacking


def _lacks(state: StateEvidence) -> bool:
    values = state.values
    if state.kind == "lvm_pv":
        flagged = str(values.get("attributes") or "")[2:3] == "m"
        return flagged or bool(values.get("missing")) or state.name in _NAMELESS
    present, every = values.get("act_pv"), values.get("volumes")
    fewer = isinstance(present, int) and isinstance(every, int) and present < every
    counted = state.number("missing_devices") or state.number("pv_missing")
    return fewer or bool(counted) or str(values.get("attributes") or "")[3:4] == "p"


def _is_whole(state: StateEvidence) -> bool:
    """Whether it is a group of which an output says that nothing is missing."""
    attributes = str(state.values.get("attributes") or "")
    says = attributes[3:4] == "-" or {"act_pv", "consistent"} & state.values.keys()
    return state.kind == "lvm_group" and bool(says)


def _group(state: StateEvidence) -> str:
    return state.name if state.kind == "lvm_group" else str(state.values.get("volume_group") or "")


def _finding(host: str, lacking: Sequence[StateEvidence]) -> Finding:
    groups = list(dict.fromkeys(group for state in lacking if (group := _group(state))))
    devices = [state for state in lacking if state.kind == "lvm_pv"]
    uuids = list(dict.fromkeys(name for state in devices if (name := _uuid(state))))
    back = [state.name for state in devices if not _uuid(state) and state.name not in _NAMELESS]
    gone = uuids or [state.name for state in devices if state.name in _NAMELESS]
    named = dict.fromkeys([*gone[:_LISTED], *back]) if gone else dict.fromkeys(back)
    # Of several groups it is not known which of them lacks which.
    which = f" ({', '.join(named)})" if named and len(groups) < _SEVERAL else ""
    group = groups[0] if len(groups) == 1 else "VG"
    subject = ", ".join(groups) or "LVM"
    only_back = back and not gone
    is_single = len(groups) < _SEVERAL
    what = (
        f"count{'s' * is_single} physical volumes{which} as missing that are there again: they "
        f"were away while {'its' if is_single else 'their'} metadata changed"
        if only_back
        else f"lack{'s' * is_single} physical volumes: LVM finds no device for them{which}"
    )
    return Finding(
        rule="degraded",
        severity="error",
        subject=f"{host}: {subject}" if host else subject,
        message=f"{subject if groups else 'A volume group'} {what}. Volumes that lie on them are "
        f"not whole, and LVM changes nothing of the {'group' if is_single else 'groups'} but what "
        f"repairs {'it' if is_single else 'them'}.",
        evidence=tuple(
            item for state in (*lacking[:_LISTED], *lacking[_LISTED:][-1:])
            for item in state.evidence(*_SHOWN)
        ),
        remedy=_back_remedy(group) if only_back else _gone_remedy(group),
        confirm="`pvs -o name,attr,vg_name` shows neither [unknown] nor m, `vgs` no p in the "
        "fourth place",
    )  # fmt: skip


def _uuid(state: StateEvidence) -> str:
    """The uuid of what is missing, by which messages name it."""
    name = state.name if re.fullmatch(UUID, state.name) else ""
    nameless = state.name in _NAMELESS
    listed = str(state.values.get("pv_uuid") or state.values.get("uuid") or "")
    return name or (listed if nameless and re.fullmatch(UUID, listed) else "")


def _gone_remedy(group: str) -> str:
    return (
        "first look whether the device is there and only hidden from LVM (`lsblk`, `blkid` and the "
        "kernel's log; `lvmdevices` and the filter in lvm.conf; RAID, LUKS or multipath below it "
        "that was not started), and bring it back. Where it is lost: `lvconvert --repair` for each "
        "volume that is a RAID or a mirror, then "
        f"`vgreduce --removemissing {group}`; its --force removes volumes that lie in part on it "
        "with all that is left of them, so save that before "
        f"(`vgchange -ay --activationmode partial {group}`)"
    )


def _back_remedy(group: str) -> str:
    return (
        f"where the device is sound, `vgextend --restoremissing {group} DEVICE` takes it in again "
        "as it is; what was written meanwhile is not on it, so refresh the volumes that are RAID "
        "(`lvchange --refresh`) and check the file systems of the others"
    )


RULES: tuple[Rule, ...] = (
    Rule("degraded", "lvm", "Groups that lack physical volumes.",
         "pvs(8), pv_attr; vgs(8), vg_attr; LVM2 lib/metadata/metadata.c", missing_devices,
         stage="redundancy"),
)  # fmt: skip
