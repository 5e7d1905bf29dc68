"""Mails: what is in quoted-printable is decoded, what is not stays as it is."""

from __future__ import annotations

import base64
import gzip
import quopri

import pytest

from iosonde.text.document import of_bytes
from iosonde.text.mail import decoded
from tests.mangle import read, trials

RESULT = "read: IOPS=6164, BW=24.1MiB/s (25.3MB/s)(241MiB/10001msec)\n"
SIGNED = (
    "Received: by mx.example.org; Mon, 6 May 2024 07:08:09 +0000\n"
    "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=a;\n"
    " b=AbC3dEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghijklmnopqrstuvwx1A=\n"
    "From: node@example.org\n"
    "Subject: figures\n"
)
SIGNATURE = "Signature: AbC3dEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghijklmnopqrst=\n"


EQUALS = "the ratio =\n" + RESULT


def _rates(text: str) -> list[float]:
    return [trial.loops[0].metrics["read.iops"] for trial in trials(text)]


def _quoted(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


@pytest.mark.parametrize("encoding", ["7bit", "8bit", "7BIT", ""])
@pytest.mark.parametrize("header", [SIGNED, SIGNATURE + "From: a@b\nSubject: x\n"])
def test_a_header_that_ends_in_an_equals_sign_is_no_mark(header: str, encoding: str) -> None:
    declared = f"Content-Transfer-Encoding: {encoding}\n" if encoding else ""
    text = f"{header}{declared}\n{RESULT}"
    assert decoded(text.encode()) is None
    assert _rates(text) == [6164.0]


@pytest.mark.parametrize("header", [SIGNED, ""])
def test_a_body_declared_as_quoted_printable_is_decoded(header: str) -> None:
    text = f"{header}Content-Transfer-Encoding: quoted-printable\n\n{_quoted(RESULT)}"
    assert _rates(text) == [6164.0]
    (place,) = [output.place.first_line for output in read(text)]
    assert place == text.count("\n", 0, text.index("read:")) + 1


@pytest.mark.parametrize("encoding", ["quoted-printable", "7bit", ""])
def test_the_fields_that_a_signature_names_declare_nothing(encoding: str) -> None:
    signed = SIGNED.replace(" b=", " h=from:Content-Transfer-Encoding:MIME-Version:to;\n b=")
    declared = f"Content-Transfer-Encoding: {encoding}\n" if encoding else ""
    body = RESULT if encoding == "7bit" else _quoted(EQUALS)
    assert _rates(f"{signed}{declared}\n{body}") == [6164.0]


def test_a_body_without_a_declaration_is_judged_by_its_own_marks() -> None:
    assert _rates(f"{SIGNED}\n{_quoted(EQUALS)}") == [6164.0]
    assert _rates(_quoted(RESULT * 2)) == [6164.0, 6164.0]


def test_each_part_has_an_encoding_of_its_own() -> None:
    text = (
        f"{SIGNED}Content-Type: multipart/mixed; boundary=x\n\n"
        f"--x\nContent-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
        f"{_quoted(RESULT)}\n--x\nContent-Type: text/plain\nContent-Transfer-Encoding: 7bit\n\n"
        f"{RESULT.replace('6164', '4142')}\n--x--\n"
    )
    assert _rates(text) == [6164.0, 4142.0]


def test_a_mail_quoted_in_a_mail_does_not_end_its_encoding() -> None:
    text = (
        f"{SIGNED}Content-Transfer-Encoding: quoted-printable\n\nHe wrote:\n\n"
        f"From: someone@example.org\nSubject: old figures\n\n{_quoted(RESULT)}"
    )
    assert _rates(text) == [6164.0]


def test_the_mails_of_a_mailbox_are_apart() -> None:
    first = f"From a@b Mon May  6\n{SIGNED}Content-Transfer-Encoding: quoted-printable\n\n"
    second = f"From a@b Mon May  6\n{SIGNED}\n"
    text = f"{first}{_quoted(RESULT)}\n{second}{RESULT.replace('6164', '4142')}"
    assert _rates(text) == [6164.0, 4142.0]


def test_a_mail_that_an_archive_decoded_but_for_its_headers() -> None:
    header = "From: a@b\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n"
    assert decoded(f"{header}agcount=32, sectsz=512 crc=0 ok\n".encode()) is None
    whole = decoded(f"{header}agcount=3D32, sectsz=3D512 crc=3D0 ok\n".encode())
    assert whole is not None
    assert b"sectsz=512" in whole[0]
    accents = decoded(f"{header}caf=C3=A9\n".encode())
    assert accents is not None
    assert "café" in accents[0].decode()


def test_a_body_in_another_set_of_characters_is_text() -> None:
    header = "Content-Type: text/plain; charset={}\nContent-Transfer-Encoding: quoted-printable\n\n"
    branch = header.format("iso-8859-15") + "size=3D1.0G\n=A0 `- 2:0:0:1 sdb\n"
    meant = decoded(branch.encode())
    assert meant is not None
    assert meant[0].decode().endswith("size=1.0G\n\u00a0 `- 2:0:0:1 sdb\n")
    coded = decoded((header.format("UTF-8") + "=E2=94=94=E2=94=80sda1\n").encode())
    assert coded is not None
    assert coded[0].decode().endswith("└─sda1\n")
    strange = decoded((header.format("iso-8859-99") + "=A0=3D\n").encode())
    assert strange is not None


def test_no_break_spaces_are_blanks() -> None:
    """Mail programs put one for each second blank; archives keep the bytes and lose the header."""
    table = "Device\u00a0\u00a0 r/s\n> \u00e9\u00a0x\n"
    assert of_bytes("mail", table.encode("latin-1")).data == b"Device   r/s\n> \xe9\xa0x\n"
    assert of_bytes("mail", table.encode()).data == table.replace("\u00a0", " ").encode()
    assert of_bytes("mail", "\u2010\u00e0 \u3820".encode()).data == "\u2010\u00e0 \u3820".encode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_log_attached_in_base64_is_text_with_the_lines_where_it_stands(end: str) -> None:
    log = f"[    1.000000] some line of a log{end}".join(["", "", "", RESULT, RESULT])
    coded = base64.encodebytes(log.encode()).decode()
    text = (
        f"{SIGNED}Content-Type: multipart/mixed; boundary=x\n\n--x\n"
        f"Content-Type: text/x-log; name=a.log\nContent-Transfer-Encoding: base64\n\n{coded}\n"
        f"--x\nContent-Type: text/plain\n\n{RESULT.replace('6164', '4142')}--x--\n"
    )
    assert _rates(text) == [6164.0, 6164.0, 4142.0]
    before = text[: text.index(coded)].count("\n")
    for output, place in zip(
        read(text)[:2], (log.index("read:"), log.rindex("read:")), strict=True
    ):
        assert output.place.first_line == before + 1 + place // 3 * 4 // 76
    assert read(text)[2].place.first_line == text.count("\n", 0, text.index("read:")) + 1


@pytest.mark.parametrize(
    "body",
    [
        base64.encodebytes(b"\x89PNG\r\n\x1a\n" + bytes(100)).decode(),  # a picture
        base64.encodebytes(gzip.compress(RESULT.encode(), mtime=0)).decode(),
        base64.encodebytes(RESULT.encode()).decode()[1:],  # damaged
        RESULT,  # an archive decoded it and left the header
    ],
    ids=["a picture", "gzip", "damaged", "decoded"],
)
def test_what_is_no_text_in_base64_stays_as_it_is(body: str) -> None:
    assert decoded(f"{SIGNED}Content-Transfer-Encoding: base64\n\n{body}".encode()) is None
