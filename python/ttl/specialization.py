"""One kernel for one set of shapes and types: runs its body on the host, compiles its threads and maps them to the
grid."""

import ast
import dataclasses
import functools
import math
import os
import re
import sys
import warnings

from tilewright import _core, sim

from . import compat, connect, padding, spill, types
from .buffer import Making
from .compiler import Compiler
from .dependencies import Dependencies
from .errors import TTLangCompileError, from_diagnostics, snippet
from .runtime import body_of
from .scalars import Scalar
from .threads import Program

SCHEDULES = {"coalesce_dma": "ttl.copy", "insert_prefetch": "ttl.copy", "reorder_for_locality": None, "schedule_pipeline": None,
             "subblock_compute_for_dst": ""}  # the anchor operation of each; "": a pass of the lowering
# What makes kernels as a person would write them: blocks of DST, settings and accessors outside of loops.
FINISH = ("func.func(ttkernel-subblock-dst{capacity})", "func.func(ttkernel-hoist-setup)", "func.func(ttkernel-hoist-inits)", "canonicalize", "cse")
PASSES = ("func.func(convert-ttl-to-compute)", "func.func(ttl-set-compute-kernel-config{options})",
          "func.func(ttl-assign-dst{reload-arguments=true})", "func.func(ttl-insert-tile-regs-sync)", "func.func(ttl-lower-to-loops)",
          "func.func(ttl-annotate-cb-associations)", "convert-ttl-to-ttkernel", "canonicalize", "cse", "lower-affine", *FINISH)

SCHEDULING = "builtin.module(transform-interpreter{erase-sequence=true})"


@functools.cache
def ttnn_module():
    import ttnn

    return ttnn


def _in_order(kwargs):
    """Values in the order of their names, independent of the call's order."""
    return [kwargs[name] for name in sorted(kwargs)]


class kept:
    """A property that is computed once. functools.cached_property has a lock, which a child of fork may find held."""

    def __init__(self, function):
        self.function, self.name = function, function.__name__

    def __get__(self, instance, owner=None):
        value = instance.__dict__[self.name] = self.function(instance)
        return value


class Specialization:
    """A kernel function run once on the host and compiled for these arguments."""

    def __init__(self, kernel, args, kwargs, grid, device, shown=None, spills=False):
        self.spills = spills  # true if expressions are cut into parts that fit DST
        self.shown = shown  # whether to keep the front end's output as text, `self.text`: without (False) or with locations
        self.options, self.device = kernel, device
        self.tensors = [a for a in [*args, *_in_order(kwargs)] if self.is_tensor(a)]
        self.n_arguments = len(self.tensors)
        single = [name for name, p in kernel.parameters.items() if p.kind is not p.VAR_POSITIONAL]
        named = [*zip(single, args), *sorted(kwargs.items())] if len(args) <= len(single) else []
        self.tensor_names = [name for name, a in named if self.is_tensor(a)]
        self.making = Making(grid, self.block_shape, next(iter(self.tensors), None))
        self.written = set()
        self.casts = set()  # element types that threads convert to
        self.carried = {}  # pipe: the buffer whose block goes through it, and the location
        self.pipe_users = {}  # pipe: the thread that uses it first
        self.landings = {}  # pipe: the landing buffer of blocks where cores send in a circle
        self.prints = False
        self.flows = padding.Flows()
        self.breakpoints = False  # a thread has breakpoint()
        self.signposts = os.environ.get("TTLANG_AUTO_PROFILE", "0") == "1"
        self.compat = compat.enabled()
        if self.compat:
            compat.check_kernel(grid, self.tensors, ttnn_module())
        self.map_cores()
        former, Making.current = Making.current, self.making
        try:
            result = body_of(kernel.function)(*args, **kwargs)
            self.making.done = True
            threads = self.making.threads
            if isinstance(result, Program):
                threads = list(result.threads)
                self.tensors += [a for a in result.args if self.is_tensor(a) and not any(a is t for t in self.tensors)]
            self.check(threads)
            self.elements = [types.element(t.dtype) for t in self.tensors]
            self.compile(threads)
            self.flows.tell()
            self.dependencies = Dependencies(kernel.function, [*args, *kwargs.values()])  # as the body left them
        finally:
            Making.current = former

    @staticmethod
    def is_tensor(value):
        return ttnn_module()._tensor.is_tensor(value)

    def tensor_number(self, tensor, fail):
        for i, t in enumerate(self.tensors):
            if t is tensor:
                return i
        if not len(tensor.shape):
            fail("a tensor without dimensions has no tiles")
        self.tensors.append(tensor)  # made by the kernel's body
        self.elements.append(types.element(tensor.dtype))
        return len(self.tensors) - 1

    def tensor_type(self, number, tiles=None):
        shape, element = tuple(self.tensors[number].shape), self.elements[number]
        of_rows = self.is_rows(self.tensors[number])
        rows, columns = tiles or (types.folded(shape) if of_rows else types.tiles_of(shape))
        layout = types.layout(shape, element, self.making.grid, of_rows, types.shard_width(self.tensors[number]))
        return f"tensor<{rows}x{columns}x{types.number(element) if of_rows else types.tile(element)}, {layout}>"

    def is_rows(self, tensor):
        """True if a tensor is indexed in elements."""
        return not self.compat and types.is_rows(tensor)

    def units(self, tensor):
        """The sizes that a tensor is indexed with: tiles, or elements."""
        return tuple(tensor.shape) if self.is_rows(tensor) else types.tile_grid(tuple(tensor.shape))

    def block_shape(self, tensor):
        """The default shape of buffers like a tensor, or None."""
        factors = self.options.block_factors
        number = next((i for i, t in enumerate(self.tensors) if t is tensor), None)
        if factors is not None and number is not None and number < len(factors):
            return tuple(factors[number])
        return (self.options.granularity, 1) if self.options.granularity else None

    def check(self, threads):
        if not threads:
            raise ValueError("No threads found. Define at least one @ttl.compute() or @ttl.datamovement() function "
                             "inside your kernel.")
        kinds = [t.kind for t in threads]
        if kinds.count("compute") > 1 or kinds.count("datamovement") > 2:
            names = [", ".join(f"'{t.__name__}'" for t in threads if t.kind == kind) for kind in ("compute", "datamovement")]
            raise ValueError(f"a core runs one compute thread and two data movement threads; this kernel has "
                             f"{kinds.count('compute')} and {kinds.count('datamovement')} of them: {names[0] or 'none'}; {names[1] or 'none'}")
        if not self.options.tiled:
            raise ValueError("Only tiled tensors supported for TTNN interop; leave tiled=False out")
        for tensor in self.tensors:
            _check_tensor(tensor)

    # ---- the grid

    def map_cores(self):
        """Rectangles of cores, and how a core computes its coordinates: grids of two dimensions are (columns, rows);
        others are laid out over the device's columns."""
        grid, device = self.making.grid, self.device
        if len(grid) == 2 and grid[0] <= device.columns and grid[1] <= device.rows:
            self.rectangles, self.across = [(0, 0, grid[1], grid[0])], 0
            return
        count = 1
        for size in grid:
            count *= size
        if len(grid) == 2 or count > device.rows * device.columns:
            raise ValueError(f"Kernel grid ({', '.join(map(str, grid))}) exceeds device compute grid ({device.columns}, "
                             f"{device.rows}). Reduce grid size to fit within available cores.")
        self.across = width = min(count, device.columns)
        full, rest = divmod(count, width)
        self.rectangles = [r for r in [(0, 0, full, width), (full, 0, 1, rest)] if r[2] and r[3]]

    def physical(self, core):
        """Column and row of a core of the grid."""
        if not self.across:
            return tuple(core)
        number = 0
        for size, at in zip(self.making.grid, core):
            number = number * size + at
        return number % self.across, number // self.across

    # ---- compilation

    def compile(self, threads):
        if self.compat:
            compat.log_threads(threads)
        self.module = _core.Module()
        compilers, self.threads, names = [], [], set()
        done = {t: self.compiled(t) for t in sorted(threads, key=lambda t: t.kind != "compute")}  # it determines the layout of blocks of elements
        for thread in threads:
            compiler = done[thread]
            compiler.symbol = compiler.name
            while compiler.symbol in names:
                compiler.symbol += "_"
            names.add(compiler.symbol)
            compilers.append(compiler)
            self.threads.append((compiler.symbol, thread.kind, compiler.tensors, compiler.numbers))
        if not self.compat:
            self.warn_unread([b for c in compilers for b in c.blocks])
        for compiler in compilers:
            compiler.finish()

    def warn_unread(self, blocks):
        """Warns of buffers that a thread fills and none waits for: their contents are unused."""
        waited = {b.buffer for b in blocks if b.taken == "wait"}
        filled = {b.buffer: b for b in reversed(blocks) if b.buffer not in waited}
        for buffer, block in filled.items():
            note = f"in another thread: with {buffer.name or 'buffer'}.wait() as block: ttl.copy(block, tensor[...]).wait()"
            warnings.warn("\n" + snippet("warning", f"no thread waits for {buffer.called}, which is filled here", *block.location, note),
                          RuntimeWarning, stacklevel=7)

    def compiled(self, thread):
        """A thread's finished compiler; restarts where an expression turns out to be stored too late, or cores to
        send in a circle."""
        kept, made = set(), len(self.making.buffers)
        while True:
            compiler = ThreadCompiler(self, thread, kept)
            try:
                compiler.compile()
                return compiler
            except spill.Keep as wanted:
                kept.add(wanted.number)
                del self.making.buffers[made:]
            except connect.Circle as circle:
                del self.making.buffers[made:]
                self.landings.update(connect.landings(circle.buffers))
                made = len(self.making.buffers)

    @property
    def wide(self):
        """True if DST holds 32 bits per element, and half as many tiles: for all of the kernel."""
        asked = self.options.fp32_dest_acc_en
        return types.needs_wide({b.element for b in self.making.buffers} | self.casts) if asked is None else asked

    @property
    def registers(self):
        """The capacity of DST in tiles."""
        return 16 // (1 if self.options.dst_full_sync_en else 2) // (2 if self.wide else 1)

    @kept
    def lowered(self):
        """The module in TTKernel, which a launch takes over."""
        options = [f"fp32-dest-acc-en={int(self.wide)}"]
        if self.options.dst_full_sync_en is not None:
            options.append(f"dst-full-sync-en={int(self.options.dst_full_sync_en)}")
        pipeline = f"builtin.module({','.join(PASSES)})".replace("{options}", f"{{{' '.join(options)}}}" if options else "")
        pipeline = pipeline.replace("{capacity}", f"{{dst-capacity={self.registers}}}")
        if "subblock_compute_for_dst" in self.options.schedule:
            pipeline = pipeline.replace("func.func(ttl-insert", "func.func(ttl-subblock-compute-for-dst),func.func(ttl-insert")
        name = self.options.function.__name__
        dump = _report if os.environ.get("TTLANG_VERBOSE_PASSES") else None
        locations = os.environ.get("TTLANG_DEBUG_LOCATIONS", "0") == "1"
        try:
            _save("TTLANG_INITIAL_MLIR", "INITIAL", lambda: self.module.text(locations))
            if self.options.schedule:
                self.schedule(name, dump)
            if self.shown is not None:
                self.text = self.module.text(self.shown)
            if os.environ.get("TTLANG_SIM_EXPLAIN"):
                from . import explain

                explain.add(self.module.text(True), name, pipeline)
            self.module.run(pipeline, name, dump)
            _save("TTLANG_FINAL_MLIR", "FINAL", lambda: self.module.text(locations))
        except RuntimeError as error:
            raise from_diagnostics(error) from None
        return self.module

    def schedule(self, name, dump):
        """Applies the schedules that the kernel's decorator names."""
        _sequence(self.module, self.options.schedule)
        self.module.run(SCHEDULING, name, dump)

    @kept
    def cpp(self):
        """The kernels as C++ for the hardware's toolchain, each after a line "// NAME"."""
        try:
            return sim.emitted(self.lowered, self.options.function.__name__, f"{{functions=true readable=true{self.names()}}}")
        except RuntimeError as error:
            raise from_diagnostics(error) from None

    def names(self):
        """Options that give buffers and tensors their names in C++."""
        buffers = ",".join(b.name or "" for b in self.making.buffers)
        tensors = ",".join(self.tensor_names)
        return f" buffer-names={buffers} tensor-names={tensors}"

    def write_cpp(self):
        """Writes the kernels to files of their own, and prints them."""
        import getpass
        import hashlib
        import tempfile

        folder = os.path.join(tempfile.gettempdir(), getpass.getuser())
        os.makedirs(folder, exist_ok=True)
        for name, *_ in self.threads:
            begin = self.cpp.index(f"// {name}\n")
            end = self.cpp.find("\n// ", begin + 1)
            source = self.cpp[begin:end if end >= 0 else None].rstrip() + "\n"
            digest = hashlib.sha256(source.encode()).hexdigest()[:8]
            path = os.path.join(folder, f"ttlang_kernel_{name}_{digest}.cpp")
            with open(path, "w") as file:
                file.write(source)
            print(f"=== {name} kernel written to {path} ===\n{source}{'=' * 60}")

    # ---- launch

    def launch(self, tensors, numbers):
        """Binds kernels, buffers, tensors and runtime integers; returns the launch, and for each integer its (run,
        argument) pairs."""
        making = self.making
        kernels = self.device.grid.load(self.lowered, self.options.function.__name__)
        wide = self.wide
        whole = [b._cb_index for b in making.buffers if b.element in types.WIDE] if wide else []
        ports = [sim.cb(i) for i in range(len(making.buffers))]
        runs, movers, slots = [], 0, [[] for _ in numbers]
        for symbol, kind, used, integers in self.threads:
            addresses = [sim.address(n) for n in used] + [numbers[n] for n in integers]
            accessors = [sim.accessor(n) for n in range(len(tensors))] if kind == "datamovement" else []
            for rectangle in self.rectangles:
                for at, number in enumerate(integers):
                    slots[number].append((len(runs), len(used) + at))
                runs.append(sim.Run(symbol, rectangle, ports + accessors, addresses, noc=min(movers, 1), wide_dst=wide,
                                    full_sync=bool(self.options.dst_full_sync_en), unpack_to_dst=whole,
                                    fidelity=self.options.fidelity, approximate=self.options.approximate))
            movers += kind == "datamovement"
        buffers = [sim.Buffer(b._cb_index, b.element, b.pages[0] * b.buffer_factor, b.pages[1], name=b.name)
                   for b in making.buffers]
        if self.compat:
            compat.log_bound(runs, buffers)
        try:
            return kernels.launch(runs, buffers, tensors, making.semaphores), slots
        except RuntimeError as error:
            raise self.no_room(error) from None

    def no_room(self, error):
        """A launch error about a circular buffer, at the line that makes it."""
        text = str(error)
        if text.startswith("L1 is over-subscribed: "):
            return self.no_room_beside(text)
        number = text.removeprefix("circular buffer ").partition(":")[0]
        if not text.startswith("circular buffer ") or not number.isdigit() or int(number) >= len(self.making.buffers):
            return error
        buffer = self.making.buffers[int(number)]
        name = f"'{buffer.name}'" if buffer.name else number
        note = "make its blocks smaller (shape) or keep fewer of them (buffer_factor)"
        aligned = re.search(r"a page is a multiple of (\d+) bytes$", text)
        if aligned:
            count = int(aligned[1]) // types.NUMBER_BYTES.get(buffer.element, 1)
            note = (f"let a block's rows hold a multiple of {count} elements together (pad the tensor's rows), or keep the tensor in tiles: "
                    "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)")
        return TTLangCompileError(f"circular buffer {name}: {text.partition(': ')[2]}", *buffer.made_at, 1, note).shown()

    def no_room_beside(self, text):
        """The same for buffers that do not fit beside tensors in L1: at the line of the largest, with a list of all."""
        summary, *lines = text.splitlines()
        names = [b.name or f"circular buffer {i}" for i, b in enumerate(self.making.buffers)]
        found = [re.match(r" *0x0*([0-9a-f]+) +(\d+) bytes: (?:circular buffer (\d+),|(.*))", line) for line in lines]
        there = [(names[int(m[3])] if m[3] else m[4], int(m[2]), m[1]) for m in found]
        largest = max((b for b in self.making.buffers), key=lambda b: math.prod(b.shape) * b.buffer_factor)
        return TTLangCompileError(
            summary.rstrip(":"), *largest.made_at, 1, "each core holds " +
            ", ".join(f"{size} bytes of {name.removeprefix('a ')} at 0x{at}" for name, size, at in there) +
            "; make blocks smaller (shape), keep fewer of them (buffer_factor), or tensors in DRAM (ttnn.DRAM_MEMORY_CONFIG)").shown()


class ThreadCompiler(Compiler):
    def __init__(self, specialization, thread, kept):
        super().__init__(specialization, thread.function, thread.kind, kept)
        self._coordinates = None

    def coordinates(self, node):
        """This core's coordinates in the kernel's grid."""
        if self._coordinates is None:
            location = self.source.location(node)
            across, sizes = self.kernel.across, (*self.kernel.making.grid, 1, 1)
            upper = (across - 1, None) if across else (sizes[0] - 1, sizes[1] - 1)
            x, y = (Scalar(self.writer.at_head(f"ttl.core_{axis}", (), "index", location), natural=True, upper=m)
                    for axis, m in zip("xy", upper, strict=True))
            self._coordinates = [x, y]
        x, y = self._coordinates
        across, grid = self.kernel.across, self.kernel.making.grid
        if not across:
            return [x, y]
        at = self.binary(node, ast.Add(), self.binary(node, ast.Mult(), y, across), x)
        out = []
        for size in reversed(grid[1:]):
            out.append(self.binary(node, ast.Mod(), at, size))
            at = self.binary(node, ast.FloorDiv(), at, size)
        return [dataclasses.replace(at, upper=grid[0] - 1), *reversed(out)]


    def physical_of(self, node, core):
        """Column and row of a core whose coordinates are integers or Scalars."""
        across, grid = self.kernel.across, self.kernel.making.grid
        if not across:
            return core
        number = core[0]
        for size, at in zip(grid[1:], core[1:]):
            number = self.binary(node, ast.Add(), self.binary(node, ast.Mult(), number, size), at)
        return self.binary(node, ast.Mod(), number, across), self.binary(node, ast.FloorDiv(), number, across)


def _sequence(module, names):
    """Adds a transform sequence of these schedules, on the module's threads."""
    block, handle = module.block(), "!transform.any_op"
    root = module.argument(block, handle, None)
    for name in names:
        on, ops = root, SCHEDULES[name]
        if ops == "":
            continue
        if ops:
            on = module.op(block, "transform.structured.match", (root,), handle, {"ops": f'["{ops}"]'}, None)
        module.op(block, f"transform.ttl.{name}", (on,), handle, None, None)
    module.op(block, "transform.yield", (), (), None, None)
    module.op(module.top(), "transform.sequence", (), (), {"failure_propagation_mode": "1 : i32", "operandSegmentSizes": "array<i32: 0, 0>"},
              None, (block,))


def _report(text):
    sys.stderr.write(text)


def _save(variable, what, text):
    path = os.environ.get(variable)
    if path:
        with open(path, "w") as file:
            file.write(text())
        print(f"SAVED {what} TO {path}")


def _check_tensor(tensor):
    ttnn = ttnn_module()
    if not len(tensor.shape):
        raise ValueError("a tensor without dimensions has no tiles; give it one: tensor.reshape(1, 1)")
    if not isinstance(tensor, ttnn.Tensor) or tensor.device() is None:
        return  # lent to the device as tiles, interleaved
    if compat.enabled() and tensor.layout != ttnn.TILE_LAYOUT:
        raise ValueError(f"Only tiled tensors supported for TTNN interop: a tensor has layout {tensor.layout}. Use "
                         "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT) to convert.")
