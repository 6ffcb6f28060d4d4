"""precompile.py FOLDER: precompiles the kernel API's headers with GCC (.gch), for all tests that compile C++ kernels
into this cache: twice as fast, and the same code. Where GCC cannot use a precompiled header, it reads the headers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tilewright import sim

# For each set of macros that the headers test (native_build.c).
COMPUTE = ["-DCOMPILE_FOR_TRISC=1", "-DTRISC_UNPACK=", "-DTRISC_MATH=", "-DTRISC_PACK="]
VARIANTS = {"move": [], "compute": COMPUTE, "emitted-move": ["-DTW_EMITTED=1"], "emitted-compute": ["-DTW_EMITTED=1", *COMPUTE]}


def main(folder):
    os.environ["TILEWRIGHT_KERNEL_CACHE"] = str(folder)
    sim.Grid().load().launch([sim.Run('#include "dataflow_api.h"\nvoid kernel_main() {}\n')]).run()
    source = max(folder.glob("*/*.cpp"), key=lambda path: path.stat().st_mtime)
    command = source.read_text().splitlines()[0].removeprefix("// ").split()  # the command that compiled it
    header = source.parent / "tilewright" / "kernel_objects.hpp"
    kept, fresh = Path(f"{header}.gch"), Path(f"{header}.{os.getpid()}")
    if kept.exists():
        return
    for old in folder.glob("*/tilewright/*.gch"):
        shutil.rmtree(old)
    fresh.mkdir()
    options = [o for o in command[1:] if o not in ("-x", "c++", "-shared") and not o.startswith("-Wl")]
    for name, macros in VARIANTS.items():
        subprocess.run([command[0], "-x", "c++-header", *options, *macros, header, "-o", fresh / name], check=True)
    fresh.rename(kept)


main(Path(sys.argv[1]))
