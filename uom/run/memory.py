"""How much memory a process took at most."""

from __future__ import annotations

import re
from pathlib import Path


def peak_kb(pid: int) -> int:
    """Peak resident memory in KiB; 0 where the system does not tell (only Linux does, while the process lives)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) if found else 0
