# Device-mapper without LVM, bcache and btrfs: a LUN over two paths, one of them failed; LUKS;
# dm-cache; dm-writecache; a striped device that is suspended; btrfs over two devices and over one.
# disks: 11
set -e
/run/modprobe scsi_debug vpd_use_hostno=0 add_host=2 dev_size_mb=32 delay=0
for module in sd_mod dm-multipath dm-service-time dm-cache dm-cache-smq dm-writecache dm-crypt \
    bcache btrfs; do
    /run/modprobe "$module"
done
first=$(cat /sys/block/sda/dev) second=$(cat /sys/block/sdb/dev)
dmsetup create --uuid mpath-3333333000002710 mpatha --table "0 65536 multipath 1 \
queue_if_no_path 0 2 1 service-time 0 1 2 $first 1 1 service-time 0 1 2 $second 1 1"
dmsetup message mpatha 0 fail_path "$second"
printf secret | cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
    --sector-size 4096 /dev/ubda -
printf secret | cryptsetup open --allow-discards --key-file - /dev/ubda secret
dmsetup create origin --table "0 200000 linear /dev/ubdb 0"
dmsetup create fast --table "0 65536 linear /dev/ubdc 16384"
dmsetup create fastmeta --table "0 8192 linear /dev/ubdc 0"
dmsetup create cached --table "0 200000 cache /dev/mapper/fastmeta /dev/mapper/fast \
/dev/mapper/origin 128 1 writeback smq 0"
dmsetup create written --table "0 200000 writecache s /dev/ubdd /dev/ubde 4096 2 high_watermark 60"
dmsetup create stripes --table "0 65536 striped 2 64 /dev/ubdf 0 /dev/ubdf 40960"
dmsetup suspend stripes
make-bcache -w 4k -C /dev/ubdj
make-bcache -w 4k -B /dev/ubdg
echo /dev/ubdj > /sys/fs/bcache/register
echo /dev/ubdg > /sys/fs/bcache/register
basename /sys/fs/bcache/*-*-* > /sys/block/bcache0/bcache/attach
echo writeback > /sys/block/bcache0/bcache/cache_mode
dd if=/dev/urandom of=/dev/bcache0 bs=64k count=64 oflag=direct
mkfs.btrfs -q -f -d raid1 -m raid1 /dev/ubdh /dev/ubdi > /dev/null
mkfs.btrfs -q -f -d single -m dup /dev/ubdk > /dev/null
mkdir -p /run/pair /run/lone
mount /dev/ubdh /run/pair
mount /dev/ubdk /run/lone
