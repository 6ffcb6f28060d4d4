/* recover_structure.c: ttnn-recover-structure: operations become functions again as the
 * model's modules were, by what their locations say:
 *
 *     <index>|<class>[<name>]|...|<file>:<line>|<function>|<line>|<operator>
 *
 * The operations of a function are reordered, so that those of one function of the source
 * are adjacent as far as their operands allow; each run of them becomes a function of its
 * own. What has no such location stays, and so do devices, which each function asks for.
 * ttnn-simplify-locs-for-codegen leaves the outermost names of locations. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdlib.h>

/* ---- locations ---------------------------------------------------------------------- */

static bool is_ttnn(const ir_op *op)
{
    return strncmp(op->def->name, "ttnn.", 5) == 0;
}

static ir_attr named_location(const ir_op *op)
{
    ir_attr a = op->loc.bits ? ir_loc_attr(op->ctx, op->loc) : NULL;
    return ir_attr_is(a, IR_ATTR_LOC_NAME) ? a : NULL;
}

static ir_walk simplify(ir_op *op, void *user)
{
    ir_attr name = is_ttnn(op) ? named_location(op) : NULL;
    (void)user;
    if (name && name->child)
        op->loc = ir_loc_name(op->ctx, name->ident, IR_LOC_UNKNOWN);
    return IR_WALK_ON;
}

static bool run_simplify(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, simplify, NULL);
    return true;
}

const pass_def ttnn_simplify_locs_pass = {
    .name = "ttnn-simplify-locs-for-codegen",
    .title = "TTNNSimplifyLocsForCodegen",
    .summary = "Keep the outermost name of each location",
    .anchor = "builtin.module",
    .run = run_simplify,
};

enum { PARTS_BEHIND = 4 }; /* file, function, line, operator */

static uint32_t count_parts(tw_str text)
{
    uint32_t n = text.size > 0;
    for (size_t i = 0; i < text.size; i++)
        n += text.data[i] == '|';
    return n;
}

static tw_str part(tw_str text, uint32_t index)
{
    size_t begin = 0;
    for (; index; index--) {
        while (text.data[begin] != '|')
            begin++;
        begin++;
    }
    size_t end = begin;
    while (end < text.size && text.data[end] != '|')
        end++;
    return (tw_str){text.data + begin, end - begin};
}

static bool is_integer(tw_str s)
{
    size_t i = s.size && s.data[0] == '-';
    bool any = i < s.size;
    for (; i < s.size; i++)
        any &= s.data[i] >= '0' && s.data[i] <= '9';
    return any;
}

/* The function of the source that the operation comes from; empty if it names none. */
static tw_str source_of(tw_str location)
{
    uint32_t n = count_parts(location);
    if (n <= PARTS_BEHIND || !is_integer(part(location, 0)) ||
        !is_integer(part(location, n - 2)))
        return (tw_str){0};
    tw_str source = part(location, n - PARTS_BEHIND);
    return tw_str_is(source, "unknown") ? (tw_str){0} : source;
}

/* The class of the module at a depth, without its name in brackets. */
static tw_str class_at(tw_str location, uint32_t depth)
{
    tw_str s = part(location, depth + 1);
    const char *bracket = memchr(s.data, '[', s.size);
    return bracket ? (tw_str){s.data, (size_t)(bracket - s.data)} : s;
}

/* ---- the order */

typedef struct node {
    ir_op *op;
    tw_str location, source;
    uint32_t waits, first_edge, n_edges;
    bool ready, done;
} node;

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct graph {
    node *nodes;
    size_t n, capacity;
    edge *edges;
    size_t n_edges, edges_capacity;
    ir_mapping *index;   /* operation -> node, counted from 1 */
    ir_mapping *writers; /* value -> the last node that changed or freed it, from 1 */
    uint32_t last_effect;
} graph;

static uint32_t index_in(const ir_mapping *map, const void *key)
{
    return (uint32_t)(uintptr_t)ir_mapping_get(map, key);
}

static void add_edge(graph *g, uint32_t from, uint32_t to)
{
    if (!from || from == to)
        return;
    TW_PUSH(g->edges, g->n_edges, g->edges_capacity, ((edge){from - 1, to - 1}));
    g->nodes[to - 1].waits++;
}

static bool has_effect(const ir_op *op)
{
    return !(op->def->traits & IR_NO_MEMORY_EFFECT);
}

/* An operation comes behind the producers of its operands and behind what changed or freed
 * them; what changes or frees a value comes behind all of its users before. */
static void add_value(graph *g, ir_op *op, ir_value *v, uint32_t at)
{
    ir_op *def = ir_value_def(v);
    add_edge(g, def ? index_in(g->index, def) : 0, at);
    add_edge(g, index_in(g->writers, v), at);
    if (!has_effect(op))
        return;
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        uint32_t other = index_in(g->index, use->owner);
        if (other && other < at)
            add_edge(g, other, at);
    }
    ir_mapping_set(g->writers, v, (void *)(uintptr_t)at);
}

typedef struct adding {
    graph *g;
    ir_op *top;
    uint32_t at;
    bool any;
} adding;

static ir_walk add_operands(ir_op *op, void *user)
{
    adding *a = user;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        add_value(a->g, a->top, op->operands[i].value, a->at);
        a->any = true;
    }
    return IR_WALK_ON;
}

static void add_node(graph *g, ir_op *op)
{
    ir_attr name =
        is_ttnn(op) && op->def != TTNN_OP(get_device) ? named_location(op) : NULL;
    node made = {.op = op};
    if (name) {
        made.location = tw_str_from(name->ident->text);
        made.source = source_of(made.location);
    }
    TW_PUSH(g->nodes, g->n, g->capacity, made);
    uint32_t at = (uint32_t)g->n;
    ir_mapping_set(g->index, op, (void *)(uintptr_t)at);
    adding a = {g, op, at, false};
    ir_walk_pre(op, add_operands, &a);
    if (a.any || !has_effect(op))
        return;
    add_edge(g, g->last_effect, at); /* the order of effects on nothing in particular */
    g->last_effect = at;
}

static int by_from(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void sort_edges(graph *g)
{
    if (g->n_edges)
        qsort(g->edges, g->n_edges, sizeof *g->edges, by_from);
    for (size_t i = g->n_edges; i-- > 0;) {
        node *from = &g->nodes[g->edges[i].from];
        from->first_edge = (uint32_t)i;
        from->n_edges++;
    }
}

/* Whether a is taken before b, both of which are ready: of the current function first, what
 * frees last, otherwise as before. */
static bool comes_first(const node *a, const node *b, tw_str source)
{
    bool here = tw_str_equal(a->source, source), there = tw_str_equal(b->source, source);
    bool frees = a->op->def == TTNN_OP(deallocate);
    bool other_frees = b->op->def == TTNN_OP(deallocate);
    if (here != there)
        return here;
    if (frees != other_frees)
        return other_frees;
    return a < b;
}

static size_t *order_nodes(graph *g)
{
    size_t *order = tw_xmalloc((g->n + 1) * sizeof *order);
    node **ready = tw_xmalloc((g->n + 1) * sizeof *ready);
    size_t n_ready = 0, n = 0;
    tw_str source = {0};
    for (size_t i = 0; i < g->n; i++)
        if (g->nodes[i].waits == 0)
            ready[n_ready++] = &g->nodes[i];
    while (n_ready) {
        size_t best = 0;
        for (size_t i = 1; i < n_ready; i++)
            if (comes_first(ready[i], ready[best], source))
                best = i;
        node *next = ready[best];
        ready[best] = ready[--n_ready];
        order[n++] = (size_t)(next - g->nodes);
        source = next->source;
        for (uint32_t e = 0; e < next->n_edges; e++) {
            node *to = &g->nodes[g->edges[next->first_edge + e].to];
            if (--to->waits == 0)
                ready[n_ready++] = to;
        }
    }
    assert(n == g->n);
    free(ready);
    return order;
}

/* ---- functions */

typedef struct run_of_ops {
    ir_op **ops;
    tw_str *locations;
    size_t n;
    ir_value **inputs, **outputs;
    size_t n_inputs, inputs_capacity, n_outputs, outputs_capacity;
    ir_op *func;
    ir_value *device; /* its own, once it has one */
} run_of_ops;

/* The innermost class that all operations have at one depth; empty if there is none. */
static tw_str common_class(const run_of_ops *r)
{
    uint32_t depth = UINT32_MAX;
    for (size_t i = 0; i < r->n; i++)
        depth = TW_MIN(depth, count_parts(r->locations[i]) - PARTS_BEHIND - 1);
    while (depth-- > 0) {
        tw_str name = class_at(r->locations[0], depth);
        bool all = true;
        for (size_t i = 1; i < r->n; i++)
            all &= tw_str_equal(class_at(r->locations[i], depth), name);
        if (all)
            return name;
    }
    return (tw_str){0};
}

static void add_once(ir_value ***list, size_t *n, size_t *capacity, ir_value *v)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i] == v)
            return;
    TW_PUSH(*list, *n, *capacity, v);
}

static void create_function(run_of_ops *r, ir_builder b, ir_op *module, uint32_t index)
{
    ir_context *ctx = b.ctx;
    tw_str class = common_class(r);
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "%.*s_%u", class.size ? (int)class.size : 7,
                     class.size ? class.data : "forward", index);
    ir_attr symbol = ir_symbol_free_name(module, name.data);
    tw_strbuf_free(&name);
    r->func = func_create(&b, symbol, ir_function_type(ctx, NULL, 0, NULL, 0), true);
    ir_op_set_attr(r->func, "tt.function_type",
                   ir_string_attr(ctx, TW_STR("forward_device")));
    func_add_body(r->func);
}

static ir_value *device_inside(run_of_ops *r, ir_op *get_device)
{
    if (!r->device) {
        ir_op *copy = ir_op_clone(get_device, NULL);
        ir_block_prepend(ir_op_body(r->func, 0), copy);
        r->device = ir_op_result(copy, 0);
    }
    return r->device;
}

/* Operands from outside become arguments. */
static void move_inside(run_of_ops *r)
{
    ir_block *body = ir_op_body(r->func, 0);
    for (size_t i = 0; i < r->n; i++) {
        ir_op_remove(r->ops[i]);
        ir_block_append(body, r->ops[i]);
    }
    for (size_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->ops[i]->n_operands; k++) {
            ir_value *v = r->ops[i]->operands[k].value;
            ir_op *def = ir_value_def(v);
            if (ir_value_block(v) == body)
                continue;
            if (ir_op_is(def, TTNN_OP(get_device)))
                ir_op_set_operand(r->ops[i], k, device_inside(r, def));
            else
                add_once(&r->inputs, &r->n_inputs, &r->inputs_capacity, v);
        }
    for (size_t a = 0; a < r->n_inputs; a++) {
        ir_value *v = r->inputs[a];
        ir_value *arg = ir_block_add_arg(v->type->ctx, body, v->type, ir_value_loc(v));
        for (ir_operand *use = v->uses, *next; use; use = next) {
            next = use->next_use;
            if (use->owner->block == body)
                ir_op_set_operand(use->owner, ir_operand_number(use), arg);
        }
    }
}

static void add_outputs(run_of_ops *r)
{
    ir_block *body = ir_op_body(r->func, 0);
    for (size_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->ops[i]->n_results; k++) {
            ir_value *v = &r->ops[i]->results[k];
            for (ir_operand *use = v->uses; use; use = use->next_use)
                if (use->owner->block != body)
                    add_once(&r->outputs, &r->n_outputs, &r->outputs_capacity, v);
        }
}

/* The call in front of the function's end. */
static void call_function(run_of_ops *r, ir_op *end)
{
    ir_block *body = ir_op_body(r->func, 0);
    ir_context *ctx = end->ctx;
    ir_builder inside = ir_builder_at_end(ctx, body, r->func->loc);
    ir_type *types = tw_xmalloc((r->n_outputs + 1) * sizeof *types);
    for (size_t i = 0; i < r->n_outputs; i++)
        types[i] = r->outputs[i]->type;
    ir_builder b = ir_builder_before(end);
    b.loc = r->ops[r->n - 1]->loc;
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), types, r->n_outputs, r->inputs, r->n_inputs,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_symbol_name(r->func))}), 0);
    for (size_t i = 0; i < r->n_outputs; i++)
        for (ir_operand *use = r->outputs[i]->uses, *next; use; use = next) {
            next = use->next_use;
            if (use->owner->block != body)
                ir_op_set_operand(use->owner, ir_operand_number(use), &call->results[i]);
        }
    ir_build_op(&inside, FUNC_OP(return ), NULL, 0, r->outputs, r->n_outputs, NULL, 0, 0);
    func_refresh_type(r->func);
    free(types);
}

static ir_op *outline(run_of_ops *r, ir_builder b, ir_op *end, uint32_t index)
{
    create_function(r, b, ir_op_parent(ir_op_parent(end)), index);
    move_inside(r);
    add_outputs(r);
    call_function(r, end);
    free(r->inputs);
    free(r->outputs);
    return r->func;
}

static void rebuild(ir_op *func, const graph *g, const size_t *order, bool in_front)
{
    ir_op *end = ir_op_body(func, 0)->last, *behind = func;
    ir_op **ops = tw_xmalloc((g->n + 1) * sizeof *ops);
    tw_str *locations = tw_xmalloc((g->n + 1) * sizeof *locations);
    uint32_t index = 0;
    for (size_t i = 0; i < g->n;) {
        const node *first = &g->nodes[order[i]];
        if (!first->source.size) {
            ir_op_remove(first->op);
            ir_op_insert_before(first->op, end);
            i++;
            continue;
        }
        run_of_ops r = {.ops = ops, .locations = locations};
        for (; i < g->n && tw_str_equal(g->nodes[order[i]].source, first->source); i++) {
            locations[r.n] = g->nodes[order[i]].location;
            ops[r.n++] = g->nodes[order[i]].op;
        }
        behind = outline(&r, in_front ? ir_builder_before(func) : ir_builder_after(behind),
                         end, index++);
    }
    free(ops);
    free(locations);
}

static void recover(ir_op *func, bool in_front)
{
    graph g = {.index = ir_mapping_create(), .writers = ir_mapping_create()};
    ir_block *body = ir_op_body(func, 0);
    bool any = false;
    for (ir_op *op = body->first; op != body->last; op = op->next)
        add_node(&g, op);
    for (size_t i = 0; i < g.n; i++)
        any |= g.nodes[i].source.size > 0;
    if (any) {
        sort_edges(&g);
        size_t *order = order_nodes(&g);
        rebuild(func, &g, order, in_front);
        free(order);
    }
    ir_mapping_free(g.index);
    ir_mapping_free(g.writers);
    free(g.nodes);
    free(g.edges);
}

static bool run(ir_op *module, pass_run *run)
{
    ir_block *block = ir_op_body(module, 0);
    bool in_front = pass_option_bool(run, "in-front");
    ir_op *next;
    for (ir_op *op = block ? block->first : NULL; op; op = next) {
        next = op->next;
        ir_attr kind = ir_op_attr(op, "tt.function_type");
        if (op->def == FUNC_OP(func) && ir_attr_is(kind, IR_ATTR_STRING) &&
            tw_str_is(ir_attr_str(kind), "forward_device") && ir_op_body(op, 0) &&
            op->regions[0].first == op->regions[0].last)
            recover(op, in_front);
    }
    return true;
}

const pass_def ttnn_recover_structure_pass = {
    .name = "ttnn-recover-structure",
    .title = "TTNNRecoverStructure",
    .summary = "Make functions of the modules that locations name",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"in-front", PASS_BOOL, "false",
                        "Put them in front of the function that calls them, as C++ wants"}),
};
