# LVM of every kind that lvm2 2.03 makes by itself.
# disks: 4
set -e
for module in dm-thin-pool dm-cache dm-cache-smq dm-writecache dm-raid dm-mirror dm-snapshot; do
    /run/modprobe "$module"
done
vgcreate -q my-vg /dev/ubda /dev/ubdb /dev/ubdc /dev/ubdd
lvcreate -qy -L 16M -i 2 -I 64k -n striped my-vg
lvcreate -qy -L 16M --type raid5 -i 2 -I 32k -n r5 my-vg
lvcreate -qy -L 16M --type raid10 -i 2 -m 1 -I 32k -n r10 my-vg
lvcreate -qy -L 16M --type raid1 -m 1 -n r1 my-vg
lvcreate -qy -L 16M --type mirror -m 1 -n mir my-vg
lvcreate -qy -L 32M -T my-vg/pool -c 128k
lvcreate -qy -V 100M -T my-vg/pool -n thin
lvcreate -qy -s -L 8M -n snap my-vg/striped
lvcreate -qy -L 32M -n slow my-vg /dev/ubda
lvcreate -qy -L 16M -n fast my-vg /dev/ubdd
lvconvert -qy --type cache --cachevol fast --cachemode writeback my-vg/slow
lvcreate -qy -an -L 32M -n slow2 my-vg /dev/ubda
lvcreate -qy -an -L 8M -n fast2 my-vg /dev/ubdd
lvconvert -qy --type writecache --cachevol fast2 my-vg/slow2
lvchange -ay my-vg/slow2
lvcreate -qy -L 32M -n multi my-vg /dev/ubda
lvextend -qy -L +8M my-vg/multi /dev/ubdd
dd if=/dev/urandom of=/dev/my-vg/thin bs=1M count=31 conv=fsync
