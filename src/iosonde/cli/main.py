"""The table of contents of the command line: verbs are rows of VERBS, imported when used."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.cli import ACTIONS, SUMMARIES, VERBS
from iosonde.cli.output import prepare_streams, print_error, set_volume
from iosonde.cli.streams import ended
from iosonde.errors import IosondeError, OutputFailed, UsageError
from iosonde.extras import missing_extra
from iosonde.verbs.signals import Interrupted, asked, begin_work, end_work, say, take_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from iosonde.cli.help import VerbCommand


def _help() -> str:
    width = max(map(len, VERBS))
    groups = "\n".join(
        f"{heading}:\n" + "".join(f"  {verb:<{width}}  {text}\n" for verb, text in verbs.items())
        for heading, verbs in SUMMARIES.items()
    )
    return (
        "Usage: iosonde VERB [OPTION…] [ARGUMENT…]\n\n"
        "Describes, measures, explains and tunes Linux storage stacks, layer by layer.\n\n"
        f"{groups}\n"
        "`iosonde help VERB` explains a verb; `iosonde --version` prints the version.\n"
        "Every verb takes --json. Exit codes: 0 done, 1 the answer is no, 2 wrong use,\n"
        "3 refused for safety, 4 a host or a load failed, 5 undecided, 130, 143 or 129 ended\n"
        "by a signal.\n"
    )


def _version() -> str:
    from importlib.metadata import version

    return f"iosonde {version('iosonde')}\n"


def _said(problem: Exception) -> str:
    """Click's own sentence, which names the option."""
    text = problem.format_message() if hasattr(problem, "format_message") else str(problem)
    return str(text).removesuffix(".")


def verb_and_rest(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The verb, with its action where that has options of its own, and what follows.

    Args:
        arguments: after `iosonde`: ["lab", "-q", "cut", "n1"] gives "lab cut" and ["-q", "n1"].
    """
    verb, *rest = arguments
    at = next((at for at, argument in enumerate(rest) if argument not in _ANYWHERE), len(rest))
    if at < len(rest) and f"{verb} {rest[at]}" in ACTIONS:
        return f"{verb} {rest[at]}", [*rest[:at], *rest[at + 1 :]]
    return verb, rest


_ANYWHERE = {"-q", "--quiet", "--json", "--become"}
"""Options of all actions, which may stand before the action."""
_TAKES_THE_REST = {"lab ssh"}
"""Whose options end with the first argument: what follows belongs to a command."""


def command_of(verb: str) -> VerbCommand:
    """The parser of a verb's options, with its help.

    Args:
        verb: a row of VERBS, or a verb and an action: a row of ACTIONS.
    """
    return _command(verb, (ACTIONS if verb in ACTIONS else VERBS).load(verb))


@cache
def _command(verb: str, function: Callable[..., object]) -> VerbCommand:
    import typer

    from iosonde.cli.examples import EXAMPLES
    from iosonde.cli.help import VerbCommand, add_shared

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings = {
        "help_option_names": ["-h", "--help"],
        "allow_interspersed_args": verb not in _TAKES_THE_REST,
    }
    app.command(name=verb, cls=VerbCommand, context_settings=settings)(function)
    command = typer.main.get_command(app)
    assert isinstance(command, VerbCommand)  # noqa: S101 - for mypy
    examples = EXAMPLES.get(verb.partition(" ")[0], ())
    command.examples = tuple(
        example for example in examples if example[0].split()[: len(verb.split())] == verb.split()
    )
    if verb not in ACTIONS:
        command.actions = getattr(sys.modules[function.__module__], "ACTIONS", {})
    add_shared(command, verb)
    return command


def _usage(command: VerbCommand, verb: str) -> str:
    """The command line of a verb without its options: "iosonde lab cut NODE"."""
    context = command.make_context(f"iosonde {verb}", [], resilient_parsing=True)
    return " ".join(["iosonde", verb, *command.collect_usage_pieces(context)[1:]])


def _options(command: VerbCommand) -> list[str]:
    return [name for parameter in command.params for name in parameter.opts if name[:1] == "-"]


def _dispatch(arguments: Sequence[str]) -> int:
    """Run one verb; its own exit code, 0 where it returns nothing."""
    import typer

    from iosonde.config import ConfiguredOptions

    verb, rest = verb_and_rest(arguments)
    command = command_of(verb)
    set_volume()
    try:
        begin_work()
        answer = command.main(
            args=rest, prog_name=f"iosonde {verb}", standalone_mode=False,
            default_map=ConfiguredOptions(),
        )  # fmt: skip
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 130  # an answer that was asked for and not given
    except SystemExit as end:  # typer's for EPIPE, which none of our own streams raises
        raise OutputFailed("a pipe was closed by its reader before all was written") from end
    except Exception as problem:
        # click's UsageError: typer carries click inside itself and exports only its children.
        if not isinstance(problem, typer.BadParameter.__bases__):
            raise
        if option := getattr(problem, "option_name", None):
            from iosonde.cli.misspelt import no_such_option

            if str(problem).startswith("No such option"):
                raise no_such_option(verb, option, _options(command)) from None
        hint = f"iosonde {verb} --help"
        if command.actions and not rest:
            raise UsageError(f"say what to do: {', '.join(command.actions)}", hint=hint) from None
        said = _said(problem)
        if said.startswith("Missing argument"):
            usage = _usage(command, verb)
            said = f"say which: {usage}" if verb in ACTIONS else f"an argument is missing: {usage}"
        raise UsageError(said, hint=hint) from None
    return int(answer or 0)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `iosonde`."""
    prepare_streams()
    code = ended(_answer(arguments))
    if asked():  # threads that work on are not waited for
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def _answer(arguments: Sequence[str] | None) -> int:
    """What is asked for is done; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["help"] and len(given) > 1:
        given = [*given[1:], "--help"]
    if not given or given[0] in {"-h", "--help", "help"}:
        sys.stdout.write(_help())
        return 0 if given else 2
    if given[0] in {"-V", "--version"}:
        sys.stdout.write(_version())
        return 0
    take_signals()
    return _guarded(given)


def _guarded(given: list[str]) -> int:
    """A signal is a normal way to end, whatever it interrupted."""
    try:
        code = _answered(given)
        end_work()
    except Interrupted as end:
        advice = f"; {end.advice}" if end.advice else ""
        say(f"interrupted{advice}")
        return end.exit_code
    except BaseException as problem:
        if not asked():
            raise
        # What was interrupted may fail in any way, and so may the cleaning: that is no bug report.
        say(f"interrupted; then: {type(problem).__name__}: {problem}")
        return 128 + asked()
    return code


def _answered(given: list[str]) -> int:
    """Expected failures become one sentence and their exit code."""
    as_json = "--json" in given
    try:
        return _dispatch(given)
    except IosondeError as problem:
        print_error(problem, as_json=as_json)
        return 128 + asked() if asked() else problem.exit_code
    except ModuleNotFoundError as problem:
        if (missing := missing_extra(problem)) is None:
            raise
        print_error(missing, as_json=as_json)
        return missing.exit_code
    except FileNotFoundError:
        if _is_somewhere():
            raise
        gone = UsageError("the working directory was deleted", hint="change to one that exists")
        print_error(gone, as_json=as_json)
        return gone.exit_code


def _is_somewhere() -> bool:
    """Whether the working directory still has a name (getcwd(3): ENOENT where it was deleted)."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True
