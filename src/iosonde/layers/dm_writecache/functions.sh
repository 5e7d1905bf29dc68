# Behind caching.sh. Of the status, the words from the 4th on: error, blocks, free blocks, blocks
# under write-back; they are split on purpose.
# shellcheck shell=sh disable=SC2154,SC2046

map() { dmsetup create "$1" --table "0 $origin writecache s $3 $2 $4"; }
# unmap NAME: after a flush that left no block in the cache.
unmap() {
    if mapped "$1"; then
        dmsetup resume "$1" && dmsetup message "$1" 0 flush || return
        set -- "$1" $(dmsetup status "$1")
        if [ "$5" != 0 ] || [ "$6" != "$7" ] || [ "$8" != 0 ]; then
            echo "not all of $1 is written back: $*" >&2; return 1
        fi
        gone "$1"
    fi
}
