/* lsp.c: the requests and notifications of an editor.
 *
 * A changed document is parsed again when a request needs it or no message waits.
 * Information on an operation comes from its row.  Definitions are found in the text, so
 * that they work in files with errors. */
#include "lsp.h"

#include "describe.h"
#include "ir/text.h"
#include "lsp_document.h"
#include "lsp_format.h"
#include "lsp_text.h"
#include "pipelines/dialects.h"
#include "support/arena.h"

#include <stdlib.h>

typedef lsp_document document;

struct lsp {
    ir_context *rows; /* every dialect, for looking up operations */
    document *documents;
    size_t n_documents, capacity;
    json_t *cancelled; /* ids of waiting requests that were cancelled */
    bool initialized, shut_down;
};

enum { MAX_COMPLETIONS = 200 };

/* Error codes of JSON-RPC and the protocol. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    NO_METHOD = -32601,
    NO_PARAMS = -32602,
    NOT_INITIALIZED = -32002,
    REQUEST_FAILED = -32803,
    REQUEST_CANCELLED = -32800
};

lsp *lsp_create(void)
{
    lsp *s = tw_xcalloc(1, sizeof *s);
    s->rows = ir_context_create();
    ir_register_all(s->rows);
    s->cancelled = json_array();
    return s;
}

void lsp_destroy(lsp *s)
{
    for (size_t i = 0; i < s->n_documents; i++)
        lsp_document_free(&s->documents[i]);
    free(s->documents);
    json_decref(s->cancelled);
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

/* ---- documents ---------------------------------------------------------------------- */

static document *find(lsp *s, const char *uri)
{
    for (size_t i = 0; uri && i < s->n_documents; i++)
        if (strcmp(s->documents[i].uri, uri) == 0)
            return &s->documents[i];
    return NULL;
}

static void publish(const document *d, json_t *diagnostics, tw_strbuf *out)
{
    json_t *params = json_pack("{s:s,s:o}", "uri", d->uri, "diagnostics", diagnostics);
    if (d->version >= 0)
        json_object_set_new(params, "version", json_integer(d->version));
    send(out, json_pack("{s:s,s:o}", "method", "textDocument/publishDiagnostics", "params",
                        params));
}

/* Parses the document if it has changed and publishes its diagnostics. */
static void refresh(document *d, tw_strbuf *out)
{
    json_t *diagnostics = lsp_document_read(d);
    if (diagnostics)
        publish(d, diagnostics, out);
}

void lsp_idle(lsp *s, tw_strbuf *out)
{
    for (size_t i = 0; i < s->n_documents; i++)
        refresh(&s->documents[i], out);
}

static void open_document(lsp *s, json_t *file)
{
    const char *uri = json_string_value(json_object_get(file, "uri"));
    json_t *text = json_object_get(file, "text");
    json_t *version = json_object_get(file, "version");
    document *d = find(s, uri);
    if (!uri || !json_is_string(text))
        return;
    if (!d) {
        document fresh = {.uri = tw_xstrdup(uri)};
        TW_PUSH(s->documents, s->n_documents, s->capacity, fresh);
        d = &s->documents[s->n_documents - 1];
    }
    d->version = json_is_integer(version) ? json_integer_value(version) : -1;
    d->text.size = 0;
    tw_strbuf_append(&d->text, json_string_value(text), json_string_length(text));
    d->stale = true;
}

static void close_document(lsp *s, const char *uri, tw_strbuf *out)
{
    document *d = find(s, uri);
    if (!d)
        return;
    d->version = -1;
    publish(d, json_array(), out); /* a closed document has none */
    lsp_document_free(d);
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

/* The first operation that starts on a line. */
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

/* The type after an argument's name: up to the comma or parenthesis that ends it. */
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

/* A value's type and its defining operation; the line of a symbol or alias. */
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
    seeker s = {0};
    bool is_result =
        word.data[0] == '%' && at == start + strspn(d->text.data + start, " \t");
    tw_strbuf_puts(&out, "```mlir\n");
    for (size_t i = 0; is_result && i < d->n_chunks && !s.found; i++) {
        s.line = (uint32_t)line - d->chunks[i].line;
        if (d->chunks[i].module && at >= d->chunks[i].start &&
            at < d->chunks[i].start + d->chunks[i].size)
            ir_walk_pre(d->chunks[i].module, seek, &s);
    }
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
        for (uint32_t k = 0; k < dialect->ops.count && found < MAX_COMPLETIONS; k++) {
            const ir_op_def *def = &dialect->ops.at[k];
            if (strncmp(def->name, d->text.data + start, at - start) != 0)
                continue;
            found++;
            json_array_append_new(items, json_pack("{s:s,s:i,s:s}", "label", def->name,
                                                   "kind", 3, "detail", ""));
        }
    }
    return json_pack("{s:b,s:o}", "isIncomplete", found == MAX_COMPLETIONS, "items", items);
}

/* ---- formatting and fixes ----------------------------------------------------------- */

static json_t *text_edits(const document *d, const tw_strbuf *text)
{
    lsp_cursor c = {.text = &d->text};
    json_t *written = json_stringn(tw_strbuf_text(text), text->size);
    if (!written ||
        (text->size == d->text.size && !memcmp(text->data, d->text.data, text->size))) {
        json_decref(written);
        return json_array();
    }
    return json_pack("[{s:o,s:o}]", "range", lsp_range(&c, 0, d->text.size), "newText",
                     written);
}

static size_t offset_in(const document *d, json_t *range, const char *end)
{
    json_t *position = json_object_get(range, end);
    return lsp_offset(&d->text, json_integer_value(json_object_get(position, "line")),
                      json_integer_value(json_object_get(position, "character")));
}

/* ---- messages in -------------------------------------------------------------------- */

typedef struct request {
    lsp *server;
    document *d;
    json_t *id, *params;
    size_t at; /* the offset of the position, for methods that have one */
    tw_strbuf *out;
} request;

static void ask_hover(const request *r)
{
    reply(r->out, r->id, hover(r->server, r->d, r->at));
}

static void ask_definition(const request *r)
{
    reply(r->out, r->id, definition(r->d, r->at));
}

static void ask_completion(const request *r)
{
    reply(r->out, r->id, completion(r->server, r->d, r->at));
}

static void ask_references(const request *r)
{
    json_t *context = json_object_get(r->params, "context");
    bool all = json_is_true(json_object_get(context, "includeDeclaration"));
    tw_str word = lsp_word(&r->d->text, r->at);
    reply(r->out, r->id, lsp_references(&r->d->text, r->d->uri, word, all));
}

static void ask_symbols(const request *r)
{
    reply(r->out, r->id, lsp_symbols(&r->d->text));
}

static void ask_fixes(const request *r)
{
    json_t *range = json_object_get(r->params, "range");
    size_t start = offset_in(r->d, range, "start"), end = offset_in(r->d, range, "end");
    reply(r->out, r->id,
          lsp_fix_actions(&r->d->text, r->d->uri, r->d->fixes, r->d->n_fixes, start, end));
}

static void ask_formatting(const request *r)
{
    tw_strbuf text = {0};
    const char *why = lsp_format(r->d, &text);
    if (why)
        reply_error(r->out, r->id, REQUEST_FAILED, why);
    else
        reply(r->out, r->id, text_edits(r->d, &text));
    tw_strbuf_free(&text);
}

/* Requests about a document, and the capability that announces each. */
static const struct {
    const char *method, *capability;
    bool has_position;
    void (*ask)(const request *r);
} methods[] = {
    {"textDocument/hover", "hoverProvider", true, ask_hover},
    {"textDocument/definition", "definitionProvider", true, ask_definition},
    {"textDocument/references", "referencesProvider", true, ask_references},
    {"textDocument/completion", NULL, true, ask_completion},
    {"textDocument/documentSymbol", "documentSymbolProvider", false, ask_symbols},
    {"textDocument/formatting", "documentFormattingProvider", false, ask_formatting},
    {"textDocument/codeAction", NULL, false, ask_fixes},
};

static json_t *capabilities(void)
{
    enum { INCREMENTAL = 2 };
    json_t *all =
        json_pack("{s:{s:b,s:i},s:{s:[s]},s:{s:[s]}}", "textDocumentSync", "openClose", 1,
                  "change", INCREMENTAL, "completionProvider", "triggerCharacters", ".",
                  "codeActionProvider", "codeActionKinds", "quickfix");
    for (size_t i = 0; i < TW_COUNT(methods); i++)
        if (methods[i].capability)
            json_object_set_new(all, methods[i].capability, json_true());
    return json_pack("{s:o,s:{s:s,s:s}}", "capabilities", all, "serverInfo", "name",
                     "ttmlir-lsp-server", "version", TW_VERSION);
}

static void notified(lsp *s, const char *method, json_t *params, tw_strbuf *out)
{
    json_t *file = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(file, "uri"));
    document *d = find(s, uri);
    if (strcmp(method, "textDocument/didOpen") == 0) {
        open_document(s, file);
    } else if (strcmp(method, "textDocument/didChange") == 0 && d) {
        json_t *version = json_object_get(file, "version");
        d->version = json_is_integer(version) ? json_integer_value(version) : -1;
        lsp_document_change(d, json_object_get(params, "contentChanges"));
    } else if (strcmp(method, "textDocument/didClose") == 0) {
        close_document(s, uri, out);
    }
}

static void ask_about_document(lsp *s, json_t *id, const char *method, json_t *params,
                               tw_strbuf *out)
{
    size_t k = 0;
    while (k < TW_COUNT(methods) && strcmp(method, methods[k].method) != 0)
        k++;
    if (k == TW_COUNT(methods)) {
        reply_error(out, id, NO_METHOD, "method not found");
        return;
    }
    json_t *position = json_object_get(params, "position");
    json_t *line = json_object_get(position, "line");
    json_t *column = json_object_get(position, "character");
    json_t *file = json_object_get(params, "textDocument");
    request r = {
        s, find(s, json_string_value(json_object_get(file, "uri"))), id, params, 0, out};
    bool has_place = json_is_integer(line) && json_is_integer(column);
    if (!r.d || (methods[k].has_position && !has_place)) {
        reply_error(out, id, NO_PARAMS,
                    methods[k].has_position ? "expected an open document and a position"
                                            : "expected an open document");
        return;
    }
    refresh(r.d, out);
    if (methods[k].has_position)
        r.at = lsp_offset(&r.d->text, json_integer_value(line), json_integer_value(column));
    methods[k].ask(&r);
}

static void asked(lsp *s, json_t *id, const char *method, json_t *params, tw_strbuf *out)
{
    bool first = strcmp(method, "initialize") == 0;
    if (first && !s->initialized) {
        s->initialized = true;
        reply(out, id, capabilities());
    } else if (!s->initialized) {
        reply_error(out, id, NOT_INITIALIZED, "expected initialize before all else");
    } else if (first || s->shut_down) {
        reply_error(out, id, INVALID_REQUEST,
                    first ? "already initialized" : "no request is valid after shutdown");
    } else if (strcmp(method, "shutdown") == 0) {
        s->shut_down = true;
        lsp_idle(s, out);
        reply(out, id, NULL);
    } else {
        ask_about_document(s, id, method, params, out);
    }
}

/* ---- cancelling --------------------------------------------------------------------- */

/* Removes an id from the cancelled ones; true if it was among them. */
static bool forget_cancelled(lsp *s, json_t *id)
{
    for (size_t i = 0; i < json_array_size(s->cancelled); i++)
        if (json_equal(json_array_get(s->cancelled, i), id)) {
            json_array_remove(s->cancelled, i);
            return true;
        }
    return false;
}

static bool is_cancel(const char *method)
{
    return method && strcmp(method, "$/cancelRequest") == 0;
}

void lsp_expect(lsp *s, const char *message, size_t size)
{
    enum { CAPACITY = 1024 }; /* no cancel message is longer */
    json_error_t error;
    if (size > CAPACITY || !memmem(message, size, "cancelRequest", 13))
        return;
    json_t *root = json_loadb(message, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    json_t *id = json_object_get(json_object_get(root, "params"), "id");
    if (is_cancel(json_string_value(json_object_get(root, "method"))) &&
        (json_is_integer(id) || json_is_string(id)))
        json_array_append(s->cancelled, id);
    json_decref(root);
}

bool lsp_handle(lsp *s, const char *message, size_t size, tw_strbuf *out)
{
    json_error_t error;
    json_t *root = json_loadb(message, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    const char *method = json_string_value(json_object_get(root, "method"));
    json_t *id = json_object_get(root, "id"), *params = json_object_get(root, "params");
    bool named = !id || json_is_integer(id) || json_is_string(id);
    bool on = true;
    if (!root)
        reply_error(out, NULL, PARSE_ERROR, error.text);
    else if (!json_is_object(root) || !named ||
             (!method && !json_object_get(root, "result") &&
              !json_object_get(root, "error")))
        reply_error(out, NULL, INVALID_REQUEST,
                    "expected an object with a method, and an id that is a number or text");
    else if (method && !id && strcmp(method, "exit") == 0)
        on = false;
    else if (method && id && forget_cancelled(s, id))
        reply_error(out, id, REQUEST_CANCELLED, "cancelled");
    else if (method && id)
        asked(s, id, method, params, out);
    else if (is_cancel(method))
        forget_cancelled(s, json_object_get(params, "id"));
    else if (method && s->initialized && !s->shut_down)
        notified(s, method, params, out);
    json_decref(root);
    return on;
}
