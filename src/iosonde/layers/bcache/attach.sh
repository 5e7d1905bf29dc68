# Behind bcache.sh: attach CACHE as SET to DEVICE, or say what it is attached to.
# shellcheck shell=sh disable=SC2154

attach "$@" || exit
used=$(readlink -f "/sys/dev/block/$(number "$2")/bcache/set")
[ "$(readlink -f "$at/cache")" = "$used" ] && [ "${used##*/}" = "$3" ] && exit
echo "$1 is attached to another cache: $(readlink -f "$at/cache")" >&2
exit 1
