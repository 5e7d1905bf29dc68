"""The steps that make a virtual drive, and what the script that does them has for all controllers.

A controller numbers its virtual drives itself, so what to delete is looked up by name on the host,
by a script that lies there, with the former policies, in a directory of the layer's own. Whatever
the make, it sees the controller as lines of fields between tabs:

    vd  NUMBER  NAME  LEVEL  STRIP(KiB)  IDENTIFIER  DEVICE  POLICIES  DRIVES
    pd  DRIVE   `free`, or why it is not

Physical drives behind a controller have no device that the guard could look at. Instead, a drive
that belongs to a virtual drive, a foreign configuration or a spare is something else in this one's
place, which ends the call as the guard would, before the controller is told to do anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.layers.hwraid.declared import HwraidDeclared, name_of, strip_kib
from iosonde.layers.site import Site
from iosonde.layers.step import Check, Command, Step, run

_FOLDER = "/var/lib/iosonde/hwraid"
_SLOW = 180.0  # seconds; a controller answers late while it initializes or rebuilds
_PATIENCE = 60.0

_WRITE = (
    'cat >"$1/new" && rm -f "$1/undone" && sync "$1/new" && mv "$1/new" "$1/tool" && '
    'sh "$1/tool" look "$2"'
)
_REMOVE = (
    'rm -f "$1/tool" "$1/new" "$1/undone" "$1/former" && rmdir "$1" && { rmdir "$2" || true; }'
)

# What follows the functions `list`, `ask`, `del` and `set_one` of a make. A check that cannot ask
# the controller says so and ends well: then something else is there, and nothing is taken for gone.
# One at a time: when iosonde is killed, what it asked of the controller may still be under way.
# `former` holds the policies that were there before; `wanted` is what the stack file says today.
# `undone` tells a check that drives which others took meanwhile are no hindrance to having undone.
COMMON = r"""
here=${0%/*} verb=$1 c=$2 name=$3
exec 9<"$here"
! command -v flock >/dev/null || flock 9
fields() { printf '%s\n' "$L" | awk -F'\t' -v n="$name" '$1 == "vd" && $3 == n'; }
field() { printf '%s\n' "$own" | awk -F'\t' -v f="$1" 'NR == 1 { print $f }'; }
complain() { echo "$*" >&2; exit 1; }
find_own() {
  L=$(list) || complain "${L#error?}"
  own=$(fields)
  [ "$(printf '%s\n' "$own" | grep -c .)" -le 1 ] || complain "several drives are named $name"
}
place() {
  for path in "/dev/disk/by-id/wwn-0x$(field 6)" "$(field 7)"; do
    [ -b "$path" ] && echo "$path" && return 0
  done
  return 1
}
busy() {
  lsblk -nro TYPE,MOUNTPOINT "$1" |
    awk 'NF > 1 || (NR > 1 && $1 != "part") { f = 1 } END { exit !f }'
}
case $verb in
look) L=$(list) || complain "${L#error?}" ;;
create) shift; rm -f "$here/undone"; ask "$@" ;;
check)
  L=$(list) || { echo "${L#error?}"; exit 0; }
  own=$(fields)
  if [ -n "$own" ]; then
    printf '%s\n' "$own" | awk -F'\t' '{ n = split($9, m, " ")
      printf "%s, strip %s KiB, %d drives:", $4, $5, n
      for (i = 1; i <= n; i++) printf " <%s>", m[i]
      print "" }'
    exit 0
  fi
  [ -e "$here/undone" ] && exit 1
  shift 3
  for d; do
    s=$(printf '%s\n' "$L" | awk -F'\t' -v d="$d" '$1 == "pd" && $2 == d { print $3; exit }')
    [ "$s" = free ] || echo "drive $d ${s:-is not there},"
  done | sed '$s/,$//' | grep . ;;
gone) complain "the virtual drive $name is not there any more, and making it again would destroy" \
  "what is left on its drives: bring it back by hand, or take the stack down and up again" ;;
delete)
  find_own
  if [ -n "$own" ]; then
    path=$(place) && busy "$path" && complain "$path, the virtual drive $name, is in use"
    del "$(field 2)" || exit 1
  fi
  : >"$here/undone" ;;
keep | again)
  shift 3
  find_own
  [ -n "$own" ] || complain "the virtual drive $name is not there"
  now=$(field 8)
  [ "$verb" = again ] || : >"$here/former"
  for word; do
    grep -q "^${word%%=*}=" "$here/former" || for old in $now; do
      [ "${old%%=*}" != "${word%%=*}" ] || echo "$old" >>"$here/former"
    done
  done
  sync "$here/former"
  for word; do
    case " $now " in *" $word "*) ;; *) set_one "$(field 2)" "$word" || exit 1 ;; esac
  done ;;
policies)
  [ -e "$here/former" ] || exit 1
  L=$(list) || exit 0
  own=$(fields)
  now=$(field 8)
  for word in $wanted; do case " $now " in *" $word "*) ;; *) exit 1 ;; esac; done
  echo "$now" ;;
restore)
  [ -e "$here/former" ] || exit 0
  find_own
  now=$(field 8)
  [ -z "$own" ] || while read -r word; do
    case " $now " in *" $word "*) ;; *) set_one "$(field 2)" "$word" || exit 1 ;; esac
  done <"$here/former"
  rm -f "$here/former" ;;
place)
  find_own
  place ;;
esac
"""


def finding(names: Sequence[str]) -> str:
    """The beginning of a script: `$t` is the first tool of some names that there is."""
    return (
        f"t=\nfor one in {' '.join(names)}; do\n"
        '  command -v "$one" >/dev/null 2>&1 && t=$one && break\ndone\n'
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


def _folder(site: Site) -> str:
    return f"{_FOLDER}/{site.label}"


def asking(site: Site, verb: str, *words: str) -> tuple[str, ...]:
    """The argument list that asks the layer's script on the host for a verb."""
    controller = str(site.declared_as(HwraidDeclared).controller)
    return ("sh", f"{_folder(site)}/tool", verb, controller, name_of(site), *words)


def steps(site: Site, making: Making) -> tuple[Step, ...]:
    """The steps of a virtual drive; the last one, of its policies, only where some are declared."""
    declared, folder = site.declared_as(HwraidDeclared), _folder(site)
    controller = str(declared.controller)
    number = len(declared.drives)
    script = f"wanted='{' '.join(making.policies)}'\n{making.script}"
    shows = (
        f"RAID{declared.level},", f"strip {strip_kib(declared)} KiB,", f"{number} drives:",
        *(f"<{drive}>" for drive in declared.drives),
    )  # fmt: skip
    made = (
        Step(
            f"make the directory {folder}",
            (run("mkdir", "-p", folder),),
            Check(("test", "-d", folder)),
            (run("sh", "-c", _REMOVE, "sh", folder, _FOLDER),),
        ),
        Step(
            f"put the script for controller {controller} there, and see that it answers",
            (Command(("sh", "-c", _WRITE, "sh", folder, controller), script, _SLOW),),
        ),
        Step(
            f"make the virtual drive {name_of(site)}: RAID {declared.level} of {number} drives",
            (run("sh", f"{folder}/tool", "create", *making.create, timeout=_SLOW),),
            Check(asking(site, "check", *declared.drives), shows, _SLOW),
            (run(*asking(site, "delete"), timeout=_SLOW),),
            again=(run(*asking(site, "gone")),),
            patience=_PATIENCE,
        ),
    )
    if not making.policies:
        return made
    return (
        *made,
        Step(
            f"set its policies: {', '.join(making.policies)}",
            (run(*asking(site, "keep", *making.policies), timeout=_SLOW),),
            Check(asking(site, "policies"), timeout=_SLOW),  # the script knows which, today's
            (run(*asking(site, "restore"), timeout=_SLOW),),
            again=(run(*asking(site, "again", *making.policies), timeout=_SLOW),),
            patience=_PATIENCE,
        ),
    )
