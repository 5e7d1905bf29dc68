"""The text of a PDF, by pypdf: lines in reading order; figures and layout are lost."""

from __future__ import annotations

import io
import logging

from iosonde import limits
from iosonde.errors import UsageError


def text_of_pdf(data: bytes, name: str) -> bytes:
    """The text of all pages, one after the other. Lines count from 1 through the whole document.

    Raises:
        UsageError: it is damaged, encrypted, or holds pictures instead of text.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it mends most damage by itself
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UsageError("is an encrypted PDF", where=name, hint="save it without a password")
        pages, room = list[str](), limits.PDF_TEXT
        for page in reader.pages:
            pages.append(page.extract_text())
            room -= len(pages[-1])
            if room < 0:
                raise UsageError(
                    f"is a PDF with more than {limits.shown(limits.PDF_TEXT)} of text, the limit",
                    where=name,
                    hint="save the pages with the outputs as a PDF of their own",
                )
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError,
            RecursionError, ArithmeticError) as problem:  # fmt: skip
        raise UsageError(
            f"is a damaged PDF: {problem}", where=name, hint="paste its text instead"
        ) from None
    text = "\n".join(pages)
    if not text.strip():
        raise UsageError(
            "is a PDF without text", where=name, hint="its pages are pictures; give the text itself"
        )
    return text.encode(errors="replace")
