"""nvmetcli's config.json: ports and subsystems of the kernel's NVMe target, as they are saved.

Keys of DH-HMAC-CHAP, which later versions save with hosts, are not taken.

Source: nvmetcli 0.8, nvmet/nvme.py (dump() of Root, Subsystem, Namespace, Port, Referral, ANAGroup
and Host; attributes stand as texts below "attr", "device", "ana", "addr" and "param").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects, part
from iosonde.text.labels import as_labelled

_NAMES = {"allow_any_host": "allow_any"}  # as `nvmetcli ls` has it


class NvmetConfig(JsonOutput):
    tool = "nvmetcli save"
    anchors = ('"portid"', '"allow_any_host"', '"nsid"')
    commands = ("nvmetcli", "cat")
    reach = 3
    nothing = "no port and no subsystem is in it"
    head = re.compile(
        r'\{\s*"(?:hosts"\s*:\s*\[\s*(?:\]|\{\s*"(?:nqn|dhchap_\w{1,20})")'
        r'|ports"\s*:\s*\[\s*(?:\]|\{\s*"(?:addr|ana_groups|param|portid|referrals|subsystems)")'
        r'|subsystems"\s*:\s*\[\s*(?:\]|\{\s*"(?:allowed_hosts|attr|namespaces|nqn)"))'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for port in objects(value.get("ports")):
            if "portid" in port and "addr" in port:
                name = f"port_{port['portid']}"
                yield PrintedSubject("nvmeof_target", name, _port(port), prompt.host)
        for subsystem in objects(value.get("subsystems")):
            nqn = subsystem.get("nqn")
            if not isinstance(nqn, str) or "namespaces" not in subsystem:
                continue
            facts = {"nqn": nqn, **_texts(subsystem, "attr")}
            if hosts := subsystem.get("allowed_hosts"):
                facts["allowed_hosts"] = " ".join(map(str, hosts))
            yield PrintedSubject("nvmeof_target", nqn, facts, prompt.host)
            for space in objects(subsystem["namespaces"]):
                own = _texts(space, "device") | _texts(space, "ana")
                for key, name in (("nsid", "namespace"), ("ana_grpid", "grpid")):
                    if isinstance(space.get(key), int):
                        own[name] = space[key]
                if "enable" in space:
                    own["state"] = "enabled" if space["enable"] else "disabled"
                name = f"{nqn}/namespace_{space.get('nsid')}"
                yield PrintedSubject("nvmeof_target", name, own, prompt.host)


def _texts(row: Mapping[str, Any], group: str) -> dict[str, Scalar]:
    """The attributes of a group; numbers stand as texts."""
    given = part(row, group).items()
    pairs = {_NAMES.get(key, key): str(text) for key, text in given if text not in {"", None}}
    return dict(as_labelled(pairs))


def _port(port: Mapping[str, Any]) -> dict[str, Scalar]:
    """A port's address, its parameters, and what it exports."""
    values = _texts(port, "addr") | _texts(port, "param")
    if subsystems := port.get("subsystems"):
        values["subsystems"] = " ".join(map(str, subsystems))
    for group in objects(port.get("ana_groups")):
        for key, value in _texts(group, "ana").items():
            values[f"ana_group_{group.get('grpid')}_{key}"] = value
    for referral in objects(port.get("referrals")):
        for key, value in _texts(referral, "addr").items():
            values[f"referral_{referral.get('name')}_{key}"] = value
    return values
