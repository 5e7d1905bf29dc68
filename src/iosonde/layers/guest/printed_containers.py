"""Docker's and Kubernetes' view of storage: `docker info`, `docker system df`, `kubectl get pv`.

Of `kubectl get` also the lists of Longhorn's, Rook's and OpenEBS' resources. Sizes of docker are as
Go's units package prints them: "16.43 MB" decimal, "31.31GiB" binary; those of Kubernetes are
quantities: "100Gi" binary, "10G" decimal.

Source: docker/cli 1.12 to 27, cli/command/system/info.go (prettyPrintInfo()), df.go,
cli/command/formatter/disk_usage.go; Kubernetes 1.20 to 1.32, pkg/printers/internalversion/
printers.go (printPersistentVolume() and its neighbours), apimachinery resource.Quantity; the
printed columns of longhorn-manager 1.1 to 1.9 (k8s/pkg/apis/longhorn), Rook 1.4 to 1.16
(pkg/apis/ceph.rook.io/v1/types.go) and OpenEBS' cStor and NDM 2 and 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import PartlyReadItems, StateOutput, close_lines, close_rows

_LABELLED = re.compile(
    r"(?P<margin> {0,12})(?P<label>[A-Za-z][\w ./()-]{0,60}?):(?: (?P<value>.{0,400}))?$"
)
_LISTED = re.compile(r"(?P<margin> {1,12})(?P<text>[\w./:*-]{1,200})$")
_TOP = re.compile(r"\s*(?:Client(?:: .{1,60})?:?|Containers: \d{1,9})$")
_KEY = re.compile(r"\s*(?:Server Version|Storage Driver|Docker Root Dir|Cgroup Driver): \S")
_OF_KUBERNETES = re.compile(r"\s*(?:Client|Kustomize) Version: ")
_ASKED = re.compile(r"\b(?:docker|podman) (?:system )?info\b")
_SIZE = re.compile(r"\d{1,9}(?:\.\d{1,4})? ?(?:[kKMGTP]i?)?B")
_MOST = 200
_REACH = 60


class DockerInfo(StateOutput):
    tool = "docker info"
    anchors = ("Storage Driver: ", "Server Version: ", "Docker Root Dir: ", "Cgroup Driver: ")
    commands = ("docker", "podman")
    nothing = "none of its labels has a value"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        above = cursor.line(cursor.at - 1)
        if not _KEY.match(cursor.line(cursor.at)) or _OF_KUBERNETES.match(above):
            return None
        top = None
        for index in range(cursor.at - 1, max(cursor.at - _REACH, -1), -1):
            line = cursor.line(index)
            if prompt_in(line) or (line and not (_LABELLED.match(line) or _LISTED.match(line))):
                break
            top = index if _TOP.match(line) else top
        return cursor.at if top is None else top

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        pairs: dict[str, str] = {}
        open_: list[tuple[int, str]] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST):
            pair, listed = _LABELLED.match(line), _LISTED.match(line)
            form = pair or listed
            if form is None or prompt_in(line):
                break
            last = index
            margin = len(form["margin"])
            while open_ and open_[-1][0] >= margin:
                open_.pop()
            above = " ".join(label for _, label in open_ if label != "Server")
            if pair:
                label = f"{above} {pair['label']}".strip()
                if pair["value"] and pair["value"].strip():
                    pairs.setdefault(label, pair["value"].strip())
                open_.append((margin, pair["label"]))
            elif above and listed:
                pairs[above] = (
                    f"{pairs[above]}, {listed['text']}" if above in pairs else (listed["text"])
                )
        if len(pairs) < _FEW and not _ASKED.search(prompt.command):
            return last, ()
        sizes = {label: size for label, text in pairs.items() if (size := _bytes(text)) is not None}
        values = as_labelled({k: text for k, text in pairs.items() if k not in sizes})
        for label, size in sizes.items():
            values |= dict.fromkeys(as_labelled({label: "0"}), size)
        return last, (PrintedSubject("container_engine", "docker", values, prompt.host),)


_FEW = 3


def _bytes(text: str) -> int | None:
    if not _SIZE.fullmatch(text):
        return None
    return round(units.printed(text.replace(" ", "").replace("K", "k"))[0])


_USED_HEAD = re.compile(r"\s*TYPE\s+TOTAL\s+ACTIVE\s+SIZE\s+RECLAIMABLE\s*$")
_USED = re.compile(
    r"\s*(?P<type>Images|Containers|Local Volumes|Build Cache)\s+(?P<total>\d{1,9})\s+"
    rf"(?P<active>\d{{1,9}})\s+(?P<size>{_SIZE.pattern})\s+(?P<reclaimable>{_SIZE.pattern})"
    r"(?: \((?P<share>\d{1,3})%\))?\s*$"
)


class DockerDiskUse(StateOutput):
    tool = "docker system df"
    anchors = ("RECLAIMABLE",)
    commands = ("docker", "podman")
    beginning = _USED_HEAD
    nothing = "no row is whole"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        used: dict[str, Json] = {}
        rows, last = close_rows(cursor, first + 1, _USED.match, 20)
        for row in rows:
            values: dict[str, Json] = {"total": int(row["total"]), "active": int(row["active"])}
            values |= {name: _bytes(row[name]) for name in ("size", "reclaimable")}
            if row["share"]:
                values["reclaimable_share"] = int(row["share"]) / 100
            used[row["type"].lower().replace(" ", "_")] = values
        counters = (self.counted("container_engine", "docker", used, prompt),) if used else ()
        return last, counters


_COLUMNS = frozenset({
    "NAMESPACE", "NAME", "CAPACITY", "ACCESS MODES", "RECLAIM POLICY", "STATUS", "CLAIM",
    "STORAGECLASS", "VOLUMEATTRIBUTESCLASS", "REASON", "AGE", "VOLUMEMODE", "VOLUME",
    "PROVISIONER", "RECLAIMPOLICY", "VOLUMEBINDINGMODE", "ALLOWVOLUMEEXPANSION",
    "ATTACHER", "PV", "NODE", "ATTACHED",
    "DATA ENGINE", "STATE", "ROBUSTNESS", "SCHEDULED", "SIZE", "DISK", "INSTANCEMANAGER", "IMAGE",
    "DATADIRHOSTPATH", "MONCOUNT", "PHASE", "MESSAGE", "HEALTH", "EXTERNAL", "FSID", "ACTIVEMDS",
    "TYPE", "FAILUREDOMAIN", "REPLICATION", "EC-CODINGCHUNKS", "EC-DATACHUNKS",
    "HOSTNAME", "FREE", "READONLY", "PROVISIONEDREPLICAS", "HEALTHYREPLICAS", "NODENAME", "PATH",
    "FSTYPE", "CLAIMSTATE", "ALLOCATED", "HEALTHYINSTANCES", "PROVISIONEDINSTANCES",
    "DESIREDINSTANCES",
})  # fmt: skip
_NAMED = re.compile(r"(?:ACCESS MODES|RECLAIM POLICY|DATA ENGINE|[A-Z-]{2,24})(?=\s|$)")
_KINDS = {
    "RECLAIM POLICY": "persistent_volume", "ACCESS MODES": "persistent_volume_claim",
    "PROVISIONER": "storage_class", "ATTACHER": "volume_attachment",
    "ROBUSTNESS": "longhorn_volume", "DISK": "longhorn_replica",
    "INSTANCEMANAGER": "longhorn_engine",
    "DATADIRHOSTPATH": "ceph_cluster", "FAILUREDOMAIN": "ceph_block_pool",
    "ACTIVEMDS": "ceph_filesystem",
    "PROVISIONEDREPLICAS": "cstor_pool", "HEALTHYINSTANCES": "cstor_cluster",
    "CLAIMSTATE": "block_device",
}  # fmt: skip
"""Column that one list alone has → what it lists; the first that fits."""
_SIZES = {"CAPACITY": "size", "SIZE": "size", "FREE": "available", "ALLOCATED": "allocated"}
_QUANTITY = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,3})?)(?P<unit>[KMGTPE]i|[kMGTPE])?")


class KubernetesVolumes(StateOutput):
    tool = "kubectl get"
    anchors = (
        "ACCESS MODES", "VOLUMEBINDINGMODE", "RECLAIM POLICY", "ATTACHER ", " ROBUSTNESS ",
        "INSTANCEMANAGER", "DATADIRHOSTPATH", "FAILUREDOMAIN", "ACTIVEMDS", "PROVISIONEDREPLICAS",
        "HEALTHYINSTANCES", "CLAIMSTATE",
    )  # fmt: skip
    commands = ("kubectl", "oc", "k3s", "microk8s", "k")
    reach = 3
    nothing = "no row stands under its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _heads(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        heads = _heads(cursor.line(first))
        kind = next((kind for column, kind in _KINDS.items() if column in heads), "")
        things: list[PrintedSubject] = []
        rows, last = close_rows(
            cursor, first + 1, lambda line: _cells(line, heads), 2000, no_prompts=True
        )
        for cells in rows:
            name = cells.pop("NAME")
            if "NAMESPACE" in cells:
                name = f"{cells['NAMESPACE']}/{name}"
            things.append(PrintedSubject(kind, name, dict(_values(cells)), prompt.host))
        return last, things


def _heads(line: str) -> dict[str, int]:
    """The columns with where they begin; none where a word is no column, or no list is meant."""
    heads = {match[0]: match.start() for match in _NAMED.finditer(line)}
    is_whole = "".join(line.split()) == "".join(heads).replace(" ", "")
    is_list = is_whole and "NAME" in heads and heads.keys() <= _COLUMNS
    return heads if is_list and any(column in heads for column in _KINDS) else {}


def _cells(line: str, heads: Mapping[str, int]) -> dict[str, str] | None:
    """What stands under each column; None where a word crosses the border of one."""
    cells: dict[str, str] = {}
    places: Sequence[tuple[str, int]] = list(heads.items())
    for at, (column, begin) in enumerate(places):
        end = places[at + 1][1] if at + 1 < len(places) else len(line) + 1
        if begin and line[begin - 1 : begin].strip():
            return None
        cell = line[begin:end].strip()
        if "  " in cell:
            return None
        if cell:
            cells[column] = cell
    is_whole = "NAME" in cells and ("AGE" in cells or "AGE" not in heads)
    return cells if is_whole and len(cells) >= min(_FEW + 1, len(heads)) else None


def _values(cells: Mapping[str, str]) -> Iterator[tuple[str, Scalar]]:
    for column, text in cells.items():
        name = column.lower().replace(" ", "_")
        if column in _SIZES and (quantity := _QUANTITY.fullmatch(text)):
            yield _SIZES[column], round(units.printed(quantity[0])[0])
        elif text.lower() in {"true", "false"}:
            yield name, text.lower() == "true"
        elif text != "<unset>":
            yield name, text
