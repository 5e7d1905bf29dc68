"""`gluster volume info`, `peer status` and `pool list`: labels below a head, and a table.

Source: glusterfs 3.4 to 11, cli/src/cli-rpc-ops.c (gf_cli_get_volume_cbk(): "Volume Name: ",
"Number of Bricks: 2 x 3 = 6", "Brick1: HOST:PATH", "Thin-arbiter-path: ", "Options
Reconfigured:"); outputs of 3.3 to 11 ("Number of Peers: ", "State: Peer in Cluster (Connected)", in
old versions also "Port: 24007").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.gluster.facts import BRICK
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, top_of
from iosonde.text.torn import is_full

_VOLUME = re.compile(r"\s*Volume Name: (?P<name>\S{1,200})\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>Type|Volume ID|Status|Snapshot Count|Number of Bricks|Transport-type|"
    r"Thin-arbiter-path|"
    r"Xlator \d{1,2}|Snapshot Volume|Capacity|Restored From Snap): ?(?P<value>\S.{0,200}?)\s*$"
)
_MEMBER = re.compile(
    rf"\s*Brick(?P<number>\d{{1,5}}): ?(?P<brick>{BRICK})(?: (?P<arbiter>\(arbiter\)))?\s*$"
)
_MEMBER_BEGUN = re.compile(r"\s*Brick(?P<number>\d{1,5}):\s*$")
_OPTION = re.compile(
    r"\s*(?P<name>[a-z][a-z0-9-]{1,40}\.[\w.*-]{1,80}): (?P<value>\S.{0,200}?)\s*$"
)
_HEADING = re.compile(
    r"\s*(?:Bricks|Hot Tier|Cold Tier|Options Reconfigured|(?:Hot|Cold) Bricks):?\s*$"
)
_SHAPE = re.compile(
    r"(?:(?P<layout>(?:\d{1,5} [xX] )?(?:\d{1,5}|\(\d{1,5} \+ \d{1,5}\))) = )?(?P<bricks>\d{1,6})$"
)
_COLUMN = 66  # where mails break their lines, at least
_MOST = 20_000


class GlusterInfo(StateOutput):
    tool = "gluster volume info"
    anchors = ("Volume Name: ",)
    commands = ("gluster",)
    reach = 4
    beginning = _VOLUME
    nothing = "neither its type nor a brick follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        volumes: dict[str, dict[str, Scalar]] = {}
        bricks: list[tuple[str, dict[str, Scalar]]] = []
        last, name, above = first, "", ""
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            text = f"{above} {line.strip()}" if _MEMBER_BEGUN.match(above) else line
            if volume := _VOLUME.match(line):
                name = volume["name"]
                volumes[name] = {}
            elif pair := _PAIR.match(line):
                volumes[name] |= _pair(pair["label"], pair["value"])
            elif member := _MEMBER.match(text):
                values: dict[str, Scalar] = {"volume": name, "number": int(member["number"])}
                if member["arbiter"]:
                    values["arbiter"] = True
                bricks.append((member["brick"], values))
            elif option := _OPTION.match(line):
                volumes[name][option["name"]] = option["value"]
            elif _MEMBER.match(above) and _goes_on(above, line):
                bricks[-1] = (bricks[-1][0] + line.strip(), bricks[-1][1])
            elif not (_HEADING.match(line) or _MEMBER_BEGUN.match(line)):
                break
            last, above = index, line
        subjects = [
            PrintedSubject("gluster_volume", name, values, prompt.host)
            for name, values in volumes.items() if "type" in values
        ]  # fmt: skip
        return last, [*subjects, *(
            PrintedSubject("gluster_brick", brick, values, prompt.host)
            for brick, values in bricks if subjects
        )]  # fmt: skip


def _goes_on(above: str, line: str) -> bool:
    """Whether a mail or a terminal may have broken a path off the line above it."""
    return is_full(len(above), line, _COLUMN) and " " not in line.strip()


def _pair(label: str, value: str) -> dict[str, Scalar]:
    values = as_labelled({label: value}, ("Volume ID",))
    if label == "Volume ID":
        values["id"] = value
    if label == "Number of Bricks" and (shape := _SHAPE.match(value)):
        values = {"bricks": int(shape["bricks"])}
        if shape["layout"]:
            values["layout"] = shape["layout"]
    return values


_PEERS = re.compile(r"\s*Number of Peers: (?P<count>\d{1,5})\s*$")
_HOST = re.compile(r"\s*Hostname: (?P<name>\S{1,200})\s*$")
_PEER_PAIR = re.compile(
    r"\s*(?P<label>Uuid|UUID|State|Port): ?(?P<value>\S.{2,80}?)"
    r"(?: \((?P<link>Connected|Disconnected)\))?\s*$"
)
_PEER_NAMES = {"Uuid": "id", "UUID": "id", "State": "state", "Port": "port"}
_OTHER = re.compile(r"\s*Other names:\s*$")
_NAME = re.compile(r"\s*[\w.:-]{3,100}\s*$")


class GlusterPeers(StateOutput):
    tool = "gluster peer status"
    anchors = ("Number of Peers: ", "State: Peer ")
    commands = ("gluster",)
    reach = 3
    nothing = "no peer is named"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_PEERS.match(line) or _PEER_PAIR.match(line)):
            return None
        return top_of(cursor, lambda text: any(
            p.match(text) for p in (_PEERS, _HOST, _PEER_PAIR, _OTHER)))  # fmt: skip

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pool: dict[str, Scalar] = {}
        peers: dict[str, dict[str, Scalar]] = {}
        last, in_names = first, False
        peer: dict[str, Scalar] | None = None
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            if count := _PEERS.match(line):
                pool["peers"] = int(count["count"])
            elif host := _HOST.match(line):
                peer, in_names = peers.setdefault(host["name"], {}), False
            elif peer is not None and (pair := _PEER_PAIR.match(line)):
                peer |= _of_peer(pair)
            elif peer is not None and _OTHER.match(line):
                in_names = True
            elif peer is not None and in_names and _NAME.match(line):
                names = (peer.get("other_names"), line.strip())
                peer["other_names"] = ", ".join(str(name) for name in names if name)
            else:
                break
            last = index
        if pool and peers:
            pool["peers_disconnected"] = sum(
                values.get("connection") == "disconnected" for values in peers.values()
            )
        whole = [PrintedSubject("gluster", "gluster", pool, prompt.host)] if pool else []
        return last, whole + [
            PrintedSubject("gluster_peer", name, values, prompt.host)
            for name, values in peers.items() if "state" in values
        ]  # fmt: skip


def _of_peer(pair: re.Match[str]) -> dict[str, Scalar]:
    """What a line says of a peer; behind its state stands whether it is connected."""
    text = pair["value"]
    value: Scalar = int(text) if pair["label"] == "Port" and text.isdecimal() else text
    values = {_PEER_NAMES[pair["label"]]: value}
    return values | ({"connection": pair["link"].lower()} if pair["link"] else {})


_POOL_HEAD = re.compile(r"\s*UUID\s+Hostname\s+State\s*$")
_POOL_ROW = re.compile(
    r"\s*(?P<id>[0-9a-f]{8}-[0-9a-f-]{27})\s+(?P<host>\S{1,200})\s+(?P<state>[A-Z][a-z]{4,20})\s*$"
)


class GlusterPool(StateOutput):
    tool = "gluster pool list"
    anchors = ("UUID\t\t", "Hostname ")
    commands = ("gluster",)
    reach = 3
    beginning = _POOL_HEAD
    nothing = "no peer is named"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        peers: list[PrintedSubject] = []
        rows, last = close_rows(cursor, first + 1, _POOL_ROW.match, _MOST)
        for row in rows:
            values: dict[str, Scalar] = {"id": row["id"], "connection": row["state"].lower()}
            peers.append(PrintedSubject("gluster_peer", row["host"], values, prompt.host))
        return last, peers
