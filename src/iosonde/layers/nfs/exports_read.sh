# An option of a directory in force, for each client where they differ: $1 the first word, $2 the
# other one, $3 the directory, $4 the table of exports.
# shellcheck shell=sh disable=SC2086

all=$(awk -F '\t' -v p="$3" -v o="[(,]$2[,)]" -v y="$1" -v n="$2" \
  '$1 == p { print ($2 ~ o) ? n : y }' "$4") && [ -n "$all" ] || exit 1
alike=$(echo "$all" | sort -u)
[ "$(echo "$alike" | wc -l)" = 1 ] && echo "$alike" || echo $all
