"""Lines as tools printed them, from what mail, wikis and terminals made of them."""

from __future__ import annotations

import quopri

import pytest
from hypothesis import example, given
from hypothesis.strategies import lists, sampled_from

from iosonde.text.clean import clean, from_quoted_printable, is_quoted_printable


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("\x1b[1;32mok\x1b[0m", "ok"),
        ("> > a line", "a line"),
        ("> >=64=0.0%", ">=64=0.0%"),
        (">=64=0.0%", ">=64=0.0%"),
        ("in\\_queue=3, \\[w(1)\\]", "in_queue=3, [w(1)]"),
        ("cciss\\!c0d0", "cciss\\!c0d0"),
        ("“noop” – it’s", '"noop" – it\'s'),
        ("fio –name=a", "fio --name=a"),
        ("a\u00a0b", "a b"),
        ("<pre>Pass: [1]</pre>", "Pass: [1]"),
        ("lat &gt;=64 &amp; more", "lat >=64 & more"),
        ("  kept indent   ", "  kept indent"),
        ("Chunk Size : 64K      <==too small", "Chunk Size : 64K"),
        ("Slot Number: 0   ← the boot drive", "Slot Number: 0"),
        ("sda  12  <- slow", "sda  12"),
        ("sda  12  <--- slow", "sda  12"),
        ("==> /sys/block/sda/size <==", "==> /sys/block/sda/size <=="),
        ("submit_bio <-blkdev_submit", "submit_bio <-blkdev_submit"),
        ("if (a <= b)", "if (a <= b)"),
        ("<-- an arrow alone", "<-- an arrow alone"),
        ("  **tps = 929.4**", "  tps = 929.4"),
        ("   Used:     28.79TiB   ****1", "   Used:     28.79TiB"),
        ("/dev/sdc   6.76TiB            **", "/dev/sdc   6.76TiB"),
        ("password:  ****", "password:"),
        ("**** a line of stars", "**** a line of stars"),
        ("a ****", "a ****"),
        ("Total to scrub:   248.02GiB    # Wrong value", "Total to scrub:   248.02GiB"),
        ("# a:  1  # b", "# a:  1  # b"),
        ("key: value  # a comment of YAML", "key: value  # a comment of YAML"),
        ("Used:  5  #2 of 3", "Used:  5  #2 of 3"),
        (
            "      2048     204800     1  efi  (100M) # the EFI one",
            "      2048     204800     1  efi  (100M)",
        ),
        ("  tank  ONLINE     0     0     0 # Pool", "  tank  ONLINE     0     0     0"),
        ("root@nas:~ #  zfs list", "root@nas:~ #  zfs list"),
        ("vers  =  4.2 # for the old ones", "vers  =  4.2 # for the old ones"),
        ("  LV    VG    Attr    LSize  #Str Type", "  LV    VG    Attr    LSize  #Str Type"),
        ("sda    1    2    3 #4 of 5", "sda    1    2    3 #4 of 5"),
        ("`a` is a `code`", "`a` is a `code`"),
        ("**Note** that **this**", "Note that this"),
        ("  read: **IOPS=99**, BW=**8.5MiB/s** (x)", "  read: IOPS=99, BW=8.5MiB/s (x)"),
        ("|  1 | **[UU_U]** |  **8 **| ** a**", "|  1 | [UU_U] |  **8 **| ** a**"),
        ("at most 2**30 or 2**31", "at most 2**30 or 2**31"),
        ("rm **/*.c **/*.h src/**/a/** **/a/**", "rm **/*.c **/*.h src/**/a/** **/a/**"),
        ("main(char **argv, char **envp)", "main(char **argv, char **envp)"),
        ("f(*args, **kwargs) | g(**a,**b)", "f(*args, **kwargs) | g(**a,**b)"),
        ("** replaying log ** /** doc **/", "** replaying log ** /** doc **/"),
        ("***x*** ****y**** **a*b**", "***x*** ****y**** **a*b**"),
        ("2 ** 3 ** 4", "2 ** 3 ** 4"),
    ],
)
def test_a_line_is_cleaned(given: str, wanted: str) -> None:
    assert clean(given) == [wanted]


def test_fences_become_blank_and_no_line_is_lost() -> None:
    assert clean("a\n```bash\nb\r\n~~~\nc") == ["a", "", "b", "", "c"]


def test_single_backticks_around_lines_are_taken_off() -> None:
    assert clean("`avg-cpu:  %user\n\n  5.1`\nend") == ["avg-cpu:  %user", "", "  5.1", "end"]
    assert clean("`a\n\n```\nb\n```") == ["`a", "", "", "b", ""]


def test_text_that_needs_nothing_stays() -> None:
    text = "bw=MIN 1 > 0\nx < y & z\n\n  end"
    assert clean(text) == text.split("\n")


def test_quoted_printable_is_seen_and_undone_with_the_lines_where_each_began() -> None:
    text = "first\nread: IOPS=46.5k, BW=182MiB/s " + "x" * 90 + "\nlast=1"
    data = quopri.encodestring(text.encode())
    assert is_quoted_printable(data)
    plain, numbers = from_quoted_printable(data)
    assert plain.decode() == text
    assert numbers == [1, 2, data[: data.index(b"last")].count(b"\n") + 1]
    assert not is_quoted_printable(b"iops=3\nbw=4 KiB/s\n")


def test_line_ends_that_are_coded_have_the_number_of_the_line_they_stand_in() -> None:
    """RainLoop codes every line end and breaks the text at 76 characters."""
    from iosonde.text.clean import from_quoted_printable

    text, numbers = from_quoted_printable(b"one=0Atwo thr=\nee=0A=0Afour=0Af=\nive\nsix\n")
    assert text == b"one\ntwo three\n\nfour\nfive\nsix\n"
    assert numbers == [1, 1, 2, 2, 2, 4, 5]


def test_marks_of_several_mail_programs() -> None:
    marked = [">>>>      > ID# ATTRIBUTE_NAME", ">> > >  a", "> size >  b", "  > >=3", ">      a"]
    assert clean("\n".join(marked)) == [
        "ID# ATTRIBUTE_NAME", " a", "size >  b", ">=3", "     a"
    ]  # fmt: skip


def test_a_line_end_that_is_coded_and_broken_ends_its_line() -> None:
    """`=0A=` at the end of each line, as Exchange writes it."""
    text, numbers = from_quoted_printable(b"first=0A=\nsecond=0A=\nthird=0A=\n\nlast")
    assert text == b"first\nsecond\nthird\n\nlast"
    assert numbers == [1, 2, 3, 4, 5]


def test_bars_that_quote_are_taken_off() -> None:
    assert clean("| /dev/sdc1:\n|      Events : 7\n|\n| Role : 1") == [
        "/dev/sdc1:", "     Events : 7", "", "Role : 1",
    ]  # fmt: skip
    assert clean("> | a\n> | b\n> | c") == ["a", "b", "c"]


@pytest.mark.parametrize("text", [
    "| a | b |\n| 1 | 2 |\n| 3 | 4 |",
    "| a\n| b",
    "sda\n| `-sda1\n|-sda2\n| `-md0",
    "|-- a\n|-- b\n|-- c",
    "|  1.00th=[ 4], 5.00th=[ 5],\n| 30.00th=[ 6], 40.00th=[ 7],\n| 99.99th=[34]",
    "||/ Name\n|| x\n|| y",
])  # fmt: skip
def test_bars_of_tables_and_trees_stay(text: str) -> None:
    assert clean(text) == text.split("\n")


@pytest.mark.parametrize(
    ("markup", "wanted"),
    [
        ("a&#10;b\nc", ["a b", "c"]),
        ("a&#x0d;b\nc", ["a b", "c"]),
        ("<p\n class='x'>a</p>\nb", ["", "a", "b"]),
        ("<ul{{ {'a': none,\n 'b': 1} }}>\n</ul>\nc", ["", "", "", "c"]),
        ("a &lt; b\nc", ["a < b", "c"]),
    ],
)
def test_markup_takes_no_line_and_makes_none(markup: str, wanted: list[str]) -> None:
    assert clean(markup) == wanted


_PIECES = sampled_from([
    "\n", "\r\n", "\r", "<", ">", "</p", "<br", "<ul ", "&#10;", "&#x0d;", "&nbsp;", "&", "`", "**",
    "```", "| ", "> ", "\\", " #", "<==", "\x1b[1m", "\x1b]0;", "word", "=", " ", "\u2028", "\x0c",
])  # fmt: skip


@given(lists(_PIECES, max_size=60).map("".join))
@example("<ul\n>\n</ul>")
def test_a_text_has_as_many_lines_as_before(text: str) -> None:
    assert len(clean(text)) == text.replace("\r\n", "\n").count("\n") + 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("$ df\n\n    OutputFilesystem Size\n", ["$ df", "", "    Filesystem Size", ""]),
        ("```\nOutputPersonalities : [raid1]\n```", ["", "Personalities : [raid1]", ""]),
        ("a\n\nOutput/dev/vda1 on /", ["a", "", "/dev/vda1 on /"]),
        ("a\n\nOutput● nfs.service - NFS", ["a", "", "● nfs.service - NFS"]),
        ("a\n\nOutputmount: /mnt: bad", ["a", "", "mount: /mnt: bad"]),
        ("Outputmount.nfs: access denied", ["mount.nfs: access denied"]),
        ("```\nOutputtotal 24\n```", ["", "total 24", ""]),
        ("Outputsda 8:0 0 1G", ["sda 8:0 0 1G"]),
        ("Outputtotals: 4", ["Outputtotals: 4"]),
        ("Outputfile: x", ["Outputfile: x"]),
        ("a\nOutputmount: /mnt: bad", ["a", "Outputmount: /mnt: bad"]),
        ("a\n\nOutputFormat: json", ["a", "", "OutputFormat: json"]),
        ("a\n\nOutputs of the tool", ["a", "", "Outputs of the tool"]),
        ("a\n\nOutput Level 3", ["a", "", "Output Level 3"]),
        ("a\nOutputNAME SIZE", ["a", "OutputNAME SIZE"]),
    ],
)
def test_the_label_of_a_tutorials_block_is_no_part_of_its_first_line(
    text: str, lines: list[str]
) -> None:
    assert clean(text) == lines


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("sda 8:0 disk</blockquote>", "sda 8:0 disk"),
        ("sda 8:0 disk<br>", "sda 8:0 disk"),
        ("sda 8:0 disk<br />", "sda 8:0 disk"),
        ("    sd&gt;<br/>", "    sd>"),
        ('## Snapshots <a name="snap"></a>', "## Snapshots"),
        ("<font color='red'>UU_</font>", "UU_"),
        # no tags: addresses, places in the kernel, XML of other programs
        ("<p.smith@example.org> wrote </a>:", "<p.smith@example.org> wrote :"),
        ("<a@example.org> wrote </b>:", "<a@example.org> wrote :"),
        ("  </TASK>", "  </TASK>"),
        ("  </IRQ>", "  </IRQ>"),
        ("<source file='/a.img'/></disk>", "<source file='/a.img'/></disk>"),
    ],
)
def test_tags_that_were_left_in_a_line(line: str, wanted: str) -> None:
    assert clean(line) == [wanted]


@pytest.mark.parametrize(("line", "kept"), [
    ("zroot  67.5G  2.20G  # 还没有变", "zroot  67.5G  2.20G"),
    ("  nda0p4  ONLINE  0  0 # nda0p4 です", "  nda0p4  ONLINE  0  0"),
    ("mkfs.xfs /dev/sdb // 포맷", "mkfs.xfs /dev/sdb"),
    ("# 查看磁盘", "# 查看磁盘"),
    ("[root@db ~]# 查看", "[root@db ~]# 查看"),
    ("磁盘 /dev/sda：240.1 GB, 240057409536 字节", "磁盘 /dev/sda：240.1 GB, 240057409536 字节"),
    ('{"name": "a # 名字", "size": 1}', '{"name": "a # 名字", "size": 1}'),
    ("see http://例え.jp/ # 1", "see http://例え.jp/ # 1"),
])  # fmt: skip
def test_comments_of_the_author_in_chinese_japanese_and_korean(line: str, kept: str) -> None:
    assert clean(line) == [kept]
