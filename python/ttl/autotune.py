"""@ttl.autotune: of a kernel's block sizes, cores and depths of buffers, those that take the fewest cycles.

    @ttl.autotune(block=[(1, 1), (2, 2), (4, 4)], cores=[(1, 1), (4, 4), (8, 8)], depth=[1, 2, 4])
    @ttl.kernel(grid=(8, 8))
    def kernel(x, out, block=(1, 1), depth=2):

`cores` replaces the kernel's grid; every other name is a parameter of the kernel, with a default. The first call with
tensors of a kind measures a tenth of the candidates on the simulated grid and keeps the best one."""

import copy
import functools
import hashlib
import inspect
import os

from tilewright import __version__, tuning
from tilewright.tuning import Candidate  # noqa: F401, a name of this module

from .kernel import Kernel, _key
from .specialization import ttnn_module


def autotune(*, share=0.1, verbose=True, cache=None, **choices):
    """Makes a kernel choose among candidates: the lists' product. `share` of them are measured at most; each list is to be
    ordered, from small to large. Candidates that do not compile, do not fit into L1, deadlock or have any other error, and those
    with other results than the kernel as it is written, are left out. `verbose`: print the table. `cache`: a JSON file that keeps
    choices between processes, for the same kernel, shapes, chip and version. `kernel.choices` maps what was tuned to its choice."""
    tuning.check_lists("ttl.autotune", "block=[...], cores=[...], depth=[...]", share, choices)

    def decorate(kernel):
        if not isinstance(kernel, Kernel):
            raise TypeError("@ttl.autotune(...) is written above @ttl.kernel(...)")
        for name in choices:
            if name != "cores" and name not in kernel.parameters:
                raise TypeError(f"ttl.autotune: {kernel.__name__}() has no parameter '{name}'; it has "
                                + ", ".join(kernel.parameters) + ", and cores is its grid")
            if name != "cores" and kernel.parameters[name].default is inspect.Parameter.empty:
                raise TypeError(f"ttl.autotune: the parameter '{name}' of {kernel.__name__}() needs a default")
        return Autotuned(kernel, choices, share, verbose, cache)

    return decorate


class Autotuned(tuning.Tuned):
    """A kernel that is called as before; calls with the same kinds of arguments run the candidate that was chosen."""

    in_threads = Kernel.in_threads
    who, thing, widest = "ttl.autotune", "kernel", "cores"

    def __init__(self, kernel, choices, share, verbose, cache):
        functools.update_wrapper(self, kernel)
        self.kernel, self.variants = kernel, {}
        self.start_tuning(choices, share, verbose, cache)

    def __get__(self, instance, kind=None):
        return self if instance is None else functools.partial(self, instance)

    def variant(self, values):
        """The kernel on a candidate's grid, and its other values."""
        named = dict(values)
        grid = named.pop("cores", self.kernel.grid)
        if grid not in self.variants:
            made = copy.copy(self.kernel)
            made.grid, made.cache = grid, {}
            self.variants[grid] = made
        return self.variants[grid], named

    def __call__(self, *args, **kwargs):
        if set(kwargs) & set(self.lists):  # the caller has chosen
            kernel, named = self.variant({k: kwargs.pop(k) for k in list(kwargs) if k in self.lists})
            return kernel(*args, **kwargs, **named)
        tensor = ttnn_module().Tensor
        key = tuple((a.cache_key if isinstance(a, tensor) else _key(a)) for a in (*args, *(v for _, v in sorted(kwargs.items()))))
        kernel, named = self.variant(self.choice(key, args, kwargs))
        return kernel(*args, **kwargs, **named)

    # ---- measuring ----

    def measure(self, candidate, args, kwargs, wanted):
        """Runs a candidate on copies of the tensors; `wanted`: the results to compare with, or None. Returns its results."""
        kernel, named = self.variant(candidate.values)
        copies = [_copied(a) for a in args]
        kwargs = {k: _copied(v) for k, v in kwargs.items()}
        try:
            split, more, numbers = kernel.split(copies, {**kwargs, **named})
            entry = kernel.prepare(split, more)
            tensors = [split[i] for i in entry.tensor_arguments] + [more[name] for name in entry.tensor_keywords]
            with entry.device.lock:
                entry.run(tensors, numbers)
        except (RuntimeError, ValueError, TypeError) as error:
            candidate.why = tuning.first_line(error)
            return None
        results = [_numbers(tensors[i]) for i in entry.special.written if i < len(tensors)]
        if wanted is not None and any(not _close(a, b) for a, b in zip(results, wanted)):
            candidate.why = "other results than the kernel as it is written"
            return None
        candidate.cycles = entry.launch.cycles
        return results

    def written(self):
        return {name: self.kernel.grid if name == "cores" else self.kernel.parameters[name].default for name in self.lists}

    def name_of(self, key, args, kwargs):
        """Names kernel, lists and arguments in the file."""
        try:
            source = inspect.getsource(self.kernel.function)
        except OSError:
            source = self.kernel.function.__code__.co_code.hex()
        text = repr((__version__, os.environ.get("TTLANG_CHIP"), self.__name__, source, self.lists, key))
        return f"{self.__name__}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def _copied(value):
    ttnn = ttnn_module()
    if isinstance(value, ttnn.Tensor):
        return ttnn.clone(value)
    if hasattr(value, "clone"):
        return value.clone()
    return value.copy() if hasattr(value, "dtype") and hasattr(value, "copy") else value


def _numbers(value):
    """A result as a NumPy array of floats."""
    import numpy

    ttnn = ttnn_module()
    value = ttnn.to_torch(value) if isinstance(value, ttnn.Tensor) else value
    value = value.float().numpy() if hasattr(value, "numpy") else value
    return numpy.array(value, dtype="float32")


def _close(a, b):
    """True if results agree but for the order of their sums."""
    import numpy

    return bool(numpy.linalg.norm((a - b).ravel()) <= 0.02 * numpy.linalg.norm(b.ravel()) + 1e-6)
