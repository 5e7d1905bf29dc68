"""What a command of NVMe-oF carries of its data.

Source: NVM Express over Fabrics 1.1 (IOCCSZ, in-capsule data); NVMe TCP transport (R2T);
Linux drivers/nvme/target/configfs.c, param_inline_data_size.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._requests import goes_to, has_direction, request_size, value_by_letters
from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_KINDS = ("nvmeof", "nvmeof_initiator", "nvmeof_target", "nvme")


def fabric_capsules(case: EvidenceSet) -> Iterator[Finding]:
    """NVMe-oF: writes whose data do not fit into the command's capsule."""
    for state in case.of_kind(*_KINDS):
        capsule = value_by_letters(state, "incapsuledatasize", "inlinedatasize")
        if not isinstance(capsule, int) or isinstance(capsule, bool):
            continue
        for trial in case.trials:
            bs = request_size(trial)
            if bs <= capsule or not goes_to(trial, state) or not has_direction(trial, "write"):
                continue
            yield Finding(
                "frame-block", "note", trial.label,
                f"A write of {units.show_bytes(bs)} to {state.name} does not fit into its command "
                f"({units.show_bytes(capsule)} of data in a capsule): the target fetches it, one "
                "more round trip in its latency.",
                (
                    Evidence("block size of the load", bs, "B", trial.where),
                    Evidence("data in a capsule", capsule, "B", state.where),
                ),
                "a larger inline data size at the target's port (nvmet: "
                "ports/N/param_inline_data_size, before the port is enabled; SPDK: in-capsule data "
                "size of the transport); it takes that much memory for each queue entry",
                "the latency of single writes of both sizes",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("frame-block", "nvmeof", "NVMe-oF writes that do not fit into their command's capsule.",
         "NVM Express over Fabrics 1.1; NVMe TCP transport specification", fabric_capsules),
)  # fmt: skip
