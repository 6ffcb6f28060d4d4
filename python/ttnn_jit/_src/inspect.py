"""What a compiled function is at each level, and a run of it on the grid: for pages and measurements."""

import math
import re

from tilewright.sim import _core
from ttnn._program import TILE_BYTES

from . import engine

BINARY_TILE = re.compile(r"_binary_tile$|^(add|sub|mul|div|power|copy_dest)_.*tile$")


class Generic:
    """A d2m.generic: the operations on tiles in it, (name, file, line) each, the bytes of its operands, and its text."""

    def __init__(self, tiles, operand_bytes, text):
        self.tiles, self.operand_bytes, self.text = tiles, operand_bytes, text


class Step:
    """An operation of a compute kernel on DST: `reads` and `writes` are slots, `live` those that hold a tile which is still needed."""

    def __init__(self, name, line, reads, writes):
        self.name, self.line, self.reads, self.writes, self.live = name, line, reads, writes, ()


class Kernel:
    """A kernel: its C++, the Python line of each line of that (or None), and the steps of a compute kernel."""

    def __init__(self, name, cpp, lines, steps):
        self.name, self.cpp, self.lines, self.steps = name, cpp, lines, steps
        self.tiles = max((len(s.live) for s in steps), default=0)


class Seen:
    """A function on the way to the grid: `graph`, `apart` and `fused` generics, `kernels`, `launches` (log, profile, cycles,
    timeline as JSON, page, CSV) of the run, its `results`."""

    @property
    def cycles(self):
        return sum(launch[2] for launch in self.launches)

    @property
    def bytes_moved(self):
        """What generics read and write of tensors."""
        return sum(generic.operand_bytes for generic in self.fused)


def _walk(op):
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _walk(inner.operation)


def _line(op):
    found = re.search(r'"(.*)":(\d+):', str(op.location))
    return (found[1], int(found[2])) if found else None


def bytes_of(type_text):
    """The bytes of a tensor of tiles on the device, of one core's shard where its layout has shards; 0 without tiles."""
    found = re.search(r"<((?:\d+x)+)!ttcore\.tile<32x32, (\w+)>", type_text)
    return math.prod(int(d) for d in found[1].split("x")[:-1]) * TILE_BYTES[found[2]] if found else 0


def _generics(module):
    made = []
    for op in _walk(module.operation):
        if op.name == "d2m.generic":
            tiles = [(inner.name.removeprefix("d2m.tile_"), *(_line(inner) or ("", 0))) for inner in _walk(op) if inner.name.startswith("d2m.tile_")]
            if tiles:
                made.append(Generic(tiles, sum(bytes_of(str(v.type)) for v in op.operands), str(op)))
    return made


def _slot(value):
    """The integer constant that an operand is, or None."""
    owner = getattr(value, "owner", None)
    if owner is None or getattr(owner, "name", "") != "arith.constant":
        return None
    text = str(owner.attributes["value"]).split(":")[0].strip()
    return int(text) if text.lstrip("-").isdigit() else None


def _steps(kernel):
    """Operations on DST in the order of the program; a loop's body once."""
    made, section = [], []

    def close():
        """Between acquire and release a slot is live from its write to its last read."""
        for i, step in enumerate(section):
            later = section[i + 1:]

            def needed(slot):
                for other in later:
                    if slot in other.reads:
                        return True
                    if slot in other.writes:
                        return False
                return False

            before = {slot for other in section[: i + 1] for slot in other.writes}
            step.live = tuple(sorted(slot for slot in before | set(step.reads) if needed(slot) or slot in step.reads or slot in step.writes))
        section.clear()

    for op in _walk(kernel):
        name = op.name.removeprefix("ttkernel.")
        if name == "tile_regs_release":
            close()
        if not (name.endswith("_tile") or name in ("copy_tile", "pack_tile", "matmul_tiles", "reduce_tile") or name.endswith("_tiles")) or name.endswith("_init"):
            continue
        slots = [_slot(v) for v in op.operands]
        if name == "copy_tile":
            reads, writes = (), (slots[2],)
        elif name == "pack_tile":
            reads, writes = (slots[0],), ()
        elif BINARY_TILE.search(name) and len(slots) == 3:
            reads, writes = (slots[0], slots[1]), (slots[2],)
        elif name.endswith("_tiles") or name in ("reduce_tile", "unary_bcast"):
            reads, writes = (), (slots[-1],)
        else:
            reads, writes = (slots[0],), (slots[0],)
        step = Step(name, _line(op), tuple(s for s in reads if s is not None), tuple(s for s in writes if s is not None))
        made.append(step)
        section.append(step)
    close()
    return made


def _python_lines(calls, cpp):
    """The line of Python that each line of C++ comes from; calls: (function, line), in the kernel's order."""
    lines, at = [], 0
    for text in cpp.splitlines():
        found = None
        for k in range(at, len(calls)):
            name = calls[k][0]
            if re.search(rf"\b{re.escape(name)}(<[^;]*>)?\(|\.{re.escape(name.removeprefix('cb_'))}\(", text):
                found, at = calls[k][1], k + 1
                break
        lines.append(found)
    return lines


def _kernels(function, graph, module):
    """The kernels of a module, which becomes EmitC."""
    from ttmlir import passes

    steps, calls = {}, {}
    for op in module.body.operations:
        if "ttkernel.thread" in op.operation.attributes:
            name = op.operation.attributes["sym_name"].value
            steps[name] = _steps(op.operation) if "compute" in str(op.operation.attributes["ttkernel.thread"]) else []
            calls[name] = [(inner.name.rpartition(".")[2], _line(inner)) for inner in _walk(op.operation) if inner.name.startswith("ttkernel.")]
    engine.lower_more(function, graph, module, [("d2m-emitc-pipeline", "")])
    sources = {name: passes.ttkernel_to_cpp_by_name(module, name) for name in steps}
    return [Kernel(name, cpp, _python_lines(calls[name], cpp), steps[name]) for name, cpp in sources.items()]


def run(function, tensors, **options):
    """Compiles a JitFunction for tensors, runs it on the grid and returns what was Seen. Kernels are those that D2M makes of the
    types as they are (TTNN_JIT_ROUNDING=dst)."""
    from ttmlir import ir

    seen = Seen()
    with engine.on_the_grid(TTNN_JIT_ROUNDING="dst"):
        seen.graph = graph = function.graph_of(tensors, options)
        front, order, programs = engine.options_of(function, graph)
        apart = front.replace(engine.FUSED, engine.UNFUSED)
        with ir.Context(), ir.Location.unknown():
            seen.apart = _generics(engine.lower(function, graph, [("d2m-fe-pipeline", apart)], False))
            module = engine.lower(function, graph, [("d2m-fe-pipeline", front)], False)
            seen.fused = _generics(module)
            engine.lower_more(function, graph, module, [("d2m-be-pipeline", order), ("d2m-to-ttkernel-pre-emitc-pipeline", ""), ("d2m-to-ttnn-pipeline", programs)])
            seen.kernels = _kernels(function, graph, module)
        seen.launches = []
        _core().grid_observe(seen.launches)
        try:
            all_tensors = (*tensors, *options.values())
            seen.results = engine.compile(function, graph).run(tuple(t for t in all_tensors if hasattr(t, "memory_config")))
        finally:
            _core().grid_observe(None)
    return seen
