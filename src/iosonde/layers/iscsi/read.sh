# A key of open-iscsi's node record: $1 the name of the target, $2 the portal, $3 the key.
# shellcheck shell=sh

iscsiadm --mode node --targetname "$1" --portal "$2" 2>/dev/null |
  awk -v k="$3" '$1 == k { print $3; found = 1; exit } END { exit !found }'
