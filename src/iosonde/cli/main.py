"""The table of contents of the command line: verbs are rows of VERBS, imported when used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from iosonde.cli import SUMMARIES, VERBS
from iosonde.cli.output import print_error
from iosonde.errors import IosondeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def _help() -> str:
    width = max(map(len, SUMMARIES), default=0)
    verbs = "\n".join(f"  {verb:<{width}}  {text}" for verb, text in SUMMARIES.items())
    return (
        "Usage: iosonde VERB [OPTION…] [ARGUMENT…]\n\n"
        "Describes, measures, explains and tunes Linux storage stacks, layer by layer.\n\n"
        f"Verbs:\n{verbs}\n\n"
        "`iosonde VERB --help` explains a verb; `iosonde --version` prints the version.\n"
        "Every verb takes --json. Exit codes: 0 done, 1 the answer is no, 2 wrong use,\n"
        "3 refused for safety, 4 a host or a load failed.\n"
    )


def _version() -> str:
    from importlib.metadata import version

    return f"iosonde {version('iosonde')}\n"


def _said(problem: Exception) -> str:
    """Click's own sentence, which names the option."""
    text = problem.format_message() if hasattr(problem, "format_message") else str(problem)
    return str(text).removesuffix(".")


def _dispatch(arguments: Sequence[str]) -> int:
    """Run one verb; its own exit code, 0 where it returns nothing."""
    import typer

    verb, *rest = arguments
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    names = {"help_option_names": ["-h", "--help"]}
    app.command(name=verb, context_settings=names)(VERBS.load(verb))
    try:
        answer = app(args=rest, prog_name=f"iosonde {verb}", standalone_mode=False)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 130
    except Exception as problem:
        # click's UsageError: typer carries click inside itself and exports only its children.
        if not isinstance(problem, typer.BadParameter.__bases__):
            raise
        hint = f"iosonde {verb} --help"
        raise UsageError(_said(problem), hint=hint) from None
    return int(answer or 0)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `iosonde`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in {"-h", "--help", "help"}:
        sys.stdout.write(_help())
        sys.exit(0 if given else 2)
    if given[0] in {"-V", "--version"}:
        sys.stdout.write(_version())
        sys.exit(0)
    sys.exit(_guarded(given))


def _guarded(given: list[str]) -> int:
    """Expected failures become one sentence and their exit code; Ctrl-C is a normal way to end."""
    as_json = "--json" in given
    try:
        return _dispatch(given)
    except IosondeError as problem:
        print_error(problem, as_json=as_json)
        return problem.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 141
