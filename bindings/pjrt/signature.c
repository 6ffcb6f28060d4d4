/* signature.c: what a program takes and returns, as it declares it: complex numbers stay
 * complex, and donated arguments are known. */
#include "pjrt.h"

#include "ir/diagnostic_print.h"
#include "ir/text.h"
#include "pipelines/dialects.h"
#include "pipelines/registry.h"
#include "support/arena.h"
#include "support/status.h"

#include <stdlib.h>
#include <string.h>

static tw_status describe(const char *what, size_t i, ir_type t, pj_value *out)
{
    pj_type type = pj_type_of(ir_type_is_tensor(t) ? t->element : t);
    if (type == PJ_TOKEN) {
        *out = (pj_value){.type = type, .dims = tw_xmalloc(1)};
        return TW_SUCCESS;
    }
    if (!ir_type_is_tensor(t))
        type = PJ_NO_TYPE;
    int64_t n = type && ir_type_has_static_shape(t) ? ir_type_num_elements(t) : -1;
    if (n < 0 || t->count > PJ_MAX_RANK || n > INT64_MAX / 16)
        return tw_error(
            TW_UNSUPPORTED,
            "%s %zu of the program has type '%s'; expected a tensor of known shape of "
            "floats, integers or complex numbers that NumPy has",
            what, i, ir_type_text(t->ctx, t));
    int64_t *dims = tw_xmalloc((t->count + 1) * sizeof *dims);
    memcpy(dims, t->dims, t->count * sizeof *dims);
    *out = (pj_value){.type = type,
                      .rank = t->count,
                      .bytes = (size_t)n * pj_type_size(type),
                      .dims = dims};
    return TW_SUCCESS;
}

static bool is_donated(ir_op *func, size_t i)
{
    ir_attr all = ir_op_attr(func, "arg_attrs");
    ir_attr own = all && i < all->count ? all->items[i] : NULL;
    return own && (ir_dict_get(own, TW_STR("tf.aliasing_output")) ||
                   ir_dict_get(own, TW_STR("jax.buffer_donor")));
}

/* Results in the form that queries want them. */
static void list_results(pj_signature *s)
{
    size_t total = 0;
    for (size_t i = 0; i < s->n_results; i++)
        total += s->results[i].rank;
    s->dims = tw_xmalloc((total + 1) * sizeof *s->dims);
    s->ranks = tw_xmalloc((s->n_results + 1) * sizeof *s->ranks);
    s->types = tw_xmalloc((s->n_results + 1) * sizeof *s->types);
    int64_t *to = s->dims;
    for (size_t i = 0; i < s->n_results; i++) {
        const pj_value *v = &s->results[i];
        s->ranks[i] = v->rank;
        s->types[i] = v->type;
        memcpy(to, v->dims, v->rank * sizeof *to);
        to += v->rank;
    }
}

static tw_status read_function(ir_op *module, pj_signature *s)
{
    ir_op *func = ir_symbol_lookup(module, TW_STR("main"));
    ir_attr type = func ? ir_op_attr(func, "function_type") : NULL;
    if (!type)
        return tw_error(TW_NOT_FOUND, "the program has no function 'main'");
    ir_type t = type->type;
    tw_str name = ir_symbol_name(module);
    s->name = strndup(name.size ? name.data : "main", name.size ? name.size : 4);
    s->arguments = tw_xcalloc(t->count + 1, sizeof *s->arguments);
    s->results = tw_xcalloc(t->results + 1, sizeof *s->results);
    for (size_t i = 0; i < t->count; i++, s->n_arguments++) {
        TW_TRY(describe("argument", i, t->types[i], &s->arguments[i]));
        s->arguments[i].donated = is_donated(func, i);
    }
    for (size_t i = 0; i < t->results; i++, s->n_results++)
        TW_TRY(describe("result", i, ir_function_results(t)[i], &s->results[i]));
    list_results(s);
    return TW_SUCCESS;
}

tw_status pj_signature_read(const char *code, size_t size, pj_signature *out)
{
    tw_str text = {code, size};
    ir_diagnostic_log log = {.quotes = {.name = "<program>"}};
    ir_context *ctx = ir_context_create();
    tw_status status = TW_SUCCESS;

    *out = (pj_signature){0};
    ir_register_all(ctx);
    ir_context_set_sink(ctx, ir_diagnostic_log_sink(&log));
    ir_op *module =
        ir_parse(ctx, text, "<program>", &(ir_parse_options){.no_verify = true});
    pass_manager *pm =
        pass_manager_create(ctx, &tw_passes, &(pass_config){.no_verify = true});
    bool ok = module && pass_manager_add(pm, TW_STR("vhlo-legalize-to-stablehlo")) &&
              pass_manager_run(pm, module);
    pass_manager_destroy(pm);
    ir_flush_diagnostics(ctx);
    status = ok ? read_function(module, out)
                : tw_error(TW_INVALID, "%s", tw_strbuf_text(&log.text));
    ir_context_destroy(ctx);
    tw_strbuf_free(&log.text);
    return status;
}

static void free_values(pj_value *values, size_t n)
{
    for (size_t i = 0; values && i < n; i++)
        free((void *)(uintptr_t)values[i].dims);
    free(values);
}

void pj_signature_free(pj_signature *s)
{
    free_values(s->arguments, s->n_arguments);
    free_values(s->results, s->n_results);
    free(s->name);
    free(s->dims);
    free(s->ranks);
    free(s->types);
}
