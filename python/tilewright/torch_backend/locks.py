"""Locks around captures and programs, where several threads use one model."""

import contextlib
import os
import threading
import weakref

import torch

_locks = weakref.WeakSet()


def new():
    """A lock that a child of fork finds free: the thread that held it exists in the parent only."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def _reset():
    for lock in _locks:
        lock._at_fork_reinit()


os.register_at_fork(after_in_child=_reset)


@contextlib.contextmanager
def capturing():
    """For captures outside of torch's own compilation. Tracers keep their state in variables of the process, which torch's
    compile lock guards; while they trace, calls of compiled functions in other threads ask whether that is a compilation."""
    from torch._dynamo.convert_frame import compile_lock

    with compile_lock:
        former = torch.compiler._is_compiling_flag
        torch.compiler._is_compiling_flag = True
        try:
            yield
        finally:
            torch.compiler._is_compiling_flag = former
