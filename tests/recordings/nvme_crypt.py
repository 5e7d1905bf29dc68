"""An Ubuntu 24.04 workstation: one NVMe disk, LUKS, LVM on it, ext4; a USB disk off the grid."""

from __future__ import annotations

from tests.recordings.machine import GIB, Machine

_DISK = 2000398934016

QUEUE: dict[str, str | int] = {
    "scheduler": "[none] mq-deadline", "nr_requests": 1023, "rq_affinity": 1, "read_ahead_kb": 128,
    "nomerges": 0, "max_sectors_kb": 128, "write_cache": "write back", "wbt_lat_usec": 2000,
    "add_random": 0, "iostats": 1, "rotational": 0, "logical_block_size": 512,
    "physical_block_size": 512, "minimum_io_size": 512, "optimal_io_size": 0, "fua": 1,
    "zoned": "none", "discard_max_bytes": 2199023255040,
}  # fmt: skip


def nvme_crypt() -> Machine:
    """The machine."""
    made = Machine("desk", "6.8.0-45-generic", cpus=16, memory=64 * GIB)
    made.file("/etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian')
    made.block("nvme0n1", "259:0", "disk", _DISK, queue=QUEUE, tran="nvme", pttype="gpt",
               model="Samsung SSD 990 PRO 2TB", serial="S7HENJ0X000001A", rev="4B2QJXD7",
               subsystems="block:nvme:pci", phy_sec=512, log_sec=512)  # fmt: skip
    sectors = {"nvme0n1p1": (2048, GIB), "nvme0n1p2": (2099200, 2 * GIB)}
    for number, (name, (start, size)) in enumerate(sectors.items(), start=1):
        made.part(name, f"259:{number}", "nvme0n1", start, size, pttype="gpt",
                  fstype="vfat" if number == 1 else "ext4")  # fmt: skip
    made.part("nvme0n1p3", "259:3", "nvme0n1", 6293504, _DISK - 6293504 * 512 - 1024**2,
              pttype="gpt", fstype="crypto_LUKS", parttypename="Linux filesystem")  # fmt: skip
    crypt = _DISK - 6293504 * 512 - 17 * 1024**2
    stacked = {key: value for key, value in QUEUE.items()
               if key not in {"scheduler", "nr_requests", "wbt_lat_usec"}}  # fmt: skip
    made.block("dm-0", "252:0", "crypt", crypt, "nvme0n1p3", queue=stacked,
               name="dm_crypt-0", path="/dev/mapper/dm_crypt-0", fstype="LVM2_member")  # fmt: skip
    made.block("dm-1", "252:1", "lvm", 100 * GIB, "dm-0", queue=stacked, fstype="ext4",
               name="ubuntu--vg-ubuntu--lv", path="/dev/mapper/ubuntu--vg-ubuntu--lv")  # fmt: skip
    names = {"dm-0": ("dm_crypt-0", "CRYPT-LUKS2-" + "c" * 32 + "-dm_crypt-0"),
             "dm-1": ("ubuntu--vg-ubuntu--lv", "LVM-" + "u" * 64)}  # fmt: skip
    for kernel, (name, uuid) in names.items():
        made.file(f"/sys/block/{kernel}/dm/name", name)
        made.file(f"/sys/block/{kernel}/dm/uuid", uuid)
    _usb(made)
    made.mount("28 1 252:1 / / rw,relatime shared:1 - ext4 /dev/mapper/ubuntu--vg-ubuntu--lv rw")
    made.mount("96 28 259:2 / /boot rw,relatime shared:45 - ext4 /dev/nvme0n1p2 rw")
    made.mount("99 96 259:1 / /boot/efi rw,relatime shared:47 - vfat /dev/nvme0n1p1 "
               "rw,fmask=0022,dmask=0022,codepage=437")  # fmt: skip
    made.mount(r"180 28 8:1 / /media/me/My\040Disk rw,nosuid,nodev shared:90 - exfat /dev/sda1 rw")
    return made


def _usb(made: Machine) -> None:
    """An advanced-format disk behind a bridge, partitioned at sector 63 by an old camera."""
    queue: dict[str, str | int] = {
        **QUEUE, "scheduler": "none [mq-deadline]", "rotational": 1, "physical_block_size": 4096,
        "minimum_io_size": 4096, "optimal_io_size": 33553920, "fua": 0, "discard_max_bytes": 0,
        "nr_requests": 2,
    }  # fmt: skip
    made.block("sda", "8:0", "disk", 1000204885504, queue=queue, tran="usb", vendor="WD",
               model="Elements 25A2", hctl="6:0:0:0", rota=True, pttype="dos",
               phy_sec=4096, log_sec=512)  # fmt: skip
    made.file("/sys/block/sda/device/queue_depth", "1")
    made.part("sda1", "8:1", "sda", 63, 1000204885504 - 63 * 512, fstype="exfat", pttype="dos",
              label="My Disk", rota=True)  # fmt: skip
