# building.py, `labelled`: writes the label of a cache. CACHE ORIGIN KIND UUID BLOCK.
# What its kind says of the layout, `words`, stands in the place of LAYOUT: layout.sh of its folder.
# 2048 is HEADER of building.py, in sectors; 256 the same in blocks of 4 KiB.
# shellcheck shell=sh disable=SC2154,SC2034

set -e
size=$(blockdev --getsz "$1") origin=$(blockdev --getsz "$2")
LAYOUT
dd if=/dev/zero of="$1" bs=4096 seek=256 count=1 oflag=direct conv=notrunc status=none
printf 'iosonde %s %s origin=%s block=%s %s\n' "$3" "$4" "$origin" "$5" "$words" |
    dd of="$1" bs=4096 count=1 iflag=fullblock oflag=direct conv=sync,notrunc status=none
