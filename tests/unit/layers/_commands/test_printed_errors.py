"""Errors that programs print. Oracle: the texts of strerror(3) on the machine of the test."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_errors import ProgramErrors
from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[3] / "outputs" / "commands-composed" / "errors.txt").read_text()


def _errors(text: str) -> list[tuple[str, object]]:
    return [
        (counter.name, counter.values["errors"])
        for counter in counters(text)
        if counter.tool == ProgramErrors.tool
    ]


def test_the_texts_are_those_of_the_library() -> None:
    texts = {f": {os.strerror(number)}" for number in errno.errorcode}
    assert set(ProgramErrors.anchors) <= texts | {" ioctl on "}


def test_errors_by_program() -> None:
    assert _errors(TEXT) == [
        ("cat", {"Input/output error": 2}),
        ("", {"Invalid cross-device link": 1}),
        ("dd", {"No space left on device": 1}),
    ]


@pytest.mark.parametrize("before", ["", "# dmsetup create x /tmp/table\n"])
@pytest.mark.parametrize("after", ["x ", "x (253:3)"])
def test_what_libdevmapper_says(before: str, after: str) -> None:
    line = f"device-mapper: reload ioctl on {after} failed: {os.strerror(errno.EINVAL)}\n"
    assert _errors(before + line) == [("device-mapper", {"Invalid argument": 1})]
    assert _errors(line.replace("device-mapper", "a mapper")) == []


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.EXDEV, errno.EBUSY])
def test_a_real_program_in_the_same_words(number: int) -> None:
    text = f"dd: error writing '/mnt/a': {os.strerror(number)}\n"
    assert _errors(text) == [("dd", {os.strerror(number): 1})]


@pytest.mark.parametrize(
    "text",
    [
        "I get this all the time: Input/output error\n",
        "cat: ./a: No such file or directory\n",
        "cat: ./a: Permission denied\n",
        "Subject: Input/output error\n",
        "Subject: Re: blkdiscard BLKDISCARD ioctl failed: Remote I/O error\n",
        "[  12.345678] frob 1:0: failed: Input/output error\n",  # the kernel's log
        "It may also be this one: No space left on device, but why?\n",
    ],
)
def test_what_is_no_message_of_a_program_about_storage(text: str) -> None:
    assert _errors(text) == []


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT, wraps=False)))
def test_every_shape(shape: str, text: str) -> None:
    assert _errors(text) == _errors(TEXT), shape
