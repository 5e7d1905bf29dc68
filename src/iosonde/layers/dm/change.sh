# Loads a table with another word in the place of the one in force: $1 the device, $2 the word,
# $4 the modes of a cache, $5 the value. read.sh says what the tables look like.
# shellcheck shell=sh

name=$(cat "/sys/block/$1/dm/name") && table=$(dmsetup table "$name") || exit 1
new=$(echo "$table" | awk -v w="$2" -v modes="^($4)$" -v v="$5" '
  $3 == "cache" {
    p = 9 + $8
    for (i = 9; i < p; i++) if (w != "mode" || $i !~ modes) { f = f " " $i; n++ }
    if (w == "mode") { f = f " " v; n++ }
    if (w == "policy") r = v " 0"
    else for (i = p; i <= NF; i++) r = r (i > p ? " " : "") $i
    print $1, $2, $3, $4, $5, $6, $7, (n + 0) f, r
  }
  $3 == "writecache" {
    for (i = 9; i < NF; i++) if ($i == w) { $(i + 1) = v; done = 1 }
    if (!done) { $8 += 2; $0 = $0 " " w " " v }
    print
  }') && [ -n "$new" ] || exit 1
dmsetup reload "$name" --table "$new" && dmsetup resume "$name"
