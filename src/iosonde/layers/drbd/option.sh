# shown DEVICE SECTION OPTION: both addresses of the connection and the value of an option in force,
# from what DRBD 8.4 shows; it tells the options of the connection before its devices.
# shellcheck shell=sh

shown() {
  drbdsetup show --show-defaults | awk -v d="${1#drbd};" -v part="$2" -v w="$3" '
  $1 == "resource" { if (m) exit; n = x = l = r = "" }
  /_peer_node_id/ { nine = 1; exit }
  $2 == "{" { s = $1 }
  $1 == "volume" { s = $1; here = 0 }
  $1 == "address" {
    if (s == "_this_host") l = $2 ":" $3
    if (s == "_remote_host") r = $2 ":" $3
  }
  $1 == "device" && $2 == "minor" { here = ($3 == d); if (here) m = 1 }
  s == "net" && $1 == w { n = $2 }
  s == "disk" && here && $1 == w { x = $2 }
  END {
    v = (part == "net") ? n : x
    gsub(/[;"]/, "", v); gsub(/;/, "", l); gsub(/;/, "", r)
    if (nine || !m || v == "") exit 1
    print l, r, v
  }'
}
