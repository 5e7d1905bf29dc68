# shellcheck shell=sh
# Functions for directories that nobody but their owner can change. hosts/private.py calls them, and
# puts them before scripts that keep something. What is made from here on is the owner's alone.
# A refusal says why on standard error and ends the script with status 77; 78: it is root's, not ours.
umask 077

refuse_place() { printf '%s\n' "$*" >&2; exit 77; }

# Ends well where only root and we can put something else at the absolute path $1: each directory on
# the way, and each link that leads it on, belongs to one of us, and a directory that others may write
# to is sticky, where they can rename only what is theirs (unlink(2), EPERM). What is not there yet is
# no objection. With "private" as $2, what is there is a directory of ours, no link, that nobody else
# can write to. A subshell, so that its variables are its own.
trusted_place() (
    me=$(id -u) at='' rest=$1 links=0 place=$1 kind=${2:-}
    case $place in /*) ;; *) refuse_place "$place is no absolute path" ;; esac
    [ "$kind" != private ] || [ ! -L "$place" ] || refuse_place "$place is a symbolic link"
    set -- /
    while [ -n "$rest" ]; do
        part=${rest%%/*}
        case $rest in */*) rest=${rest#*/} ;; *) rest='' ;; esac
        case $part in '' | .) continue ;; ..) at=${at%/*}; continue ;; esac
        if [ -L "$at/$part" ]; then
            set -- "$@" "$at/$part"
            links=$((links + 1))
            [ "$links" -le 40 ] || refuse_place "$place leads through too many links"
            to=$(readlink "$at/$part") || refuse_place "$at/$part cannot be read"
            case $to in /*) at='' ;; esac
            rest=$to/$rest
        elif [ -e "$at/$part" ]; then
            set -- "$@" "$at/$part"
            at=$at/$part
        else
            kind=''
            break
        fi
    done
    # The mode is in hexadecimal digits, with the type: 4 a directory, a link, whose own means nothing.
    stat -c '%u %g %f %n' -- "$@" | {
        last=''
        while read -r owner group mode name; do
            last=$owner/$mode
            [ "$owner" = 0 ] || [ "$owner" = "$me" ] ||
                refuse_place "$name belongs to the user with the number $owner"
            case $mode in a???) continue ;; esac
            mode=$((0x$mode))
            [ $((mode & 01000)) -eq 0 ] || continue
            [ $((mode & 02)) -eq 0 ] || refuse_place "$name is writable by others and not sticky"
            [ $((mode & 020)) -eq 0 ] || [ "$group" = 0 ] ||
                refuse_place "$name is writable by the group with the number $group"
        done
        [ "$last" ] || refuse_place "$place cannot be looked at"
        [ "$kind" = private ] || exit 0
        case $last in
        "$me"/4???) ;;
        */4???) printf '%s\n' "$place belongs to root" >&2; exit 78 ;;
        *) refuse_place "$place is no directory" ;;
        esac
        [ $((0x${last#*/} & 022)) -eq 0 ] || refuse_place "$place is writable by others"
    }
)

# Each directory is private, with all that is in it, or is not there and can be made so.
private_places() {
    command -v find >/dev/null || refuse_place "without find nothing can be looked at"
    for directory; do
        trusted_place "$directory" private || exit
        [ -d "$directory" ] || continue
        odd=$(find "$directory" ! -user "$(id -u)" -print -o -perm -002 -print -o -perm -020 -print \
            -o ! -type d ! -type f -print 2>/dev/null | head -n 1) # something may go meanwhile
        [ -z "$odd" ] || refuse_place "$odd belongs to another user, is writable by others," \
            "or is neither a file nor a directory"
    done
}

# The same, and it is there with mode 0700.
make_private() {
    for directory; do
        private_places "$directory"
        { mkdir -p -- "$directory" && chmod 700 -- "$directory"; } || exit
        trusted_place "$directory" private || exit
    done
}

# Prints a new directory: $1 with its last six X replaced, in $2, else in $TMPDIR, else in /tmp.
temporary_directory() {
    directory=${2:-${TMPDIR:-/tmp}}
    trusted_place "$directory" || exit
    mktemp -d -- "$directory/$1"
}
