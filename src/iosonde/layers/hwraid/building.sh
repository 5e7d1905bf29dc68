# What is asked of a virtual drive, whatever the make of its controller; building.py says how.
# It lies on the host behind the functions of a make (megaraid.sh, smart_array.sh): `list`, `ask`,
# `del` and `set_one`. A check that cannot ask the controller says so and ends well: then something
# else is there, and nothing is taken for gone. One call at a time: when iosonde is killed, what it
# asked of the controller may still be under way. `former` holds the policies that were there
# before; `wanted`, set above all this, is what the stack file says today. `undone` tells a check
# that drives which others took meanwhile are no hindrance to having undone.
# shellcheck shell=sh disable=SC2154,SC2034

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
identity)
  find_own
  field 6 ;;
place)
  find_own
  place ;;
esac
