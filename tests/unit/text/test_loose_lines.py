"""Paragraphs without a command: what looks like an output is kept, what looks alike is not."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput
from iosonde.text.loose_lines import fenced_lines, loose_lines
from iosonde.text.remainder import remainder

OUTPUTS = {
    "checksums": """\
d41d8cd98f00b204e9800998ecf8427e  /mnt/a/blob.0
0cc175b9c0f1b6a831c399e269772661  /mnt/a/blob.1""",
    "a daemon's messages": """\
mds.beacon.node7 is_laggy 29.372 > 15 since last_acked
mds.0.90884 skipping upkeep_work (connection laggy)""",
    "rows of a table whose head is cut off": """\
20 -   -   -        -   RAID0 Optl  N  12.732 TB enbl N  N   dflt N      N
20 0   -   -        -   RAID0 Optl  N  12.732 TB enbl N  N   dflt N      N
20 0   0   8:1      35  DRIVE Onln  Y  12.732 TB enbl N  N   dflt -      N
----------------------------------------------------------------------------""",
    "a message of a program": "foo_mount[211]: /dev/sdb1: read_super: errno=-5",
    "a listing of settings": """\
/sys/kernel/debug/block/sda/rqos/wbt/wb_background:4
/sys/kernel/debug/block/sda/rqos/wbt/wb_normal:8
/sys/kernel/debug/block/sda/rqos/wbt/inflight:0: inflight 0""",
    "rows of a tracer": """\
18:35:49.539224 O 3277664 rbd29 0 mapper
18:35:50.515777 R 3277664 rbd29 1 mapper
...
18:35:57.361799 R 3277694 rbd29 2 blkid""",
    "calls with their results": """\
[pid  6725] ioctl(11, BLKSSZGET, [4096]) = 0
[pid  6725] pread64(11, 0x62f8d5600001, 4096, 0) = -1 EINVAL (Invalid argument)""",
    "frames": """\
./btrfs(btrfs_run_delayed_refs+0x707)[0x5577947c927b]
./btrfs(+0x7d90b)[0x55779481690b]
./btrfs(+0x80193)[0x557794819193]""",
}

OTHERS = {
    "prose": """\
It took 4096 bytes of the 512 that are in sector 7 and wrote them
to /dev/sda1, which is what the driver of 6.1.0 does by default.""",
    "prose with many names": """\
In nvme_tcp_send_all() the 2nd call of sock_sendmsg() is by 4k""",
    "source code": """\
  if (bio->bi_iter.bi_size > 4096)
          return -EINVAL;
  sectors = bio_sectors(bio);""",
    "source code without ends of statements": """\
static inline u32 foo_sectors(struct foo_dev *fd,
                              u32 start, u32 len)""",
    "calls that an author draws": """\
foo_probe()
  -> bdev_open_4k()
     -> bdev_lock_2()""",
    "a patch": """\
@@ -1166,6 +1168,9 @@ static int foo_probe(
         mutex_lock(&foo_lock)
+        foo_count = 4096""",
    "sum of a patch": """\
 drivers/md/raid5.c | 23 ++++++++++++++++-------
 drivers/md/raid5.h | 14 ++++++++++++++
 2 files changed, 30 insertions(+), 7 deletions(-)""",
    "two kinds of file compared": """\
308c308
< CONFIG_FOO_PORT=0x300
> CONFIG_FOO_PORT=0x301""",
    "commands": """\
mdadm --create /dev/md0 --level=5 --raid-devices=3 /dev/sd[b-d]1
dd if=/dev/zero of=/dev/md0 bs=1M count=64
echo 4096 > /sys/block/md0/md/stripe_cache_size""",
    "a script": """\
DEV=/dev/loop0
mkdir -p /mnt/t
mount $DEV /mnt/t""",
    "a command at a prompt": "[root@node7 ~]# mount -t nfs 10.0.0.1:/srv /mnt1",
    "fields of a commit": """\
Fixes: 4b14885411f7 ("foo: count sectors")
Signed-off-by: A. Nobody <nobody@example.org>""",
    "who wrote": "On 2023-12-24 at 00:02:49 +0000, A. Nobody wrote:",
    "who wrote, in Chinese": "2024年3月17日 13:41，A Nobody <nobody@example.org> 写道：",
    "notes": """\
[1] https://example.org/bugs/12345
[2] https://example.org/bugs/67890""",
    "points": """\
1. raid5-cache.c writes /dev/sdb1
2. raid5-ppl.c reads /dev/sdc1""",
    "disassembly": """\
   0:   8b 87 98 00 00 00       mov    0x98(%rdi),%eax
   6:   83 f8 02                cmp    $0x2,%eax""",
    "base64": """\
iQIzBAABCgAdFiEEZUOOw5ESFLHZZtOKil/iNcg8M0sFAmiaVcYACgkQil/iNcg8
M0uaQBAAnLctV0WUNBWBHFrDA2boniapX5Hn2yObdFClyFNDhrC3AUPTQVyeBI7t""",
    "a drawing": """\
 +-----------+      +-----------+
 | disk 1    |------|           |
 +-----------+      +-----------+""",
    "prose of as many words in each line": """\
Some caches can use sectors of 4096 bytes,
The device needs version 5 or any later
And 6 drives fail, so beware of 2 bugs""",
    "a figure alone": "4096",
    "two words": "raid5 4k",
    "prose in Russian": "В последней версии 8.6 пакета mdadm массив /dev/md0 уже не нужен",
    "prose in Polish": """\
Wykonałem 2 testy dysku /dev/sda1 i 3 testy dysku /dev/sdb1, każdy z nich
po 60 sekund. Wyniki są różne.""",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_paragraph_that_looks_like_an_output_is_kept_line_by_line(name: str) -> None:
    lines = OUTPUTS[name].split("\n")

    assert loose_lines(lines, introduced=False) == lines


@pytest.mark.parametrize("name", OTHERS)
def test_what_a_person_a_mailer_or_a_compiler_reads_is_not_kept(name: str) -> None:
    assert loose_lines(OTHERS[name].split("\n"), introduced=False) is None


def test_less_is_asked_of_what_a_colon_introduces() -> None:
    line = ["mount.foo: /srv: timed out, errno 110"]

    assert loose_lines(line, introduced=True) == line
    assert loose_lines(line, introduced=False) is None


def test_what_all_lines_are_indented_by_is_left_out() -> None:
    lines = ["    /dev/sda1: 4096", "      /dev/sdb1: 512"]

    assert loose_lines(lines, introduced=False) == ["/dev/sda1: 4096", "  /dev/sdb1: 512"]


def test_very_many_or_very_long_lines_are_not_kept() -> None:
    line = "d41d8cd98f00b204e9800998ecf8427e  /mnt/a/blob.0"

    assert loose_lines([line] * 60, introduced=True)
    assert loose_lines([line] * 61, introduced=True) is None
    assert loose_lines([line, "/mnt/" + "a1/" * 140], introduced=True) is None


FENCED = {
    "metrics": """\
# HELP foo_fsync_seconds The latency of fsync.
# TYPE foo_fsync_seconds histogram
foo_fsync_seconds_bucket{le="0.001"} 637196
foo_fsync_seconds_bucket{le="0.002"} 710850
foo_fsync_seconds_sum 1034.5
foo_fsync_seconds_count 723190""",
    "a log of a service": """\
time="2024-07-01T08:56:39Z" level=info msg="Target exists already" requestID=28278172
time="2024-07-01T08:56:49Z" level=error msg="process killed after timeout" process=iscsiadm""",
    "words and figures": """\
Brick node2:/bricks/brick1
Number of entries in split-brain: 1""",
}
NOT_FENCED = {
    "a manifest": """\
apiVersion: v1
kind: PersistentVolumeClaim
spec:
  resources:
    requests:
      storage: 10Gi""",
    "a script": """\
for size in 4k 64k; do
  fio --bs=$size --name=a --size=1G
done""",
    "source code": """\
static int foo(void)
{
        return 4096;
}""",
    "commands": "$ mdadm --stop /dev/md0\n$ mdadm --assemble /dev/md0 /dev/sdb1 /dev/sdc1",
    "prose": "It is as if the disk had only 512 bytes of memory for all that it writes.",
}


@pytest.mark.parametrize("name", FENCED)
def test_what_somebody_fenced_off_is_kept_line_by_line(name: str) -> None:
    lines = FENCED[name].split("\n")

    assert fenced_lines(lines) == lines


@pytest.mark.parametrize("name", NOT_FENCED)
def test_what_somebody_wrote_is_not_kept_though_it_is_fenced_off(name: str) -> None:
    assert fenced_lines(NOT_FENCED[name].split("\n")) is None


def kept(text: str) -> list[tuple[int, int, object]]:
    """First and last line of what is kept of a mail, and its lines."""
    return [
        (output.place.first_line, output.place.last_line, counters.values["lines"])
        for output in remainder(of_bytes("mail.txt", text.encode()), ())
        if isinstance(output, FoundOutput)
        for counters in output.counters
    ]


def test_what_a_real_program_printed_is_kept_between_the_prose_around_it(tmp_path: Path) -> None:
    for name in ("blob.a", "blob.b"):
        (tmp_path / name).write_bytes(name.encode() * 512)
    printed = subprocess.run(
        ["md5sum", "blob.a", "blob.b"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert [line.split()[0] for line in printed] == [
        hashlib.md5((tmp_path / name).read_bytes(), usedforsecurity=False).hexdigest()
        for name in ("blob.a", "blob.b")
    ]
    mail = "They are both the same as they were before:\n\n{}\n\nSo it is not that.\n"

    assert kept(mail.format("\n".join(printed))) == [(3, 4, printed)]


def test_an_answer_below_a_quoted_output_is_no_part_of_it() -> None:
    mail = """\
> > It says
> >
> > mds.beacon.node7 is_laggy 29.372 > 15 since last_acked
> > mds.0.90884 skipping upkeep_work (connection laggy)
> It did that to me as well when I had it.
Was that with the default of the 4 options?
"""

    assert [lines for *_, lines in kept(mail)] == [
        [
            "mds.beacon.node7 is_laggy 29.372 > 15 since last_acked",
            "mds.0.90884 skipping upkeep_work (connection laggy)",
        ]
    ]


def test_an_output_directly_below_the_sentence_that_introduces_it_is_kept() -> None:
    mail = "It is on this host and it prints of the first disk:\nfoo0: 4096/512, bar=7\n"

    assert kept(mail) == [(2, 2, ["foo0: 4096/512, bar=7"])]
