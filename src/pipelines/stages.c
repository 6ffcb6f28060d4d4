/* stages.c: the stages of stages.h and their options. */
#include "pipelines/stages.h"

#include "pipelines/registry.h"

/* The embedded device supports every element type of the program, and preserves every cast:
 * no type is replaced by one that hardware supports, consecutive casts are kept, and no
 * operation is replaced by an approximation. */
#define EXACT                                                                              \
    "enable-element-type-normalization=false "                                             \
    "canonicalize-disable-patterns=ttir.MergeTypecasts "
const tw_stage tw_stages[TW_STAGES] = {
    {.before = "stablehlo-total-order-to-integers",
     .pipeline = "stablehlo-to-ttir-pipeline",
     .options = "enable-aggressive-simplification=false enable-cpu-fallback=false",
     .dump = "ttir_initial.mlir"},
    {.before = "ttnn-resolve-composites,ttcore-optimization-barrier-fold,"
               "ttir-dequantize-computation",
     .pipeline = "ttnn-ttir-passes",
     .options = EXACT "enable-exact-fusing=true",
     .as_written = EXACT "enable-fusing-pass=false",
     .dump = "ttir_optimized.mlir"},
    {.pipeline = "ttnn-lowering-passes",
     .options = "signed-integers=true",
     .dump = "ttnn.mlir"},
};

/* The next of the options, "name=value"; empty at the end. */
static tw_str next_option(const char **at)
{
    *at += strspn(*at, " ");
    tw_str option = {*at, strcspn(*at, " ")};
    *at += option.size;
    return option;
}

static tw_str name_of(tw_str option)
{
    const char *equals = memchr(option.data, '=', option.size);
    return (tw_str){option.data, equals ? (size_t)(equals - option.data) : option.size};
}

static bool has_option(const tw_stage *stage, tw_str name)
{
    const pass_pipeline_def *p =
        pass_find_pipeline(&tw_passes, tw_str_from(stage->pipeline));
    for (uint32_t i = 0; i < p->options.count; i++)
        if (tw_str_is(name, p->options.at[i].name))
            return true;
    return false;
}

static bool is_given(const char *given, tw_str name)
{
    for (tw_str option; given && (option = next_option(&given)).size;)
        if (tw_str_equal(name_of(option), name))
            return true;
    return false;
}

void tw_stage_text(const tw_stage *stage, bool as_written, const char *given,
                   tw_strbuf *out)
{
    const char *own = as_written && stage->as_written ? stage->as_written : stage->options;
    tw_strbuf_printf(out, "%s%s%s{", stage->before ? stage->before : "",
                     stage->before ? "," : "", stage->pipeline);
    for (tw_str option; (option = next_option(&own)).size;)
        if (!is_given(given, name_of(option)))
            tw_strbuf_printf(out, "%.*s ", (int)option.size, option.data);
    for (tw_str option; given && (option = next_option(&given)).size;)
        if (has_option(stage, name_of(option)))
            tw_strbuf_printf(out, "%.*s ", (int)option.size, option.data);
    tw_strbuf_putc(out, '}');
}

tw_str tw_unknown_option(const char *given)
{
    for (tw_str option; given && (option = next_option(&given)).size;) {
        bool known = false;
        for (size_t i = 0; i < TW_STAGES; i++)
            known |= has_option(&tw_stages[i], name_of(option));
        if (!known)
            return name_of(option);
    }
    return (tw_str){0};
}
