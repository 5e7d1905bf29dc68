"""The initramfs of a node: busybox, a few modules, and the script that mounts the image.

Source: Linux Documentation/driver-api/early-userspace/buffer-format.rst; modules.dep(5); cpio(5),
format "newc".
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from iosonde import kerneltext

EARLY = ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic", "overlay")
APPLETS = (
    "sh", "mount", "umount", "mkdir", "insmod", "cat", "switch_root", "sleep", "basename", "chroot",
)  # fmt: skip
_FOLDERS = ("bin", "proc", "sys", "dev", "image", "over", "root", "modules")
_DIRECTORY, _FILE, _LINK = 0o040755, 0o100755, 0o120777


def early_modules(modules: Path) -> list[str]:
    """Paths below `modules` of what is loaded before the image is there, each after its needs."""
    needs: dict[str, list[str]] = {}
    for line in kerneltext.lines((modules / "modules.dep").read_text()):
        path, _, rest = line.partition(":")
        name = path.rsplit("/", 1)[-1].split(".")[0].replace("-", "_")
        needs[name] = [*rest.split()[::-1], path]
    built_in = (modules / "modules.builtin").read_text()
    wanted = [name for name in EARLY if name in needs or f"/{name}.ko" not in built_in]
    return list(dict.fromkeys(path for name in wanted for path in needs[name]))


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1].removesuffix(".xz")


def _plain(module: Path) -> bytes:
    """A module as insmod takes it without the kernel's help; Debian packs them since 13."""
    content = module.read_bytes()
    return lzma.decompress(content) if module.suffix == ".xz" else content


def initramfs(modules: Path, busybox: Path) -> bytes:
    """The archive.

    Args:
        modules: lib/modules/VERSION of the image.
        busybox: linked statically.
    """
    paths = early_modules(modules)
    order = "".join(f"{_name(path)}\n" for path in paths)
    script = (files("iosonde.lab") / "boot" / "init").read_bytes()
    entries: list[tuple[str, int, bytes]] = [(name, _DIRECTORY, b"") for name in _FOLDERS]
    entries.append(("bin/busybox", _FILE, busybox.read_bytes()))
    entries += [(f"bin/{applet}", _LINK, b"busybox") for applet in APPLETS]
    entries += [(f"modules/{_name(path)}", _FILE, _plain(modules / path)) for path in paths]
    entries += [("order", _FILE, order.encode()), ("init", _FILE, script)]
    return b"".join(_archived(entries))


def _archived(entries: Iterable[tuple[str, int, bytes]]) -> Iterator[bytes]:
    for number, (name, mode, content) in enumerate((*entries, ("TRAILER!!!", 0, b"")), 1):
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        yield _padded(
            b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        )
        yield _padded(content)


def _padded(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % 4)
