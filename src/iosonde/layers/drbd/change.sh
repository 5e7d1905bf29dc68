# Behind option.sh. Sets an option: $1 the device, $2 the section, $3 the option, $4 its value.
# shellcheck shell=sh disable=SC2154,SC2086

now=$(shown "$1" "$2" "$3") || { echo "there is no such option in force" >&2; exit 1; }
case $2 in
net)
  set -- "$3" "$4" $now
  drbdsetup net-options "$3" "$4" "--$1=$2" ;;
disk) drbdsetup disk-options "${1#drbd}" "--$3=$4" ;;
esac
