"""A load's requests, and the device or mount that they go to, for rules of what carries them."""

from __future__ import annotations

from iosonde.records.evidence import StateEvidence, TrialEvidence


def value_by_letters(state: StateEvidence, *names: str) -> int | bool | str | None:
    """A value by its letters alone: MaxBurstLength or max_burst_length."""
    for name, value in state.values.items():
        if name.replace("_", "").replace("-", "").lower() in names and value is not None:
            if isinstance(value, str):
                flags = {"yes": True, "no": False}
                return flags.get(value.lower(), whole_number(value))
            return None if isinstance(value, float) else value
    return None


def whole_number(value: object) -> int | None:
    """A value, or the digits of one, as a number; None where it is none."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def request_size(trial: TrialEvidence) -> int:
    """Bytes of a load's requests; 0 where unknown."""
    return whole_number(trial.options.get("bs")) or 0


def has_direction(trial: TrialEvidence, verb: str) -> bool:
    """Whether a load has figures of a direction, "read" or "write"."""
    return any(name.startswith(f"{verb}.") or verb in name for name in trial.metrics)


def goes_to(trial: TrialEvidence, state: StateEvidence) -> bool:
    """Whether a load goes to a mount or device: by the stack below it, else by its target."""
    if trial.source != state.source or (state.host and trial.host not in {"", state.host}):
        return False
    names = {state.name, state.values.get("device"), f"/dev/{state.name}"}
    if any(kind == state.kind and device in names for kind, device in trial.stands_on):
        return True
    return bool(state.name) and (
        trial.target in names
        or (state.name.startswith("/") and f"{trial.target}/".startswith(f"{state.name}/"))
    )
