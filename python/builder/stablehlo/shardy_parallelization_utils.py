"""The ways to split a program over devices, and the one with the fewest collectives."""

import itertools
from collections import OrderedDict

from golden.types import unpack_mlir_attr
from ttmlir import ir
from ttmlir.dialects import sdy
from ttmlir.passes import stablehlo_pipeline

_NAMES = "all_gather", "all_reduce", "all_slice", "all_to_all", "collective_permute", "collective_broadcast", "reduce_scatter"
_COLLECTIVES = frozenset(f"{dialect}.{name}" for dialect in ("sdy", "stablehlo") for name in _NAMES)


def find_mesh_permutations(num_devices):
    """The two-dimensional meshes of that many devices."""
    return [OrderedDict(x=x, y=num_devices // x) for x in range(1, num_devices + 1) if num_devices % x == 0]


def generate_sharding_permutations(ranked_tensor_type, mesh_name, axes_list):
    """Every assignment of one or more axes to different dimensions, all left open."""
    rank, out = ranked_tensor_type.rank, []
    for count in range(1, len(axes_list) + 1):
        for dims in itertools.combinations(range(rank), count):
            for axes in itertools.permutations(axes_list, count):
                of = dict(zip(dims, axes))
                out.append(sdy.TensorShardingAttr.get(mesh_name, [
                    sdy.DimensionShardingAttr.get([sdy.AxisRefAttr.get(of[d])] if d in of else [], False) for d in range(rank)]))
    return out


def _functions(module):
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def find_module_permutations(module, num_devices):
    """The module with each mesh and each sharding of its functions' arguments."""
    choices = [generate_sharding_permutations(argument.type, "mesh", ["x", "y"])
               for op in _functions(module) for argument in op.regions[0].blocks[0].arguments if argument.type.rank]
    text, out = str(module), []
    for mesh in find_mesh_permutations(num_devices):
        for chosen in itertools.product(*choices):
            copy = ir.Module.parse(text, module.context)
            axes = sdy.MeshAttr.get([sdy.MeshAxisAttr.get(name, size) for name, size in mesh.items()])
            with ir.InsertionPoint.at_block_begin(copy.body):
                sdy.MeshOp("mesh", axes)
            left = iter(chosen)
            for op in _functions(copy):
                dictionaries = [ir.DictAttr.get({"sdy.sharding": next(left)} if a.type.rank else {}) for a in op.regions[0].blocks[0].arguments]
                op.attributes["arg_attrs"] = ir.ArrayAttr.get(dictionaries)
            out.append(copy)
    return out


def _moves(op):
    """False for exchanges of devices with themselves."""
    for name in ("replica_groups", "source_target_pairs"):
        if name in op.attributes:
            rows = unpack_mlir_attr(op.attributes[name]).tolist()
            return any(len(set(row)) > 1 for row in rows)
    return True


def count_collectives(module):
    """The number of collectives in a module that move something between devices."""
    count = 0

    def visit(op):
        nonlocal count
        count += op.operation.name in _COLLECTIVES and _moves(op.operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return count


def optimal_module_least_num_collectives(module_permutations):
    """Those with the fewest collectives after stablehlo-pipeline, which changes the modules; ones that it rejects are left out."""
    counted = []
    for module in module_permutations:
        handler = module.context.attach_diagnostic_handler(lambda diagnostic: True)  # each way gives the same notes
        try:
            stablehlo_pipeline(module)
        except RuntimeError:
            continue
        finally:
            handler.detach()
        counted.append((count_collectives(module), module))
    least = min((n for n, _ in counted), default=0)
    return [module for n, module in counted if n == least]
