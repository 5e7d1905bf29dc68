"""Events of Kubernetes about volumes that were not attached, mounted or made.

Of `kubectl describe` (TYPE, REASON, AGE, FROM, MESSAGE) and of `kubectl get events` (LAST SEEN,
TYPE, REASON, OBJECT, MESSAGE).

Source: Kubernetes 1.29, pkg/kubelet/events/event.go (FailedMount, FailedAttachVolume,
FailedMapVolume, VolumeResizeFailed), pkg/controller/volume/events/event.go (ProvisioningFailed,
VolumeFailedDelete, FailedBinding); kubectl pkg/describe/describe.go, DescribeEvents() ("30s (x5
over 10m)").
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_REASONS = (
    "FailedMount", "FailedAttachVolume", "FailedMapVolume", "ProvisioningFailed",
    "VolumeFailedDelete", "VolumeResizeFailed",
)  # fmt: skip
_AGE = r"(?:<invalid>|<unknown>|(?:\d{1,5}[dhmsy]){1,3}|\d{1,4}y\d{1,3}d)"
_EVENT = re.compile(
    rf"\s*(?:(?P<namespace>[a-z][\w.-]{{0,62}}) +)?(?:(?P<seen>{_AGE}) +)?Warning +"
    rf"(?P<reason>{'|'.join(_REASONS)}) +"
    rf"(?:(?P<age>{_AGE})(?: \(x(?P<times>\d{{1,7}}) over (?P<over>{_AGE})\))? +"
    r"(?P<from>\S{2,140})|(?P<object>[a-z]{2,40}/\S{1,120})) +(?P<message>\S.{5,1200})$"
)
_NAMED = re.compile(r"volume \"(?P<name>[^\"]{2,120})\"")
_APART = 6  # other events and broken lines between two of them
_MOST = 400
_LONGEST = 300


class VolumeEvents(StateOutput):
    tool = "kubectl events"
    anchors = tuple(f"{reason} " for reason in _REASONS)
    commands = ("kubectl", "oc", "k3s")
    joined_by: ClassVar[str] = " "
    reach = 3
    beginning = _EVENT

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        events: list[PrintedCounters] = []
        last = first
        for index in range(first, first + _MOST):
            if index > last + _APART:
                break
            if match := _EVENT.match(cursor.line(index)):
                last = index
                name = match["object"] or ""
                named = _NAMED.search(match["message"])
                values: dict[str, Json] = {
                    "reason": match["reason"], "times": int(match["times"] or 1),
                    "age": match["age"] or match["seen"],
                    "message": match["message"].strip()[:_LONGEST],
                    **({"over": match["over"]} if match["over"] else {}),
                    **({"volume": named["name"]} if named else {}),
                }  # fmt: skip
                events.append(self.counted("volume_event", name, values, prompt))
        return last, events
