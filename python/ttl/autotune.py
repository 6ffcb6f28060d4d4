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
import itertools
import json
import math
import os
import warnings

from tilewright import _core, __version__

from .kernel import Kernel, _key
from .specialization import ttnn_module

AT_LEAST = 4  # measurements


def autotune(*, share=0.1, verbose=True, cache=None, **choices):
    """Makes a kernel choose among candidates: the lists' product. `share` of them are measured at most; each list is to be
    ordered, from small to large. Candidates that do not compile, do not fit into L1, deadlock or have any other error, and those
    with other results than the kernel as it is written, are left out. `verbose`: print the table. `cache`: a JSON file that keeps
    choices between processes, for the same kernel, shapes, chip and version. `kernel.choices` maps what was tuned to its choice."""
    if not choices:
        raise TypeError("ttl.autotune needs lists of candidates: block=[...], cores=[...], depth=[...]")
    for name, values in choices.items():
        if not isinstance(values, (list, tuple)) or not values:
            raise TypeError(f"ttl.autotune: {name} is a list of candidates, not {values!r}")
    if not 0 < share <= 1:
        raise ValueError(f"ttl.autotune: share is more than 0 and at most 1, not {share!r}")

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


class Candidate:
    """One point of the lists' product, and what was measured: cycles, or why it is left out."""

    def __init__(self, values):
        self.values, self.cycles, self.why = values, math.inf, ""

    def __repr__(self):
        return ", ".join(f"{name}={value}" for name, value in self.values.items())


class Autotuned:
    """A kernel that is called as before; calls with the same kinds of arguments run the candidate that was chosen."""

    in_threads = Kernel.in_threads

    def __init__(self, kernel, choices, share, verbose, cache):
        functools.update_wrapper(self, kernel)
        self.kernel, self.lists, self.share, self.verbose, self.file = kernel, choices, share, verbose, cache
        self.choices, self.tables, self.variants = {}, {}, {}

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
        if key not in self.choices:
            self.choices[key] = self.remembered(key) or self.tune(key, args, kwargs)
        kernel, named = self.variant(self.choices[key])
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
            candidate.why = _first_line(error)
            return None
        results = [_numbers(tensors[i]) for i in entry.special.written if i < len(tensors)]
        if wanted is not None and any(not _close(a, b) for a, b in zip(results, wanted)):
            candidate.why = "other results than the kernel as it is written"
            return None
        candidate.cycles = entry.launch.cycles
        return results

    def tune(self, key, args, kwargs):
        lists = [list(values) for values in self.lists.values()]
        count = math.prod(map(len, lists))
        # one of the share is the kernel as it is written
        runs = count if self.share == 1 else max(min(AT_LEAST, count), int(count * self.share) - 1)
        start = [len(v) - 1 if name == "cores" else len(v) // 2 for name, v in zip(self.lists, lists)]
        search = _core.tune_create([len(v) for v in lists], start, runs)
        written = Candidate({name: self.kernel.grid if name == "cores" else self.kernel.parameters[name].default
                             for name in self.lists})
        wanted = self.measure(written, args, kwargs, None)
        tried = {}
        while (point := _core.tune_next(search, len(lists))) is not None:
            candidate = Candidate({name: values[i] for name, values, i in zip(self.lists, lists, point)})
            self.measure(candidate, args, kwargs, wanted)
            tried[tuple(point)] = candidate
            _core.tune_give(search, point, candidate.cycles)
        best = min(tried.values(), key=lambda c: c.cycles)
        if written.cycles < best.cycles:
            best = written
        if not math.isfinite(best.cycles):
            raise RuntimeError(f"{self.__name__}(): none of the {count} candidates of ttl.autotune runs:\n"
                               + "\n".join(f"  {c}: {c.why}" for c in itertools.islice(tried.values(), 5)))
        self.tables[key] = written, list(tried.values()), count
        if self.verbose:
            print(self.table(key, best), end="")
        self.keep(key, best)
        return best.values

    def table(self, key, best):
        """What was measured, the best first."""
        written, tried, count = self.tables[key]
        rows = sorted((c for c in tried if math.isfinite(c.cycles)), key=lambda c: c.cycles)
        out = [c for c in tried if not math.isfinite(c.cycles)]
        text = f"{self.__name__}: {len(rows)} of {count} candidates measured, {len(out)} left out\n"
        text += "".join(f"{c.cycles:10.0f} cycles  {c}{'  <- chosen' if c is best else ''}\n" for c in rows)
        text += f"{written.cycles:10.0f} cycles  as it is written: {written}{'  <- chosen' if written is best else ''}\n"
        return text + "".join(f"{'':10}         {c}: {c.why}\n" for c in out)

    # ---- the file ----

    def name_of(self, key):
        """Names kernel, lists and arguments in the file."""
        try:
            source = inspect.getsource(self.kernel.function)
        except OSError:
            source = self.kernel.function.__code__.co_code.hex()
        text = repr((__version__, os.environ.get("TTLANG_CHIP"), self.__name__, source, self.lists, key))
        return f"{self.__name__}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"

    def read(self):
        """The file's choices; a file that cannot be read is warned of and counts as empty."""
        if not self.file or not os.path.exists(self.file):
            return {}
        try:
            with open(self.file, encoding="utf-8") as file:
                kept = json.load(file)
            if not isinstance(kept, dict):
                raise ValueError("it holds no JSON object")
            return kept
        except (OSError, ValueError) as error:
            warnings.warn(f"ttl.autotune: {self.file}: {error}; kernels are tuned again", RuntimeWarning, stacklevel=5)
            return {}

    def remembered(self, key):
        indices = self.read().get(self.name_of(key))
        if not isinstance(indices, dict) or set(indices) != set(self.lists):
            return None
        values = {name: next((v for v in (*self.lists[name], self.kernel.grid if name == "cores" else self.kernel.parameters[name].default)
                              if repr(v) == indices[name]), None) for name in self.lists}
        return None if None in values.values() else values

    def keep(self, key, best):
        if not self.file:
            return
        kept = {**self.read(), self.name_of(key): {name: repr(value) for name, value in best.values.items()}}
        part = f"{self.file}.{os.getpid()}"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1, sort_keys=True)
        os.replace(part, self.file)


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


def _first_line(error):
    """What an error says first, without its location."""
    text = str(error).strip().splitlines() or [type(error).__name__]
    return text[0].rpartition("error: ")[2][:160]
