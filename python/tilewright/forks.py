"""Locks that a child of fork finds free: the thread that held one exists in the parent only."""

import os
import threading
import weakref

_locks = weakref.WeakSet()


def rlock():
    """A lock that its thread may take again."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def _reset():
    for lock in _locks:
        lock._at_fork_reinit()


os.register_at_fork(after_in_child=_reset)
