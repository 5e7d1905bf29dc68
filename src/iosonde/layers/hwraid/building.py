"""The steps that make a virtual drive, and what the script that does them has for all controllers.

A controller numbers its virtual drives itself, so what to delete is looked up by name on the host,
by a script that lies there, with the former policies, in a directory of the layer's own. Whatever
the make, it sees the controller as lines of fields between tabs:

    vd  NUMBER  NAME  LEVEL  STRIP(KiB)  IDENTIFIER  DEVICE  POLICIES  DRIVES
    pd  DRIVE   `free`, or why it is not

Physical drives behind a controller have no device that the guard could look at. Instead, a drive
that belongs to a virtual drive, a foreign configuration or a spare is something else in this one's
place, which ends the call as the guard would, before the controller is told to do anything.

storcli and perccli: a status of 0 says nothing, "Status = Success" does. The policy of writes that
counts is the one that was set, not the one in force while the battery is off duty. A controller
without a virtual drive says so as a failure in some versions.

ssacli, hpssacli and hpacucli: each physical drive is listed below its array or below "unassigned";
mirrors list theirs once more below the logical drive. Since Gen10 the cache of drives is a policy
with a `usage`. `forced` leaves out the question whether one is sure.

Source: StorCLI reference manual, "add vd" (name, drives, strip in KiB, PDperArray), "del"; outputs
of storcli 1.x and 7.x; HPE Smart Storage Administrator user guide, CLI ("create type=ld"); `ssacli
help` (logicaldrivelabel, stripsize in KiB, numberparitygroups); outputs of hpacucli 9, hpssacli 2
and ssacli 3 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.layers.hwraid.declared import HwraidDeclared, name_of, strip_kib
from iosonde.layers.hwraid.discovery import MEGARAID, SMART_ARRAY, called
from iosonde.layers.hwraid.facts import (
    MEGARAID_POLICIES,
    SMART_ARRAY_POLICIES,
    Policies,
    policy_word,
)
from iosonde.layers.site import Site
from iosonde.layers.step import Check, Command, Step, UndoSubject, run, wipe
from iosonde.scripts import program

_FOLDER = "/var/lib/iosonde/hwraid"
_SLOW = 180.0  # seconds; a controller answers late while it initializes or rebuilds
_PATIENCE = 60.0

_WRITE = (
    'umask 077 && cat >"$1/new" && rm -f "$1/undone" && sync "$1/new" && mv "$1/new" "$1/tool" && '
    'sh "$1/tool" look "$2"'
)
_REMOVE = (
    'rm -f "$1/tool" "$1/new" "$1/undone" "$1/former" && rmdir "$1" && { rmdir "$2" || true; }'
)


@dataclass(frozen=True, slots=True)
class Making:
    """How a make of controllers makes a virtual drive.

    Args:
        script: all of the script that its verbs are asked of.
        create: arguments of the tool that make it.
        policies: what is declared of its policies, as the tool takes them: "wrcache=wb" …
    """

    script: str
    create: tuple[str, ...]
    policies: tuple[str, ...]


def making(site: Site) -> Making:
    """How a virtual drive is made."""
    declared = site.declared_as(HwraidDeclared)
    if declared.is_megaraid:
        script = _script(MEGARAID, "megaraid.sh")
        return Making(script, _megaraid(site, declared), _policies(declared, MEGARAID_POLICIES))
    script = _script(SMART_ARRAY, "smart_array.sh")
    return Making(script, _smart_array(site, declared), _policies(declared, SMART_ARRAY_POLICIES))


def _megaraid(site: Site, declared: HwraidDeclared) -> tuple[str, ...]:
    """The arguments of storcli or perccli."""
    spans = f"pdperarray={len(declared.drives) // declared.parts}"
    return (
        f"/c{declared.controller}", "add", "vd", f"type=raid{declared.level}",
        f"name={name_of(site)}", f"drives={','.join(declared.drives)}",
        f"strip={strip_kib(declared)}", *([spans] if declared.parts > 1 else ()),
    )  # fmt: skip


def _smart_array(site: Site, declared: HwraidDeclared) -> tuple[str, ...]:
    """The arguments of ssacli."""
    level = {10: "1+0"}.get(declared.level, str(declared.level))
    spans = f"numberparitygroups={declared.parts}"
    return (
        "ctrl", f"slot={declared.controller}", "create", "type=ld",
        f"drives={','.join(declared.drives)}", f"raid={level}",
        f"stripsize={strip_kib(declared)}", f"logicaldrivelabel={name_of(site)}",
        *([spans] if declared.level in {50, 60} else ()), "forced",
    )  # fmt: skip


def _policies(declared: HwraidDeclared, policies: Policies) -> tuple[str, ...]:
    values = {name: getattr(declared, name) for name in policies}
    switches = {True: "on", False: "off"}
    return tuple(
        policy_word(policies, name, switches[value] if isinstance(value, bool) else str(value))
        for name, value in values.items()
        if value is not None
    )


def _script(names: Sequence[str], make: str) -> str:
    """All that the verbs are asked of, for a make of controllers.

    Args:
        names: of its tools; the first that there is becomes `$t`.
        make: the file with its functions.
    """
    tool = (
        f"t=\nfor one in {' '.join(called(names))}; do\n"
        '  command -v "$one" >/dev/null 2>&1 && t=$one && break\ndone\n'
    )
    return f"{tool}\n{program('iosonde.layers.hwraid', make, 'building.sh')}\n"


def _folder(site: Site) -> str:
    return f"{_FOLDER}/{site.label}"


def asking(site: Site, verb: str, *arguments: str) -> tuple[str, ...]:
    """The argument list that asks the layer's script on the host for a verb."""
    controller = str(site.declared_as(HwraidDeclared).controller)
    return ("sh", f"{_folder(site)}/tool", verb, controller, name_of(site), *arguments)


def steps(site: Site) -> tuple[Step, ...]:
    """The steps of a virtual drive; the last one, of its policies, only where some are declared."""
    made_by = making(site)
    declared, folder = site.declared_as(HwraidDeclared), _folder(site)
    controller = str(declared.controller)
    number = len(declared.drives)
    script = f"wanted='{' '.join(made_by.policies)}'\n{made_by.script}"
    shows = (
        f"RAID{declared.level},", f"strip {strip_kib(declared)} KiB,", f"{number} drives:",
        *(f"<{drive}>" for drive in declared.drives),
    )  # fmt: skip
    made = (
        Step(
            f"make the directory {folder}",
            (run("mkdir", "-p", "-m", "0700", folder),),
            Check(("test", "-d", folder)),
            (run("sh", "-c", _REMOVE, "sh", folder, _FOLDER),),
        ),
        Step(
            f"put the script for controller {controller} there, and see that it answers",
            (Command(("sh", "-c", _WRITE, "sh", folder, controller), script, _SLOW),),
        ),
        Step(
            f"make the virtual drive {name_of(site)}: RAID {declared.level} of {number} drives",
            (run("sh", f"{folder}/tool", "create", *made_by.create, timeout=_SLOW),),
            Check(asking(site, "check", *declared.drives), shows, _SLOW),
            (wipe(*asking(site, "delete"), timeout=_SLOW),),
            touches=(
                UndoSubject("output", name_of(site), asking(site, "identity")),
                UndoSubject(
                    "device",
                    f"<the virtual drive {name_of(site)}>",
                    asking(site, "place"),
                    given="lost",
                ),
            ),
            again=(run(*asking(site, "gone")),),
            patience=_PATIENCE,
        ),
    )
    if not made_by.policies:
        return made
    return (
        *made,
        Step(
            f"set its policies: {', '.join(made_by.policies)}",
            (run(*asking(site, "keep", *made_by.policies), timeout=_SLOW),),
            Check(asking(site, "policies"), timeout=_SLOW),  # the script knows which, today's
            (run(*asking(site, "restore"), timeout=_SLOW),),
            again=(run(*asking(site, "again", *made_by.policies), timeout=_SLOW),),
            patience=_PATIENCE,
        ),
    )
