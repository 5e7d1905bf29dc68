"""What the kernel's log says of SD cards and eMMC: cards, failed requests, dumped registers.

A slot whose card cannot be initialised is no trouble by itself: the kernel tries one type of card
after the other, at falling clocks.

Source: Linux 6.12 drivers/mmc/host/sdhci.c, sdhci_dumpregs(), sdhci_reset(), sdhci_data_irq() and
    sdhci_adma_show_error(); drivers/mmc/core/core.c and block.c, mmc_blk_alloc_req() and
    mmc_blk_alloc_rpmb_part(); mmc.c, sd.c and sdio.c, "whilst initialising"; bus.c,
    mmc_remove_card(); drivers/mmc/core/queue.c; Linux 4.14 drivers/mmc/core/block.c,
    mmc_blk_cmd_error() and mmc_blk_err_check().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_HOST = r"(?P<name>mmc\d+): "
_CARD = r"(?P<name>mmcblk\d+(?:boot\d|rpmb)?): "

MESSAGES = (
    KernelMessage(
        "SDHCI REGISTER DUMP", rf"{_HOST}sdhci: ={{3,40}} SDHCI REGISTER DUMP ={{3,40}}", "disk",
        "register_dumps",
    ),
    KernelMessage(
        ": sdhci: ===", rf"{_HOST}sdhci: ={{30,60}}$", "disk", "ended_register_dumps",
    ),
    KernelMessage(
        ": sdhci",
        rf"{_HOST}sdhci(?:-[\w-]{{2,20}})?: (?P<registers>[\w\[\] ]{{2,24}}: {{1,6}}"
        r"0x[\da-f]{1,16}(?: \| [\w\[\] ]{2,16}: {1,6}0x[\da-f]{1,16})?)", "disk",
        "dumped_registers",
    ),
    KernelMessage(
        " whilst initialising ",
        rf"{_HOST}error (?P<errors>-\d{{1,5}}) whilst initialising "
        r"(?P<card_types>SDIO|SD|MMC) card",
        "disk", "failed_initialisations",
    ),
    KernelMessage(
        " doing runtime resume", rf"{_HOST}error (?P<errors>-\d{{1,5}}) doing runtime resume",
        "disk", "failed_resumes",
    ),
    KernelMessage(
        "mmc_select_",
        rf"{_HOST}mmc_select_(?P<modes>\w{{2,12}}) failed, error (?P<errors>-\d{{1,5}})",
        "disk", "refused_modes",
    ),
    KernelMessage(
        ": ADMA error", rf"{_HOST}ADMA error(?:: (?P<dma_errors>0x[\da-f]{{8}}))?", "disk",
        "dma_errors_of_hosts", "device",
    ),
    KernelMessage(
        "even though no data operation was in progress",
        rf"{_HOST}Got data interrupt (?P<interrupts>0x[\da-f]{{8}}) even though no "
        r"data operation was in progress", "disk", "unexpected_interrupts",
    ),
    KernelMessage(
        "never completed.", rf"{_HOST}Reset (?P<resets>0x[\da-f]{{1,2}}) never completed\.", "disk",
        "unfinished_resets", "device",
    ),
    KernelMessage(
        ": running CQE recovery", rf"{_HOST}running CQE recovery", "disk", "queue_recoveries",
        "device",
    ),
    KernelMessage(
        " transferring data, sector ",
        rf"{_CARD}error (?P<errors>-\d{{1,5}}) transferring data, sector (?P<sectors>\d{{1,18}}), "
        r"nr \d{1,9}", "disk", "transfer_errors", "data",
    ),
    KernelMessage(
        " error sending ",
        rf"{_CARD}(?P<failures>[\w ]{{3,30}}) error sending (?P<commands>r/w cmd|SET_BLOCK_COUNT"
        r"|status) command, card status (?P<card_statuses>0x[\da-f]{1,8})",
        "disk", "command_errors",
    ),
    KernelMessage(
        ": mmc",
        rf"{_CARD}(?P<other>mmc\d+):(?P<addresses>[\da-f]{{4}}) (?P<models>\S{{1,12}}) "
        r"(?:partition \d )?(?P<sizes>\d{1,5}(?:\.\d{1,3})? [KMGT]?i?B)(?P<access> \(ro\))?",
        "disk", "cards",
    ),
    KernelMessage(
        ": card ", rf"{_HOST}card [\da-f]{{4}} removed", "disk", "removed_cards",
    ),
)  # fmt: skip
