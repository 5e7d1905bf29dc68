"""Rules about Gluster: bricks and peers that are away, copies that differ or wait to be healed.

Source:
    Gluster documentation: Troubleshooting/resolving-splitbrain ("All the files listed in the output
    of this command need to be healed"; "Files in split-brain cannot be healed without resolving the
    split-brain"), Administrator-Guide/Split-brain-and-ways-to-deal-with-it ("If we use the replica
    2 volume, it is not possible to prevent split-brain without losing availability"),
    Administrator-Guide/Managing-Volumes, Troubleshooting/troubleshooting-glusterd ("Peer
    Rejected"). glusterfs 3.4 to 11, cli/src/cli-rpc-ops.c (a brick's column Online), heal/src/
    glfs-heal.c (a brick's Status is "Connected" or the error of the connection).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_AWAY = frozenset({"offline", "transport endpoint is not connected"})
_REPLICATED = frozenset({"Replicate", "Distributed-Replicate"})
_SEVERAL = 4  # bricks that are named


def _volume(case: EvidenceSet, brick: StateEvidence, name: str) -> StateEvidence | None:
    """A volume of the brick's text that knows a value."""
    return next(
        (
            volume
            for volume in case.of_kind("gluster_volume")
            if volume.name == brick.values.get("volume") and volume.source == brick.source
            and volume.values.get(name) is not None
        ),
        None,
    )  # fmt: skip


def _bricks(case: EvidenceSet) -> Iterator[Finding]:
    """One finding for all bricks of a volume that are away, in a text."""
    away: dict[tuple[str, str], dict[str, StateEvidence]] = {}
    volumes = {
        (brick.source, brick.name): str(volume)
        for brick in case.of_kind("gluster_brick")
        if (volume := brick.values.get("volume"))
    }
    for brick in case.of_kind("gluster_brick"):
        if brick.values.get("state") in _AWAY:
            volume = volumes.get((brick.source, brick.name), "")
            away.setdefault((brick.source, volume), {}).setdefault(brick.name, brick)
    for (_, volume), bricks in away.items():
        yield _away(case, volume, list(bricks.values()))


def _away(case: EvidenceSet, volume: str, bricks: list[StateEvidence]) -> Finding:
    first, count = bricks[0], len(bricks)
    counted, typed = _volume(case, first, "bricks_offline"), _volume(case, first, "type")
    every = (
        int(counted.number("bricks_online") + counted.number("bricks_offline")) if counted else 0
    )
    lost = (typed is not None and typed.values["type"] == "Distribute") or count == every
    its = "its" if count == 1 else "their"
    names = ", ".join(brick.name for brick in bricks[:_SEVERAL])
    names += f" and {count - _SEVERAL:,} more" if count > _SEVERAL else ""
    return Finding(
        "degraded", "error" if lost else "warning", subject_of(first),
        f"{count:,}{f' of {every:,}' if every else ''} "
        f"{'brick' if (every or count) == 1 else 'bricks'}"
        + (f" of the Gluster volume {volume}" if volume else " of a Gluster volume")
        + f" {'is' if count == 1 else 'are'} away ({names}): "
        + (f"{its} files cannot be reached." if lost else f"{its} files have a copy or a part "
           "less, or cannot be reached where no other brick holds them."),
        tuple(line for brick in bricks[:_SEVERAL] for line in brick.evidence("state")),
        "the brick's log in /var/log/glusterfs/bricks, its disk and its file system say why; "
        f"`gluster volume start {volume or 'VOLUME'} force` starts bricks that do not run",
        f"`gluster volume status {volume}`".replace(" `", "`") + " has Y for every brick",
    )  # fmt: skip


def _split_brain(case: EvidenceSet) -> Iterator[Finding]:
    for brick in case.of_kind("gluster_brick"):
        if count := int(brick.number("split_brain") or brick.number("entries_split_brain")):
            yield Finding(
                "split-brain", "error", subject_of(brick),
                f"{count:,} {'entry is' if count == 1 else 'entries are'} in split-brain on the "
                f"Gluster brick {brick.name}: its copies differ, Gluster does not know which is "
                "right, and applications get I/O errors.",
                brick.evidence("split_brain", "entries_split_brain", "entries_to_heal"),
                "compare the copies, then choose with `gluster volume heal VOLUME split-brain "
                "latest-mtime|bigger-file FILE` or `… source-brick HOST:BRICK FILE`",
                "`gluster volume heal VOLUME info split-brain` counts 0 on every brick",
            )  # fmt: skip


def _pending(case: EvidenceSet) -> Iterator[Finding]:
    for brick in case.of_kind("gluster_brick"):
        others = brick.number("split_brain") + brick.number("possibly_healing")
        count = int(
            brick.number("entries_heal_pending")
            if brick.values.get("entries_heal_pending") is not None
            else brick.number("entries_to_heal") - others
        )
        if count > 0:
            yield Finding(
                "heal-pending", "warning", subject_of(brick),
                f"{count:,} {'entry' if count == 1 else 'entries'} of the Gluster brick "
                f"{brick.name} {'waits' if count == 1 else 'wait'} to be healed: another copy is "
                "older. Until then it is no copy, and healing reads and writes beside the "
                "clients' I/O.",
                brick.evidence("entries_to_heal", "entries_heal_pending", "split_brain",
                               "possibly_healing"),
                "see that all bricks and self-heal daemons are online (`gluster volume status`); "
                "files that clients write meanwhile may be listed for a moment",
                "`gluster volume heal VOLUME info summary` later: the count falls to 0",
            )  # fmt: skip


def _has_quorum(volume: StateEvidence) -> bool:
    """Whether clients or servers refuse to write one copy alone; a fixed quorum of one does not."""
    clients, servers = (volume.values.get(f"cluster.{name}") or "none"
                        for name in ("quorum-type", "server-quorum-type"))  # fmt: skip
    of_one = clients == "fixed" and volume.values.get("cluster.quorum-count") == "1"
    return servers != "none" or (clients != "none" and not of_one)


def _two_copies(case: EvidenceSet) -> Iterator[Finding]:
    for volume in case.of_kind("gluster_volume"):
        layout, kind = str(volume.values.get("layout")), volume.values.get("type")
        replicated = kind in _REPLICATED and layout.endswith(" x 2")
        options = {name for name in volume.values if "." in name}
        arbiter = volume.values.get("thin_arbiter_path")
        if replicated and options and not _has_quorum(volume) and not arbiter:
            yield Finding(
                "split-brain-risk", "warning", subject_of(volume),
                f"The Gluster volume {volume.name} keeps two copies ({layout}) without an arbiter, "
                "and none of its options sets a quorum: where clients or servers lose sight of "
                "each other, both copies can be written, and then nothing tells which is right.",
                volume.evidence("type", "layout"),
                "add an arbiter to each pair: `gluster volume add-brick "
                f"{volume.name} replica 3 arbiter 1 HOST:BRICK…`; or `cluster.quorum-type auto`, "
                "which stops writes while the first brick is away",
                "`gluster volume info`: “x (2 + 1)”",
            )  # fmt: skip


def _peers(case: EvidenceSet) -> Iterator[Finding]:
    for peer in case.of_kind("gluster_peer"):
        rejected = str(peer.values.get("state")).startswith("Peer Rejected")
        if rejected or peer.values.get("connection") == "disconnected":
            yield Finding(
                "lost-peer", "warning", subject_of(peer),
                f"The Gluster server {peer.name} "
                + ("is rejected: its configuration of the volumes is not that of the pool."
                   if rejected else "is disconnected: its glusterd does not answer this one."),
                peer.evidence("state", "connection"),
                "compare cluster.op-version on both; glusterd.log names the volume whose checksum "
                "differs" if rejected
                else "see whether the host, its glusterd and TCP port 24007 can be reached",
                "`gluster peer status`: “Peer in Cluster (Connected)” for all",
            )  # fmt: skip


_HEAL = "Gluster documentation, Troubleshooting/resolving-splitbrain"
RULES: tuple[Rule, ...] = (
    Rule("degraded", "gluster", "Bricks of a volume that are offline or not connected.",
         "glusterfs, cli/src/cli-rpc-ops.c and heal/src/glfs-heal.c", _bricks, stage="redundancy"),
    Rule("split-brain", "gluster", "Entries whose copies differ, and none is known to be right.",
         _HEAL, _split_brain, stage="stopped"),
    Rule("heal-pending", "gluster", "Entries of which a copy is older, and not yet healed.",
         _HEAL, _pending),
    Rule("split-brain-risk", "gluster", "Two copies without arbiter or quorum.",
         "Gluster documentation, Administrator-Guide/Split-brain-and-ways-to-deal-with-it",
         _two_copies),
    Rule("lost-peer", "gluster", "Servers of the pool that are disconnected or rejected.",
         "Gluster documentation, Troubleshooting/troubleshooting-glusterd", _peers),
)  # fmt: skip
