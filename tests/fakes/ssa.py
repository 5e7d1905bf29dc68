"""What ssacli says and does, as far as iosonde asks it; see SOURCE."""

from __future__ import annotations

import re
import sys

from tests.fakes.controller import State, attach, data_drives, detach, parsed, state_of

_LEVELS = {"0": 0, "1": 1, "1+0": 10, "5": 5, "6": 6, "50": 50, "60": 60}
_CREATE = {"type", "drives", "raid", "stripsize", "logicaldrivelabel", "size", "forced",
           "arrayaccelerator", "numberparitygroups"}  # fmt: skip
_SWITCH = {"enable": "Enabled", "disable": "Disabled"}


class Wrong(Exception):
    """What the tool says after "Error: "."""


def show(state: State) -> str:
    """`ctrl slot=0 show`: the lines of the controller alone."""
    read = state.get("ratio", 10)
    cache = state.get("drivewritecache", "disable")
    policy = (
        f"   Configured Drive Write Cache Policy: {_SWITCH.get(cache, 'Default')}\n"
        "   Unconfigured Drive Write Cache Policy: Default"
        if state.get("gen10")
        else f"   Drive Write Cache: {_SWITCH[cache]}"
    )
    battery = {"Optimal": "OK"}.get(state["battery"], "Failed (Replace Batteries)")
    return f"""
Smart Array P440ar in Slot {state["controller"]} (Embedded)
   Bus Interface: PCI
   Slot: {state["controller"]}
   Controller Status: OK
   Firmware Version: 3.56
   Cache Board Present: True
   Cache Status: OK
   Cache Ratio: {read}% Read / {100 - read}% Write
{policy}
   Total Cache Size: 2.0 GB
   No-Battery Write Cache: Disabled
   Battery/Capacitor Count: 1
   Battery/Capacitor Status: {battery}
   Controller Mode: RAID
"""


def logical(number: str, values: State) -> str:
    """The paragraph of a logical drive."""
    level = {10: "1+0"}.get(values["level"], str(values["level"]))
    full = values["strip"] * data_drives(values["level"], len(values["drives"]), values["spans"])
    return f"""
      Logical Drive: {number}
         Size: {values["size"] / (1 << 20):.1f} MB
         Fault Tolerance: {level}
         Heads: 255
         Strip Size: {values["strip"]} KB
         Full Stripe Size: {full} KB
         Status: OK
         Caching:  {_SWITCH[values["arrayaccelerator"]]}
         Unique Identifier: {values["naa"].upper()}
         Disk Name: {values["device"]}          Mount Points: None
         Logical Drive Label: {values["name"]}
         Drive Type: Data
         LD Acceleration Method: Controller Cache
"""


def physical(name: str, role: str) -> str:
    """The paragraph of a physical drive."""
    port, box, bay = name.split(":")
    return f"""
      physicaldrive {name}
         Port: {port}
         Box: {box}
         Bay: {bay}
         Status: OK
         Drive Type: {role}
         Interface Type: SAS
         Size: 300 GB
         Native Block Size: 512
         Rotational Speed: 10000
"""


def config(state: State) -> str:
    """`ctrl slot=0 show config detail`."""
    text = show(state)
    taken = set()
    for number, record in state["volumes"].items():
        taken |= set(record["drives"])
        text += (
            f"\n   Array: {record['group']}\n      Interface Type: SAS\n      Array Type: Data\n"
        )
        text += logical(number, record)
        if record["level"] in {1, 10}:
            text += "         Mirror Group 1:\n" + "".join(
                f"            physicaldrive {name} (port 1I:box 1:bay 1, SAS, 300 GB, OK)\n"
                for name in record["drives"]
            )
        text += "".join(physical(name, "Data Drive") for name in record["drives"])
    free = [name for name in state["drives"] if name not in taken]
    if free:
        text += "\n   unassigned\n" + "".join(physical(name, "Unassigned Drive") for name in free)
    return text


def create(state: State, arguments: list[str]) -> None:
    """`ctrl slot=0 create type=ld …`."""
    options = parsed(arguments, _CREATE)
    drives, level = options["drives"].split(","), _LEVELS[options["raid"]]
    taken = {drive for volume in state["volumes"].values() for drive in volume["drives"]}
    if any(drive in taken or state["drives"].get(drive, "no") for drive in drives):
        raise Wrong(f'"drives={options["drives"]}" names a drive that is not available.')
    if level == 1 and len(drives) != 2:
        raise Wrong(f'"raid=1" is not available for {len(drives)} drives.')
    spans = int(options.get("numberparitygroups") or 1) if level in {50, 60} else 1
    size = data_drives(level, len(drives), spans) * state["size"]
    state["next"] += 1
    number = str(state["next"])
    state["volumes"][number] = {
        "name": options.get("logicaldrivelabel", f"0163CB30PDNLH{number}"), "level": level,
        "drives": drives, "spans": spans, "size": size, "group": chr(64 + state["next"]),
        "strip": int(options.get("stripsize") or 256),
        "arrayaccelerator": options.get("arrayaccelerator", "enable"),
        "naa": f"600508b1001c7a6e0d2b1c3d4e5f{int(number):04x}",
        "device": attach(state, number, size),
    }  # fmt: skip


def modify(state: State, arguments: list[str]) -> None:
    """`ctrl slot=0 modify …`."""
    options = parsed(arguments, {"cacheratio", "drivewritecache", "usage", "forced"})
    if "cacheratio" in options:
        read, write = map(int, options["cacheratio"].split("/"))
        if read + write != 100:
            raise Wrong("the shares do not make 100.")
        state["ratio"] = read
    if "drivewritecache" in options:
        if state.get("gen10") and "usage" not in options:
            raise Wrong('Parameter "usage" must be specified.')
        if "forced" not in options:
            raise Wrong("without the proper safety precautions (Continue? y/n)")
        names = {"enable", "disable"}
        _check(options["drivewritecache"], names | {"default"} if state.get("gen10") else names)
        state["drivewritecache"] = options["drivewritecache"]


def _check(word: str, names: set[str]) -> None:
    if word not in names:
        raise Wrong(f'"{word}" is not a valid value.')


def change(state: State, number: str, arguments: list[str]) -> None:
    """`ctrl slot=0 ld 1 delete forced` and `ld 1 modify …`."""
    if number not in state["volumes"]:
        raise Wrong(f'The logical drive identified by "ld={number}" was not detected.')
    if arguments[0] == "delete":
        if arguments[1:] != ["forced"]:
            raise Wrong("this cannot be undone (Continue? y/n)")
        detach(state, number)
        return
    options = parsed(arguments[1:], {"arrayaccelerator", "forced"})
    _check(options["arrayaccelerator"], {"enable", "disable"})
    state["volumes"][number]["arrayaccelerator"] = options["arrayaccelerator"]


def obey(state: State, arguments: list[str]) -> str:
    """One command line; what is printed."""
    line = " ".join(arguments)
    slot = re.match(r"ctrl (?:slot=(\d+)|all) ", line)
    if slot is None or (arguments[1] == "all" and "show" not in arguments):
        raise Wrong(f'"{line}" is not a valid command.')
    if slot[1] not in {None, str(state["controller"])}:
        raise Wrong(f'The controller identified by "slot={slot[1]}" was not detected.')
    rest = arguments[2:]
    if rest in (["show"], ["show", "config", "detail"]):
        return show(state) if len(rest) == 1 else config(state)
    if rest[:2] == ["create", "type=ld"]:
        create(state, rest[1:])
    elif rest[:1] == ["modify"]:
        modify(state, rest[1:])
    elif rest[:1] == ["ld"] and rest[2:3] in (["delete"], ["modify"]):
        change(state, rest[1], rest[2:])
    else:
        raise Wrong(f'"{line}" is not a valid command.')
    return ""


def main() -> int:
    """The program."""
    with state_of("") as state:
        try:
            sys.stdout.write(obey(state, sys.argv[1:]))
        except (Wrong, ValueError, KeyError, IndexError) as problem:
            sys.stdout.write(f"\nError: {problem}\n")
            return 1
    return 0
