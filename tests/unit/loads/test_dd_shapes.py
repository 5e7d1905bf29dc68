"""dd of BSD, results in comments, and reports of one run while it goes on.

Source: FreeBSD 14, bin/dd/misc.c, summary(): records, then "%ju bytes transferred in %.6f secs
(%.0f bytes/sec)".
"""

from __future__ import annotations

import pytest

from tests.mangle import read, trials

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
    assert trial.details == {"bytes": 3 << 30}


def test_sums_of_bsd_in_a_row_are_each_a_result() -> None:
    table = "".join(
        f"da3 bs {size}: 16777216 bytes transferred in {seconds} secs (1 bytes/sec)\n"
        for size, seconds in [(512, "2.000000"), (1024, "1.000000"), (2048, "0.500000")]
    )
    assert [trial.loops[0].metrics["copy.bandwidth"] for trial in trials(table)] == [
        2**23, 2**24, 2**25,
    ]  # fmt: skip


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
    assert trial.details == {"bytes": 500107804672}
    assert trial.elapsed == (9216.99,)
    assert trial.target == "/dev/sdx"


def test_runs_in_a_loop_with_a_complaint_between_are_results_each() -> None:
    call = "for d in sdx sdy; do dd if=/dev/$d of=/dev/null bs=64k; done"
    assert len(trials(FAULTY.format(call=call))) == 2
