"""Options that a verb does not have: what was meant."""

from __future__ import annotations

import pytest

from iosonde.cli.main import main
from iosonde.cli.misspelt import no_such_option
from iosonde.loads.fio.options import OPTION_NAMES

OPTIONS = ("--name", "--resume", "--until", "--seconds", "--target", "--size", "--loops")


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--runtime", "--seconds TIME is the length of a loop"),
        ("--filename", "--target WHERE names the file or device"),
        ("--iodepth", "as a part of a load: --fio 'fio … --iodepth …'"),
        ("--group-reporting", "as a part of a load: --fio 'fio … --group_reporting …'"),
    ],
)
def test_an_option_of_fio_is_known_as_such(option: str, hint: str) -> None:
    problem = no_such_option("run", option, OPTIONS)
    assert problem.message == f"there is no option {option}: it is one of fio's"
    assert hint in problem.hint
    assert "--resume" not in problem.hint  # whose letters are like those of --runtime


def test_a_verb_that_takes_no_load_does_not_speak_of_fio() -> None:
    assert "fio" not in str(no_such_option("list", "--iodepth", ("--limit", "--sort")))


def test_a_misspelt_option_is_corrected_and_another_word_is_not() -> None:
    assert "did you mean --name?" in no_such_option("run", "--nmae", OPTIONS).hint
    assert no_such_option("run", "--verbatim", OPTIONS).hint == "iosonde run --help"


def test_what_stands_in_for_an_option_of_fio_is_one_of_fio() -> None:
    from iosonde.cli.misspelt import _OF_FIO

    assert set(_OF_FIO) <= set(OPTION_NAMES)


@pytest.mark.parametrize(("verb", "action"), [("lab", "up"), ("trace", "describe")])
def test_a_verb_without_its_action_names_them(
    verb: str, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb])
    assert ended.value.code == 2
    assert f"say what to do: {action}, " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["up"])
    assert "an argument is missing: iosonde up STACK\n" in capsys.readouterr().err
