# image.py: the file system of an image from what is in tree.tar, with $1 MiB more than that takes.
# shellcheck shell=sh

set -eu
mkdir tree
tar --extract --numeric-owner --directory tree --file tree.tar
rm tree.tar
if [ -e extracted ]; then ./extracted tree; fi
./customize tree "$PWD/key.pub"
size=$(( $(du --summarize --block-size=1M tree | cut -f 1) * 11 / 10 + $1 ))
truncate --size "${size}M" root.ext4
mke2fs -q -t ext4 -O ^has_journal,^resize_inode -m 0 -L lab -d tree root.ext4
