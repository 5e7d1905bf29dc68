"""What is planned for declared caches, and that their scripts are shell."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace

import pytest

from iosonde.errors import UsageError
from iosonde.layers._caches.building import HEADER
from iosonde.layers.bcache.facts import printed
from iosonde.layers.site import Site
from iosonde.layers.step import Step
from iosonde.stack.file import builder, understand

DISKS = "\n  ".join(f"{name}: {{kind: disk, host: h, path: /dev/{name}}}" for name in "abc")
KINDS = ("bcache", "dm_cache", "dm_writecache")


def site(kind: str, keys: str = "", of: str = "[a, b]", stack: str = "s") -> Site:
    layer = f"hot: {{kind: {kind}, of: {of}{keys and ', '}{keys}}}"
    text = f"stack: {stack}\nhosts: {{h: {{at: local}}}}\nlayers:\n  {DISKS}\n  {layer}\n"
    bare = understand(text, "s.yaml").site("hot")
    below = tuple(replace(place, device=f"/dev/{place.name}") for place in bare.below)
    return replace(bare, below=below)


def plan(kind: str, keys: str = "", **where: str) -> tuple[Step, ...]:
    return builder(kind).plan(site(kind, keys, **where))


def arguments_of(step: Step) -> str:
    return " ".join(step.do[0].argv[4:])


@pytest.mark.parametrize("kind", KINDS)
def test_both_devices_are_asked_for_once_and_a_reboot_destroys_nothing(kind: str) -> None:
    load, claim, *rest = plan(kind)
    assert load.there is None
    assert claim.destroys == ("/dev/a", "/dev/b")
    assert rest
    assert all(not step.destroys for step in rest), "what is made again must lose nothing"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of", ["a", "[a, b, c]", "[a, a]"])
def test_a_cache_stands_on_a_slow_and_a_fast_layer(kind: str, of: str) -> None:
    with pytest.raises(UsageError, match="stands `of` two layers") as raised:
        plan(kind, of=of)
    assert "first the slow one" in raised.value.hint


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_of_another_stack_is_another_one(kind: str) -> None:
    mine, theirs = (plan(kind, stack=name)[1].there for name in ("s", "t"))
    assert mine
    assert theirs
    assert (mine.argv, mine.shows) != (theirs.argv, theirs.shows)


@pytest.mark.parametrize("kind", KINDS)
def test_every_script_is_shell(kind: str) -> None:
    for step in plan(kind):
        checks = [step.there.argv] if step.there else []
        for argv in (*checks, *(command.argv for command in (*step.do, *step.undo, *step.again))):
            if argv[:2] == ("sh", "-c"):
                done = subprocess.run(
                    ["sh", "-n", "-c", argv[2]], capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, done.stderr
                assert argv[3] == "sh", "the name that complaints bear"


def test_a_cache_is_mapped_as_declared() -> None:
    keys = "mode: writeback, policy: mq, block_size: 64 KiB"
    _, label, mapping = plan("dm_cache", keys)
    assert arguments_of(label).startswith("/dev/b /dev/a dm_cache ")
    assert arguments_of(label).endswith(" 128")
    assert arguments_of(mapping).startswith("s-hot /dev/b /dev/a ")
    assert arguments_of(mapping).endswith(" writeback mq")
    assert mapping.there
    assert mapping.there.shows == ("on its devices", "128 1 writeback mq ")
    assert plan("dm_cache")[1].there != label.there, "another size of blocks is another cache"


@pytest.mark.parametrize(
    ("sectors", "block", "metadata", "start"),
    [
        # cache_metadata_size --block-size 512 --device-size 2097152 says 8416 sectors
        (2097152, 512, 10240, 12288),
        (2097152, 64, 10240, 12288),
        (2**31, 512, 8192 + 2**22 * 28 // 512, 2048 + 8192 + 2**22 * 28 // 512),
        (262144, 320, 10240, 12480),
    ],
)
def test_where_the_metadata_and_the_blocks_lie(
    sectors: int, block: int, metadata: int, start: int
) -> None:
    script = plan("dm_cache")[1].do[0].argv[2]
    layout = "\n".join(line for line in script.splitlines() if line[:6] in {
        "blocks", "metada", "start=", "data=$", '[ "$da', 'words='})  # fmt: skip
    done = subprocess.run(
        ["sh", "-euc", f'size={sectors}\n{layout}\necho "$words"', "sh", "1", "2", "3", "4",
         str(block)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rounded = -(-metadata // HEADER) * HEADER
    first = -(-(HEADER + rounded) // block) * block
    assert rounded >= metadata
    assert first >= start
    data = (sectors - first) // block * block
    assert done.stdout.strip() == f"metadata={rounded} start={first} data={data}"


def test_a_write_cache_is_mapped_as_declared() -> None:
    _, label, mapping = plan("dm_writecache", "high_watermark: 60, low_watermark: 30")
    target = "4096 6 start_sector 2048 high_watermark 60 low_watermark 30"
    assert mapping.do[0].argv[-1] == target
    assert mapping.there
    assert mapping.there.shows == ("on its devices", f" {target} end")
    assert arguments_of(label).endswith(" 8")


def test_bcache_is_made_as_declared() -> None:
    keys = "cache_mode: writearound, sequential_cutoff: 1 MiB, writeback_percent: 5, "
    made = site("bcache", keys + "bucket_size: 256 KiB")
    _, superblocks, attach, values = builder("bcache").plan(made)
    assert superblocks.do[0].argv[4:] == ("/dev/b", "512")
    assert superblocks.do[1].argv == (
        "make-bcache", "--cset-uuid", made.uuid(), "--bucket", "262144", "-C", "/dev/b", "-B",
        "/dev/a",
    )  # fmt: skip
    assert arguments_of(attach) == f"/dev/a /dev/b {made.uuid()}"
    assert arguments_of(values) == (
        "/dev/a cache_mode=writearound sequential_cutoff=1048576 writeback_percent=5"
    )
    assert values.there
    assert values.there.argv[-3:] == (
        "cache_mode=[writearound]", "sequential_cutoff=1.0M", "writeback_percent=5",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0.0k"), (512, "0.5k"), (1000000, "976.5k"), (4194304, "4.0M"), (1047527424, "999.0M"),
     (1048575999, "999.9M"), (1048576000, "0.9G"), (2**32 - 1, "3.9G")],
)  # fmt: skip
def test_a_size_as_bcache_prints_it(size: int, text: str) -> None:
    assert printed(size) == text


@pytest.mark.parametrize(
    ("kind", "keys", "complaint"),
    [
        ("dm_cache", "block_size: 48 KiB", "multiple of 32 KiB"),
        ("dm_cache", "block_size: 0", "multiple of 32 KiB"),
        ("dm_cache", "mode: writearound", "writethrough"),
        ("dm_cache", "policy: lru", "smq"),
        ("dm_writecache", "block_size: 8192", "512, 1024, 2048 or 4096"),
        ("dm_writecache", "high_watermark: 40", "must not be above"),
        ("dm_writecache", "high_watermark: 101", "100"),
        ("dm_writecache", "mode: pmem", "ssd"),
        ("bcache", "bucket_size: 384 KiB", "power of two"),
        ("bcache", "writeback_percent: 41", "40"),
        ("bcache", "sequential_cutoff: 4 GiB", "4294967296"),
        ("bcache", "mode: writeback", "mode"),
    ],
)
def test_what_the_kernel_would_refuse_is_told_with_its_line(
    kind: str, keys: str, complaint: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)) as raised:
        site(kind, keys)
    assert raised.value.where.startswith("s.yaml:")
