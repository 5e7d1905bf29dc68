"""The problems that e2fsck names, by sort, with what it counted and what was answered.

Source: e2fsprogs 1.47, e2fsck/problem.c (problem_table, prompt[], preen_msg[], fix_problem()),
e2fsck/message.c (abbreviations), e2fsck/util.c (ask_yn(): "Fix<y>? yes", "yes to all"),
e2fsck/pass5.c (print_bitmap_problem()).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from iosonde.kerneltext import fields, lines
from iosonde.records.stack import Json
from iosonde.text.reader import groups_of
from iosonde.text.torn import across_wraps

_N = r"\d{1,20}"
_INODE = rf"(?P<inode>{_N})"
_ENTRY = rf"(?:[Ee]ntry '[^\n']{{0,255}}' in [^\n(]{{1,200}}\((?P<directory>{_N})\) )?"

_WRONG = tuple((name, across_wraps(text)) for name, text in (
    ("i_blocks", rf"Inode {_INODE}, i_blocks is (?P<said>{_N}), should be (?P<counted>{_N})"),
    ("i_size", rf"Inode {_INODE}, i_size is (?P<said>{_N}), should be (?P<counted>{_N})"),
    ("ref_count",
     rf"[Ii]node {_INODE} ref count is (?P<said>{_N}), should be (?P<counted>{_N})"),
    ("ea_reference_count",
     rf"[Ee]xtended attribute block (?P<block>{_N}) has reference count (?P<said>{_N}), "
     rf"should be (?P<counted>{_N})"),
    ("group_checksum",
     rf"[Gg]roup descriptor (?P<group>{_N}) checksum is (?P<said>0x[\da-f]{{1,8}}), "
     r"should be (?P<counted>0x[\da-f]{1,8})"),
    ("filetype",
     r"has an incorrect filetype \(was (?P<said>\d{1,3}), should be (?P<counted>\d{1,3})\)"),
    ("free_blocks",
     rf"Free blocks count wrong(?: for group #(?P<group>{_N}))? \((?P<said>{_N}), "
     rf"counted=(?P<counted>{_N})\)"),
    ("free_inodes",
     rf"Free inodes count wrong(?: for group #(?P<group>{_N}))? \((?P<said>{_N}), "
     rf"counted=(?P<counted>{_N})\)"),
    ("directories",
     rf"Directories count wrong(?: for group #(?P<group>{_N}))? \((?P<said>{_N}), "
     rf"counted=(?P<counted>{_N})\)"),
    ("unused_inodes",
     rf"[Gg]roup descriptor (?P<group>{_N}) has invalid unused inodes count (?P<said>{_N})"),
    ("free_inodes_in_superblock",
     rf"Setting free inodes count to (?P<counted>{_N}) \(was (?P<said>{_N})\)"),
    ("free_blocks_in_superblock",
     rf"Setting free blocks count to (?P<counted>{_N}) \(was (?P<said>{_N})\)"),
))  # fmt: skip
"""Problems of a figure: what it was, and what e2fsck counted."""
_OTHERS = tuple((name, across_wraps(text)) for name, text in (
    ("orphaned_inodes", rf"Inode {_INODE} was part of the orphaned inode list"),
    ("cleared_orphans", rf"(?:Clearing|Truncating) orphaned inode {_INODE} "
     rf"\((?:uid=(?P<uid>{_N}), gid=(?P<gid>{_N}), mode=(?P<mode>\d{{1,7}}), "
     rf"size=(?P<size>{_N})\))?"),
    ("corrupted_orphan_lists", r"Inodes that were part of a corrupted orphan linked list found"),
    ("zero_dtimes", rf"Deleted inode {_INODE} has zero dtime"),
    ("dtimes_of_used_inodes", rf"Inode {_INODE} is in use, but has dtime set"),
    ("zero_length_directories", rf"[Ii]node {_INODE} is a zero-length directory"),
    ("invalid_extent_nodes",
     rf"Inode {_INODE} has an invalid extent node \(blk (?P<block>{_N}), lblk (?P<logical>{_N})\)"),
    ("invalid_extents",
     rf"Inode {_INODE} has (?:an invalid|out of order|zero length|a duplicate) extents?"
     rf"(?: mapping)? \((?:invalid )?logical block (?P<logical>{_N}), (?:invalid )?"
     rf"physical block (?P<block>{_N})(?:, (?:invalid )?len (?P<length>{_N}))?\)"),
    ("corrupt_extent_headers", rf"Inode {_INODE} has corrupt extent header"),
    ("extent_trees_too_deep",
     rf"Inode {_INODE} extent tree (?:could be more shallow "
     rf"\((?P<depth>{_N}); could be <= (?P<counted>{_N})\)"
     rf"|\(at level {_N}\) could be (?:shorter|narrower))"),
    ("illegal_blocks_found", rf"Inode {_INODE} has illegal block\(s\)"),
    ("illegal_blocks",
     rf"Illegal (?:[\w/]{{1,12}} ){{0,2}}block (?:#(?P<logical>{_N}) )?\((?P<block>{_N})\) "
     rf"in inode {_INODE}"),
    ("overlapping_metadata",
     rf"[Bb]lock #(?P<logical>{_N}) \((?P<block>{_N})\) overlaps file ?system metadata "
     rf"in inode {_INODE}"),
    ("too_big", rf"Inode {_INODE} is too big"),
    ("garbage_inodes", rf"Inode {_INODE} seems to contain garbage"),
    ("inode_checksums", rf"Inode {_INODE} passes checks, but checksum does not match inode"),
    ("extent_block_checksums",
     rf"Inode {_INODE} extent block passes checks, but checksum does not match"),
    ("ea_checksums",
     rf"Inode {_INODE} extended attribute block (?P<block>{_N}) passes checks, but checksum"),
    ("bad_ea_blocks", rf"Inode {_INODE} has a bad extended attribute block (?P<block>{_N})"),
    ("group_checksums_found", r"One or more block group descriptor checksums are invalid"),
    ("bitmap_checksums",
     rf"Group (?P<group>{_N}) (?:block|inode) bitmap does not match checksum"),
    ("multiply_claimed_inodes",
     rf"Multiply-claimed block\(s\) in inode {_INODE}:"
     rf"(?P<claimed>(?: \d{{1,20}}+(?:--\d{{1,20}}+)?+(?!\S)){{1,400}}+)?"),
    ("shared_files",
     rf"has (?P<blocks>{_N}) multiply-claimed block\(s\), shared with (?P<files>{_N}) file"),
    ("deleted_entries", rf"{_ENTRY}has deleted/unused inode {_INODE}"),
    ("entries_in_bad_blocks", rf"{_ENTRY}points to inode \({_INODE}\) located in a bad block"),
    ("links_to_directories", rf"{_ENTRY}is a link to directory [^\n]{{1,200}}? \({_INODE}\)"),
    ("links_to_root", rf"{_ENTRY}is a link to (?:the root inode|'\.')"),
    ("names_in_vain",
     rf"{_ENTRY}has (?:illegal (?:UTF-8 )?characters in its name|a non-unique filename"
     rf"|a zero-length name|illegal name)"),
    ("encrypted_entries", rf"{_ENTRY}references (?:unencrypted )?inode {_INODE}"),
    ("metadata_conflicts",
     rf"Inode {_INODE} block (?P<block>{_N}) conflicts with critical metadata"),
    ("cluster_violations",
     rf"Inode {_INODE} logical block (?P<logical>{_N}) \(physical block (?P<block>{_N})\) "
     r"violates cluster allocation rules"),
    ("corrupt_attributes", rf"Inode {_INODE} extended attribute is corrupt"),
    ("attribute_hashes",
     rf"Extended attribute in inode {_INODE} has a hash \((?P<said>{_N})\) which is invalid"),
    ("invalid_attribute_blocks",
     rf"Extended attribute block for inode {_INODE} (?:\([^\n]{{1,200}}?\) )?is invalid "
     rf"\((?P<block>{_N})\)"),
    ("invalid_extra_sizes",
     rf"Inode {_INODE} has an? extra size \((?P<said>{_N})\) which is invalid"),
    ("wrong_flags",
     rf"Inode {_INODE} has(?: the)? (?P<flag>[\w-]{{3,30}}) flag "
     r"(?:set|on filesystem without|but) "),
    ("nonzero_fields",
     rf"(?P<field>i_\w{{3,20}}) for inode {_INODE} \([^\n]{{1,200}}?\) is (?P<said>{_N}), "
     r"should be zero"),
    ("blocks_beyond_the_size",
     rf"Block #(?P<logical>{_N}) \((?P<block>{_N})\) causes directory to be too big"),
    ("special_files_with_data",
     rf"Special \(device/socket/fifo\)(?: file)? \(?inode {_INODE}\)? has "),
    ("illegal_devices",
     rf"Inode {_INODE} \([^\n]{{1,200}}?\) is an illegal (?:block|character) device"),
    ("quota_usages",
     rf"\[QUOTA WARNING\] Usage inconsistent for ID (?P<id>{_N}):actual \((?P<counted_bytes>{_N}), "
     rf"(?P<counted_inodes>{_N})\) != expected \((?P<said_bytes>{_N}), (?P<said_inodes>{_N})\)"),
    ("entries_of_unused_inodes",
     rf"references inode {_INODE} (?:found in group|in group) (?P<group>{_N})"),
    ("invalid_inode_numbers", rf"has invalid inode #: {_INODE}"),
    ("invalid_modes",
     rf"Inode {_INODE} \([^\n]{{1,200}}?\) has invalid mode \((?P<mode>\d{{1,7}})\)"),
    ("corrupt_directories",
     rf"[Dd]irectory inode {_INODE}, block #(?P<logical>{_N}), offset (?P<offset>{_N}): "
     r"directory corrupted"),
    ("directory_checksums",
     rf"[Dd]irectory inode {_INODE}, block #(?P<logical>{_N})(?:, offset (?P<offset>{_N}))?: "
     r"directory (?:has no checksum|passes checks but fails checksum)"),
    ("unallocated_directory_blocks",
     rf"[Dd]irectory inode {_INODE} has an unallocated block #(?P<logical>{_N})"),
    ("missing_dots", rf"Missing '\.\.?' in directory inode {_INODE}"),
    ("htree_problems",
     rf"(?:Problem in|Invalid) HTREE directory(?: inode)? {_INODE}(?:: block #(?P<logical>{_N}) "
     rf"(?:has bad (?P<hash>min|max) hash|referenced twice|not referenced"
     rf"|has invalid (?:depth|count|limit) \((?P<said>{_N})\)))?"),
    ("htree_roots", rf"HTREE directory inode {_INODE} has (?:an? |root node )"
     rf"(?:[a-z\s]{{3,40}}(?:\((?P<said>{_N})\))?)?"),
    ("invalid_symlinks", rf"Symlink [^\n]{{1,200}}? \(inode #{_INODE}\) is invalid"),
    ("unconnected_directories", rf"Unconnected directory inode {_INODE}"),
    ("wrong_parents", rf"'\.\.' in [^\n]{{1,200}}? \({_INODE}\) is "),
    ("unattached_zero_length", rf"Unattached zero-length inode {_INODE}"),
    ("unattached_inodes", rf"Unattached inode {_INODE}"),
    ("missing_lost_and_found", r"/lost\+found not found"),
    ("padding", r"Padding at end of (?:inode|block) bitmap is not set"),
    ("block_bitmap_differences", r"Block bitmap differences:"),
    ("inode_bitmap_differences", r"Inode bitmap differences:"),
    ("needs_recovery", r"[Ss]uperblock needs_recovery flag is (?:set|clear), but"),
    ("corrupt_journals", r"[Jj]ournal superblock is corrupt"),
    ("corrupt_transactions", r"Journal transaction \d{1,10} was corrupt, replay was aborted"),
    ("times_in_future", r"[Ss]uperblock last (?:mount|write) time (?:is in the future|\()"),
    ("resize_inodes", r"Resize inode not valid"),
))  # fmt: skip
_MENDS = (
    r"Fix|Clear inode|Clear HTree index|Clear flag|Clear journal|Clear|Relocate|Allocate|Expand"
    r"|Connect to /lost\+found|Create|Salvage|Truncate|Split|Clone multiply-claimed blocks"
    r"|Delete file|Delete|Unlink|Recreate journal|Recreate|Optimize|Force rewrite|Recompute|Update"
    rf"|Update quota info for quota type {_N}|Rename to \S{{1,255}}|Move"
    r"|Place lost files in root directory instead"
)
_GOES_ON = (
    r"Abort|Continue|Ignore error|Suppress messages|Run journal anyway"
    r"|Do you really want to continue"
)
_ANSWER = across_wraps(
    rf"(?<![\w/])(?:(?P<mends>{_MENDS})|{_GOES_ON})(?: \('a' enables 'yes' to all\))?"
    r"\s{0,2}(?P<asked><[yn]>|\(y/n\))?\?(?: (?P<answer>yes(?: to all)?|no)(?!\S))?"
)
_SAID = across_wraps(
    r"(?<=[.?)\s:])(?:FIXED|CLEARED|SALVAGED|TRUNCATED|RELOCATED|ALLOCATED|EXPANDED|RECONNECTED"
    r"|CONNECTED TO LOST\+FOUND|CREATED|DELETED|FILE DELETED|SPLIT|INODE CLEARED|OPTIMIZED"
    r"|RECREATED|UNLINKED|CONVERTED|HTREE INDEX CLEARED|FLAG CLEARED|WILL RECREATE|WILL OPTIMIZE"
    r"|MULTIPLY-CLAIMED BLOCKS CLONED|REPLAYED|(?P<ignored>IGNORED))\.?(?=[^\S\n]{0,8}(?:\n|$))"
)
_DIFFERENCES = across_wraps(r"(?P<what>Block|Inode) bitmap differences:")
_RANGE = re.compile(
    r"\s{1,4}(?P<range>(?P<sign>[+-])"
    r"(?:\((?P<from>\d{1,20})--(?P<to>\d{1,20})\)|(?P<only>\d{1,20})))(?!\S)"
)
_SHARING = across_wraps(
    rf"(?P<file>/[^\n]{{0,200}}?|<The [a-z\s]{{4,40}}>) \(inode #{_INODE}, mod time "
    r"(?P<modified>[A-Z]\w\w [A-Z]\w\w \d{1,2} [\d:]{8} \d{4})\)"
)
"""A file that shares blocks, or the one with which it does."""
_KEPT = 1000  # problems with their figures, inodes, ranges, messages
_LONGEST = 200  # characters of a message
_PASS = re.compile(r"\s*Pass \d")


def is_problem(line: str) -> bool:
    """Whether a line names a problem of the tables, asks what to do, or says what was done."""
    answer = _ANSWER.search(line)
    if (answer and (answer["answer"] or answer["asked"])) or _SAID.search(line):
        return True
    return any(form.search(line) for _, form in (*_WRONG, *_OTHERS))


_PREEN = re.compile(r"\s*(?:[\w/.:+-]{1,120}: )?(?=[A-Z/'])")


def begins_problem(line: str) -> bool:
    """Whether a line begins with a problem of the tables, maybe behind the name of the device."""
    start = _PREEN.match(line)
    return start is not None and any(
        form.match(line, start.end()) for _, form in (*_WRONG, *_OTHERS)
    )


def answers(text: str) -> dict[str, int]:
    """How many problems were mended, left, or have a question without an answer.

    A question that only goes on, such as "Abort" or "Ignore error", mends nothing.

    Args:
        text: lines of a check, broken anywhere.
    """
    counts = {"mended": 0, "left_as_it_was": 0, "other_answers": 0, "unanswered": 0}
    for match in _ANSWER.finditer(text):
        if not match["answer"]:
            counts["unanswered"] += match["asked"] is not None  # else any sentence may ask that
        elif not match["mends"]:
            counts["other_answers"] += 1
        else:
            counts["left_as_it_was" if match["answer"] == "no" else "mended"] += 1
    for match in _SAID.finditer(text):
        counts["left_as_it_was" if match["ignored"] else "mended"] += 1
    return {name: count for name, count in counts.items() if count}


def problems(text: str) -> dict[str, Json]:
    """The problems of a check: counts by sort, figures that were wrong, inodes, bitmaps.

    Args:
        text: as `answers`.
    """
    forms = [(f"{name}_wrong", form) for name, form in _WRONG] + list(_OTHERS)
    at = sorted(
        (match.start(), name, _figures(match))
        for name, form in forms
        for match in form.finditer(text)
    )
    counts: dict[str, int] = {}
    rows, inodes = list[Json](), dict[int, None]()
    for _, name, figures in at:
        counts[name] = counts.get(name, 0) + 1
        if "inode" in figures:
            inodes[int(str(figures["inode"]))] = None
        if figures:
            rows.append({"problem": name, **figures})
    rows += [{"problem": "shares_blocks", **groups_of(match)} for match in _SHARING.finditer(text)]
    others = _unnamed(text, [place for place, _, _ in at])
    if others:
        counts["other_problems"] = len(others)
    values: dict[str, Json] = {**counts}
    if messages := [*dict.fromkeys(message for message in others if message)]:
        values["other_messages"] = [*messages[:_KEPT]]
    if rows:
        values["figures"] = rows[:_KEPT]
    if inodes:
        values["problem_inodes"] = len(inodes)
        named: list[Json] = [*inodes]
        values["inodes"] = named[:_KEPT]
    return values | dict(_bitmaps(text))


def _figures(match: re.Match[str]) -> dict[str, Json]:
    """What a problem names; octal modes and lists of blocks as text."""
    texts = {name: text for name, text in match.groupdict().items() if text}
    kept = {name: " ".join(fields(texts[name])) for name in ("mode", "claimed") if name in texts}
    return groups_of(match) | kept


def _unnamed(text: str, places: Sequence[int]) -> list[str]:
    """What stands above each answer that has no problem of the tables above it.

    Looked at is what stands there since the answer before; empty: nothing does.
    """
    ends = sorted(
        match.span()
        for form in (_ANSWER, _SAID)
        for match in form.finditer(text)
        if form is _SAID or match["answer"]
    )
    unnamed, before = list[str](), 0
    for start, end in ends:
        if bisect_left(places, before) == bisect_left(places, start):
            unnamed.append(_last_message(text[before:start]))
        before = end
    return unnamed


def _last_message(text: str) -> str:
    """The last line of a text that says something of its own, without the name of a device."""
    said = [line.strip() for line in lines(text) if line.strip() and not _PASS.match(line)]
    return _PREEN.sub("", said[-1])[:_LONGEST] if said else ""


def _bitmaps(text: str) -> Iterator[tuple[str, Json]]:
    """What the bitmaps' differences come to: "+" is in use and not marked, "-" only marked."""
    ranges: dict[str, list[Json]] = {}
    sums: dict[str, int] = {}
    for head in _DIFFERENCES.finditer(text):
        what, at = head["what"].lower(), head.end()
        while part := _RANGE.match(text, at):
            at = part.end()
            count = 1 if part["only"] else int(part["to"]) - int(part["from"]) + 1
            name = f"{what}s_{'not_marked' if part['sign'] == '+' else 'marked_in_vain'}"
            sums[name] = sums.get(name, 0) + count
            ranges.setdefault(what, []).append(part["range"])
    yield from sums.items()
    yield from ((f"{what}_ranges", kept[:_KEPT]) for what, kept in ranges.items())
