"""Threads of the simulator that call Python code of the user, which may never return."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import time
from collections.abc import Iterable

PATIENCE = 1.0
"""Seconds that these threads have to end when the interpreter ends."""

_running: set[int] = set()


class Interrupted(BaseException):
    """Ends Python code of a run that was given up."""


def enter() -> int:
    """Begins the work of this thread."""
    own = threading.get_ident()
    _running.add(own)
    return own


def leave(own: int) -> None:
    """Ends it."""
    _running.discard(own)


def interrupt(threads: Iterable[int]) -> None:
    """Raises an exception in Python code of these threads; threads that have ended are
    forgotten."""
    for own in threads:
        raised = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(own), ctypes.py_object(Interrupted))
        if raised == 0:
            leave(own)


def _end() -> None:
    """An interpreter that ends while one of them is in Python code would abort."""
    until = time.monotonic() + PATIENCE
    while _running and time.monotonic() < until:
        interrupt(list(_running))
        time.sleep(0.01)
    if _running & sys._current_frames().keys():
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(1)


atexit.register(_end)
