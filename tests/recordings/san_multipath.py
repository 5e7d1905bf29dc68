"""A SUSE 12 database host booted from a SAN: four Fibre Channel paths, multipath, LVM, XFS."""

from __future__ import annotations

from tests.recordings.machine import GIB, Machine

QUEUE: dict[str, str | int] = {
    "scheduler": "noop [deadline] cfq", "nr_requests": 128, "rq_affinity": 1, "read_ahead_kb": 1024,
    "nomerges": 0, "max_sectors_kb": 16384, "write_cache": "write through", "wbt_lat_usec": 0,
    "add_random": 0, "iostats": 1, "rotational": 0, "logical_block_size": 512,
    "physical_block_size": 512, "minimum_io_size": 16384, "optimal_io_size": 16777216,
    "zoned": "none", "discard_max_bytes": 33554432,
}  # fmt: skip
_BOOT = "360002ac000000000000000320001da07"
_DATA = "VV0056"


def san_multipath() -> Machine:
    """The machine."""
    made = Machine("db1", "4.12.14-95.45-default", cpus=32, memory=256 * GIB, old_lsblk=True)
    made.file("/etc/os-release", 'NAME="SLES"\nID="sles"\nID_LIKE="suse"')
    luns = {"sda": 0, "sdb": 1, "sdc": 0, "sdd": 1}
    for index, (disk, lun) in enumerate(luns.items()):
        made.block(disk, f"8:{index * 16}", "disk", 256 * GIB if lun == 0 else 1024 * GIB,
                   queue=QUEUE, tran="fc", vendor="3PARdata", model="VV", rev="3310",
                   hctl=f"{1 + index // 2}:0:0:{lun}", subsystems="block:scsi:pci",
                   wwn=f"0x60002ac00000000000000{lun}", state="running")  # fmt: skip
        made.file(f"/sys/block/{disk}/device/queue_depth", "64")
    # multipath maps have a request queue, but their schedulers and depth are not those of a disk.
    mapped = {key: value for key, value in QUEUE.items() if key != "wbt_lat_usec"}
    mapped |= {"scheduler": "none", "nr_requests": 2048}
    made.block("dm-0", "254:0", "mpath", 256 * GIB, "sda", "sdc", queue=mapped, name=_BOOT)
    made.block("dm-1", "254:1", "mpath", 1024 * GIB, "sdb", "sdd", queue=mapped, name=_DATA,
               fstype="LVM2_member")  # fmt: skip
    stacked = {key: value for key, value in mapped.items()
               if key not in {"scheduler", "nr_requests"}}  # fmt: skip
    spans = ((2, 240 * 1024**2, "vfat"), (3, 2 * GIB, "swap"), (4, 253 * GIB, "btrfs"))
    for minor, size, fstype in spans:
        made.block(f"dm-{minor}", f"254:{minor}", "part", size, "dm-0", queue=stacked,
                   name=f"{_BOOT}-part{minor - 1}", fstype=fstype)  # fmt: skip
    made.block("dm-5", "254:5", "lvm", 900 * GIB, "dm-1", queue=stacked, name="vgdb-oradata",
               fstype="xfs")  # fmt: skip
    names = {0: (_BOOT, f"mpath-{_BOOT}"), 1: (_DATA, f"mpath-360002ac00000000000000056{0:08d}"),
             5: ("vgdb-oradata", "LVM-" + "d" * 64)}  # fmt: skip
    names |= {at: (f"{_BOOT}-part{at - 1}", f"part{at - 1}-mpath-{_BOOT}") for at in (2, 3, 4)}
    for minor, (name, uuid) in names.items():
        made.file(f"/sys/block/dm-{minor}/dm/name", name)
        made.file(f"/sys/block/dm-{minor}/dm/uuid", uuid)
    made.swap("/dev/dm-3", 2 * GIB)
    made.mount(
        f"20 1 0:33 /@/.snapshots/1/snapshot / rw,relatime shared:1 - btrfs "
        f"/dev/mapper/{_BOOT}-part3 rw,space_cache,subvolid=259,subvol=/@/snapshot"
    )
    made.mount(
        f"50 20 254:2 / /boot/efi rw,relatime shared:20 - vfat "
        f"/dev/mapper/{_BOOT}-part1 rw,fmask=0002"
    )
    made.mount(
        "60 20 254:5 / /oradata rw,noatime shared:25 - xfs /dev/mapper/vgdb-oradata "
        "rw,attr2,inode64,noquota"
    )
    return made
