# Behind dm_cache.sh: NAME CACHE ORIGIN UUID SECONDS. It may be dirty and not mapped: the host was
# started again, and nobody called `up`.
# shellcheck shell=sh

recall "$2" "$3" "$4"
case $? in 0) ;; 2) exit 0;; *) exit 1;; esac
if used "$2"; then
    mapped "$1" || map "$1" "$2" "$3" writethrough cleaner || exit
    unmap "$1" "$5" || exit
fi
