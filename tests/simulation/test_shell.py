"""The shell in memory prints what the real one prints, or says that it does not know something."""

from __future__ import annotations

import subprocess

import pytest

from tests.simulation.shell.errors import Unplayed
from tests.simulation.shell.play import play
from tests.simulation.world import World

SCRIPTS = (
    # Fields: of what is not quoted, by the blanks in force.
    'x="a  b"; set -- $x c$x"d"e; printf "<%s>" "$@"; set -- "$x"; echo "$#"',
    'x=" a b "; set -f; set -- p$x$x"q"; printf "<%s>" "$@" ""; set -- ; printf "<%s>" "$@"',
    "IFS=$(printf '\\t'); set -f; x=$(printf 'a\\t\\tb c'); set -- $x; unset IFS; echo \"$# $2\"",
    "printf 'a b  c d \\n e' | { read -r x y z; read -r v || echo \"<$x|$y|$z|$v>\"; }",
    "printf ' x y \\n' | { IFS= read -r x; echo \"<$x>\"; }",
    # Parameters.
    'x=a/b/c; echo "${x%/*} ${x##*/} ${x%%/*} ${x#*/} ${x#?} ${y:-"$x z"} ${x%"/c"}"',
    'x="a*b*c" p="*"; echo "${x#*"$p"} ${x##*$p} ${x%"*c"}"',
    'echo $((0x1f & 07 + 2 * 3)) $((5 / 2 >= 2)); n=7; echo $((n % 4)) $(($n))',
    # Lists, pipelines, subshells and what is left of them.
    'x=1; (x=2; exit 3); echo "$? $x"; false || true && echo yes; ! true || echo no',
    'f() { [ "$1" ] || return 4; echo "f $*"; }; f a b; f ""; echo $?; '
    'x=$(f; echo "$?"); echo "$x"',
    "for one in a b c d; do "
    'case $one in b) continue ;; d) break ;; a | c) echo "$one" ;; esac; done',
    'i=0; while [ "$i" -lt 3 ]; do i=$((i + 1)); done; echo "$i"; if [ ! "$i" = 3 ]; then echo a; '
    'elif [ -n "$i" ]; then echo b; else echo c; fi',
    'echo one | while read -r x; do y=$x; done; echo "<$y>"; exit 5; echo never',
    '{ echo a; echo b >&2; } 2>&1 | wc -l; x=$(exit 9) || echo "$?"; '
    'x=$(printf "a\\n\\n"); echo "<$x>"',
    # awk: texts that look like numbers, fields that are not there, elements that are asked for.
    "printf '1\\t01\\n1\\tx\\n\\n' | awk -F '\\t' -v n=1.0 '$1 == n { print $2 == n, $9 \"|\" }"
    " END { print NR }'",
    "printf 'a b\\nb a\\n' | "
    "awk '!seen[$1]++ { key[$2]; n = $1 in key; print n, length($0) }'",
    "printf 'x\\ny\\n' | awk '$1 == \"y\" { known = 1 } END { exit !known }'; echo $?",
    "printf 'p\\nq\\n' | "
    "awk -v at=5 '{ here = at; at += length($0) + 1; print here \" \" at; exit }'",
)  # fmt: skip
REFUSED = (
    "echo `date`", "x=${y:=1}", "printf %d 1", "until false; do :; done", "eval :",
    "echo *", "echo x*", "x=*; echo $x",
    "awk 'BEGIN { printf \"x\" }'", "cat /etc/passwd", "trap : EXIT", "cat <<E\nE",
)  # fmt: skip
_WORLD = World({}, {})


def in_memory(script: str) -> tuple[bytes, int]:
    execution, _ = play(["sh", "-c", script, "sh"], b"", _WORLD)
    return execution.stdout, execution.status


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_prints_the_same_as_under_the_real_shell(script: str) -> None:
    done = subprocess.run(["sh", "-c", script, "sh"], capture_output=True, check=False)
    assert in_memory(script) == (done.stdout, done.returncode), done.stderr
    assert done.stdout


@pytest.mark.parametrize("script", REFUSED)
def test_what_is_not_known_is_refused(script: str) -> None:
    with pytest.raises(Unplayed):
        in_memory(script)
