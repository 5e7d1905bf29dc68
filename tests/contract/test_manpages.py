"""Man pages as man(1) and groff show them: no warning, and all that the help has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.cli import ACTIONS, VERBS
from iosonde.cli.main import command_of
from tools.manpages import escaped, write

pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(shutil.which("man") is None, reason="no man"),
]  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages") / "man1"
    write(folder)
    return folder


def shown(page: Path) -> tuple[str, str]:
    """What man shows on one long line a paragraph, and what it complains about."""
    done = subprocess.run(
        ["man", "--warnings=w", "--no-hyphenation", "--no-justification", "-E", "UTF-8", "-l",
         str(page)],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "1000", "MANPAGER": "cat"},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr


def test_there_is_a_page_of_each_verb_and_one_that_names_them(pages: Path) -> None:
    assert {page.name for page in pages.iterdir()} == {
        "iosonde.1", *(f"iosonde-{verb}.1" for verb in VERBS),
    }  # fmt: skip
    text, warnings = shown(pages / "iosonde.1")
    assert warnings == ""
    assert [verb for verb in VERBS if f"iosonde-{verb}(1)" not in text] == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_has_all_options_and_examples(verb: str, pages: Path) -> None:
    text, warnings = shown(pages / f"iosonde-{verb}.1")
    assert warnings == ""
    command = command_of(verb)
    actions = [command_of(action) for action in ACTIONS if action.startswith(f"{verb} ")]
    for param in (param for each in (command, *actions) for param in each.params):
        for name in param.opts if param.param_type_name == "option" else []:
            assert name in text
    for line, _ in command.examples:
        assert f"iosonde {line}\n" in text


def test_signs_that_roff_obeys_are_shown(tmp_path: Path) -> None:
    odd = ".so /etc/hostname \\fB -x `~^' \\\n'br \".\""
    page = tmp_path / "odd.1"
    page.write_text(f".TH ODD 1\n.SH NAME\nodd \\- x\n.SH A\n.nf\n{escaped(odd)}\n")
    text, warnings = shown(page)
    assert warnings == ""
    assert [line.strip() for line in text.splitlines() if "/etc" in line or "br" in line] == (
        odd.split("\n")
    )


def test_a_wrong_page_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "wrong.1"
    page.write_text(".TH WRONG 1\n.SH NAME\nwrong \\- x\n.NOSUCH\n")
    assert "NOSUCH" in shown(page)[1]
