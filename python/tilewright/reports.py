"""ttlang-sim --report=FORMAT[:FILE]: what was found in kernels, in formats of other tools.

The grids record their reports in a list of the library (sim.diagnostics), which also writes the formats; exceptions and Python's
warnings are added here."""

import difflib
import os
import re
import signal
import sys
import traceback
import warnings

from . import sim

ERROR, WARNING = 0, 1
RULES = {"TTLangCompileError": "compile error"}
TOOL = "ttlang-sim"


def run_reported(asked, target, run):
    """Calls `run` and writes the reports that were asked for. Ends the process as the run did: an exception is a traceback and status 1."""
    core = sim._core()
    wanted = [parse(core, each) for each in asked]
    on_stderr = any(file is None for _, file in wanted)
    sim.diagnostics = found = core.diagnostics_create()
    warnings.showwarning = showing(core, found, None if on_stderr else warnings.showwarning)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = 0
    try:
        run()
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else 0 if exit.code is None else 1
        if isinstance(exit.code, str):
            core.diagnostics_add(found, ERROR, "exit", None, 0, 0, exit.code, None)
            if not on_stderr:
                print(exit.code, file=sys.stderr)
    except KeyboardInterrupt:
        code = 130
        core.diagnostics_add(found, ERROR, "interrupted", None, 0, 0, "the run was interrupted; the report holds what was found until then", None)
    except BaseException as error:
        code = 1
        if not isinstance(error, sim.KernelError):  # the grid has recorded those
            add_exception(core, found, error)
        if not on_stderr:
            traceback.print_exc()
    for format, file in wanted:
        text = core.diagnostics_report(found, format, TOOL, target, code != 0)
        try:
            print(text, end="", file=sys.stderr) if file is None else write(file, text)
        except OSError as error:
            sys.exit(f"{TOOL}: error: cannot write '{file}': {error.strerror}")
    sys.exit(code)


def parse(core, asked):
    """The format and the file; the file is created, so that one that cannot be written ends the command before the run."""
    format, colon, file = asked.partition(":")
    formats = core.report_formats()
    if format not in formats:
        close = difflib.get_close_matches(format, formats, 1)
        sys.exit(f"{TOOL}: error: --report: no format '{format}'; there are {', '.join(formats)}" + (f"; did you mean '{close[0]}'?" if close else ""))
    if colon and not file:
        sys.exit(f"{TOOL}: error: --report: no file behind the colon")
    if file:
        try:
            write(file, "")
        except OSError as error:
            sys.exit(f"{TOOL}: error: cannot write '{file}': {error.strerror}")
    return format, file or None


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def add_exception(core, found, error):
    """At the location that the error names, else at the last line of the traceback outside of Python's and this package's files."""
    rule, note = type(error).__name__, getattr(error, "note", None)
    file, line, column = getattr(error, "source_file", None), getattr(error, "line", None), getattr(error, "col", None)
    text = getattr(error, "message", None) or str(error) or rule
    if hasattr(error, "diagnostic"):
        file, line, column, text, note = error.diagnostic
    elif isinstance(error, SyntaxError):
        file, line, column, text = error.filename, error.lineno, error.offset, error.msg
    elif file is None:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if is_users(f.filename)]
        if frames:
            file, line = frames[-1].filename, frames[-1].lineno
    if placed := SNIPPET.match(text):
        file, line, column, text = placed[2], int(placed[3]), int(placed[4]), placed[1]
    core.diagnostics_add(found, ERROR, RULES.get(rule, rule), relative(file), line or 0, column or 0, text, note)


def is_users(file):
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.exists(file) and not os.path.abspath(file).startswith((own, os.path.dirname(os.__file__)))


def relative(file):
    """Files below the working directory by their relative path, as reports of repositories name them."""
    if file and os.path.isabs(file):
        inside = os.path.relpath(file)
        return file if inside.startswith("..") else inside
    return file


SNIPPET = re.compile(r"\n?(?:(?:warning|error): )?(.*)\n +--> (.*):(\d+):(\d+)\n")  # of ttl.errors


def showing(core, found, otherwise):
    """Python's hook for warnings: records them, and shows them if `otherwise` does."""
    def show(message, category, filename, lineno, file=None, line=None):
        text = str(message)
        if not re.match(r"\S+:\d+:\d+: warning: ", text):  # the grid has recorded those
            placed = SNIPPET.match(text)
            if placed:
                note = re.search(r"^ *= note: (.*)", text, re.M)
                core.diagnostics_add(found, WARNING, "kernel", relative(placed[2]), int(placed[3]), int(placed[4]), placed[1], note and note[1])
            else:
                core.diagnostics_add(found, WARNING, category.__name__, relative(filename), lineno, 0, text, None)
        if otherwise:
            otherwise(message, category, filename, lineno, file, line)

    return show
