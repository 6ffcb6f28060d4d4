/* infer_validate.c: reports operations whose mesh sets would require a transfer, with the
 * origins of the meshes. */
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"

#define SEPARATOR "\n---------------------------------------------------\n"
#define ADD_TRANSFER                                                                       \
    "Add an explicit transfer to fix this.\nTo handle this automatically, set "
#define INFER_TRANSFERS "`mpmd_infer_transfers` in the partitioning options." SEPARATOR

typedef struct validation {
    int64_t errors, emitted, max; /* max: maximum count, -1 for all */
    ir_mapping *failed;           /* operations and function arguments already reported */
} validation;

static bool begin(validation *v, ir_op *module, pass_run *run)
{
    *v = (validation){.max = pass_option_int(run, "error-limit")};
    v->failed = ir_mapping_create();
    return v->max ||
           ir_error_at_op(module, "mesh inference validation must not be disabled: "
                                  "error-limit is 0; -1 is for all errors");
}

static bool is_enough(const validation *v)
{
    return v->errors == v->max;
}

/* ---- message texts ------------------------------------------------------------------ */

static void print_names(tw_strbuf *out, ir_attr set)
{
    tw_strbuf_puts(out, "{");
    for (uint32_t i = 0; i < mpmd_set_size(set); i++)
        tw_strbuf_printf(out, "%s%s", i ? "," : "", mpmd_set_mesh(set, i)->ident->text);
    tw_strbuf_puts(out, "}");
}

static void print_set(tw_strbuf *out, ir_attr set)
{
    for (uint32_t i = 0; set && i < set->count; i++) {
        ir_attr origins = set->items[i]->params[1];
        tw_strbuf_printf(out, "%s%s[", i ? ", " : "", mpmd_set_mesh(set, i)->ident->text);
        for (uint32_t k = 0; origins && k < origins->count; k++)
            tw_strbuf_printf(out, "%s%s", k ? "," : "",
                             origins->items[k]->params[0]->ident->text);
        tw_strbuf_puts(out, "]");
    }
}

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Prints one origin of meshes: the user's name for it, or else the location. */
static void print_origin(tw_strbuf *out, ir_context *ctx, ir_loc loc, ir_attr set,
                         const char *indent, bool input)
{
    ir_attr attr = ir_loc_attr(ctx, loc);
    bool plain = ir_attr_is(attr, IR_ATTR_LOC_NAME) &&
                 (!attr->child || ir_attr_is(attr->child, IR_ATTR_LOC_UNKNOWN));
    tw_strbuf where = {0};
    ir_attr origins = set && set->count ? set->items[0]->params[1] : NULL;
    if (plain)
        tw_strbuf_printf(&where, "\"%s\"", attr->ident->text);
    else
        tw_strbuf_puts(&where, ir_attr_text(ctx, attr));
    const char *text = tw_strbuf_text(&where);
    const char *what = contains(text, "named_computation") ? "named_computation"
                       : contains(text, "named_tensor")    ? "named_tensor"
                                                           : NULL;
    if (what && origins && origins->count)
        tw_strbuf_printf(out, "\n%s - %s \"%s\": ", indent, what,
                         origins->items[0]->params[0]->ident->text);
    else
        tw_strbuf_printf(out, "\n%s - %s %s: ", indent, input ? "Input" : "Output", text);
    print_set(out, set);
    tw_strbuf_free(&where);
}

/* ---- where meshes come from --------------------------------------------------------- */

static void push_operands(mpmd_values *open, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        mpmd_push(open, op->operands[i].value);
}

static void step_to_source(tw_strbuf *out, mpmd_values *open, ir_value *v,
                           const char *indent)
{
    ir_op *op = ir_value_def(v), *func = op ? NULL : ir_value_block(v)->region->owner;
    ir_context *ctx = v->type->ctx;
    if (op && op->def == MPMD_OP(unassign)) {
        print_origin(out, ctx, op->loc,
                     mpmd_set_union(ctx, mpmd_set_of_assign(op), mpmd_src_set(op)), indent,
                     true);
    } else if (op && mpmd_is_meshless(op)) {
        push_operands(open, op);
    } else if (op && op->def == MPMD_OP(call) && mpmd_callee(op)) {
        ir_value *inner = mpmd_returned(mpmd_callee(op), v->index);
        if (inner)
            mpmd_push(open, inner);
    } else if (func && mpmd_is_entry(func)) {
        print_origin(out, ctx, ir_value_loc(v), mpmd_io_src_set(func, v->index), indent,
                     true);
    } else if (func && mpmd_is_function(func)) {
        ir_op_list calls = mpmd_calls_of(func);
        for (size_t i = 0; i < calls.n; i++)
            mpmd_push(open, calls.at[i]->operands[v->index].value);
        ir_op_list_free(&calls);
    }
}

static void step_to_use(tw_strbuf *out, mpmd_values *open, const ir_operand *use)
{
    ir_op *user = use->owner, *callee = NULL;
    uint32_t i = (uint32_t)ir_operand_number(use);
    ir_op *func = user->def == FUNC_OP(return ) ? ir_op_parent(user) : NULL;
    if (user->def == MPMD_OP(assign)) {
        print_origin(out, user->ctx, user->loc, mpmd_set_of_assign(user), "", false);
    } else if (mpmd_is_meshless(user)) {
        for (uint32_t k = 0; k < user->n_results; k++)
            mpmd_push(open, &user->results[k]);
    } else if (func && mpmd_is_entry(func)) {
        ir_attr info = func_result_attr(func, i, "jax.result_info");
        print_origin(out, user->ctx,
                     info ? mpmd_result_loc(func, i, use->value) : user->loc, NULL, "",
                     false);
    } else if (func) {
        ir_op_list calls = mpmd_calls_of(func);
        for (size_t k = 0; k < calls.n; k++)
            mpmd_push(open, &calls.at[k]->results[i]);
        ir_op_list_free(&calls);
    } else if (user->def == MPMD_OP(call) && (callee = mpmd_callee(user))) {
        mpmd_push(open, ir_op_body(callee, 0)->args[i]);
    }
}

/* Follows the values backward or forward; empties the list. */
static void print_flow(tw_strbuf *out, mpmd_values *open, bool back, const char *indent)
{
    ir_mapping *seen = ir_mapping_create();
    while (open->n) {
        ir_value *v = open->at[--open->n];
        if (ir_mapping_get(seen, v))
            continue;
        ir_mapping_set(seen, v, v);
        if (back)
            step_to_source(out, open, v, indent);
        for (ir_operand *use = back ? NULL : v->uses; use; use = use->next_use)
            step_to_use(out, open, use);
    }
    ir_mapping_free(seen);
    free(open->at);
}

static void print_sources(tw_strbuf *out, ir_value *v, const char *indent)
{
    mpmd_values open = {.n = 0};
    mpmd_push(&open, v);
    print_flow(out, &open, true, indent);
}

static void print_uses(tw_strbuf *out, const ir_op *op, ir_value *arg)
{
    mpmd_values open = {.n = 0};
    for (uint32_t i = 0; op && i < op->n_results; i++)
        mpmd_push(&open, (ir_value *)&op->results[i]);
    if (arg)
        mpmd_push(&open, arg);
    print_flow(out, &open, false, "");
}

static tw_str call_name(const ir_op *callee)
{
    static const char prefix[] = "shardy_mpmd";
    tw_str name = ir_symbol_name(callee);
    size_t n = strlen(prefix);
    return name.size >= n && !memcmp(name.data, prefix, n)
               ? (tw_str){name.data + n, name.size - n}
               : name;
}

/* Emits the text at the function or operation. */
static void emit(validation *v, ir_op *op, tw_strbuf *text)
{
    ir_error_at_op(op, "%s", tw_strbuf_text(text));
    v->errors++;
    v->emitted++;
    tw_strbuf_free(text);
}

/* ---- operands on different meshes --------------------------------------------------- */

static bool is_first_without_source(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (mpmd_set_empty(mpmd_src_set_of(op->operands[i].value)))
            return false;
    return true;
}

static bool is_first_of_reduction(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *producer = ir_value_def(op->operands[i].value);
        if (producer && ir_op_attr(producer, MPMD_REDUCE))
            return false;
    }
    return true;
}

static void report_operands(validation *v, ir_op *op)
{
    tw_strbuf text = {0};
    ir_attr use = mpmd_use_set(op);
    tw_strbuf_puts(&text, "Mesh assignment is not possible for op as its operands are on "
                          "conflicting meshes and thus we need to transfer some of the "
                          "operands. " ADD_TRANSFER);
    tw_strbuf_puts(&text, ir_op_attr(op, MPMD_REDUCE)
                              ? "`mpmd_infer_cross_mesh_reductions` in the partitioning "
                                "options." SEPARATOR
                              : INFER_TRANSFERS);
    tw_strbuf_puts(&text, "Operands with possibly conflicting meshes:\n");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_attr set = mpmd_src_set_of(op->operands[i].value);
        tw_strbuf_printf(&text, "\n - Operand %u can be assigned to ", i);
        if (set) {
            tw_strbuf_puts(&text, "meshes ");
            print_names(&text, set);
            tw_strbuf_puts(&text, " which originates from:");
        } else {
            tw_strbuf_puts(&text, "any mesh and originates from the intersections of:");
        }
        print_sources(&text, op->operands[i].value, "  ");
    }
    tw_strbuf_puts(&text, "\n\nOp is used in");
    if (mpmd_set_size(use)) {
        tw_strbuf_puts(&text, " meshes ");
        print_names(&text, use);
        tw_strbuf_puts(&text, " which originates from the union of");
    }
    tw_strbuf_puts(&text, ":");
    print_uses(&text, op, NULL);
    emit(v, op, &text);
}

static void check_operands(validation *v, ir_op *op)
{
    ir_attr set = mpmd_src_set(op);
    bool reduction = ir_op_attr(op, MPMD_REDUCE) != NULL;
    if (set && (mpmd_set_empty(set) || reduction) &&
        (reduction ? is_first_of_reduction(op) : is_first_without_source(op)))
        report_operands(v, op);
}

static void print_calls(tw_strbuf *text, ir_op *callee, ir_attr set)
{
    ir_op_list calls = mpmd_calls_of(callee);
    tw_strbuf_printf(
        text, "\nmpmd.call was called %zu times and can be assigned to meshes: ", calls.n);
    print_names(text, set);
    tw_strbuf_puts(text, " which originates from the intersection of:");
    ir_op_list_free(&calls);
}

/* Appends the sources and uses of an argument to its error. */
static void report_argument(validation *v, ir_op *callee, uint32_t i, tw_strbuf *text)
{
    ir_value *arg = ir_op_body(callee, 0)->args[i];
    ir_attr use = mpmd_io_use_set(callee, "arg_attrs", i);
    print_calls(text, callee, mpmd_io_src_set(callee, i));
    print_sources(text, arg, "");
    tw_strbuf_puts(text, "\n\nArg is used in meshes: ");
    print_names(text, use);
    tw_strbuf_puts(text, " which originates from the union of:");
    print_uses(text, NULL, arg);
    emit(v, callee, text);
}

static void check_callee_argument(validation *v, ir_op *func, uint32_t i)
{
    ir_op_list calls = mpmd_calls_of(func);
    tw_str name = call_name(func);
    bool first = mpmd_set_empty(mpmd_io_src_set(func, i));
    for (size_t k = 0; k < calls.n; k++)
        first &= !mpmd_set_empty(mpmd_src_set_of(calls.at[k]->operands[i].value));
    ir_op_list_free(&calls);
    if (!first)
        return;
    tw_strbuf text = {0};
    tw_strbuf_printf(&text,
                     "Mesh assignment is not possible for arg%u of mpmd.call \"%.*s\" as "
                     "its caller operands are on conflicting meshes and thus we need to "
                     "transfer some of the operands. " ADD_TRANSFER INFER_TRANSFERS,
                     i, (int)name.size, name.data);
    report_argument(v, func, i, &text);
}

bool mpmd_infer_mesh_validate_src_set_not_empty(ir_op *module, pass_run *run)
{
    validation v;
    bool ok = begin(&v, module, run);
    for (ir_op *op = ir_op_body(module, 0)->first; ok && op; op = op->next) {
        if (!mpmd_is_function(op))
            continue;
        ir_op_list all = ir_ops_in_post(op, NULL);
        for (size_t i = 0; i < all.n && !is_enough(&v); i++)
            if (mpmd_is_meshless(all.at[i]))
                check_operands(&v, all.at[i]);
        ir_op_list_free(&all);
        for (uint32_t i = 0; i < ir_op_body(op, 0)->n_args && !is_enough(&v); i++)
            check_callee_argument(&v, op, i);
    }
    ir_mapping_free(v.failed);
    return ok && !v.errors;
}

/* ---- used on meshes where it is not available --------------------------------------- */

static bool is_subset(ir_attr set, ir_attr of)
{
    for (uint32_t i = 0; i < mpmd_set_size(set); i++)
        if (!mpmd_set_has(of, mpmd_set_mesh(set, i)))
            return false;
    return true;
}

/* True if a user of the value was reported; then that one was the reason. */
static bool reader_failed(const validation *v, const ir_value *value)
{
    for (ir_operand *use = value->uses; use; use = use->next_use) {
        ir_op *callee = use->owner->def == MPMD_OP(call) ? mpmd_callee(use->owner) : NULL;
        const void *what =
            callee ? (const void *)ir_op_body(callee, 0)->args[ir_operand_number(use)]
            : mpmd_is_meshless(use->owner) ? (const void *)use->owner
                                           : NULL;
        if (what && ir_mapping_get(v->failed, what))
            return true;
    }
    return false;
}

static void print_mismatch(tw_strbuf *text, ir_attr use, ir_attr src)
{
    tw_strbuf_puts(text, " as it is used in ");
    print_names(text, use);
    tw_strbuf_puts(text, " but it can only be placed on ");
    print_names(text, src);
    tw_strbuf_puts(text, " without introducing a transfer. " ADD_TRANSFER INFER_TRANSFERS);
}

static void check_op(validation *v, ir_op *op)
{
    ir_attr src = mpmd_src_set(op), use = mpmd_use_set(op);
    bool known = false;
    if (!src || is_subset(use, src))
        return;
    for (uint32_t i = 0; i < op->n_results; i++)
        known |= reader_failed(v, &op->results[i]);
    ir_mapping_set(v->failed, op, op);
    if (known) {
        v->errors++;
        return;
    }
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "Mesh assignment is not possible for op");
    print_mismatch(&text, use, src);
    tw_strbuf_puts(&text, "Can be assigned to meshes: ");
    print_names(&text, src);
    tw_strbuf_puts(&text, " which originates from the intersection of:");
    mpmd_values open = mpmd_operands(op);
    print_flow(&text, &open, true, "");
    tw_strbuf_puts(&text, "\n\nBut was used in meshes: ");
    print_names(&text, use);
    tw_strbuf_puts(&text, " which originates from the union of:");
    print_uses(&text, op, NULL);
    emit(v, op, &text);
}

static void check_argument(validation *v, ir_op *func, uint32_t i)
{
    ir_attr src = mpmd_io_src_set(func, i), use = mpmd_io_use_set(func, "arg_attrs", i);
    ir_value *arg = ir_op_body(func, 0)->args[i];
    tw_str name = call_name(func);
    if (!src || is_subset(use, src))
        return;
    ir_mapping_set(v->failed, arg, arg);
    if (reader_failed(v, arg)) {
        v->errors++;
        return;
    }
    tw_strbuf text = {0};
    tw_strbuf_printf(&text,
                     "Mesh assignment is not possible for arg%u of mpmd.call \"%.*s\"", i,
                     (int)name.size, name.data);
    print_mismatch(&text, use, src);
    report_argument(v, func, i, &text);
}

/* Results that feed calls of the same function must be on the meshes of its arguments. */
static void check_chain(validation *v, ir_op *call)
{
    ir_op *callee = mpmd_callee(call);
    tw_str name = callee ? call_name(callee) : TW_STR("");
    for (uint32_t i = 0; callee && i < call->n_results; i++)
        for (ir_operand *use = call->results[i].uses; use; use = use->next_use) {
            uint32_t arg = (uint32_t)ir_operand_number(use);
            if (use->owner->def != MPMD_OP(call) || mpmd_callee(use->owner) != callee)
                continue;
            ir_attr out = mpmd_io_use_set(callee, "res_attrs", i);
            ir_attr in = mpmd_io_use_set(callee, "arg_attrs", arg);
            if (is_subset(out, in) && is_subset(in, out))
                continue;
            tw_strbuf text = {0};
            tw_strbuf_printf(&text,
                             "Mesh assignment is not possible for mpmd.call \"%.*s\" as it "
                             "passes result %u to arg %u but they have mismatching mesh "
                             "assignments: res: {",
                             (int)name.size, name.data, i, arg);
            print_set(&text, out);
            tw_strbuf_puts(&text, "}, arg: {");
            print_set(&text, in);
            tw_strbuf_puts(&text, "}. Please reach out if you see this.");
            emit(v, callee, &text);
        }
}

/* In reverse order, each op before those nested in it. */
static void check_below(validation *v, ir_op *op)
{
    if (is_enough(v) || mpmd_is_fragment(op))
        return;
    if (op->def == MPMD_OP(assign) || mpmd_is_meshless(op))
        check_op(v, op);
    if (op->def == MPMD_OP(call) && mpmd_is_chained(op))
        check_chain(v, op);
    for (uint16_t r = op->n_regions; r-- > 0;)
        for (ir_block *b = op->regions[r].last; b; b = b->prev)
            for (ir_op *inner = b->last; inner; inner = inner->prev)
                check_below(v, inner);
}

static void check_functions(validation *v, ir_op *module, bool entry)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        if (!mpmd_is_function(op) || mpmd_is_entry(op) != entry)
            continue;
        check_below(v, op);
        for (uint32_t i = 0; i < ir_op_body(op, 0)->n_args && v->emitted != v->max; i++)
            check_argument(v, op, i);
    }
}

bool mpmd_infer_mesh_validate_no_additional_transfers_needed(ir_op *module, pass_run *run)
{
    validation v;
    bool ok = begin(&v, module, run);
    if (ok)
        check_functions(&v, module, false);
    if (ok)
        check_functions(&v, module, true);
    ir_mapping_free(v.failed);
    return ok && !v.errors;
}
