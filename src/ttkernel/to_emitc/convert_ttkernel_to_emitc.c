/* convert_ttkernel_to_emitc.c: thread functions become C++ in emitc.
 *
 * Operations are converted in order, so that operands are C++ values already.  Values that
 * a loop or an if yields become variables. */
#include "mlir/builtin/builtin.h"
#include "mlir/emitc/emitc.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_accessors.h"

#include <stdlib.h>

/* ---- types --------------------------------------------------------------------------- */

ir_type e_type(ir_type t)
{
    static const struct {
        const ir_type_def *def;
        const char *text; /* an opaque name, or NULL: an integer of `width` */
        uint8_t width;
        ir_signedness sign;
    } rows[] = {
        {TTKERNEL_TYPE(cb), NULL, 32, IR_UNSIGNED},
        {TTKERNEL_TYPE(noc_addr), NULL, 64, IR_SIGNLESS},
        {TTKERNEL_TYPE(l1_addr), NULL, 32, IR_SIGNLESS},
        {TTKERNEL_TYPE(local_semaphore), NULL, 32, IR_SIGNLESS},
        {TTKERNEL_TYPE(DataFormat), "DataFormat", 0, 0},
        {TTKERNEL_TYPE(PageMapping), "PageMapping", 0, 0},
        {TTKERNEL_TYPE(TensorAccessor), "TensorAccessor", 0, 0},
        {TTKERNEL_TYPE(TensorAccessorArgs), "TensorAccessorArgs", 0, 0},
        {TTKERNEL_TYPE(fabric_connection_manager), "experimental::FabricConnectionManager",
         0, 0},
    };
    ir_context *ctx = t->ctx;
    if (t->kind == IR_TYPE_INDEX)
        return ir_dialect_type(ctx, EMITC_TYPE(size_t), NULL, 0);
    if (ir_type_is_float(t, IR_BF16))
        return ir_float_type(ctx, IR_F32);
    if (ir_type_is_float(t, IR_F16)) /* its bits */
        return ir_integer_type(ctx, 16, IR_UNSIGNED);
    if (t->kind != IR_TYPE_DIALECT)
        return t;
    if (t->def == TTKERNEL_TYPE(l1_addr_ptr)) {
        int64_t width = t->params[0] ? t->params[0]->value : 32;
        return emitc_ptr_type(emitc_opaque_type(ctx, width == 8    ? "tt_l1_ptr uint8_t"
                                                     : width == 16 ? "tt_l1_ptr uint16_t"
                                                                   : "tt_l1_ptr uint32_t"));
    }
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == t->def)
            return rows[i].text ? emitc_opaque_type(ctx, rows[i].text)
                                : ir_integer_type(ctx, rows[i].width, rows[i].sign);
    return t;
}

/* ---- variables ----------------------------------------------------------------------- */

static ir_value *variable(ir_builder *b, ir_type type)
{
    ir_attr param = ir_type_attr(type), empty = ir_string_attr(b->ctx, TW_STR(""));
    return ir_build1(
        b, EMITC_OP(variable), ir_dialect_type(b->ctx, EMITC_TYPE(lvalue), &param, 1), NULL,
        0, IR_ATTRS({"value", ir_dialect_attr(b->ctx, EMITC_ATTR(opaque), &empty, 1)}));
}

static void assign(ir_builder *b, ir_value *to, ir_value *value)
{
    ir_build_op(b, EMITC_OP(assign), NULL, 0, (ir_value *[]){to, value}, 2, NULL, 0, 0);
}

static ir_value *load(ir_builder *b, ir_value *from)
{
    return ir_build1(b, EMITC_OP(load), from->type->params[0]->type, &from, 1, NULL, 0);
}

static ir_value **variables_for(ir_builder *b, const ir_op *op)
{
    ir_value **made = tw_xmalloc((op->n_results + 1) * sizeof *made);
    for (uint32_t i = 0; i < op->n_results; i++)
        made[i] = variable(b, e_type(op->results[i].type));
    return made;
}

static void load_results(ir_op *op, ir_value *const *variables)
{
    ir_builder b = ir_builder_after(op);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (op->results[i].uses)
            ir_value_replace_uses(&op->results[i], load(&b, variables[i]));
}

/* scf.yield at the end of a region: its values go to the variables. */
static void end_region(ir_block *block, ir_value *const *variables)
{
    ir_op *yield = block->last;
    ir_builder b = ir_builder_before(yield);
    for (uint32_t i = 0; i < yield->n_operands; i++)
        assign(&b, variables[i], yield->operands[i].value);
    ir_build_op(&b, EMITC_OP(yield), NULL, 0, NULL, 0, NULL, 0, 0);
    ir_op_erase(yield);
}

/* ---- control ------------------------------------------------------------------------- */

static void convert_block(ir_block *block, e_state *s);

static void convert_for(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    ir_block *body = ir_op_body(op, 0);
    ir_value **variables = variables_for(&b, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        assign(&b, variables[i], op->operands[i + 3].value);
    ir_value *bounds[3];
    for (uint32_t i = 0; i < 3; i++)
        bounds[i] = op->operands[i].value;
    ir_op *loop = ir_build_op(&b, EMITC_OP(for), NULL, 0, bounds, 3, NULL, 0, 1);
    body->args[0]->type = bounds[0]->type;
    ir_builder in = ir_builder_at_start(op->ctx, body, op->loc);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (body->args[i + 1]->uses)
            ir_value_replace_uses(body->args[i + 1], load(&in, variables[i]));
    for (uint32_t i = op->n_results; i > 0; i--)
        ir_block_erase_arg(body, i);
    convert_block(body, s);
    end_region(body, variables);
    ir_region_take(&loop->regions[0], &op->regions[0]);
    load_results(op, variables);
    ir_op_erase(op);
    free(variables);
}

static void convert_if(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    ir_value **variables = variables_for(&b, op);
    ir_value *condition = op->operands[0].value;
    ir_op *branch = ir_build_op(&b, EMITC_OP(if), NULL, 0, &condition, 1, NULL, 0, 2);
    for (uint16_t r = 0; r < 2; r++)
        if (ir_op_body(op, r)) {
            convert_block(ir_op_body(op, r), s);
            end_region(ir_op_body(op, r), variables);
            ir_region_take(&branch->regions[r], &op->regions[r]);
        }
    load_results(op, variables);
    ir_op_erase(op);
    free(variables);
}

/* for (;;) { check; if (!condition) break; body }: both blocks move to where the loop is.
 */
static void convert_while(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    ir_block *check = ir_op_body(op, 0), *body = ir_op_body(op, 1);
    ir_value **state = tw_xmalloc((op->n_operands + 1) * sizeof *state);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        state[i] = variable(&b, e_type(op->operands[i].value->type));
        assign(&b, state[i], op->operands[i].value);
    }
    ir_value **carried = variables_for(&b, op);
    e_statement(&b, "for (;;) {", NULL, 0);
    for (uint32_t i = 0; i < check->n_args; i++)
        if (check->args[i]->uses)
            ir_value_replace_uses(check->args[i], load(&b, state[i]));
    convert_block(check, s);
    ir_op *condition = check->last;
    ir_builder in = ir_builder_before(condition);
    for (uint32_t i = 0; i < op->n_results && !s->failed; i++)
        assign(&in, carried[i], condition->operands[i + 1].value);
    ir_value *go_on = condition->operands[0].value;
    e_statement(&in, "if (!({})) break;", &go_on, 1);
    for (uint32_t i = 0; i < body->n_args && !s->failed; i++)
        if (body->args[i]->uses)
            ir_value_replace_uses(body->args[i], load(&in, carried[i]));
    ir_op_erase(condition);
    convert_block(body, s);
    ir_op *yield = body->last;
    in = ir_builder_before(yield);
    for (uint32_t i = 0; i < yield->n_operands && !s->failed; i++)
        assign(&in, state[i], yield->operands[i].value);
    e_statement(&in, "}", NULL, 0);
    ir_op_erase(yield);
    if (check->first)
        ir_block_splice(op->block, op, check, check->first, check->last);
    if (body->first)
        ir_block_splice(op->block, op, body, body->first, body->last);
    load_results(op, carried);
    ir_op_erase(op);
    free(state);
    free(carried);
}

/* Memory of one number is a variable, of more an array. */
static ir_value *local_memory(ir_builder *b, ir_type type)
{
    ir_type element = e_type(type->element);
    if (ir_type_num_elements(type) == 1)
        return variable(b, element);
    ir_attr *shape = tw_xmalloc((type->count + 1) * sizeof *shape);
    for (size_t i = 0; i < type->count; i++)
        shape[i] = ir_raw_int(b->ctx, type->dims[i]);
    ir_attr params[] = {ir_array_attr(b->ctx, shape, type->count), ir_type_attr(element)};
    free(shape);
    ir_attr empty = ir_string_attr(b->ctx, TW_STR(""));
    return ir_build1(
        b, EMITC_OP(variable), ir_dialect_type(b->ctx, EMITC_TYPE(array), params, 2), NULL,
        0, IR_ATTRS({"value", ir_dialect_attr(b->ctx, EMITC_ATTR(opaque), &empty, 1)}));
}

/* The variable, or the array's element, that operands from `first` on name. */
static ir_value *place_in_memory(ir_builder *b, ir_op *op, uint32_t first)
{
    ir_value *memory = op->operands[first].value;
    if (memory->type->def != EMITC_TYPE(array))
        return memory;
    ir_value **operands = tw_xmalloc(op->n_operands * sizeof *operands);
    uint32_t n = 0;
    for (uint32_t i = first; i < op->n_operands; i++)
        operands[n++] = op->operands[i].value;
    ir_type lvalue =
        ir_dialect_type(b->ctx, EMITC_TYPE(lvalue), &memory->type->params[1], 1);
    ir_value *element = ir_build1(b, EMITC_OP(subscript), lvalue, operands, n, NULL, 0);
    free(operands);
    return element;
}

static bool convert_memory(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    if (op->def == MEMREF_OP(alloca) || op->def == MEMREF_OP(alloc)) {
        ir_type type = op->results[0].type;
        if (!ir_type_has_static_shape(type) || type->count > 14)
            return ir_op_error(
                op, "is unsupported in C++: only memory of known size is supported");
        ir_value_replace_uses(&op->results[0], local_memory(&b, type));
    } else if (op->def == MEMREF_OP(load)) {
        ir_value_replace_uses(&op->results[0], load(&b, place_in_memory(&b, op, 0)));
    } else if (op->def == MEMREF_OP(store)) {
        assign(&b, place_in_memory(&b, op, 1), op->operands[0].value);
    } else if (op->def != MEMREF_OP(dealloc)) {
        e_refuse(op, s);
        return false;
    }
    ir_op_erase(op);
    return true;
}

static ir_walk find_call(ir_op *op, void *user)
{
    ir_op **found = user;
    if (op->def != FUNC_OP(call))
        return IR_WALK_ON;
    *found = op;
    return IR_WALK_STOP;
}

/* Calls are unfolded, as the device runs them; what calls itself is given up on at some
 * size. */
static bool unfold_calls(ir_op *func)
{
    enum { MAX_CALLS = 10000 };
    for (int left = MAX_CALLS;; left--) {
        ir_op *call = NULL;
        ir_walk_pre(func, find_call, &call);
        if (!call)
            return true;
        ir_op *callee = ir_symbol_resolve(call, ir_op_attr(call, "callee"));
        ir_block *body = callee ? ir_op_body(callee, 0) : NULL;
        if (!body || body->next || body->n_args != call->n_operands || !left)
            return ir_op_error(call, left ? "calls a function that is not there, or has "
                                            "several blocks"
                                          : "calls too many functions, or itself");
        ir_mapping *map = ir_mapping_create();
        for (uint32_t i = 0; i < body->n_args; i++)
            ir_mapping_set(map, body->args[i], call->operands[i].value);
        for (ir_op *op = body->first; op != body->last; op = op->next)
            ir_op_insert_before(ir_op_clone(op, map), call);
        for (uint32_t i = 0; i < call->n_results; i++) {
            ir_value *v = body->last->operands[i].value, *to = ir_mapping_get(map, v);
            ir_value_replace_uses(&call->results[i], to ? to : v);
        }
        ir_mapping_free(map);
        ir_op_erase(call);
    }
}

/* What convert-sfpi-to-emitc has made of the region, as a function that is called at once.
 */
static void convert_vector_code(ir_op *op, e_state *s)
{
    ir_builder b = ir_builder_before(op);
    ir_block *body = ir_op_body(op, 0);
    e_statement(&b, "experimental::invoke_sfpi([=]() {", NULL, 0);
    if (body && body->first) {
        convert_block(body, s);
        ir_block_splice(op->block, op, body, body->first, body->last);
    }
    e_statement(&b, "});", NULL, 0);
    ir_op_erase(op);
}

static void convert_op(ir_op *op, e_state *s)
{
    if (op->def == TTKERNEL_OP(invoke_sfpi)) {
        convert_vector_code(op, s);
        return;
    }
    if (s->objects && (e_convert_object(op, s) || s->failed))
        return;
    if (e_convert_transfer(op, s) || s->failed || e_convert_kernel(op, s) || s->failed ||
        e_convert_arith(op, s) || s->failed)
        return;
    if (op->def == SCF_OP(for)) {
        convert_for(op, s);
    } else if (op->def == SCF_OP(if)) {
        convert_if(op, s);
    } else if (op->def == SCF_OP(while)) {
        convert_while(op, s);
    } else if (strncmp(op->def->name, "memref.", 7) == 0) {
        s->failed |= !convert_memory(op, s);
    } else if (op->def == BUILTIN_OP(unrealized_conversion_cast) && op->n_results == 1 &&
               op->n_operands == 1) {
        ir_value_replace_uses(&op->results[0], op->operands[0].value);
        ir_op_erase(op);
    } else if (strncmp(op->def->name, "emitc.", 6) != 0 && op->def != SCF_OP(yield) &&
               op->def != SCF_OP(condition) && op->def != FUNC_OP(return )) {
        e_refuse(op, s);
    }
}

static void convert_block(ir_block *block, e_state *s)
{
    for (ir_op *op = block->first, *next; op && !s->failed; op = next) {
        next = op->next;
        convert_op(op, s);
    }
}

/* ---- the pass ------------------------------------------------------------------------ */

static bool is_thread(const ir_op *op)
{
    return op->def == FUNC_OP(func) && ir_op_attr(op, "ttkernel.thread");
}

static bool convert_function(ir_op *func, e_state s)
{
    ir_block *entry = ir_op_body(func, 0);
    s.func = func;
    if (!entry)
        return true;
    if (entry->next)
        return ir_op_error(func, "has branches; C++ is made of structured control flow");
    if (!unfold_calls(func))
        return false;
    for (uint32_t i = 0; i < entry->n_args; i++)
        entry->args[i]->type = e_type(entry->args[i]->type);
    e_note_operands(&s);
    if (s.readable) {
        s.named = ir_mapping_create();
        e_name_arguments(&s);
        ir_op_set_attr(func, "emitc.readable", ir_unit_attr(func->ctx));
    }
    convert_block(entry, &s);
    free(s.buffers);
    if (s.named)
        ir_mapping_free(s.named);
    ir_type old = ir_op_attr(func, "function_type")->type;
    size_t n = entry->n_args, results = old->results;
    ir_type *types = tw_xmalloc((n + results + 1) * sizeof *types);
    for (size_t i = 0; i < n; i++)
        types[i] = entry->args[i]->type;
    for (size_t i = 0; i < results; i++)
        types[n + i] = e_type(ir_function_results(old)[i]);
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, n, types + n, results)));
    free(types);
    return !s.failed;
}

typedef struct all {
    e_state start; /* of each function */
    bool ok;
} all;

static ir_walk visit(ir_op *op, void *user)
{
    all *a = user;
    if (!is_thread(op))
        return IR_WALK_ON;
    a->ok &= convert_function(op, a->start);
    return a->ok ? IR_WALK_SKIP : IR_WALK_STOP;
}

/* Hardware does not look at indices. */
static ir_walk drop_check(ir_op *op, void *user)
{
    (void)user;
    if (strcmp(op->def->name, "ttl.check_index") == 0)
        ir_op_erase(op);
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    if (!ttkernel_lower_tensor_accessors(op))
        return false;
    ir_walk_post(op, drop_check, NULL);
    all a = {{.objects = !pass_option_bool(run, "functions"),
              .readable = pass_option_bool(run, "readable"),
              .buffer_names = pass_option_str(run, "buffer-names"),
              .tensor_names = pass_option_str(run, "tensor-names")},
             true};
    ir_walk_pre(op, visit, &a);
    return a.ok;
}

const pass_def convert_ttkernel_to_emitc_pass = {
    .name = "convert-ttkernel-to-emitc",
    .title = "ConvertTTKernelToEmitC",
    .summary = "Convert TTKernel dialect to EmitC dialect",
    .run = run,
    .options =
        IR_LIST(pass_option_def,
                {"functions", PASS_BOOL, "false",
                 "Call the kernel API's functions, as older releases have them, and "
                 "not its objects."},
                {"readable", PASS_BOOL, "false",
                 "For a person: named constants for compile-time arguments; the C++ has "
                 "constants and arithmetic in place, and the user's lines as comments."},
                {"buffer-names", PASS_STRING, "",
                 "Names of the circular buffers by number, with commas between "
                 "(readable)."},
                {"tensor-names", PASS_STRING, "",
                 "Names of the tensors by number, with commas between (readable)."}),
};
