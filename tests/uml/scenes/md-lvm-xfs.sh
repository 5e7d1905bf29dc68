# A file server: RAID 6 with a bitmap under LVM and XFS, RAID 10 with a spare under ext4.
# disks: 10
set -e
mdadm -q --create /dev/md0 --run --bitmap internal -l 6 -n 5 -c 64 --assume-clean /dev/ubd[a-e]
mdadm -q --create /dev/md1 --run -l 10 -n 4 --layout f2 -c 256 --assume-clean -x 1 /dev/ubd[f-j]
pvcreate -q /dev/md0
vgcreate -q -s 1M vg-data /dev/md0
lvcreate -q -y -L 1100M -n home vg-data
lvcreate -q -y -L 100M -n logs vg-data
mkfs.xfs -q /dev/vg-data/home
mkfs.ext4 -q -E stride=64,stripe_width=128 /dev/md1
mkdir -p /run/home /run/srv
mount /dev/vg-data/home /run/home
mount -o data=journal /dev/md1 /run/srv
