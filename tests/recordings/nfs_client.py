"""A virtual machine on Ubuntu 22.04 that keeps its data on two NFS servers."""

from __future__ import annotations

import json

from iosonde.records.stack import Json
from tests.recordings.machine import GIB, Machine

QUEUE: dict[str, str | int] = {
    "scheduler": "[none] mq-deadline", "nr_requests": 256, "rq_affinity": 1, "read_ahead_kb": 128,
    "nomerges": 0, "max_sectors_kb": 1280, "write_cache": "write back", "wbt_lat_usec": 75000,
    "add_random": 0, "iostats": 1, "rotational": 1, "logical_block_size": 512,
    "physical_block_size": 512, "minimum_io_size": 512, "optimal_io_size": 0, "fua": 0,
    "zoned": "none", "discard_max_bytes": 2147483136,
}  # fmt: skip


def nfs_client() -> Machine:
    """The machine."""
    made = Machine("app1", "5.15.0-101-generic", cpus=4, memory=16 * GIB)
    made.file("/etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian')
    made.block("vda", "252:0", "disk", 40 * GIB, queue=QUEUE, pttype="gpt", vendor="0x1af4",
               subsystems="block:virtio:pci", phy_sec=512, log_sec=512)  # fmt: skip
    made.part("vda1", "252:1", "vda", 227328, 40 * GIB - 227328 * 512 - 17408, fstype="ext4",
              pttype="gpt")  # fmt: skip
    made.part("vda14", "252:14", "vda", 2048, 4 * 1024**2, pttype="gpt")
    made.part("vda15", "252:15", "vda", 10240, 106 * 1024**2, fstype="vfat", pttype="gpt")
    made.mount("29 1 252:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard,errors=remount-ro")
    made.mount("98 29 252:15 / /boot/efi rw,relatime shared:52 - vfat /dev/vda15 rw,fmask=0077")
    made.mount(
        "340 29 0:55 / /srv/images rw,relatime shared:180 - nfs4 10.10.2.15:/export/images "
        "rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=8,timeo=600,"
        "retrans=2,sec=sys,clientaddr=10.10.2.40,local_lock=none,addr=10.10.2.15"
    )
    made.mount(
        r"352 29 0:58 / /srv/old\040backups rw,relatime shared:190 - nfs "
        r"nas:/volume1/old\040backups rw,vers=3,rsize=32768,wsize=32768,namlen=255,soft,"
        "proto=tcp,timeo=600,retrans=2,sec=sys,mountaddr=10.10.2.16,mountvers=3,mountport=892,"
        "mountproto=udp,local_lock=none,addr=10.10.2.16"
    )
    _link(made)
    return made


def _link(made: Machine) -> None:
    """The one network interface, with jumbo frames."""
    for server in ("10.10.2.15", "10.10.2.16"):
        route: list[Json] = [{"dst": server, "dev": "ens3", "prefsrc": "10.10.2.40", "flags": []}]
        made.command("ip", "-j", "route", "get", server, stdout=json.dumps(route))
        made.command("ip", "-json", "route", "get", server, stdout=json.dumps(route))
    made.file("/sys/class/net/ens3/mtu", "9000")
    made.file("/sys/class/net/ens3/speed", "10000")
    made.file("/sys/class/net/ens3/operstate", "up")
    made.file("/sys/class/net/ens3/tx_queue_len", "1000")
