"""`esxcfg-mpath -b`: the LUNs of an ESXi host, each with a line for every path to it.

Source: outputs of ESXi 4.1 to 8.0 ("ID : NAME (ID)", "vmhba2:C0:T0:L1 LUN:1 state:active fc
Adapter: … Target: …").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.multipath.printed_esxi import esxi_prompt, path_states
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest

_LUN = re.compile(r"\s*(?P<id>[a-z][a-z0-9]{1,8}\.\S{3,200}) : (?P<name>\S.{0,200}?)\s*$")
_PATH = re.compile(
    r"\s*(?P<path>vmhba\d{1,3}:C\d{1,4}:T\d{1,5}:L\d{1,5}) LUN:(?P<lun>\d{1,5}) "
    r"state:(?P<state>[a-z]{2,12})(?: (?P<transport>[a-z][a-z0-9]{1,10})\b)?"
)
_BESIDE = re.compile(r"(?:Adapter|Target|WW[NP]N|IQN|Alias|Session|PortalTag|[0-9a-f]{2}:[0-9a-f])")
_MOST = 10_000


class EsxcfgMpath(StateOutput):
    tool = "esxcfg-mpath"
    anchors = (
        " state:active", " state:dead", " state:standby", " state:off",
    )  # fmt: skip
    commands = ("esxcfg-mpath",)
    reach = 3
    nothing = "no LUN is named above its paths"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PATH.match(cursor.line(cursor.at)):
            return None
        return nearest(cursor, 24, _LUN.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        luns: dict[str, dict[str, str]] = {}
        named: dict[str, dict[str, Scalar]] = {}
        subjects: list[PrintedSubject] = []
        last, lun, is_head = first, "", False
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            path = _PATH.match(line)
            if index > first and prompt_in(line):
                break
            if head := _LUN.match(line):
                lun = head["id"]
                luns[lun] = {}
                named[lun] = {"display_name": head["name"].partition(" (")[0]}
            elif path:
                luns[lun][path["path"]] = path["state"]
                values: dict[str, Scalar] = {
                    "state": path["state"], "lun": int(path["lun"]), "device": lun
                }  # fmt: skip
                if path["transport"]:
                    values["transport"] = path["transport"]
                subjects.append(PrintedSubject("path", path["path"], values, prompt.host))
            elif not (_BESIDE.search(line) or (is_head and line.rstrip().endswith(")"))):
                break
            last, is_head = index, bool(head)
        return last, [
            PrintedSubject("multipath", name, named[name] | path_states(states), prompt.host)
            for name, states in luns.items() if states
        ] + subjects  # fmt: skip
