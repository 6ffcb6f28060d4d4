/* lower_to_calls.c: outlines fragments into functions, one for all equal fragments of a
 * mesh, named after their origins. */
#include "mlir/func/func.h"
#include "mlir/passes/equivalence.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "sdy/propagation/shardings.h"

enum { MAX_NAME = 200 };

/* Equal fragments. */
typedef struct group {
    ir_op_list fragments;
    int64_t bytes; /* maximum reserved by one of them; -1: none */
    tw_strbuf name;
    ir_op *func;
} group;

typedef struct groups {
    group *at;
    size_t n, capacity;
} groups;

static bool do_the_same(const ir_op *a, const ir_op *b)
{
    return ir_op_attr(a, "mesh_name") == ir_op_attr(b, "mesh_name") &&
           ir_op_attr(a, "arg_attrs") == ir_op_attr(b, "arg_attrs") &&
           ir_op_attr(a, "res_attrs") == ir_op_attr(b, "res_attrs") &&
           transform_equivalent_regions(&a->regions[0], &b->regions[0]);
}

static void add(groups *all, ir_op *f)
{
    group *g = NULL;
    for (size_t i = 0; i < all->n && !g; i++)
        if (do_the_same(all->at[i].fragments.at[0], f))
            g = &all->at[i];
    if (!g) {
        group made = {.bytes = -1};
        TW_PUSH(all->at, all->n, all->capacity, made);
        g = &all->at[all->n - 1];
    }
    TW_PUSH(g->fragments.at, g->fragments.n, g->fragments.capacity, f);
    g->bytes = TW_MAX(g->bytes, ir_op_int(f, MPMD_RESERVED, -1));
}

/* ---- names -------------------------------------------------------------------------- */

/* A user's name split at the integer after its last '_'. */
typedef struct head {
    tw_str text;
    int64_t counter; /* -1: none */
} head;

static head head_of(ir_attr origin)
{
    tw_str name = ir_attr_str(origin->params[0]);
    size_t at = name.size;
    int64_t integer = 0;
    while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
        at--;
    if (at == name.size || at == 0 || name.data[at - 1] != '_' || name.size - at > 18)
        return (head){name, -1};
    for (size_t i = at; i < name.size; i++)
        integer = integer * 10 + (name.data[i] - '0');
    return (head){{name.data, at - 1}, integer};
}

static size_t count_of(ir_attr origins, tw_str text, int64_t *min, int64_t *max)
{
    size_t n = 0;
    *min = *max = -1;
    for (uint32_t i = 0; i < origins->count; i++) {
        head h = head_of(origins->items[i]);
        if (!tw_str_equal(h.text, text))
            continue;
        n++;
        if (h.counter >= 0) {
            *min = *min < 0 ? h.counter : TW_MIN(*min, h.counter);
            *max = TW_MAX(*max, h.counter);
        }
    }
    return n;
}

static int compare_text(tw_str a, tw_str b)
{
    int order = memcmp(a.data, b.data, TW_MIN(a.size, b.size));
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* The most frequent name among the origins, the alphabetically first of several, with its
 * counters; "..." indicates others. */
static void print_most_frequent(ir_attr origins, tw_strbuf *out)
{
    tw_str best = {0};
    size_t max = 0;
    int64_t low, high, first, last;
    bool others = false, backward = true;
    for (uint32_t i = 0; i < origins->count; i++) {
        tw_str text = head_of(origins->items[i]).text;
        size_t n = count_of(origins, text, &first, &last);
        others |= n < origins->count;
        backward &= ir_attr_int(origins->items[i]->params[1], 0) == 1;
        if (n > max || (n == max && compare_text(text, best) < 0)) {
            best = text;
            max = n;
        }
    }
    count_of(origins, best, &low, &high);
    tw_strbuf_str(out, best);
    if (low >= 0 && low == high)
        tw_strbuf_printf(out, "_%lld", (long long)low);
    else if (low >= 0)
        tw_strbuf_printf(out, "_%lld:%lld", (long long)(backward ? high : low),
                         (long long)(backward ? low : high));
    tw_strbuf_puts(out, others ? "..." : "");
}

/* "_fwd", "_bwd" or "_transpose2", each that some origin has, in order. */
static void print_phases(ir_attr origins, tw_strbuf *out)
{
    int64_t last = -1;
    for (;;) {
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < origins->count; i++) {
            int64_t n = ir_attr_int(origins->items[i]->params[1], 0);
            next = n > last ? TW_MIN(next, n) : next;
        }
        if (next == INT64_MAX)
            return;
        if (next > 1)
            tw_strbuf_printf(out, "_transpose%lld", (long long)next);
        else
            tw_strbuf_puts(out, next ? "_bwd" : "_fwd");
        last = next;
    }
}

static void print_fragment_name(const ir_op *f, bool forward, tw_strbuf *out)
{
    ir_attr origins = ir_op_attr(f, "origin");
    if (mpmd_stage(f) >= 0)
        tw_strbuf_printf(out, "stage%lld", (long long)mpmd_stage(f));
    else if (!origins->count)
        tw_strbuf_puts(out, "inferred");
    else
        print_most_frequent(origins, out);
    if (!forward)
        print_phases(origins, out);
}

/* "_call3", or "_calls0to3" ("_calls3from0") if all have one name and consecutive
 * counters. */
static void print_calls(const group *g, bool forward, tw_strbuf *out)
{
    const ir_op_list *list = &g->fragments;
    int64_t first = mpmd_call_counter(list->at[0]), step = 0;
    tw_strbuf name = {0};
    bool regular = first >= 0;
    print_fragment_name(list->at[0], forward, &name);
    for (size_t i = 1; i < list->n && regular; i++) {
        int64_t counter = mpmd_call_counter(list->at[i]);
        int64_t by = counter - mpmd_call_counter(list->at[i - 1]);
        tw_strbuf other = {0};
        print_fragment_name(list->at[i], forward, &other);
        regular = counter >= 0 && !strcmp(tw_strbuf_text(&name), tw_strbuf_text(&other)) &&
                  (by == 1 || by == -1) && (!step || step == by);
        step = by;
        tw_strbuf_free(&other);
    }
    tw_strbuf_free(&name);
    int64_t last = mpmd_call_counter(list->at[list->n - 1]);
    if (regular && list->n == 1)
        tw_strbuf_printf(out, "_call%lld", (long long)first);
    else if (regular)
        tw_strbuf_printf(out, "_calls%lld%s%lld", (long long)first,
                         step > 0 ? "to" : "from", (long long)last);
}

static tw_str module_name(const ir_op *module)
{
    ir_attr name = ir_op_attr(module, "sym_name");
    return ir_attr_is(name, IR_ATTR_STRING) ? ir_attr_str(name) : TW_STR("main");
}

static void name_group(const ir_op *module, group *g, size_t id, bool forward)
{
    static const char cut[] = "<...>";
    tw_str own = module_name(module);
    tw_strbuf_printf(&g->name, "p%zu_", id);
    print_fragment_name(g->fragments.at[0], forward, &g->name);
    print_calls(g, forward, &g->name);
    if (g->name.size > MAX_NAME) {
        g->name.size = MAX_NAME - strlen(cut);
        tw_strbuf_puts(&g->name, cut);
    }
    if (own.size >= 4 && !memcmp(own.data, "jit_", 4))
        own = (tw_str){own.data + 4, own.size - 4};
    tw_strbuf_printf(&g->name, ".%.*s", (int)own.size, own.data);
}

/* ---- attributes --------------------------------------------------------------------- */

static void print_origins(ir_attr origins, bool forward, tw_strbuf *out)
{
    tw_strbuf_puts(out, "[");
    for (uint32_t i = 0; i < origins->count; i++) {
        int64_t n = ir_attr_int(origins->items[i]->params[1], 0);
        tw_strbuf_printf(out, "%s%s", i ? ", " : "",
                         origins->items[i]->params[0]->ident->text);
        if (!forward && n > 1)
            tw_strbuf_printf(out, "(TransposeCount=%lld)", (long long)n);
        else if (!forward)
            tw_strbuf_puts(out, n ? "(bwd)" : "(fwd)");
    }
    tw_strbuf_puts(out, "]");
}

static const group *group_of(const groups *all, const ir_op *f)
{
    for (size_t i = 0; i < all->n; i++)
        if (mpmd_lists(&all->at[i].fragments, f))
            return &all->at[i];
    return NULL;
}

static void describe(ir_op *module, const groups *all, const ir_op_list *fragments,
                     bool forward, pass_run *run)
{
    ir_op *main = ir_symbol_lookup(module, TW_STR("main"));
    tw_strbuf text = {0};
    tw_str name = module_name(module);
    ir_attr meshes = main && mpmd_is_function(main) ? mpmd_meshes(main) : NULL;
    for (uint32_t i = 0; meshes && i < meshes->count; i++) {
        ir_attr mesh = meshes->items[i]->params[0];
        tw_strbuf_printf(
            &text, "Module %.*s on mesh %s will execute the following XLA programs:\n",
            (int)name.size, name.data, mesh->ident->text);
        for (size_t k = 0; k < fragments->n; k++) {
            const ir_op *f = fragments->at[k];
            if (ir_op_attr(f, "mesh_name") != mesh)
                continue;
            tw_strbuf_printf(&text, "\t- %s from program with origins ",
                             tw_strbuf_text(&group_of(all, f)->name));
            print_origins(ir_op_attr(f, "origin"), forward, &text);
            if (mpmd_stage(f) >= 0)
                tw_strbuf_printf(&text, ", stage id %lld", (long long)mpmd_stage(f));
            if (mpmd_call_counter(f) >= 0)
                tw_strbuf_printf(&text, ", call counter %lld",
                                 (long long)mpmd_call_counter(f));
            tw_strbuf_puts(&text, ".\n");
        }
    }
    pass_write(run, (tw_str){tw_strbuf_text(&text), text.size});
    tw_strbuf_free(&text);
}

/* ---- functions ---------------------------------------------------------------------- */

static ir_attr mesh_of(ir_op *f)
{
    return mpmd_mesh_named(f, mpmd_fragment_mesh(f));
}

static void set_shardings(ir_op *func, const ir_op *f)
{
    for (uint32_t i = 0; i < f->n_operands; i++) {
        ir_type t = f->operands[i].value->type;
        if (mpmd_is_mesh_tensor(t) && t->params[MPMD_TYPE_SHARDING])
            func_set_arg_attr(func, i, "sdy.sharding", t->params[MPMD_TYPE_SHARDING]);
    }
    for (uint32_t i = 0; i < f->n_results; i++) {
        ir_type t = f->results[i].type;
        if (mpmd_is_mesh_tensor(t) && t->params[MPMD_TYPE_SHARDING])
            func_set_result_attr(func, i, "sdy.sharding", t->params[MPMD_TYPE_SHARDING]);
    }
}

typedef struct on_mesh {
    ir_attr ref;
    bool changed;
} on_mesh;

static ir_attr put_on_mesh(void *user, const sdy_site *site, ir_attr sharding)
{
    on_mesh *m = user;
    ir_attr mesh = sharding->params[SDY_MESH];
    (void)site;
    if (!ir_attr_is(mesh, IR_ATTR_SYMBOL_REF) || mesh == m->ref)
        return sharding;
    m->changed = true;
    return sdy_with(sharding, SDY_MESH, m->ref);
}

static bool is_manual(const ir_op *op)
{
    return op->def == SDY_OP(manual_computation);
}

/* Manual computations inside use the fragment's mesh, which is added to the module. */
static void move_manual_parts(ir_op *module, ir_op *func, tw_str mesh_name, ir_attr mesh)
{
    on_mesh m = {.ref = ir_symbol_ref(module->ctx, mesh_name)};
    ir_op_list all = ir_ops_in(func, is_manual);
    for (size_t i = 0; i < all.n; i++)
        sdy_transform(all.at[i], put_on_mesh, &m);
    if (m.changed && !ir_symbol_lookup(module, mesh_name)) {
        ir_builder b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), module->loc);
        ir_build_op(
            &b, SDY_OP(mesh), NULL, 0, NULL, 0,
            IR_ATTRS({"sym_name", ir_string_attr(b.ctx, mesh_name)}, {"mesh", mesh}), 0);
    }
    ir_op_list_free(&all);
}

static void end_with_return(ir_op *func)
{
    ir_op *old = mpmd_end(func);
    mpmd_values values = mpmd_operands(old);
    ir_builder b = ir_builder_before(old);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, values.at, values.n, NULL, 0, 0);
    free(values.at);
    ir_op_erase(old);
}

/* Moves the first fragment's body into a function and erases the fragment. */
static void make_function(ir_op *module, group *g)
{
    ir_op *f = g->fragments.at[0];
    ir_block *body = ir_op_body(f, 0);
    ir_builder b = ir_builder_at_end(module->ctx, ir_op_body(module, 0), f->loc);
    size_t n = (size_t)body->n_args + body->last->n_operands;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (uint32_t i = 0; i < body->n_args; i++)
        types[i] = body->args[i]->type;
    for (uint32_t i = 0; i < body->last->n_operands; i++)
        types[body->n_args + i] = body->last->operands[i].value->type;
    ir_type type = ir_function_type(b.ctx, types, body->n_args, types + body->n_args,
                                    body->last->n_operands);
    free(types);
    ir_attr mesh = mesh_of(f);
    g->func =
        func_create(&b, ir_symbol_free_name(module, tw_strbuf_text(&g->name)), type, false);
    ir_op_set_attr(g->func, MPMD_MESH_SHAPE, mesh);
    if (g->bytes >= 0)
        ir_op_set_attr(g->func, MPMD_RESERVED, ir_i64_attr(b.ctx, g->bytes));
    ir_op_set_attr(g->func, "arg_attrs", ir_op_attr(f, "arg_attrs"));
    ir_op_set_attr(g->func, "res_attrs", ir_op_attr(f, "res_attrs"));
    set_shardings(g->func, f);
    ir_region_take(&g->func->regions[0], &f->regions[0]);
    end_with_return(g->func);
    move_manual_parts(module, g->func, mpmd_fragment_mesh(f), mesh);
}

static void make_call(ir_op *f, ir_op *func)
{
    ir_builder b = ir_builder_before(f);
    ir_type *types = tw_xmalloc((f->n_results + 1u) * sizeof *types);
    mpmd_values operands = mpmd_operands(f);
    for (uint32_t i = 0; i < f->n_results; i++)
        types[i] = f->results[i].type;
    ir_op *call = ir_build_op(
        &b, MPMD_OP(fragment_call), types, f->n_results, operands.at, operands.n,
        IR_ATTRS({"origin", ir_op_attr(f, "origin")},
                 {"mesh_name", ir_op_attr(f, "mesh_name")},
                 {"callee", ir_symbol_ref(b.ctx, ir_symbol_name(func))},
                 {MPMD_REMAT, ir_op_attr(f, MPMD_REMAT)}),
        0);
    mpmd_replace_results(f, call);
    ir_op_erase(f);
    free(operands.at);
    free(types);
}

static bool all_forward(const ir_op_list *fragments)
{
    bool all = true;
    for (size_t i = 0; i < fragments->n; i++)
        all &= mpmd_max_transposes(fragments->at[i]) <= 0;
    return all;
}

bool mpmd_lower_to_fragment_calls(ir_op *module, pass_run *run)
{
    ir_op_list fragments = ir_ops_in(module, mpmd_is_fragment);
    bool forward = all_forward(&fragments), ok = true;
    groups all = {.n = 0};
    for (size_t i = 0; ok && i < fragments.n; i++) {
        ok = mesh_of(fragments.at[i]) != NULL;
        add(&all, fragments.at[i]);
    }
    for (size_t i = 0; i < all.n; i++)
        name_group(module, &all.at[i], i, forward);
    if (ok && pass_option_bool(run, "verbose-logging"))
        describe(module, &all, &fragments, forward, run);
    for (size_t i = 0; i < all.n; i++) {
        group *g = &all.at[i];
        if (ok)
            make_function(module, g);
        for (size_t k = 0; ok && k < g->fragments.n; k++)
            make_call(g->fragments.at[k], g->func);
        ir_op_list_free(&g->fragments);
        tw_strbuf_free(&g->name);
    }
    free(all.at);
    ir_op_list_free(&fragments);
    return ok;
}
