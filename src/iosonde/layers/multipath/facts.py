"""What the table and the status of a map of dm-multipath say.

Source: Linux drivers/md/dm-mpath.c, multipath_status() (features, handler, groups with selector and
paths); Documentation/admin-guide/device-mapper/dm-queue-length.rst and its siblings (selectors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.layers._mapper.facts import DEVICE, DmTarget, MapperTarget, TargetFacts, counted
from iosonde.records.stack import Scalar

_SELECTORS = (
    "round-robin", "queue-length", "service-time", "historical-service-time", "io-affinity",
)  # fmt: skip
_HANDLERS = ("alua", "emc", "rdac", "hp_sw")


@dataclass(frozen=True, slots=True)
class Path:
    """One path in the status of a map: "MAJOR:MINOR", whether the map uses it, its failures."""

    number: str
    active: bool
    failures: int


def table_facts(arguments: Sequence[str]) -> dict[str, Scalar]:
    """Features, hardware handler, priority groups and selector from the table's arguments.

    The selector is how requests are spread over the paths of a group.
    """
    facts: dict[str, Scalar] = {}
    if (features := counted(arguments)) is not None:
        if features:
            facts["features"] = " ".join(features)
        facts["queue_if_no_path"] = "queue_if_no_path" in features
        rest = arguments[1 + len(features) :]
        if (handler := counted(rest)) is not None:
            if handler and handler[0] in _HANDLERS:
                facts["handler"] = handler[0]
            groups = rest[1 + len(handler) :][:1]
            if groups and groups[0].isdecimal():
                facts["path_groups"] = int(groups[0])
    if selector := next((argument for argument in arguments if argument in _SELECTORS), None):
        facts["path_selector"] = selector
    return facts


def paths_of(arguments: Sequence[str]) -> tuple[Path, ...]:
    """The paths in a map's status: NUMBER A|F FAILURES, after their group's figures."""
    return tuple(
        Path(number, state == "A", int(failures))
        for number, state, failures in zip(arguments, arguments[1:], arguments[2:], strict=False)
        if ":" in number and state in {"A", "F"} and failures.isdecimal()
    )


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the multipath target, of table or status."""
    if paths := paths_of(target.arguments):
        failed = sum(not path.active for path in paths)
        return TargetFacts("multipath", {"paths": len(paths), "failed_paths": failed})
    devices = [argument for argument in target.arguments if DEVICE.match(argument)]
    facts = table_facts(target.arguments)
    if not devices or not facts:
        return None
    return TargetFacts("multipath", {**facts, "paths": len(devices)})


TARGET = DmTarget("multipath", read_target)
