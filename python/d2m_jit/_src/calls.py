"""Calls of kernels: each becomes a d2m.generic of the graph."""

import functools
import itertools

from tilewright.source import captures, tree_of
from ttmlir import ir
from ttmlir.dialects import d2m, ttcore

from . import types
from .ast import D2MCompiler
from .builder import LazyTensor, Scope, _get_scope, _push_scope, graph, to_layout, worker_grid
from .config import config
from .errors import D2mJitError
from .shapes import affine_function, checked_regions
from .tensor_layout import MemorySpace
from .tensors import generic_of


# ---- semaphores ---------------------------------------------------------------------------------------------


class GlobalSemaphore:
    """A semaphore of every core, an argument of one kernel call."""

    __slots__ = ("value", "generation", "grid_shape", "init", "_consumed")

    def __init__(self, value, generation, grid_shape, init):
        self.value, self.generation, self.grid_shape, self.init, self._consumed = value, generation, grid_shape, init, False

    def _resolve_value(self):
        if self.generation != _get_scope().generation:
            raise RuntimeError("Stale GlobalSemaphore: create it in the same builder generation as the kernel call.")
        if self._consumed:
            raise RuntimeError("GlobalSemaphore has already been consumed by a kernel call. Create a separate semaphore for each call.")
        return self.value


def global_semaphore(grid_shape=None, init=0):
    """A semaphore on the cores of a grid (None: all cores), whose value is init when its kernel starts."""
    scope = graph("global_semaphore()")
    grid = tuple(worker_grid() if grid_shape is None else grid_shape)
    if len(grid) != 2 or any(not isinstance(n, int) or isinstance(n, bool) or n <= 0 for n in grid):
        raise ValueError(f"global semaphore grid_shape must contain two positive integers, got {grid}")
    if not isinstance(init, int) or isinstance(init, bool) or not 0 <= init < 2**32:
        raise ValueError(f"global semaphore init must be a ui32 value, got {init!r}")
    with scope.building() as context:
        i64 = ir.IntegerType.get_signless(64, context)
        pairs = [ir.IntegerAttr.get(i64, n) for n in (0, 1, 1, 2)]
        own = ir.DenseIntElementsAttr.get(pairs, type=ir.RankedTensorType.get([2, 2], i64))
        layout = ttcore.ir.MetalLayoutAttr.get(context, list(grid), int(MemorySpace.DeviceL1), int(ttcore.TensorMemoryLayout.Sharded), own, [1, 1])
        shape = ttcore.ir.MetalLayoutAttr.maybe_downcast(layout).getDeviceShape(list(grid), [])
        words = ir.RankedTensorType.get(list(shape), ir.IntegerType.get_unsigned(32, context), encoding=layout)
        value = d2m.create_global_semaphore(d2m.empty(words), value=init, results=[d2m.ir.GlobalSemaphoreType.get(context)])
    return GlobalSemaphore(value, scope.generation, grid, init)


# ---- regions ---------------------------------------------------------------------------------------------------


class Region(Scope):
    """One region of d2m.spatial, which holds one kernel call, on cores that begin at an offset."""

    def __init__(self, outer, block, operation, cores):
        super().__init__(outer.ctx, outer.loc, ir.InsertionPoint(block))
        (top, left), (bottom, right) = cores
        self.outer, self.generation, self.operation = outer, outer.generation, operation
        self.shape, self.offset, self.generic = [bottom - top + 1, right - left + 1], (top, left), None

    def add_scalar_input(self, number):
        return self.outer.add_scalar_input(number)

    def add_host_input(self, layout, tensor, type=None):
        raise RuntimeError("Cannot lift a host tensor from inside d2m.spatial. Spatial regions operate on device tensors only; prepare "
                           "inputs/outputs outside the spatial op and pass them via inputs=/outputs=.")

    def check(self, grid, in_dram):
        """Checks a call in this region."""
        if self.generic is not None:
            raise ValueError("each d2m.spatial region must emit exactly one @d2m.kernel call")
        if len(grid) != 2:
            raise ValueError(f"d2m.spatial only supports 2D nested generic grids, got {list(grid)}")
        if grid[0] > self.shape[0] or grid[1] > self.shape[1]:
            raise ValueError(f"nested generic grid {list(grid)} exceeds spatial region shape {self.shape}")
        if in_dram:
            raise ValueError("kernel_io_in_dram is not currently supported inside d2m.spatial; pass kernel_io_in_dram=False or disable "
                             "d2m.config.kernel_io_in_dram")

    def maps(self, leading, count):
        """(forward, inverse) of the region's virtual cores. `leading`: a device's number before them, as maps of grids have."""
        top, left = self.offset
        y, x, *rest = [("dim", i) for i in range(count)]
        device = [("const", 0)]
        forward = types.affine_map(count, [*(device if leading else []), ("+", y, ("const", top)), ("+", x, ("const", left)), *rest])
        inverse = types.affine_map(2, [*device, ("+", y, ("const", -top)), ("+", x, ("const", -left))])
        return forward, inverse

    def grid(self, context, grid):
        return ttcore.ir.GridAttr.get(context, list(grid), *(self.maps(True, 2) if any(self.offset) else ()))

    def moved(self, tensor):
        """The memory of an output, on the region's cores."""
        if not any(self.offset):
            return
        outputs = list(self.operation.outputs)
        if tensor.value not in outputs:
            raise ValueError("kernel output not listed in d2m.spatial(outputs=...)")
        forward, inverse = self.maps(False, 4)
        with self.ctx, self.loc, ir.InsertionPoint(self.operation.operation):
            memory = d2m.empty(tensor.value.type, virtual_grid_inverse_mapping=inverse, virtual_grid_forward_mapping=forward)
        self.operation.operation.operands[len(self.operation.inputs) + outputs.index(tensor.value)] = memory
        tensor.value = memory

    def finish(self):
        if self.generic is None:
            raise ValueError("each d2m.spatial region must emit exactly one @d2m.kernel call")
        with self.building():
            d2m.spatial_yield(list(self.generic.results))
        return list(self.generic.outputs)


def spatial(inputs, outputs, grid_ranges, region_builders):
    """Kernels side by side, each on its own cores; returns the outputs.

    inputs, outputs: the device's tensors that the kernels read and write. grid_ranges: ((y, x), (y, x)) for each region, the first and
    the last core. region_builders: functions without arguments, each with one call of a kernel.
    """
    if isinstance(_get_scope(), Region):
        raise RuntimeError("nested d2m.spatial is not supported")
    scope = graph("d2m.spatial()")
    outputs = [t._resolve() for t in outputs]
    ranges = checked_regions(grid_ranges, region_builders, outputs)
    inputs = [t._resolve() for t in inputs]
    written = []
    with scope.building() as context:
        cores = [ttcore.ir.CoreRangeAttr.get(context, *(ttcore.ir.CoreCoordAttr.get(context, *at) for at in ends)) for ends in ranges]
        operation = d2m.SpatialOp([t.value.type for t in outputs], [t.value for t in inputs], [t.value for t in outputs],
                                  ir.ArrayAttr.get(cores), len(ranges))
        former = [t.value for t in outputs]
        try:
            for region, build, ends in zip(operation.regions, region_builders, ranges):
                inner = Region(scope, ir.Block.create_at_start(region, [], []), operation, ends)
                with _push_scope(inner):
                    build()
                written += inner.finish()
            left = list(operation.outputs)
            for value in written:
                if value not in left:
                    raise ValueError("d2m.spatial outputs= must list the same tensors written by the region kernels")
                left.remove(value)
            if left:
                raise ValueError("d2m.spatial outputs= must list the same tensors written by the region kernels, and one is not written")
        except BaseException:
            for tensor, value in zip(outputs, former):
                tensor.value = value
            operation.operation.erase()
            raise
    for tensor, value in zip(outputs, operation.results):
        tensor.value, tensor.materialized, tensor.is_view = value, None, False
    return tuple(outputs)


# ---- calls -----------------------------------------------------------------------------------------------------


class CompiledKernel:
    """A kernel: each call appends it to the graph."""

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self._captures = {name: n for name, n in captures(fn).items() if isinstance(n, int) and not isinstance(n, bool)}

    def error(self, cause, hint=None):
        """An error of a call, shown at the kernel's definition."""
        found = tree_of(self.fn)
        line = found[1].lineno if found else self.fn.__code__.co_firstlineno
        return D2mJitError(str(cause), file=self.fn.__code__.co_filename, line=line, source_lines=found[0].splitlines() if found else (),
                           snippet_line=line, hint=hint, cause=cause)

    def __call__(self, *args, grid, num_outs=1, block_factors=None, indexing_maps=None, iterator_types=None, kernel_io_in_dram=None):
        """grid: (rows, columns) of cores that run the kernel; the last num_outs tensors are its results. block_factors, indexing_maps,
        iterator_types: those of the d2m.generic, where it iterates itself. kernel_io_in_dram: its tensors are in DRAM."""
        scope = _get_scope()
        tensors, extras = self.divided(args, num_outs)
        if kernel_io_in_dram is not None and not isinstance(kernel_io_in_dram, bool):
            raise self.error(TypeError(f"kernel_io_in_dram must be a bool, got {type(kernel_io_in_dram).__name__}"))
        in_dram = config.kernel_io_in_dram if kernel_io_in_dram is None else kernel_io_in_dram
        if isinstance(scope, Region):
            scope.check(grid, in_dram)
            for tensor in tensors[len(tensors) - num_outs:]:
                scope.moved(tensor)
        used = self.in_dram(tensors) if in_dram else tensors
        try:
            generic = self.append(scope, used, extras, num_outs, scope.grid(scope.ctx, grid) if isinstance(scope, Region) else grid,
                                  block_factors, indexing_maps, iterator_types)
        except D2mJitError:
            raise
        except (ir.MLIRError, TypeError, ValueError) as error:
            raise self.error(error)
        for tensor, inner, value in zip(tensors[-num_outs:], used[-num_outs:], generic.results):
            tensor.layout, tensor.value, tensor.generation = inner.layout, value, scope.generation
            tensor.materialized, tensor.is_view = None, False
        if isinstance(scope, Region):
            scope.generic = generic

    def divided(self, args, num_outs):
        """(tensors, integers and semaphores) of the arguments."""
        name, semaphores, extras, tensors = self.fn.__name__, [], [], []
        for i, a in enumerate(args):
            if isinstance(a, LazyTensor):
                if extras:
                    raise self.error(TypeError(f"argument {i} to kernel '{name}' is a LazyTensor but an additional argument was already seen; "
                                               "tensor arguments must precede scalars and semaphores"))
                tensors.append(a._resolve())
            elif isinstance(a, GlobalSemaphore):
                graph("a semaphore as an argument")
                if a in semaphores:
                    raise self.error(ValueError("the same GlobalSemaphore cannot be passed more than once to a kernel call"))
                a._resolve_value()
                semaphores.append(a)
                extras.append(a)
            elif isinstance(a, int) and not isinstance(a, bool):
                extras.append(a)
            else:
                raise self.error(TypeError(f"argument {i} to kernel '{name}' has unsupported type {type(a).__name__}"),
                                 "kernel arguments must be d2m_jit.LazyTensor, int, or d2m_jit.GlobalSemaphore. Use d2m.to_layout(t, L) to lift "
                                 "a torch tensor.")
        parameters = self.fn.__code__.co_varnames[:self.fn.__code__.co_argcount]
        if len(args) != len(parameters):
            raise self.error(TypeError(f"kernel '{name}' takes {len(parameters)} arguments ({', '.join(parameters)}), got {len(args)}"))
        if not isinstance(num_outs, int) or num_outs < 1:
            raise self.error(ValueError(f"num_outs must be >= 1 (got {num_outs})"))
        if len(tensors) < num_outs:
            raise self.error(ValueError(f"kernel call has {len(tensors)} tensor args; need at least {num_outs} for outputs"))
        return tensors, extras

    def in_dram(self, tensors):
        """The tensors in DRAM, each converted once."""
        out = {}
        for t in tensors:
            if id(t) not in out:
                there = t.layout.mem_space == MemorySpace.DeviceDRAM
                out[id(t)] = t if there else to_layout(t, t.layout.replace(mem_space="dram"))
        return [out[id(t)] for t in tensors]

    def append(self, scope, tensors, extras, num_outs, grid, block_factors, indexing_maps, iterator_types):
        """The d2m.generic, with the compiled body."""
        parameters = self.fn.__code__.co_varnames[:self.fn.__code__.co_argcount]
        if scope.builds_scalars:  # programs of ttmetal get scalars as arguments only, which a rewrite cannot add
            scalars = extras
        else:
            scalars = [scope.add_scalar_input(e) if isinstance(e, int) else e._resolve_value() for e in extras]
        values = [t.value for t in tensors]
        factors = list(itertools.chain.from_iterable(f if isinstance(f, (tuple, list)) else (f,) for f in block_factors or ()))
        with scope.building() as context:
            maps = [types.affine_map(*affine_function(f)) for f in indexing_maps or ()]
            generic = generic_of(context, values[:-num_outs], values[-num_outs:], [s for s in scalars if isinstance(s, ir.Value)], grid,
                                 factors, maps, iterator_types or ())
            try:
                with ir.InsertionPoint(generic.regions[0].blocks[0]):
                    compiler = D2MCompiler(self.fn, context)
                    compiler.compile(zip(parameters, [*values, *scalars]))
                compiler.verify(generic.operation)
            except BaseException:
                generic.operation.erase()
                raise
            for semaphore in (e for e in extras if isinstance(e, GlobalSemaphore)):
                d2m.reset_global_semaphore(semaphore.value, semaphore.init)
                semaphore._consumed = True
        return generic


def kernel(fn):
    """Makes a function a kernel of the device."""
    return CompiledKernel(fn)
