"""The heading above an output."""

from __future__ import annotations

import pytest

from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find
from iosonde.text.headings import headings_above


def above(text: str) -> str:
    lines = ["", *text.split("\n")]
    headings = headings_above(
        lambda index: lines[index] if 0 <= index < len(lines) else None, len(lines)
    )
    return headings.title or headings.marked


PARAGRAPH = "Strips were tried from the smallest that the card offers to the largest, on one array."


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# One\n\n## Two drives ##\n\nProse about it.", "Two drives"),
        ("== Wiki heading ==\nProse.", "Wiki heading"),
        ("Underlined\n==========\nProse.", "Underlined"),
        (f"{PARAGRAPH}\nStrip sizes\nMore prose, long enough to be none itself.", "Strip sizes"),
        ("Prose that ends.\nStrip sizes\nMore prose, long enough to be none itself.", ""),
        ("# **Bold** #", "Bold"),
        ("# Latency by `ioping`", "Latency by `ioping`"),
        ("# `ioping`", "ioping"),
        ("# last comparison\n\n", "last comparison"),
        ("# Real\n\n# last comparison\nof both\n", "Real"),
        ("# Real\n\n# lvextend everything\n\n", "Real"),
        ("# Real\n\n# zpool scrub tank\n\n", "Real"),
        ("### What stands in /etc/fstab\n", "What stands in /etc/fstab"),
        ("# Real\n\nLevel Files Size\n----------------\n  0   1   63\n", "Real"),
        ("# Real\n\nThe second disk\n---------------\nProse.\n", "The second disk"),
        ("# Real\n\nRecords 1, counter 1\n=====Entry 0======\ntype: tcp\n", "Real"),
        ("# Real\n\n1. Make a folder\n2. Mount it there\n", "Real"),
        ("# Real\n\n1. Make a folder\n\n", "1. Make a folder"),
        ("#[Card of 64 GB]\nRun 1", "Card of 64 GB"),
        ("#[1]: a note\n", ""),
        ("no heading here at all, only prose\nthat goes on.", ""),
        ("Writing 1.5 GiB took 3.2 s", ""),
        ("64 KiB, 128 jobs, cache off", "64 KiB, 128 jobs, cache off"),
        ("Block 55352561664", ""),
        ("=====Discovery Log Entry 0======", ""),
        ("== Entry 0 ==", "Entry 0"),
        ("Disk layout\n^^^^^^^^^^^\nProse.", "Disk layout"),
        ('Disk layout\n"""""""""""""\nProse.', "Disk layout"),
        ("# Real\n\nProse.\nDisk layout here\n^^^^\nProse.", "Real"),  # an arrow at a word
        ("# Real\n\n  Disk layout\n^^^^^^^^^^^^^\nProse.", "Real"),
        ("# Real\n\n/dev/sda1 is it\n^^^^^^^^^^^^^^^^^\nProse.", "Real"),
        ("All code\n========", ""),
        ("All disks\n=========", "All disks"),
        ("Key = value", ""),
        ("# CONFIG_DM_CLONE is not set", ""),
        ("", ""),
        ("# Real\n\nHi all\n", "Real"),
        ("# Real\n\nThanks Coly!\n", "Real"),
        ("# Real\n\nMany thanks for your help\n", "Real"),
        ("# Real\n\nSent from my telephone\n", "Real"),
        ("# Real\n\nProse.\n\nRegards,\n\nJoe Q. Public\n", "Real"),
        ("# Real\n\nProse.\n\nThank you\nJoe\n", "Real"),
        ("# Real\n\nProse.\n\nHigh Availability\n", "High Availability"),
        ("# Real\n\nProse.\n\nDearth of memory\n", "Dearth of memory"),
        ("# Real\n\nProse.\n\nRegarding writes\n", "Regarding writes"),
    ],
)
def test_the_nearest_heading_counts(text: str, heading: str) -> None:
    assert above(text) == heading


def test_a_line_within_a_paragraph_is_no_heading() -> None:
    assert above("# Real\nthe first line of a paragraph\nShort line\nand its end.") == "Real"


def test_a_command_after_the_prompt_of_root_is_no_heading() -> None:
    assert above("## Real\n\n# fio --name=a --rw=read\n") == "Real"
    assert above("## Real\n\n# getconf PAGESIZE\n") == "Real"
    assert above("## Real\n\n# vgcreate data /de/vmd0\n") == "Real"
    assert above("## Real\n\n# Cats and dogs\n") == "Cats and dogs"
    assert above("## Real\n\n## cats and dogs\n") == "cats and dogs"


def test_a_row_of_smartctl_s_self_tests_is_no_heading() -> None:
    row = "# 2  Short offline       Completed without error       00%     24700         -\n"
    assert above(f"## Real\n\n{row}\n") == "Real"
    assert above("## Real\n\n# 2 Short strips\n") == "2 Short strips"


def test_a_comment_within_an_output_is_no_heading_of_the_next() -> None:
    table = "UUID=0a3407de-014b / ext4 defaults 0 1\n"
    swap = "UUID=c0ffee00-014b none swap sw 0 0\n"
    far = "nothing of any tool stands in these lines, which go on.\n" * 200
    df = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 205 112 93 55% /\n"
    inside = f"## Real\n\n{table}# swap on the second disk\n{swap}\n{far}\n{df}"
    below = f"## Real\n\n{table}{swap}# swap on the second disk\n\n{far}\n{df}"
    assert [output.place.heading for output in find(of_bytes("a", inside.encode()))] == ["Real"] * 2
    headings = [output.place.heading for output in find(of_bytes("a", below.encode()))]
    assert headings == ["Real", "Real"]
    section = below.replace("# swap", "## swap")
    headings = [output.place.heading for output in find(of_bytes("a", section.encode()))]
    assert headings == ["Real", "swap on the second disk"]


def test_the_command_of_an_output_after_the_prompt_of_root_is_no_heading_of_it() -> None:
    show = (
        "Label: none  uuid: 7a3e5d10-8f4c-4b7a-9d7e-6f2c1a9b0d33\n\tTotal devices 1 FS bytes used"
    )
    device = "devid    1 size 9.00GiB used 1.00GiB path /dev/sdb"
    text = f"# btrfs filesystem show\n{show} 12.00GiB\n\t{device}\n"
    for above, heading in (("", ""), ("## Disks\n\n", "Disks"), ("prose. " * 800 + "\n", "")):
        (output,) = find(of_bytes("a", f"{above}{text}".encode()))
        assert output.place.heading == heading


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# Real\n\nMoving the volume made no difference to the latency that we\nsaw in the week "
         "before.\n", "Real"),
        ("# Real\n\nThe run on the new controller was taken to\nbe sure of it.\n", "Real"),
        ("Before the change\n\nEOF\n", "Before the change"),
        ("Prose.\n\nKarl\n\n\nOn 17.02.22 03:29, Another Person wrote:\n", ""),
        ("Before the change\n\nAm Donnerstag, 17. Februar 2022, schrieb Eine Andere:\n", ""),
        ("Before the change\n\nOn Thu, 17 Feb 2022 at 03:29, A Person\n<a@b.example> wrote:\n",
         ""),
        # and what is a heading beside them
        ("Write cache on\n\n", "Write cache on"),
        ("After the firmware update\nAll of the volumes were made anew.\n\n",
         "After the firmware update"),
        ("After the firmware update\nall of the volumes were made anew.\n\n", ""),
        ("On the second node\n\n", "On the second node"),
        ("What Karl wrote\n\n", "What Karl wrote"),
    ],
)  # fmt: skip
def test_prose_that_was_wrapped_and_ends_of_mails_are_no_headings(text: str, heading: str) -> None:
    assert above(text) == heading


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        # rows, messages and ends of outputs
        ("errors found\nIgnoring transid failure\nparent 12\n", ""),
        ("0 directories, 25 files\n", ""),
        ("Number  Start  End\n\nT1                T2\n", ""),
        ("#\n# Automatically made\n#\nDEVICE x\n", ""),
        ("\n# This configuration was made by a program\n\n", ""),
        # what a person says to another
        ("I then ran\n\n", ""),
        ("Please run\n\n", ""),
        ("So the check did this\n\n", ""),
        ("Couldn't find anything there\n\n", ""),
        ("It failed. Next try\n\n", ""),
        ("Did it stop (before the reset?\n\n", ""),
        # a name below a letter
        ("Thanks.\n\nMikulas\n\n", ""),
        # and what is a title beside them
        ("\nErrors found\n\n", "Errors found"),
        ("25 files in a directory\n\n", "25 files in a directory"),
        ("# The configuration was made by hand\n\n", "The configuration was made by hand"),
        ("2. What the check found\n\n", "2. What the check found"),
        ("1) Before the reset\n\n", "1) Before the reset"),
        ("Prose.\n\nBefore\n\n", "Before"),
        ("Prose.\n\nRAID10\n", "RAID10"),
        ("Before\n\nA line of prose.\n\n", ""),
    ],
)  # fmt: skip
def test_what_looks_like_a_title_and_is_none(text: str, heading: str) -> None:
    assert above(text) == heading


DF = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 205 112 93 55% /\n"


@pytest.mark.parametrize(
    ("between", "heading"),
    [
        ("", "Cache off"),
        ("\n$ df\n", "Cache off"),
        (f"\n{PARAGRAPH}\n", "Cache off"),
        ("\nCache on\n\n", "Cache on"),
        ("\nI took these again\n\n", "Real"),
        (f"\n{PARAGRAPH}\n{PARAGRAPH}\n{PARAGRAPH}\n", "Real"),
        ("\n## Next\n\n", "Next"),
        ("\nOn Thu, 17 Feb 2022 at 03:29, A Person <a@b.example> wrote:\n", "Real"),
    ],
)
def test_a_title_holds_while_nothing_but_outputs_follows(between: str, heading: str) -> None:
    text = f"# Real\n\n{PARAGRAPH}\n\nCache off\n\n{DF}{between}{DF}"
    headings = [output.place.heading for output in find(of_bytes("a", text.encode()))]
    assert headings == ["Cache off", heading]


FIO = (
    "w: (g=0): rw=write, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1\nfio-2.2.10\n"
    "w: (groupid=0, jobs=1): err= 0: pid=4711: Mon Aug  3 10:36:52 2020\n"
    "  write: io=1024.0MB, bw=117029KB/s, iops=29257, runt=  8960msec\n"
)
DD = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.12345 s, 210 MB/s\n"
CALL = "$ dd if=/dev/zero of=file bs=1M count=1024\n"


def headings_in(text: str) -> list[str]:
    return [
        output.place.heading for output in find(of_bytes("a", text.encode()))
        if isinstance(output, FoundOutput) and output.trials
    ]  # fmt: skip


@pytest.mark.parametrize(("comment", "heading"), [
    ("# random write, 4k", "random write, 4k"), ("## raid5", "raid5"), ("// before", "before"),
    ("-- on the NAS", "on the NAS"), ("# now with RAID 5:", "now with RAID 5"),
    # and what is none
    ("# fio job.fio", "Real"), ("# sudo fio", "Real"), ("# time dd", "Real"), ("# run 2", "Real"),
    ("# see below, I did it by hand", "Real"), ("# of several\n# comments", "Real"),
    ("# 1  Short offline       Completed", "Real"), ("#!/bin/sh", "Real"),
])  # fmt: skip
def test_a_comment_right_above_a_measurement_names_it(comment: str, heading: str) -> None:
    assert headings_in(f"# Real\n\n```\n{comment}\n{FIO}```\n") == [heading]


def test_a_comment_beside_a_command_is_no_heading() -> None:
    assert headings_in(f"# Real\n\n```\n# write it anew\n{CALL}{DD}```\n") == ["Real"]
    assert headings_in(f"# Real\n\n```\n# write it anew\n# fio job.fio\n{FIO}```\n") == ["Real"]
    text = f"# Real\n\n```\n# local disk\n{FIO}{CALL}{DD}# now on nfs\n{CALL}{DD}```\n"
    assert headings_in(text) == ["local disk", "local disk", "Real"]


def test_a_comment_among_settings_is_no_heading() -> None:
    table = "UUID=0a3407de-014b / ext4 defaults 0 1\n"
    (output,) = find(of_bytes("a", f"# Real\n\n```\n# the first disk\n{table}```\n".encode()))
    assert output.place.heading == "Real"


@pytest.mark.parametrize(("text", "headings"), [
    (f"Random reads\n~~~~~~~~~~~~\n\n{FIO}\nWrites\n~~~~~~\n{FIO}", ["Random reads", "Writes"]),
    (f"# Real\n\nReads\n~~~~~\n{FIO}\nWrite\n~~~~~\n{FIO}", ["Reads", "Write"]),
    (f"# Real\n\nOutput\n~~~~~~\n{FIO}~~~~~~\n", ["Real"]),  # a fence has a partner
    (f"# Real\n\nOutput\n~~~~\n{FIO}~~~~\n", ["Real"]),
])  # fmt: skip
def test_tildes_as_long_as_the_words_above_underline_them(text: str, headings: list[str]) -> None:
    assert headings_in(text) == headings


SUMMARY = (
    "Run status group 0 (all jobs):\n  READ: bw=24MiB/s, 24MiB/s-24MiB/s, io=9MiB, run=9-9msec"
)


@pytest.mark.parametrize(("echoed", "heading"), [
    ("Testing reads on /mnt/a with 4 jobs", "Testing reads on /mnt/a with 4 jobs"),
    ("Testing reads", "First of all"),  # may be anything
])  # fmt: skip
def test_what_a_script_echoes_between_two_outputs_names_the_second(
    echoed: str, heading: str
) -> None:
    text = f"First of all\n{SUMMARY}\n{echoed}\n{SUMMARY}\n"
    outputs = find(of_bytes("page", text.encode()))
    assert [output.place.heading for output in outputs] == ["First of all", heading]
