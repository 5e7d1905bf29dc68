# A word of a device-mapper table: $1 the device, $2 the word, $3 what counts where it is not there,
# $4 the modes of a cache, "|" between them.
# Cache: 0 LENGTH cache META FAST SLOW BLOCK n FEATURE… POLICY n ARGUMENT…
# Writecache: 0 LENGTH writecache s SLOW FAST BLOCK n OPTION…
# shellcheck shell=sh

name=$(cat "/sys/block/$1/dm/name") && table=$(dmsetup table "$name") || exit 1
echo "$table" | awk -v w="$2" -v v="$3" -v modes="^($4)$" '
  $3 == "cache" {
    p = 9 + $8
    if (w == "policy") { print $p; next }
    m = "writeback"
    for (i = 9; i < p; i++) if ($i ~ modes) m = $i
    print m
  }
  $3 == "writecache" {
    for (i = 9; i < NF; i++) if ($i == w) v = $(i + 1)
    print v
  }' | grep .
