# What is on a device, and how a cache is attached to it and detached: DEVICE CACHE SET, behind
# `number` and `value`. udev registers what carries a superblock as well, so each of this may have
# happened already.
# shellcheck shell=sh disable=SC2154

at=/sys/dev/block/$(number "$1")/bcache
set_=/sys/fs/bcache/$3
# wait_for SECONDS MESSAGE COMMAND...: until the command succeeds.
wait_for() {
    end=$(($(date +%s) + $1)) message=$2
    shift 2
    until "$@"; do
        if [ "$(date +%s)" -ge "$end" ]; then echo "$message" >&2; return 1; fi
        sleep 0.2
    done
}
attached() {
    [ -e "$at/cache" ] && return
    for one in "$2" "$1"; do readlink -f "$one" >/sys/fs/bcache/register_quiet; done 2>/dev/null
    if [ -d "$set_" ] && [ -e "$at/attach" ]; then echo "$3" >"$at/attach"; fi 2>/dev/null
    [ -e "$at/cache" ]
}
detached() { [ ! -e "$at/cache" ]; }
stopped() { [ ! -e "$at" ] && [ ! -e "$set_" ]; }
attach() { wait_for 20 "the cache cannot be attached: the kernel's log says why" attached "$@"; }
# detach SECONDS: the kernel writes back what is dirty first.
detach() {
    detached || echo 1 >"$at/detach" || return
    wait_for "$1" "still dirty: $(cat "$at/dirty_data" 2>/dev/null)" detached
}
stop() {
    [ ! -e "$at/stop" ] || echo 1 >"$at/stop" || return
    [ ! -e "$set_/stop" ] || echo 1 >"$set_/stop" || return
    wait_for 20 "bcache does not let go of its devices" stopped
}
