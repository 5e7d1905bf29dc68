"""Options that a verb does not have: what was meant, also where it is one of fio's."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ALIKE = 0.75
"""Below, what difflib takes for alike is another word: --runtime and --resume."""
_ALIKE_ACTION = 0.6
_WITH_LOADS = {"run"}
_OF_FIO: Mapping[str, str] = {
    "runtime": "--seconds TIME is the length of a loop",
    "filename": "--target WHERE names the file or device",
    "directory": "--target WHERE takes a directory",
}


def no_such_action(verb: str, action: str, actions: Mapping[str, str]) -> UsageError:
    """What to say of an action that a verb does not have.

    Args:
        verb: that was asked for.
        action: as it was given.
        actions: all that the verb has.
    """
    near = get_close_matches(action, actions, n=1, cutoff=_ALIKE_ACTION)
    hint, sentence = f"iosonde {verb} --help", f"there is no action {action!r}"
    return UsageError(
        sentence if near else f"{sentence}; known: {', '.join(actions)}",
        hint=f"did you mean {near[0]!r}? {hint}" if near else hint,
    )


def no_such_option(verb: str, option: str, options: Sequence[str]) -> UsageError:
    """What to say of an option that a verb does not have.

    Args:
        verb: that was asked for.
        option: as it was given, with its dashes.
        options: all that the verb has.
    """
    sentence, name = f"there is no option {option}", option.lstrip("-").replace("-", "_")
    if verb in _WITH_LOADS:
        from iosonde.loads.fio.options import OPTION_NAMES

        if name in OPTION_NAMES:
            meant = _OF_FIO.get(name, "it belongs to the load")
            return UsageError(
                f"{sentence}: it is one of fio's",
                hint=f"{meant}; as a part of a load: --fio 'fio … --{name} …'",
            )
    near = get_close_matches(option, options, n=2, cutoff=_ALIKE)
    hint = f"iosonde {verb} --help"
    return UsageError(sentence, hint=f"did you mean {' or '.join(near)}? {hint}" if near else hint)
