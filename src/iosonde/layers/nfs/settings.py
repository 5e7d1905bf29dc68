"""Settings of the NFS server; the address is the name of a file of /proc/fs/nfsd ("threads").

nfs.conf(5) names them in its section [nfsd]; iosonde writes a file of its own in nfs.conf.d.

Source: nfsd(7); Linux fs/nfsd/nfsctl.c, write_threads(), write_maxblksize(): the block size can be
set while no thread runs; nfs.conf(5); nfsconf(8) of nfs-utils 2.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.layers.nfs.facts import parse_section
from iosonde.settings.mechanism import (
    Mechanism,
    PersistentLine,
    ReadValues,
    read_files,
    texts,
    write_file,
)

FILE = "/etc/nfs.conf.d/zz-iosonde.conf"
_FOLDER = "/proc/fs/nfsd/"
_NAMES = {"threads": "threads"}  # in nfs.conf
# The size can be set only while no thread runs: the server stops for a moment, and clients wait.
_RESTARTED = (
    'n=$(cat "$1/threads") && rpc.nfsd 0 && printf "%s\\n" "$3" | dd of="$1/$2" status=none; '
    "told=$?; rpc.nfsd $n && exit $told"
)


class NfsdSettings(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "nfsd"
    files = (FILE,)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        places = {address: _FOLDER + address for address in addresses}
        return await read_files(host, places)

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("cat", _FOLDER + address)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        if address == "max_block_size":
            return ("sh", "-c", _RESTARTED, "sh", _FOLDER.rstrip("/"), address, value)
        return write_file(_FOLDER + address, value)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        if address not in _NAMES:
            raise Refused("nfs.conf has no name for it", where=_FOLDER + address)
        name = _NAMES[address]
        note = ""
        old = await texts(host, ["/etc/default/nfs-kernel-server"])
        if "RPCNFSDCOUNT" in "".join(old.values()):
            note = "/etc/default/nfs-kernel-server names RPCNFSDCOUNT, which older servers read"
        return PersistentLine(FILE, f"{name} =", f"{name} = {value}", section="[nfsd]", note=note)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        if not addresses:
            return {}
        paths = ["/etc/nfs.conf", *await host.glob("/etc/nfs.conf.d/*.conf")]
        files = await texts(host, paths)
        values: dict[str, str] = {}
        for path in paths:
            values |= parse_section(files.get(path, ""))
        return {
            address: values[_NAMES[address]]
            for address in addresses
            if _NAMES.get(address) in values
        }
