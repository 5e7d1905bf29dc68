"""Lines that a page changed. Oracle: the same text with its own lines."""

from __future__ import annotations

import pytest

from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find
from iosonde.text.relined import relined

_DF = (
    "Filesystem     1K-blocks    Used Available Use% Mounted on\n"
    "/dev/sda1       20511312 9437184  10009152  49% /\n"
    "/dev/sdb1      102685624 1048576  96377816   2% /srv/data\n"
    "tmpfs            4063232       0   4063232   0% /dev/shm\n"
    "/dev/sdc1      102685624 2097152  95329240   3% /srv/more\n"
)


def sizes(text: str) -> list[object]:
    outputs = list(find(of_bytes("page", text.encode())))
    return [
        (subject.name, subject.values.get("size"))
        for output in outputs
        if isinstance(output, FoundOutput)
        for state in output.states
        for subject in state.subjects
    ]


@pytest.mark.parametrize("mark", ["<br>", "<br/>", "<br />", "<BR>"])
def test_breaks_within_one_line(mark: str) -> None:
    page = f"<p>Task:{mark}# df{mark}" + _DF.rstrip().replace("\n", mark) + "</p>\nThanks.\n"
    lines = relined(page.encode())
    assert lines
    assert set(lines[1]) == {1, 2, 3}
    assert sizes(page) == sizes(_DF) != []


def test_numbers_between_the_lines() -> None:
    listed = "".join(f"{number}\n{line}\n" for number, line in enumerate(_DF.splitlines(), 7))
    text = f"See:\n\n{listed}\nThat was it.\n"
    lines = relined(text.encode())
    assert lines
    assert lines[0].decode() == f"See:\n\n{_DF}\nThat was it.\n"
    assert lines[1][2:5] == [4, 6, 8]
    assert sizes(text) == sizes(_DF) != []


@pytest.mark.parametrize(
    "text",
    [
        _DF,
        _DF.replace("\n", "<br/>\n"),  # a break at the end of each line
        "Use <br> to break a line.\n",
        "Content-Type: text/plain\n\nab\n\nContent-Type: text/html\n\na<br>b<br>c<br>d<br>e\n",
        "1\n\n2\n\n3\n\n4\n\n5\n",  # a list of numbers
        "1\na line\n3\na line\n4\na line\n6\na line\n",  # numbers of no lines
        "1\na line\n2\na line\n3\na line\n",  # too few
        "99\n100\n101\n102\n",
    ],
)
def test_what_is_left_as_it_is(text: str) -> None:
    lines = relined(text.encode())
    assert lines is None or lines[0].decode() == text


def test_a_long_list_of_numbers_takes_linear_time() -> None:
    text = b"7\nx\n" * 200_000
    lines = relined(text)
    assert lines is None or lines[0] == text


def test_a_long_log_keeps_its_lines_and_one_that_was_many_among_them_is_laid_out() -> None:
    log = b"Nov  3 02:11:09 db1 app: it did what it does every hour, number %d\n"
    lines = b"".join(log % number for number in range(700))
    assert relined(lines) is None
    mounts = b" ".join(
        b"/dev/sd%c1 on /srv/volume-%d type ext4 (rw,relatime,stripe=256)" % (97 + number, number)
        for number in range(12)
    )
    made = relined(lines + mounts + b"\n")
    assert made
    assert made.data.count(b"\n/dev/sd") == 12
    assert made.numbers[-2] == 701
