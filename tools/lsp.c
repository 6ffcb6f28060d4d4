/* lsp.c: diagnostics, hover, go to definition and completion for MLIR's text.
 *
 * Documents are kept whole and read anew at each change; what an operation is comes from
 * its row.  Definitions are found in the text, so that they work in files with errors. */
#include "lsp.h"

#include "describe.h"
#include "dialect/all.h"
#include "ir/op.h"
#include "ir/text.h"

#include <jansson.h>
#include <stdlib.h>

typedef struct document {
    char *uri;
    tw_strbuf text;
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

/* ---- places ------------------------------------------------------------------------- */

/* Units of UTF-16 in the bytes of a line before a place. */
static size_t utf16_units(const char *line, size_t bytes)
{
    size_t units = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)line[i];
        units += c < 0x80 || (c >= 0xC0 && c < 0xF0) ? 1 : c >= 0xF0 ? 2 : 0;
    }
    return units;
}

static json_t *position_of(const tw_strbuf *text, size_t offset)
{
    size_t line = 0, start = 0;
    for (size_t i = 0; i < offset; i++)
        if (text->data[i] == '\n') {
            line++;
            start = i + 1;
        }
    return json_pack("{s:I,s:I}", "line", (json_int_t)line, "character",
                     (json_int_t)utf16_units(text->data + start, offset - start));
}

static json_t *range_of(const tw_strbuf *text, size_t start, size_t end)
{
    return json_pack("{s:o,s:o}", "start", position_of(text, start), "end",
                     position_of(text, end));
}

/* The offset of a position; the line's or text's end for one that is beyond. */
static size_t offset_of(const tw_strbuf *text, json_int_t line, json_int_t character)
{
    size_t i = 0;
    for (; line > 0 && i < text->size; i++)
        line -= text->data[i] == '\n';
    size_t start = i;
    while (i < text->size && text->data[i] != '\n' &&
           (json_int_t)utf16_units(text->data + start, i - start) < character)
        i++;
    return i;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '$' || c == '-';
}

/* The word at a place, with the sigil before it. */
static tw_str word_at(const tw_strbuf *text, size_t at)
{
    size_t start = at, end = at;
    while (start > 0 && is_word(text->data[start - 1]))
        start--;
    if (start > 0 && strchr("%#!^@", text->data[start - 1]))
        start--;
    else if (start == at && at < text->size && text->data[at] &&
             strchr("%#!^@", text->data[at]))
        end++;
    while (end < text->size && is_word(text->data[end]))
        end++;
    return (tw_str){text->data + start, end - start};
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
    for (end = at; end < c->text->size && is_word(c->text->data[end]);)
        end++;
    tw_strbuf_puts(&message, d->text);
    for (size_t i = 0; i < d->n_notes; i++)
        tw_strbuf_printf(&message, "\nnote: %s", d->notes[i].text);
    json_t *text = json_stringn(message.data, message.size);
    if (text) /* what is no UTF-8 cannot be sent */
        json_array_append_new(c->list, json_pack("{s:o,s:i,s:s,s:o}", "range",
                                                 range_of(c->text, at, end), "severity",
                                                 severities[d->severity], "source",
                                                 "tilewright", "message", text));
    tw_strbuf_free(&message);
}

static void publish(const document *d, tw_strbuf *out)
{
    collector c = {&d->text, json_array()};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){collect, &c});
    ir_parse(ctx, (tw_str){d->text.data, d->text.size}, "document", NULL);
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
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

static json_t *describe(const ir_op_def *def)
{
    tw_strbuf text = {0};
    describe_op(def, &text);
    json_t *result = json_pack("{s:{s:s,s:s}}", "contents", "kind", "markdown", "value",
                               tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return result;
}

static json_t *hover(lsp *s, const document *d, size_t at)
{
    const ir_op_def *def = ir_context_op_def(s->rows, word_at(&d->text, at));
    return def && !(def->traits & IR_UNREGISTERED) ? describe(def) : NULL;
}

/* ---- definitions -------------------------------------------------------------------- */

static bool only_blanks_before(const tw_strbuf *text, size_t at)
{
    while (at > 0 && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
        at--;
    return at == 0 || text->data[at - 1] == '\n';
}

static char next_char(const tw_strbuf *text, size_t at)
{
    while (at < text->size && (text->data[at] == ' ' || text->data[at] == '\t'))
        at++;
    return at < text->size ? text->data[at] : 0;
}

/* Whether a place is in the parentheses behind a name with the sigil @ or ^. */
static bool in_arguments(const tw_strbuf *text, size_t at)
{
    int depth = 0;
    while (at > 0 && text->data[at - 1] != '\n' && depth >= 0) {
        at--;
        depth += (text->data[at] == ')') - (text->data[at] == '(');
    }
    if (depth >= 0)
        return false;
    while (at > 0 && is_word(text->data[at - 1]))
        at--;
    return at > 0 && (text->data[at - 1] == '@' || text->data[at - 1] == '^');
}

/* Whether a name is defined where it stands: %a = , %a:2 = , @f(%a: type), ^bb1(, #a = ,
 * and for symbols whatever is no use: a name behind a keyword other than call. */
static bool is_definition(const tw_strbuf *text, size_t at, size_t end)
{
    char next = next_char(text, end);
    if (text->data[at] == '@') {
        size_t word = at;
        while (word > 0 && text->data[word - 1] == ' ')
            word--;
        return word >= 4 && word < at && is_word(text->data[word - 1]) &&
               memcmp(text->data + word - 4, "call", 4) != 0;
    }
    if (only_blanks_before(text, at))
        return text->data[at] == '^' ? next == '(' || next == ':'
                                     : next == '=' || next == ':' || next == ',';
    return text->data[at] == '%' &&
           (next == '=' || (next == ':' && in_arguments(text, at)));
}

/* The nearest definition above, else the first anywhere. */
static json_t *definition(const document *d, size_t at)
{
    const tw_strbuf *text = &d->text;
    tw_str word = word_at(text, at);
    size_t best = SIZE_MAX, here = (size_t)(word.data - text->data);
    if (word.size < 2 || !strchr("%#!^@", word.data[0]))
        return NULL;
    for (size_t i = 0; i + word.size <= text->size; i++) {
        size_t end = i + word.size;
        if (memcmp(text->data + i, word.data, word.size) != 0 ||
            (end < text->size && is_word(text->data[end])) || !is_definition(text, i, end))
            continue;
        if (best == SIZE_MAX || i <= here)
            best = i;
    }
    if (best == SIZE_MAX)
        return NULL;
    return json_pack("{s:s,s:o}", "uri", d->uri, "range",
                     range_of(text, best, best + word.size));
}

/* ---- completion --------------------------------------------------------------------- */

static json_t *completion(lsp *s, const document *d, size_t at)
{
    size_t start = at, found = 0;
    while (start > 0 && is_word(d->text.data[start - 1]))
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
    return json_pack("{s:{s:i,s:b,s:b,s:{s:[s]}},s:{s:s,s:s}}", "capabilities",
                     "textDocumentSync", 1, "hoverProvider", 1, "definitionProvider", 1,
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
                                           "textDocument/completion"};
    if (strcmp(method, "initialize") == 0) {
        reply(out, id, capabilities());
        return;
    }
    if (strcmp(method, "shutdown") == 0) {
        s->shut_down = true;
        reply(out, id, NULL);
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
    size_t at = offset_of(&d->text, json_integer_value(line), json_integer_value(column));
    reply(out, id,
          k == 0   ? hover(s, d, at)
          : k == 1 ? definition(d, at)
                   : completion(s, d, at));
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
