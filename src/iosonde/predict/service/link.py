"""The network below an initiator: what of it a layer's I/Os take.

    link:rate=10Gbit/s[,latency=50us][,mtu=9000][,frame=78]

Both directions are used at the same time: data of writes go out, data of reads come in. `latency`
is that of a round trip, from the command on its way to the answer. `frame` is what each frame
carries besides data: 38 bytes of Ethernet (preamble, header, check, gap: IEEE 802.3) and 40 of
IPv4 and TCP without options (RFC 9293). For AoE (36 bytes in each frame, of which 14 are
Ethernet's header) frame=60 and the layer's own I/Os are the frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from typing_extensions import override

from iosonde.predict.service.service import (
    Access,
    Figures,
    Keys,
    ModelSource,
    ServiceModel,
    positive,
)

_ETHERNET = 38
_TCP = 40


@dataclass(frozen=True, slots=True)
class LinkModel(ServiceModel):
    """See the module: bytes/s, seconds, bytes."""

    rate: float
    latency: float = 0.0
    mtu: int = 1500
    frame: int = _ETHERNET + _TCP

    buffer = 0
    burst = 0.0
    rotates = False
    covers = ""

    @override
    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        """One direction of it."""
        payload = self.mtu - (self.frame - _ETHERNET)
        frames = max(access.count, -(-access.size // payload))
        return (access.size + frames * self.frame) / self.rate, self.latency


def read(figures: Figures, source: ModelSource) -> LinkModel:
    """The link as written.

    Raises:
        UsageError: a figure is missing or makes no sense.
    """
    keys = Keys(figures, source.where)
    rate, latency = keys.rate("rate"), keys.seconds("latency", "0")
    mtu, frame = keys.number("mtu", "1500"), keys.number("frame", str(_ETHERNET + _TCP))
    keys.end()
    positive(rate=rate, mtu=mtu - frame + _ETHERNET)
    return LinkModel(rate, latency, int(mtu), int(frame))
