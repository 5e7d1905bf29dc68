"""What storcli64 says and does, as far as iosonde asks it; see SOURCE."""

from __future__ import annotations

import re
import sys

from tests.fakes.controller import State, attach, data_drives, detach, parsed, state_of

_HEAD = "CLI Version = 007.1211.0000.0000 Nov 07, 2019\nOperating system = Linux 6.1.0\n"
_WRITES = {"wt": "WT", "wb": "WB", "awb": "AWB"}
_INITIAL = {"wt": "WriteThrough", "wb": "WriteBack", "awb": "WriteBack"}
_PDCACHE = {"default": "Disk's Default", "on": "Enabled", "off": "Disabled"}
_SETTABLE = {
    "wrcache": {"wt", "wb", "awb"}, "rdcache": {"ra", "nora"}, "iopolicy": {"direct", "cached"},
    "pdcache": {"on", "off", "default"},
}  # fmt: skip
_ADD = {"type", "name", "drives", "strip", "pdperarray", "size", "pdcache", "wt", "wb", "awb", "ra",
        "nora", "direct", "cached", "force"}  # fmt: skip


def answer(state: State, description: str, *, good: bool = True, body: str = "") -> int:
    """Print how a command ended; the status to end with."""
    status = "Success" if good else "Failure"
    sys.stdout.write(
        f"{_HEAD}Controller = {state['controller']}\nStatus = {status}\n"
        f"Description = {description}\n\n{body}\n"
    )
    return 0 if good or state["old"] else 46


def table(header: str, rows: list[str]) -> str:
    """A table as storcli draws one."""
    line = "-" * max(len(header), *map(len, rows), 1)
    return "\n".join([line, header, line, *rows, line]) + "\n"


def title(text: str) -> str:
    """A section's heading."""
    return f"\n{text} :\n{'=' * len(text)}\n"


def size_text(size: int) -> str:
    """Bytes as storcli prints them."""
    return f"{size / (1 << 20):.3f} MB"


def cache_of(state: State, volume: State) -> str:
    """The column Cache: what is in force, which a bad battery changes."""
    writes = volume["wrcache"]
    if writes == "wb" and state["battery"] != "Optimal":
        writes = "wt"
    ahead = "R" if volume["rdcache"] == "ra" else "NR"
    return ahead + _WRITES[writes] + ("C" if volume["iopolicy"] == "cached" else "D")


def volume_row(state: State, number: str) -> str:
    """A row of a table of virtual drives."""
    record = state["volumes"][number]
    return (
        f"{record['group']}/{number}   RAID{record['level']} {record['state']}  RW     Yes     "
        f"{cache_of(state, record):<5} -   ON  {size_text(record['size'])} {record['name']} "
    )


def drive_row(state: State, name: str) -> str:
    """A row of a table of physical drives."""
    used = next((volume for volume in state["volumes"].values() if name in volume["drives"]), None)
    mark, group = ("Onln", str(used["group"])) if used else (state["drives"][name] or "UGood", "-")
    if mark == "foreign":
        mark, group = "UGood", "F"
    number = 10 + list(state["drives"]).index(name)
    return (
        f"{name:<8} {number} {mark} {group:>2} {size_text(state['size'])} SAS  HDD N   N  512B "
        "ST2000NX0433     U  -    "
    )


_VOLUMES = "DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name "
_DRIVES = "EID:Slt DID State DG     Size Intf Med SED PI SeSz Model            Sp Type "


def show_volumes(state: State, only: str = "all") -> int:
    """`/c0/vall show all`, `/c0/v1 show all`."""
    if only != "all" and only not in state["volumes"]:
        return answer(state, f"VD {only} does not exist", good=False)
    if not state["volumes"]:
        return answer(state, "No VDs have been configured", good=not state["old"])
    body = ""
    for number, record in state["volumes"].items():
        if only not in {"all", number}:
            continue
        body += title(f"/c{state['controller']}/v{number}")
        body += "\n" + table(_VOLUMES, [volume_row(state, number)]) + "\n"
        body += title(f"PDs for VD {number}") + "\n"
        body += table(_DRIVES, [drive_row(state, name) for name in record["drives"]])
        strip = record["strip"]
        body += title(f"VD{number} Properties")
        body += (
            f"Strip Size = {f'{strip} KB' if strip < 1024 else '1.0 MB'}\n"
            f"Number of Blocks = {record['size'] // 512}\nSpan Depth = {record['spans']}\n"
            f"Number of Drives Per Span = {len(record['drives']) // record['spans']}\n"
            f"Write Cache(initial setting) = {_INITIAL[record['wrcache']]}\n"
            f"Disk Cache Policy = {_PDCACHE[record['pdcache']]}\nEncryption = None\n"
            f"Active Operations = None\nExposed to OS = Yes\nOS Drive Name = {record['device']}\n"
            f"SCSI NAA Id = {record['naa']}\n\n"
        )
    return answer(state, "None", body=body)


def show_drives(state: State) -> int:
    """`/c0/eall/sall show`."""
    rows = [drive_row(state, name) for name in state["drives"]]
    heading = title("Drive Information")
    return answer(state, "Show Drive Information Succeeded.",
                  body=f"{heading}\n{table(_DRIVES, rows)}")  # fmt: skip


def show_controller(state: State) -> int:
    """`/c0 show all`, what matters of it."""
    body = title("Basics") + f"Controller = {state['controller']}\n"
    body += "Model = AVAGO MegaRAID SAS 9361-8i\n"
    body += title("Version") + "Firmware Version = 4.680.00-8519\n"
    body += title("HwCfg") + "BBU = Yes\nOn Board Memory Size = 1024MB\n"
    if state["volumes"]:
        rows = [volume_row(state, number) for number in state["volumes"]]
        body += f"Virtual Drives = {len(rows)}\n{title('VD LIST')}\n{table(_VOLUMES, rows)}"
    rows = [drive_row(state, name) for name in state["drives"]]
    body += f"\nPhysical Drives = {len(rows)}\n{title('PD LIST')}\n{table(_DRIVES, rows)}"
    row = f"BBU   {state['battery']} 0 hour(s)     39C  -    0/00/00"
    body += title("BBU_Info") + "\n" + table("Model State  RetentionTime Temp Mode MfgDate", [row])
    return answer(state, "None", body=body)


def add(state: State, arguments: list[str]) -> int:
    """`/c0 add vd …`."""
    options = parsed(arguments, _ADD)
    level = int(re.fullmatch(r"(?:raid|r)(\d+)", options["type"].lower())[1])  # type: ignore[index]
    drives, name = options["drives"].split(","), options.get("name", "")
    if len(name) > 15:
        return answer(state, "the name is longer than 15 characters", good=False)
    taken = {drive for volume in state["volumes"].values() for drive in volume["drives"]}
    if any(drive not in state["drives"] for drive in drives):
        return answer(state, "device is missing", good=False)
    if any(drive in taken or state["drives"][drive] for drive in drives):
        said = "physical disk does not have appropriate attributes"
        return answer(state, said, good=False)
    each = int(options.get("pdperarray") or len(drives))
    if level in {10, 50, 60} and "pdperarray" not in options:
        return answer(state, "PDperArray is needed", good=False)
    spans = len(drives) // each
    size = data_drives(level, len(drives), spans) * state["size"]
    number = str(state["next"])
    state["next"] += 1
    state["volumes"][number] = {
        "name": name, "level": level, "drives": drives, "spans": spans, "size": size,
        "strip": int(options.get("strip") or 256), "state": "Optl", "group": int(number),
        "wrcache": next((w for w in ("awb", "wt", "wb") if w in options), "wb"),
        "rdcache": "nora" if "nora" in options else "ra",
        "iopolicy": "cached" if "cached" in options else "direct",
        "pdcache": options.get("pdcache") or "default",
        "naa": f"600605b0000000012a3b4c5d6e7f{int(number):04x}",
        "device": attach(state, number, size),
    }  # fmt: skip
    return answer(state, "Add VD Succeeded")


def change(state: State, number: str, arguments: list[str]) -> int:
    """`/c0/v1 set name=value`, one at a time."""
    name, _, value = arguments[0].lower().partition("=")
    if len(arguments) != 1 or value not in _SETTABLE.get(name, set()):
        raise ValueError(arguments[0])
    state["volumes"][number][name] = value
    return answer(state, "None")


def remove(state: State, number: str, arguments: list[str]) -> int:
    """`/c0/v1 del [force]`."""
    parsed(arguments, {"force", "discardcache"})
    detach(state, number)
    return answer(state, "Delete VD succeeded")


def obey(state: State, arguments: list[str]) -> int:
    """One command line."""
    place, *rest = arguments
    number = str(state["controller"])
    asked = re.fullmatch(r"/c(\d+|all)(?:/v(\d+|all)|(/eall/sall))?", place)
    if asked is None:
        raise ValueError(place)
    if asked[1] not in {number, "all"}:
        state["controller"] = int(asked[1])
        done = answer(state, "Controller not found", good=False)
        state["controller"] = int(number)
        return done
    if rest == ["show", "all"] and not asked[3]:
        return show_volumes(state, asked[2]) if asked[2] else show_controller(state)
    if rest == ["show"] and asked[3]:
        return show_drives(state)
    if rest[:2] == ["add", "vd"] and asked[2] is None and not asked[3]:
        return add(state, rest[2:])
    volume = asked[2] or ""
    if rest[:1] in (["set"], ["del"]) and volume.isdecimal():
        if volume not in state["volumes"]:
            return answer(state, f"VD {volume} does not exist", good=False)
        return (change if rest[0] == "set" else remove)(state, volume, rest[1:])
    raise ValueError(" ".join(rest) or place)


def main() -> int:
    """The program."""
    with state_of("") as state:
        try:
            return obey(state, sys.argv[1:])
        except (ValueError, KeyError, TypeError, IndexError) as problem:
            sys.stdout.write(f"syntax error, unexpected $undefined ({problem})\n")
            return 255
