/* one_step.c: the plan of a call: a function of one operation, whose arguments are the
 * call's tensors. */
#include "ir/text.h"
#include "mlir/func/func.h"
#include "runtime/eager/eager_impl.h"
#include "support/blockfloat.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"
#include "ttnn/results.h"
#include "ttnn/ttnn.h"

#include <stdio.h>
#include <stdlib.h>

/* A call on its way to a plan. */
typedef struct draft {
    ir_context *ctx;
    tw_strbuf *say;
    const eager_function *f;
    const eager_candidate *c;
    const tw_value *arguments;
    const tw_tensor *first, *last; /* tensors among the operands */
    int first_at;                  /* the parameter of the first one */
    int rank;                      /* the highest */
    ir_op *module, *func, *op;
    ir_block *body;
    ir_attr attrs[TW_EAGER_MAX_PARAMETERS + 8];
    ir_type types[TW_EAGER_MAX_RESULTS];
    eager_plan *out;
} draft;

static const tw_value *argument(const draft *d, const eager_source *s)
{
    return &d->arguments[s->parameter];
}

/* ---- choosing the operation ---------------------------------------------------------- */

static bool is_tensors(const tw_value *v)
{
    if (v->kind != TW_VALUE_LIST)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (v->items[i].kind != TW_VALUE_TENSOR)
            return false;
    return true;
}

static tw_status check_operand(const draft *d, const eager_source *s)
{
    const ir_operand_def *o = &d->c->def->operands.at[s->index];
    const tw_value *v = argument(d, s);
    if (o->arity == IR_VARIADIC)
        return is_tensors(v) ? TW_SUCCESS
                             : eager_wrong(d->f, s->parameter, v, "a list of tensors");
    if (v->kind == TW_VALUE_TENSOR || (o->arity == IR_OPTIONAL && eager_is_absent(v)) ||
        (d->f->scalars[s->parameter] && eager_is_number(v)))
        return TW_SUCCESS;
    return eager_wrong(d->f, s->parameter, v,
                       d->f->scalars[s->parameter] ? "a tensor or a number" : "a tensor");
}

static tw_status check_literal(const draft *d, const eager_source *s)
{
    char expected[96];
    const tw_value *v = argument(d, s);
    if (eager_is_literal(s->literal, v) ||
        (d->f->n_candidates == 1 && eager_is_hint(d->f->parameters[s->parameter].name)))
        return TW_SUCCESS;
    snprintf(expected, sizeof expected, "%s, the only value that is implemented",
             s->literal);
    return eager_wrong(d->f, s->parameter, v, expected);
}

static tw_status check_kind(const draft *d, const eager_source *s)
{
    static const struct {
        tw_value_kind kind;
        const char *text;
    } kinds[] = {
        [EAGER_DEVICE] = {TW_VALUE_DEVICE, "a device"},
        [EAGER_DTYPE] = {TW_VALUE_DTYPE, "a data type, such as ttnn.bfloat16"},
        [EAGER_LAYOUT] = {TW_VALUE_LAYOUT, "a layout, such as ttnn.TILE_LAYOUT"},
        [EAGER_PLACEMENT] = {TW_VALUE_PLACEMENT,
                             "a memory config, such as ttnn.DRAM_MEMORY_CONFIG"},
    };
    const tw_value *v = argument(d, s);
    return eager_is_absent(v) || v->kind == kinds[s->use].kind
               ? TW_SUCCESS
               : eager_wrong(d->f, s->parameter, v, kinds[s->use].text);
}

/* True in *out_named if the arguments are those of the candidate. */
static tw_status check_candidate(const draft *d)
{
    bool given[TW_EAGER_MAX_PARAMETERS] = {false};
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const eager_source *s = &d->c->sources[i];
        given[s->parameter] = true;
        switch (s->use) {
        case EAGER_OPERAND:
            TW_TRY(check_operand(d, s));
            break;
        case EAGER_LITERAL:
            TW_TRY(check_literal(d, s));
            break;
        case EAGER_ATTR:
        case EAGER_EITHER:
            break;
        default:
            TW_TRY(check_kind(d, s));
        }
    }
    for (size_t i = 0; i < d->f->row.n_parameters; i++)
        if (!given[i] && !eager_is_absent(&d->arguments[i]))
            return eager_wrong(d->f, i, &d->arguments[i], "nothing with these arguments");
    return TW_SUCCESS;
}

/* ---- attributes ---------------------------------------------------------------------- */

static ir_attr repeated(const draft *d, int64_t value)
{
    int64_t items[TW_TENSOR_MAX_RANK];
    for (int i = 0; i < TW_TENSOR_MAX_RANK; i++)
        items[i] = value;
    return ir_i32_array_attr(d->ctx, items, d->first ? (size_t)d->first->rank : 0);
}

/* The last size of the operand's tensor, or NULL. */
static ir_attr last_size(const draft *d, const char *operand)
{
    const size_t index = ir_op_operand_index(d->c->def, operand);
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const eager_source *s = &d->c->sources[i];
        const tw_value *v = argument(d, s);
        if (s->use == EAGER_OPERAND && s->index == index && v->kind == TW_VALUE_TENSOR &&
            v->tensor->rank)
            return ir_i64_attr(d->ctx, v->tensor->dims[v->tensor->rank - 1]);
    }
    return NULL;
}

static ir_attr default_attr(const draft *d, const ir_attr_use *use)
{
    const char *text = eager_default(d->c->def, use->name);
    if (use->optional || use->deflt)
        return NULL;
    if (!text)
        return strcmp(use->type->name, "BoolAttr") == 0 ? ir_bool_attr(d->ctx, false)
                                                        : NULL;
    if (strcmp(text, "ones") == 0 || strcmp(text, "zeros") == 0)
        return repeated(d, *text == 'o');
    if (strncmp(text, "dim ", 4) == 0 && d->first)
        return ir_i32_attr(d->ctx, d->first->dims[text[4] - '0']);
    if (strncmp(text, "last of ", 8) == 0)
        return last_size(d, text + 8);
    return ir_parse_attr(d->ctx, tw_str_from(text));
}

/* Top, left, bottom, right of paddings that are given as top, bottom, left, right. */
static ir_attr reordered_edges(ir_attr a)
{
    int64_t v[4];
    if (!ir_attr_is(a, IR_ATTR_DENSE_ARRAY) || ir_attr_ints(a, v, 4) != 4)
        return a;
    return ir_dense_i32_array(a->ctx, (const int64_t[]){v[0], v[2], v[1], v[3]}, 4);
}

/* Bounds of a slice that count from the end, counted from the front. */
static void count_from_front(draft *d, const char *name)
{
    int64_t v[TW_TENSOR_MAX_RANK];
    const size_t slot = ir_def_prop_index(d->c->def, tw_str_from(name));
    const int64_t n = ir_attr_ints(d->attrs[slot], v, TW_TENSOR_MAX_RANK);
    if (n != d->first->rank)
        return;
    for (int64_t i = 0; i < n; i++)
        v[i] += v[i] < 0 ? d->first->dims[i] : 0;
    d->attrs[slot] = ir_i32_array_attr(d->ctx, v, (size_t)n);
}

static tw_status fill_attrs(draft *d)
{
    const ir_op_def *def = d->c->def;
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const eager_source *s = &d->c->sources[i];
        const bool either = s->use == EAGER_EITHER;
        if (s->use != EAGER_ATTR && !either)
            continue;
        const size_t index = either ? s->other : s->index;
        const tw_value *v = argument(d, s);
        tw_value size = {.kind = TW_VALUE_INT};
        if (either && v->kind == TW_VALUE_TENSOR) { /* its last size is the attribute */
            size.i = v->tensor->rank ? v->tensor->dims[v->tensor->rank - 1] : 1;
            v = &size;
        }
        TW_TRY(eager_attr(d->ctx, d->f, s->parameter, &def->attrs.at[index], v,
                          &d->attrs[index]));
        if (s->edges)
            d->attrs[index] = reordered_edges(d->attrs[index]);
    }
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        if (!d->attrs[i])
            d->attrs[i] = default_attr(d, use);
        if (d->attrs[i] || use->optional || use->deflt)
            continue;
        for (size_t k = 0; k < d->c->n_sources; k++)
            if (d->c->sources[k].use == EAGER_ATTR && d->c->sources[k].index == i)
                return eager_wrong(d->f, d->c->sources[k].parameter,
                                   argument(d, &d->c->sources[k]), use->type->text);
        return tw_error(TW_UNSUPPORTED, "%s: it does not say the operation's '%s'",
                        d->f->row.name, use->name);
    }
    if (def == TTNN_OP(slice_static)) {
        count_from_front(d, "begins");
        count_from_front(d, "ends");
    }
    return TW_SUCCESS;
}

/* ---- types --------------------------------------------------------------------------- */

static int64_t memory_of(const tw_placement *p)
{
    static const int64_t memories[] = {
        [TW_INTERLEAVED] = TTNN_TensorMemoryLayout_Interleaved,
        [TW_HEIGHT_SHARDED] = TTNN_TensorMemoryLayout_HeightSharded,
        [TW_WIDTH_SHARDED] = TTNN_TensorMemoryLayout_WidthSharded,
        [TW_BLOCK_SHARDED] = TTNN_TensorMemoryLayout_BlockSharded,
    };
    return memories[p->sharding];
}

/* The shards' grid and cores; false if the shard has no size or there are too many cores.
 */
static bool place_shards(ir_context *ctx, const tw_placement *p, const int64_t *dims,
                         int rank, ttnn_layout *l)
{
    enum { MAX_RANGES = 64 };
    int64_t rects[MAX_RANGES][4], rows = 1;
    const int64_t columns = rank ? dims[rank - 1] : 1;
    for (int i = 0; i + 1 < rank; i++)
        rows *= l->tiled && i + 2 == rank ? tnb_round_up(dims[i], TTNN_TILE) : dims[i];
    if (p->shard[0] < 1 || p->shard[1] < 1 || p->n_cores > MAX_RANGES || !p->n_cores)
        return false;
    for (size_t i = 0; i < p->n_cores; i++) {
        const tw_cores *c = &p->cores[i];
        memcpy(rects[i], (int64_t[]){c->x0, c->y0, c->x1, c->y1}, sizeof rects[i]);
    }
    l->grid[0] = TW_MAX((rows + p->shard[0] - 1) / p->shard[0], 1);
    l->grid[1] = TW_MAX((columns + p->shard[1] - 1) / p->shard[1], 1);
    l->cores = ttnn_core_ranges(ctx, (const int64_t(*)[4])rects, p->n_cores);
    return true;
}

static tw_status tensor_type(draft *d, const char *what, tw_dtype dtype, bool tiled,
                             const tw_placement *p, const int64_t *dims, int rank,
                             ir_type *out)
{
    ttnn_layout l =
        p->space == TW_ON_HOST ? ttnn_layout_host(dtype) : ttnn_layout_dram(dtype);
    l.tiled = tiled;
    if (tw_dtype_is_block(dtype) && !tiled)
        return tw_error(TW_INVALID,
                        "%s: %s: expected tiles for %s, whose elements share exponents, "
                        "found rows; use layout=ttnn.TILE_LAYOUT",
                        d->f->row.name, what, tw_dtype_name(dtype));
    if (p->space == TW_IN_L1)
        l.buffer = TTNN_BufferType_L1;
    if (p->space != TW_ON_HOST)
        l.memory = memory_of(p);
    if (p->space != TW_ON_HOST && p->sharding != TW_INTERLEAVED &&
        !place_shards(d->ctx, p, dims, rank, &l))
        return tw_error(
            TW_INVALID,
            "%s: %s: expected a shard spec with a shape and cores for a sharded "
            "memory config, found none",
            d->f->row.name, what);
    ir_type plain =
        ir_tensor_type(ttnn_dtype_element(d->ctx, dtype), dims, (size_t)rank, NULL);
    *out = ttnn_tensor_with(plain, &l);
    return TW_SUCCESS;
}

/* ---- operands ------------------------------------------------------------------------ */

static void find_tensors(draft *d)
{
    d->first_at = -1;
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const eager_source *s = &d->c->sources[i];
        const tw_value *v = argument(d, s);
        if (s->use != EAGER_OPERAND && s->use != EAGER_EITHER)
            continue;
        const size_t n = v->kind == TW_VALUE_LIST ? v->n : 1;
        const tw_value *items = v->kind == TW_VALUE_LIST ? v->items : v;
        for (size_t k = 0; k < n; k++) {
            if (items[k].kind != TW_VALUE_TENSOR)
                continue;
            d->last = items[k].tensor;
            d->rank = TW_MAX(d->rank, d->last->rank);
            if (!d->first) {
                d->first = d->last;
                d->first_at = s->parameter;
            }
        }
    }
}

static tw_status add_operand(draft *d, const eager_source *s, int item, const tw_value *v,
                             ir_value **out)
{
    const char *what = d->f->parameters[s->parameter].name;
    tw_tensor one = {.rank = d->rank, .tiled = d->last ? d->last->tiled : true};
    const tw_tensor *t = v->kind == TW_VALUE_TENSOR ? v->tensor : &one;
    if (t == &one) {
        one.dtype = s->is_index ? TW_U32 : d->last->dtype;
        one.rank = s->is_index ? 1 : one.rank;
        one.placement.space = d->last->placement.space;
        for (int i = 0; i < one.rank; i++)
            one.dims[i] = 1;
    }
    ir_type type;
    TW_TRY(
        tensor_type(d, what, t->dtype, t->tiled, &t->placement, t->dims, t->rank, &type));
    const eager_input input = {
        .parameter = s->parameter, .item = item, .scalar = t == &one, .dtype = t->dtype};
    TW_PUSH(d->out->inputs, d->out->n_inputs, d->out->input_capacity, input);
    *out = ir_block_add_arg(d->ctx, d->body, type, IR_LOC_UNKNOWN);
    return TW_SUCCESS;
}

static ir_value *device(draft *d)
{
    ir_builder b = ir_builder_at_start(d->ctx, d->body, IR_LOC_UNKNOWN);
    if (d->body->first)
        return ir_op_result(d->body->first, 0);
    ir_attr one[] = {ir_raw_int(d->ctx, 1), ir_raw_int(d->ctx, 1)};
    return ir_build1(
        &b, TTNN_OP(get_device), ir_dialect_type(d->ctx, TTNN_TYPE(device), NULL, 0), NULL,
        0,
        IR_ATTRS({"mesh_shape", ir_dialect_attr(d->ctx, TTNN_ATTR(mesh_shape), one, 2)}));
}

static const eager_source *source_of_group(const draft *d, size_t group)
{
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const eager_source *s = &d->c->sources[i];
        if ((s->use == EAGER_OPERAND || s->use == EAGER_EITHER) && s->index == group)
            return s;
    }
    return NULL;
}

static bool is_device_group(const ir_operand_def *o)
{
    return o->type->def && strcmp(o->type->def, "ttnn.device") == 0;
}

static tw_status fill_operands(draft *d, bool on_device, ir_value **values, size_t *n)
{
    const ir_op_def *def = d->c->def;
    for (uint32_t g = 0; g < def->operands.count; g++) {
        const ir_operand_def *o = &def->operands.at[g];
        const eager_source *s = source_of_group(d, g);
        const tw_value *v = s ? argument(d, s) : NULL;
        if (is_device_group(o)) {
            values[(*n)++] = o->arity != IR_OPTIONAL || on_device ? device(d) : NULL;
        } else if (!v || eager_is_absent(v) ||
                   (s->use == EAGER_EITHER && v->kind != TW_VALUE_TENSOR)) {
            values[(*n)++] = NULL;
        } else if (v->kind != TW_VALUE_LIST) {
            TW_TRY(add_operand(d, s, -1, v, &values[(*n)++]));
        } else {
            for (size_t i = 0; i < v->n; i++)
                TW_TRY(add_operand(d, s, (int)i, &v->items[i], &values[(*n)++]));
        }
    }
    return TW_SUCCESS;
}

/* ---- results ------------------------------------------------------------------------- */

/* The argument of that use, if it is given. */
static const tw_value *given(const draft *d, eager_use use, int *out_parameter)
{
    for (size_t i = 0; i < d->c->n_sources; i++)
        if (d->c->sources[i].use == use &&
            !eager_is_absent(argument(d, &d->c->sources[i]))) {
            if (out_parameter)
                *out_parameter = d->c->sources[i].parameter;
            return argument(d, &d->c->sources[i]);
        }
    return NULL;
}

static bool is_creation(const draft *d)
{
    return ir_def_has(d->c->def, "TTCore_CreationOpTrait");
}

static tw_dtype dtype_of_result(const draft *d, size_t i, ir_type inferred)
{
    const tw_value *v = i == 0 ? given(d, EAGER_DTYPE, NULL) : NULL;
    if (v)
        return (tw_dtype)v->i;
    for (uint32_t k = 0; k < d->c->def->attrs.count; k++)
        if (i == 0 && d->attrs[k] &&
            strcmp(d->c->def->attrs.at[k].name, "output_dtype") == 0)
            return (tw_dtype)ir_enum_value(d->attrs[k], TW_BF16);
    if (is_creation(d))
        return TW_BF16;
    return (tw_dtype)ttnn_dtype_of(inferred->element);
}

static bool is_tiled(const draft *d)
{
    const tw_value *v = given(d, EAGER_LAYOUT, NULL);
    if (v)
        return v->i;
    return !d->first || (d->first->tiled && d->c->def != TTNN_OP(argmax));
}

static bool same_shape(ir_type t, const tw_tensor *x)
{
    return (int)t->count == x->rank &&
           (x->rank == 0 ||
            memcmp(t->dims, x->dims, (size_t)x->rank * sizeof *x->dims) == 0);
}

/* Where a result lies: as an argument says, else where the first operand does. A shard's
 * shape is that of one tensor's shape only. */
static tw_placement placement_of(const draft *d, ir_type inferred, int *out_as)
{
    const tw_value *v = given(d, EAGER_PLACEMENT, out_as);
    const ir_op_def *def = d->c->def;
    if (v)
        return *v->placement;
    *out_as = -1;
    if (def == TTNN_OP(from_device))
        return (tw_placement){.space = TW_ON_HOST};
    if (def == TTNN_OP(to_device) || !d->first)
        return (tw_placement){.space = def == TTNN_OP(to_device) || def == TTNN_OP(rand) ||
                                               def == TTNN_OP(empty) ||
                                               given(d, EAGER_DEVICE, NULL)
                                           ? TW_IN_DRAM
                                           : TW_ON_HOST};
    if (inferred && d->first->placement.sharding != TW_INTERLEAVED &&
        !same_shape(inferred, d->first))
        return (tw_placement){.space = d->first->placement.space};
    if (d->first->placement.space == TW_ON_HOST && given(d, EAGER_DEVICE, NULL))
        return (tw_placement){.space = TW_IN_DRAM};
    *out_as = d->first_at;
    return d->first->placement;
}

static tw_status fill_results(draft *d, const chk_types *types)
{
    for (size_t i = 0; i < types->n; i++) {
        ir_type t = types->at[i];
        if (t->count > TW_TENSOR_MAX_RANK)
            return tw_error(TW_UNSUPPORTED, "%s: a result of rank %u; the most is %d",
                            d->f->row.name, t->count, TW_TENSOR_MAX_RANK);
        const tw_placement p = placement_of(d, t, &d->out->placed_as[i]);
        tw_tensor *r = &d->out->results[i];
        *r = (tw_tensor){.dtype = dtype_of_result(d, i, t),
                         .tiled = is_tiled(d),
                         .rank = (int)t->count,
                         .placement = p};
        if (tw_dtype_is_block(r->dtype) && !given(d, EAGER_LAYOUT, NULL))
            r->tiled = true;
        memcpy(r->dims, t->dims, t->count * sizeof *t->dims);
        TW_TRY(tensor_type(d, "result", r->dtype, r->tiled, &p, r->dims, r->rank,
                           &d->types[i]));
    }
    d->out->n_results = types->n;
    return TW_SUCCESS;
}

/* ---- building ------------------------------------------------------------------------ */

/* The collected diagnostics as an error of the function. */
static tw_status diagnosed(const draft *d)
{
    char prefix[128];
    const char *text = d->say->size ? tw_strbuf_text(d->say) : "is invalid";
    snprintf(prefix, sizeof prefix, "'%s' op ", d->c->def->name);
    if (strncmp(text, prefix, strlen(prefix)) == 0)
        text += strlen(prefix);
    tw_status status = tw_error(TW_INVALID, "%s %s", d->f->row.name, text);
    d->say->size = 0;
    return status;
}

static ir_op *make_op(draft *d, ir_value *const *values, size_t n, const ir_type *types,
                      size_t n_types)
{
    ir_attr_by_name attrs[TW_EAGER_MAX_PARAMETERS + 8];
    const ir_op_def *def = d->c->def;
    assert(def->attrs.count <= TW_COUNT(attrs));
    for (uint32_t i = 0; i < def->attrs.count; i++)
        attrs[i] = (ir_attr_by_name){def->attrs.at[i].name, d->attrs[i]};
    ir_builder b = ir_builder_at_end(d->ctx, d->body, IR_LOC_UNKNOWN);
    return ir_build_op(&b, def, types, n_types, values, n, attrs, def->attrs.count, 0);
}

/* Capacity for the operands of the call, and for its results. */
static size_t value_capacity(const draft *d)
{
    size_t n = TW_MAX(d->c->def->operands.count, TW_EAGER_MAX_RESULTS);
    for (size_t i = 0; i < d->c->n_sources; i++) {
        const tw_value *v = argument(d, &d->c->sources[i]);
        n += v && v->kind == TW_VALUE_LIST ? v->n : 0;
    }
    return n;
}

static tw_status build_in(draft *d, ir_value **values)
{
    chk_types types;
    size_t n = 0;
    int unused;
    d->module = ir_module_create(d->ctx, IR_LOC_UNKNOWN);
    ir_builder b = ir_builder_at_end(d->ctx, ir_op_body(d->module, 0), IR_LOC_UNKNOWN);
    d->func = func_create(&b, ir_string_attr(d->ctx, TW_STR("call")),
                          ir_function_type(d->ctx, NULL, 0, NULL, 0), false);
    d->body = func_add_body(d->func);
    const bool on_device = placement_of(d, NULL, &unused).space != TW_ON_HOST;
    TW_TRY(fill_operands(d, on_device, values, &n));
    TW_TRY(fill_attrs(d));
    ir_op *op = make_op(d, values, n, NULL, 0);
    const bool known = ttnn_infer_results(op, &types);
    ir_flush_diagnostics(d->ctx);
    ir_op_erase(op);
    if (!known)
        return diagnosed(d);
    if (!types.known || types.n > d->c->def->results.count ||
        (types.n < d->c->def->results.count &&
         d->c->def->results.at[types.n].arity != IR_OPTIONAL))
        return tw_error(TW_UNSUPPORTED, "%s: the types of its results are not inferred",
                        d->f->row.name);
    TW_TRY(fill_results(d, &types));
    d->op = make_op(d, values, n, d->types, types.n);
    for (size_t i = 0; i < types.n; i++)
        values[i] = ir_op_result(d->op, i);
    b = ir_builder_at_end(d->ctx, d->body, IR_LOC_UNKNOWN);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, values, types.n, NULL, 0, 0);
    func_refresh_type(d->func);
    const bool valid = ir_verify(d->module);
    ir_flush_diagnostics(d->ctx);
    return valid ? TW_SUCCESS : diagnosed(d);
}

static tw_status build(draft *d)
{
    ir_value **values = tw_xmalloc(value_capacity(d) * sizeof *values);
    tw_status status = build_in(d, values);
    free(values);
    return status;
}

static tw_status plan(draft *d, tw_threadpool *pool)
{
    eager_plan *p = d->out;
    TW_TRY(rt_plan_create_on(d->func, &(tw_compile_options){0}, pool, &p->plan));
    for (size_t i = 0; i < p->n_inputs; i++)
        if (p->inputs[i].scalar && !rt_own_memory(p->plan, p->plan->inputs[i]->buffer))
            return rt_plan_lacks(p->plan);
    return rt_plan_finalize(p->plan);
}

static tw_status try_candidate(ir_context *ctx, tw_strbuf *say, tw_threadpool *pool,
                               const eager_function *f, const eager_candidate *c,
                               const tw_value *arguments, eager_plan *out)
{
    draft d = {.ctx = ctx, .say = say, .f = f, .c = c, .arguments = arguments, .out = out};
    TW_TRY(check_candidate(&d));
    find_tensors(&d);
    if (!d.first && !is_creation(&d))
        return tw_error(TW_INVALID, "%s: expected a tensor among its operands, found none",
                        f->row.name);
    tw_status status = build(&d);
    out->module = d.module;
    if (!status)
        status = plan(&d, pool);
    return status;
}

tw_status eager_plan_create(ir_context *ctx, tw_strbuf *say, tw_threadpool *pool,
                            const eager_function *f, const tw_value *arguments,
                            eager_plan *out)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < f->n_candidates; i++) {
        *out = (eager_plan){.plan = NULL};
        tw_status_free(status);
        status = try_candidate(ctx, say, pool, f, &f->candidates[i], arguments, out);
        if (!status)
            return TW_SUCCESS;
        eager_plan_destroy(out);
    }
    return tw_status_code(status) == TW_UNSUPPORTED &&
                   strncmp(tw_status_message(status), f->row.name, strlen(f->row.name)) != 0
               ? tw_annotate(status, "%s", f->row.name)
               : status;
}

void eager_plan_destroy(eager_plan *p)
{
    rt_plan_destroy(p->plan);
    if (p->module)
        ir_op_erase(p->module);
    free(p->key);
    free(p->inputs);
    *p = (eager_plan){.plan = NULL};
}
