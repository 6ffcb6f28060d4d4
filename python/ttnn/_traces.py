"""Traces: the calls between begin_trace_capture and end_trace_capture, made again by execute_trace on the same tensors."""

import itertools

from tilewright.sim import _core

from ._functions import ROWS
from ._tensor import Tensor

_numbers = itertools.count()
_traces = {}  # number: (device, calls)
_capturing = None  # the number of the trace that is captured


def begin_trace_capture(device, cq_id=0):
    """Begins to record calls; returns the trace's number. The calls are also made, once."""
    global _capturing
    if _capturing is not None:
        raise RuntimeError(f"ttnn.begin_trace_capture: trace {_capturing} is still captured; end it with ttnn.end_trace_capture")
    _capturing = next(_numbers)
    _traces[_capturing] = (device, [])
    _core().ttnn_record(_traces[_capturing][1])
    return _capturing


def _found(name, device, trace_id):
    if trace_id not in _traces:
        raise RuntimeError(f"ttnn.{name}: there is no trace {trace_id!r}; ttnn.begin_trace_capture gives numbers of traces")
    if _traces[trace_id][0] is not device:
        raise RuntimeError(f"ttnn.{name}: trace {trace_id} belongs to another device")
    return _traces[trace_id][1]


def end_trace_capture(device, trace_id, cq_id=0):
    """Ends the recording."""
    global _capturing
    _found("end_trace_capture", device, trace_id)
    if trace_id != _capturing:
        raise RuntimeError(f"ttnn.end_trace_capture: trace {trace_id} is not captured now")
    _capturing = None
    _core().ttnn_record(None)


def _replaced(value, now):
    """The argument with what this run made in place of what the capture made."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(v, now) for v in value)
    return now.get(id(value), value) if isinstance(value, Tensor) else value


def execute_trace(device, trace_id, cq_id=0, blocking=True):
    """Makes the recorded calls again: results of the capture that were not deallocated get the new values."""
    calls = _found("execute_trace", device, trace_id)
    if trace_id == _capturing:
        raise RuntimeError(f"ttnn.execute_trace: trace {trace_id} is still captured")
    now = {}
    for name, args, options, made in calls:
        result = ROWS[name](*_replaced(args, now), **{k: _replaced(v, now) for k, v in options.items()})
        pairs = zip(made, result) if isinstance(made, (list, tuple)) else [(made, result)]
        now.update((id(old), new) for old, new in pairs if isinstance(old, Tensor) and old is not new)
    for _, _, _, made in calls:
        for old in made if isinstance(made, (list, tuple)) else [made]:
            if id(old) in now and not old.given_back:
                old.replace(now[id(old)].values())


def release_trace(device, trace_id):
    """Forgets the trace."""
    _found("release_trace", device, trace_id)
    if trace_id == _capturing:
        end_trace_capture(device, trace_id)
    del _traces[trace_id]
