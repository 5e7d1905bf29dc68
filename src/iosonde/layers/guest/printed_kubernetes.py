"""`kubectl describe` of volumes, claims and classes of Kubernetes, by the names of `kubectl get`.

Source: Kubernetes 1.13 to 1.32, staging/src/k8s.io/kubectl/pkg/describe/describe.go
(describePersistentVolume(), describePersistentVolumeClaim(), describeStorageClass(),
DescribeEvents()).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest

_PAIR = re.compile(
    r"(?P<margin> {0,16})(?P<label>[A-Z][A-Za-z]{1,24}(?: [A-Z][A-Za-z]{1,12}){0,2}):"
    r"(?: {1,60}(?P<value>\S.{0,2000}))?$"
)
_FIRST = re.compile(r" {0,16}Name: {3,30}\S")
_EVENT = re.compile(
    r" {2,20}Warning {2,30}(?P<reason>[A-Z]\w{2,60}) {2,30}\S.{0,60}? {2,60}\S{1,120} {2,200}"
    r"(?P<message>\S.{0,1000})$"
)
_QUANTITY = re.compile(r"\d{1,15}(?:\.\d{1,3})?(?:[KMGTPE]i|[kMGTPE])?")
_KINDS = {
    "Reclaim Policy": "persistent_volume", "Provisioner": "storage_class",
    "Access Modes": "persistent_volume_claim",
}  # fmt: skip
"""Label that one kind alone has → that kind; the first that fits."""
_NAMES = {
    "StorageClass": "storageclass", "Status": "status", "Volume": "volume",
    "Access Modes": "access_modes", "VolumeMode": "volumemode", "Claim": "claim",
    "Reclaim Policy": "reclaim_policy", "Provisioner": "provisioner", "Parameters": "parameters",
    "AllowVolumeExpansion": "allowvolumeexpansion", "MountOptions": "mount_options",
    "ReclaimPolicy": "reclaimpolicy", "VolumeBindingMode": "volumebindingmode",
    "Used By": "used_by", "Mounted By": "used_by", "Message": "message", "Reason": "reason",
    "IsDefaultClass": "default", "Source Type": "source_type", "Source Driver": "driver",
    "Source FSType": "fstype", "Source VolumeHandle": "volume_handle",
    "Source Server": "server", "Source Path": "path", "Source ReadOnly": "read_only",
}  # fmt: skip
_NOTHING = frozenset({"<none>", "<unset>", "<nil>"})
_SWITCHES = {"True": True, "true": True, "Yes": True, "False": False, "false": False, "No": False}
_MOST = 200


class KubectlDescribe(StateOutput):
    tool = "kubectl describe"
    anchors = ("Access Modes: ", "VolumeBindingMode: ")
    commands = ("kubectl", "oc", "k3s", "microk8s", "k")
    reach = 3
    nothing = "it is of no volume, claim or class"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 60, _FIRST.match)
        if first is None:
            return None
        between = (cursor.line(index) for index in range(first, cursor.at))
        own = all(not line or _PAIR.match(line) or line[0] == " " for line in between)
        return first if own else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        margin = len(cursor.line(first)) - len(cursor.line(first).lstrip())
        pairs: dict[str, str] = {}
        last, label = first, ""
        for index, line in close_lines(cursor, first, _MOST):
            pair, own = _PAIR.match(line), len(line) - len(line.lstrip())
            if index > first and (own < margin or prompt_in(line) or _FIRST.match(line)):
                break
            if pair and own == margin:
                label = pair["label"]
                pairs.setdefault(label, (pair["value"] or "").strip())
            elif own == margin:
                break
            else:
                _further(pairs, label, line, pair)
            last = index
        kind = next((kind for name, kind in _KINDS.items() if name in pairs), "")
        if not kind:
            return last, ()
        name = pairs["Name"]
        if pairs.get("Namespace"):
            name = f"{pairs['Namespace']}/{name}"
        return last, (PrintedSubject(kind, name, dict(_values(pairs)), prompt.host),)


def _further(pairs: dict[str, str], label: str, line: str, pair: re.Match[str] | None) -> None:
    """Keep what a line below a label says: an option, a pod, a part of the source, an event."""
    if label == "Source" and pair:
        pairs.setdefault(f"Source {pair['label']}", (pair["value"] or "").strip())
    elif label in {"MountOptions", "Used By", "Mounted By"}:
        pairs[label] = f"{pairs[label]}, {line.strip()}".removeprefix(", ")
    elif label == "Events" and (event := _EVENT.match(line)):
        pairs["Warning"] = f"{event['reason']}: {event['message']}"


def _values(pairs: Mapping[str, str]) -> Iterator[tuple[str, Scalar]]:
    if _QUANTITY.fullmatch(size := pairs.get("Capacity", "")):
        yield "size", round(units.printed(size)[0])
    for label, text in pairs.items():
        if label == "Warning":
            yield "warning", text[:_MOST]
        elif label in _NAMES and text and text not in _NOTHING:
            value = text.partition(" (")[0] if label == "Source Type" else text[:_MOST]
            yield _NAMES[label], _SWITCHES.get(value, value)
