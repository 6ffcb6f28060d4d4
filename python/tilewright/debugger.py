"""Stops of kernels: what a thread has at a breakpoint, and a prompt."""

import sys

from . import _core

STAYS, GOES, ENDS = range(3)  # tw_stop_next


class Stop:
    """A stop of a run, before an operation of one thread; valid while the function that got it runs. Buffers and registers
    are those of the thread's core, as NumPy arrays of f32, 32 by 32."""

    def __init__(self, at):
        self._at, self.next = at, STAYS

    def command(self, text):
        """Executes a command of the debugger ("help" lists them) and returns its answer."""
        self.next, answer = _core.stop_command(self._at, text)
        return answer

    def describe(self):
        """What the stop has (tw_stop_describe), as dictionaries, in `state`."""
        import json

        self.state = json.loads(_core.stop_describe(self._at))

    def tile(self, name, i):
        """A tile of a circular buffer, by name or number (of DST: None); None past the end."""
        import numpy

        tile = _core.stop_tile(self._at, name, i)
        return None if tile is None else numpy.frombuffer(tile, dtype="float32").reshape(32, 32)

    def _tiles(self, name):
        i = 0
        while (tile := self.tile(name, i)) is not None:
            yield tile
            i += 1

    def cb(self, name):
        """The tiles of a circular buffer, by name or number: filled pages from the oldest, then reserved ones."""
        return list(self._tiles(str(name)))

    def dst(self, i):
        """A tile of DST; None if nothing has written it since it was acquired."""
        return self.tile(None, i)

    def sem(self, i):
        """The value of a semaphore; None if the program has fewer."""
        return _core.stop_semaphore(self._at, i)


def prompt(stop, read=input, write=sys.stdout.write):
    """Reads commands until one lets the run go on. `p EXPRESSION` evaluates Python, with cb(name), dst(i) and sem(i)."""
    write(stop.command("where"))
    while stop.next == STAYS:
        try:
            line = read("(ttl) ").strip()
        except EOFError:  # the end of the input ends the run
            line = "quit"
            write("\n")
        if line == "p" or line.startswith("p "):
            write(evaluate(stop, line[1:].strip()))
        else:
            write(stop.command(line))
            if line in ("help", "h"):
                write("  p EXPR       Python, with cb(name), dst(i), sem(i) and numpy\n")


def evaluate(stop, text):
    import numpy

    try:
        return f"{eval(text, {'cb': stop.cb, 'dst': stop.dst, 'sem': stop.sem, 'numpy': numpy})}\n"
    except Exception as error:  # the prompt goes on
        return f"{type(error).__name__}: {error}\n"
