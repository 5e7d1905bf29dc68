"""What drbdsetup shows, changed by its command for real, and the resource's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.errors import Refused
from iosonde.layers.drbd.facts import names_device, options_in
from iosonde.layers.drbd.settings import DrbdSettings, edited, without_edits
from tests.unit.settings.test_scripts import Place

# `drbdsetup show --show-defaults` of drbd-utils 9.22 with DRBD 8.4.11, two resources.
SHOWN = """\
resource other {
    net {
        protocol        	A;
        max-buffers     	2048; # default
    }
    _remote_host {
        address			ipv4 10.9.0.9:7000;
    }
    _this_host {
        address			ipv4 10.9.0.8:7000;
        volume 0 {
            device			minor 17;
            disk			"/dev/vdz";
            meta-disk			internal;
            disk {
                al-extents      	1237; # default
            }
        }
    }
}

resource sset-r0 {
    options {
        cpu-mask        	""; # default
        on-no-data-accessible	io-error; # default
    }
    net {
        protocol        	C; # default
        timeout         	60; # 1/10 seconds, default
        max-buffers     	4000;
        sndbuf-size     	0; # bytes, default
        cram-hmac-alg   	""; # default
    }
    _remote_host {
        address			ipv4 10.9.0.2:7878;
    }
    _this_host {
        address			ipv4 10.9.0.1:7878;
        volume 0 {
            device			minor 178;
            disk			"/dev/disk/by-id/virtio-da";
            meta-disk			internal;
            disk {
                size            	0s; # bytes, default
                disk-flushes    	yes; # default
                al-extents      	3833;
                c-fill-target   	100s; # bytes, default
            }
        }
        volume 1 {
            device			minor 179;
            disk			"/dev/vdx";
            meta-disk			internal;
            disk {
                al-extents      	67;
            }
        }
    }
}
"""


def test_what_is_in_force(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "shown").write_text(SHOWN)
    place.tool("drbdsetup", '[ "$1" = show ] && cat $D/shown')
    expected = {
        ("drbd178", "net", "max-buffers"): "4000", ("drbd178", "net", "protocol"): "C",
        ("drbd178", "net", "sndbuf-size"): "0", ("drbd178", "disk", "al-extents"): "3833",
        ("drbd178", "disk", "c-fill-target"): "100s", ("drbd179", "disk", "al-extents"): "67",
        ("drbd179", "net", "max-buffers"): "4000", ("drbd17", "net", "protocol"): "A",
        ("drbd17", "disk", "al-extents"): "1237",
    }  # fmt: skip
    for address, value in expected.items():
        assert place.run(DrbdSettings().look(" ".join(address))) == value
    for missing in ("drbd1 net protocol", "drbd178 net al-extents", "drbd178 net cram-hmac-alg"):
        place.run(DrbdSettings().look(missing), status=1)
    (tmp_path / "shown").write_text(SHOWN.replace("_remote_host", "_peer_node_id 1;"))
    place.run(DrbdSettings().look("drbd178 net protocol"), status=1)  # DRBD 9


def test_an_option_is_changed_where_it_belongs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "shown").write_text(SHOWN)
    place.tool("drbdsetup", '[ "$1" = show ] && cat $D/shown || echo "$*" >>$D/calls')
    place.run(DrbdSettings().change("drbd178 net max-buffers", "8000"))
    place.run(DrbdSettings().change("drbd17 net protocol", "C"))
    place.run(DrbdSettings().change("drbd179 disk al-extents", "1237"))
    assert (tmp_path / "calls").read_text().splitlines() == [
        "net-options ipv4:10.9.0.1:7878 ipv4:10.9.0.2:7878 --max-buffers=8000",
        "net-options ipv4:10.9.0.8:7000 ipv4:10.9.0.9:7000 --protocol=C",
        "disk-options 179 --al-extents=1237",
    ]
    said = place.run(DrbdSettings().change("drbd5 net protocol", "C"), status=1)
    assert "no such option" in said


FILE = """\
# mine
resource r0 {
  net {
    protocol C;
    max-buffers 4000; # by hand
  }
  floating 10.9.0.1:7878 {
    device /dev/drbd178 minor 178;
    disk /dev/vdb;
    meta-disk internal;
  }
}
"""


def test_the_file_of_a_resource_is_edited_and_comes_back() -> None:
    once = edited(FILE, "net", "max-buffers", "8000")
    assert options_in(once, "net") == {"protocol": "C", "max-buffers": "8000"}
    twice = edited(once, "net", "max-buffers", "9000")
    assert options_in(twice, "net") == {"protocol": "C", "max-buffers": "9000"}
    third = edited(twice, "disk", "al-extents", "3833")
    assert options_in(third, "disk") == {"al-extents": "3833"}
    fourth = edited(third, "disk", "c-plan-ahead", "20")
    assert options_in(fourth, "disk") == {"al-extents": "3833", "c-plan-ahead": "20"}
    assert without_edits(fourth) == FILE
    assert fourth.count("{") == fourth.count("}")


def test_what_cannot_be_edited_is_refused() -> None:
    with pytest.raises(Refused, match="one line"):
        edited("resource r {\n net { protocol C; }\n}\n", "net", "protocol", "A")
    with pytest.raises(Refused, match="not just one"):
        edited(FILE + FILE, "net", "protocol", "A")


def test_the_file_of_a_device_is_found() -> None:
    assert names_device(FILE, "drbd178")
    assert not names_device(FILE, "drbd17")
    assert names_device("on a {\n device /dev/drbd3;\n}", "drbd3")
    assert names_device("device minor 3;", "drbd3")
