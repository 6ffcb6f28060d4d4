/* op_graph.c: see op_graph.h.
 *
 * Two walks: the first numbers every value (all results of an operation share a number),
 * the second writes; so values may be used before their definition, as graph regions allow.
 */
#include "op_graph.h"

#include "ir/text.h"

enum { LONGEST_TYPE = 60 };

/* Text inside quotes. */
static void put_quoted(tw_strbuf *out, tw_str text, size_t most)
{
    for (size_t i = 0; i < text.size && i < most; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            tw_strbuf_putc(out, '\\');
        tw_strbuf_putc(out, text.data[i]);
    }
    if (text.size > most)
        tw_strbuf_puts(out, "...");
}

static void put_type(tw_strbuf *out, ir_type type)
{
    tw_strbuf text = {0};
    ir_print_type(type, &text);
    put_quoted(out, (tw_str){text.data, text.size}, LONGEST_TYPE);
    tw_strbuf_free(&text);
}

typedef struct graph {
    tw_strbuf *out;
    uint32_t next;
} graph;

/* Numbers an operation's results; one without results is not referred to. */
static ir_walk number_values(ir_op *op, void *user)
{
    graph *g = user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].print_id = g->next;
    g->next++;
    for (size_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->print_id = g->next++;
    return IR_WALK_ON;
}

/* Returns how many. */
static uint32_t put_arguments(const graph *g, const ir_op *op)
{
    uint32_t count = 0;
    for (size_t r = 0; r < op->n_regions; r++)
        for (const ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++, count++) {
                tw_strbuf_printf(g->out, "  n%u [shape = ellipse, label = \"arg%u\\n",
                                 b->args[i]->print_id, i);
                put_type(g->out, b->args[i]->type);
                tw_strbuf_puts(g->out, "\"];\n");
            }
    return count;
}

static ir_walk put_op(ir_op *op, void *user)
{
    graph *g = user;
    const uint32_t number = g->next++;
    g->next += put_arguments(g, op);
    tw_strbuf_printf(g->out, "  n%u [label = \"", number);
    put_quoted(g->out, tw_str_from(op->def->name), SIZE_MAX);
    tw_str symbol = ir_symbol_name(op);
    if (symbol.size) {
        tw_strbuf_puts(g->out, " @");
        put_quoted(g->out, symbol, SIZE_MAX);
    }
    tw_strbuf_puts(g->out, "\"];\n");
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *from = op->operands[i].value;
        tw_strbuf_printf(g->out, "  n%u -> n%u [label = \"", from->print_id, number);
        put_type(g->out, from->type);
        tw_strbuf_puts(g->out, "\"];\n");
    }
    return IR_WALK_ON;
}

void op_graph_write(ir_op *top, tw_strbuf *out)
{
    graph g = {.out = out};
    ir_walk_pre(top, number_values, &g);
    g.next = 0;
    tw_strbuf_puts(out, "digraph G {\n  node [shape = box];\n");
    ir_walk_pre(top, put_op, &g);
    tw_strbuf_puts(out, "}\n");
}
