"""ttlang-sim: runs a Python file of kernels on the embedded device.

The file needs no change: `ttl` and `ttnn` are this package's, and so is `sim`, which files for the Python simulator
import. Modules that the file does not import are not loaded, so an empty file takes little longer than Python itself.
"""

import io
import os
import sys

from . import __version__

module_type = type(sys)


class OwnPackages:
    """Finds this package's `ttl`, `ttnn` and `sim` before modules that a file adds at the front of sys.path."""

    own = os.path.dirname(os.path.abspath(__file__))
    folders = {"sim": os.path.join(own, "compat"), **dict.fromkeys(("ttl", "ttlang", "ttnn"), os.path.dirname(own))}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.folders:
            return None
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name, [cls.folders[name]], target)


def parser():
    import argparse
    import difflib

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            wrong = message.rpartition(" ")[2]
            close = difflib.get_close_matches(wrong, self._option_string_actions, 1) if "unrecognized" in message else ()
            super().error(message + (f" (did you mean '{close[0]}'?)" if close else ""))

    p = Parser(prog="ttlang-sim", description="Run TTL kernels on the embedded device.")
    p.add_argument("--version", action="version", version=f"Tilewright (ttlang-sim) version {__version__}")
    p.add_argument("-m", "--module", action="store_true", help="the target is a module's name")
    p.add_argument("--chip", choices=["n150", "n300", "p150"], help="the chip to simulate (default: the smallest that fits)")
    p.add_argument("--seed", type=int, metavar="N", help="shuffle the order in which threads run; the same number, "
                                                         "the same order")
    p.add_argument("--profile", action="store_true", help="print the cycles of each kernel's threads")
    p.add_argument("--trace", metavar="FILE", help="write what happened when: a page (.html), or JSON for ui.perfetto.dev (.json); of the "
                                                   "second kernel that runs into FILE-2, ...")
    p.add_argument("--report", metavar="FORMAT[:FILE]", action="append",
                   help="write the reports for another tool into a file; without one to stderr, instead of the text: github, json, junit or sarif")
    p.add_argument("--explore", type=int, metavar="N", help="run each kernel in up to N orders, with delays where threads meet, until "
                                                            "one breaks it")
    p.add_argument("--delays", metavar="FILE", help="where delays that break a kernel go (default: KERNEL.delays)")
    p.add_argument("--replay", metavar="FILE", help="run with the delays of a file")
    p.add_argument("--break", dest="breaks", action="append", metavar="CORE:THREAD:LINE", help="stop before this line of a thread, with a "
                                                                                              "prompt: 0,1:read:42; * is any core or thread")
    p.add_argument("--dap", action="store_true", help="serve the Debug Adapter Protocol over standard input and output, for editors; "
                                                      "the client's launch request names the file")
    p.add_argument("--what-if", action="store_true", help="print what would help: cycles saved where each part of the device, each circular "
                                                          "buffer or each line is better")
    p.add_argument("--explain", metavar="FILE", help="write a page of what each pass over the kernels changed, by which rules, with the lines of this file")
    p.add_argument("target", nargs="?", help="a Python file, or with -m a module")
    p.add_argument("arguments", nargs=argparse.REMAINDER, help="for the file")
    return p


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    sys.meta_path.insert(0, OwnPackages)
    try:
        run(argv)
    except ModuleNotFoundError as error:
        if error.name in ("torch", "numpy"):
            error.msg += (f" in {sys.executable}; install it there ({os.path.basename(sys.executable)} -m pip install {error.name}), "
                          "or name the interpreter that has it: TTLANG_PYTHON=PATH ttlang-sim ...")
        raise
    except BrokenPipeError:
        if not has_no_reader(1):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of the output has closed it
        sys.exit(1)


def has_no_reader(file):
    import select

    poll = select.poll()
    poll.register(file, 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))


def run(argv):
    if argv and not argv[0].startswith("-"):
        run_file(*argv)
        return
    options = parser().parse_args(argv)
    if options.dap and (options.target or options.report):
        sys.exit("ttlang-sim: error: --dap takes no file and no --report: the client's launch request names the file")
    if not options.target and not options.dap:
        parser().print_help()
        sys.exit(1)
    if options.trace and not options.trace.endswith((".html", ".json")):
        sys.exit(f"ttlang-sim: error: --trace {options.trace}: the file's name ends in .html (a page) or .json (for ui.perfetto.dev)")
    if options.explain:
        explain_into(options.explain)
    if options.explore is not None and options.explore < 1:
        sys.exit(f"ttlang-sim: error: --explore {options.explore}: a number of orders is positive")
    if options.replay and not os.path.isfile(options.replay):
        sys.exit(f"ttlang-sim: error: --replay {options.replay}: no such file; --explore writes one when an order breaks a kernel")
    for variable, value in (("TTLANG_SIM_EXPLORE", options.explore), ("TTLANG_SIM_DELAYS", options.delays),
                            ("TTLANG_SIM_REPLAY", options.replay), ("TTLANG_SIM_WHAT_IF", options.what_if or None), ("TTLANG_SIM_BREAK", " ".join(options.breaks or ()) or None), ("TTLANG_CHIP", options.chip), ("TTLANG_SIM_SEED", options.seed),
                            ("TTLANG_SIM_PROFILE", options.profile or None), ("TTLANG_SIM_TRACE", options.trace)):
        if value is not None:
            os.environ[variable] = str(int(value)) if not isinstance(value, str) else value
    if options.dap:
        from .dap import main

        main(run_file)
    target = run_module if options.module else run_file
    if options.report:
        from .reports import run_reported

        run_reported(options.report, options.target, lambda: target(options.target, *options.arguments))
    else:
        target(options.target, *options.arguments)


def explain_into(path):
    """Passes are explained by ttlang-opt, which is beside this command."""
    import shutil

    here = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "ttlang-opt")
    tool = here if os.access(here, os.X_OK) else shutil.which("ttlang-opt")
    if not tool:
        sys.exit(f"ttlang-sim: error: --explain {path}: ttlang-opt, which writes the page, is neither beside this command nor on PATH")
    try:
        open(path, "w", encoding="utf-8").close()
    except OSError as error:
        sys.exit(f"ttlang-sim: error: --explain {path}: {error.strerror}")
    os.environ.update(TTLANG_SIM_EXPLAIN=os.path.abspath(path), TTLANG_SIM_EXPLAIN_WITH=tool)


def run_file(path, *arguments):
    if not os.path.exists(path):
        sys.exit(f"ttlang-sim: error: no file '{path}'")
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    if path.endswith(".py") and os.path.isfile(path):
        run_source(path)
        return
    import runpy  # folders, archives, compiled files

    runpy.run_path(path, run_name="__main__")


def run_source(path):
    """Like runpy, but without its imports, which take as long as the rest of the start."""
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    module = sys.modules["__main__"] = module_type("__main__")
    module.__file__, module.__cached__ = path, None
    exec(code, module.__dict__)


def run_module(name, *arguments):
    """Like `python -m`; calls main() of a module that has no `if __name__ == "__main__"` test, as tt-lang's launcher
    does."""
    import runpy

    sys.argv = [name, *arguments]
    sys.path.insert(0, "")
    names = runpy.run_module(name, run_name="__main__", alter_sys=True)
    if callable(names.get("main")) and "__name__" not in names["__spec__"].loader.get_code(names["__spec__"].name).co_names:
        names["main"]()


if __name__ == "__main__":
    main()
