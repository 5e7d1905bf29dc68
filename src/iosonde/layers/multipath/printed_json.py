"""`multipathd show maps json` and `show map NAME json`: maps with their groups and paths.

Source: multipath-tools 0.14, libmultipath/print.h (PRINT_JSON_MAP, PRINT_JSON_GROUP,
PRINT_JSON_PATH) and print.c (snprint_nb_paths(): "paths" are those at work, snprint_features(),
snprint_hwhandler(): a count before the words).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects, part

_OF_MAP = {
    "uuid": "wwid", "sysfs": "sysfs", "failback": "failback", "queueing": "queueing",
    "paths": "active_paths", "write_prot": "access", "dm_st": "dm_state", "action": "action",
    "path_faults": "path_faults", "switch_grp": "group_switches", "map_loads": "map_loads",
    "total_q_time": "total_queue_time", "q_timeouts": "queue_timeouts", "rev": "revision",
}  # fmt: skip
_OF_PATH = {
    "dev_t": "dev_t", "dm_st": "dm_state", "dev_st": "device_state", "chk_st": "checker_state",
    "checker": "checker", "pri": "prio", "host_wwnn": "host_wwnn", "target_wwnn": "target_wwnn",
    "host_wwpn": "host_wwpn", "target_wwpn": "target_wwpn", "host_adapter": "host_adapter",
    "lun_hex": "lun", "marginal_st": "marginal_state",
}  # fmt: skip
_OF_GROUP = {
    "dm_st": "group_states", "pri": "group_priorities", "marginal_st": "group_marginal_states",
}  # fmt: skip
_UNDEFINED = frozenset({"", "-", "[undef]", "[unknown]", "##"})


class MultipathJson(JsonOutput):
    tool = "multipath"
    anchors = (
        '"major_version"', '"minor_version"', '"path_groups"', '"failback"', '"chk_st"',
    )  # fmt: skip
    commands = ("multipathd", "multipath")
    reach = 3
    nothing = "it lists no map"
    counts = frozenset({"paths", "failed_paths", "path_groups"})
    head = re.compile(
        r'\{\s*"major_version"\s*:\s*\d{1,3}\s*,\s*"minor_version"\s*:\s*\d{1,3}\s*,'
        r'\s*"maps?"\s*:\s*[\[{]'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject]:
        for row in [*objects(value.get("maps")), part(value, "map")]:
            if not isinstance(row.get("name"), str):
                continue
            groups = objects(row.get("path_groups"))
            paths = [
                path
                for group in groups
                for path in objects(group.get("paths"))
                if isinstance(path.get("dev"), str)
            ]
            values = _named(row, _OF_MAP) | _of_paths(paths) | _of_groups(row, groups)
            yield PrintedSubject("multipath", row["name"], values, prompt.host)
            for path in paths:
                own = {"multipath": row["name"], **_named(path, _OF_PATH)}
                yield PrintedSubject("disk", path["dev"], own, prompt.host)


def _named(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Scalar]:
    """Values of an object by other names; those that say "unknown" are none."""
    texts = {key: row[key] for key in names if isinstance(row.get(key), str | int)}
    return {
        names[key]: value.strip() if isinstance(value, str) else value
        for key, value in texts.items()
        if not isinstance(value, str) or value.strip() not in _UNDEFINED
    }


def _of_paths(paths: list[Mapping[str, Any]]) -> dict[str, Scalar]:
    """How many paths a map has, which, and how they are, as `multipath -ll` is read."""
    failed = [
        path["dev"]
        for path in paths
        if path.get("dm_st") == "failed" or path.get("chk_st") == "faulty"
    ]
    values: dict[str, Scalar] = {
        "paths": len(paths),
        "failed_paths": len(failed),
        "below": " ".join(path["dev"] for path in paths),
        "path_states": ", ".join(
            " ".join(str(path[key]) for key in ("dev", "dm_st", "chk_st", "dev_st") if key in path)
            for path in paths
        ),
    }
    return values | ({"failed": " ".join(failed)} if failed else {})


def _of_groups(row: Mapping[str, Any], groups: list[Mapping[str, Any]]) -> dict[str, Scalar]:
    features, handler = str(row.get("features") or ""), str(row.get("hwhandler") or "")
    values: dict[str, Scalar] = {
        "path_groups": len(groups),
        "features": features.partition(" ")[2],
        "queue_if_no_path": "queue_if_no_path" in features,
        "product": ",".join(str(row.get(key) or "").strip() for key in ("vend", "prod")),
    }
    if named := handler.partition(" ")[2]:
        values["handler"] = named
    if groups:
        values["path_selector"] = str(groups[0].get("selector") or "").partition(" ")[0]
        for key, name in _OF_GROUP.items():
            values[name] = ", ".join(str(group[key]) for group in groups if key in group)
    return {name: value for name, value in values.items() if value not in {"", ","}}
