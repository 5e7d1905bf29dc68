"""What the table and the status of a map of dm-multipath say.

Source: Linux drivers/md/dm-mpath.c, multipath_status() (features, handler, groups with selector and
paths); Documentation/admin-guide/device-mapper/dm-queue-length.rst and its siblings (selectors).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.layers._mapper.facts import DEVICE, DmTarget, MapperTarget, TargetFacts, counted
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.layers._names import kind_by_type
from iosonde.records.stack import Scalar

ESXI_DEVICE = kind_by_type("disk")
"""Of what a device is a record, as ESXi and vSAN print it."""
_SELECTORS = (
    "round-robin", "queue-length", "service-time", "historical-service-time", "io-affinity",
)  # fmt: skip
_MOST_GROUPS = 256
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


def own_arguments(arguments: Sequence[str]) -> int | None:
    """How many words a table or a status takes by its own counts; None where these do not fit.

    Of a status each group begins with a state in place of a selector, and each path has its state
    and its failures behind it.
    """
    features = counted(arguments)
    handler = counted(arguments[1 + len(features) :]) if features is not None else None
    if features is None or handler is None:
        return None
    at = 2 + len(features) + len(handler)
    if len(arguments) < at + 2 or not arguments[at].isdecimal():
        return None
    groups, at = int(arguments[at]), at + 2
    for _ in range(min(groups, _MOST_GROUPS)):
        of_selector = counted(arguments[at + 1 :])
        if of_selector is None:
            return None
        beside = 2 if len(arguments[at]) == 1 else 0  # A, D, E: the state of a group
        at += 2 + len(of_selector)
        if len(arguments) < at + 2 or not all(map(str.isdecimal, arguments[at : at + 2])):
            return None
        at += 2 + int(arguments[at]) * (1 + beside + int(arguments[at + 1]))
        if at > len(arguments):
            return None
    return at


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the multipath target, of table or status; what follows its paths is none of it."""
    own = own_arguments(target.arguments)
    if own is None:  # torn, or joined in the wrong way: a path or a feature would be another
        return None
    arguments = target.arguments[:own]
    if paths := paths_of(arguments):
        failed = sum(not path.active for path in paths)
        return TargetFacts("multipath", {"paths": len(paths), "failed_paths": failed})
    devices = [argument for argument in arguments if DEVICE.match(argument)]
    facts = table_facts(arguments)
    if not devices or not facts:
        return None
    return TargetFacts("multipath", {**facts, "paths": len(devices)})


TARGET = DmTarget("multipath", read_target, own=own_arguments)

PATH = CarriedContent(
    what="is a path of a multipath device",
    instead="mount the map of it (`multipath -ll`, /dev/mapper/…)",
)
DATASTORE = CarriedContent(
    what="belongs to a VMFS of ESXi",
    instead="mount it on an ESXi host; Linux reads it with vmfs6-tools only",
)
