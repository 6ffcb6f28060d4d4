"""What @ttl.autotune and @ttnn_jit.autotune share: candidates, the search for the cheapest one (tw_tune_*), its table, and the
file that keeps choices."""

import itertools
import json
import math
import os
import re
import warnings

from . import _core

AT_LEAST = 4  # measurements


def check_lists(who, example, share, choices):
    """Errors for arguments of a decorator `who` that do not fit."""
    if not choices:
        raise TypeError(f"{who} needs lists of candidates: {example}")
    for name, values in choices.items():
        if not isinstance(values, (list, tuple)) or not values:
            raise TypeError(f"{who}: {name} is a list of candidates, not {values!r}")
    if not 0 < share <= 1:
        raise ValueError(f"{who}: share is more than 0 and at most 1, not {share!r}")


class Candidate:
    """One point of the lists' product, and what was measured: cycles, or why it is left out."""

    def __init__(self, values):
        self.values, self.cycles, self.why = values, math.inf, ""

    def __repr__(self):
        return ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in self.values.items() if value is not None) or "no option"


class Tuned:
    """Chooses among candidates, once for each key. Subclasses have `who` (the decorator), `thing` (what it decorates), `widest` (the
    list whose search starts at its end, not in the middle), `written()`, `measure(candidate, args, kwargs, wanted)` and `name_of(key, args, kwargs)`."""

    def start_tuning(self, choices, share, verbose, cache):
        self.lists, self.share, self.verbose, self.file = choices, share, verbose, cache
        self.choices, self.tables = {}, {}

    def choice(self, key, args, kwargs):
        """The values for a key, by tuning with these arguments if there are none yet."""
        if key not in self.choices:
            name = self.name_of(key, args, kwargs) if self.file else None
            self.choices[key] = self.remembered(name) or self.tune(key, name, args, kwargs)
        return self.choices[key]

    def tune(self, key, file_name, args, kwargs):
        lists = [list(values) for values in self.lists.values()]
        count = math.prod(map(len, lists))
        # one of the share is the decorated function as it is written
        runs = count if self.share == 1 else max(min(AT_LEAST, count), int(count * self.share) - 1)
        start = [len(v) - 1 if name == self.widest else len(v) // 2 for name, v in zip(self.lists, lists)]
        search = _core.tune_create([len(v) for v in lists], start, runs)
        written = Candidate(self.written())
        wanted = self.measure(written, args, kwargs, None)
        tried = {}
        try:
            while (point := _core.tune_next(search, len(lists))) is not None:
                candidate = Candidate({name: values[i] for name, values, i in zip(self.lists, lists, point)})
                self.measure(candidate, args, kwargs, wanted)
                tried[tuple(point)] = candidate
                _core.tune_give(search, point, candidate.cycles)
        except KeyboardInterrupt:
            self.tables[key] = written, list(tried.values()), count
            if self.verbose:
                print(self.table(key, None), end="", flush=True)
            raise KeyboardInterrupt(f"{self.who}: interrupted after {len(tried)} of {count} candidates; no choice is made") from None
        best = min(tried.values(), key=lambda c: c.cycles)
        if written.cycles <= best.cycles:
            best = written
        if not math.isfinite(best.cycles):
            raise RuntimeError(f"{self.__name__}(): none of the {count} candidates of {self.who} runs:\n"
                               + "\n".join(f"  {c}: {c.why}" for c in itertools.islice(tried.values(), 5)))
        self.tables[key] = written, list(tried.values()), count
        if self.verbose:
            print(self.table(key, best), end="")
        self.keep(file_name, best)
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
            warnings.warn(f"{self.who}: {self.file}: {error}; {self.thing}s are tuned again", RuntimeWarning, stacklevel=5)
            return {}

    def remembered(self, name):
        indices = self.read().get(name)
        if not isinstance(indices, dict) or set(indices) != set(self.lists):
            return None
        written, values = self.written(), {}
        for axis, kept in indices.items():
            found = [v for v in (*self.lists[axis], written[axis]) if repr(v) == kept]
            if not found:
                return None
            values[axis] = found[0]
        return {axis: values[axis] for axis in self.lists}

    def keep(self, name, best):
        if not self.file:
            return
        kept = {**self.read(), name: {axis: repr(value) for axis, value in best.values.items()}}
        part = f"{self.file}.{os.getpid()}"
        with open(part, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=1, sort_keys=True)
        os.replace(part, self.file)


def first_line(error):
    """What an error says first, without its location: its first diagnostic, if it has one."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    text = next((line for line in lines if "error: " in line), lines[0]).rpartition("error: ")[2]
    return re.sub(r'^"[^"]*":\d+:\d+: ', "", text)[:160]
