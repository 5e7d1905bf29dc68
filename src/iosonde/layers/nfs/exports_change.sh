# Exports a directory with another option to each of its clients: $1 the first word, $2 the other
# one, $3 the directory, $4 the table of exports, $5 the word that shall be, or one for each client.
# shellcheck shell=sh disable=SC2086

y=$1 n=$2 p=$3
rows=$(awk -F '\t' -v p="$p" '$1 == p { print $2 }' "$4") && [ -n "$rows" ] || exit 1
set -- $5
for row in $rows; do
  client=${row%%(*}
  options=",${row#*(}"
  options=${options%)},
  for word in "$y" "$n"; do
    case $options in
    *",$word,"*) options="${options%%",$word,"*},${options#*",$word,"}" ;;
    esac
  done
  options=${options#,}
  case $client in *:*) client=[$client] ;; esac
  exportfs -i -o "$options$1" "$client:$p" || exit 1
  [ $# -eq 1 ] || shift
done
