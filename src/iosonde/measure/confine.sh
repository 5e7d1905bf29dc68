# confine.py: makes the control group $1 whose memory is limited to $2 bytes, in either version, and
# prints its directory.
# shellcheck shell=sh

if test -e /sys/fs/cgroup/cgroup.controllers; then
    base=/sys/fs/cgroup limit=memory.max
    grep -qw memory $base/cgroup.subtree_control || echo +memory >$base/cgroup.subtree_control
else
    base=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
fi
mkdir "$base/$1" && echo "$2" >"$base/$1/$limit" && echo "$base/$1"
