"""Outputs are found once each, where they stand, whatever surrounds them."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.records.printed import Unread
from iosonde.text import search as module
from iosonde.text.document import Document, of_bytes, open_document
from iosonde.text.find import FoundOutput, find
from iosonde.text.search import outputs, tool_names
from tests.mangle import counters, mangled, read, states, trials

PAIR = (
    "/dev/md127:\n"
    " Timing cached reads:   9636 MB in  2.00 seconds = 4820.51 MB/sec\n"
    " Timing buffered disk reads: 1544 MB in  3.03 seconds = 509.52 MB/sec"
)
RATES = {"cached_read.bandwidth": 4820.51 * 2**20, "buffered_read.bandwidth": 509.52 * 2**20}


def outputs_in(document: Document) -> list[FoundOutput]:
    return [output for output in find(document) if isinstance(output, FoundOutput)]


@pytest.mark.parametrize(("shape", "text"), list(mangled(PAIR)))
def test_an_output_is_read_in_every_shape(shape: str, text: str) -> None:
    (trial,) = trials(text)
    assert trial.loops[0].metrics == pytest.approx(RATES), shape
    assert trial.target == "/dev/md127"


def test_it_says_where_it_stands_and_under_which_heading() -> None:
    text = f"# Fast\n\nprose\n\n{PAIR}\n\n" + "more prose\n" * 500 + f"## Slow\n\n{PAIR}\n"
    first, second = outputs_in(of_bytes("a.md", text.encode()))
    assert (first.place.first_line, first.place.last_line, first.place.heading) == (5, 7, "Fast")
    assert (second.place.first_line, second.place.last_line) == (511, 513)
    assert second.place.heading == "Slow"
    assert str(second.place) == "a.md:511-513"


def test_a_heading_far_above_holds_until_the_next() -> None:
    text = "# Fast\n\n" + "line of prose\n" * 3000 + f"{PAIR}\n" + "prose\n" * 3000 + PAIR
    assert [finding.place.heading for finding in outputs_in(of_bytes("a", text.encode()))] == [
        "Fast",
        "Fast",
    ]


@pytest.mark.parametrize("prompt", ["root# ", "]# ", "[root@db1]# ", "$ "])
def test_prompts_without_a_folder_and_cut_ones(prompt: str) -> None:
    (trial,) = trials(f"{prompt}hdparm -tT /dev/md127\n{PAIR}")
    assert trial.command == "hdparm -tT /dev/md127"


def test_a_prompt_gives_host_and_command() -> None:
    (trial,) = trials(f"root@storage:~# hdparm -tT /dev/md127\n{PAIR}")
    assert (trial.host, trial.command) == ("storage", "hdparm -tT /dev/md127")


def test_a_prefix_of_every_line_names_the_host() -> None:
    (trial,) = trials("\n".join(f"node7: {line}" for line in PAIR.split("\n")))
    assert trial.host == "node7"


def test_a_program_that_names_itself_before_every_line_is_no_host() -> None:
    text = "mdadm: stopped /dev/md6\nmdadm: stopped /dev/md7\n"
    assert {state.host for state in states(text)} == {""}
    assert {state.host for state in states("\n".join(f"db1: {t}" for t in text.split("\n")))} == {
        "db1"
    }
    (errors,) = counters("cat: ./a: Input/output error\ncat: ./b: Input/output error\n")
    assert (errors.host, errors.name, errors.values["errors"]) == (
        "", "cat", {"Input/output error": 2},
    )  # fmt: skip


def test_many_outputs_far_apart_keep_their_lines() -> None:
    gap = "something else entirely\n" * 700
    text = gap + (PAIR + "\n" + gap) * 30
    places = [finding.place.first_line for finding in outputs_in(of_bytes("a", text.encode()))]
    assert places == [701 + number * 703 for number in range(30)]


def test_blocks_of_the_scan_do_not_lose_what_lies_across(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ("prose here\n" * 7 + PAIR + "\n") * 40
    whole = [finding.place for finding in outputs_in(of_bytes("a", text.encode()))]
    for size in (64, 100, 333, 1000):
        monkeypatch.setattr(module, "_BLOCK", size)
        assert [finding.place for finding in outputs_in(of_bytes("a", text.encode()))] == whole


def test_a_cut_off_output_is_listed_as_unread() -> None:
    (unread,) = read("# Here\n\nTiming cached reads:   9636 MB in  2.00\n")
    assert isinstance(unread, Unread)
    assert (unread.tool, unread.place.first_line, unread.reason) == (
        "hdparm", 3, "no speed follows",
    )  # fmt: skip


def test_prose_holds_no_output() -> None:
    assert read("We timed cached reads and disk reads; fio and iozone were not at hand.") == []
    assert read("") == []


def test_a_page_gives_its_text_headings_and_source_lines() -> None:
    page = f"<!DOCTYPE html>\n<html><body>\n<h2>Local <b>disk</b></h2>\n<p>x</p>\n<pre>{PAIR}</pre>"
    (finding,) = outputs_in(of_bytes("a.html", page.encode()))
    assert finding.place.heading == "Local disk"
    assert (finding.place.first_line, finding.place.last_line) == (5, 7)


def test_a_pdf_gives_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(_pdf(PAIR.split("\n")))
    with open_document(str(path)) as document:
        (finding,) = outputs_in(document)
    assert finding.trials[0].loops[0].metrics == pytest.approx(RATES)


def test_a_gzipped_text_is_read() -> None:
    assert outputs_in(of_bytes("a.gz", gzip.compress(PAIR.encode())))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"%PDF-1.7 nothing of it", "damaged PDF"),
        (b"\x1f\x8b\x08nothing", "damaged gzip"),
        pytest.param(bytes(5000), "not text", id="zeros"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        of_bytes("a", data)


def test_a_name_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for name, said in (("none", "cannot be read"), ("", "is a directory")):
        with pytest.raises(UsageError, match=said), open_document(str(tmp_path / name)):
            pass


def test_every_output_has_a_name_and_anchors_without_line_ends() -> None:
    for output in outputs():
        assert output.tool in tool_names()
        assert output.anchors
        assert all(len(anchor.encode()) > 3 and "\n" not in anchor for anchor in output.anchors), (
            output
        )


def _pdf(lines: list[str]) -> bytes:
    """A page with lines of text (ISO 32000-1, 7.5 and 9.4)."""
    shown = " T* ".join(
        "({}) Tj".format(line.replace("(", r"\(").replace(")", r"\)")) for line in lines
    )
    stream = f"BT /F1 10 Tf 14 TL 40 700 Td {shown} ET".encode()
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >> stream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj %s endobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(bodies) + 1, table)
    )
    return out.getvalue()


def test_numbers_of_lines_are_taken_off_and_figures_are_not() -> None:
    lines = [
        "Personalities : [raid1]", "md0 : active raid1 sdb1[1] sda1[0]",
        "      1048512 blocks [2/2] [UU]", "", "unused devices: <none>",
    ]  # fmt: skip
    plain = states("\n".join(lines) + "\n")
    for form in ("{}. {}", "  {}: {}", "{}| {}"):
        text = "\n".join(form.format(number, line) for number, line in enumerate(lines, 7))
        assert states(text + "\n") == plain


@pytest.mark.parametrize(
    ("before", "host"), [("[   12.34567{}] ", ""), ("Nov  3 02:11:0{} db1 kernel: ", "db1")]
)
def test_the_kernel_s_own_time_names_no_host(before: str, host: str) -> None:
    text = "".join(
        f"{before.format(n)}nvme nvme2: I/O {n} QID 3 timeout, aborting\n" for n in range(3)
    )
    (log,) = outputs_in(Document("log", text.encode()))
    assert {counters.host for counters in log.counters} == {host}
    assert {counters.name for counters in log.counters} == {"nvme2"}


LOG = (
    "[  100.000001] EXT4-fs (sdr1): Remounting filesystem read-only\n"
    "[  100.000002] EXT4-fs (sdr1): 17 orphan inodes deleted\n"
)
TIMES = "\nreal\t0m1.500s\nuser\t0m0.100s\nsys\t0m0.200s\n"


def places(text: str) -> list[tuple[int, int]]:
    """First and last line of each output."""
    return [
        (output.place.first_line, output.place.last_line)
        for output in outputs_in(Document("text", text.encode()))
    ]


def test_no_output_ends_with_a_blank_line_or_a_prompt() -> None:
    stats = "Unused:\t\t5%\nClean:\t\t94%\nDirty:\t\t1%\nMetadata:\t0%\nAverage:\t600\n"
    shown = f"root@db1:~# cat /sys/block/bcache0/bcache/cache/cache0/priority_stats\n{stats}"
    assert places(f"{shown}root@db1:~#\n") == [(1, 6)]
    assert places(f"{shown}\nroot@db1:~# \nroot@db1:~# \n") == [(1, 6)]
    assert places(f"{LOG}[root@db1 ~]# \n\n") == [(1, 2)]
    assert places(f"{LOG}[root@db1 ~]# ls\n") == [(1, 2)]


def test_commands_that_are_read_themselves_end_with_a_prompt() -> None:
    sets = "root@db1:~# sysctl -w vm.dirty_ratio=80\nroot@db1:~# sysctl -w vm.swappiness=1\n"
    assert places(f"{sets}root@db1:~# \n") == [(1, 2)]


def test_the_blank_line_that_time_prints_is_none_of_an_output() -> None:
    assert places(f"root@db1:~# time fstrim -v /mnt\n{TIMES}")[-1][1] == 5
    assert places(f"Total time:\n{TIMES}") == [(3, 5)]


def test_a_row_that_looks_like_a_prompt_is_the_last_of_its_table() -> None:
    table = "Filesystem Type Size Used Avail Use% Mounted on\n"
    row = "me@nas:/srv/data fuse.sshfs  455G  308G  124G  72% /mnt/data\n"
    assert places(f"{table}/dev/sda1 ext4 10G 5G 5G 50% /\n{row}") == [(1, 3)]


def test_what_ceph_deploy_logs_is_of_the_host_that_it_names() -> None:
    line = "[{}][INFO  ] Disk /dev/{}: 480.1 GB, 480103981056 bytes, 937703088 sectors\n"
    places = [(host, disk) for host in ("store1", "store2") for disk in ("sda", "sdb")]
    text = "".join(line.format(host, disk) for host, disk in places)
    assert [(state.host, state.subjects[0].name) for state in states(text)] == places
