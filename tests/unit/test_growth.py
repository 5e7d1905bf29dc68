"""The measure of growth tells linear work from quadratic work."""

from __future__ import annotations

import re

import pytest

from tests.growth import grows_faster


def test_work_that_grows_with_the_text_is_let_pass() -> None:
    assert not grows_faster(lambda text: [ord(sign) for sign in text], "abcd", 10_000)


@pytest.mark.slow
def test_work_that_grows_with_the_square_of_the_text_is_named() -> None:
    anchored = re.compile(r"1*x")  # from each place to the end, and no x
    message = grows_faster(anchored.search, "1", 1_000)
    assert message.startswith("8 times the text took ")
