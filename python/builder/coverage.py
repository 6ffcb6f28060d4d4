"""`python -m builder.coverage [DIALECT...]`: which operations have a builder method, a reference, a run, Python and C++.

--json prints the table as JSON; --holes prints only operations with a column missing, with the reason. The status is 1 if an
operation lacks something without a reason."""

import argparse
import json
import sys

from builder.base.methods import signature
from builder.stablehlo.stablehlo_builder import StableHLOBuilder
from builder.ttir.ttir_builder import TTIRBuilder
from builder.ttnn.ttnn_builder import TTNNBuilder
from golden.mapping import GOLDENS, NO_REFERENCE, STRUCTURE
from ttmlir._native import native

BUILDERS = {"ttir": TTIRBuilder, "ttnn": TTNNBuilder, "stablehlo": StableHLOBuilder}
COLUMNS = "builder", "golden", "run", "python", "c++"
# TTIR operations of another name in TTNN, or that become others.
BECOMES = {"div": "divide", "pow": "pow_tensor", "gather": "gather", "squeeze": "reshape", "unsqueeze": "reshape", "broadcast": "repeat",
           "index": "slice_static", "index_select": "slice_static", "reverse": "gather", "reduce_or": "sum", "reduce_and": "prod",
           "dot_general": "matmul", "upsample2d": "upsample", "embedding_backward": "embedding_bw", "rearrange": "permute",
           "quantize_unrolled": "quantize", "dequantize_unrolled": "dequantize", "requantize_unrolled": "requantize",
           "cumprod": "cumprod", "batch_norm_training": "batch_norm_training", "selu": "where", "typecast": "typecast",
           "get_dimension_size": "full", "empty": "empty", "mesh_shard": "distribute_tensor", "to_layout": "to_layout",
           "collective_broadcast": "point_to_point", "collective_permute": "point_to_point", "all_reduce": "reduce_scatter"}
WITHOUT_TTNN = "TTIR only: tt-mlir has no lowering of it to TTNN either"
REASONS = {
    **dict.fromkeys(("exp2", "frac", "signbit", "softsign", "square", "trunc", "right_shift", "ttnn_metal_layout_cast", "cumprod"), WITHOUT_TTNN),
    **dict.fromkeys(("alloc", "dealloc"), "of D2M's programs, which have their own operations in TTNN's position"),
    **dict.fromkeys(("quantize", "dequantize", "requantize"), "decomposed into the operation with tensors of scales"),
    **dict.fromkeys(("moe_compute", "prepare_moe_compute_w0_w1_weights", "prepare_moe_compute_w2_weights", "allocate_moe_compute_semaphore"),
                    "in modules and binaries: tt-mlir writes it in neither language"),
    **dict.fromkeys(("adamw", "sdpa_fw", "sdpa_bw"), "ttml's Python has no function of it: tt-mlir refuses to write it, too"),
    **dict.fromkeys(("bitcast_convert", "generic", "distributed_layer_norm"), "tt-mlir writes it in neither language"),
    "moe_gpt": "weights packed for a chip's kernel: tt-mlir's own reference asks the test for the unpacked ones",
    "d2m_subgraph": "of D2M's programs: becomes generic, which runs",
    "to_tensor_spec": "becomes to_layout, to_device, to_memory_config and typecast before it is written",
    "tt_lang_op": "a kernel of the user", "constant": "part of the program",
}
# Written by their conversions, not as one call.
WRITTEN = {"get_device": "python", "capture_or_execute_trace": "python c++"}
ON_A_MESH = "over several devices: programs run on one so far"
MESH = {"all_gather", "all_reduce", "all_reduce_async", "reduce_scatter", "all_to_all", "collective_permute", "collective_broadcast",
        "mesh_partition", "mesh_shard", "distribute_tensor", "aggregate_tensor", "point_to_point", "distributed_rms_norm",
        "distributed_layer_norm", "all_to_all_dispatch", "all_to_all_dispatch_metadata", "all_to_all_combine", "selective_reduce_combine",
        "moe_gpt", "moe_expert_token_remap"}


def method_of(full):
    """The builder's method of an operation, or None."""
    dialect, short = full.split(".", 1)
    name = short.replace(".", "_").replace("-", "_")
    cls = BUILDERS[dialect]
    return getattr(cls, name, None) or getattr(cls, name + "_", None)


def row(full):
    """{column: True, False or None where it does not apply, "why": reason of what is missing}."""
    dialect, short = full.split(".", 1)
    out = {"operation": full, "builder": method_of(full) is not None and signature(full) is not None,
           "golden": None if full in NO_REFERENCE else full in GOLDENS or full in STRUCTURE}
    why = [NO_REFERENCE[full]] if full in NO_REFERENCE else []
    target = full if dialect == "ttnn" else f"ttnn.{BECOMES.get(short, short)}" if dialect == "ttir" else None
    if target is None:
        out |= {"run": None, "python": None, "c++": None}
    else:
        try:
            _, run, python, cpp = native._support(target)
        except LookupError:
            run = python = cpp = False
        written = WRITTEN.get(short, "").split()
        out |= {"run": run, "python": python or "python" in written, "c++": cpp or "c++" in written}
    if dialect != "stablehlo" and not all(out[c] for c in ("run", "python", "c++")):
        reason = REASONS.get(short, ON_A_MESH if short in MESH else None)
        why = [*why, reason] if reason else []
    return out | {"why": "; ".join(dict.fromkeys(why))}


def table(dialects=tuple(BUILDERS)):
    """The rows of all operations of the dialects."""
    return [row(r[0]) for dialect in dialects for r in native._ops(dialect)]


def main(arguments=None):
    """Prints the table; 1 if something is missing without a reason."""
    parser = argparse.ArgumentParser(prog="python -m builder.coverage", description=__doc__.split("\n\n")[1])
    parser.add_argument("dialects", nargs="*", choices=[*BUILDERS, []], metavar="DIALECT", help=", ".join(BUILDERS))
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--holes", action="store_true", help="only operations that lack something")
    given = parser.parse_args(arguments)
    rows = table(tuple(given.dialects) or tuple(BUILDERS))
    holes = [r for r in rows if not all(r[c] is not False for c in COLUMNS)]
    if given.json:
        print(json.dumps(holes if given.holes else rows, indent=1))
    else:
        mark = {True: "yes", False: "no", None: "-"}
        print(f"{'operation':48} " + " ".join(f"{c:7}" for c in COLUMNS) + " reason")
        for r in holes if given.holes else rows:
            print(f"{r['operation']:48} " + " ".join(f"{mark[r[c]]:7}" for c in COLUMNS) + f" {r['why']}")
        for dialect in given.dialects or BUILDERS:
            own = [r for r in rows if r["operation"].startswith(dialect + ".")]
            counts = ", ".join(f"{c} {sum(r[c] is True for r in own)}" for c in COLUMNS if any(r[c] is not None for r in own))
            print(f"{dialect}: {len(own)} operations; {counts}")
    return int(any(not r["why"] for r in holes))


if __name__ == "__main__":
    sys.exit(main())
