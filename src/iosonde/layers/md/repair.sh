# kind.py: gives an md array, $1, the members back that carry its superblock and are not in it.
# It follows uuid.sh.
# shellcheck shell=sh

array=$1 own=$(md_uuid --detail "$1")
[ -n "$own" ] || { echo "$1 is no running array" >&2; exit 1; }
shift
for member; do
    [ -b "$member" ] || { echo "$member is not there" >&2; exit 1; }
    [ "$(md_uuid --examine "$member")" = "$own" ] || {
        echo "$member does not carry the superblock of $array: it is another disk" >&2; exit 1; }
    name=$(basename "$(readlink -f "$member")")
    state=$(cat "/sys/block/$(basename "$(readlink -f "$array")")/md/dev-$name/state" 2>/dev/null)
    case $state in *in_sync*|*spare*) continue;; esac
    [ -z "$state" ] || mdadm --quiet "$array" --remove "$member" || exit
    mdadm --quiet "$array" --re-add "$member" 2>/dev/null ||
        mdadm --quiet "$array" --add "$member" || exit
done
