/* assign.c: see assign.h. */
#include "mpmd/assign.h"

#include "mlir/func/func.h"

/* ---- options ------------------------------------------------------------------------ */

static tw_str trim(tw_str s)
{
    while (s.size && *s.data == ' ')
        s = (tw_str){s.data + 1, s.size - 1};
    while (s.size && s.data[s.size - 1] == ' ')
        s.size--;
    return s;
}

/* The text before the character, and in `rest` the text after it. All if it is absent. */
static tw_str cut(tw_str s, char at, tw_str *rest)
{
    const char *found = s.size ? memchr(s.data, at, s.size) : NULL;
    size_t n = found ? (size_t)(found - s.data) : s.size;
    *rest = found ? (tw_str){found + 1, s.size - n - 1} : (tw_str){0};
    return (tw_str){s.data, n};
}

static bool read_number(tw_str s, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        *out = *out * 10 + (s.data[i] - '0');
    }
    return s.size > 0 && s.size < 10;
}

bool mpmd_parse_assignments(ir_context *ctx, tw_str text, mpmd_assignments *out)
{
    while (text.size) {
        tw_str target, stage, kind, entry = trim(cut(text, ',', &text));
        tw_str name = cut(entry, '@', &target);
        mpmd_assignment a = {.name = name, .stage = -1};
        if (name.size == entry.size)
            return ir_error(
                ctx, IR_LOC_UNKNOWN,
                "Assignment must contain '@' denoting a name assigned to a mesh "
                "(and stage), got: %.*s",
                (int)entry.size, entry.data);
        tw_str mesh = cut(target, '/', &stage);
        if (mesh.size < target.size && !read_number(stage, &a.stage)) {
            mesh = target; /* as in "m/cpu" */
            a.stage = -1;
            if (!stage.size)
                return ir_error(ctx, IR_LOC_UNKNOWN, "Failed to parse stage number: %.*s",
                                (int)stage.size, stage.data);
        }
        mesh = cut(mesh, '#', &kind);
        a.mesh = ir_string_attr(ctx, mesh);
        a.memory_kind = kind.size ? ir_string_attr(ctx, kind) : NULL;
        TW_PUSH(out->at, out->n, out->capacity, a);
    }
    return true;
}

const mpmd_assignment *mpmd_assignment_of(const mpmd_assignments *all, ir_attr name)
{
    for (size_t i = all->n; i-- > 0;) /* the last entry takes precedence */
        if (tw_str_equal(all->at[i].name, ir_attr_str(name)))
            return &all->at[i];
    return NULL;
}

bool mpmd_parse_constraints(ir_op *func, tw_str text, mpmd_constraint **out, size_t *n)
{
    size_t capacity = 0;
    ir_type type = ir_op_attr(func, "function_type")->type;
    *out = NULL;
    *n = 0;
    while (text.size) {
        tw_str right, entry = trim(cut(text, ',', &text)), left = cut(entry, ':', &right);
        int64_t input, output;
        if (!read_number(left, &input))
            return ir_error_at_op(func, "Failed to parse input index: %.*s", (int)left.size,
                                  left.data);
        if (!read_number(right, &output))
            return ir_error_at_op(func, "Failed to parse output index: %.*s",
                                  (int)right.size, right.data);
        if (input >= type->count || output >= type->results)
            return ir_error_at_op(func,
                                  "constraint %lld:%lld is of an input or output that the "
                                  "function does not have",
                                  (long long)input, (long long)output);
        mpmd_constraint made = {(uint32_t)input, (uint32_t)output};
        TW_PUSH(*out, *n, capacity, made);
    }
    return true;
}

/* ---- operations --------------------------------------------------------------------- */

ir_value *mpmd_build_assign(ir_builder *b, ir_value *v, ir_type type, ir_attr origin)
{
    return ir_build1(b, MPMD_OP(assign), type, IR_VALUES(v), IR_ATTRS({"origin", origin}));
}

ir_value *mpmd_build_unassign(ir_builder *b, ir_value *v, ir_attr origin)
{
    return ir_build1(b, MPMD_OP(unassign), v->type->params[MPMD_TYPE_TENSOR]->type,
                     IR_VALUES(v), IR_ATTRS({"origin", origin}));
}

static ir_type on_mesh(ir_type type, ir_attr mesh)
{
    return ir_type_is_tensor(type) ? mpmd_tensor_on(mesh, type, NULL) : type;
}

ir_op *mpmd_wrap(ir_builder *b, ir_op *op, ir_attr mesh, const char *who,
                 mpmd_values *results)
{
    mpmd_values read = mpmd_outer_values(op), operands = {.n = 0}, made = {.n = 0};
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < read.n; i++) {
        ir_type type = read.at[i]->type;
        mpmd_push(&operands,
                  ir_type_is_tensor(type)
                      ? mpmd_build_assign(b, read.at[i], on_mesh(type, mesh), NULL)
                      : read.at[i]);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = on_mesh(op->results[i].type, mesh);
    ir_op *fragment = mpmd_build_fragment(b, mesh, types, op->n_results, &operands, who);
    ir_block *body = mpmd_add_body(fragment);
    for (size_t i = 0; i < read.n; i++)
        ir_mapping_set(map, read.at[i], body->args[i]);
    ir_op *copy = ir_op_clone(op, map);
    ir_block_append(body, copy);
    for (uint32_t i = 0; i < op->n_results; i++) {
        mpmd_push(&made, &copy->results[i]);
        if (results)
            mpmd_push(results, ir_type_is_tensor(op->results[i].type)
                                   ? mpmd_build_unassign(b, &fragment->results[i], NULL)
                                   : &fragment->results[i]);
    }
    ir_builder inner = ir_builder_at_end(b->ctx, body, op->loc);
    ir_build_op(&inner, MPMD_OP(return ), NULL, 0, made.at, made.n, NULL, 0, 0);
    ir_mapping_free(map);
    free(read.at);
    free(operands.at);
    free(made.at);
    free(types);
    return fragment;
}

ir_op_list mpmd_cross_assigns(const ir_op *unassign)
{
    ir_attr own = unassign->operands[0].value->type->params[MPMD_TYPE_MESH];
    ir_op_list list = mpmd_users(unassign);
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i]->def == MPMD_OP(assign) &&
            list.at[i]->results[0].type->params[MPMD_TYPE_MESH] != own)
            list.at[n++] = list.at[i];
    list.n = n;
    return list;
}

void mpmd_chain_transfers(rw_rewriter *rw, const ir_op_list *assigns, ir_value *from)
{
    ir_op **sorted = tw_xmalloc((assigns->n + 1) * sizeof *sorted);
    ir_builder b = rw->b;
    b.before = mpmd_first(assigns);
    b.block = b.before->block;
    for (size_t i = 0; i < assigns->n; i++) { /* sorted by mesh; stable within a mesh */
        tw_str mesh = mpmd_mesh_of(assigns->at[i]->results[0].type);
        size_t at = i;
        for (; at > 0 &&
               mpmd_mesh_before(mesh, mpmd_mesh_of(sorted[at - 1]->results[0].type));
             at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = assigns->at[i];
    }
    ir_op *anchor = b.before; /* erased after the last assignment has its transfer */
    ir_value **values = tw_xmalloc((assigns->n + 1) * sizeof *values);
    for (size_t i = 0; i < assigns->n; i++) {
        ir_type type = sorted[i]->results[0].type;
        b.before = anchor;
        b.loc = sorted[i]->loc;
        if (type != from->type)
            from = ir_build1(&b, MPMD_OP(transfer), type, IR_VALUES(from), NULL, 0);
        values[i] = from;
    }
    for (size_t i = 0; i < assigns->n; i++)
        rw_replace1(rw, sorted[i], values[i]);
    free(values);
    free(sorted);
}

ir_loc mpmd_result_loc(const ir_op *func, uint32_t i, const ir_value *v)
{
    ir_attr info = func_result_attr(func, i, "jax.result_info");
    return ir_attr_is(info, IR_ATTR_STRING)
               ? ir_loc_name(func->ctx, info->ident, IR_LOC_UNKNOWN)
               : ir_value_loc(v);
}
