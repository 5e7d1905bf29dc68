"""`iosonde completion`: scripts that let a shell complete verbs, options and runs."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde.cli.output import print_json, write_text

_RUNS = {
    "report": "runs",
    "export": "runs",
    "compare": "runs",
    "explain": "what",
    "tag": "run",
    "rm": "runs",
}
"""Verb → its argument that is a run."""


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- WORD…]", help="A command line: print candidates for its last word."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema completion).")
    ] = False,
) -> None:
    """Print the script with which a shell completes verbs, options, bundled loads and runs."""
    from iosonde.verbs import completion as verb

    made = verb.completion(shell, candidates(arguments) if arguments else None)
    if as_json:
        print_json(made.to_json())
    else:
        write_text(made.script or "".join(f"{word}\n" for word in made.candidates))


def candidates(arguments: list[str]) -> list[str]:
    """What the last word of a command line may become; nothing where that is a file or any text.

    Args:
        arguments: after `iosonde`; the last is what is there of it so far.
    """
    from iosonde.cli import VERBS

    *before, begun = arguments
    if before[:1] == ["help"]:
        before = before[1:]
    if not before:
        names = [*VERBS, *(["help"] if len(arguments) == 1 else [])]
    else:
        names = _of_verb(before[0], before[1:], begun)
    return [word for word in names if word.startswith(begun)]


def _of_verb(verb: str, before: list[str], begun: str) -> list[str]:
    from iosonde.cli import VERBS
    from iosonde.cli.main import command_of, verb_and_rest
    from iosonde.verbs.completion import recent_runs

    if verb not in VERBS:
        return []
    verb, before = verb_and_rest([verb, *before])
    if (actions := command_of(verb).actions) and not (before or begun.startswith("-")):
        return list(actions)
    options = [param for param in command_of(verb).params if param.param_type_name == "option"]
    if before:
        for option in options:
            if before[-1] in option.opts and not getattr(option, "is_flag", False):
                return _values(option.name or "")
    if begun.startswith("-"):
        return [name for option in options for name in option.opts if name.startswith("--")]
    return recent_runs() if verb in _RUNS or "--resume" in before else []


def _values(option: str) -> list[str]:
    """What an option may be set to, where that is a list."""
    from iosonde.loads.named import names
    from iosonde.verbs.completion import recent_runs

    return {"load": lambda: list(names()), "delete": recent_runs}.get(option, list)()
