"""dd of BSD, results in comments, and reports of one run while it goes on.

Source: FreeBSD 14, bin/dd/misc.c, summary(): records, then "%ju bytes transferred in %.6f secs
(%.0f bytes/sec)".
"""

from __future__ import annotations

import os
import subprocess
from typing import cast

import pytest

from tests.mangle import read, trials, unread_in

BSD = "3221225472 bytes transferred in 24.000000 secs (134217728 bytes/sec)\n"
RECORDS = "3072+0 records in\n3072+0 records out\n"
COMMAND = "dd if=/dev/da3 of=/dev/null bs=1m"
REPORT = "{n}+0 records in\n{n}+0 records out\n{b} bytes ({g} GB) copied, {s} s, {r} MB/s\n"
REPORTS = [
    REPORT.format(n=n, b=n << 30, g=n, s=s, r=r)
    for n, s, r in [(60, "300.25", 215), (120, "640.5", 201), (180, "1020.75", 189)]
]


@pytest.mark.parametrize("text", [
    f"# {COMMAND}\n{RECORDS}{BSD}",
    f"> # {COMMAND}\n" + "".join(f"> {line}\n" for line in (RECORDS + BSD).splitlines()),
    f"# {COMMAND}\n{RECORDS}{BSD.replace('(134217728 ', '(134217728' + chr(10))}",
])  # fmt: skip
def test_dd_of_bsd(text: str) -> None:
    (trial,) = trials(text)
    assert trial.loops[0].metrics == {"read.bandwidth": 134217728.0}
    assert trial.elapsed == (24.0,)
    assert trial.target == "/dev/da3"
    assert trial.details == {"bytes": 3 << 30, "records_in": "3072+0", "records_out": "3072+0"}


def test_sums_of_bsd_in_a_row_are_each_a_result() -> None:
    table = "".join(
        f"da3 bs {size}: 16777216 bytes transferred in {seconds} secs ({rate} bytes/sec)\n"
        for size, seconds, rate in [
            (512, "2.000000", 2**23),
            (1024, "1.000000", 2**24),
            (2048, "0.500000", 2**25),
        ]
    )
    assert [trial.loops[0].metrics["copy.bandwidth"] for trial in trials(table)] == [
        2**23, 2**24, 2**25,
    ]  # fmt: skip


LOOP = (
    'for i in 4 8; do echo "bs=$i"k; dd if=/dev/sda of=/dev/null bs="$i"k count=9 iflag=direct '
    "status=progress 2>&1 | grep GiB; done"
)
TURNS = """bs=4k
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 16 s, 67 MB/s
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 16.4914 s, 65.1 MB/s
bs=8k
1073741824 bytes (1.1 GB, 1.0 GiB) copied, 8.25 s, 130 MB/s
"""


def test_each_turn_of_a_loop_has_its_command_and_its_block_size() -> None:
    said = [
        (trial.label, trial.target, trial.options["bs"], trial.options["direct"],
         round(trial.loops[0].metrics["read.bandwidth"]))
        for trial in trials(f"root@a:~# {LOOP}\n{TURNS}")
    ]  # fmt: skip
    assert said == [
        ("bs=4k", "/dev/sda", 4096, True, round(1073741824 / 16.4914)),
        ("bs=8k", "/dev/sda", 8192, True, round(1073741824 / 8.25)),
    ]


def test_a_command_without_a_loop_has_its_own_result_alone() -> None:
    first, second = trials(f"# {COMMAND}\n{TURNS.partition('bs=8k')[2]}bs=16k\n{TURNS[-62:]}")
    assert (first.target, second.target) == ("/dev/da3", "")


@pytest.mark.parametrize("shown", [
    "(5,4 GB, 5,0 GiB) copiés, 3,21987 s, 1,7 GB/s", "(5.4 GB) copied, 3.21987 s, 1.7 GB/s",
])  # fmt: skip
def test_a_result_in_a_comment_behind_its_command(shown: str) -> None:
    (trial,) = trials(f"    dd if=/dev/zero of=big bs=1M count=5120 conv=fdatasync # {shown}\n")
    assert trial.loops[0].metrics == {"write.bandwidth": 1.7e9}
    assert trial.steps == {"write.bandwidth": pytest.approx(5e7)}
    assert trial.elapsed == (3.21987,)
    assert trial.target == "big"
    assert trial.options["end_fsync"] is True
    assert "bytes" not in trial.details


@pytest.mark.parametrize("between", ["", "\n", "\n\t:snip\n\n", "\n...\n\n", "\n\t:省略\n\n"])
def test_reports_of_one_run_are_one_result(between: str) -> None:
    (trial,) = trials("# dd if=/dev/zero of=/dev/sdy bs=1G\n" + between.join(REPORTS))
    assert trial.elapsed == (1020.75,)
    assert trial.loops[0].metrics["write.bandwidth"] == (180 << 30) / 1020.75


def test_a_sentence_between_results_parts_them() -> None:
    assert len(trials("# dd if=/dev/zero of=/dev/sdy bs=1G\n" + "\nThen:\n\n".join(REPORTS))) == 3


@pytest.mark.parametrize("text", [
    "There were 1024 bytes transferred in each of the secs (of 60 in all).\n",
    'printf("%ju bytes transferred in %.6f secs (%.0f bytes/sec)\\n", n, secs, n / secs);\n',
    "The file was copied, which took 3 s, and 5 MB/s is slow.\n",
    "1048576 bytes transferred in 3 seconds (341.3 KiB/s)\n",
    "Total: 1200 bytes transferred in this session\n",
])  # fmt: skip
def test_sentences_and_source_are_no_results(text: str) -> None:
    assert trials(text) == []
    assert read(text) == []


FAULTY = """# {call}
11126841344 bytes (11 GB, 10 GiB) copied, 160 s, 69.5 MB/s
dd: error reading '/dev/sdx': Input/output error
169782+1 records in
169782+1 records out
11126841344 bytes (11 GB, 10 GiB) copied, 164.843 s, 67.5 MB/s
500092444672 bytes (500 GB, 466 GiB) copied, 9216 s, 54.3 MB/s
7631039+2 records in
7631039+2 records out
500107804672 bytes (500 GB, 466 GiB) copied, 9216.99 s, 54.3 MB/s
"""


def test_what_a_run_reports_at_a_read_error_is_no_result_of_its_own() -> None:
    call = "dd if=/dev/sdx of=/dev/null bs=64k conv=noerror status=progress"
    (trial,) = trials(FAULTY.format(call=call))
    progress = cast("list[dict[str, float]]", trial.details["progress"])
    assert progress[0] == {"bytes": 11126841344, "seconds": 160, "bandwidth": 69.5e6}
    assert sorted(row["bytes"] for row in progress) == [row["bytes"] for row in progress]
    assert {key: trial.details[key] for key in ("bytes", "records_in", "records_out")} == {
        "bytes": 500107804672, "records_in": "7631039+2", "records_out": "7631039+2",
    }  # fmt: skip
    assert trial.elapsed == (9216.99,)
    assert trial.target == "/dev/sdx"


def test_runs_in_a_loop_with_a_complaint_between_are_results_each() -> None:
    call = "for d in sdx sdy; do dd if=/dev/$d of=/dev/null bs=64k; done"
    assert len(trials(FAULTY.format(call=call))) == 2


def dd_in(language: str) -> str:
    """What dd of this machine prints in a language that its catalogue has; else in English."""
    ended = subprocess.run(
        ["dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=20"], capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language}, check=True,
    )  # fmt: skip
    return ended.stderr.decode()


@pytest.mark.parametrize(
    "language", ["de", "et", "fr", "hr", "ko", "nl", "tr", "uk", "zh_CN", "en"]
)
def test_what_dd_of_this_machine_prints_in_many_languages(language: str) -> None:
    printed = dd_in(language)
    (trial,) = trials(f"$ dd if=/dev/zero of=/dev/null bs=1M count=20\n{printed}")
    assert trial.details == {
        "bytes": 20 << 20, "records_in": "20+0", "records_out": "20+0",
    }, printed  # fmt: skip
    (bandwidth,) = trial.loops[0].metrics.values()
    assert trial.elapsed is not None
    assert bandwidth == pytest.approx((20 << 20) / trial.elapsed[0])


@pytest.mark.parametrize("printed", [
    # Older releases, as people paste them; a page joins their lines.
    "2048+0 записей получено\n2048+0 записей отправлено\n"
    " скопировано 2147483648 байт (2,1 GB), 4,25 c, 505 MB/c\n",
    "3+1 записей считано\n3+1 записей написано\nскопировано 2147483648 байт (2,1 GB), 4,25 секунд, "
    "505 MB/s\n",
    "2048+0 poster in\n2048+0 poster ut\n2147483648 byte (2,1 GB) kopierade, 4,25 s, 505 MB/s\n",
    "2048+0 záznamů přečteno\n2048+0 záznamů zapsáno\n"
    "2147483648 bajtů (2,1 GB, 2,0 GiB) zkopírováno, 4,25 s, 505 MB/s\n",
    "2048+0 записа получени 2048+0 записа изпратени копирани 2147483648 байта (2,1 GB), 4,25 s, "
    "505 MB/s\n",
])  # fmt: skip
def test_older_releases_in_other_languages(printed: str) -> None:
    (trial,) = trials(f"$ dd if=/dev/zero of=x bs=1M count=2048\n{printed}")
    assert trial.details["bytes"] == 2 << 30
    assert trial.details["records_in"] in {"2048+0", "3+1"}
    assert trial.loops[0].metrics["write.bandwidth"] == pytest.approx((2 << 30) / 4.25)


def test_seconds_that_lost_their_decimal_sign_make_no_rate() -> None:
    printed = (
        "1024+0 records in\n1024+0 records out\n1073741824 bytes (1,1 GB) copied, {}, 69,5 MB/s"
    )
    (trial,) = trials(printed.format("15 446 s"))
    assert trial.loops[0].metrics == {"copy.bandwidth": 69.5e6}
    assert trial.elapsed is None
    (whole,) = trials(printed.format("15,446 s"))
    assert whole.loops[0].metrics == {"copy.bandwidth": pytest.approx(1073741824 / 15.446)}
    assert whole.elapsed == (15.446,)


@pytest.mark.parametrize("text", [
    "Het aantal records gelezen was 12.", "We put the poster in the hall.", "kopierade, 12 s",
])  # fmt: skip
def test_prose_with_dds_phrases_is_none(text: str) -> None:
    assert not trials(text)


def test_what_status_progress_printed_on_the_way() -> None:
    text = (
        "$ dd if=/dev/zero of=/srv/f bs=4M count=2560 status=progress\n"
        "9739173888 bytes (9.7 GB, 9.1 GiB) copied, 5 s, 1.9 GB/s\n"
        "2560+0 records in\n2560+0 records out\n"
        "10737418240 bytes (11 GB, 10 GiB) copied, 5.5149 s, 1.9 GB/s\n"
    )
    (trial,) = trials(text)
    assert trial.details["bytes"] == 10737418240
    assert trial.details["progress"] == [{"bytes": 9739173888, "seconds": 5, "bandwidth": 1.9e9}]
    lines = text.splitlines(keepends=True)
    (alone,) = trials("".join(lines[:1] + lines[2:]))
    assert "progress" not in alone.details


@pytest.mark.parametrize(("operand", "size"), [
    ("128MB", 128000000), ("4kB", 4000), ("1GB", 1000000000), ("1M", 1 << 20), ("1MiB", 1 << 20),
    ("512", 512),
])  # fmt: skip
def test_block_sizes_are_those_of_dd(operand: str, size: int) -> None:
    (trial,) = trials(f"# dd if=/dev/zero of=x bs={operand} count=3072\n{RECORDS}{BSD}")
    assert trial.options["bs"] == size


def test_words_behind_a_result_are_no_report_without_a_speed() -> None:
    sums = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, {} MB/s"
    listed = "".join(
        f"- [{name}]: `{sums.format(*figures)}` {more}\n"
        for name, figures, more in [
            ("a", ("2.5", "429"), "the best of all"), ("b", ("5.25", "205"), ""),
        ]
    )  # fmt: skip
    outputs = read(listed)
    assert len(outputs) == 1
    assert len(trials(listed)) == 2


def test_a_report_that_is_cut_off_behind_others_is_told() -> None:
    (unread,) = unread_in(f"# {COMMAND}\n{RECORDS}{BSD}{RECORDS}\nThat was all.\n")
    assert unread.reason == "no speed follows"


LABELLED = "8192000000 bytes (8.2 GB) copied, 41.7994 s, 196 MB/s\n"


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("写：time dd if=/dev/zero of=/ceph/test bs=8k count=1000000", "write"),
        ("读： dd if=/ceph/test of=/dev/null bs=8k", "read"),
        ("Read test: `sudo time dd if=/ceph/test of=/dev/null bs=8k`", "read"),
        ("- Lecture : dd if=/ceph/test of=/dev/null bs=8k", "read"),
        ("Note: dd is slow here", "copy"),
        ("dd: error reading '/ceph/test': Input/output error", "copy"),
        ("写：cp /ceph/a /ceph/b", "copy"),
        ("写: cp /a /b; time dd if=/ceph/test of=/dev/null bs=8k", "copy"),
    ],
)
def test_a_command_may_stand_behind_a_label(line: str, way: str) -> None:
    (trial,) = trials(f"{line}\n{LABELLED}")
    assert list(trial.loops[0].metrics) == [f"{way}.bandwidth"]
    assert ("bs=8k" in trial.command) == (way != "copy")


def test_the_command_next_to_a_result_is_its_own() -> None:
    text = (
        f"$ dd if=/dev/zero of=/ceph/t bs=8k\n{LABELLED}读：dd if=/ceph/t of=/dev/null\n{LABELLED}"
        f"写：dd if=/dev/zero of=/ceph/t\n$ dd if=/ceph/t of=/dev/null bs=1M\n{LABELLED}"
    )
    assert [next(iter(trial.loops[0].metrics)) for trial in trials(text)] == [
        "write.bandwidth", "read.bandwidth", "read.bandwidth",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("flag", "sync"), [("dsync", True), ("sync,direct", True), ("direct", False)]
)
def test_writes_that_are_synced_one_by_one(flag: str, sync: bool) -> None:
    (trial,) = trials(
        f"$ dd if=/dev/zero of=/mnt/x bs=512 count=1000 oflag={flag}\n1000+0 records in\n"
        "1000+0 records out\n512000 bytes (512 kB) copied, 2.19 s, 234 kB/s\n"
    )
    assert trial.options.get("sync") is sync


ENDED = (
    "$ dd if=/dev/zero of={of} bs=2048\n{said}\n1871049+0 records in\n1871048+0 records out\n"
    "957976576 bytes (958 MB) copied, 8600.9 s, 111 kB/s\n"
)


@pytest.mark.parametrize(
    ("of", "said", "faults"),
    [
        ("/dev/sdy", "dd: writing to '/dev/sdy': Input/output error", 1),
        ("/dev/sdy", "dd: error writing '/dev/sdy': Input/output error\n", 1),
        ("/mnt/x count=9000000", "dd: writing `/mnt/x': No space left on device", 1),
        ("/mnt/x count=9000000", "dd: error writing '/mnt/x': No space left on device", 1),
        ("/mnt/x", "dd: error writing '/mnt/x': No space left on device", 0),  # to be filled
        ("/dev/sdy", "dd: error writing '/dev/sdy': No space left on device", 0),  # it is its end
        ("/mnt/x", "dd: failed to discard cache for: '/mnt/x': Invalid argument", 0),
        ("/mnt/x", "We saw dd: error writing '/mnt/x': Input/output error", 0),
        ("/mnt/x", "", 0),
    ],
)
def test_what_went_wrong_stands_with_its_result(of: str, said: str, faults: int) -> None:
    (trial,) = trials(ENDED.format(of=of, said=said))
    assert trial.loops[0].faults == (said.strip(),) * faults
    if faults:
        target, _, _ = of.partition(" ")
        assert (trial.target, list(trial.loops[0].metrics)) == (target, ["write.bandwidth"])


def test_an_error_is_of_the_result_below_it() -> None:
    call = "for d in sdx sdy; do dd if=/dev/$d of=/dev/null bs=64k; done"
    first, second = trials(FAULTY.format(call=call))
    assert [len(trial.loops[0].faults) for trial in (first, second)] == [1, 0]


def test_an_error_alone_is_no_result() -> None:
    assert (
        trials("$ cp /a /b\ndd: error writing '/mnt/x': Input/output error\n\nThen more.\n") == []
    )


@pytest.mark.parametrize(("command", "metric", "target"), [
    ("dd if=/dev/zero bs=10M count=1024 | pv > /dev/vg1/a", "write.bandwidth", "/dev/vg1/a"),
    ("dd if=/dev/zero bs=10M count=1024 | pv -s 10g | gzip > a", "copy.bandwidth", ""),
])  # fmt: skip
def test_what_only_passes_on_stands_between_dd_and_its_target(
    command: str, metric: str, target: str
) -> None:
    (trial,) = trials(f"# {command}\n10737418240 bytes (11 GB) copied, 29.6211 s, 362 MB/s\n")
    assert (list(trial.loops[0].metrics), trial.target) == ([metric], target)


@pytest.mark.parametrize(("rate", "said"), [
    ("21.5 MB/s", 21.5e6), ("23.8 MB/s", None), ("22.7 MB/s", None), ("24 MB/s", None),
])  # fmt: skip
def test_a_rate_that_the_seconds_do_not_come_to(rate: str, said: float | None) -> None:
    """1 GiB in 45.0553 s is 23.8 MB/s, and 22.7 of those of 1024."""
    text = (
        "$ dd if=/dev/zero of=/srv/x bs=64k count=16k\n16384+0 records in\n16384+0 records out\n"
        f"1073741824 bytes (1.1 GB, 1.0 GiB) copied, 45.0553 s, {rate}\n"
    )
    (trial,) = trials(text)
    assert trial.details.get("printed_bandwidth") == said


def test_what_ended_it_in_the_words_of_the_page() -> None:
    text = (
        "# dd if=/dev/zero of=/srv/x\ndd: escribiendo en '/srv/x': No queda espacio en el "
        "dispositivo\n2048+0 records in\n2047+0 records out\n"
        "1048064 bytes (1,0 MB, 1023 KiB) copied, 0,5 s, 2,1 MB/s\n"
    )
    (trial,) = trials(text)
    assert trial.details["ended_by"] == "No queda espacio en el dispositivo"
    assert not trial.loops[0].faults  # it was to fill the file system


@pytest.mark.parametrize("mark", ["", "`", "**"])
def test_a_speed_that_its_author_marks(mark: str) -> None:
    (copy,) = trials(
        "dd if=/dev/zero of=/mnt/x bs=8k count=256k\n262144+0 records in\n262144+0 records out\n"
        f"2147483648 bytes (2.1 GB) copied, 20.0000 seconds, {mark}107 MB/s{mark}\n"
    )
    assert copy.loops[0].metrics["write.bandwidth"] == pytest.approx(107374182.4)


@pytest.mark.parametrize("unit", ["MB/s", "MByte/s", "MBytes/s"])
def test_a_unit_that_somebody_wrote_out(unit: str) -> None:
    (trial,) = trials(
        "# dd if=/dev/zero of=/dev/sdq bs=1M count=16\n16+0 records in\n16+0 records out\n"
        f"16777216 bytes (17 MByte) copied, 2.35751 s, 7.1 {unit}\n"
    )
    assert trial.loops[0].metrics == {"write.bandwidth": pytest.approx(16777216 / 2.35751)}
    assert not trials(
        "# dd if=/dev/zero of=/dev/sdq bs=1M\n16+0 records in\n16+0 records out\n"
        "16777216 bytes (17 MByte) copied, 2.35751 s, 7.1 MByteshare\n"
    )
