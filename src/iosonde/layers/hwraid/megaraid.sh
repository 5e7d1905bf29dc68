# storcli and perccli, found as $t: what they are asked, and their listing as building.py wants it;
# `list NUMBER` is that of a virtual drive alone.
# shellcheck shell=sh disable=SC2154,SC2283

ask() {
  o=$("$t" "$@" 2>&1)
  case $o in *'Status = Success'*) return 0 ;; esac
  printf '%s\n' "$o" >&2
  refused
  return 1
}
refused() { printf '%s\n' "$o" | sed -n '/^ *Description = /s///p; /^syntax/p' >&2; }
del() { ask "/c$c/v$1" del force; }
set_one() { ask "/c$c/v$1" set "$2"; }
list() {
  [ -n "$t" ] || { echo 'storcli64 is not installed, nor storcli, perccli64 or perccli'; return 3; }
  {
    "$t" "/c$c/v${1:-all}" show all 2>&1
    [ -n "$1" ] || { echo =drives=; "$t" "/c$c/eall/sall" show 2>&1; }
  } | awk -v c="$c" -v alone="$1" '
  function value() { return substr($0, index($0, "= ") + 2) }
  function policies(v,  w) {
    w = cache[v] ~ /AWB|FWB/ || initial[v] ~ /^Always/ ? "awb" : \
      initial[v] ~ /Back$/ || (initial[v] == "" && cache[v] ~ /WB/) ? "wb" : "wt"
    return "wrcache=" w " rdcache=" (cache[v] ~ /^NR/ ? "nora" : "ra") \
      " iopolicy=" (cache[v] ~ /C$/ ? "cached" : "direct") \
      " pdcache=" (disk[v] ~ /^Enabled/ ? "on" : disk[v] ~ /^Disabled/ ? "off" : "default")
  }
  function why(d) {
    if (d in owner) return "belongs to virtual drive /c" c "/v" owner[d] " (" name[owner[d]] ")"
    if (state[d] == "JBOD") return "is a disk of its own (JBOD)"
    if (group[d] == "F") return "has a foreign configuration"
    if (state[d] == "UGood" && group[d] == "-") return "free"
    return "is " state[d] (group[d] == "-" ? "" : " in drive group " group[d])
  }
  /^=drives=/ { part = 1; next }
  /^ *Controller = / { seen[part] = 1 }
  /^ *Status = Failure/ { bad[part] = 1 }
  /^ *Description = / { said[part] = value() }
  /^\/c[0-9]+\/v[0-9]+ :/ { split($1, p, "/v"); v = p[2]; next }
  /^PDs for VD [0-9]+ :/ { v = $4; next }
  /^VD[0-9]+ Properties :/ { v = substr($1, 3) + 0; next }
  !part && /^ *[0-9-]+\/[0-9]+ +[A-Za-z]+[0-9]+ / {
    split($1, p, "/"); v = p[2] + 0; order[++n] = v
    level[v] = toupper($2); cache[v] = $6; name[v] = ""
    for (i = 7; i < NF; i++) if ($i ~ /^[0-9.]+$/ && $(i + 1) ~ /^[KMGTP]B$/) {
      for (j = i + 2; j <= NF; j++) name[v] = name[v] (j > i + 2 ? " " : "") $j
      break
    }
    next
  }
  !part && /^ *[0-9]+:[0-9]+ / {
    owner[$1] = v
    if ($3 !~ /HS$/) members[v] = members[v] " " $1
    next
  }
  part && /^ *[0-9]+:[0-9]+ / { drive[++m] = $1; state[$1] = $3; group[$1] = $4; next }
  /^ *Strip Size = / { strip[v] = int($4 * ($5 == "MB" ? 1024 : 1)) }
  /^ *Write Cache.initial setting. = / { initial[v] = value(); gsub(/ /, "", initial[v]) }
  /^ *Disk Cache Policy = / { disk[v] = value() }
  /^ *OS Drive Name = / { device[v] = $NF }
  /^ *SCSI NAA Id = / { naa[v] = tolower($NF) }
  function failed(p, none) {
    if (seen[p] && (!bad[p] || said[p] ~ none)) return 0
    print "error\tcontroller " c ": " (said[p] == "" ? "its tool gives no answer" : said[p])
    return 1
  }
  BEGIN { part = 0 }
  END {
    if (failed(0, "[Nn]o VD") || (alone == "" && failed(1, "[Nn]o [Dd]rive"))) exit 3
    for (i = 1; i <= n; i++) {
      v = order[i]
      print "vd\t" v "\t" name[v] "\t" level[v] "\t" strip[v] "\t" naa[v] "\t" device[v] "\t" \
        policies(v) "\t" substr(members[v], 2)
    }
    for (i = 1; i <= m; i++) print "pd\t" drive[i] "\t" why(drive[i])
  }'
}
