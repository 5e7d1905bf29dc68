#!/bin/sh
# shellcheck disable=SC2034,SC2283,SC2094
# What tells a device, a file, a mount or any other thing from whatever else ever has its name.
# identity.py calls it, after md's uuid.sh, and says what the keys mean. It needs a POSIX shell, util-linux and coreutils.
#
#   read [WHAT NAME ASK]...
#       A line with the id of the boot. Then of each thing, in turn, a line `@ PATH` (empty where it is not there), lines KEY<tab>VALUE of
#       what it is, a line `=`, and lines KEY<tab>VALUE of what is on it.
#   find
#       The same of every block device of the host, without what is on it.
#   run COUNT [WHAT HOLD PATH ASK IS HAS]... COMMAND [ARGUMENT]...
#       Runs a command if COUNT things still are what they were, or are gone, and if nothing else is
#       on them than was, or nothing at all. What is to be held is open from before it is looked at
#       until the command has ended: the kernel gives the number of an open device to no other. What
#       is another ends it with status 77, and what is there instead on standard error.
#
# WHAT is device, file, mount or output. ASK is shell text that prints the path of a device, or what
# tells an output from others.

tab=$(printf '\t')
limit=20 # seconds for a device that may not answer any more

# say KEY VALUE: a line, blanks counted as one; nothing for no value.
say() {
    key=$1
    set -f
    # shellcheck disable=SC2086
    set -- $2
    set +f
    if [ $# -gt 0 ]; then printf '%s\t%s\n' "$key" "$*"; fi
}

# attribute KEY FILE...: what the first of some files of one line says.
attribute() {
    name=$1
    shift
    for one; do
        [ -r "$one" ] || continue
        value=
        IFS= read -r value <"$one" 2>/dev/null || [ -n "$value" ] || continue
        [ -n "$value" ] && say "$name" "$value" && return
    done
}

# number PATH: MAJOR:MINOR of a device node, as sysfs writes it.
number() {
    # shellcheck disable=SC2046
    set -- $(stat -L -c '%t %T' -- "$1" 2>/dev/null) || return
    [ $# = 2 ] && echo "$((0x$1)):$((0x$2))"
}

# is_device MAJOR:MINOR: of a partition also what its disk is, under keys with `disk.` before them.
# Nothing of a device without a size: a loop device without a file is there, but it is no disk.
is_device() {
    place=$(readlink -f "/sys/dev/block/$1") && [ -d "$place" ] || return 1
    read -r sectors <"$place/size" && [ "$sectors" != 0 ] || return 1
    say size "$sectors"
    before=
    if [ -e "$place/partition" ]; then
        before=disk.
        attribute partition "$place/partition"
        attribute start "$place/start"
        node="/dev/${place##*/}"
        if [ "$(number "$node")" = "$1" ]; then
            say partuuid "$(timeout $limit blkid --probe --match-tag PART_ENTRY_UUID \
                --output value -- "$node" 2>/dev/null)"
        fi
        place=${place%/*}
    fi
    kernel=${place##*/}
    attribute "${before}diskseq" "$place/diskseq"
    attribute "${before}wwid" "$place/wwid" "$place/device/wwid"
    attribute "${before}serial" "$place/serial" "$place/device/serial"
    attribute "${before}cid" "$place/device/cid"
    attribute "${before}dm.uuid" "$place/dm/uuid"
    attribute "${before}dm.name" "$place/dm/name"
    case $kernel in
        loop*) [ ! -d "$place/loop" ] || is_loop ;;
        md*) say "${before}md.uuid" "$(md_uuid --detail "/dev/$kernel")" ;;
        bcache*) attribute "${before}bcache.uuid" "$place/bcache/backing_dev_uuid" ;;
        nbd*) attribute "${before}nbd.pid" "$place/pid" ;;
    esac
}

# is_loop: of the loop device at $place, its file, and when that was made where it has its name yet.
is_loop() {
    inode=$(losetup --list --noheadings --raw --output BACK-INO "/dev/$kernel" 2>/dev/null |
        sed 's/\\x20//g')
    say "${before}loop.inode" "$inode"
    attribute "${before}loop.offset" "$place/loop/offset"
    attribute "${before}loop.sizelimit" "$place/loop/sizelimit"
    attribute "${before}loop.file" "$place/loop/backing_file"
    file=
    IFS= read -r file <"$place/loop/backing_file"
    stat -c '%i %.9W' -- "$file" 2>/dev/null | {
        read -r found born
        [ "$found" != "$inode" ] || [ "$born" = "0.000000000" ] || say "${before}loop.born" "$born"
    }
}

# is_file PATH
is_file() {
    stat -L -c '%i %.9W' -- "$1" | {
        read -r inode born
        say inode "$inode"
        [ "$born" = "0.000000000" ] || say born "$born"
    }
}

# is_mount POINT: what was mounted there last (proc_pid_mountinfo(5)).
is_mount() {
    found=$(POINT=$1 awk '$5 == ENVIRON["POINT"] {
        for (i = 7; $i != "-"; i++) { }
        what = $3 " " $(i + 1) " " $(i + 2)
    } END { print what }' /proc/self/mountinfo)
    # shellcheck disable=SC2086
    set -- $found
    [ $# = 3 ] || return 1
    say fstype "$2"
    at=$1
    if [ ! -e "/sys/dev/block/$at" ] && [ -b "$3" ]; then at=$(number "$3"); fi
    if [ -e "/sys/dev/block/$at" ]; then is_device "$at"; else say source "$3"; fi
}

# on PATH: what a device or a file carries.
on() {
    if [ -b "$1" ] &&
        ! timeout $limit dd if="$1" of=/dev/null bs=4096 count=1 iflag=direct status=none 2>/dev/null
    then
        say type unreadable
        return
    fi
    # No other tag: a label is text of whoever wrote the device.
    told=$(timeout $limit blkid --probe --output export -s TYPE -s UUID -s PTTYPE -s PTUUID -- \
        "$1" 2>/dev/null)
    case $? in
        0) printf '%s\n' "$told" | while IFS='=' read -r key value; do
            case $key in
                TYPE) say type "$value" ;;
                UUID) say uuid "$value" ;;
                PTTYPE) say pttype "$value" ;;
                PTUUID) say ptuuid "$value" ;;
            esac
        done ;;
        2) ;;
        8) say type ambivalent ;;
        *) say type unreadable ;;
    esac
}

# is WHAT PATH ASK and has WHAT PATH: what a thing is, and what is on it.
is() {
    case $1 in
        device) [ ! -b "$2" ] || is_device "$(number "$2")" ;;
        file) [ ! -f "$2" ] || is_file "$2" ;;
        mount) is_mount "$2" ;;
        output) say output "$(eval "$3" 2>/dev/null </dev/null)" ;;
    esac
}
has() {
    case $1 in
        device) [ ! -b "$2" ] || on "$2" ;;
        file)
            [ -f "$2" ] || return
            on "$2"
            # shellcheck disable=SC2046
            say attached "$(losetup --noheadings --output NAME --associated "$2")" ;;
    esac
}

# path WHAT NAME ASK: the kernel's name of a device, or none; of others the name.
path() {
    case $1 in
        device)
            name=$2
            if [ -n "$3" ]; then name=$(eval "$3" 2>/dev/null </dev/null); fi
            [ -b "$name" ] || return
            at=$(number "$name")
            kernel=$(readlink -f "/sys/dev/block/$at")
            node="/dev/$(printf %s "${kernel##*/}" | tr '!' /)"
            if [ "$(number "$node")" = "$at" ]; then echo "$node"; else echo "$name"; fi ;;
        file) [ ! -f "$2" ] || [ -h "$2" ] || echo "$2" ;;
        *) echo "$2" ;;
    esac
}

describe() {
    while [ $# -gt 2 ]; do
        where=$(path "$1" "$2" "$3")
        echo "@ $where"
        if [ -n "$where" ]; then
            is "$1" "$where" "$3"
            echo =
            has "$1" "$where"
        else
            echo =
        fi
        shift 3
    done
}

find_all() {
    for one in /sys/class/block/*; do
        read -r at <"$one/dev" || continue
        echo "@ /dev/$(printf %s "${one##*/}" | tr '!' /)"
        is_device "$at"
        echo =
    done 2>/dev/null
}

# same WHAT PATH ASK IS HAS: see `run`. A device that is held is also looked at by its descriptor.
same() {
    now=$(is "$1" "$2" "$3")
    [ -n "$now" ] || return 0
    on_it=$(has "$1" "$2")
    [ "$now" = "$4" ] && { [ -z "$on_it" ] || [ "$on_it" = "$5" ]; } && return
    printf '%s is another now: %s\n' "$2" "$(printf '%s %s' "$now" "$on_it" | tr '\n\t' ', ')" >&2
    exit 77
}

held() {
    [ "$1" != device ] || [ "$(number "$2")" = "$(number /proc/self/fd/3)" ] || {
        echo "$2 became another device" >&2
        exit 77
    }
}

run() {
    count=$1
    shift
    if [ "$count" -eq 0 ]; then
        "$@"
        return
    fi
    if [ "$2" = hold ] && { [ -b "$3" ] || [ -f "$3" ]; } && (: <"$3") 2>/dev/null; then
        {
            held "$1" "$3"
            same "$1" "$3" "$4" "$5" "$6"
            shift 6
            run $((count - 1)) "$@"
        } 3<"$3"
    else
        same "$1" "$3" "$4" "$5" "$6"
        shift 6
        run $((count - 1)) "$@"
    fi
}

verb=$1
shift
[ "$verb" = run ] || cat /proc/sys/kernel/random/boot_id || exit
case $verb in
    read) describe "$@" ;;
    find) find_all ;;
    run) run "$@" ;;
esac
