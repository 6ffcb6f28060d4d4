"""Entry points for the other names of a command (stablehlo-opt, ttlang-opt, ...) in an installed package: each runs
the command beside it, which selects its behaviour by the name in argv[0]."""

import os
import sys
import sysconfig


def _runs(command, name):
    def main():
        here = os.path.dirname(os.path.abspath(sys.argv[0]))
        for folder in (here, sysconfig.get_path("scripts")):
            path = os.path.join(folder, command)
            if os.path.exists(path):
                os.execv(path, [os.path.join(folder, name), *sys.argv[1:]])
        sys.exit(f"{name}: error: cannot find {command} beside it; install the package again")

    return main


ttlang_opt = _runs("ttmlir-opt", "ttlang-opt")
stablehlo_opt = _runs("ttmlir-opt", "stablehlo-opt")
sdy_opt = _runs("ttmlir-opt", "sdy_opt")
mpmd_opt = _runs("ttmlir-opt", "mpmd_opt")
ttlang_translate = _runs("ttmlir-translate", "ttlang-translate")
