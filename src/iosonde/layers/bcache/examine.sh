# Behind `value`: whether SLOW and FAST are of SET, and the bucket size.
# shellcheck shell=sh disable=SC2154,SC2254

slow=$(value "$1" cset.uuid) fast=$(value "$2" cset.uuid)
[ -n "$slow$fast" ] || exit 1
if [ "$fast" = "$3" ]; then case $slow in "$3"|$zeros) echo both;; esac; fi
echo "of $slow and $fast, bucket $(value "$2" dev.sectors_per_bucket) end"
