# Behind caching.sh: ends what the label began. CACHE ORIGIN UUID.
# 2048 is HEADER of caching.py, in sectors; 256 the same in blocks of 4 KiB.
# shellcheck shell=sh

# forget CACHE: takes the label away, then the kernel's superblock.
forget() {
    dd if=/dev/zero of="$1" bs=4096 count=1 oflag=direct conv=notrunc status=none &&
    dd if=/dev/zero of="$1" bs=4096 seek=256 count=1 oflag=direct conv=notrunc status=none
}

recall "$1" "$2" "$3"
case $? in 0) forget "$1";; 2) ;; *) exit 1;; esac
