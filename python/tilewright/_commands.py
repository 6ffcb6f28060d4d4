"""Entry points of the commands in an installed package: each runs the program tilewright beside it, which holds all
of them and selects one by the name in argv[0]."""

import os
import sys
import sysconfig


def _command(name):
    def main():
        here = os.path.dirname(os.path.abspath(sys.argv[0]))
        for folder in (here, sysconfig.get_path("scripts")):
            path = os.path.join(folder, "tilewright")
            if os.path.exists(path):
                os.execv(path, [os.path.join(folder, name), *sys.argv[1:]])
        sys.exit(f"{name}: error: cannot find the program tilewright in {here} or {sysconfig.get_path('scripts')}; "
                 "install the package again")

    return main


mpmd_opt = _command("mpmd_opt")
sdy_opt = _command("sdy_opt")
stablehlo_opt = _command("stablehlo-opt")
stablehlo_translate = _command("stablehlo-translate")
ttlang_opt = _command("ttlang-opt")
ttlang_translate = _command("ttlang-translate")
ttmlir_lsp_server = _command("ttmlir-lsp-server")
ttmlir_opt = _command("ttmlir-opt")
ttmlir_translate = _command("ttmlir-translate")
ttrt = _command("ttrt")
tt_smi = _command("tt-smi")
