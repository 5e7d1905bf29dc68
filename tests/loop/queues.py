"""Ten settings of two loop devices, and how they are seen without iosonde."""

from __future__ import annotations

from pathlib import Path

# A loop device keeps what its queue was set to when it is detached.
USUAL = {
    "scheduler": "none", "nr_requests": "128", "nomerges": "0", "rq_affinity": "1",
    "read_ahead_kb": "128", "max_sectors_kb": "1280", "wbt_lat_usec": "-1",
}  # fmt: skip


class Devices:
    """Two loop devices, by the names of their settings."""

    def __init__(self, *devices: str) -> None:
        self.names = [device.removeprefix("/dev/") for device in devices]

    def value(self, setting: str) -> str:
        device, _, name = setting.partition(".")
        text = Path(f"/sys/block/{device}/queue/{name}").read_text().strip()
        return text.partition("[")[2].partition("]")[0] if "[" in text else text

    def write(self, setting: str, value: str) -> None:
        device, _, name = setting.partition(".")
        Path(f"/sys/block/{device}/queue/{name}").write_text(value)

    def reset(self) -> None:
        for text in self.names:
            for name, value in USUAL.items():
                self.write(f"{text}.{name}", value)

    def ten(self) -> dict[str, str]:
        """Ten settings and new values, among them schedulers, which disturb others."""
        name, two = self.names
        return {
            f"{name}.nr_requests": "77", f"{name}.scheduler": "mq-deadline",
            f"{name}.read_ahead_kb": "512", f"{name}.nomerges": "2", f"{name}.rq_affinity": "2",
            f"{two}.scheduler": "bfq", f"{two}.max_sectors_kb": "256",
            f"{two}.read_ahead_kb": "64", f"{two}.nomerges": "1", f"{two}.rq_affinity": "0",
        }  # fmt: skip

    def state(self) -> dict[str, str]:
        """All that can be set, disturbed ones included."""
        names = ("scheduler", "nr_requests", "read_ahead_kb", "nomerges", "rq_affinity",
                 "max_sectors_kb", "wbt_lat_usec")  # fmt: skip
        return {
            f"{text}.{name}": self.value(f"{text}.{name}") for text in self.names for name in names
        }
