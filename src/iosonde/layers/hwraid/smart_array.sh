# ssacli, hpssacli and hpacucli, found as $t: what they are asked, and their listing as building.py
# wants it.
# shellcheck shell=sh disable=SC2154

ask() {
  o=$("$t" "$@" 2>&1) && case $o in *Error:*) false ;; esac && return 0
  printf '%s\n' "$o" >&2
  refused
  return 1
}
refused() { printf '%s\n' "$o" | grep Error: >&2; }
del() { ask ctrl slot="$c" ld "$1" delete forced; }
set_one() {
  case $2 in
  arrayaccelerator=*) ask ctrl slot="$c" ld "$1" modify "$2" forced ;;
  drivewritecache=*)
    if "$t" ctrl slot="$c" show 2>&1 | grep -q 'Configured Drive Write Cache Policy'; then
      ask ctrl slot="$c" modify "$2" usage=configured forced
    else
      ask ctrl slot="$c" modify "$2" forced
    fi ;;
  *) ask ctrl slot="$c" modify "$2" forced ;;
  esac
}
list() {
  [ -n "$t" ] || { echo 'ssacli is not installed, nor hpssacli or hpacucli'; return 3; }
  "$t" ctrl slot="$c" show config detail 2>&1 | awk -v c="$c" '
  function value() { return substr($0, index($0, ":") + 2) }
  function level_of(word) {
    sub(/^ *RAID */, "", word); sub(/ *\(.*$/, "", word); sub(/ *$/, "", word)
    return "RAID" (word == "ADG" ? "6" : word == "1+0" ? "10" : word == "5+0" ? "50" : \
      word == "6+0" ? "60" : word)
  }
  function switched(word) { return word ~ /^ *Enabled/ ? "enable" : "disable" }
  function why(d,  i) {
    if (array[d] == "") return d in unused ? "free" : "is a disk of its own"
    for (i = 1; i <= n; i++) if (of[order[i]] == array[d])
      return "belongs to logical drive " order[i] " of slot " c " (" name[order[i]] ")"
    return "is in array " array[d]
  }
  function placed(d) {
    if (!(d in array)) { drive[++m] = d; array[d] = group; if (free) unused[d] = 1 }
    current = d
  }
  /^ *Error:/ { said = said value() " " }
  / in Slot / && !seen { seen = 1; where = "controller"; next }
  /^ *[Aa]rray:? [A-Z]+ *(\(.*)?$/ { group = $2; free = 0; where = "array"; next }
  /^ *[Uu]nassigned *$/ { group = ""; free = 1; where = "free"; next }
  /^ *HBA Drives *$/ { group = ""; free = 0; where = "hba"; next }
  /^ *Logical Drive: [0-9]+ *$/ { v = $3; order[++n] = v; of[v] = group; where = "ld"; next }
  /^ *physicaldrive / { placed($2); if ($0 !~ /\(/) where = "pd"; next }
  /^ *SEP / { where = "sep" }
  where == "ld" && /^ *Fault Tolerance: / { level[v] = level_of(value()) }
  where == "ld" && /^ *Stripe? Size: / { strip[v] = int($3 * ($4 == "MB" ? 1024 : 1)) }
  where == "ld" && /^ *(Caching|Array Accelerator): / { caching[v] = switched(value()) }
  where == "ld" && /^ *Unique Identifier: / { naa[v] = tolower($3) }
  where == "ld" && /^ *Disk Name: / { device[v] = $3 }
  where == "ld" && /^ *Logical Drive Label: / { name[v] = value(); sub(/ *$/, "", name[v]) }
  where == "pd" && /^ *Drive Type: .*Spare/ { hot[current] = 1 }
  where == "controller" && /^ *(Cache|Accelerator) Ratio: / {
    for (i = 1; i < NF; i++) if ($i ~ /%$/) share[$(i + 1)] = $i + 0
    ratio = " cacheratio=" share["Read"] "/" share["Write"]
  }
  where == "controller" && /^ *Drive Write Cache: / { drives = switched(value()) }
  where == "controller" && /^ *Configured Drive Write Cache Policy: / {
    drives = $NF == "Default" ? "default" : switched(value())
  }
  END {
    if (!seen || said != "") {
      print "error\tslot " c ": " (said == "" ? "its tool gives no answer" : said); exit 3
    }
    for (i = 1; i <= m; i++)
      if (!(drive[i] in hot)) members[array[drive[i]]] = members[array[drive[i]]] " " drive[i]
    for (i = 1; i <= n; i++) {
      v = order[i]
      print "vd\t" v "\t" name[v] "\t" level[v] "\t" strip[v] "\t" naa[v] "\t" device[v] \
        "\tarrayaccelerator=" caching[v] " drivewritecache=" drives ratio \
        "\t" substr(members[of[v]], 2)
    }
    for (i = 1; i <= m; i++) print "pd\t" drive[i] "\t" why(drive[i])
  }'
}
