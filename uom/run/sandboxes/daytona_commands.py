"""Shell that runs a command under a time limit, ends what it leaves behind and bounds what it says.

Daytona kills the shell it started, no more, and returns all output whatever its size.
"""

from __future__ import annotations

import shlex

from uom.run.sandboxes.protocol import Ending, Execution, SandboxProblem

_MARK = "UOM_RUN"
_KILLED = 137
_KILL = (
    f'kill_run() {{ left=1; for f in $(grep -lsz "^{_MARK}=$1$" /proc/[0-9]*/environ); do p=${{f#/proc/}}; '
    'p=${p%/environ}; [ "$p" = "$$" ] || { kill -9 "$p" 2> /dev/null; left=0; }; done; return $left; }'
)
"""All processes that were started with this run's mark in their environment, in whatever session they are by now.
Fails when there are none."""


def supervised(command: str, cwd: str, mark: str, limit_seconds: float, output_bytes: int) -> str:
    """One shell line. Its own last line is the mark, the exit code and the milliseconds that were used and allowed,
    after the bounded output of `command`."""
    half = max(1, output_bytes // 2)
    allowed = round(limit_seconds * 1000)
    script = f"""
exec 2> /dev/null
{_KILL}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
mkdir -p {shlex.quote(cwd)} && cd {shlex.quote(cwd)} || exit 1
start=$(date +%s%N)
env {_MARK}={mark} timeout --signal=KILL {limit_seconds:.3f} setsid --wait bash -c {shlex.quote(command)} > "$out" 2>&1 < /dev/null
code=$?
end=$(date +%s%N)
for i in 1 2 3 4 5; do kill_run {mark} || break; done
size=$(stat -c %s "$out")
if [ "$size" -le {2 * half} ]; then cat "$out"; else
  head -c {half} "$out"; printf '\\n[%s bytes left out]\\n' $((size - {2 * half})); tail -c {half} "$out"; fi
printf '\\n%s %s %s %s\\n' {mark} "$code" $(((end - start) / 1000000)) {allowed}
"""
    return f"bash -c {shlex.quote(script)}"


def read_answer(text: str, mark: str) -> Execution:
    """Raises SandboxProblem when the supervising shell did not come to its end."""
    output, found, last = text.rstrip().rpartition(f"\n{mark} ")
    words = last.split()
    if not found or len(words) != 3:
        raise SandboxProblem("The Daytona sandbox", f"a command did not come to its end: {text.strip()[-300:]}", "")
    code, millis, allowed = map(int, words)
    if code == _KILLED and millis >= allowed:
        return Execution(-1, output, Ending.TIMEOUT, millis / 1000)
    return Execution(code, output, Ending.EXITED, millis / 1000)


def kill_command(mark: str) -> str:
    """Ends a run from outside; the shell that supervises it then answers."""
    return f"bash -c {shlex.quote(f'{_KILL}; kill_run {mark}')}"


def size_command(path: str) -> str:
    """Prints the size of a regular file; fails for anything else."""
    quoted = shlex.quote(path)
    return f"[ -f {quoted} ] && [ ! -L {quoted} ] && stat -c %s {quoted}"
