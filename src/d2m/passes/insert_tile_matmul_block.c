/* insert_tile_matmul_block.c: d2m-insert-tile-matmul-block: a nest that multiplies tiles in
 * DST becomes one operation on blocks. */
#include "d2m/passes/dst_access.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

static bool is_matmul(const ir_op *op)
{
    return op->def == D2M_OP(tile_matmul);
}

static ir_op *load_of(const ir_op *op, size_t operand)
{
    ir_op *load = ir_value_def(ir_op_operand(op, operand));
    return ir_op_is(load, AFFINE_OP(load)) ? load : NULL;
}

/* The value that is the second index of a load as it is; NULL if that is an expression. */
static ir_value *second_index(const ir_op *load)
{
    ir_affine_map map = ir_op_attr(load, "map")->map;
    if (map->n_results < 2 || map->results[1]->kind != IR_AFFINE_DIM ||
        (uint32_t)map->results[1]->value + 1 >= load->n_operands)
        return NULL;
    return ir_op_operand(load, 1 + (size_t)map->results[1]->value);
}

/* True if the right operand is indexed by the loop over the left one's columns second. */
static bool is_transposed(const ir_op *matmul)
{
    const ir_op *a = load_of(matmul, 0), *b = load_of(matmul, 1);
    ir_value *k = a ? second_index(a) : NULL;
    return k && b && second_index(b) == k;
}

static bool acquires(const ir_op *op)
{
    ir_op_list ops = ir_ops_in((ir_op *)op, NULL);
    bool found = false;
    for (size_t i = 0; i < ops.n; i++)
        found |= ops.at[i]->def == D2M_OP(acquire_dst);
    ir_op_list_free(&ops);
    return found;
}

/* The outermost loop of the nest within the section of DST; NULL without loops. */
static ir_op *nest_of(const ir_op *matmul)
{
    ir_op *root = ir_op_parent(matmul);
    while (root && root->def != AFFINE_OP(for))
        root = ir_op_parent(root);
    for (ir_op *up = root ? ir_op_parent(root) : NULL;
         up && up->def == AFFINE_OP(for) && !acquires(up); up = ir_op_parent(up))
        root = up;
    return root;
}

/* The memory in L1 that a nest behind this one packs DST's tiles to. */
static ir_value *packed_to(const ir_op *nest, const ir_value *dst)
{
    for (ir_op *op = nest->next; op; op = op->next) {
        ir_op_list ops = ir_ops_in(op, d2m_is_store);
        ir_value *found = NULL;
        for (size_t i = 0; i < ops.n && !found; i++) {
            ir_op *store = ops.at[i];
            const ir_op *load = store->def == AFFINE_OP(store) ? load_of(store, 0) : NULL;
            ir_value *memory = d2m_access_memref(store);
            if (load && ir_op_operand(load, 0) == dst &&
                d2m_space_of(memory->type) == TTCORE_MemorySpace_DeviceL1)
                found = memory;
        }
        ir_op_list_free(&ops);
        if (found)
            return found;
    }
    return NULL;
}

/* A part of the memory that is defined in front of the nest takes precedence. */
static ir_value *part_before(ir_value *memory, const ir_op *nest)
{
    for (ir_op *op = nest->block->first; op && op != nest; op = op->next)
        if ((op->def == MEMREF_OP(cast) || op->def == MEMREF_OP(subview)) &&
            ir_op_operand(op, 0) == memory)
            return &op->results[0];
    return memory;
}

static ir_value *in_l1(const ir_op *matmul, size_t operand)
{
    const ir_op *load = load_of(matmul, operand);
    ir_value *memory = load ? ir_op_operand(load, 0) : NULL;
    return memory && d2m_space_of(memory->type) == TTCORE_MemorySpace_DeviceL1 ? memory
                                                                               : NULL;
}

static bool replace(ir_op *nest, ir_op *matmul)
{
    ir_value *a = in_l1(matmul, 0), *b = in_l1(matmul, 1);
    const ir_op *sum = load_of(matmul, 2);
    if (!a || !b)
        return ir_op_error(matmul,
                           "could not find L1 input memrefs for tile_matmul operands");
    if (!sum)
        return ir_op_error(matmul, "tile_matmul accumulator operand is not an affine.load");
    ir_value *c = packed_to(nest, ir_op_operand(sum, 0));
    if (!c)
        return ir_op_error(nest, "could not find output L1 memref in store copy loop");
    a = part_before(a, nest);
    b = part_before(b, nest);
    c = part_before(c, nest);
    if (c->type->count != 2)
        return true;
    ir_builder at = ir_builder_after(nest);
    ir_build_op(&at, D2M_OP(tile_matmul_block), NULL, 0, IR_VALUES(a, b, c),
                IR_ATTRS({"transpose_b", ir_bool_attr(nest->ctx, is_transposed(matmul))}),
                0);
    ir_op_erase(nest);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_op_list ops = ir_ops_in(module, is_matmul);
    ir_op **nests = tw_xcalloc(ops.n + 1, sizeof *nests);
    bool tiles = pass_option_bool(run, "use-tile-matmul"), ok = true;
    for (size_t i = 0; i < ops.n && ok; i++) {
        nests[i] = nest_of(ops.at[i]);
        for (size_t j = 0; j < i; j++)
            if (nests[j] == nests[i])
                nests[i] = NULL;
        if (tiles && is_transposed(ops.at[i]))
            ok = ir_op_error(ops.at[i],
                             "transpose_b is only supported by tile_matmul_block lowering");
    }
    for (size_t i = 0; i < ops.n && ok && !tiles; i++)
        if (nests[i] && !replace(nests[i], ops.at[i]))
            ok = ir_op_error(nests[i], "failed to replace matmul compute loops with "
                                       "tile_matmul_block");
    free(nests);
    ir_op_list_free(&ops);
    return ok;
}

const pass_def d2m_insert_tile_matmul_block_pass = {
    .name = "d2m-insert-tile-matmul-block",
    .summary = "Replace nests of tile_matmul by tile_matmul_block",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"use-tile-matmul", PASS_BOOL, "false",
                                         "Keep tile_matmul", NULL, NULL}),
};
