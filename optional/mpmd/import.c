/* import.c: imports the names that users assigned to meshes: of arguments and results,
 * named computations and tensors, called functions; and meshes of shardings. */
#include "mlir/func/func.h"
#include "mpmd/assign.h"
#include "mpmd/passes.h"
#include "sdy/propagation/shardings.h"

static bool is_call(const ir_op *op)
{
    return op->def == MPMD_OP(call);
}

/* ---- topologies --------------------------------------------------------------------- */

bool mpmd_copy_topology_from_main(ir_op *module, pass_run *run)
{
    (void)run;
    for (ir_op *func = ir_op_body(module, 0)->first; func; func = func->next) {
        ir_op_list calls = {.n = 0};
        if (mpmd_is_function(func))
            calls = ir_ops_in(func, is_call);
        for (size_t i = 0; i < calls.n; i++) {
            ir_op *callee = mpmd_callee(calls.at[i]);
            if (!callee)
                continue;
            ir_op_set_attr(callee, MPMD_TOPOLOGY, ir_op_attr(func, MPMD_TOPOLOGY));
            ir_op_set_attr(callee, "sym_visibility",
                           ir_string_attr(module->ctx, TW_STR("private")));
        }
        ir_op_list_free(&calls);
    }
    return true;
}

bool mpmd_enforce_input_output_equisharding(ir_op *func, pass_run *run)
{
    mpmd_constraint *all;
    size_t n;
    if (!mpmd_is_entry(func))
        return true;
    bool ok = mpmd_parse_constraints(func, pass_option_str(run, "constraints"), &all, &n);
    ir_op *end = mpmd_end(func);
    ir_builder b = ir_builder_before(end);
    for (size_t i = 0; ok && i < n; i++) {
        ir_type type = ir_op_body(func, 0)->args[all[i].input]->type;
        ir_value *v = end->operands[all[i].output].value;
        if (v->type != type)
            ir_op_set_operand(
                end, all[i].output,
                ir_build1(&b, MPMD_OP(transfer), type, IR_VALUES(v), NULL, 0));
    }
    func_refresh_type(func);
    free(all);
    return ok;
}

/* ---- arguments and results ---------------------------------------------------------- */

/* Types carry the memory kind, so the attributes are redundant. */
static void drop_memory_kinds(ir_op *func)
{
    ir_type type = ir_op_attr(func, "function_type")->type;
    for (uint32_t i = 0; i < type->count + type->results; i++) {
        bool in = i < type->count;
        uint32_t k = in ? i : i - type->count;
        if (!mpmd_is_mesh_tensor(type->types[i]) ||
            !type->types[i]->params[MPMD_TYPE_MEMORY_KIND])
            continue;
        if (in && func_arg_attr(func, k, MPMD_MEMORY_KIND))
            func_set_arg_attr(func, k, MPMD_MEMORY_KIND, NULL);
        if (!in && func_result_attr(func, k, MPMD_MEMORY_KIND))
            func_set_result_attr(func, k, MPMD_MEMORY_KIND, NULL);
    }
}

static bool index_of(ir_op *func, const mpmd_assignment *a, uint32_t n, uint32_t *out)
{
    uint64_t index = 0;
    for (size_t i = 0; i < a->name.size && i < 9; i++) {
        if (a->name.data[i] < '0' || a->name.data[i] > '9')
            return ir_error_at_op(func, "Failed to parse index: %.*s", (int)a->name.size,
                                  a->name.data);
        index = index * 10 + (uint64_t)(a->name.data[i] - '0');
    }
    *out = (uint32_t)index;
    return (a->name.size > 0 && a->name.size < 10 && index < n) ||
           ir_error_at_op(func,
                          "index %.*s of an assignment is out of bounds: there are %u",
                          (int)a->name.size, a->name.data, n);
}

static bool assign_argument(ir_op *func, const mpmd_assignment *a, ir_builder *b)
{
    ir_block *body = ir_op_body(func, 0);
    uint32_t i;
    if (!index_of(func, a, body->n_args, &i))
        return false;
    ir_value *arg = body->args[i];
    if (!ir_type_is_tensor(arg->type))
        return ir_error_at_op(func, "argument %u is no tensor that could be assigned", i);
    arg->type = mpmd_tensor_on(a->mesh, arg->type, a->memory_kind);
    b->loc = ir_value_loc(arg);
    ir_value *made =
        mpmd_build_unassign(b, arg, ir_string_attr(func->ctx, TW_STR(MPMD_ORIGIN_USER_IN)));
    ir_value_replace_uses(arg, made);
    ir_op_set_operand(ir_value_def(made), 0, arg);
    return true;
}

static bool assign_result(ir_op *func, const mpmd_assignment *a)
{
    ir_op *end = mpmd_end(func);
    ir_builder b = ir_builder_before(end);
    uint32_t i;
    if (!index_of(func, a, end->n_operands, &i))
        return false;
    ir_value *v = end->operands[i].value;
    if (!ir_type_is_tensor(v->type))
        return ir_error_at_op(func, "result %u is no tensor that could be assigned", i);
    b.loc = mpmd_result_loc(func, i, v);
    ir_op_set_operand(
        end, i,
        mpmd_build_assign(&b, v, mpmd_tensor_on(a->mesh, v->type, a->memory_kind),
                          ir_string_attr(func->ctx, TW_STR(MPMD_ORIGIN_USER_OUT))));
    return true;
}

bool mpmd_map_input_output_to_mesh(ir_op *module, pass_run *run)
{
    mpmd_assignments in = {.n = 0}, out = {.n = 0};
    ir_context *ctx = module->ctx;
    bool ok = mpmd_parse_assignments(ctx, pass_option_str(run, "input-assignment"), &in) &&
              mpmd_parse_assignments(ctx, pass_option_str(run, "output-assignment"), &out);
    for (ir_op *func = ir_op_body(module, 0)->first; ok && func; func = func->next) {
        if (!mpmd_is_entry(func))
            continue;
        ir_block *body = ir_op_body(func, 0);
        ir_builder b = ir_builder_at_start(ctx, body, func->loc);
        for (size_t i = 0; ok && i < in.n; i++)
            ok = assign_argument(func, &in.at[i], &b);
        for (size_t i = 0; ok && i < out.n; i++)
            ok = assign_result(func, &out.at[i]);
        func_refresh_type(func);
        drop_memory_kinds(func);
    }
    free(in.at);
    free(out.at);
    return ok;
}

/* ---- names -------------------------------------------------------------------------- */

static bool is_named(const ir_op *op)
{
    return op->def == MPMD_OP(named_computation) || op->def == MPMD_OP(named_tensor) ||
           op->def == MPMD_OP(broadcast) || op->def == MPMD_OP(reduce);
}

/* The user-given name. */
static ir_attr name_of(const ir_op *op)
{
    return op->def == MPMD_OP(named_tensor) ? ir_op_attr(op, "name")
                                            : ir_op_attr(op, "origin")->params[0];
}

static ir_op *enclosing_computation(ir_op *op)
{
    do
        op = ir_op_parent(op);
    while (op && op->def != MPMD_OP(named_computation));
    return op;
}

static void inline_computation(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(body->args[i], op->operands[i].value);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], body->last->operands[i].value);
    ir_op_erase(body->last);
    if (body->first)
        ir_block_splice(op->block, op, body, body->first, NULL);
    ir_op_erase(op);
}

/* True if the assignment of a nested name is compatible with that of the enclosing
 * computation. */
static bool may_be_inside(ir_op *op, ir_op *parent, const mpmd_assignments *all)
{
    const mpmd_assignment *outer = mpmd_assignment_of(all, name_of(parent));
    const mpmd_assignment *own = mpmd_assignment_of(all, name_of(op));
    const char *name = name_of(op)->ident->text, *outer_name = name_of(parent)->ident->text;
    if (!outer)
        return ir_error_at_op(parent,
                              "Parent NamedComputation '%s' is not assigned to a mesh in "
                              "the user-defined name-to-mesh assignment.",
                              outer_name);
    if (op->def == MPMD_OP(named_computation))
        return !own || (own->mesh == outer->mesh && own->stage == outer->stage) ||
               ir_error_at_op(op,
                              "NamedComputation '%s' is nested in a NamedComputation '%s' "
                              "which has a different mesh or stage assignment.",
                              name, outer_name);
    return !own || own->mesh == outer->mesh ||
           ir_error_at_op(op,
                          "NamedTensor '%s' is nested in a NamedComputation '%s' which has "
                          "a different mesh assignment.",
                          name, outer_name);
}

static bool take_out(ir_op *op, const mpmd_assignments *all)
{
    ir_op *parent = enclosing_computation(op);
    bool named = op->def == MPMD_OP(named_computation) || op->def == MPMD_OP(named_tensor);
    if (!parent)
        return true;
    bool ok = !named || may_be_inside(op, parent, all);
    if (op->def == MPMD_OP(named_computation)) {
        inline_computation(op);
        return ok;
    }
    ir_value_replace_uses(&op->results[0], op->operands[0].value);
    ir_op_erase(op);
    return ok;
}

typedef bool named_fn(ir_op *op, const mpmd_assignments *all);

/* Applies `fn` to each named op with its assignment, innermost first; `stop`: until an
 * error. */
static bool each_named(ir_op *func, pass_run *run, named_fn *fn, bool stop)
{
    mpmd_assignments all = {.n = 0};
    if (!mpmd_is_function(func))
        return true;
    bool ok = mpmd_parse_assignments(func->ctx, pass_option_str(run, "assignment"), &all);
    bool begun = ok;
    ir_op_list list = ir_ops_in_post(func, is_named);
    for (size_t i = 0; begun && (ok || !stop) && i < list.n; i++)
        ok &= fn(list.at[i], &all);
    ir_op_list_free(&list);
    free(all.at);
    return ok;
}

bool mpmd_inline_nested_user_exposed_ops(ir_op *func, pass_run *run)
{
    return each_named(func, run, take_out, true);
}

static ir_value *assigned_once(ir_builder *b, ir_op *op, uint32_t i, ir_attr mesh,
                               const mpmd_values *before)
{
    ir_value *v = op->operands[i].value;
    for (uint32_t k = 0; k < i; k++)
        if (op->operands[k].value == v)
            return before->at[k];
    return ir_type_is_tensor(v->type)
               ? mpmd_build_assign(b, v, mpmd_tensor_on(mesh, v->type, NULL), name_of(op))
               : v;
}

static void map_computation(ir_op *op, const mpmd_assignment *a)
{
    ir_builder b = ir_builder_before(op);
    mpmd_values operands = {.n = 0};
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    ir_attr origin = ir_op_attr(op, "origin"), name = name_of(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        mpmd_push(&operands, assigned_once(&b, op, i, a->mesh, &operands));
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        types[i] = ir_type_is_tensor(t) ? mpmd_tensor_on(a->mesh, t, NULL) : t;
    }
    ir_attr stage = a->stage < 0 ? NULL : ir_i64_attr(b.ctx, a->stage);
    ir_op *made =
        ir_build_op(&b, MPMD_OP(fragment), types, op->n_results, operands.at, operands.n,
                    IR_ATTRS({"origin", ir_array_attr(b.ctx, &origin, 1)},
                             {"mesh_name", a->mesh}, {"stage_id", stage}),
                    1);
    ir_region_take(&made->regions[0], &op->regions[0]);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *v = &made->results[i];
        ir_value_replace_uses(&op->results[i], mpmd_is_mesh_tensor(v->type)
                                                   ? mpmd_build_unassign(&b, v, name)
                                                   : v);
    }
    ir_op_erase(op);
    free(operands.at);
    free(types);
}

static void map_tensor(ir_op *op, const mpmd_assignment *a)
{
    ir_value *v = op->operands[0].value;
    ir_builder b = ir_builder_before(op);
    if (a && ir_type_is_tensor(v->type)) {
        ir_type type = mpmd_tensor_on(a->mesh, v->type, a->memory_kind);
        v = mpmd_build_unassign(&b, mpmd_build_assign(&b, v, type, name_of(op)),
                                name_of(op));
    }
    ir_value_replace_uses(&op->results[0], v);
    ir_op_erase(op);
}

static bool map_one(ir_op *op, const mpmd_assignments *all)
{
    if (op->def == MPMD_OP(broadcast) || op->def == MPMD_OP(reduce))
        return true;
    const mpmd_assignment *a = mpmd_assignment_of(all, name_of(op));
    if (op->def == MPMD_OP(named_tensor)) {
        map_tensor(op, a);
        return true;
    }
    if (!a)
        return ir_error_at_op(
            op,
            "Top-level NamedComputation '%s' is not assigned to a mesh in "
            "the user-defined named-to-mesh assignment.",
            name_of(op)->ident->text);
    if (!mpmd_mesh_named(op, ir_attr_str(a->mesh)))
        return false;
    map_computation(op, a);
    return true;
}

bool mpmd_map_named_ops_to_mpmd_ops(ir_op *func, pass_run *run)
{
    return each_named(func, run, map_one, false);
}

/* ---- meshes of shardings ------------------------------------------------------------ */

typedef struct meshes {
    ir_op *module;
    bool ok;
} meshes;

static ir_op *build_mesh(ir_builder *b, ir_attr name, ir_attr mesh)
{
    return ir_build_op(b, SDY_OP(mesh), NULL, 0, NULL, 0,
                       IR_ATTRS({"sym_name", name}, {"mesh", mesh}), 0);
}

static ir_op *first_function(ir_op *module)
{
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (mpmd_is_function(op))
            return op;
    return NULL;
}

/* The mesh without axes, created if missing; also set on the first topology. */
static ir_attr empty_mesh(ir_op *module)
{
    ir_context *ctx = module->ctx;
    ir_attr name = ir_string_attr(ctx, TW_STR("empty_mesh"));
    ir_op *func = first_function(module);
    if (!ir_symbol_lookup(module, ir_attr_str(name))) {
        ir_attr none[] = {ir_array_attr(ctx, NULL, 0), ir_array_attr(ctx, NULL, 0)};
        ir_attr mesh = ir_dialect_attr(ctx, SDY_ATTR(mesh), none, 2);
        ir_attr params[] = {name, mesh}, old = mpmd_meshes(func);
        ir_attr *all = tw_xmalloc((old->count + 1u) * sizeof *all);
        ir_builder b = ir_builder_at_start(ctx, ir_op_body(module, 0), module->loc);
        build_mesh(&b, name, mesh);
        memcpy(all, old->items, old->count * sizeof *all);
        all[old->count] = ir_dialect_attr(ctx, MPMD_ATTR(named_mesh), params, 2);
        ir_attr list = ir_array_attr(ctx, all, old->count + 1u);
        ir_op_set_attr(func, MPMD_TOPOLOGY,
                       ir_dialect_attr(ctx, MPMD_ATTR(topology), &list, 1));
        free(all);
    }
    return ir_symbol_ref(ctx, ir_attr_str(name));
}

/* The prefix before '_' that all axes share; empty without axes. */
static bool mesh_of_axes(meshes *m, ir_op *op, ir_attr axes, tw_str *out)
{
    for (uint32_t i = 0; m->ok && i < sdy_length(axes); i++) {
        tw_str name = sdy_axis_name(axes->items[i]);
        const char *at = memchr(name.data, '_', name.size);
        tw_str mesh = {name.data, at ? (size_t)(at - name.data) : name.size};
        if (!at || mesh.size + 1 == name.size)
            m->ok = ir_error_at_op(op, "Axis name does not contain '_': %.*s",
                                   (int)name.size, name.data);
        else if (out->size && !tw_str_equal(*out, mesh))
            m->ok = ir_error_at_op(op, "Mesh name mismatch: %.*s vs %.*s", (int)out->size,
                                   out->data, (int)mesh.size, mesh.data);
        *out = mesh;
    }
    return m->ok;
}

static ir_attr put_on_own_mesh(void *user, const sdy_site *site, ir_attr sharding)
{
    meshes *m = user;
    ir_attr mesh = sdy_mesh_of(site->op, sharding);
    tw_str name = {0};
    if (!m->ok || !mesh)
        return sharding;
    if (sdy_is_empty(sharding))
        return sdy_mesh_is_empty(mesh) || sdy_mesh_is_maximal(mesh)
                   ? sharding
                   : sdy_with(sharding, SDY_MESH, empty_mesh(m->module));
    for (uint32_t i = 0; i < sdy_sharding_rank(sharding); i++)
        if (!mesh_of_axes(m, site->op, sdy_dim_at(sharding, i)->params[SDY_DIM_AXES],
                          &name))
            return sharding;
    if (!mesh_of_axes(m, site->op, sharding->params[SDY_REPLICATED], &name) ||
        !mesh_of_axes(m, site->op, sharding->params[SDY_UNREDUCED], &name))
        return sharding;
    return sdy_with(sharding, SDY_MESH, ir_symbol_ref(m->module->ctx, name));
}

static bool is_mesh(const ir_op *op)
{
    return op->def == SDY_OP(mesh);
}

bool mpmd_generate_sdy_meshes_from_topology(ir_op *module, pass_run *run)
{
    meshes m = {module, true};
    ir_op *func = first_function(module);
    (void)run;
    if (!func)
        return ir_error_at_op(module, "No topology attribute found");
    ir_op_list old = ir_ops_in(module, is_mesh);
    ir_builder b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), module->loc);
    ir_attr topology = mpmd_meshes(func);
    for (uint32_t i = 0; m.ok && i < topology->count; i++) {
        ir_attr name = topology->items[i]->params[0];
        m.ok = !ir_symbol_lookup(module, ir_attr_str(name)) ||
               ir_error_at_op(module, "Invalid mesh name: %s", name->ident->text);
        if (m.ok)
            build_mesh(&b, name, topology->items[i]->params[1]);
    }
    if (m.ok)
        sdy_transform(module, put_on_own_mesh, &m);
    for (size_t i = 0; m.ok && i < old.n; i++) {
        ir_attr mesh = ir_op_attr(old.at[i], "mesh");
        if (!sdy_mesh_is_empty(mesh) && !sdy_mesh_is_maximal(mesh))
            ir_op_erase(old.at[i]);
    }
    ir_op_list_free(&old);
    return m.ok;
}
