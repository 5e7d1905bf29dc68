# Behind dm_cache.sh: NAME CACHE ORIGIN UUID SECONDS MODE POLICY. After a crash all blocks count as
# dirty, and with dirty blocks there is no pass-through.
# shellcheck shell=sh

recall "$2" "$3" "$4" || exit
if [ "$6" = passthrough ] && used "$2"; then
    map "$1" "$2" "$3" writethrough cleaner && unmap "$1" "$5" || exit
fi
map "$1" "$2" "$3" "$6" "$7"
