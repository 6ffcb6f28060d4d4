"""Converts named kernel arguments to positional ones, with macros that map the names
(src/grid/native/cpp/kernel_named.hpp)."""

import dataclasses
import re

_KEYWORDS = frozenset("""alignas alignof and asm auto bool break case catch char class const constexpr continue
default delete do double else enum explicit export extern false float for friend goto if inline int long mutable
namespace new not nullptr operator or private protected public register return short signed sizeof static struct
switch template this throw true try typedef typename union unsigned using virtual void volatile while xor""".split())


def used(run):
    """True if the run names any argument."""
    cores = isinstance(run.args, list | tuple) and any(isinstance(a, dict) for a in run.args)
    return cores or any(isinstance(a, dict) for a in (run.args, run.common_args, run.compile_args)) or any(
        (run.dfb, run.tensor, run.sem, run.scratch, run.varargs, run.common_varargs))


def _label(run):
    text = str(run.function)
    return "a kernel" if "\n" in text else f"@{text}"


def _dict(given, what, run):
    if isinstance(given, dict):
        return given
    if len(given):
        raise TypeError(f"{_label(run)}: {what} is a list, and other things of this run have names; "
                        "give all of its arguments by name ({'name': value})")
    return {}


def _checked(names, space, run):
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name) or name in _KEYWORDS:
            raise ValueError(f"{_label(run)}: {name!r} is no valid C++ name for {space}::")
    return names


def _own(run):
    """Names of a core's arguments, and their values: one list, or one for each core."""
    per_core = bool(run.args) and not isinstance(run.args, dict) and isinstance(run.args[0], dict)
    dicts = [_dict(a, "args", run) for a in (run.args if per_core else [run.args])]
    for core, a in enumerate(dicts):
        if list(a) != list(dicts[0]):
            raise ValueError(f"{_label(run)}: core {core}'s arguments are {', '.join(a)}, "
                             f"the first core's are {', '.join(dicts[0])}")
    many = run.varargs and isinstance(run.varargs[0], list)
    behind = run.varargs if many else [run.varargs] * len(dicts)
    if len(dicts) == 1 and len(behind) > 1:
        dicts *= len(behind)
    if len(behind) != len(dicts):
        raise ValueError(f"{_label(run)}: varargs of {len(behind)} cores and args of {len(dicts)}")
    values = [[*a.values(), *more] for a, more in zip(dicts, behind, strict=True)]
    return list(dicts[0]), values if len(values) > 1 else values[0]


def scratchpads(runs, cbs, buffer):
    """The circular buffers of a launch's scratchpads, each at the highest free port and made by `buffer`; and these
    ports, by name, for each run."""
    free, more, ports = sorted(set(range(32)) - {c.port for c in cbs}), [], []
    for run in runs:
        mine = {}
        for name, size in (run.scratch or {}).items():
            if not isinstance(size, int) or size < 1:
                raise ValueError(f"{_label(run)}: the scratchpad {name!r} has {size!r} bytes")
            if not free:
                raise ValueError(f"{_label(run)}: no room for the scratchpad {name!r}: a core has 32 circular buffers, and they take one each")
            mine[name] = free.pop()
            more.append(buffer(mine[name], "u8", 1, -(-size // 32) * 32, name=f"scratchpad {name}"))
        ports.append(mine)
    return more, ports


def bind(run, scratch):
    """The run with positional arguments; `scratch`: the ports of its scratchpads."""
    from .sim import accessor, address, cb, semaphore

    own, args = _own(run)
    common, compiled = (_dict(getattr(run, a), a, run) for a in ("common_args", "compile_args"))
    dfbs, tensors, sems = ({**(d or {})} for d in (run.dfb, run.tensor, run.sem))
    clash = [n for n in own if n in common or n in compiled] + [n for n in common if n in compiled]
    if clash:
        raise ValueError(f"{_label(run)}: the argument {clash[0]!r} is given twice")
    compile_args = [*compiled.values(), *map(cb, dfbs.values()), *map(semaphore, sems.values()),
                    *map(accessor, tensors.values()), *map(cb, scratch.values())]
    first = len(compiled)
    rows = {"DFB": [f"X({n}, {first + i})" for i, n in enumerate(_checked(dfbs, "dfb", run))]}
    first += len(dfbs)
    rows["SEM"] = [f"X({n}, {first + i})" for i, n in enumerate(_checked(sems, "sem", run))]
    first += len(sems)
    rows["SCRATCH"] = [f"X({n}, {first + len(tensors) + i}, {run.scratch[n]})" for i, n in enumerate(_checked(scratch, "scratch", run))]
    behind = len(common) + len(run.common_varargs)
    rows["TENSOR"] = [f"X({n}, {first + i}, {behind + i})" for i, n in enumerate(_checked(tensors, "tensor", run))]
    kinds = [("RTA", own), ("CRTA", common), ("CTA", compiled)]
    arguments = [f"{kind}({n}, {i})" for kind, names in kinds for i, n in enumerate(_checked(names, "args", run))]
    macros = {f"TW_NAMED_{space}(X)": " ".join(x) for space, x in rows.items() if x}
    macros |= {"TW_NAMED_ARGS(RTA, CRTA, CTA)": " ".join(arguments), "TW_NAMED_COUNTS": f"{len(own)}, {len(common)}"}
    return dataclasses.replace(
        run, args=args, compile_args=compile_args, dfb=None, tensor=None, sem=None, scratch=None, varargs=(), common_varargs=(),
        common_args=[*common.values(), *run.common_varargs, *map(address, tensors.values())],
        defines={**(run.defines or {}), **macros}, argument_names=(tuple(common), tuple(own)))
