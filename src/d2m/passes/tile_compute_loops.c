/* tile_compute_loops.c: d2m-generic-tile-compute-loops: tiles each linalg.generic twice: by
 * what the operations of a region share, and by what fits in one half of DST. */
#include "d2m/generic.h"
#include "d2m/passes/dst_packing.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"
#include "mlir/linalg/linalg_loops.h"
#include "support/arena.h"

#include <stdlib.h>

static bool is_linalg(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

/* Sizes of the loops such that `tiles` of the output are one step: its innermost
 * dimensions are taken whole while they fit, the next one in part. */
static void subblock(const ir_op *op, int64_t tiles, int64_t sizes[LINALG_MAX_LOOPS])
{
    int64_t extents[LINALG_MAX_LOOPS];
    size_t first = 0, n;
    uint32_t loops = 0;
    ir_op_operand_group(op, 1, &first, &n);
    linalg_extents(op, extents, &loops);
    memcpy(sizes, extents, loops * sizeof *sizes);
    ir_affine_map map = ir_op_attr(op, "indexing_maps")->items[first]->map;
    ir_type type = ir_op_operand(op, first)->type;
    for (uint32_t r = map->n_results; r-- > 0;) {
        int64_t dim = type->dims[r], part = TW_MIN(tiles, dim);
        while (part > 1 && dim % part)
            part--;
        tiles = part == dim ? TW_MAX(tiles / part, 1) : 1;
        if (map->results[r]->kind == IR_AFFINE_DIM)
            sizes[map->results[r]->value] = part;
    }
}

static bool tile(const dst_packing *row)
{
    int64_t sizes[LINALG_MAX_LOOPS];
    ir_op *loops[LINALG_MAX_LOOPS], *outermost = NULL;
    size_t n;
    if (!linalg_extents(row->op, sizes, &(uint32_t){0}))
        return ir_op_error(row->op, "expected operands of static shape whose indexing maps "
                                    "name every loop");
    subblock(row->op, row->per_outer, sizes);
    ir_op *inner = linalg_tile(row->op, sizes, loops, &n);
    if (!inner)
        return ir_op_error(row->op, "expected indexing maps that are dimensions or "
                                    "constants, and memrefs as operands");
    subblock(inner, row->per_flip, sizes);
    inner = linalg_tile(inner, sizes, loops, &n);
    for (size_t i = 0; inner && i < n; i++) {
        ir_op *affine = d2m_scf_to_affine(loops[i]);
        outermost = outermost ? outermost : affine;
    }
    if (outermost)
        ir_op_set_attr(outermost, "d2m.scratch_space_loop", ir_unit_attr(outermost->ctx));
    return true;
}

/* The unpacker waits for the packer in front of an operation that reads another's result
 * from L1. */
static void insert_stalls(ir_op *const *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t first, inputs, outs, n_outs;
        bool reads = false;
        if (!ir_op_operand_group(ops[i], 0, &first, &inputs))
            continue;
        for (size_t j = 0; j < i; j++) {
            if (!ir_op_operand_group(ops[j], 1, &outs, &n_outs))
                continue;
            for (size_t o = 0; o < n_outs; o++)
                for (size_t v = 0; v < inputs; v++)
                    reads |=
                        ir_op_operand(ops[i], first + v) == ir_op_operand(ops[j], outs + o);
        }
        if (reads) {
            ir_builder b = ir_builder_before(ops[i]);
            ir_build_op(&b, D2M_OP(unpack_stall_on_pack), NULL, 0, NULL, 0, NULL, 0, 0);
        }
    }
}

static bool tile_generic(ir_op *generic, int64_t physical)
{
    ir_op_list ops = ir_ops_in(generic, is_linalg);
    dst_packing *rows = tw_xmalloc((ops.n + 1) * sizeof *rows);
    ir_op **group = tw_xmalloc((ops.n + 1) * sizeof *group);
    bool *done = tw_xcalloc(ops.n + 1, sizeof *done), ok = true, failed = false;
    insert_stalls(ops.at, ops.n);
    for (size_t i = 0; i < ops.n && ok; i++) {
        size_t n = 0;
        for (size_t j = i; j < ops.n && !done[i]; j++)
            if (ops.at[j]->block->region == ops.at[i]->block->region)
                group[n++] = ops.at[j];
        bool packs = n && d2m_pack_dst(group, n, physical, rows, &failed);
        ok = !failed;
        for (size_t j = i + 1; j < ops.n; j++)
            done[j] |= ops.at[j]->block->region == ops.at[i]->block->region;
        if (!packs)
            continue;
        /* Tiling replaces operations: the regions of later ones are compared before. */
        for (size_t j = 0; j < n && ok; j++)
            ok = !rows[j].op || tile(&rows[j]);
        size_t kept = i + 1;
        for (size_t j = i + 1; j < ops.n; j++)
            if (!done[j]) {
                done[kept] = false;
                ops.at[kept++] = ops.at[j];
            }
        ops.n = kept;
    }
    free(done);
    free(group);
    free(rows);
    ir_op_list_free(&ops);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        d2m_generic g;
        if (d2m_generic_of(generics.at[i], &g) && d2m_generic_is_unified(&g))
            ok = tile_generic(generics.at[i],
                              pass_option_int(run, "max-dst-physical-size-tiles"));
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_generic_tile_compute_loops_pass = {
    .name = "d2m-generic-tile-compute-loops",
    .summary = "Tile compute loops to subblocks that fit in DST",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"max-dst-physical-size-tiles", PASS_INT, "0",
                                  "Limit of the tiles in DST (0: the chip's)", NULL, NULL}),
};
