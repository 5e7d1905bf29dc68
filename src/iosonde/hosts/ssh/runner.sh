# shellcheck shell=sh disable=SC2030,SC2031
# sh -c THIS sh HEAD TAIL SIZE COMMAND [ARGUMENT...]: a command in a session of its own, with a life
# line.
#
# HEAD-TAIL begins both streams of output: what stands before it is of the login shell's start-up.
# In two words, so that a shell which prints what it runs does not print it.
# SIZE bytes of standard input are the command's own. What follows are names of signals for it, and
# the end of input means that nobody is there any more: then it is ended, at first politely.
# setsid does not fork here, since a background job leads no group: $! is the command's process id,
# its group's and its session's. Until setsid has run the process itself is signalled.
# Standard input lies in a directory for a moment; host.py removes it if this script was killed then.
PATH=$PATH:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C; export PATH LC_ALL
umask g-w,o-w # what the command makes is never for others to change
printf '%s-%s\n' "$1" "$2"; printf '%s-%s\n' "$1" "$2" >&2
input=iosonde-input.$1 size=$3; shift 3
if [ "$size" -gt 0 ]; then
    input=$(
        # The functions of hosts/private.sh stand here, where there is any input.
        temporary_directory "$input.XXXXXX" # six, which mkdtemp(3) and so busybox insist on
    ) || exit
    head -c "$size" >"$input/all"
    exec 4<"$input/all"; rm -f "$input/all"; rmdir "$input"
else exec 4</dev/null
fi
exec 3<&0
setsid "$@" <&4 3<&- 4<&- &
child=$!

# Who is alive of the command, its group, its session, those known before ($kin) and all that they
# began, as pid/starttime: fio gives each job a session of its own, and ids are used again.
# Fields of /proc/PID/stat without the name and the state: pid ppid pgrp session ... starttime.
family() {
    cat /proc/[0-9]*/stat | sed -n 's/^\([0-9]*\) (.*) [^ZX] /\1 /p' |
    awk -v top="$child" -v known=" $kin " '
        { parent[$1] = $2; name[$1] = $1 "/" $20 }
        $1 == top || $3 == top || $4 == top || index(known, " " name[$1] " ") { found[$1] }
        END {
            do {
                more = 0
                for (pid in parent)
                    if (!(pid in found) && parent[pid] in found) { found[pid]; more = 1 }
            } while (more)
            for (pid in found) printf "%s ", name[pid]
        }'
}
end() {
    kin=$(family)
    case $1 in
    KILL) for one in $kin; do kill -s KILL "${one%/*}"; done ;;
    *) kill -s "$1" -- "-$child" || kill -s "$1" "$child" ;;
    esac
}
{
    kin=
    while read -r signal; do
        if [ -z "$kin" ]; then
            trap '' TERM  # from now on this goes on until nobody is left, and no longer
            read -r me rest </proc/self/stat
            kin=$(family)
            { while [ "$kin" ]; do sleep 0.1; kin=$(family); done; kill -s KILL "$me"; } &
        fi
        end "$signal"
    done
    trap '' TERM
    for pause in 0.2 0.5 1 1 1 1; do
        end TERM
        [ "$kin" ] || exit
        sleep "$pause"
    done
    end KILL
} <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&- 4<&-
wait "$child"; status=$?
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exit "$status"
