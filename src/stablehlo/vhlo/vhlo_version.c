/* vhlo_version.c: the versions in which vhlo's rows exist.
 *
 * Rows that are not in the table have existed since 0.9.0. */
#include "stablehlo/vhlo/vhlo_version.h"

#include "stablehlo/vhlo/vhlo.h"

#include <stdio.h>
#include <stdlib.h>

#define VHLO_NO_END UINT64_MAX

/* clang-format off */
static const struct {
    const char *name;
    uint64_t since, until;
} spans[] = { /* sorted by name */
    {"vhlo.all_gather_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 4, 0)},
    {"vhlo.all_gather_v2", VHLO_VERSION(1, 5, 0), VHLO_NO_END},
    {"vhlo.all_reduce_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 4, 0)},
    {"vhlo.all_reduce_v2", VHLO_VERSION(1, 5, 0), VHLO_NO_END},
    {"vhlo.all_to_all_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 4, 0)},
    {"vhlo.all_to_all_v2", VHLO_VERSION(1, 5, 0), VHLO_NO_END},
    {"vhlo.async_done_v1", VHLO_VERSION(1, 15, 0), VHLO_NO_END},
    {"vhlo.async_start_v1", VHLO_VERSION(1, 15, 0), VHLO_NO_END},
    {"vhlo.axis_ref_v1", VHLO_VERSION(1, 16, 0), VHLO_NO_END},
    {"vhlo.buffer_v1", VHLO_VERSION(1, 13, 0), VHLO_NO_END},
    {"vhlo.cbrt_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.cbrt_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.collective_broadcast_v1", VHLO_VERSION(0, 16, 0), VHLO_VERSION(1, 19, 0)},
    {"vhlo.collective_broadcast_v2", VHLO_VERSION(1, 20, 0), VHLO_NO_END},
    {"vhlo.collective_reduce_v1", VHLO_VERSION(1, 19, 0), VHLO_NO_END},
    {"vhlo.composite_v1", VHLO_VERSION(0, 19, 0), VHLO_VERSION(1, 13, 0)},
    {"vhlo.composite_v2", VHLO_VERSION(1, 14, 0), VHLO_NO_END},
    {"vhlo.cosine_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.cosine_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.custom_call_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 17, 0)},
    {"vhlo.custom_call_v2", VHLO_VERSION(1, 18, 0), VHLO_NO_END},
    {"vhlo.dot_general_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 5, 0)},
    {"vhlo.dot_general_v2", VHLO_VERSION(1, 6, 0), VHLO_NO_END},
    {"vhlo.dynamic_conv_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(0, 19, 0)},
    {"vhlo.dynamic_conv_v2", VHLO_VERSION(0, 20, 0), VHLO_NO_END},
    {"vhlo.dynamic_gather_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 0, 0)},
    {"vhlo.dynamic_gather_v2", VHLO_VERSION(1, 1, 0), VHLO_NO_END},
    {"vhlo.exponential_minus_one_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.exponential_minus_one_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.exponential_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 8, 0)},
    {"vhlo.exponential_v2", VHLO_VERSION(1, 9, 0), VHLO_NO_END},
    {"vhlo.f4E2M1FN_v1", VHLO_VERSION(1, 8, 0), VHLO_NO_END},
    {"vhlo.f6E2M3FN_v1", VHLO_VERSION(1, 8, 0), VHLO_NO_END},
    {"vhlo.f6E3M2FN_v1", VHLO_VERSION(1, 8, 0), VHLO_NO_END},
    {"vhlo.f8E3M4_v1", VHLO_VERSION(1, 7, 0), VHLO_NO_END},
    {"vhlo.f8E4M3B11FNUZ_v1", VHLO_VERSION(0, 11, 0), VHLO_NO_END},
    {"vhlo.f8E4M3FNUZ_v1", VHLO_VERSION(0, 10, 0), VHLO_NO_END},
    {"vhlo.f8E4M3_v1", VHLO_VERSION(1, 7, 0), VHLO_NO_END},
    {"vhlo.f8E5M2FNUZ_v1", VHLO_VERSION(0, 10, 0), VHLO_NO_END},
    {"vhlo.f8E8M0FNU_v1", VHLO_VERSION(1, 8, 0), VHLO_NO_END},
    {"vhlo.future_v1", VHLO_VERSION(1, 15, 0), VHLO_NO_END},
    {"vhlo.gather_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 0, 0)},
    {"vhlo.gather_v2", VHLO_VERSION(1, 1, 0), VHLO_NO_END},
    {"vhlo.i2_v1", VHLO_VERSION(1, 2, 0), VHLO_NO_END},
    {"vhlo.log_plus_one_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.log_plus_one_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.log_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.log_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.logistic_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.logistic_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.mesh_axis_v1", VHLO_VERSION(1, 16, 0), VHLO_NO_END},
    {"vhlo.mesh_v1", VHLO_VERSION(1, 16, 0), VHLO_NO_END},
    {"vhlo.none_v1", VHLO_VERSION(1, 6, 0), VHLO_NO_END},
    {"vhlo.quant_per_axis_v1", VHLO_VERSION(0, 18, 0), VHLO_NO_END},
    {"vhlo.recv_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 11, 0)},
    {"vhlo.recv_v2", VHLO_VERSION(1, 12, 0), VHLO_NO_END},
    {"vhlo.replica_group_mesh_axes_v1", VHLO_VERSION(1, 16, 0), VHLO_NO_END},
    {"vhlo.result_accuracy_mode_v1", VHLO_VERSION(1, 9, 0), VHLO_NO_END},
    {"vhlo.result_accuracy_v1", VHLO_VERSION(1, 9, 0), VHLO_NO_END},
    {"vhlo.rsqrt_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.rsqrt_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.scatter_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 0, 0)},
    {"vhlo.scatter_v2", VHLO_VERSION(1, 1, 0), VHLO_NO_END},
    {"vhlo.send_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 11, 0)},
    {"vhlo.send_v2", VHLO_VERSION(1, 12, 0), VHLO_NO_END},
    {"vhlo.sine_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.sine_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.sqrt_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.sqrt_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.sub_axis_info_v1", VHLO_VERSION(1, 16, 0), VHLO_NO_END},
    {"vhlo.tan_v1", VHLO_VERSION(1, 4, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.tan_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.tanh_v1", VHLO_VERSION(0, 9, 0), VHLO_VERSION(1, 9, 0)},
    {"vhlo.tanh_v2", VHLO_VERSION(1, 10, 0), VHLO_NO_END},
    {"vhlo.tf31_v1", VHLO_VERSION(1, 6, 0), VHLO_NO_END},
    {"vhlo.ui2_v1", VHLO_VERSION(1, 2, 0), VHLO_NO_END},
};
/* clang-format on */

static int compare_name(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

bool vhlo_row_is_in(const char *name, uint64_t version)
{
    const size_t size = sizeof spans[0];
    const char *found = bsearch(name, spans, TW_COUNT(spans), size, compare_name);
    if (!found)
        return version >= VHLO_OLDEST;
    size_t i = (size_t)(found - (const char *)spans) / size;
    return spans[i].since <= version && version <= spans[i].until;
}

static bool is_vhlo(const char *name)
{
    return strncmp(name, "vhlo.", 5) == 0;
}

bool vhlo_attr_is_in(ir_attr attr, uint64_t version)
{
    if (!attr)
        return true;
    if (attr->kind == IR_ATTR_TYPE)
        return vhlo_type_is_in(attr->type, version);
    bool list = attr->kind == IR_ATTR_ARRAY;
    bool own = attr->kind == IR_ATTR_DIALECT && is_vhlo(attr->def->mnemonic);
    if (own && !vhlo_row_is_in(attr->def->mnemonic, version))
        return false;
    for (uint32_t i = 0; (list || own) && i < attr->count; i++)
        if (!vhlo_attr_is_in(list ? attr->items[i] : attr->params[i], version))
            return false;
    return true;
}

bool vhlo_type_is_in(ir_type type, uint64_t version)
{
    if (!type || type->kind != IR_TYPE_DIALECT || !is_vhlo(type->def->mnemonic))
        return true;
    if (!vhlo_row_is_in(type->def->mnemonic, version))
        return false;
    for (uint32_t i = 0; i < type->count; i++)
        if (!vhlo_attr_is_in(type->params[i], version))
            return false;
    return true;
}

const ir_op_def *vhlo_op_in(ir_context *ctx, tw_str base, uint64_t version)
{
    enum { NEWEST = 3 };
    char name[96];
    for (int v = NEWEST; v > 0; v--) {
        int size =
            snprintf(name, sizeof name, "vhlo.%.*s_v%d", (int)base.size, base.data, v);
        if (size >= (int)sizeof name)
            return NULL;
        const ir_op_def *def = ir_context_op_def(ctx, tw_str_from(name));
        if (def && vhlo_row_is_in(name, version))
            return def;
    }
    return NULL;
}

bool vhlo_version_from(tw_str text, uint64_t *out_version)
{
    enum { MAX_PART = (1 << 20) - 1 };
    uint64_t parts[3] = {0};
    size_t at = 0;
    if (tw_str_equal(text, tw_str_from("current"))) {
        *out_version = VHLO_CURRENT;
        return true;
    }
    for (int i = 0; i < 3; i++) {
        size_t start = at;
        for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
            parts[i] = parts[i] * 10 + (uint64_t)(text.data[at] - '0');
            if (parts[i] > MAX_PART)
                return false;
        }
        if (at == start || (i < 2 && (at >= text.size || text.data[at++] != '.')))
            return false;
    }
    if (at != text.size)
        return false;
    *out_version = VHLO_VERSION(parts[0], parts[1], parts[2]);
    return true;
}

void vhlo_version_text(uint64_t version, char text[32])
{
    snprintf(text, 32, "%u.%u.%u", (unsigned)(version >> 40),
             (unsigned)(version >> 20 & 0xFFFFF), (unsigned)(version & 0xFFFFF));
}

int vhlo_bytecode_version(uint64_t version)
{
    return version < VHLO_VERSION(0, 10, 0)   ? 0
           : version < VHLO_VERSION(0, 12, 0) ? 1
           : version < VHLO_VERSION(0, 14, 0) ? 3
           : version < VHLO_VERSION(0, 15, 0) ? 4
                                              : 6;
}
