# What a label on a fast device says, and which device-mapper devices there are.
# 2048 is HEADER of caching.py, in sectors; 256 the same in blocks of 4 KiB.
# shellcheck shell=sh disable=SC2034

header=2048
# recall CACHE ORIGIN UUID: the label's figures as variables. 2 says: there is no label.
recall() {
    label=$(dd if="$1" bs=4096 count=1 iflag=direct status=none | tr -d '\0' | grep -a '^iosonde ') || return 2
    case $label in *" $3 "*) ;; *) echo "the label is another layer's: $label" >&2; return 1;; esac
    for word in $label; do
        case $word in
            origin=*) origin=${word#*=};; block=*) block=${word#*=};;
            metadata=*) metadata=${word#*=};; start=*) start=${word#*=};;
            data=*) data=${word#*=};;
        esac
    done
    [ "$(blockdev --getsz "$2")" = "$origin" ] && return
    echo "$2 has not the $origin sectors that the cache was made for" >&2; return 1
}
# used CACHE: whether the kernel ever wrote its superblock.
used() {
    dd if="$1" bs=4096 skip=256 count=1 iflag=direct status=none |
        tr -d '\0' | grep -aq .
}
mapped() { dmsetup info "$1" >/dev/null 2>&1; }
gone() { ! mapped "$1" || dmsetup remove --retry "$1"; }
