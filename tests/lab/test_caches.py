"""Each declared cache: built, killed with its host, brought back, and taken away without a loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.lab.conftest import good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow]

NAME = "test-caches"
STACK = """
stack: {name}
hosts: {{n1: {{}}}}
layers:
  origin: {{kind: disk, host: n1, size: 128 MiB}}
  fast: {{kind: disk, host: n1, size: 96 MiB}}
  keep: {{kind: disk, host: n1, size: 32 MiB}}
  hot: {{kind: {kind}, of: [origin, fast], {keys}}}
  fs: {{kind: ext4, of: hot, mount: /mnt/hot}}
"""
ORIGIN, FAST = "/dev/disk/by-id/virtio-origin", "/dev/disk/by-id/virtio-fast"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind as it is declared, what shows that it is, and where data begin on the origin.

    `unwritten` is the fact that is above 0 while the fast device alone holds data; of dm-cache's
    smq nothing can be said, because it writes back as soon as the origin is idle.
    """

    name: str
    keys: str
    facts: dict[str, Any]
    unwritten: str
    offset: int = 0


KINDS = (
    Kind(
        "dm_cache", "mode: writeback, policy: smq, block_size: 64 KiB",
        {"mode": "writeback", "policy": "smq", "block_size": 65536}, "",
    ),
    Kind(
        "dm_cache", "mode: passthrough, block_size: 32 KiB",
        {"mode": "passthrough", "policy": "smq", "block_size": 32768, "dirty_share": 0}, "",
    ),
    Kind(
        "dm_writecache", "high_watermark: 90, low_watermark: 80",
        {"medium": "ssd", "block_size": 4096,
         "options": "start_sector 2048 high_watermark 90 low_watermark 80"}, "used_share",
    ),
    Kind(
        "bcache", "cache_mode: writeback, sequential_cutoff: 0, writeback_percent: 40, "
        "bucket_size: 128 KiB",
        {"mode": "writeback", "bucket_size": 131072}, "dirty", 8192,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cached:
    """A lab with a stack file for it."""

    kind: Kind
    file: Path

    def sh(self, script: str, *arguments: str) -> str:
        return ssh(NAME, "n1", "sh", "-ec", f"'{script}'", "sh", *arguments)

    def up(self) -> dict[str, str]:
        """Action → state of each step of the cache."""
        steps = good("up", self.file, "--json").document["steps"]
        return {step["action"]: step["state"] for step in steps if step["layer"] == "hot"}

    def write(self, name: str) -> str:
        """A file that is on stable storage; its checksum."""
        self.sh(f"dd if=/dev/urandom of=/mnt/hot/{name} bs=64k count=256 conv=fsync status=none")
        return self.sum(f"/mnt/hot/{name}")

    def sum(self, path: str) -> str:
        """The checksum of a file as the device has it."""
        return self.sh(f"echo 3 >/proc/sys/vm/drop_caches; sha256sum {path}").split()[0]

    def shown(self) -> dict[str, Any]:
        """The facts of the one layer of the kind."""
        layers = good("show", f"lab:{NAME}/n1", "--json").document["layers"]
        (record,) = [layer for layer in layers if layer["kind"] == self.kind.name]
        facts: dict[str, Any] = record["facts"]
        return facts

    def crash(self) -> None:
        """A power cut. The record of what was built is on a disk, as it is on a real host."""
        good("lab", "kill", "n1", "--name", NAME)
        good("lab", "start", "n1", "--name", NAME)
        self.remember()

    def remember(self) -> None:
        keep = "/dev/disk/by-id/virtio-keep"
        self.sh(f"blkid {keep} >/dev/null || mke2fs -q -t ext4 {keep} 2>/dev/null; "
                f"mkdir -p /var/lib/iosonde; mount {keep} /var/lib/iosonde")  # fmt: skip

    def from_origin(self, *names: str) -> list[str]:
        """Checksums of files, read from the slow device alone.

        Where the file system was still there for `down`, as with bcache, which udev brings back,
        it took away the two bytes by which ext4 is known (s_magic); its data are there.
        """
        magic = f"dd of={ORIGIN} bs=1 seek={self.kind.offset + 1080} conv=notrunc,fsync status=none"
        self.sh(f'printf "\\\\123\\\\357" | {magic}')
        start = self.kind.offset // 512
        self.sh(
            f"size=$(($(blockdev --getsz {ORIGIN}) - {start})); mkdir -p /mnt/origin; "
            f'dmsetup create plain --table "0 $size linear {ORIGIN} {start}"; '
            "mount -t ext4 -o ro /dev/mapper/plain /mnt/origin"
        )
        return [self.sum(f"/mnt/origin/{name}") for name in names]

    def gone(self) -> None:
        """Nothing of the cache is left, and taking it away again does nothing."""
        assert good("down", self.file, "--json").document["steps"] == []
        assert self.sh("modprobe dm_mod; ls /dev/mapper").split() == ["control"]
        assert self.sh("ls -d /sys/block/bcache* /sys/fs/bcache/*-* 2>/dev/null || true") == ""
        assert self.sh(f'head -c 4096 {FAST} | tr -d "\\\\0" | wc -c').strip() == "0"
        assert "bcache" not in self.sh(f"wipefs --no-act {FAST} {ORIGIN}")


@pytest.fixture(
    params=[
        pytest.param(
            kind,
            id=f"{kind.name}-{kind.facts.get('mode', 'ssd')}",
            marks=[] if kind is KINDS[0] else [pytest.mark.long],
        )
        for kind in KINDS
    ]
)
def cached(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cached]:
    kind: Kind = request.param
    file = tmp_path / "caches.yaml"
    file.write_text(STACK.format(name=NAME, kind=kind.name, keys=kind.keys))
    with running(NAME, file):
        made = Cached(kind, file)
        made.remember()
        yield made


def test_it_survives_a_crash_and_leaves_its_data_on_the_origin(cached: Cached) -> None:
    assert set(cached.up().values()) == {"done"}
    kept = cached.write("kept")
    facts = cached.shown()
    assert cached.kind.facts.items() <= facts.items()
    if cached.kind.unwritten:
        assert facts[cached.kind.unwritten] > 0
    cached.crash()
    again = cached.up()
    assert again.pop(next(iter(again))) == "done"  # modules
    assert again.pop(next(iter(again))) == "unchanged", "what is on the disks is made once"
    assert cached.kind.facts.items() <= cached.shown().items()
    assert cached.sum("/mnt/hot/kept") == kept
    later = cached.write("later")
    good("down", cached.file)
    cached.gone()
    assert cached.from_origin("kept", "later") == [kept, later]


def test_what_only_the_cache_holds_is_not_lost_where_nobody_brought_it_back(
    cached: Cached,
) -> None:
    cached.up()
    kept = cached.write("kept")
    cached.crash()
    good("down", cached.file)
    cached.gone()
    assert cached.from_origin("kept") == [kept]
