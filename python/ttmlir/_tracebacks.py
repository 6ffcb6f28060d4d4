"""Locations of new operations while `loc_tracebacks()` is on: the Python lines that made them."""

import enum
import os
import sys
from contextlib import contextmanager
from itertools import islice

from ttmlir._native import native as _native

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class OnExplicitAction(enum.Enum):
    """The treatment of explicitly passed locations."""

    USE_EXPLICIT = 0
    USE_TRACEBACK = 1


class CurrentLocAction(enum.Enum):
    """The treatment of the names of the current location."""

    FALLBACK = 0
    NAMELOC_WRAP = 1


class Policy:
    """The settings of the process."""

    def __init__(self):
        self.enabled = False
        self.frames = 512
        self.explicit = OnExplicitAction.USE_EXPLICIT
        self.current = CurrentLocAction.FALLBACK
        self.included, self.excluded = [], [_HERE]

    def is_users(self, filename):
        return any(filename.startswith(path) for path in self.included) or \
            not any(filename.startswith(path) for path in self.excluded)


POLICY = Policy()


def _positions(code, offset):
    """(line, end line, column, end column) of an instruction; Python before 3.11 has no columns."""
    found = next(islice(code.co_positions(), offset // 2, None), None) if hasattr(code, "co_positions") else None
    return found if found is not None and None not in found else None


def _frame_location(ir, frame, context):
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    position = _positions(code, frame.f_lasti)
    if position is None:
        location = ir.Location.file(code.co_filename, frame.f_lineno or 0, 0, context)
    else:
        line, end_line, column, end_column = position
        location = ir.Location.file(code.co_filename, line, column, end_line, end_column, context)
    return ir.Location.name(name, location, context)


def _traceback(ir, context):
    """The frames of users' code, the innermost first, as call-site locations."""
    found, frame = [], sys._getframe(1)
    while frame is not None and len(found) < POLICY.frames:
        if POLICY.is_users(frame.f_code.co_filename):
            found.append(_frame_location(ir, frame, context))
        frame = frame.f_back
    if not found:
        return ir.Location.unknown(context)
    return found[0] if len(found) == 1 else ir.Location.callsite(found[0], found[1:], context)


def _wrapped(ir, location, current, context):
    """The location inside the names of the current one."""
    names = []
    while isinstance(current, ir.NameLoc):
        names.append(current.name_str)
        current = current.child_loc
    for name in reversed(names):
        location = ir.Location.name(name, location, context)
    return location


def _locate(ir):
    def locate(given):
        current = ir.Location.current
        if given is not None and POLICY.explicit is OnExplicitAction.USE_EXPLICIT:
            location, context = given, given.context
        else:
            context = given.context if given is not None else \
                current.context if current is not None else ir.Context.current
            if context is None:
                return None  # the library reports what is missing
            location = _traceback(ir, context)
        if POLICY.current is CurrentLocAction.NAMELOC_WRAP and current is not None and current.context is context:
            location = _wrapped(ir, location, current, context)
        return location

    return locate


def complete(ir):
    """The names that the modules `ir` and `_ods_common` export from here."""
    locate = _locate(ir)

    def enable(on):
        POLICY.enabled = bool(on)
        _native._set_traceback(locate if on else None)

    @contextmanager
    def loc_tracebacks(*, max_depth=None, on_explicit_actn=OnExplicitAction.USE_EXPLICIT,
                       current_loc_actn=CurrentLocAction.FALLBACK):
        """Inside, operations are located at the Python lines that make them, `max_depth` frames at most."""
        before = POLICY.enabled, POLICY.frames, POLICY.explicit, POLICY.current
        if max_depth is not None:
            POLICY.frames = max_depth
        POLICY.explicit, POLICY.current = on_explicit_actn, current_loc_actn
        enable(True)
        try:
            yield
        finally:
            on, POLICY.frames, POLICY.explicit, POLICY.current = before
            enable(on)

    return {"OnExplicitAction": OnExplicitAction, "CurrentLocAction": CurrentLocAction,
            "loc_tracebacks": loc_tracebacks, "_Globals": _globals_class(enable)}


def _setting(name):
    return (lambda self: getattr(POLICY, name)), (lambda self, value: setattr(POLICY, name, value))


def _globals_class(enable):
    """The class of `_ods_common._cext.globals`."""

    class Globals:
        dialect_search_modules = ["ttmlir.dialects"]

        def append_dialect_search_prefix(self, module_name):
            self.dialect_search_modules.append(module_name)

        def loc_tracebacks_enabled(self):
            return POLICY.enabled

        def set_loc_tracebacks_enabled(self, value):
            enable(value)

        loc_tracebacks_frame_limit, _set_frames = _setting("frames")
        traceback_action_on_explicit_loc, set_traceback_action_on_explicit_loc = _setting("explicit")
        traceback_action_on_current_loc, set_traceback_action_on_current_loc = _setting("current")

        def set_loc_tracebacks_frame_limit(self, value):
            self._set_frames(512 if value is None else value)

        def register_traceback_file_inclusion(self, path):
            POLICY.included.append(path)

        def register_traceback_file_exclusion(self, path):
            POLICY.excluded.append(path)

    return Globals
