"""Secrets in commands: masked, and nothing else of a command is another."""

from __future__ import annotations

import pytest

from iosonde.text.changes import CHANGED, changes_in
from iosonde.text.cursor import prompt_in
from iosonde.text.secrets import MASK, without_secrets
from tests.mangle import kept_as_printed, read, trials

SECRET = "x7Kq"


@pytest.mark.parametrize("command", [
    "mount -t cifs -o username=u,password=x7Kq,vers=3.0 //srv/share /mnt",
    'mount -t cifs -o "username=u,pass=x7Kq,vers=3.0" //srv/share /mnt',
    "mount -t cifs //srv/share /mnt -o user=u%x7Kq,uid=1",
    "mount -t ceph 10.0.0.1:/ /mnt -o name=admin,secret=x7Kq",
    "iscsiadm -m node -T iqn.a:b -o update -n node.session.auth.password -v x7Kq",
    "iscsiadm -m node -o update --name=node.session.auth.password_in --value=x7Kq",
    "echo 'node.session.auth.password = x7Kq' >> /etc/iscsi/iscsid.conf",
    "set auth userid=u password=x7Kq",
    "mysql -uroot -px7Kq -h db",
    "time sudo mysqlslap -a -px7Kq",
    "PGPASSWORD=x7Kq pgbench -c 4 -p 5432 db",
    "sh -c 'PGPASSWORD=x7Kq pgbench -c 4'",
    "sysbench --mysql-user=u --mysql-password=x7Kq --threads=4 oltp_read_write run",
    "curl -u user:x7Kq https://host/a",
    "rclone copy https://user:x7Kq@host/a /srv",
    """curl -d '{"user":"u","password":"x7Kq"}' http://host/""",
    'curl -H "Authorization: Bearer x7Kq" http://host/',
    "echo -n x7Kq | cryptsetup luksFormat /dev/sda -",
    "hdparm --user-master u --security-set-pass x7Kq /dev/sda",
    "nvme connect -t tcp -a 10.0.0.1 --dhchap-secret x7Kq -n nqn.x",
    "sshpass -p x7Kq ssh root@h fio --rw=read",
    "redis-benchmark -a x7Kq -n 1000",
    "ipmitool -I lanplus -H 10.0.0.1 -U admin -P x7Kq sdr",
    "racadm -r 10.0.0.1 -u root -p x7Kq raid get vdisks",
    "smbclient //srv/share -U u%x7Kq -c 'put a'",
    "warp put --host h --access-key minio --secret-key x7Kq --tls",
    "fio --name=a --ioengine=http --http_s3_key=x7Kq --http_s3_keyid=k",
])  # fmt: skip
def test_only_the_secret_is_masked(command: str) -> None:
    masked = command.replace(SECRET, MASK)
    assert without_secrets(command) == masked
    assert without_secrets(masked) == masked
    prompt = prompt_in(f"root@db1:~# {command}")
    assert prompt is not None
    assert prompt.command == masked


def test_forms_of_keys() -> None:
    key = "AQ" + "Dxyz/+" * 6 + "ab=="
    assert without_secrets(f"rbd map a --key {key}") == f"rbd map a --key {MASK}"
    command = "nvme connect -t tcp -S DHHC-1:00:{}: -n nqn.x"
    assert without_secrets(command.format("aGVsbG9oZWxsbw==")) == command.format(MASK)


def test_blanks_and_quotes_of_a_password() -> None:
    assert without_secrets("PGPASSWORD='a b' psql -c 'select 1'") == (
        f"PGPASSWORD='{MASK}' psql -c 'select 1'"
    )
    assert without_secrets('mount -o password=a"b"c,rw //srv/a /mnt') == (
        f"mount -o password={MASK},rw //srv/a /mnt"
    )


@pytest.mark.parametrize("command", [
    "mount -t ceph 10.0.0.1:/ /mnt -o name=admin,secretfile=/etc/ceph/admin.secret",
    "mount -t cifs //srv/share /mnt -o credentials=/root/.smb,password_file=/a",
    "iscsiadm -m node -o update -n node.session.timeo.replacement_timeout -v 120",
    "mysql -u root -p db",
    "mysql -u root --password db",
    "pgbench --password -p 5432 db",
    "psql --no-password db",
    "restic --password-file /root/pw backup",
    "cryptsetup open --token-id 0 /dev/sda x",
    "cryptsetup luksFormat --key-file /root/key --key-size 512 /dev/sda",
    "zfs create -o keyformat=passphrase -o keylocation=prompt tank/a",
    "hdparm --user-master u --security-erase NULL /dev/sda",
    "fio --filename=/dev/sda --name=passthrough --rw=read",
    "rclone copy a b --passes 3",
    "echo 3 | sudo tee /proc/sys/vm/drop_caches",
    "curl --user-agent a:b http://host:80/a@b",
    "iscsiadm -n node.session.auth.password -v \\",
    "ls ~/passwords; cat /etc/passwd",
    "grep -i password /etc/iscsi/iscsid.conf",
    "mdadm --create /dev/md0 --bypass=1",
    "rsync u@host:/srv/a /srv/b",
])  # fmt: skip
def test_what_is_no_secret_stays(command: str) -> None:
    assert without_secrets(command) == command


def test_a_text_keeps_no_secret() -> None:
    run = (
        "1000+0 records in\n1000+0 records out\n1048576000 bytes (1.0 GB) copied, 10 s, 105 MB/s\n"
    )
    text = (
        f"root@db1:~# dd if=/dev/zero of=a bs=1M count=1000\n{run}"
        "root@db1:~# mount -o remount,password=x7Kq /mnt\n"
        f"root@db1:~# dd if=/dev/zero of=a bs=1M count=1000\n{run}"
        "root@db1:~# redis-cli --pass \\\n  x7Kq info memory\n"
        "used_memory: 12\nused_memory_rss: 13\nused_memory_peak: 14\n"
    )
    assert SECRET not in str(read(text))
    rest = kept_as_printed(text)
    assert SECRET not in str(rest)
    assert trials(text)[1].details[CHANGED] == [f"mount -o remount,password={MASK} /mnt"]
    assert rest[-1].command == f"redis-cli --pass {MASK} info memory"
    said = changes_in(["Now mounted with password=x7Kq and vers=3.0."])
    assert said.sentences() == (f"Now mounted with password={MASK} and vers=3.0.",)
