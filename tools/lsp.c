/* lsp.c: diagnostics, hover, definitions, references, symbols and completion for MLIR's
 * text.
 *
 * Documents are kept whole and read anew at each change; what an operation is comes from
 * its row.  Definitions are found in the text, so that they work in files with errors. */
#include "lsp.h"

#include "describe.h"
#include "dialect/all.h"
#include "ir/op.h"
#include "ir/text.h"
#include "lsp_text.h"

#include <jansson.h>
#include <stdlib.h>

typedef struct document {
    char *uri;
    tw_strbuf text;
    ir_context *ctx; /* what was read of it */
    ir_op *module;   /* NULL if it has errors */
} document;

struct lsp {
    ir_context *rows; /* every dialect, for asking about operations */
    document *documents;
    size_t n_documents, capacity;
    bool shut_down;
};

enum {
    MOST_COMPLETIONS = 200,
    PARSE_ERROR = -32700,
    NO_METHOD = -32601,
    NO_PARAMS = -32602
};

lsp *lsp_create(void)
{
    lsp *s = tw_xcalloc(1, sizeof *s);
    s->rows = ir_context_create();
    ir_register_all(s->rows);
    return s;
}

static void free_document(document *d)
{
    free(d->uri);
    tw_strbuf_free(&d->text);
    if (d->ctx)
        ir_context_destroy(d->ctx);
}

void lsp_destroy(lsp *s)
{
    for (size_t i = 0; i < s->n_documents; i++)
        free_document(&s->documents[i]);
    free(s->documents);
    ir_context_destroy(s->rows);
    free(s);
}

bool lsp_was_shut_down(const lsp *s)
{
    return s->shut_down;
}

/* ---- messages out; every function here takes over the JSON it is given -------------- */

static void send(tw_strbuf *out, json_t *message)
{
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    if (text)
        tw_strbuf_printf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    free(text);
    json_decref(message);
}

static void reply(tw_strbuf *out, json_t *id, json_t *result)
{
    json_t *message = json_object();
    json_object_set(message, "id", id);
    json_object_set_new(message, "result", result ? result : json_null());
    send(out, message);
}

static void reply_error(tw_strbuf *out, json_t *id, int code, const char *text)
{
    json_t *message = json_object();
    if (id)
        json_object_set(message, "id", id);
    else
        json_object_set_new(message, "id", json_null());
    json_object_set_new(message, "error",
                        json_pack("{s:i,s:s}", "code", code, "message", text));
    send(out, message);
}

/* ---- diagnostics -------------------------------------------------------------------- */

typedef struct collector {
    const tw_strbuf *text;
    json_t *list;
} collector;

static void collect(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    static const int severities[] = {1, 2, 3, 3}; /* error, warning, remark, note */
    collector *c = user;
    ir_ident file;
    uint32_t line = 0, column = 0;
    size_t at = 0, end;
    tw_strbuf message = {0};
    if (ir_loc_position(ctx, d->loc, &file, &line, &column) && line) {
        for (uint32_t l = 1; l < line && at < c->text->size; at++)
            l += c->text->data[at] == '\n';
        at = TW_MIN(at + (column ? column - 1 : 0), c->text->size);
    }
    for (end = at; end < c->text->size && lsp_is_word(c->text->data[end]);)
        end++;
    tw_strbuf_puts(&message, d->text);
    for (size_t i = 0; i < d->n_notes; i++)
        tw_strbuf_printf(&message, "\nnote: %s", d->notes[i].text);
    json_t *text = json_stringn(message.data, message.size);
    lsp_cursor cursor = {.text = c->text};
    if (text) /* what is no UTF-8 cannot be sent */
        json_array_append_new(c->list, json_pack("{s:o,s:i,s:s,s:o}", "range",
                                                 lsp_range(&cursor, at, end), "severity",
                                                 severities[d->severity], "source",
                                                 "tilewright", "message", text));
    tw_strbuf_free(&message);
}

static void publish(document *d, tw_strbuf *out)
{
    collector c = {&d->text, json_array()};
    ir_context *ctx = ir_context_create();
    if (d->ctx)
        ir_context_destroy(d->ctx);
    d->ctx = ctx;
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){collect, &c});
    d->module = ir_parse(ctx, (tw_str){d->text.data, d->text.size}, "document", NULL);
    ir_flush_diagnostics(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    send(out, json_pack("{s:s,s:{s:s,s:o}}", "method", "textDocument/publishDiagnostics",
                        "params", "uri", d->uri, "diagnostics", c.list));
}

/* ---- documents ---------------------------------------------------------------------- */

static document *find(lsp *s, const char *uri)
{
    for (size_t i = 0; uri && i < s->n_documents; i++)
        if (strcmp(s->documents[i].uri, uri) == 0)
            return &s->documents[i];
    return NULL;
}

static void set_text(lsp *s, const char *uri, json_t *text, tw_strbuf *out)
{
    document *d = find(s, uri);
    if (!uri || !json_is_string(text))
        return;
    if (!d) {
        document fresh = {.uri = strdup(uri)};
        TW_PUSH(s->documents, s->n_documents, s->capacity, fresh);
        d = &s->documents[s->n_documents - 1];
    }
    d->text.size = 0;
    tw_strbuf_append(&d->text, json_string_value(text), json_string_length(text));
    tw_strbuf_text(&d->text);
    publish(d, out);
}

static void close_document(lsp *s, const char *uri)
{
    document *d = find(s, uri);
    if (!d)
        return;
    free_document(d);
    *d = s->documents[--s->n_documents];
}

/* ---- hover -------------------------------------------------------------------------- */

static json_t *markdown(tw_strbuf *text)
{
    json_t *value = json_stringn(tw_strbuf_text(text), text->size);
    tw_strbuf_free(text);
    return value
               ? json_pack("{s:{s:s,s:o}}", "contents", "kind", "markdown", "value", value)
               : NULL;
}

typedef struct seeker {
    uint32_t line;
    ir_op *found;
} seeker;

/* The first operation that begins on a line. */
static ir_walk seek(ir_op *op, void *user)
{
    seeker *s = user;
    ir_ident file;
    uint32_t line = 0, column = 0;
    if (!ir_loc_position(op->ctx, op->loc, &file, &line, &column) || line != s->line)
        return IR_WALK_ON;
    s->found = op;
    return IR_WALK_STOP;
}

static void put_types(ir_op *op, tw_strbuf *out)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        tw_strbuf_puts(out, i ? ", " : "");
        ir_print_type(op->results[i].type, out);
    }
}

/* The type behind an argument's name: up to the comma or parenthesis that ends it. */
static void put_written_type(const tw_strbuf *text, size_t at, tw_strbuf *out)
{
    int depth = 0;
    at += strspn(text->data + at, " ");
    if (text->data[at] != ':')
        return;
    at += 1 + strspn(text->data + at + 1, " ");
    for (; at < text->size && text->data[at] != '\n'; at++) {
        char c = text->data[at];
        bool arrow = c == '>' && text->data[at - 1] == '-';
        if (depth == 0 && (c == ',' || c == ')'))
            return;
        depth += c == '<' || c == '(' || c == '{';
        depth -= (c == '>' && !arrow) || c == ')' || c == '}';
        tw_strbuf_putc(out, c);
    }
}

/* A value's type and what makes it; a symbol's or alias's line. */
static json_t *hover_name(const document *d, tw_str word)
{
    size_t at = lsp_definition(&d->text, word), line = 1, start = 0;
    tw_strbuf out = {0};
    if (at == SIZE_MAX)
        return NULL;
    for (size_t i = 0; i < at; i++)
        if (d->text.data[i] == '\n')
            line++, start = i + 1;
    size_t end = start + strcspn(d->text.data + start, "\n");
    seeker s = {.line = (uint32_t)line};
    bool is_result =
        word.data[0] == '%' && at == start + strspn(d->text.data + start, " \t");
    tw_strbuf_puts(&out, "```mlir\n");
    if (is_result && d->module)
        ir_walk_pre(d->module, seek, &s);
    if (s.found && s.found->n_results) {
        tw_strbuf_printf(&out, "%.*s : ", (int)word.size, word.data);
        put_types(s.found, &out);
        tw_strbuf_printf(&out, "\n```\n%s, line %zu", s.found->def->name, line);
        return markdown(&out);
    }
    if (word.data[0] == '%' && !is_result) {
        tw_strbuf_printf(&out, "%.*s : ", (int)word.size, word.data);
        put_written_type(&d->text, at + word.size, &out);
        tw_strbuf_printf(&out, "\n```\nargument, line %zu", line);
        return markdown(&out);
    }
    tw_strbuf_append(&out, d->text.data + start, end - start);
    tw_strbuf_printf(&out, "\n```\nline %zu", line);
    return markdown(&out);
}

static json_t *hover(lsp *s, const document *d, size_t at)
{
    tw_str word = lsp_word(&d->text, at);
    tw_strbuf text = {0};
    if (word.size >= 2 && strchr("%@^#!", word.data[0]))
        return hover_name(d, word);
    const ir_op_def *def = ir_context_op_def(s->rows, word);
    if (!def || (def->traits & IR_UNREGISTERED))
        return NULL;
    describe_op(def, &text);
    return markdown(&text);
}

static json_t *definition(const document *d, size_t at)
{
    tw_str word = lsp_word(&d->text, at);
    size_t found = lsp_definition(&d->text, word);
    lsp_cursor c = {.text = &d->text};
    return found == SIZE_MAX ? NULL
                             : json_pack("{s:s,s:o}", "uri", d->uri, "range",
                                         lsp_range(&c, found, found + word.size));
}

/* ---- completion --------------------------------------------------------------------- */

static json_t *completion(lsp *s, const document *d, size_t at)
{
    size_t start = at, found = 0;
    while (start > 0 && lsp_is_word(d->text.data[start - 1]))
        start--;
    json_t *items = json_array();
    for (size_t i = 0; i < ir_context_dialect_count(s->rows); i++) {
        const ir_dialect *dialect = ir_context_dialect_at(s->rows, i);
        for (uint32_t k = 0; k < dialect->ops.count && found < MOST_COMPLETIONS; k++) {
            const ir_op_def *def = &dialect->ops.at[k];
            if (strncmp(def->name, d->text.data + start, at - start) != 0)
                continue;
            found++;
            json_array_append_new(items, json_pack("{s:s,s:i,s:s}", "label", def->name,
                                                   "kind", 3, "detail", ""));
        }
    }
    return json_pack("{s:b,s:o}", "isIncomplete", found == MOST_COMPLETIONS, "items",
                     items);
}

/* ---- messages in -------------------------------------------------------------------- */

static json_t *capabilities(void)
{
    return json_pack("{s:{s:i,s:b,s:b,s:b,s:b,s:{s:[s]}},s:{s:s,s:s}}", "capabilities",
                     "textDocumentSync", 1, "hoverProvider", 1, "definitionProvider", 1,
                     "referencesProvider", 1, "documentSymbolProvider", 1,
                     "completionProvider", "triggerCharacters", ".", "serverInfo", "name",
                     "ttmlir-lsp-server", "version", TW_VERSION);
}

static void notified(lsp *s, const char *method, json_t *params, tw_strbuf *out)
{
    json_t *file = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(file, "uri"));
    if (strcmp(method, "textDocument/didOpen") == 0) {
        set_text(s, uri, json_object_get(file, "text"), out);
    } else if (strcmp(method, "textDocument/didChange") == 0) {
        json_t *changes = json_object_get(params, "contentChanges");
        size_t n = json_array_size(changes);
        if (n && find(s, uri))
            set_text(s, uri, json_object_get(json_array_get(changes, n - 1), "text"), out);
    } else if (strcmp(method, "textDocument/didClose") == 0) {
        close_document(s, uri);
    }
}

static void asked(lsp *s, json_t *id, const char *method, json_t *params, tw_strbuf *out)
{
    static const char *const at_place[] = {"textDocument/hover", "textDocument/definition",
                                           "textDocument/completion",
                                           "textDocument/references"};
    if (strcmp(method, "initialize") == 0) {
        reply(out, id, capabilities());
        return;
    }
    if (strcmp(method, "shutdown") == 0) {
        s->shut_down = true;
        reply(out, id, NULL);
        return;
    }
    if (strcmp(method, "textDocument/documentSymbol") == 0) {
        const document *of = find(s, json_string_value(json_object_get(
                                         json_object_get(params, "textDocument"), "uri")));
        if (of)
            reply(out, id, lsp_symbols(&of->text));
        else
            reply_error(out, id, NO_PARAMS, "expected an open document");
        return;
    }
    size_t k = 0;
    while (k < TW_COUNT(at_place) && strcmp(method, at_place[k]) != 0)
        k++;
    if (k == TW_COUNT(at_place)) {
        reply_error(out, id, NO_METHOD, "method not found");
        return;
    }
    json_t *place = json_object_get(params, "position");
    const document *d = find(s, json_string_value(json_object_get(
                                    json_object_get(params, "textDocument"), "uri")));
    json_t *line = json_object_get(place, "line"),
           *column = json_object_get(place, "character");
    if (!d || !json_is_integer(line) || !json_is_integer(column)) {
        reply_error(out, id, NO_PARAMS, "expected an open document and a position");
        return;
    }
    size_t at = lsp_offset(&d->text, json_integer_value(line), json_integer_value(column));
    reply(out, id,
          k == 0   ? hover(s, d, at)
          : k == 1 ? definition(d, at)
          : k == 2 ? completion(s, d, at)
                   : lsp_references(
                         &d->text, d->uri, lsp_word(&d->text, at),
                         json_is_true(json_object_get(json_object_get(params, "context"),
                                                      "includeDeclaration"))));
}

bool lsp_handle(lsp *s, const char *message, size_t size, tw_strbuf *out)
{
    json_error_t error;
    json_t *root = json_loadb(message, size, 0, &error);
    const char *method = json_string_value(json_object_get(root, "method"));
    json_t *id = json_object_get(root, "id"), *params = json_object_get(root, "params");
    bool on = true;
    if (!root)
        reply_error(out, NULL, PARSE_ERROR, error.text);
    else if (method && strcmp(method, "exit") == 0)
        on = false;
    else if (method && id)
        asked(s, id, method, params, out);
    else if (method)
        notified(s, method, params, out);
    json_decref(root);
    return on;
}
