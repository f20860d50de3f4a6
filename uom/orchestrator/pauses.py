"""Keeps Python's cycle collector from stopping the event loop while a thread works on many rows.

A full collection walks every object with all threads stopped: a fifth of a second for a hundred thousand rows. Rows are
dictionaries and lists without cycles, so nothing is gained by looking at them.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_MANY_BLOCKS = 800_000
_PIECE = 2_000
_lock = threading.Lock()
_inside = 0


@contextmanager
def no_pauses() -> Iterator[None]:
    """No collection in the block. Where many objects stay behind, they are left out of later collections too; once they
    are gone, everything is looked at again."""
    global _inside
    with _lock:
        _inside += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if sys.getallocatedblocks() > _MANY_BLOCKS:
                gc.freeze()
            else:
                gc.unfreeze()
            if _inside == 0:
                gc.enable()


def release(rows: object) -> None:
    """Empties a list piece by piece: to free a hundred thousand rows at once would stop all threads for as long."""
    while isinstance(rows, list) and rows:
        del rows[-_PIECE:]
