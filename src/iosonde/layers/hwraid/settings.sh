# A policy of a virtual drive, behind the functions of a make (megaraid.sh, smart_array.sh):
#   look TOOL VOLUME IDENTIFIER POLICY [WORD=VALUE …]: its value, for what the tool calls it
#   change TOOL VOLUME POLICY=WORD
# VOLUME is "c0/v3" or "slot0/ld1". Where no words are given, the part before a "/" is the value.
# shellcheck shell=sh disable=SC2154,SC2034

verb=$1 t=$2 c=${3%%/*} number=${3##*/}
c=${c#"${c%%[0-9]*}"} number=${number#"${number%%[0-9]*}"}
shift 3
if [ "$verb" = change ]; then
  set_one "$number" "$1" 2>/dev/null || { refused; exit 1; }
  exit 0
fi
identifier=$1 policy=$2
shift 2
L=$(list "$number") || exit 1
for one in $(printf '%s\n' "$L" |
  awk -F'\t' -v n="$number" -v i="$identifier" '$1 == "vd" && $2 == n && $6 == i { print $8 }'); do
  [ "${one%%=*}" = "$policy" ] || continue
  word=${one#*=}
  for known; do [ "${known%%=*}" != "$word" ] || { echo "${known#*=}"; exit 0; }; done
  [ $# -gt 0 ] || [ -z "$word" ] || { echo "${word%%/*}"; exit 0; }
done
exit 1
