# The UUID of an md array; repair.sh and change/identity.sh follow it.
# shellcheck shell=sh

# md_uuid --detail ARRAY | --examine MEMBER: nothing where there is none
md_uuid() { mdadm "$1" --export "$2" 2>/dev/null | sed -n 's/^MD_UUID=//p'; }
