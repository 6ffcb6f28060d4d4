"""Locks that are free in a child of fork: a thread of the parent that held one does not exist there."""

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
