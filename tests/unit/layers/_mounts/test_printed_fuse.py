"""File systems that a program serves, in lists of mounts."""

from __future__ import annotations

from tests.mangle import states

KERNEL = """\
$ cat /proc/mounts
/dev/vda1 /boot xfs rw,seclabel,relatime,attr2,inode64,noquota 0 0
gl1.example:/gv0 /srv/vol fuse.glusterfs rw,relatime,user_id=0,default_permissions,allow_other 0 0
gvfsd-fuse /run/user/1000/gvfs fuse.gvfsd-fuse rw,nosuid,nodev,relatime,user_id=1000 0 0
fusectl /sys/fs/fuse/connections fusectl rw,relatime 0 0
/dev/vdb1 /srv/db ext4 rw,relatime 0 0
"""


def test_what_stores_is_told_by_its_own_name_and_a_desktops_mount_is_passed_over() -> None:
    (state,) = states(KERNEL)
    assert [(each.kind, each.name, each.values["device"]) for each in state.subjects] == [
        ("xfs", "/boot", "/dev/vda1"),
        ("glusterfs", "/srv/vol", "gl1.example:/gv0"),
        ("ext4", "/srv/db", "/dev/vdb1"),
    ]


def test_as_mount_lists_it() -> None:
    line = "gl1:/gv0 on /srv/vol type fuse.glusterfs (rw,relatime,user_id=0,allow_other)\n"
    (state,) = states(f"$ mount | grep gv0\n{line}")
    assert [(each.kind, each.name) for each in state.subjects] == [("glusterfs", "/srv/vol")]
