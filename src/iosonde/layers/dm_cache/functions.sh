# Behind caching.sh. Words of the table: 0 LENGTH cache METADATA DATA ORIGIN BLOCK … Of the status,
# the 14th is how many blocks are dirty.
# shellcheck shell=sh disable=SC2154

dirty() { dmsetup status --noflush "$1" | cut -d ' ' -f 14; }
# clean NAME SECONDS: write back all dirty blocks, by a policy that makes no new ones.
clean() {
    dmsetup resume "$1" || return
    case $(dirty "$1") in
        0) return;;
        ''|*[!0-9]*) echo "$1: $(dmsetup status --noflush "$1")" >&2; return 1;;
    esac
    table="$(dmsetup table "$1" | cut -d ' ' -f 1-7) 1 writethrough cleaner 0"
    dmsetup reload "$1" --table "$table" && dmsetup suspend "$1" && dmsetup resume "$1" || return
    end=$(($(date +%s) + $2))
    until [ "$(dirty "$1")" = 0 ]; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "$(dirty "$1") blocks of $1 are still dirty" >&2; return 1
        fi
        sleep 0.2
    done
}
unmap() {
    if mapped "$1"; then clean "$1" "$2" && gone "$1" || return; fi
    gone "$1.data" && gone "$1.meta"
}
# map NAME CACHE ORIGIN MODE POLICY: after `recall`.
map() {
    mapped "$1.meta" || dmsetup create "$1.meta" --table "0 $metadata linear $2 $header" || return
    mapped "$1.data" || dmsetup create "$1.data" --table "0 $data linear $2 $start" || return
    dmsetup create "$1" --table         "0 $origin cache /dev/mapper/$1.meta /dev/mapper/$1.data $3 $block 1 $4 $5 0"
}
