# md arrays at work on themselves and in need: rebuild, resync with a failed member, reshape.
# disks: 14
set -e
echo 200 > /proc/sys/dev/raid/speed_limit_max
echo 50 > /proc/sys/dev/raid/speed_limit_min
mdadm -q --create /dev/md0 --run -l 5 -n 3 -c 64 /dev/ubda /dev/ubdb /dev/ubdc
mdadm -q --create /dev/md1 --run -l 10 -n 4 -c 64 --bitmap internal /dev/ubd[defg]
mdadm -q /dev/md1 --fail /dev/ubdg
mdadm -q --create /dev/md2 --run -l 5 -n 3 -c 64 --assume-clean /dev/ubd[hij]
mdadm -q /dev/md2 --add /dev/ubdk
mdadm -q --grow /dev/md2 -n 4
mdadm -q --create /dev/md3 --run -l 1 -n 2 -x 1 --assume-clean /dev/ubd[lmn]
sleep 4
