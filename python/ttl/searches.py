"""Runs of a launch as ttlang-sim's options ask: once, in many orders, or with the delays of a file."""

import os
import sys
import time


runner = None  # runs launches instead: the debug adapter


def run(launch, name, stops=False):
    """Runs the launch of a kernel of this name. `stops`: it has breakpoint() in a thread."""
    if runner:
        runner(launch)
        return
    orders, replay = os.environ.get("TTLANG_SIM_EXPLORE"), os.environ.get("TTLANG_SIM_REPLAY")
    if replay:
        with open(replay, encoding="utf-8") as file:
            launch.set_delays(file.read(), replay)
    breaks = os.environ.get("TTLANG_SIM_BREAK", "").split()
    if stops or breaks:
        debug(launch, breaks)
    elif orders:
        explore(launch, name, int(orders), int(os.environ.get("TTLANG_SIM_SEED", "0")))
    elif os.environ.get("TTLANG_SIM_WHAT_IF", "0") == "1":
        try:
            print(f"{name}: {launch.what_if()[1]}", end="")
        except KeyboardInterrupt as error:
            if error.args:
                print(f"{name}: {error}", end="", flush=True)
            raise KeyboardInterrupt("interrupted; the table has what was measured") from None
    else:
        launch.run()


_debugged = set()  # launches that have the breakpoints of the command line


def debug(launch, breaks):
    """Runs with a prompt at each stop; `quit` ends the program."""
    first = id(launch) not in _debugged
    _debugged.add(id(launch))
    try:
        launch.debug(breaks=breaks if first else ())
    except KeyboardInterrupt:
        sys.exit("ttlang-sim: the debugger ended the run")


def explore(launch, name, orders, seed):
    """Prints what was found; the delays that break the kernel go to a file."""
    start = time.monotonic()
    try:
        found = launch.explore(orders, seed)
    except RuntimeError as error:
        found = getattr(error, "explored", None)
        if found and found.delays:
            path = os.environ.get("TTLANG_SIM_DELAYS") or f"{name}.delays"
            with open(path, "w", encoding="utf-8") as file:
                file.write(found.delays)
            error.args = (f"{error}help: ttlang-sim --replay {path} {sys.argv[0]} runs it again\n",)
        raise
    finally:
        if "found" in locals() and found:
            print(f"{name}: {found.orders} of {orders} orders with seed {seed} in {time.monotonic() - start:.1f} s: "
                  f"{found.distinct} different ones, {found.pairs} pairs of accesses; {'an' if found.broken else 'no'} error",
                  file=sys.stderr)
