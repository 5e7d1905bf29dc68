# Sets a key of open-iscsi's node record, and logs out and in again: $1 the name of the target,
# $2 the portal, $3 the key, $4 the value.
# shellcheck shell=sh disable=SC2013

disks() {
  for file in $(grep -lxF "$1" /sys/class/iscsi_session/session*/targetname 2>/dev/null); do
    for disk in "${file%/targetname}"/device/target*/*/block/*; do
      [ -e "$disk" ] && echo "/dev/${disk##*/}"
    done
  done
  true
}
node() { iscsiadm --mode node --targetname "$target" --portal "$portal" "$@"; }

target=$1 portal=$2
before=$(disks "$1")
for disk in $before; do
  if lsblk --noheadings --raw --output TYPE,MOUNTPOINT "$disk" |
    awk 'NF > 1 || (NR > 1 && $1 != "part") { used = 1 } END { exit !used }'; then
    echo "$disk is in use, and the change would take it away for a moment" >&2
    exit 1
  fi
done
node --op update --name "$3" --value "$4" || exit 1
grep -qxF "$1" /sys/class/iscsi_session/session*/targetname 2>/dev/null || exit 0
sync
node --logout >/dev/null && node --login >/dev/null || exit 1
n=0
until [ -n "$(disks "$1")" ] || [ -z "$before" ] || [ "$n" -ge 100 ]; do
  n=$((n + 1))
  sleep 0.1
done
! command -v udevadm >/dev/null || udevadm settle
