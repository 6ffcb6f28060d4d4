"""The graph that is being built, and its run.

Every call appends operations to the function of one module: there is no other representation. `to_host` ends the function,
lowers the module, runs it and begins a new one."""

import atexit
import contextlib
import json
import os
import shutil
import tempfile
import threading

import torch
from _ttmlir_runtime import binary, runtime
from ttmlir import ir
from ttmlir.dialects import arith, d2m, func
from ttmlir.passes import ttmetal_to_flatbuffer_bin
from ttmlir.passmanager import PassManager

from . import types
from .config import config
from .shapes import CurrentMesh, MeshShard, shape_of_shard
from .tensor_layout import DataType

TORCH = {DataType.Float32: torch.float32, DataType.Float16: torch.float16, DataType.BFloat16: torch.bfloat16,
         DataType.UInt32: torch.uint32}

# ---- scopes: where operations go -----------------------------------------------------------------------

_local = threading.local()


def _get_scope():
    """Where operations go: the innermost scope of _push_scope, or the graph."""
    stack = getattr(_local, "stack", None)
    return stack[-1] if stack else _Builder.get()


def graph(what):
    """The graph, or an error if something else is being built."""
    scope = _get_scope()
    if not isinstance(scope, _Builder):
        raise RuntimeError(f"{what} requires the graph: it cannot be called inside a pattern's rewrite or a region of d2m.spatial")
    return scope


@contextlib.contextmanager
def _push_scope(scope):
    stack = _local.__dict__.setdefault("stack", [])
    stack.append(scope)
    try:
        yield scope
    finally:
        stack.pop()


class Scope:
    """Where operations go: `ctx`, `loc`, `insert_point`. Tensors of another generation than the scope's are stale."""

    _generations = 0
    builds_scalars = False  # kernels get integers as operands, not as constants

    def __init__(self, ctx, loc, insert_point):
        self.ctx, self.loc, self.insert_point = ctx, loc, insert_point
        Scope._generations += 1
        self.generation = Scope._generations

    @contextlib.contextmanager
    def building(self):
        with self.ctx, self.loc, self.insert_point:
            yield self.ctx


class _Builder(Scope):
    """The graph: a function whose arguments are the host's tensors and integers."""

    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    @classmethod
    def reset(cls):
        cls._instance = CurrentMesh.shape = None

    def __init__(self):
        context = ir.Context()
        location = ir.Location.unknown(context)
        self.module = ir.Module.create(location)
        with context, location, ir.InsertionPoint(self.module.body):
            self.func_op = func.FuncOp("main", ir.FunctionType.get([], []))
            self.entry_block = self.func_op.add_entry_block()
        super().__init__(context, location, ir.InsertionPoint(self.entry_block))
        self.host_tensors = []  # what the function's arguments are
        self._mesh_shape = self._mesh_topology = None
        CurrentMesh.shape = None

    def finish_type(self, results=()):
        with self.ctx, self.loc:
            kind = ir.FunctionType.get([a.type for a in self.entry_block.arguments], list(results))
            self.func_op.attributes["function_type"] = ir.TypeAttr.get(kind)

    def _argument(self, type, item):
        argument = self.entry_block.add_argument(type, self.loc)
        self.host_tensors.append(item)
        self.finish_type()
        return argument

    def add_host_input(self, layout, tensor, type=None):
        return self._argument(type or types.host(layout, self.ctx), tensor)

    def add_scalar_input(self, number):
        return self._argument(ir.IndexType.get(self.ctx), int(number))

    def set_mesh(self, shape, topology=None):
        """Declares the devices of the graph."""
        shape = list(shape)
        if not shape or any(not isinstance(n, int) or isinstance(n, bool) or n <= 0 for n in shape):
            raise ValueError(f"mesh shape must contain positive integers, got {shape}")
        if len(shape) != 2:
            raise ValueError(f"TTMetal requires a rank-2 mesh, got shape {shape}")
        topology = None if topology is None else list(topology)
        if topology is not None and (len(topology) != 2 or any(t not in ("disabled", "linear", "ring") for t in topology)):
            raise ValueError(f"mesh topology has 'disabled', 'linear' or 'ring' for each dimension of the mesh, got {topology}")
        if self._mesh_shape is not None:
            if (self._mesh_shape, self._mesh_topology) != (shape, topology):
                raise RuntimeError(f"the current graph already declares mesh {tuple(self._mesh_shape)} with topology "
                                   f"{self._mesh_topology}; it cannot be redefined: call to_host() first")
            return
        text = f'#ttcore.meshes<[<"mesh" = {"x".join(map(str, shape))}>]>'
        self.module.operation.attributes["ttcore.meshes"] = ir.Attribute.parse(text, self.ctx)
        self._mesh_shape, self._mesh_topology = shape, topology
        CurrentMesh.shape = shape

    def mesh_encoding(self):
        return ir.Attribute.parse('#ttcore.tensor_mesh<"mesh">', self.ctx)


class RewriteScope(Scope):
    """The site of a rewrite: host tensors and integers become constants there."""

    builds_scalars = True

    def __init__(self, rewriter, op):
        super().__init__(op.context, op.location, rewriter.ip)

    def add_host_input(self, layout, tensor, type=None):
        type = type or types.host(layout, self.ctx)
        tensor = tensor.detach().cpu().contiguous()
        bits = tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor
        return arith.ConstantOp(type, ir.DenseElementsAttr.get(bits.numpy(), type=type)).result


# ---- tensors ------------------------------------------------------------------------------------------------


class LazyTensor:
    """A tensor of the device: a value of the graph, or, after to_host, a tensor of the host."""

    __slots__ = ("layout", "value", "generation", "materialized", "is_view", "mesh")

    def __init__(self, layout, value, generation, materialized=None, is_view=False, mesh=None):
        self.layout, self.value, self.generation = layout, value, generation
        self.materialized, self.is_view, self.mesh = materialized, is_view, mesh

    def to_host(self):
        return to_host(self)[0]

    def _resolve(self):
        """The tensor in what is being built."""
        if self.generation == _get_scope().generation:
            return self
        if self.materialized is None:
            raise RuntimeError("Stale LazyTensor: produced by a prior builder that was reset by to_host(). Re-materialise its source or "
                               "include it in the to_host() call before reset.")
        if self.mesh is not None:
            return mesh_shard(self.materialized, self.layout, self.mesh.shard_dims, self.mesh.shard_shape)
        return to_layout(self.materialized, self.layout)

    def __repr__(self):
        return f"LazyTensor({self.layout!r}{', a view' if self.is_view else ''})"


def lazy(what, tensor):
    """An argument that must be a tensor of the device."""
    if not isinstance(tensor, LazyTensor):
        hint = ": lift it with to_layout(tensor, layout)" if isinstance(tensor, torch.Tensor) else ""
        raise TypeError(f"{what} expected a LazyTensor, got {type(tensor).__name__}{hint}")
    return tensor


def to_layout(input_, layout):
    """A torch tensor on the device, or a tensor of the device in another layout."""
    scope = _get_scope()
    if not isinstance(input_, (LazyTensor, torch.Tensor)):
        raise TypeError(f"to_layout expected a torch.Tensor or LazyTensor, got {type(input_).__name__}")
    shape = list(input_.shape if isinstance(input_, torch.Tensor) else input_.layout.logical_shape)
    if shape != layout.logical_shape:
        raise ValueError(f"to_layout shape mismatch: the tensor has {shape}, the layout {layout.logical_shape}")
    if isinstance(input_, LazyTensor):
        source = input_._resolve()
        with scope.building() as context:
            value = types.to_device(layout, context, types.as_grid(source.layout, context, source.value))
        return LazyTensor(layout, value, scope.generation, mesh=source.mesh)
    check_dtype(input_, layout)
    with scope.building() as context:
        value = types.to_device(layout, context, scope.add_host_input(layout, input_))
    return LazyTensor(layout, value, scope.generation)


def check_dtype(tensor, layout):
    if tensor.dtype != TORCH[layout.dtype]:
        raise TypeError(f"the tensor has {tensor.dtype} and the layout {layout.dtype.name}: convert with tensor.to({TORCH[layout.dtype]})")


def empty(layout):
    """A tensor of the device with unspecified contents."""
    scope = _get_scope()
    with scope.building() as context:
        value = types.as_blocks(layout, context, d2m.empty(types.device(layout, context)))
    return LazyTensor(layout, value, scope.generation)


# ---- meshes ---------------------------------------------------------------------------------------------------


def mesh(shape, topology=None):
    """Declares the mesh of devices that the graph runs on."""
    graph("mesh()").set_mesh(shape, topology)


def _mesh_shard(context, value, type, direction, shard_dims, shard_shape):
    kind, way = (ir.Attribute.parse(f"#ttcore.{text}>", context) for text in ("shard_type<devices", f"shard_direction<{direction}"))
    return d2m.mesh_shard(type, value, kind, way, list(shard_shape), list(shard_dims))


def mesh_shard(input_, layout, shard_dims, shard_shape):
    """A torch tensor divided among the devices; `layout` is of one device's part. shard_dims: the dimension that each axis of the mesh
    divides, or -1; shard_shape: the number of parts of each dimension."""
    if not isinstance(input_, torch.Tensor):
        raise TypeError(f"mesh_shard expects a torch.Tensor containing the full tensor, got {type(input_).__name__}")
    scope = graph("mesh_shard()")
    if scope._mesh_shape is None:
        raise RuntimeError("mesh_shard() requires a preceding mesh() declaration")
    part = shape_of_shard(scope._mesh_shape, list(input_.shape), list(shard_dims), list(shard_shape))
    if layout.logical_shape != part:
        raise ValueError(f"mesh_shard layout shape {layout.logical_shape} does not match expected per-device shape {part}")
    check_dtype(input_, layout)
    with scope.building() as context:
        whole = scope.add_host_input(layout, input_, types.host(layout, context, list(input_.shape)))
        one = types.host(layout, context, encoding=scope.mesh_encoding())
        value = types.to_device(layout, context, _mesh_shard(context, whole, one, "full_to_shard", shard_dims, shard_shape))
    return LazyTensor(layout, value, scope.generation, mesh=MeshShard(input_.shape, shard_dims, shard_shape))


# ---- the run --------------------------------------------------------------------------------------------------

_descriptor = None  # the path of the system's


def _get_system_desc_path():
    """SYSTEM_DESC_PATH, or the description of the current system in a file of this process."""
    global _descriptor
    if _descriptor is None:
        _descriptor = os.environ.get("SYSTEM_DESC_PATH")
        if not _descriptor:
            folder = tempfile.mkdtemp(prefix="d2m_jit-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            _descriptor = os.path.join(folder, "current.ttsys")
            runtime.get_current_system_desc().store(_descriptor)
    return _descriptor


def worker_grid():
    """(rows, columns) of a device."""
    text = binary.load_system_desc_from_path(_get_system_desc_path()).as_json()
    root = json.loads(text)
    size = root.get("system_desc", root)["chip_descs"][0]["grid_size"]
    return int(size["y"]), int(size["x"])


def _pipeline_passes():
    """The passes from d2m to a program of ttmetal. What comes before d2m in ttir-to-ttmetal-pipeline is left out: this is d2m."""
    zones = f"func.func(insert-device-zone-scopes{{traits={config.profiler_traits.strip() or 'device-zone'}}})"
    return [
        "canonicalize", "d2m-lower-to-layout", "canonicalize", "ttir-bufferization-pipeline", "d2m-insert-scratch-buffers",
        "d2m-generic-apply-interchange", "d2m-generate-outer-loops", "d2m-mark-synchronized-buffers", "d2m-allocate",
        "d2m-lower-multicast-loads", "d2m-generic-lower-to-explicit-form", "canonicalize",
        f"d2m-be-pipeline{{use-tile-matmul={int(config.use_tile_matmul)}}}",
        # Kernels are those of ttkernel until here: conversions to ttmetal read how they unpack.
        "d2m-to-ttkernel-pre-emitc-pipeline", "d2m-to-ttmetal-pipeline", "func.func(ttkernel-hoist-inits)",
        *([zones] if config.insert_profiler_traces else []), "d2m-emitc-pipeline",
    ]


def _emit_returns_and_finalise(builder, tensors):
    """Ends the graph's function with tensors as its results."""
    with builder.building() as context:
        results = []
        for t in tensors:
            if t.mesh is None:
                results.append(types.to_host(t.layout, context, t.value))
                continue
            part = types.to_host(t.layout, context, t.value, types.host(t.layout, context, encoding=builder.mesh_encoding()))
            whole = types.host(t.layout, context, t.mesh.full_shape)
            results.append(_mesh_shard(context, part, whole, "shard_to_full", t.mesh.shard_dims, t.mesh.shard_shape))
        func.ReturnOp(results)
    builder.finish_type([r.type for r in results])


def _run_pipeline(builder):
    """Lowers the graph's module in place."""
    options = []
    if _get_system_desc_path():
        options.append(f"system-desc-path={_get_system_desc_path()}")
    if builder._mesh_topology:
        options.append("mesh-topology=" + ",".join(builder._mesh_topology))
    register = "ttcore-register-device" + (f"{{{' '.join(options)}}}" if options else "")
    pipeline = f"builtin.module({','.join([register, *_pipeline_passes()])})"
    if config.print_pipeline:
        print(f"[d2m-jit] pipeline: {pipeline}")
    if config.print_ir_before_pipeline:
        print(f"[d2m-jit] IR before pipeline:\n{builder.module}")
    manager = PassManager.parse(pipeline, context=builder.ctx)
    manager.enable_verifier(config.verify_passes)
    if config.print_ir_after_each_pass:
        manager.enable_ir_printing(print_after_all=True, enable_debug_info=config.print_ir_debug_info)
    manager.run(builder.module.operation)
    if config.print_ir_after_pipeline:
        print(f"[d2m-jit] IR after pipeline:\n{builder.module}")


def _borrowed(tensor):
    """The runtime's view of a torch tensor."""
    kind = getattr(runtime.DataType, {torch.float32: "Float32", torch.float16: "Float16", torch.bfloat16: "BFloat16",
                                      torch.uint32: "UInt32"}[tensor.dtype])
    return runtime.create_borrowed_host_tensor(tensor.data_ptr(), list(tensor.shape), list(tensor.stride()), tensor.element_size(), kind)


def _execute(builder, tensors):
    """Runs the lowered module; returns torch tensors."""
    if config.enable_perf_trace:
        runtime.PerfEnv.get(enable_perf_trace=True)
    program = binary.load_binary_from_capsule(ttmetal_to_flatbuffer_bin(builder.module))
    if config.save_flatbuffer_path:
        program.store(config.save_flatbuffer_path)
        print(f"[d2m-jit] flatbuffer written to {config.save_flatbuffer_path}")
    options = runtime.MeshDeviceOptions()
    options.mesh_shape = program.get_program_mesh_shape(0)
    runtime.set_compatible_device_runtime(program)
    inputs = [runtime.create_scalar_tensor(t) if isinstance(t, int) else _borrowed(t) for t in builder.host_tensors]
    results = [torch.empty(t.mesh.full_shape if t.mesh else t.layout.logical_shape, dtype=TORCH[t.layout.dtype]) for t in tensors]
    device = runtime.open_mesh_device(options)
    try:
        outputs = runtime.submit(device, program, 0, inputs)
        runtime.wait(outputs)
        for result, output in zip(results, outputs):
            runtime.memcpy(_borrowed(result), runtime.to_host(output, untilize=True)[0])
            runtime.deallocate_tensor(output, force=True)
    finally:
        runtime.close_mesh_device(device)
    return results


def to_host(*tensors):
    """Runs the graph; returns a torch tensor for each tensor, and begins a new graph.

    The tensors keep their contents and can be used in the new graph; others of the graph cannot. Errors: ValueError for views and
    without tensors; RuntimeError (or the passes' error) where the graph cannot be lowered.
    """
    if not tensors:
        raise ValueError("to_host requires at least one LazyTensor")
    builder = graph("to_host()")
    current = [lazy(f"to_host: argument {i}", t)._resolve() for i, t in enumerate(tensors)]
    for i, tensor in enumerate(current):
        if tensor.is_view:
            raise ValueError(f"to_host: argument {i} is a view, which has no data of its own: convert it first, to_layout(v, v.layout)")
    try:
        _emit_returns_and_finalise(builder, current)
        builder.module.operation.verify()
        _run_pipeline(builder)
        results = _execute(builder, current)
    finally:
        _Builder.reset()
    for tensor, result in zip(tensors, results):
        tensor.materialized, tensor.value = result, None
    return tuple(results)
