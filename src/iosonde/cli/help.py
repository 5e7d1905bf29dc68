"""Help texts of verbs: what it does, examples to copy, arguments, options in groups."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from iosonde.cli.output import set_volume

_GROUPS = {
    "Safety": ("destroy", "in_container", "dry_run", "yes", "confirm", "force"),
    "Output": (
        "report", "output", "fmt", "everything", "verbose", "quiet", "trace", "as_json", "help",
    ),
    "Store": ("store", "resume", "tag"),
}  # fmt: skip
"""Heading → names of parameters; all others are options of the verb itself."""
_VALUES = {
    "size": "SIZE", "memory": "SIZE", "bandwidth": "RATE", "seconds": "TIME", "max_seconds": "TIME",
    "until": "PERCENT", "margin": "PERCENT", "fio": "COMMAND", "destroy": "DEVICE", "fmt": "FORMAT",
    "target": "WHERE", "remove": "TAG", "delete": "RUN",
}  # fmt: skip
"""What stands for the value of an option: elsewhere its own name, N for numbers, FILE for paths."""


_ONLY_RESULTS = frozenset(
    {
        "config",
        "completion",
        "schema",
        "loads",
        "list",
        "export",
        "settings",
        "show",
        "log",
        "lab list",
        "lab ssh",
        "trace formats",
    }
)
"""Verbs that show nothing beside their results, which --quiet could leave out."""
_COMMANDS = "Also the loads' commands."
_EVIDENCE = "Also the loads' commands, and the evidence of flags."
_VERBOSE = {
    "run": _EVIDENCE, "demo": _EVIDENCE, "replay": _EVIDENCE, "trace replay": _EVIDENCE,
    "tune": _COMMANDS, "calibrate": _COMMANDS,
}  # fmt: skip
"""What --verbose adds to what a verb shows, where that is anything."""


_ON_HOSTS = frozenset(
    {"show", "explain", "run", "replay", "calibrate", "tune", "settings", "set",
     "rollback", "persist", "up", "down", "trace record", "trace replay"}
)  # fmt: skip
"""Verbs that reach hosts over ssh, on which --become makes root by sudo."""


class VerbCommand(TyperCommand):
    """A verb of the command line, whose help names no types of Python."""

    examples: tuple[tuple[str, str], ...] = ()
    actions: Mapping[str, str] = MappingProxyType({})
    """Of a verb whose first argument says what to do: each action and what it does."""
    """Command line (without `iosonde`) and what it does."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Arguments as they are written on the command line."""
        pieces = ["[OPTION…]"]
        for param in _arguments(self):
            name = _argument(param, ctx)
            pieces.append(name if param.required or name.startswith("[") else f"[{name}]")
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Examples, arguments, then options, grouped."""
        if self.examples:
            with formatter.section("Examples"):
                indent = " " * formatter.current_indent
                for command, what in self.examples:
                    formatter.write(f"{indent}# {what}\n{indent}iosonde {command}\n")
        for heading, rows in self.sections(ctx).items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=26)

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Heading → what may be written and what it means: arguments, then options by group."""
        arguments = [(_argument(param, ctx), param.help or "") for param in _arguments(self)]
        sections: dict[str, list[tuple[str, str]]] = {
            "Actions": list(self.actions.items()), "Arguments": arguments, "Options": [],
        }  # fmt: skip
        sections |= {heading: [] for heading in _GROUPS}
        for option in self.get_params(ctx):
            if option.param_type_name == "option":
                sections[_group(option.name)].append(_option(option, ctx))
        return sections


def _heard(param: typer.CallbackParam, value: bool) -> None:
    if value:
        set_volume(**{str(param.name): True})


def _become(value: bool) -> None:
    """Also where it is not given: another call in this process may have given it."""
    from iosonde.hosts.become import set_become

    set_become(value)


def _shared(
    *,
    become: Annotated[
        bool,
        typer.Option(
            "--become", expose_value=False, callback=_become,
            help="Be root by sudo on hosts over ssh (on one of them: sudo:HOST).",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", expose_value=False, callback=_heard,
            help=_EVIDENCE,
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", expose_value=False, callback=_heard,
            help="Only the result and errors: no progress, no notes.",
        ),
    ] = False,
) -> None:  # fmt: skip
    """Three options that verbs have without knowing it."""


def add_shared(command: VerbCommand, verb: str) -> None:
    """Give a verb `--become`, `-q` and `-v`, where they mean something."""
    app = typer.Typer(add_completion=False)
    app.command()(_shared)
    for option in typer.main.get_command(app).params:
        if option.name == "become" and verb in _ON_HOSTS:
            command.params.append(option)
        if option.name == "verbose" and verb in _VERBOSE:
            setattr(option, "help", _VERBOSE[verb])  # noqa: B010
            command.params.append(option)
        if option.name == "quiet" and verb not in _ONLY_RESULTS:
            command.params.append(option)


def _arguments(command: TyperCommand) -> list[Any]:
    return [param for param in command.params if param.param_type_name == "argument"]


def _group(name: str | None) -> str:
    return next((heading for heading, names in _GROUPS.items() if name in names), "Options")


def _argument(param: Any, ctx: Any) -> str:
    """`STUDY`, `FILE…`, or what the verb itself says."""
    if param.metavar:
        return str(param.metavar)
    return _value(param, ctx) + ("…" if param.nargs != 1 else "")


def _option(param: Any, ctx: Any) -> tuple[str, str]:
    """`--loops N` and what it does."""
    # click makes a set of the names of --help
    left = ", ".join(sorted(param.opts, key=len) if param.name == "help" else param.opts)
    if not param.is_flag and not param.count:
        left += f" {param.metavar or _value(param, ctx)}"
    default = param.default
    shown = isinstance(default, str | int | float) and not isinstance(default, bool)
    more = f"  [default: {default}]" if shown and default != "" and param.show_default else ""
    return left, f"{param.help or ''}{more}"


def _value(param: Any, ctx: Any) -> str:
    kind = str(param.display_type(ctx) or "").strip("<>")
    if kind.startswith(("int", "float")):
        return "N"
    if kind in {"path", "file"}:
        return "FILE"
    return _VALUES.get(param.name, str(param.name).upper().replace("_", "-"))
