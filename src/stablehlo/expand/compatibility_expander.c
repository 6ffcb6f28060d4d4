/* compatibility_expander.c: expands features missing in a target version of StableHLO:
 * batching dimensions of gather and scatter (1.1.0), tan (1.4.0), ranges in locations
 * (1.9.0), replica groups by mesh axes (1.16.0). */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "stablehlo/build.h"
#include "stablehlo/expand/formula.h"
#include "stablehlo/stablehlo.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 32 };

typedef struct dims {
    int64_t at[CAPACITY];
    size_t n;
} dims;

static dims read_dims(ir_attr attr, const char *name)
{
    dims d;
    int64_t n = ir_attr_ints(ir_attr_param(attr, name), d.at, CAPACITY);
    d.n = n < 0 || n > CAPACITY ? 0 : (size_t)n;
    return d;
}

static dims join(const dims *a, const dims *b)
{
    dims d = *a;
    for (size_t i = 0; i < b->n && d.n < CAPACITY; i++)
        d.at[d.n++] = b->at[i];
    return d;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_sorted(const dims *d)
{
    for (size_t i = 1; i < d->n; i++)
        if (d->at[i] < d->at[i - 1])
            return false;
    return true;
}

static ir_attr list(ir_context *ctx, const dims *d)
{
    ir_attr items[CAPACITY];
    for (size_t i = 0; i < d->n; i++)
        items[i] = ir_raw_int(ctx, d->at[i]);
    return ir_array_attr(ctx, items, d->n);
}

/* ---- gather and scatter: batching dimensions become indices ------------------------- */

/* A type that can hold an index below `size`: the same, i32 or i64. */
static ir_type wide_enough(ir_type t, int64_t size)
{
    if (t->kind != IR_TYPE_INTEGER)
        return t;
    uint32_t bits = t->width - (t->sign == IR_UNSIGNED ? 0 : 1);
    if (bits >= 63 || size < (INT64_C(1) << bits))
        return t;
    return ir_integer_type(t->ctx, size <= INT32_MAX ? 32 : 64, IR_SIGNLESS);
}

/* Prepends the index in each batching dimension to the index vectors. */
static ir_value *with_batch_indices(ir_builder *b, ir_value *indices, int64_t vector,
                                    const dims *batching)
{
    ir_type t = indices->type, element = t->element;
    int64_t shape[CAPACITY];
    ir_value *parts[CAPACITY];
    size_t rank = t->count;
    for (size_t i = 0; i < batching->n; i++)
        element = wide_enough(element, t->dims[batching->at[i]]);
    if (element != t->element)
        indices = hlo_convert_to(b, indices, element);
    for (size_t i = 0; i < rank; i++)
        shape[i] = t->dims[i];
    if (vector == (int64_t)rank)
        rank++;
    int64_t width = vector == (int64_t)t->count ? 1 : shape[vector];
    shape[vector] = 1;
    ir_type index_type = ir_tensor_type(element, shape, rank, NULL);
    if (rank != t->count)
        indices = hlo_reshape(b, indices, shape, rank);
    for (size_t i = 0; i < batching->n; i++)
        parts[i] = hlo_iota(b, index_type, batching->at[i]);
    parts[batching->n] = indices;
    shape[vector] = width + (int64_t)batching->n;
    return hlo_concatenate(b, ir_tensor_type(element, shape, rank, NULL), parts,
                           batching->n + 1, vector);
}

/* The attribute names of gather and of scatter for the same things. */
typedef struct names {
    const char *numbers, *kept, *dropped, *batching, *of_indices, *map;
    const ir_attr_def *def;
} names;

static bool expand(ir_op *op, rw_rewriter *rw, const names *n, size_t operand)
{
    ir_attr numbers = ir_op_attr(op, n->numbers);
    dims kept = read_dims(numbers, n->kept), dropped = read_dims(numbers, n->dropped);
    dims batching = read_dims(numbers, n->batching), map = read_dims(numbers, n->map);
    dims of_indices = read_dims(numbers, n->of_indices);
    int64_t vector = ir_attr_int(ir_attr_param(numbers, "indexVectorDim"), 0);
    ir_value *indices = op->operands[operand].value;
    if (batching.n == 0 || !ir_type_has_static_shape(indices->type) ||
        indices->type->count >= CAPACITY || op->operands[0].value->type->count > CAPACITY ||
        batching.n + 1 > CAPACITY)
        return false;
    dims all = join(&batching, &dropped), to = join(&batching, &map);
    qsort(all.at, all.n, sizeof *all.at, ascending);
    bool sorted =
        ir_op_bool(op, "indices_are_sorted") && is_sorted(&of_indices) && is_sorted(&to);
    ir_attr none = ir_array_attr(op->ctx, NULL, 0);
    ir_attr params[] = {list(op->ctx, &kept), list(op->ctx, &all),        none, none,
                        list(op->ctx, &to),   ir_raw_int(op->ctx, vector)};
    ir_op_set_operand(op, operand,
                      with_batch_indices(&rw->b, indices, vector, &of_indices));
    ir_op_set_attr(op, n->numbers, ir_dialect_attr(op->ctx, n->def, params, 6));
    if (ir_op_attr(op, "indices_are_sorted"))
        ir_op_set_attr(op, "indices_are_sorted", ir_bool_attr(op->ctx, sorted));
    rw_modified(rw, op);
    return true;
}

static bool expand_gather(ir_op *op, rw_rewriter *rw)
{
    const names n = {"dimension_numbers",        "offsetDims",
                     "collapsedSliceDims",       "operandBatchingDims",
                     "startIndicesBatchingDims", "startIndexMap",
                     STABLEHLO_ATTR(gather)};
    return expand(op, rw, &n, 1);
}

static bool expand_scatter(ir_op *op, rw_rewriter *rw)
{
    const names n = {"scatter_dimension_numbers",  "updateWindowDims",
                     "insertedWindowDims",         "inputBatchingDims",
                     "scatterIndicesBatchingDims", "scatterDimsToOperandDims",
                     STABLEHLO_ATTR(scatter)};
    return expand(op, rw, &n, op->n_results);
}

/* ---- tan ---------------------------------------------------------------------------- */

static bool expand_tan(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_attr accuracy = ir_op_attr(op, "result_accuracy");
    if (accuracy && ir_enum_value(ir_attr_param(accuracy, "mode"), 0) !=
                        STABLEHLO_ResultAccuracyMode_DEFAULT)
        return false;
    bool is_complex = ir_type_element(x->type)->kind == IR_TYPE_COMPLEX;
    rw_replace1(rw, op,
                hlo_build_formula(&rw->b, is_complex ? "tan_complex" : "tan_real", &x));
    return true;
}

/* ---- locations ---------------------------------------------------------------------- */

/* Replaces ranges inside a location by their starts. */
static ir_attr without_range(ir_context *ctx, ir_attr loc)
{
    enum { MAX_LOCS = 64 };
    if (loc->kind == IR_ATTR_LOC_FILE)
        return ir_loc_attr(ctx, ir_loc_file(ctx, loc->ident, loc->line, loc->column));
    if (loc->kind == IR_ATTR_LOC_NAME)
        return loc->child
                   ? ir_loc_attr(
                         ctx, ir_loc_name(ctx, loc->ident,
                                          ir_loc_from_attr(without_range(ctx, loc->child))))
                   : loc;
    if (loc->kind == IR_ATTR_LOC_CALLSITE)
        return ir_loc_callsite_attr(ctx, without_range(ctx, loc->items[0]),
                                    without_range(ctx, loc->items[1]));
    if (loc->kind == IR_ATTR_LOC_FUSED && loc->count <= MAX_LOCS) {
        ir_attr items[MAX_LOCS];
        for (uint32_t i = 0; i < loc->count; i++)
            items[i] = without_range(ctx, loc->items[i]);
        return ir_loc_fused_attr(ctx, items, loc->count, loc->items[loc->count]);
    }
    return loc;
}

static ir_walk visit_locations(ir_op *op, void *user)
{
    (void)user;
    op->loc = ir_loc_from_attr(without_range(op->ctx, ir_loc_attr(op->ctx, op->loc)));
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->loc = ir_loc_from_attr(
                    without_range(op->ctx, ir_loc_attr(op->ctx, b->args[i]->loc)));
    return IR_WALK_ON;
}

/* ---- replica groups by mesh axes as lists ------------------------------------------- */

typedef struct mesh {
    ir_attr names[CAPACITY]; /* strings */
    int64_t sizes[CAPACITY], devices;
    size_t n;
    ir_attr ids; /* NULL: iota */
} mesh;

/* Reads a mesh from an attribute, or from a dictionary with the same entries. */
static bool read_mesh(ir_attr attr, mesh *out)
{
    *out = (mesh){.devices = 1};
    bool is_dict = ir_attr_is(attr, IR_ATTR_DICT);
    if (!is_dict &&
        !(ir_attr_is(attr, IR_ATTR_DIALECT) && attr->def == STABLEHLO_ATTR(mesh)))
        return false;
    ir_attr axes =
        is_dict ? ir_dict_get(attr, TW_STR("axes")) : ir_attr_param(attr, "axes");
    out->ids = is_dict ? ir_dict_get(attr, TW_STR("device_ids"))
                       : ir_attr_param(attr, "device_ids");
    if (!ir_attr_is(axes, IR_ATTR_ARRAY) || axes->count > CAPACITY)
        return false;
    for (uint32_t i = 0; i < axes->count; i++) {
        ir_attr axis = axes->items[i];
        bool plain = ir_attr_is(axis, IR_ATTR_DICT);
        ir_attr name =
            plain ? ir_dict_get(axis, TW_STR("name")) : ir_attr_param(axis, "name");
        ir_attr size =
            plain ? ir_dict_get(axis, TW_STR("size")) : ir_attr_param(axis, "size");
        out->names[i] = name;
        out->sizes[i] = ir_attr_int(size, 0);
        if (!ir_attr_is(name, IR_ATTR_STRING) || out->sizes[i] < 1 ||
            __builtin_mul_overflow(out->devices, out->sizes[i], &out->devices))
            return false;
    }
    out->n = axes->count;
    return out->devices <= 1 << 20 &&
           (!out->ids || ir_type_num_elements(out->ids->type) == out->devices);
}

/* Finds the mesh of the groups: inline, or by symbol. */
static bool find_mesh(ir_op *op, ir_attr ref, mesh *out)
{
    if (!ir_attr_is(ref, IR_ATTR_SYMBOL_REF))
        return read_mesh(ref, out);
    ir_op *symbol = ir_symbol_resolve(op, ref);
    return symbol && (read_mesh(ir_op_attr(symbol, "mesh"), out) ||
                      read_mesh(ir_op_attr(symbol, "stablehlo.mesh"), out));
}

/* Orders the axes so that the devices of a group are adjacent: the others, then the named
 * ones. Returns the product of the named ones' sizes; 0 if it is unknown. */
static int64_t order_axes(const mesh *m, ir_attr axes, size_t *order)
{
    bool named[CAPACITY] = {false};
    int64_t together = 1;
    size_t n = 0, first = 0;
    if (!ir_attr_is(axes, IR_ATTR_ARRAY) || axes->count > m->n)
        return 0;
    first = m->n - axes->count;
    for (uint32_t i = 0; i < axes->count; i++) {
        size_t k = 0;
        while (k < m->n && m->names[k] != ir_attr_param(axes->items[i], "name"))
            k++;
        if (k == m->n || named[k] || ir_attr_param(axes->items[i], "sub_axis_info"))
            return 0;
        named[k] = true;
        order[first + i] = k;
        together *= m->sizes[k];
    }
    for (size_t k = 0; k < m->n; k++)
        if (!named[k])
            order[n++] = k;
    return together;
}

static bool expand_groups(ir_op *op, rw_rewriter *rw)
{
    mesh m;
    size_t order[CAPACITY];
    int64_t at[CAPACITY] = {0};
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (!ir_attr_is(groups, IR_ATTR_DIALECT) ||
        groups->def != STABLEHLO_ATTR(replica_group_mesh_axes) ||
        !find_mesh(op, ir_attr_param(groups, "mesh"), &m))
        return false;
    int64_t together = order_axes(&m, ir_attr_param(groups, "axes"), order);
    if (!together)
        return false;
    int64_t *ids = tw_xmalloc((size_t)m.devices * sizeof *ids);
    for (int64_t i = 0; i < m.devices; i++) {
        int64_t position = 0;
        for (size_t k = 0; k < m.n; k++)
            position = position * m.sizes[k] + at[k];
        ids[i] = m.ids ? ir_dense_int(m.ids, (size_t)position) : position;
        for (size_t k = m.n; k-- > 0 && ++at[order[k]] == m.sizes[order[k]];)
            at[order[k]] = 0;
    }
    int64_t shape[] = {m.devices / together, together};
    ir_type t = ir_tensor_type(ir_integer_type(op->ctx, 64, IR_SIGNLESS), shape, 2, NULL);
    ir_op_set_attr(op, "replica_groups", ir_dense_i64(t, ids, (size_t)m.devices));
    free(ids);
    rw_modified(rw, op);
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool run(ir_op *module, pass_run *run)
{
    tw_str target = pass_option_str(run, "target");
    char text[32];
    int version[3];
    snprintf(text, sizeof text, "%.*s", (int)TW_MIN(target.size, sizeof text - 1),
             target.data);
    if (sscanf(text, "%d.%d.%d", &version[0], &version[1], &version[2]) != 3)
        return ir_op_error(module, "expects a target version of the form #.#.#, got '%s'",
                           text);
    rw_pattern patterns[4];
    size_t n = 0;
    bool before_1 = version[0] < 1;
    if (before_1 || (version[0] == 1 && version[1] < 1)) {
        patterns[n++] = (rw_pattern){STABLEHLO_OP(gather), expand_gather, NULL};
        patterns[n++] = (rw_pattern){STABLEHLO_OP(scatter), expand_scatter, NULL};
    }
    if (before_1 || (version[0] == 1 && version[1] < 4))
        patterns[n++] = (rw_pattern){STABLEHLO_OP(tan), expand_tan, NULL};
    if (before_1 || (version[0] == 1 && version[1] < 9))
        ir_walk_pre(module, visit_locations, NULL);
    if (before_1 || (version[0] == 1 && version[1] < 16))
        patterns[n++] = (rw_pattern){NULL, expand_groups, NULL};
    rw_greedy(module, patterns, n, &(rw_options){0});
    return true;
}

const pass_def stablehlo_compatibility_expander_pass = {
    .name = "stablehlo-compatibility-expander",
    .title = "StablehloCompatibilityExpanderPass",
    .summary = "Compatibility expander for StableHLO operations.",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"target", PASS_STRING, "",
                                  "The target version. Must be a version of the form "
                                  "#.#.#."}),
};
