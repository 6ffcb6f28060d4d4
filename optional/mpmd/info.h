/* info.h: syntax in which user rules name fragments:
 * FragmentInfo(origins=["f"(1)],stage=0,
 * call_counter=2,split_type=kKeepTransferred,mesh_name="m"). */
#ifndef TILEWRIGHT_SDY_MPMD_PASSES_INFO_H
#define TILEWRIGHT_SDY_MPMD_PASSES_INFO_H

#include "ir/op.h"

typedef struct mpmd_info {
    ir_attr origins; /* array of #mpmd.user_origin, sorted by name and transposes */
    ir_attr mesh_name;
    int64_t stage, call_counter; /* -1: none */
    const char *split;           /* "kKeepTransferred", "kDropTransferred" or NULL */
} mpmd_info;

typedef struct mpmd_infos {
    mpmd_info *at;
    size_t n, capacity;
} mpmd_infos;

/* Fragments to merge, or to run in this order. */
typedef struct mpmd_rule {
    mpmd_infos fragments;
    mpmd_info target; /* for merge rules */
} mpmd_rule;

typedef struct mpmd_rules {
    mpmd_rule *at;
    size_t n, capacity;
} mpmd_rules;

bool mpmd_info_equal(const mpmd_info *a, const mpmd_info *b);
mpmd_info mpmd_info_of(const ir_op *fragment);
void mpmd_set_info(ir_op *fragment, const mpmd_info *info);
void mpmd_print_info(const mpmd_info *info, tw_strbuf *out);
/* FragmentMergeRule(sources=[INFO,...],target=INFO) or FragmentScheduleRule(
 * ordered_fragments=[INFO->INFO...]), comma-separated; false after an error. */
bool mpmd_parse_rules(ir_context *ctx, tw_str text, bool merge, mpmd_rules *out);
void mpmd_free_rules(mpmd_rules *rules);

#endif
