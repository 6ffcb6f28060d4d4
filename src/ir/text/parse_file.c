/* parse_file.c: parses a complete text, and owns the reader's memory. */
#include "ir/bytecode.h"
#include "ir/context_impl.h"
#include "ir/text.h"
#include "ir/text/parse_impl.h"

#include <stdlib.h>

/* ---- scratch memory ----------------------------------------------------------------- */

void *ir_scratch(ir_parser *p, size_t size)
{
    scopes *s = p->scopes;
    size = (size + 15) & ~(size_t)15;
    if (!s->scratch || s->scratch->size - s->scratch->used < size) {
        size_t want = TW_MAX(size, (size_t)32768);
        scratch_chunk *chunk = tw_xmalloc(sizeof *chunk + want);
        *chunk = (scratch_chunk){.older = s->scratch, .size = want};
        s->scratch = chunk;
    }
    void *memory = s->scratch->data + s->scratch->used;
    s->scratch->used += size;
    return memset(memory, 0, size);
}

scratch_mark ir_mark_scratch(scopes *s)
{
    return (scratch_mark){s->scratch, s->scratch ? s->scratch->used : 0};
}

void ir_release_scratch(scopes *s, scratch_mark mark)
{
    while (s->scratch != mark.chunk && (mark.chunk || s->scratch->older)) {
        scratch_chunk *older = s->scratch->older;
        free(s->scratch);
        s->scratch = older;
    }
    if (s->scratch)
        s->scratch->used = mark.chunk ? mark.used : 0;
}

void *ir_grow_scratch(ir_parser *p, void *old, uint32_t *capacity, size_t element)
{
    uint32_t bigger = *capacity ? *capacity * 2 : 4;
    void *memory = ir_scratch(p, bigger * element);
    if (*capacity)
        memcpy(memory, old, *capacity * element);
    *capacity = bigger;
    return memory;
}

/* ---- a file ------------------------------------------------------------------------- */

static bool parse_top_level(ir_parser *p, ir_block *body)
{
    for (;;) {
        switch (p->tok.kind) {
        case IR_TOK_EOF:
            return true;
        case IR_TOK_ERROR:
            return false;
        case IR_TOK_HASH:
        case IR_TOK_BANG:
            if (!ir_parse_alias_definition(p))
                return false;
            break;
        case IR_TOK_FILE_META:
            if (!ir_parse_file_metadata(p))
                return false;
            break;
        default:
            if (!ir_parse_operation(p, body))
                return false;
        }
    }
}

static void free_scopes(ir_parser *p)
{
    scopes *s = p->scopes;
    while (s->scratch) {
        scratch_chunk *older = s->scratch->older;
        free(s->scratch);
        s->scratch = older;
    }
    free(s->buckets);
    free(s->log);
    free(s->late);
    ir_aliases_free(p);
}

void ir_parse_alone(ir_parser *p, ir_context *ctx, tw_str text)
{
    p->scopes = tw_xcalloc(1, sizeof *p->scopes);
    ir_lex_start(p, ctx, text, NULL);
}

void ir_parse_alone_end(ir_parser *p)
{
    free_scopes(p);
    free(p->scopes);
    p->scopes = NULL;
}

static ir_op *read_binary(ir_context *ctx, tw_str bytes, const char *name,
                          const ir_parse_options *options)
{
    ir_op *op = ir_bytecode_read(ctx, bytes, name);
    if (op && !(options && options->no_verify) && !ir_verify(op)) {
        ir_op_erase(op);
        return NULL;
    }
    return op;
}

ir_op *ir_parse(ir_context *ctx, tw_str text, const char *name,
                const ir_parse_options *options)
{
    ctx->parses++;
    if (ir_is_bytecode(text))
        return read_binary(ctx, text, name, options);
    ir_parser parser = {0}, *p = &parser;
    scopes s = {0};
    p->scopes = &s;
    ir_lex_start(p, ctx, text, name);
    ir_op *module = ir_module_create(ctx, ir_loc_file(ctx, p->file, 0, 0));
    ir_block *body = module->regions[0].first;
    bool ok = parse_top_level(p, body) && !p->failed && ir_check_forward(p) &&
              ir_resolve_late_locs(p);
    free_scopes(p);
    if (!ok) {
        return NULL; /* half-built operations may hold placeholders: freed with the context
                      */
    }
    ir_op *only = body->first;
    bool bare = options && options->no_implicit_module;
    if (bare && (!only || only->next)) {
        size_t count = 0;
        for (ir_op *op = only; op; op = op->next)
            count++;
        ir_error(ctx, ir_loc_file(ctx, p->file, 1, 1),
                 "source must contain a single top-level operation, found: %zu", count);
        ir_op_erase(module);
        return NULL;
    }
    if (only && !only->next && (bare || only->def == module->def)) {
        ir_op_remove(only);
        ir_op_erase(module);
        module = only;
    }
    if (!(options && options->no_verify) && !ir_verify(module)) {
        ir_op_erase(module);
        return NULL;
    }
    return module;
}
