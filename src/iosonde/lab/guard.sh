# up.py: reads one word; without it, iosonde has died: ends the processes whose command lines name the
# lab, whose directory is $1.
# shellcheck shell=sh

read -r word
[ "$word" = whole ] && exit 0
for file in "$1"/*.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    tr '\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -qF "$1" && kill -9 "$pid"
done
rm -rf "$1"
