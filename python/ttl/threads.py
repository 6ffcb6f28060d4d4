"""The parts of a kernel's body: its threads, and threads as a value."""

import functools

from .buffer import Making


class Thread:
    """A function decorated with @ttl.compute() or @ttl.datamovement()."""

    in_threads = "a thread is not called; it runs when its kernel is called", "make it a plain function to call it here"

    def __init__(self, function, kind, verbose=False):
        functools.update_wrapper(self, function)
        self.function, self.kind, self.verbose = function, kind, verbose

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"the thread '{self.__name__}' is not called; it runs when its kernel is called")


def _thread(kind):
    def decorator(function=None, *, verbose=False):
        def wrap(f):
            if getattr(f, "__name__", "") == "<lambda>":
                raise TypeError("a thread is a function that 'def' makes, not a lambda: write def NAME():")
            thread = Thread(f, kind, verbose)
            if Making.current:
                Making.current.threads.append(thread)
            return thread

        return wrap(function) if function is not None else wrap

    decorator.__name__ = kind
    decorator.__doc__ = f"Makes a function the kernel's {kind} thread; it takes no parameters and captures what it uses."
    return decorator


compute, datamovement = _thread("compute"), _thread("datamovement")


class Program:
    """Threads as a value: a kernel that returns Program(c, d0, d1)(a, b, out) runs these, on these tensors."""

    def __init__(self, *threads, args=(), kwargs=None):
        self.threads, self.args, self.kwargs = threads, args, dict(kwargs or {})

    def __call__(self, *args, **kwargs):
        return Program(*self.threads, args=args, kwargs={**self.kwargs, **kwargs})
