"""Stacks that cannot be built are refused when the file is read; their near misses are not."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.stack.file import understand

HEAD = (
    "stack: s\nhosts: {h: {at: local, address: 10.0.0.1}, g: {at: g, address: 10.0.0.2}}\nlayers:\n"
)
DISKS = "".join(
    f"  {name}: {{kind: disk, host: h, file: /srv/{name}, size: {size}}}\n"
    for name, size in (("a", "1 GiB"), ("b", "1 GiB"), ("c", "1 GiB"), ("big", "4 GiB"))
)


def refusal(layers: str, head: str = HEAD + DISKS) -> str:
    try:
        understand(head + layers, "s.yaml")
    except UsageError as problem:
        return f"{problem.where} {problem.message}"
    return ""


REFUSED = {
    "two layers on one disk": (
        "  x: {kind: xfs, of: a, mount: /m}\n  v: {kind: lvm, of: [a, b]}\n",
        "x and v both stand on a",
    ),
    "a file system and an export": (
        "  x: {kind: xfs, of: a, mount: /m}\n  n: {kind: nbd_server, of: a}\n",
        "x and n both stand on a",
    ),
    "two groups": (
        "  v: {kind: lvm, of: [a, b]}\n  w: {kind: lvm, of: [b, c]}\n", "both stand on b",
    ),
    "a log that no group holds": (
        "  x: {kind: xfs, of: a, mount: /m, agcount: 32, log_size: 64 MiB}\n",
        "a log of 64 MiB does not fit into one of 32 allocation groups of 32 MiB",
    ),
    "a log that no group of a striped device holds": (
        "  s: {kind: disk, host: h, file: /srv/s, size: 400 MiB}\n"
        "  x: {kind: xfs, of: s, mount: /m, su: 65536, sw: 2, log_size: 64 MiB}\n",
        "does not fit into one of 8 allocation groups of 50 MiB, since mkfs.xfs makes so many",
    ),
    "an XFS on too little": (
        "  s: {kind: disk, host: h, file: /srv/s, size: 8 MiB}\n"
        "  x: {kind: xfs, of: s, mount: /m}\n",
        "mkfs.xfs makes no file system on less than 16 MiB",
    ),
    "a volume larger than its group": (
        "  v: {kind: lvm, of: [a, b], size: 2 GiB}\n", "larger than the volume group s-v",
    ),
    "volumes larger than their group": (
        "  v: {kind: lvm, group: g, of: a, size: 600 MiB}\n"
        "  w: {kind: lvm, group: g, of: a, size: 600 MiB}\n",
        "the volumes of the group g need 1.17 GiB",
    ),
    "a mirror larger than its group": (
        "  v: {kind: lvm, type: raid1, of: [a, b], size: 1.5 GiB}\n", "larger than the volume",
    ),
    "a chunk that is no power of two": (
        "  r: {kind: md, level: 5, of: [a, b, c], chunk_size: 96 KiB}\n", "96 KiB is no chunk",
    ),
    "a stripe size that is no power of two": (
        "  v: {kind: lvm, type: striped, of: [a, b], stripe_size: 96 KiB}\n", "valid stripe size",
    ),
    "a layout that is none": (
        "  r: {kind: md, level: 5, of: [a, b, c], layout: left-synmetric}\n",
        "RAID 5 has no layout 'left-synmetric'",
    ),
    "a layout of another level": (
        "  r: {kind: md, level: 10, of: [a, b, c], layout: left-symmetric}\n",
        "RAID 10 has no layout",
    ),
    "more copies than members": (
        "  r: {kind: md, level: 10, of: [a, b, c], layout: n4}\n", "keeps 4 copies",
    ),
    "a bitmap without redundancy": (
        "  r: {kind: md, level: 0, of: [a, b], bitmap: internal}\n", "RAID 0 has no bitmap",
    ),
    "one file twice": (
        "  e: {kind: disk, host: h, file: /srv/a}\n", "/srv/a on h is the disk a already",
    ),
    "one device twice": (
        "  p: {kind: disk, host: h, path: /dev/sdx}\n  q: {kind: disk, host: h, path: /dev/sdx}\n",
        "/dev/sdx on h is the disk p already",
    ),
    "members of very different size": (
        "  r: {kind: md, level: 1, of: [a, big]}\n", "big has 4 GiB and a 1 GiB",
    ),
    "a partition beyond the disk": (
        "  p: {kind: partition, of: a, start: 2 GiB}\n", "beyond the end of a",
    ),
    "a partition that ends beyond the disk": (
        "  p: {kind: partition, of: a, start: 512 MiB, size: 512 MiB}\n", "beyond the end of a",
    ),
    "partitions that overlap": (
        "  p: {kind: partition, of: a, size: 512 MiB}\n"
        "  q: {kind: partition, of: a, number: 2, start: 512 MiB}\n",
        "it overlaps with the partition p",
    ),
    "one number twice": (
        "  p: {kind: partition, of: a, size: 256 MiB}\n"
        "  q: {kind: partition, of: a, start: 512 MiB}\n",
        "partition 1 of a is the layer p already",
    ),
    "an export of a disk by NFS": (
        "  n: {kind: nfs_server, of: a}\n",
        "nfs_server stands on a file system, and a (disk) is a block device",
    ),
    "a file system on a file system": (
        "  x: {kind: xfs, of: a, mount: /m}\n  y: {kind: xfs, of: x, mount: /n}\n",
        "x (xfs) is a file system",
    ),
    "a file system on a thin pool": (
        "  p: {kind: lvm, type: thin-pool, of: a}\n  x: {kind: xfs, of: p, mount: /m}\n",
        "p is a thin pool, which is no device",
    ),
    "MTUs that differ": (
        "  t: {kind: aoe_target, of: a, mtu: 9000}\n"
        "  i: {kind: aoe, of: t, host: g, mtu: 1500}\n",
        "it has 1500 and the target t 9000",
    ),
    "a journal larger than half": (
        "  x: {kind: ext4, of: a, mount: /m, journal_size: 600 MiB}\n", "more than half of a",
    ),
}  # fmt: skip

BUILDABLE = {
    "volumes of one group": (
        "  v: {kind: lvm, group: g, of: [a, b], size: 600 MiB}\n"
        "  w: {kind: lvm, group: g, of: [a, b], size: 600 MiB}\n"
    ),
    "partitions of one disk": (
        "  p: {kind: partition, of: a, size: 256 MiB}\n"
        "  q: {kind: partition, of: a, number: 2, start: 257 MiB}\n"
    ),
    "a device exported twice": (
        "  n: {kind: nbd_server, of: a}\n  t: {kind: nvmeof_target, of: a}\n"
    ),
    "a thin volume larger than its pool": (
        "  p: {kind: lvm, type: thin-pool, of: a}\n"
        "  t: {kind: lvm, type: thin, of: p, size: 8 GiB}\n"
        "  u: {kind: lvm, type: thin, of: p, size: 8 GiB}\n"
        "  x: {kind: xfs, of: t, mount: /m}\n"
    ),
    "a log as large as a group nearly is": (
        "  x: {kind: xfs, of: a, mount: /m, agcount: 4, log_size: 128 MiB}\n"
    ),
    "a chunk of RAID 0 that is no power of two": (
        "  r: {kind: md, level: 0, of: [a, b], chunk_size: 96 KiB}\n"
    ),
    "copies as mdadm writes them": "  r: {kind: md, level: 10, of: [a, b, c], layout: f2}\n",
    "three halves of a member on RAID 10 of three": (
        "  r: {kind: md, level: 10, of: [a, b, c]}\n  v: {kind: lvm, of: r, size: 1400 MiB}\n"
    ),
    "a layout of DDF": (
        "  d: {kind: disk, host: h, file: /srv/d, size: 1 GiB}\n"
        "  r: {kind: md, level: 6, of: [a, b, c, d], layout: ddf-n-restart}\n"
    ),
    "members a little different": (
        "  d: {kind: disk, host: h, file: /srv/d, size: 900 MiB}\n"
        "  r: {kind: md, level: 1, of: [a, d]}\n"
    ),
    "one path on two hosts": (
        "  p: {kind: disk, host: h, path: /dev/sdx}\n  q: {kind: disk, host: g, path: /dev/sdx}\n"
    ),
    "two clients of one export": (
        "  x: {kind: xfs, of: a, mount: /m}\n  n: {kind: nfs_server, of: x}\n"
        "  i: {kind: nfs, of: n, host: g, mount: /n}\n  j: {kind: nfs, of: n, host: h, mount: /o}\n"
    ),
    "an MTU that only one end declares": (
        "  t: {kind: aoe_target, of: a, mtu: 9000}\n  i: {kind: aoe, of: t, host: g}\n"
    ),
    "a real disk, whose size only its host knows": (
        "  p: {kind: disk, host: h, path: /dev/sdx}\n"
        "  v: {kind: lvm, of: p, size: 99 TiB}\n  x: {kind: xfs, of: v, mount: /m}\n"
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_built_is_refused_with_its_line(what: str) -> None:
    layers, expected = REFUSED[what]
    said = refusal(layers)
    assert expected in said
    assert said.startswith("s.yaml:")


@pytest.mark.parametrize("what", BUILDABLE)
def test_what_looks_alike_and_can_be_built_is_not(what: str) -> None:
    assert not refusal(BUILDABLE[what])
