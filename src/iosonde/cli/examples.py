"""Command lines to copy, shown by `iosonde VERB --help`; a test parses each."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "show": (
        ("show", "this host"),
        ("show db1 san1", "two hosts, joined where one imports what the other exports"),
        ("show --mermaid > stack.md", "a drawing for a document"),
        ("show recording:sosreport.tar.xz", "what a support tool collected of a host"),
    ),
    "config": (
        ("config", "all defaults, and where each comes from"),
        ("config --json", "the same for a program"),
    ),
    "completion": (
        ("completion bash > ~/.local/share/bash-completion/completions/iosonde",
         "for new shells of bash"),
        ("completion fish > ~/.config/fish/completions/iosonde.fish", "of fish"),
    ),
    "schema": (
        ("schema", "the names of all schemas"),
        ("schema run", "what `run --json` prints"),
    ),
    "demo": (
        ("demo", "a scratch file in this directory"),
        ("demo /mnt/data --report data.html", "in another, with a page of another name"),
    ),
    "run": (
        ("run --load latency --target /mnt/data", "a bundled load in a scratch file"),
        ("run --fio 'fio --name a --rw randwrite --bs 4k --size 1g' --target db1:/mnt/data",
         "a pasted fio command line on another host"),
        ("run --fio '--rw=randread --bs={4k,64k} --iodepth={1,2,4,8}' --target /mnt/data",
         "a load matrix: curves of rate and latency, and their knees"),
        ("run --interleave sda.scheduler=none sda.scheduler=bfq --load iops --target /mnt/data",
         "two settings in turns, so that drift cancels; both are put back"),
        ("run pts-iops --target /dev/nvme1n1 --destroy /dev/nvme1n1 --report page.html",
         "an SSD by SNIA's test of IOPS; its content is lost"),
        ("run study.yaml --report page.html", "a study, and a page of its results"),
        ("run study.yaml --name mtu-9000 --tag lab3", "a name and a tag to find the run by"),
    ),
    "loads": (
        ("loads", "all bundled loads"),
        ("loads latency", "one, as YAML to copy and change"),
    ),
    "list": (
        ("list", "the newest runs: what they reached, and what changed"),
        ("list --filter study=nightly --filter since=7d", "those of a study in a week"),
        ("list --filter state!=finished --sort study --limit 0", "all that did not finish"),
    ),
    "tag": (
        ("tag last before", "mark the last run; `compare before after` finds it"),
        ("tag last --name mtu-9000 --remove before", "name it, and take the tag away"),
    ),
    "rm": (("rm k3x9a2pf mtu-9000", "two runs, by id and by name"),),
    "prune": (
        ("prune --older-than 90d --keep 10 --dry-run", "old ones but the newest ten of each study"),
        ("prune --state failed --yes", "failed ones, without being asked"),
    ),
    "compare": (
        ("compare BEFORE AFTER", "every load: better, worse or no difference"),
        ("compare last", "the two arms of a run with --interleave"),
        ("compare BEFORE AFTER --gate write.iops:5", "for CI: exit 1 where it is 5 % worse"),
    ),
    "baseline": (
        ("baseline set nightly last", "the last run is what later ones are compared with"),
        ("baseline list", "all baselines"),
    ),
    "trend": (
        ("trend nightly", "every headline of a study, run after run"),
        ("trend --filter tag=ci --filter since=30d", "runs by a tag, of the last days"),
    ),
    "report": (
        ("report last -o page.html", "a page of the last run"),
        ("report BEFORE AFTER", "two runs side by side, with verdicts"),
    ),
    "up": (
        ("up stack.yaml --dry-run", "the steps, without doing any"),
        ("up stack.yaml", "build it; on disks with content name them with --destroy"),
    ),
    "down": (("down stack.yaml", "take away exactly what `up` built"),),
    "lab": (
        ("lab up --nodes 2 --disks 3", "two virtual hosts n1 and n2"),
        ("lab cut n2", "take n2 off the network"),
        ("lab down", "remove them"),
    ),
    "export": (
        ("export last --format csv", "one row a loop and metric"),
        ("export last --raw", "what the load itself printed"),
    ),
    "import": (
        ("import ticket.txt", "the results that stand in a text"),
        ("import page.html --dry-run", "what it holds, without keeping it"),
    ),
    "explain": (
        ("explain", "this host's settings"),
        ("explain last", "the last run"),
        ("explain ticket.txt", "what somebody pasted"),
    ),
    "tune": (
        ("tune study.yaml --dry-run", "the candidates and what they cost"),
        ("tune study.yaml", "the best settings, proved; all is put back at the end"),
    ),
    "settings": (
        ("settings", "what can be set on this host"),
        ("settings db1", "on another"),
    ),
    "set": (
        ("set sda.scheduler=none", "one setting, until `rollback` or a reboot"),
    ),
    "persist": (("persist", "keep what was set over a reboot"),),
    "rollback": (("rollback", "put back what iosonde changed"),),
    "trace": (
        ("trace describe trace.bin", "sizes, reuse and hot spots of a block trace"),
    ),
    "replay": (
        ("replay app.blktrace --target /mnt/data --size 4g --fit wrap",
         "a trace at its times, in a scratch file of 4 GiB"),
        ("replay app.csv.gz --target /dev/sdx --destroy /dev/sdx --speed 2",
         "on an empty device, twice as fast as recorded"),
        ("replay app.csv.gz --target /mnt/data --speed max --seconds 60s",
         "its first minute, as fast as the device can"),
    ),
    "predict": (
        ("predict --stack stack.yaml --load write-iops", "what each layer reads and writes"),
        ("predict --stack stack.yaml --load write-iops --set r5.chunk=64k",
         "the same with another chunk"),
    ),
    "calibrate": (("calibrate /mnt/data", "a model of this device's speed"),),
    "log": (("log fio_lat.1.log", "percentiles and sizes of fio's log"),),
}  # fmt: skip
