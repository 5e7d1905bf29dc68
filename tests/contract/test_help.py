"""Help texts: examples that can be typed, groups, and no types of Python."""

from __future__ import annotations

import re
import shlex

import pytest

from iosonde.cli import ACTIONS, SUMMARIES, VERBS
from iosonde.cli.examples import EXAMPLES
from iosonde.cli.main import command_of, verb_and_rest

_TYPE = re.compile(r"<(?:str|int|list|path|float|bool)\b")


def help_of(verb: str) -> str:
    command = command_of(verb)
    context = command.make_context(f"iosonde {verb}", [], resilient_parsing=True)
    return command.get_help(context)


def test_every_verb_has_examples_and_a_place_in_the_summary() -> None:
    assert set(EXAMPLES) == set(VERBS)
    assert sorted(verb for verbs in SUMMARIES.values() for verb in verbs) == sorted(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_example_is_taken_by_its_verb(verb: str) -> None:
    for line, what in EXAMPLES[verb]:
        first, *arguments = shlex.split(line)
        assert first == verb, line
        arguments = arguments[: arguments.index(">")] if ">" in arguments else arguments
        name, arguments = verb_and_rest([first, *arguments])
        assert command_of(name).make_context(f"iosonde {name}", arguments) is not None
        assert what[0].islower() or what.startswith("CI"), what


def test_actions_have_options_of_their_own_and_are_listed_by_their_verb() -> None:
    listed = {f"{verb} {action}" for verb in VERBS for action in command_of(verb).actions}
    assert set(ACTIONS) == listed
    for name in ACTIONS:
        assert ACTIONS.load(name).__doc__, name


@pytest.mark.parametrize("verb", [*VERBS, *ACTIONS])
def test_help_fits_a_terminal_and_names_no_types(verb: str) -> None:
    text = help_of(verb)
    assert not _TYPE.search(text)
    long = [line for line in text.splitlines() if len(line) > 80 and "iosonde " not in line]
    assert long == []


def test_a_wrong_example_would_be_seen() -> None:
    with pytest.raises(Exception, match="--nosuch"):
        command_of("list").make_context("iosonde list", ["--nosuch"])
