"""Locks that a child of fork finds free: the thread that held one exists in the parent only."""

import os
import threading
import weakref

_locks = weakref.WeakSet()


def lock():
    """A threading.Lock."""
    return _noted(threading.Lock())


def rlock():
    """A threading.RLock: its thread may acquire it again."""
    return _noted(threading.RLock())


def _noted(new):
    _locks.add(new)
    return new


def _reset():
    for one in _locks:
        one._at_fork_reinit()


os.register_at_fork(after_in_child=_reset)
