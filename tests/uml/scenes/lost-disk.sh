# A RAID 1 and a linear volume of LVM, and an md RAID 1, one of whose disks was pulled out.
# disks: 2
set -e
/run/modprobe scsi_debug dev_size_mb=64 delay=0
/run/modprobe sd_mod
/run/modprobe dm-raid
while [ ! -b /dev/sda ]; do sleep 0.1; done
parted -s /dev/sda mklabel gpt mkpart first 1MiB 40MiB mkpart second 40MiB 100%
mdadm -q --create /dev/md0 --run -l 1 -n 2 --assume-clean /dev/ubdb /dev/sda2
vgcreate -q vg0 /dev/ubda /dev/sda1
lvcreate -qy -L 16M --type raid1 -m 1 -n pair vg0
lvcreate -qy -L 16M -n lone vg0 /dev/sda1
while lvs --noheadings -o copy_percent vg0/pair | grep -qv 100; do sleep 0.2; done
echo 1 > /sys/block/sda/device/delete
dd if=/dev/zero of=/dev/md0 bs=64k count=16 oflag=direct conv=fsync
dd if=/dev/zero of=/dev/vg0/pair bs=64k count=16 oflag=direct conv=fsync
