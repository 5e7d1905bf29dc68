#!/bin/sh
# Numbers of entries and processes are lists of words, split on purpose.
# shellcheck disable=SC2086,SC2046,SC2034,SC2116
# Puts settings back that iosonde has changed on this host. It needs a POSIX shell, awk and the
# journal beside it, and neither Python nor the machine that changed them:
#
#   sh /var/lib/iosonde/rollback            all that is in force, the last change first
#   sh /var/lib/iosonde/rollback list       the batches in force: number, state, who, when
#
# iosonde itself also calls: batch N (put back one batch, if it is not confirmed) · arm N SECONDS ·
# wait N SECONDS · change N K COMMAND… · confirm N · mark N WORD · hold TOKEN OWNER MARK · oust TOKEN.
#
# The journal is only appended to. Fields are separated by tabs; those that begin with = may be empty:
#   begin N BOOT TIME OWNER      a batch of changes, in this boot of the host
#   old N K NAME =OLD =NEW =DEVICE =ITS [=lasts]   setting K: what it was, and is to be. NEW is "-" for
#                                what the kernel changes along with another. ITS is what the file DEVICE
#                                said. What lasts outlives a reboot: after one it is put back first
#   look N K =WORD…              the command that prints its value
#   undo N K =WORD…              the command that puts the old value back
#   ready N TIME                 all of the batch is on the disk: from now on settings are changed
#   now N K =VALUE               what came of setting it, not synced: it is for this boot
#   confirmed, restored, lost, kept, tentative N TIME …    what became of it; failed N TIME NAME
# A line that a crash has cut may name another batch, "1" of "12": those without a time do not count, and a
# "begin" without an owner.
# The file `since` tells where the first batch begins that is not over, in bytes from 1, and that line: what
# stands before it need not be read again and again. It is only believed where that line is there.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C; export PATH LC_ALL
# On the host the functions of hosts/private.sh stand here.
set -f
only='' tab=$(printf '\t') nl='
'
case $0 in */*) place=${0%/*} ;; *) place=. ;; esac
place=$(cd "$place" && pwd -P) || exit
# What others could change is not run. Whoever works through a batch has had all of it looked at when the
# lock was taken, and nobody else can have written there since.
case ${1:-all} in
change | confirm | arm | mark) trusted_place "$place" private || exit ;;
*) private_places "$place" ;;
esac
journal=$place/journal
boot=$(cat /proc/sys/kernel/random/boot_id)

# Standard input to the journal, on the disk when it returns. A line that a crash cut short, or whose place it
# left full of zeros, is ended first. What did not fit on the disk is taken away: half of it may say the same.
append() {
    [ ! -s "$journal" ] || [ "$(tail -c 1 "$journal" | wc -l)" -eq 1 ] || echo >>"$journal"
    [ -e "$journal" ] && long=$(wc -c <"$journal") || long=0
    cat >>"$journal" && { sync "$journal" "$place" 2>/dev/null || sync; } && return
    dd of="$journal" bs=1 seek=$((long)) count=0 2>/dev/null </dev/null
    return 1
}
note() { printf '%s\n' "$@" | append; }
# The same of several batches, WHAT TEXT N…, the last one first and all or none: the old value of an earlier one
# is the one that stays, so it must not be over while a later one is not.
note_over() {
    rows='' end=$1$tab when=$tab$(date +%s)$tab$2; shift 2
    for one; do rows=$end$one$when$nl$rows; done
    printf '%s' "$rows" | append
}

# The journal from the first batch on that is not over.
at=1
if { read -r from && IFS= read -r first; } 2>/dev/null <"$place/since"; then
    case $first in "begin$tab"*)
        [ "$(tail -c "+$from" "$journal" 2>/dev/null | head -n 1)" != "$first" ] || at=$from ;;
    esac
fi
recent() { tail -c "+$at" "$journal"; }
# Notes where that is now; what was kept is over too, until it is made tentative again.
shorten() {
    recent | awk -F '\t' -v at="$at" '
        { here = at; at += length($0) + 1 }
        $1 == "begin" && $5 != "" { number[++count] = $2; place[$2] = here; text[$2] = $0 }
        $3 == "" { next }
        $1 == "restored" || $1 == "lost" || $1 == "kept" { over[$2] = 1 }
        $1 == "tentative" { delete over[$2] }
        END { for (i = 1; i <= count; i++) if (!over[n = number[i]]) { print place[n]; print text[n]; exit } }
        ' >"$place/since.new" && [ -s "$place/since.new" ] && mv "$place/since.new" "$place/since"
}

# NUMBER STATE BOOT TIME OWNER of the batches whose changes are in force, in order.
batches() {
    [ -e "$journal" ] || return 0
    recent | awk -F '\t' -v boot="$boot" '
        $1 == "begin" && $5 != "" { number[++count] = $2; state[$2] = ""; rest[$2] = $3 FS $4 FS $5; of[$2] = $3 }
        $3 == "" { next }
        $1 == "ready" { state[$2] = "open" }
        ($1 == "confirmed" || $1 == "kept") && state[$2] != "" { state[$2] = $1 }
        $1 == "tentative" && state[$2] != "" { state[$2] = "confirmed" }
        $1 == "restored" || $1 == "lost" { state[$2] = "" }
        END {
            for (i = 1; i <= count; i++) {
                n = number[i]
                if (state[n] != "" && of[n] == boot) print n FS state[n] FS rest[n]
            }
        }'
}
state_of() { batches | awk -F '\t' -v n="$1" '$1 == n { print $2 }'; }

# After a reboot nothing of the batches before it is in force, but what the host itself keeps: that is
# put back, and the journal is made to say so.
forget() {
    [ -e "$journal" ] || return 0
    gone=$(recent | awk -F '\t' -v boot="$boot" '
        $3 == "" { next }
        $1 == "begin" && $5 != "" { number[++count] = $2; of[$2] = $3 }
        $1 == "restored" || $1 == "lost" || $1 == "kept" { ended[$2] = 1 }
        $1 == "tentative" { delete ended[$2] }
        END { for (i = 1; i <= count; i++) if (of[number[i]] != boot && !ended[number[i]]) print number[i] }
        ')
    # One that is not ready has changed nothing, and a crash may have cut the lines that put it back.
    some=$(recent | awk -F '\t' -v want=" $(echo $gone) " '
        $1 == "old" && $9 == "=lasts" && index(want, " " $2 " ") { lasts[$2] }
        $1 == "ready" && $3 != "" && ($2 in lasts) && !seen[$2]++ { print $2 }')
    if [ -n "$some" ]; then
        only=lasts
        restore "the host was booted again" $some || return 1
        only=''
    fi
    [ -n "$gone" ] || return 0
    note_over lost "the host was booted again" $gone
    for one in $gone; do echo "lost$tab$one"; done
}

# The settings of some batches, "N/K", each once with its oldest value, the latest first.
entries() {
    recent | awk -F '\t' -v want=" $* " '
        $1 == "old" && index(want, " " $2 " ") && !seen[$4 FS $7 FS $8]++ { entry[++count] = $2 "/" $3 }
        END { while (count) print entry[count--] }'
}
line() { recent | awk -F '\t' -v kind="$1" -v n="${2%/*}" -v k="${2#*/}" \
    '$1 == kind && $2 == n && $3 == k { print; exit }'; }
# Sets name, was, path and its from a line `old`.
parse() {
    IFS=$tab; set -- $1; unset IFS
    name=$4 was=${5#=} path=${7#=} its=${8#=} lasts=${9#=}
}

# Runs the argument list that a line of the journal holds.
run() {
    said=$1; shift
    IFS=$tab; set -- $said; unset IFS
    [ $# -gt 3 ] || return 1 # a shell ends that is to shift more than there is
    shift 3
    left=$#
    while [ "$left" -gt 0 ]; do
        word=$1; shift; set -- "$@" "${word#=}"; left=$((left - 1))
    done
    # What tools write is for others to read, as usual, and never to change.
    if command -v timeout >/dev/null; then (umask 022 && exec timeout 30 "$@")
    else (umask 022 && "$@"); fi
}
# What the command `look` of a setting prints, blanks counted as one.
seen() {
    value=$(run "$(line look "$1")" 2>/dev/null) || return 1
    set -- $value
    value=$*
    printf '%s' "$value"
}
# Whether the device of a setting is still the one it was changed on.
same() { [ -z "$path" ] || [ "$(cat "$path" 2>/dev/null)" = "$its" ]; }

# Whether iosonde itself has made a setting what it is: it asked for that, or that came of it. Of what the
# kernel changes along nobody can tell.
ours() {
    recent | name=$name now="=$now" awk -F '\t' -v want=" $* " '
        $1 == "old" && index(want, " " $2 " ") && $4 == ENVIRON["name"] {
            entry[$2 "/" $3]
            if ($6 == "=-" || $6 == ENVIRON["now"]) known = 1
        }
        $1 == "now" && $2 "/" $3 in entry && $4 == ENVIRON["now"] { known = 1 }
        END { exit !known }'
}

# The batch of which a setting may still be in force that its own batch has not changed: whose place that took.
left_by() {
    recent | awk -F '\t' -v n="${1%/*}" -v k="${1#*/}" '
        $1 == "now" && $2 == n && $3 == k { changed = 1 }
        $1 == "restored" && NF == 3 && $2 == n - 1 { left = $2 }
        END { if (!changed) print left }'
}

# Whether somebody else has changed a setting of a batch since it was announced: $theirs says what. Only asked
# before its first change, for one setting may disturb another. What is in force of the batch whose place this
# one has taken, $mine, is no other's, and has to be put back.
changed_since() {
    theirs='' mine=''
    ! recent | awk -F '\t' -v n="$1" '$1 == "now" && $2 == n { some = 1 } END { exit !some }' || return 1
    mine=$(left_by "$1/0")
    for entry in $(entries "$1"); do
        parse "$(line old "$entry")"
        if ! same || ! now=$(seen "$entry") || [ "$now" = "$was" ] || ours $mine; then continue; fi
        theirs="$theirs, $name was $was and is $now"
    done
    theirs=${theirs#, }
    [ "$theirs" ]
}

# Puts batches back; says of each setting what became of it.
restore() {
    why=$1; shift
    todo=$(entries "$@") others=''
    # All are looked at first, since one setting may disturb another (a scheduler brings its own queue depth):
    # what differs after that is no other's doing. Then they are put back until all are right.
    for round in look undo undo undo last; do
        report='' bad=''
        for entry in $todo; do
            parse "$(line old "$entry")"
            [ -z "$only" ] || [ "$lasts" = "$only" ] || continue
            if ! same || ! now=$(seen "$entry"); then
                report="${report}${nl}gone$tab$name$tab=$was"
            elif [ "$now" = "$was" ]; then
                report="${report}${nl}back$tab$name$tab=$was"
                case $others in *"$nl$name$tab"*)
                    other=${others#*"$nl$name$tab"}
                    report="$report$tab=${other%%"$nl"*}" ;;
                esac
            else
                # Somebody else has set it since: put back all the same, and told, here and in the journal.
                if [ $round = look ] && ! ours "$@" $(left_by "$entry"); then
                    others="$others$nl$name$tab$now" why="$why; somebody else had made $name $now"
                fi
                report="${report}${nl}wrong$tab$name$tab=$was$tab=$now" bad="$bad $name"
                [ $round != undo ] || run "$(line undo "$entry")" >/dev/null 2>&1
            fi
        done
        [ "$bad" ] || break
    done
    printf '%s\n' "${report#?}"
    if [ "$bad" ]; then note_over failed "${bad# }" "$@"
    else note_over restored "$why" "$@"
    fi
    [ -z "$bad" ]
}

# What follows is done by one process at a time.
alone() {
    exec 9>>"$place/busy"
    ! command -v flock >/dev/null || flock 9
}

verb=${1:-all}; [ $# -eq 0 ] || shift
case $verb in
list)
    at=1
    batches
    ;;
all)
    alone
    told=0
    forget || told=1
    some=$(batches | awk -F '\t' '$2 != "kept" { print $1 }')
    [ -z "$some" ] || restore "${1:-asked for}" $some || told=1
    exit $told
    ;;
settle) # what nobody confirmed and what a reboot has ended
    alone
    told=0
    forget || told=1
    some=$(batches | awk -F '\t' '$2 == "open" { print $1 }')
    [ -z "$some" ] || restore "never confirmed" $some || told=1
    exit $told
    ;;
batch)
    alone
    [ "$(state_of "$1")" != open ] || restore "${2:-asked for}" "$1"
    ;;
begin) # the lines of a batch come from standard input
    alone
    append || exit
    shorten || :
    ;;
arm)
    if [ -d /run/systemd/system ] && systemd-run --quiet --unit="iosonde-rollback-$1" \
        --on-active="$2" --timer-property=AccuracySec=100ms \
        sh "$0" batch "$1" "not confirmed in time" 2>/dev/null
    then echo "by systemd"; exit 0; fi
    command -v setsid >/dev/null || { echo "setsid (util-linux) is not installed" >&2; exit 76; }
    # In a session of its own, so that it outlives a connection that is cut.
    setsid sh "$0" wait "$1" "$2" </dev/null >/dev/null 2>&1 &
    echo "by a process"
    ;;
wait)
    # By the clock: on a host that is busy, a second of sleep takes longer than one.
    read -r now rest </proc/uptime
    end=$((${now%.*} + $2))
    while [ "${now%.*}" -lt $end ]; do
        sleep 1
        [ "$(state_of "$1")" = open ] || exit 0
        read -r now rest </proc/uptime
    done
    exec sh "$0" batch "$1" "not confirmed in time"
    ;;
change)
    alone
    number=$1 index=$2; shift 2
    [ "$(state_of "$number")" = open ] || { echo "the host has put the batch back already" >&2; exit 75; }
    if changed_since "$number"; then
        echo "$theirs" >&2
        [ -z "$mine" ] || exit 78
        note_over restored "somebody else has changed a setting: $theirs" "$number" && exit 77
        exit 78
    fi
    entry=$number/$index
    parse "$(line old "$entry")"
    same || { echo "its device is gone, or another one has its name" >&2; exit 1; }
    (umask 022 && "$@") 9>&- || exit
    seen "$entry" || exit
    printf 'now\t%s\t%s\t=%s\n' "$number" "${entry#*/}" "$value" >>"$journal" || {
        echo "the journal cannot be written" >&2 # without this line the next change would take it for another's
        exit 74
    }
    ;;
confirm)
    alone
    [ "$(state_of "$1")" = open ] || { echo "the host has put the batch back already" >&2; exit 75; }
    note "confirmed$tab$1$tab$(date +%s)" || { echo "the journal cannot be written" >&2; exit 1; }
    ! [ -d /run/systemd/system ] || systemctl stop "iosonde-rollback-$1.timer" 2>/dev/null || :
    ;;
mark)
    alone
    word=$1; shift
    [ "$word" != tentative ] || rm -f "$place/since"
    for one; do note "$word$tab$one$tab$(date +%s)" || exit; done
    ;;
hold) # the lock of whoever changes settings of this host; it ends with the process that asked
    command -v flock >/dev/null || { echo "flock (util-linux) is not installed" >&2; exit 76; }
    exec 8>>"$place/lock"
    flock -w 3 8 || { cat "$place/owner" 2>/dev/null; exit 75; }
    printf '%s\n' "$2" "$1" "$3" $$ >"$place/owner" ||
        { echo "whose the lock is cannot be written to $place/owner" >&2; exit 1; }
    # Who has lost its parent belongs to another one: true even of a parent that nobody has buried.
    while read -r pid name state parent rest </proc/$$/stat && [ "$parent" = "$PPID" ]; do
        sleep 0.5 8>&-
    done
    ;;
oust) # whoever holds the lock with this token is gone, and its connection was cut, so that nobody here knows
    one=$(sed -n 4p "$place/owner" 2>/dev/null)
    tr '\0' ' ' <"/proc/$one/cmdline" 2>/dev/null | grep -qF " hold $1 " || exit 0
    ends=$one
    while [ "${one:-0}" -gt 1 ]; do # all that came by that connection ends with it
        case $(cat "/proc/$one/comm") in sshd | sshd-session) ends="$one $ends"; break ;; esac
        one=$(awk '$1 == "PPid:" { print $2 }' "/proc/$one/status")
    done
    kill $ends 2>/dev/null # one may end because another did
    kill -s CONT $ends 2>/dev/null || :
    ;;
*)
    echo "usage: sh $0 [list]" >&2
    exit 2
    ;;
esac
