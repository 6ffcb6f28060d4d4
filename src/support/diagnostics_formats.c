/* diagnostics_formats.c: a list of diagnostics as SARIF 2.1.0, workflow commands of GitHub,
 * JUnit's XML and JSON. */
#include "support/diagnostics.h"

#include "support/json.h"

#include <ctype.h>

typedef struct report {
    const tw_diagnostics *list;
    const tw_report_about *about;
    bool failed;
    tw_strbuf *out;
} report;

static const char *const words[] = {"error", "warning", "remark"};

static size_t count(const report *r, tw_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < r->list->count; i++)
        n += r->list->at[i].severity == severity;
    return n;
}

static const char *rule_of(const tw_diagnostic *d)
{
    return d->rule ? d->rule : words[d->severity];
}

/* "L1 race" as "l1-race"; names of operations stay. */
static void put_rule_id(tw_strbuf *out, const char *rule)
{
    for (; *rule; rule++)
        tw_strbuf_putc(out, *rule == ' ' ? '-' : (char)tolower((unsigned char)*rule));
}

/* The text, its notes and the help, a line each; notes elsewhere with their location. */
static void put_text(tw_strbuf *out, const tw_diagnostic *d)
{
    tw_strbuf_puts(out, d->text);
    for (size_t i = 0; i < d->n_notes; i++) {
        const tw_diagnostic_note *note = &d->notes[i];
        tw_strbuf_putc(out, '\n');
        if (note->at.file)
            tw_strbuf_printf(out, "%s:%u: ", note->at.file, note->at.line);
        tw_strbuf_printf(out, "note: %s", note->text);
    }
    if (d->help)
        tw_strbuf_printf(out, "\nhelp: %s", d->help);
}

static bool is_elsewhere(const tw_diagnostic *d, const tw_diagnostic_note *note)
{
    return note->at.file && d->at.file &&
           (note->at.line != d->at.line || strcmp(note->at.file, d->at.file) != 0);
}

/* ---- JSON */

static void json_text(tw_json *j, const char *name, const char *text)
{
    if (text)
        tw_json_text(j, name, (tw_str){text, strlen(text)});
}

static void json_location(tw_json *j, const tw_location *at)
{
    json_text(j, "file", at->file);
    if (at->file && at->line)
        tw_json_u64(j, "line", at->line);
    if (at->file && at->column)
        tw_json_u64(j, "column", at->column);
}

static void put_json(const report *r)
{
    tw_json j = {.out = r->out};
    tw_json_open(&j, NULL, '{');
    tw_json_u64(&j, "version", 1);
    json_text(&j, "tool", r->about->tool);
    json_text(&j, "input", r->about->input);
    tw_json_bool(&j, "failed", r->failed);
    tw_json_open(&j, "diagnostics", '[');
    for (size_t i = 0; i < r->list->count; i++) {
        const tw_diagnostic *d = &r->list->at[i];
        tw_json_open(&j, NULL, '{');
        json_text(&j, "severity", words[d->severity]);
        json_text(&j, "rule", d->rule);
        json_text(&j, "text", d->text);
        json_location(&j, &d->at);
        tw_json_open(&j, "notes", '[');
        for (size_t k = 0; k < d->n_notes; k++) {
            tw_json_open(&j, NULL, '{');
            json_text(&j, "text", d->notes[k].text);
            json_location(&j, &d->notes[k].at);
            tw_json_close(&j, '}');
        }
        tw_json_close(&j, ']');
        json_text(&j, "help", d->help);
        tw_json_close(&j, '}');
    }
    tw_json_close(&j, ']');
    tw_json_close(&j, '}');
    tw_strbuf_putc(r->out, '\n');
}

/* ---- SARIF */

/* A path as a URI reference: relative ones stay relative. */
static void put_uri(tw_strbuf *out, const char *path)
{
    if (*path == '/')
        tw_strbuf_puts(out, "file://");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/._-~", *path))
            tw_strbuf_putc(out, *path);
        else
            tw_strbuf_printf(out, "%%%02X", (unsigned char)*path);
}

static void sarif_message(tw_json *j, const char *name, const char *text)
{
    tw_json_open(j, name, '{');
    json_text(j, "text", text);
    tw_json_close(j, '}');
}

static void sarif_place(tw_json *j, const tw_location *at)
{
    tw_strbuf uri = {0};
    put_uri(&uri, at->file);
    tw_json_open(j, "physicalLocation", '{');
    tw_json_open(j, "artifactLocation", '{');
    json_text(j, "uri", tw_strbuf_text(&uri));
    tw_json_close(j, '}');
    if (at->line) {
        tw_json_open(j, "region", '{');
        tw_json_u64(j, "startLine", at->line);
        if (at->column)
            tw_json_u64(j, "startColumn", at->column);
        tw_json_close(j, '}');
    }
    tw_json_close(j, '}');
    tw_strbuf_free(&uri);
}

static void sarif_result(const report *r, tw_json *j, const tw_diagnostic *d)
{
    static const char *const levels[] = {"error", "warning", "note"};
    tw_strbuf text = {0};
    tw_json_open(j, NULL, '{');
    put_rule_id(&text, rule_of(d));
    json_text(j, "ruleId", tw_strbuf_text(&text));
    json_text(j, "level", levels[d->severity]);
    text.size = 0;
    put_text(&text, d);
    sarif_message(j, "message", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    const tw_location at = d->at.file ? d->at : (tw_location){.file = r->about->input};
    tw_json_open(j, "locations", '[');
    if (at.file) {
        tw_json_open(j, NULL, '{');
        sarif_place(j, &at);
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
    tw_json_open(j, "relatedLocations", '[');
    for (size_t i = 0; i < d->n_notes; i++) {
        const tw_diagnostic_note *note = &d->notes[i];
        if (!note->at.file)
            continue;
        tw_json_open(j, NULL, '{');
        tw_json_u64(j, "id", i + 1);
        sarif_message(j, "message", note->text);
        sarif_place(j, &note->at);
        tw_json_close(j, '}');
    }
    tw_json_close(j, ']');
    tw_json_close(j, '}');
}

/* The first diagnostic of each rule describes it. */
static void sarif_rules(const report *r, tw_json *j)
{
    tw_json_open(j, "rules", '[');
    for (size_t i = 0; i < r->list->count; i++) {
        const char *rule = rule_of(&r->list->at[i]);
        size_t first = 0;
        while (strcmp(rule_of(&r->list->at[first]), rule) != 0)
            first++;
        if (first < i)
            continue;
        tw_strbuf id = {0};
        put_rule_id(&id, rule);
        tw_json_open(j, NULL, '{');
        json_text(j, "id", tw_strbuf_text(&id));
        sarif_message(j, "shortDescription", rule);
        tw_json_close(j, '}');
        tw_strbuf_free(&id);
    }
    tw_json_close(j, ']');
}

static void put_sarif(const report *r)
{
    tw_json j = {.out = r->out};
    tw_json_open(&j, NULL, '{');
    json_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_text(&j, "version", "2.1.0");
    tw_json_open(&j, "runs", '[');
    tw_json_open(&j, NULL, '{');
    tw_json_open(&j, "tool", '{');
    tw_json_open(&j, "driver", '{');
    json_text(&j, "name", "Tilewright");
    json_text(&j, "version", TW_VERSION);
    sarif_rules(r, &j);
    tw_json_close(&j, '}');
    tw_json_close(&j, '}');
    tw_json_open(&j, "invocations", '[');
    tw_json_open(&j, NULL, '{');
    tw_json_bool(&j, "executionSuccessful", !r->failed);
    json_text(&j, "commandLine", r->about->tool);
    tw_json_close(&j, '}');
    tw_json_close(&j, ']');
    tw_json_open(&j, "results", '[');
    for (size_t i = 0; i < r->list->count; i++)
        sarif_result(r, &j, &r->list->at[i]);
    tw_json_close(&j, ']');
    tw_json_close(&j, '}');
    tw_json_close(&j, ']');
    tw_json_close(&j, '}');
    tw_strbuf_putc(r->out, '\n');
}

/* ---- GitHub */

/* Values of properties also escape what separates them. */
static void github_text(tw_strbuf *out, const char *text, bool property)
{
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (property && (*text == ':' || *text == ',')))
            tw_strbuf_printf(out, "%%%02X", (unsigned char)*text);
        else
            tw_strbuf_putc(out, *text);
}

static void github_command(tw_strbuf *out, const char *command, const tw_location *at,
                           const char *title, const char *text)
{
    tw_strbuf_printf(out, "::%s ", command);
    if (at->file) {
        tw_strbuf_puts(out, "file=");
        github_text(out, at->file, true);
        if (at->line)
            tw_strbuf_printf(out, ",line=%u", at->line);
        if (at->line && at->column)
            tw_strbuf_printf(out, ",col=%u", at->column);
        tw_strbuf_putc(out, ',');
    }
    tw_strbuf_puts(out, "title=");
    github_text(out, title, true);
    tw_strbuf_puts(out, "::");
    github_text(out, text, false);
    tw_strbuf_putc(out, '\n');
}

static void put_github(const report *r)
{
    static const char *const commands[] = {"error", "warning", "notice"};
    for (size_t i = 0; i < r->list->count; i++) {
        const tw_diagnostic *d = &r->list->at[i];
        const tw_location at = d->at.file ? d->at : (tw_location){.file = r->about->input};
        tw_strbuf text = {0};
        put_text(&text, d);
        github_command(r->out, commands[d->severity], &at, rule_of(d),
                       tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        for (size_t k = 0; k < d->n_notes; k++)
            if (is_elsewhere(d, &d->notes[k]))
                github_command(r->out, "notice", &d->notes[k].at, rule_of(d),
                               d->notes[k].text);
    }
}

/* ---- JUnit */

/* Control characters that XML 1.0 forbids become '?'. */
static void xml_text(tw_strbuf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            tw_strbuf_puts(out, "&#10;");
        else if ((unsigned char)*text < ' ' && *text != '\t')
            tw_strbuf_putc(out, '?');
        else
            tw_strbuf_markup(out, (tw_str){text, 1});
}

static void xml_attribute(tw_strbuf *out, const char *name, const char *value)
{
    tw_strbuf_printf(out, " %s=\"", name);
    xml_text(out, value);
    tw_strbuf_putc(out, '"');
}

static void junit_failure(const report *r, const tw_diagnostic *d, const char *input)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(r->out, "    <testcase");
    xml_attribute(r->out, "classname", input);
    tw_strbuf_printf(&text, "%s (%s:%u)", rule_of(d), d->at.file ? d->at.file : input,
                     d->at.file ? d->at.line : 0);
    xml_attribute(r->out, "name", tw_strbuf_text(&text));
    tw_strbuf_puts(r->out, "><failure");
    xml_attribute(r->out, "type", rule_of(d));
    xml_attribute(r->out, "message", d->text);
    tw_strbuf_putc(r->out, '>');
    text.size = 0;
    if (d->at.file)
        tw_strbuf_printf(&text, "%s:%u:%u: ", d->at.file, d->at.line, d->at.column);
    put_text(&text, d);
    xml_text(r->out, tw_strbuf_text(&text));
    tw_strbuf_puts(r->out, "</failure></testcase>\n");
    tw_strbuf_free(&text);
}

/* A test case for each error, or one that passes; warnings and remarks are its output. */
static void put_junit(const report *r)
{
    const size_t errors = count(r, TW_SEVERITY_ERROR);
    const char *input = r->about->input ? r->about->input : r->about->tool;
    tw_strbuf_printf(r->out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                     "  <testsuite tests=\"%zu\" failures=\"%zu\" errors=\"0\"",
                     errors ? errors : 1, errors ? errors : (size_t)r->failed);
    xml_attribute(r->out, "name", r->about->tool);
    tw_strbuf_puts(r->out, ">\n");
    for (size_t i = 0; i < r->list->count; i++)
        if (r->list->at[i].severity == TW_SEVERITY_ERROR)
            junit_failure(r, &r->list->at[i], input);
    if (!errors) {
        tw_strbuf_puts(r->out, "    <testcase");
        xml_attribute(r->out, "classname", r->about->tool);
        xml_attribute(r->out, "name", input);
        tw_strbuf_puts(r->out,
                       r->failed ? "><failure message=\"failed\"/></testcase>\n" : "/>\n");
    }
    if (r->list->count > errors) {
        tw_strbuf_puts(r->out, "    <system-out>");
        for (size_t i = 0; i < r->list->count; i++) {
            const tw_diagnostic *d = &r->list->at[i];
            tw_strbuf text = {0};
            if (d->severity == TW_SEVERITY_ERROR)
                continue;
            if (d->at.file)
                tw_strbuf_printf(&text, "%s:%u:%u: ", d->at.file, d->at.line, d->at.column);
            tw_strbuf_printf(&text, "%s: ", words[d->severity]);
            put_text(&text, d);
            tw_strbuf_putc(&text, '\n');
            xml_text(r->out, tw_strbuf_text(&text));
            tw_strbuf_free(&text);
        }
        tw_strbuf_puts(r->out, "</system-out>\n");
    }
    tw_strbuf_puts(r->out, "  </testsuite>\n</testsuites>\n");
}

/* ---- formats */

static const struct {
    const char *name;
    void (*put)(const report *r);
} formats[] = {
    {"github", put_github},
    {"json", put_json},
    {"junit", put_junit},
    {"sarif", put_sarif},
};

TW_EXPORT const char *tw_report_format(size_t i)
{
    return i < TW_COUNT(formats) ? formats[i].name : NULL;
}

TW_EXPORT const char *tw_diagnostics_report(tw_diagnostics *list, const char *format,
                                            const tw_report_about *about)
{
    report r = {.list = list, .about = about, .out = &list->report};
    size_t i = 0;
    while (i < TW_COUNT(formats) && strcmp(formats[i].name, format) != 0)
        i++;
    if (i == TW_COUNT(formats))
        return NULL;
    pthread_mutex_lock(&list->mutex);
    r.failed = about->failed || count(&r, TW_SEVERITY_ERROR);
    list->report.size = 0;
    tw_strbuf_puts(&list->report, "");
    formats[i].put(&r);
    pthread_mutex_unlock(&list->mutex);
    return tw_strbuf_text(&list->report);
}
