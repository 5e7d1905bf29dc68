"""Errors that programs print. Oracle: the texts of strerror(3) on the machine of the test."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from iosonde.layers._commands.printed_errors import _ERRORS, ProgramErrors
from iosonde.text.error_languages import TRANSLATED
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
    english = {anchor for anchor in ProgramErrors.anchors if anchor[2:] in set(_ERRORS)}
    assert len(english) == len(_ERRORS)
    assert english <= texts


OUTPUTS = Path(__file__).parents[3] / "outputs"
FOREIGN = (OUTPUTS / "languages-debian-12" / "errors.txt").read_text()


def test_other_languages_are_counted_by_the_english_text() -> None:
    full, failed = "No space left on device", "Input/output error"
    assert _errors(FOREIGN) == [
        ("dd", {full: 1}), ("cat", {failed: 1}), ("touch", {"Read-only file system": 1}),
        ("cp", {full: 1}), ("cat", {failed: 1}), ("cp", {full: 1}),
    ]  # fmt: skip


@pytest.mark.parametrize("sign", ["'", "’"])
def test_an_apostrophe_that_a_page_changed(sign: str) -> None:
    text = f"dd: erreur de lecture de '/dev/sdq': Erreur d{sign}entrée/sortie\n"
    assert _errors(text) == [("dd", {"Input/output error": 1})]


def test_a_translation_is_of_a_single_error() -> None:
    texts = [text for texts in TRANSLATED.values() for text in texts]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("text", [
    "Was heißt das: Eingabe-/Ausgabefehler\n",
    "系统提示：设备上没有空间\n",
    "cp: /mnt/a: Keine Berechtigung\n",
])  # fmt: skip
def test_prose_in_other_languages_is_none(text: str) -> None:
    assert _errors(text) == []


def test_the_number_that_rsync_puts_behind_it() -> None:
    said = 'rsync: [sender] read errors mapping "/srv/oak": Input/output error (5)\n'
    assert _errors(said) == [("rsync", {"Input/output error": 1})]
    assert not _errors("I get an error: Input/output error\n"), "a person tells it"


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
