"""A Debian 12 file server: four SATA disks, md RAID 1 and a degraded RAID 5, LVM, XFS."""

from __future__ import annotations

import json

from tests.recordings.machine import GIB, Machine

_DISK = 4000787030016
_BOOT = GIB
_DATA = 3999580979200

QUEUE: dict[str, str | int] = {
    "scheduler": "none [mq-deadline]", "nr_requests": 64, "rq_affinity": 1, "read_ahead_kb": 128,
    "nomerges": 0, "max_sectors_kb": 1280, "write_cache": "write back", "wbt_lat_usec": 75000,
    "add_random": 0, "iostats": 1, "rotational": 1, "logical_block_size": 512,
    "physical_block_size": 4096, "minimum_io_size": 4096, "optimal_io_size": 0, "fua": 0,
    "zoned": "none", "discard_max_bytes": 0,
}  # fmt: skip


def sata_md_lvm() -> Machine:
    """The machine."""
    made = Machine("filer", "6.1.0-18-amd64", cpus=8, memory=32 * GIB)
    made.file("/etc/os-release", 'NAME="Debian GNU/Linux"\nID=debian')
    for index, letter in enumerate("abcd"):
        disk, minor = f"sd{letter}", index * 16
        made.block(
            disk, f"8:{minor}", "disk", _DISK, queue=QUEUE, rota=True, tran="sata",
            model="WDC WD40EFRX-68N32N0", vendor="ATA", rev="0A82", hctl=f"{index}:0:0:0",
            serial=f"WD-WCC7K00000{index}", pttype="gpt", subsystems="block:scsi:pci",
            phy_sec=4096, log_sec=512,
        )  # fmt: skip
        made.file(f"/sys/block/{disk}/device/queue_depth", "32")
        # The last disk was partitioned by an old tool: its second partition is off the sectors.
        start = 2099200 if letter != "d" else 2099263
        made.part(f"{disk}1", f"8:{minor + 1}", disk, 2048, _BOOT, fstype="linux_raid_member",
                  pttype="gpt", parttypename="Linux RAID")  # fmt: skip
        made.part(f"{disk}2", f"8:{minor + 2}", disk, start, _DATA, fstype="linux_raid_member",
                  pttype="gpt", parttypename="Linux RAID")  # fmt: skip
    _arrays(made)
    _volumes(made)
    return made


def _arrays(made: Machine) -> None:
    """md0 over all four; md1 has lost sdd2, which is still there but no member."""
    plain: dict[str, str | int] = {
        **QUEUE, "scheduler": "none", "nr_requests": 128, "write_cache": "write back",
    }  # fmt: skip
    del plain["wbt_lat_usec"]
    made.block("md0", "9:0", "raid1", _BOOT - 1024**2, "sda1", "sdb1", "sdc1", "sdd1",
               queue=plain, rota=True, fstype="ext4")  # fmt: skip
    striped: dict[str, str | int] = {
        **plain, "minimum_io_size": 524288, "optimal_io_size": 1572864, "read_ahead_kb": 3072,
    }  # fmt: skip
    made.block("md1", "9:1", "raid5", 11998335959040, "sda2", "sdb2", "sdc2",
               queue=striped, rota=True, fstype="LVM2_member")  # fmt: skip
    for name, level, disks, wanted, lost in (("md0", "raid1", 4, 4, 0), ("md1", "raid5", 3, 4, 1)):
        place = f"/sys/block/{name}/md"
        chunk = 524288 if level == "raid5" else 0
        for key, value in {
            "level": level, "raid_disks": wanted, "degraded": lost, "chunk_size": chunk,
            "array_state": "clean", "sync_action": "idle", "sync_completed": "none",
            "metadata_version": "1.2", "layout": 2 if level == "raid5" else 0,
            "mismatch_cnt": 0, "component_size": _BOOT // 1024 if disks == 4 else _DATA // 1024,
            "sync_speed_min": "1000 (system)", "sync_speed_max": "200000 (system)",
            "consistency_policy": "bitmap" if level == "raid5" else "resync",
        }.items():  # fmt: skip
            made.file(f"{place}/{key}", str(value))
    for key, value in {"stripe_cache_size": "256", "group_thread_cnt": "0", "rmw_level": "1",
                       "preread_bypass_threshold": "1", "skip_copy": "0"}.items():  # fmt: skip
        made.file(f"/sys/block/md1/md/{key}", value)
    for array, part in (("md0", 1), ("md1", 2)):
        for letter in "abcd" if array == "md0" else "abc":
            place = f"/sys/block/{array}/md/dev-sd{letter}{part}"
            made.file(f"{place}/state", "in_sync")
            made.file(f"{place}/slot", str("abcd".index(letter)))
    made.file(
        "/proc/mdstat",
        "Personalities : [raid1] [raid6] [raid5] [raid4] \n"
        "md1 : active raid5 sdc2[2] sdb2[1] sda2[0]\n"
        "      11717124960 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/3] [UUU_]\n"
        "      bitmap: 11/30 pages [44KB], 65536KB chunk\n\n"
        "md0 : active raid1 sdd1[3] sdc1[2] sdb1[1] sda1[0]\n"
        "      1047552 blocks super 1.2 [4/4] [UUUU]\n      \n"
        "unused devices: <none>",
    )
    made.mount(
        "25 1 253:0 / / rw,relatime shared:1 - xfs /dev/mapper/vg0-root "
        "rw,attr2,inode64,logbufs=8,logbsize=32k,sunit=1024,swidth=3072,noquota"
    )
    made.mount("61 25 9:0 / /boot rw,relatime shared:31 - ext4 /dev/md0 rw")


def _volumes(made: Machine) -> None:
    linear: dict[str, str | int] = {
        key: value for key, value in QUEUE.items()
        if key not in {"scheduler", "nr_requests", "wbt_lat_usec"}
    } | {"minimum_io_size": 524288, "optimal_io_size": 1572864, "read_ahead_kb": 3072}  # fmt: skip
    volumes = (
        ("dm-0", "root", 50 * GIB, "xfs", 0),
        ("dm-1", "swap", 8 * GIB, "swap", 1),
        ("dm-2", "srv", 10240 * GIB, "xfs", 2),
    )
    rows = []
    for kernel, name, size, fstype, minor in volumes:
        full = f"vg0-{name}"
        made.block(kernel, f"253:{minor}", "lvm", size, "md1", queue=linear, name=full,
                   path=f"/dev/mapper/{full}", fstype=fstype, rota=True)  # fmt: skip
        made.file(f"/sys/block/{kernel}/dm/name", full)
        made.file(f"/sys/block/{kernel}/dm/uuid", f"LVM-{'v' * 32}{name:x<32}")
        rows.append(
            {"lv_name": name, "vg_name": "vg0", "lv_attr": "-wi-ao----", "lv_size": str(size),
             "segtype": "linear", "stripes": "1", "stripe_size": "0",
             "devices": "/dev/md1(0)", "lv_path": f"/dev/vg0/{name}",
             "lv_dm_path": f"/dev/mapper/{full}"}
        )  # fmt: skip
    made.swap("/dev/dm-1", 8 * GIB)
    made.mount(
        "64 25 253:2 / /srv rw,noatime shared:33 - xfs /dev/mapper/vg0-srv "
        "rw,attr2,inode64,logbufs=8,logbsize=256k,sunit=1024,swidth=3072,noquota"
    )
    made.command("lvs", stdout=json.dumps({"report": [{"lv": rows}]}))
