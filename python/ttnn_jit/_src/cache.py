"""Programs by the metadata of the arguments that they were compiled for."""

import collections

from tilewright import forks


class JitCache:
    """At most `capacity` programs, the least recently used of which is dropped; safe for threads.

    `hits` and `misses` count lookups.
    """

    def __init__(self, capacity=64):
        if capacity < 1:
            raise ValueError(f"JitCache: expected a capacity of at least 1, found {capacity}")
        self.capacity = capacity
        self.hits = self.misses = 0
        self._entries = collections.OrderedDict()
        self._lock = forks.rlock()

    def get(self, key):
        """The program of these metadata, or None."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._entries.move_to_end(key)
            return found

    def put(self, key, program):
        with self._lock:
            self._entries[key] = program
            while len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def clear(self):
        with self._lock:
            self._entries.clear()

    def num_entries(self):
        return len(self._entries)

    __len__ = num_entries
