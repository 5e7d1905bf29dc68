"""targetcli's saveconfig.json: what LIO stores and exports, as it is saved.

Secrets of CHAP (`chap_password` and the like) are not taken.

Source: rtslib-fb 2.2, rtslib/root.py (RTSRoot.dump()), tcm.py (StorageObject.dump(): "size" in
bytes), target.py (Target, TPG, LUN, NetworkPortal, NodeACL and MappedLUN, each with dump()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects, part
from iosonde.text.json_tree import key_name, scalars

_SECRET = re.compile(r"chap|password|userid|secret")


class TargetConfig(JsonOutput):
    tool = "targetcli saveconfig"
    anchors = ('"fabric_modules"', '"storage_objects"', '"tpgs"')
    commands = ("targetcli", "cat", "targetctl")
    reach = 3
    nothing = "no target and no backstore is in it"
    head = re.compile(
        r'\{\s*"(?:fabric_modules"\s*:\s*\[\s*(?:\]|\{)|storage_objects"\s*:\s*\[\s*(?:\]|\{))'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for store in objects(value.get("storage_objects")):
            name = f"{store.get('plugin')}/{store.get('name')}"
            yield PrintedSubject("backstore", name, _store(store), prompt.host)
        for target in objects(value.get("targets")):
            if not isinstance(iqn := target.get("wwn"), str):
                continue
            kept: dict[str, Scalar] = {"iqn": iqn}
            if fabric := target.get("fabric"):
                kept["fabric"] = str(fabric)
            for group in objects(target.get("tpgs")):
                kept |= _group(group, kept)
            yield PrintedSubject("iscsi_target", iqn, kept, prompt.host)
            yield from _luns(target, iqn, prompt.host)


def _store(store: Mapping[str, Any]) -> dict[str, Scalar]:
    """A backstore by the names that the tree of targetcli is read with, and its attributes."""
    values: dict[str, Scalar] = {}
    for key, value in scalars(store, ("attributes", "alua_tpgs", "name", "plugin")).items():
        if key == "dev":
            values["device"] = value
        elif key == "write_back":
            values["write_policy"] = "write_back" if value else "write_thru"
        else:
            values[key] = value
    for key, value in scalars(part(store, "attributes")).items():
        values[{"block_size": "logical_block_size"}.get(key, key)] = value
    for group in objects(store.get("alua_tpgs")):
        if "name" in group:
            prefix = f"alua_{key_name(str(group['name']))}"
            values |= {f"{prefix}_{key}": of for key, of in scalars(group, ("name",)).items()}
    return values


def _group(group: Mapping[str, Any], before: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """What a portal group adds to its target: counts, portals, initiators, attributes."""
    tag = f"tpg{group.get('tag')}"
    acls, portals = objects(group.get("node_acls")), objects(group.get("portals"))
    attributes = scalars(part(group, "attributes"))
    values: dict[str, Scalar] = {
        "luns": int(before.get("luns") or 0) + len(objects(group.get("luns"))),
        "acls": int(before.get("acls") or 0) + len(acls),
        "portals": int(before.get("portals") or 0) + len(portals),
    }
    addresses = [f"{portal.get('ip_address')}:{portal.get('port')}" for portal in portals]
    names = [str(acl.get("node_wwn")) for acl in acls]
    for key, more in (("portal", addresses), ("initiators", names)):
        if all_ := " ".join([*filter(None, [str(before.get(key) or "")]), *more]):
            values[key] = all_
    if any(portal.get("iser") for portal in portals):
        values["iser"] = True
    if "authentication" in attributes:  # of several groups, whether any asks for it
        asked = bool(attributes["authentication"])
        values["authentication"] = asked or bool(before.get("authentication"))
    if isinstance(group.get("enable"), bool):
        values[f"{tag}_enabled"] = group["enable"]
    for name in ("attributes", "parameters"):
        for key, value in scalars(part(group, name)).items():
            if not _SECRET.search(key):
                values[f"{tag}_{key}"] = value
    return values


def _luns(target: Mapping[str, Any], iqn: str, host: str) -> Iterator[PrintedSubject]:
    """LUNs of a target, and what each initiator may see of them; of several groups with theirs."""
    groups = objects(target.get("tpgs"))
    for group in groups:
        name, tag = iqn, group.get("tag")
        above: dict[str, Scalar] = {"iqn": iqn}
        if len(groups) > 1:
            name, above["tpg"] = f"{iqn}/tpg{tag}", tag
        for lun in objects(group.get("luns")):
            store = str(lun.get("storage_object") or "").removeprefix("/backstores/")
            number = lun.get("index")
            if isinstance(number, int) and store:
                values: dict[str, Scalar] = {**above, "lun": number, "backstore": store}
                for key in ("alua_tg_pt_gp_name", "alias"):
                    if lun.get(key):
                        values[key] = str(lun[key])
                yield PrintedSubject("iscsi_target", f"{name}/lun_{number}", values, host)
        for acl in objects(group.get("node_acls")):
            own: dict[str, Scalar] = {**above, "initiator": str(acl.get("node_wwn"))}
            for row in objects(acl.get("mapped_luns")):
                mode = "read-only" if row.get("write_protect") else "read-write"
                own[f"mapped_lun{row.get('index')}"] = f"lun{row.get('tpg_lun')} {mode}"
            own |= scalars(part(acl, "attributes"))
            yield PrintedSubject("iscsi_target", f"{name}/acl_{acl.get('node_wwn')}", own, host)
