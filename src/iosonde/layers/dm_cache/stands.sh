# Whether NAME caches ORIGIN on CACHE. 2048 is HEADER of caching.py.
# shellcheck shell=sh

own=$(number "$2") slow=$(number "$3")
table=$(dmsetup table "$1") && meta=$(dmsetup table "$1.meta") && data=$(dmsetup table "$1.data") ||
    exit 1
on=$(echo "$table" | cut -d ' ' -f 4-6)
if [ "$on" = "$(number "/dev/mapper/$1.meta") $(number "/dev/mapper/$1.data") $slow" ] &&
    [ "$(echo "$meta" | cut -d ' ' -f 3-5)" = "linear $own 2048" ] &&
    [ "$(echo "$data" | cut -d ' ' -f 3-4)" = "linear $own" ]
then echo "on its devices"; fi
echo "$table "
