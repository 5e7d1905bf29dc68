"""ESXi's policies of paths: `esxcli storage nmp psp list`, and what round robin of a device is.

Source: VMware, vSphere Storage, "Managing Storage Paths"; outputs of ESXi 6.0 to 8.0 of `storage
nmp psp list` (a name and a description) and `storage nmp psp roundrobin deviceconfig get` (labels;
limits in bytes and commands before the next path's turn).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.multipath.printed_esxi import esxi_prompt
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_pairs, close_rows, top_of

_PAIR = re.compile(
    r"\s*(?P<label>Byte Limit|Device|I/?O ?Operation Limit|Latency Evaluation Interval|Limit Type"
    r"|Number [Oo]f Sampling I/?Os Per Path|Use Active Unoptimized Paths): "
    r"(?P<value>\S.{0,120}?)\s*$"
)
_COUNT = re.compile(r"(?P<count>\d{1,18})(?: milliseconds)?$")
_FACTS = {
    "Byte Limit": "round_robin_bytes", "IOOperation Limit": "round_robin_iops",
    "Limit Type": "round_robin_limit", "Number Of Sampling IOs Per Path": "sampled_ios",
    "Use Active Unoptimized Paths": "use_unoptimized_paths",
    "Latency Evaluation Interval": "latency_evaluation_interval",
}  # fmt: skip
_POLICY = re.compile(
    r"\s*(?P<name>[A-Z]{2,8}_PSP_[A-Z0-9_]{2,20}) {1,12}(?P<what>[A-Z]\S.{3,80}?)\s*$"
)


class EsxcliRoundRobin(StateOutput):
    tool = "esxcli round robin"
    anchors = ("IOOperation Limit:", "I/O Operation Limit:", "IO Operation Limit:")
    commands = ("esxcli", "localcli")
    reach = 4
    nothing = "it names no device"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of(cursor, _PAIR.match) if _PAIR.match(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pairs, last = close_pairs(cursor, first, _pair, 40)
        prompt = esxi_prompt(cursor, first, prompt)
        if not pairs.get("Device"):
            return last, []
        values: dict[str, Scalar] = {}
        for label, fact in _FACTS.items():
            text = pairs.get(label, "")
            if count := _COUNT.match(text):
                number = int(count["count"])
                values[fact] = number / 1e3 if "milliseconds" in text else number
            elif text:
                values[fact] = text == "true" if text in {"true", "false"} else text.lower()
        return last, [PrintedSubject("multipath", pairs["Device"], values, prompt.host)]


def _pair(line: str) -> tuple[str, str] | None:
    """A label as newer versions have it, and its value."""
    if (pair := _PAIR.match(line)) is None:
        return None
    label = re.sub(r"I/?O ?Operation", "IOOperation", pair["label"].replace("I/O", "IO"))
    return label.replace(" of ", " Of "), pair["value"]


class EsxcliPolicies(StateOutput):
    tool = "esxcli policies"
    anchors = ("VMW_PSP_", "VMW\\_PSP\\_")
    commands = ("esxcli", "localcli")
    reach = 5
    beginning = _POLICY

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _POLICY.match, 40)
        prompt = esxi_prompt(cursor, first, prompt)
        values: dict[str, Scalar] = {"path_policies": " ".join(row["name"] for row in rows)}
        return last, [PrintedSubject("host", "", values, prompt.host)]
