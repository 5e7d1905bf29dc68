"""The kernel as QEMU boots it fastest: unpacked, entered directly (PVH), without a boot loader.

Source: Linux Documentation/arch/x86/boot.rst (setup_sects, payload_offset, payload_length);
xen/include/public/elfnote.h (XEN_ELFNOTE_PHYS32_ENTRY = 18), which QEMU's x86 machines look for.
"""

from __future__ import annotations

import lzma
import struct
import zlib

_SETUP_SECTS, _MAGIC, _PAYLOAD = 0x1F1, 0x202, 0x248
_SECTOR = 512
_PVH_NOTE = struct.pack("<III", 4, 4, 18) + b"Xen\0"
_PVH_NOTE_64 = struct.pack("<III", 4, 8, 18) + b"Xen\0"


def unpacked(image: bytes) -> bytes | None:
    """The ELF kernel inside a bzImage that QEMU can enter directly.

    Args:
        image: a vmlinuz.

    Returns:
        None where the image is compressed in a way not known here or has no PVH entry: then the
        image itself is booted, a few seconds slower.
    """
    if len(image) < _PAYLOAD + 8 or image[_MAGIC : _MAGIC + 4] != b"HdrS":
        return None
    sectors = image[_SETUP_SECTS] or 4
    offset, length = struct.unpack_from("<II", image, _PAYLOAD)
    start = (sectors + 1) * _SECTOR + offset
    kernel = _decompressed(image[start : start + length])
    if kernel is None or kernel[:4] != b"\x7fELF":
        return None
    return kernel if _PVH_NOTE in kernel or _PVH_NOTE_64 in kernel else None


def _decompressed(payload: bytes) -> bytes | None:
    """The payload without what follows it (its own size, 4 bytes)."""
    try:
        if payload[:6] == b"\xfd7zXZ\0":
            return lzma.LZMADecompressor().decompress(payload)
        if payload[:2] == b"\x1f\x8b":
            return zlib.decompressobj(wbits=31).decompress(payload)
    except (lzma.LZMAError, zlib.error):
        return None
    return None
