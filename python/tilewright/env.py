"""The environment variables.

They are read each time a program is compiled, because programs may set them after importing us. An invalid value is
an error; a name that is probably misspelt is reported.
"""

import difflib
import functools
import logging
import os

log = logging.getLogger("tilewright")
runtime_log = logging.getLogger("tilewright.runtime")

LEVELS = {
    "TRACE": 5,
    "DEBUG": logging.DEBUG,
    "VERBOSE": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "WARNING": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
    "CRITICAL": logging.CRITICAL,
    "OFF": logging.CRITICAL + 10,
}
FLAGS = {"1": True, "0": False, "true": True, "false": False, "on": True, "off": False, "": False}


class EnvironmentError_(ValueError):
    """An environment variable has an invalid value."""


def level(name, text):
    return choose(name, text, LEVELS)


def flag(name, text):
    return choose(name, text, FLAGS)


def count(name, text):
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise EnvironmentError_(f"{name}={text!r} is not a number from 1 to 256")
    return int(text)


def choose(name, text, table):
    for case in (text, text.upper(), text.lower()):
        if case in table:
            return table[case]
    near = difflib.get_close_matches(text.upper(), table, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise EnvironmentError_(
        f"{name}={text!r} is not one of {', '.join(k for k in table if k)}{hint}"
    )


def folder(name, text):
    return os.path.abspath(os.path.expanduser(text))


def toolchain(name, text):
    path = folder(name, text)
    if not os.path.isdir(path):
        raise ImportError(f"Cannot find TT-MLIR toolchain: {name} is {path}, which is no folder")
    return path


# Variable -> (setting, reader, default)
VARIABLES = {
    "TTXLA_LOGGER_LEVEL": ("log_level", level, None),
    "TT_METAL_LOGGER_LEVEL": ("runtime_log_level", level, None),
    "TT_MLIR_DUMP_IR": ("dump", flag, False),
    "TT_MLIR_DUMP_IR_PATH": ("dump_path", folder, None),
    "TT_METAL_PROFILER": ("profile", flag, False),
    "TT_METAL_PROFILER_OUTPUT": ("profile_path", folder, None),
    "TTXLA_CACHE_DIR": ("cache_path", folder, None),
    "TT_METAL_DRAM_FALLBACK": ("dram_fallback", flag, False),
    "TILEWRIGHT_THREADS": ("threads", count, None),
    "TTMLIR_TOOLCHAIN_DIR": ("toolchain", toolchain, None),
}
PREFIXES = ("TILEWRIGHT_", "TTXLA_", "TT_METAL_", "TT_MLIR_", "TTMLIR_")
# Read by the library itself and by ttnn_jit.
OTHERS = {"TILEWRIGHT_CXX", "TILEWRIGHT_ENGINE", "TILEWRIGHT_ISA", "TILEWRIGHT_KERNEL_CACHE", "TILEWRIGHT_NO_NATIVE", "TILEWRIGHT_PYTHON", "TILEWRIGHT_SIM_CPP",
          "TILEWRIGHT_VALIDATE"}


class Settings:
    """The settings given by the variables; one attribute each (see VARIABLES)."""

    def __init__(self, environment):
        for name, (key, reader, default) in VARIABLES.items():
            text = environment.get(name)
            setattr(self, key, default if text is None else reader(name, text))
        if self.dump and self.dump_path is None:
            self.dump_path = os.path.abspath("ir_dump")
        if self.profile and self.profile_path is None:
            self.profile_path = os.path.abspath("profile.json")


def read(environment=None):
    environment = os.environ if environment is None else environment
    settings = Settings(environment)
    if settings.log_level is not None:
        show_log(log, settings.log_level)
    if settings.runtime_log_level is not None:
        show_log(runtime_log, settings.runtime_log_level)
    for name in environment:
        if name.startswith(PREFIXES) and name not in VARIABLES and name not in OTHERS:
            unknown_variable(name)
    return settings


def unknown_variable(name):
    """Reports unknown variables: all that have the prefix used by this project alone, and, under prefixes shared with
    other programs, those that resemble a known name."""
    known = [*VARIABLES, *OTHERS]
    ours = name.startswith("TILEWRIGHT_")
    near = difflib.get_close_matches(name, known, 1, 0.7 if ours else 0.85)
    if near:
        log.warning("%s is not a variable of ours; did you mean %s?", name, near[0])
    elif ours:
        log.warning("%s is not a variable of ours; %s are", name, ", ".join(sorted(known)))


def show_log(logger, level):
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s tilewright: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False


@functools.cache
def device_found():
    """Logs the embedded board, once."""
    runtime_log.info("Found 1 TT devices")


def loaded(count):
    """Logs a program of `count` operations."""
    device_found()
    runtime_log.info("Loaded program with %d operations", count)


_programs = {}


def dump_folder(settings):
    """The folder for this program's dumps: the named folder for a process's first program, numbered folders inside it
    for later ones."""
    if not settings.dump:
        return None
    path = settings.dump_path
    index = _programs[path] = _programs.get(path, 0) + 1
    if index > 1:
        path = os.path.join(path, f"program_{index}")
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        not_written(settings.dump_path, f"cannot create the folder {path} for dumps: {error.strerror}", "dumps")
        return None
    return path


_warned = set()


def not_written(path, why, what):
    """A failure to write files beside a model never ends it: warns once for each path."""
    if path not in _warned:
        _warned.add(path)
        log.warning("%s; the model runs without %s; further failures are not reported", why, what)


def engine_options(settings):
    """The options passed to the engine."""
    return {
        "dump_dir": dump_folder(settings),
        "cache_dir": settings.cache_path,
        "profile_path": settings.profile_path if settings.profile else None,
        "dram_fallback": settings.dram_fallback,
        "threads": settings.threads,
    }


def path_option(value):
    return folder(None, os.fspath(value)) if isinstance(value, (str, os.PathLike)) else WRONG


def flag_option(value):
    return value if isinstance(value, bool) else WRONG


def count_option(value):
    good = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 256
    return value if good else WRONG


WRONG = object()
# Option of torch.compile(..., options={...}) -> (setting, setting that it switches on, reader, accepted values)
OPTIONS = {
    "dump_dir": ("dump_path", "dump", path_option, "a path"),
    "cache_dir": ("cache_path", None, path_option, "a path"),
    "profile_path": ("profile_path", "profile", path_option, "a path"),
    "dram_fallback": ("dram_fallback", None, flag_option, "True or False"),
    "threads": ("threads", None, count_option, "a number from 1 to 256"),
}


def with_options(settings, options):
    """The settings overridden by the caller's options; None leaves a setting unchanged."""
    for name, value in (options or {}).items():
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, OPTIONS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"unknown option {name!r} for backend 'tt'{hint} (known: {', '.join(OPTIONS)})"
            )
        key, switch, reader, takes = OPTIONS[name]
        if value is None:
            continue
        value = reader(value)
        if value is WRONG:
            raise ValueError(f"option {name!r} for backend 'tt' is {options[name]!r}; it takes {takes}")
        setattr(settings, key, value)
        if switch:
            setattr(settings, switch, True)
    return settings
