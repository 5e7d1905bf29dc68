"""Guests: what QEMU's command line says of disks, and the plans of declared ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iosonde.change.build import planned
from iosonde.errors import UsageError
from iosonde.lab import guests as lab_guests
from iosonde.layers.guest import discovery, machine
from iosonde.layers.guest.command_line import disks_of, options
from iosonde.stack.file import DeclaredStack, builder, understand
from iosonde.stack.rehearsal import lab_of

LAB = "stack: try\nhosts: {s1: {}, s2: {}}\nlayers:\n  d: {kind: disk, host: s1}\n"
REAL = (
    "stack: try\nhosts: {s1: {at: root@hv}}\nlayers:\n"
    "  d: {kind: disk, host: s1, path: '/dev/a,b'}\n"
)

# Written by hand in the form of libvirt's own expected command lines (libvirt/libvirt,
# tests/qemuxml2argvdata/*.x86_64-latest.args), only what has to do with disks.
LIBVIRT = (
    "/usr/bin/qemu-system-x86_64", "-name", "guest=web,debug-threads=on",
    "-object", '{"qom-type":"iothread","id":"iothread1"}',
    "-blockdev", '{"driver":"host_device","filename":"/dev/vg0/web","aio":"native",'
    '"node-name":"libvirt-1-storage","cache":{"direct":true,"no-flush":false},'
    '"auto-read-only":true,"discard":"unmap"}',
    "-blockdev", '{"node-name":"libvirt-1-format","read-only":false,'
    '"cache":{"direct":true,"no-flush":false},"driver":"raw","file":"libvirt-1-storage"}',
    "-device", '{"driver":"virtio-blk-pci","iothread":"iothread1","num-queues":4,"bus":"pci.4",'
    '"addr":"0x0","drive":"libvirt-1-format","id":"virtio-disk0","bootindex":1,'
    '"write-cache":"on"}',
)  # fmt: skip
# Written by hand in the form of Proxmox's (proxmox/qemu-server, test/cfg2cmd/*.conf.cmd), with one
# disk on virtio-scsi-single.
PROXMOX = (
    "/usr/bin/kvm", "-id", "100", "-name", "db,debug-threads=on",
    "-object", "iothread,id=iothread-virtioscsi0",
    "-device", "virtio-scsi-pci,id=virtioscsi0,bus=pci.3,addr=0x1,iothread=iothread-virtioscsi0",
    "-drive", "file=/dev/pve/vm-100-disk-0,if=none,id=drive-scsi0,format=raw,cache=none,"
    "aio=io_uring,detect-zeroes=on",
    "-device", "scsi-hd,bus=virtioscsi0.0,channel=0,scsi-id=0,lun=0,drive=drive-scsi0,id=scsi0",
    "-drive", "if=none,id=drive-ide2,media=cdrom,aio=io_uring",
    "-device", "ide-cd,bus=ide.1,unit=0,drive=drive-ide2,id=ide2",
)  # fmt: skip


def test_a_disk_of_libvirt() -> None:
    (disk,) = disks_of(LIBVIRT)
    assert (disk.guest, disk.path, disk.bus) == ("web", "/dev/vg0/web", "virtio-blk")
    assert disk.facts() == {
        "guest": "web", "bus": "virtio-blk", "cache": "none", "aio": "native", "iothread": True,
        "queues": 4,
    }  # fmt: skip


def test_a_disk_of_proxmox_has_the_thread_of_its_controller() -> None:
    (disk,) = disks_of(PROXMOX)
    assert (disk.guest, disk.path, disk.bus) == ("db", "/dev/pve/vm-100-disk-0", "virtio-scsi")
    assert (disk.cache, disk.aio, disk.iothread, disk.queues) == ("none", "io_uring", True, None)


def test_a_drive_with_its_own_device_and_a_comma_in_its_path() -> None:
    (disk,) = disks_of(("kvm", "-name", "x", "-drive", "file=/d/a,,b,if=virtio,cache=unsafe"))
    assert (disk.path, disk.bus, disk.cache) == ("/d/a,b", "virtio-blk", "unsafe")


@pytest.mark.parametrize(
    ("direct", "write_cache", "mode"),
    [("on", "on", "none"), ("on", "off", "directsync"), ("off", "on", "writeback"),
     ("off", "off", "writethrough")],
)  # fmt: skip
def test_cache_modes_are_told_by_their_switches(direct: str, write_cache: str, mode: str) -> None:
    argv = (
        "kvm", "-blockdev", f"driver=file,node-name=f,filename=/x,cache.direct={direct}",
        "-device", f"virtio-blk-pci,drive=f,write-cache={write_cache}",
    )  # fmt: skip
    assert disks_of(argv)[0].cache == mode


def test_what_is_no_disk_is_left_out() -> None:
    assert disks_of(("kvm", "-device", "virtio-net-pci,netdev=n", "-device", "{broken")) == ()
    assert disks_of(("kvm", "-drive", "media=cdrom,file=/x.iso,if=virtio", "-name")) == ()
    assert options("guest=a,,b,debug-threads") == {"guest": "a,b", "debug-threads": "on"}


def stack(text: str) -> DeclaredStack:
    return understand(text, "f.yaml")


def test_it_is_a_host_and_what_stands_on_it_stands_in_it() -> None:
    made = stack(LAB + "  vm: {kind: guest, of: d}\n  fs: {kind: xfs, of: vm, mount: /f}\n")
    assert list(made.hosts) == ["s1", "s2", "vm"]
    assert made.guests == {"vm": "s1"}
    assert made.opens["vm"] == "lab:try/vm"
    assert {site.name: site.host for site in made.sites} == {"d": "s1", "vm": "vm", "fs": "vm"}
    assert made.site("fs").address("vm") == "10.9.0.3"
    assert {report.host for report in planned(made) if report.layer == "vm"} == {"s1"}


def test_the_lab_has_its_machine_with_the_disk_that_its_host_exports() -> None:
    made = stack(
        LAB + "  vm: {kind: guest, of: d, disk: virtio-scsi, queues: 3, memory: 300 MiB, "
        "cache: writethrough}\n"
    )
    *_, node = lab_of(made).nodes
    assert (node.name, node.host, node.memory) == ("vm", "s1", 300 * 2**20)
    (disk,) = node.disks
    port = machine.export_port(made.site("vm"))
    assert disk.source == f"nbd:s1:{port}/try-vm"
    assert (disk.bus, disk.cache) == ("virtio-scsi", "writethrough")
    assert disk.options == {"num_queues": "3", "iothread": "io0"}
    plan = " ".join(step.command for step in planned(made))
    assert f"port = {port}" in plan
    assert "start vm" in plan


def test_lab_and_layer_agree_where_a_host_asks_for_its_guests() -> None:
    assert (lab_guests.ADDRESS, lab_guests.PORT) == (discovery.ASK_ADDRESS, discovery.ASK_PORT)


def test_on_a_real_host_qemu_is_started_as_declared() -> None:
    made = stack(
        REAL + "  vm: {kind: guest, of: d, aio: native, queues: 4, image: /i.qcow2, at: root@vm, "
        "ssh_port: 2300}\n"
    )
    assert made.opens["vm"] == "root@vm"
    site = made.site("vm")
    site = replace(site, below=(replace(site.only, device="/dev/a,b"),))
    (step,) = builder("guest").plan(site)
    argv = step.do[0].argv
    (system, data) = disks_of(argv)
    assert (system.path, system.serial) == ("/i.qcow2", "")
    assert data.path == "/dev/a,b"
    assert data.facts() == {
        "guest": "try-vm", "bus": "virtio-blk", "cache": "none", "aio": "native", "iothread": True,
        "queues": 4, "serial": "vm",
    }  # fmt: skip
    assert "user,id=net0,hostfwd=tcp:127.0.0.1:2300-:22" in argv
    assert step.there is not None
    line = " ".join(argv) + " "
    assert all(text in line for text in step.there.shows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REAL + "  vm: {kind: guest, of: d, at: root@vm}\n", "needs `image:`"),
        (REAL + "  vm: {kind: guest, of: d, image: /i}\n", "add `at:`"),
        (LAB + "  vm: {kind: guest, of: d, at: root@vm}\n", "no `at:`"),
        (LAB + "  vm: {kind: guest, of: d, host: s2}\n", "d is on s1"),
        (LAB + "  s2: {kind: guest, of: d}\n", "bears the name"),
        (LAB + "  vm: {kind: guest}\n", "stands on one layer"),
        (LAB + "  vm: {kind: guest, of: d, aio: native, cache: unsafe}\n", "needs `cache: none`"),
        (LAB + "  vm: {kind: guest, of: d}\n  in: {kind: guest, of: vm}\n", "in a guest"),
        (LAB + "  vm: {kind: guest, of: d}\n  e: {kind: disk, host: vm}\n", "not stand on it"),
        (LAB + "  a_name_too_long_for_it: {kind: guest, of: d}\n", "20 letters"),
    ],
)
def test_a_guest_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        planned(stack(text))
    assert message in f"{caught.value.message} {caught.value.hint}"
