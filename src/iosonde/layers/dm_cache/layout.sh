# In caching_label.sh: where metadata and data of a cache begin, in sectors. The metadata take 4 MiB,
# and for each block 16 bytes and 12 of the policy's hint; then, from a multiple of the block size
# on, the data.
# 2048 is HEADER of caching.py, in sectors; 256 the same in blocks of 4 KiB.
# shellcheck shell=sh disable=SC2154,SC2034

blocks=$((size / $5))
metadata=$(((8192 + (blocks * 28 + 511) / 512 + 2047) / 2048 * 2048))
start=$(((2048 + metadata + $5 - 1) / $5 * $5))
data=$(((size - start) / $5 * $5))
[ "$data" -gt 0 ] || { echo "$1 is too small for $start sectors of metadata" >&2; exit 1; }
words="metadata=$metadata start=$start data=$data"
