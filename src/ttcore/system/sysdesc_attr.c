/* sysdesc_attr.c: converts system descriptors to and from ttcore.system_desc. */
#include "ttcore/system/sysdesc_attr.h"

#include "ir/op.h"
#include "support/arena.h"
#include "ttcore/ttcore.h"

#include <stdio.h>
#include <stdlib.h>

/* The dialect counts architectures from one, the file from zero. */
enum { ARCH_OFFSET = 1 };
_Static_assert((int)TTCORE_Arch_WormholeB0 == (int)FB_Arch_Wormhole_b0 + ARCH_OFFSET &&
                   (int)TTCORE_Arch_Quasar == (int)FB_Arch_Quasar + ARCH_OFFSET,
               "architectures");

/* The integer parameters of ttcore.chip_desc. */
static const struct {
    const char *param;
    size_t offset;
} integer_params[] = {
    {"l1Size", offsetof(fb_chip, l1_size)},
    {"numDramChannels", offsetof(fb_chip, num_dram_channels)},
    {"dramChannelSize", offsetof(fb_chip, dram_channel_size)},
    {"nocL1AddressAlignBytes", offsetof(fb_chip, noc_l1_address_align_bytes)},
    {"pcieAddressAlignBytes", offsetof(fb_chip, pcie_address_align_bytes)},
    {"nocDRAMAddressAlignBytes", offsetof(fb_chip, noc_dram_address_align_bytes)},
    {"l1UnreservedBase", offsetof(fb_chip, l1_unreserved_base)},
    {"eriscL1UnreservedBase", offsetof(fb_chip, erisc_l1_unreserved_base)},
    {"dramUnreservedBase", offsetof(fb_chip, dram_unreserved_base)},
    {"dramUnreservedEnd", offsetof(fb_chip, dram_unreserved_end)},
    {"dstPhysicalSizeTiles", offsetof(fb_chip, dst_physical_size_tiles)},
    {"numCBs", offsetof(fb_chip, num_cbs)},
    {"numComputeThreads", offsetof(fb_chip, num_compute_threads)},
    {"numDatamovementThreads", offsetof(fb_chip, num_datamovement_threads)},
};

/* The pairs (y, x). */
static const struct {
    const char *param;
    size_t offset;
} grids[] = {
    {"grid", offsetof(fb_chip, grid)},
    {"coordTranslationOffsets", offsetof(fb_chip, coord_translation_offsets)},
    {"dramGrid", offsetof(fb_chip, dram_grid)},
};

enum { MAX_PARAMS = 32 };

/* Builds a dialect attribute by setting its parameters by name. */
typedef struct making {
    const ir_attr_def *def;
    ir_attr params[MAX_PARAMS];
} making;

static void set(making *m, const char *name, ir_attr value)
{
    for (size_t i = 0; i < m->def->params.count; i++)
        if (strcmp(m->def->params.at[i].name, name) == 0) {
            m->params[i] = value;
            return;
        }
    assert(!"a parameter of the attribute");
}

static ir_attr make(ir_context *ctx, making *m)
{
    return ir_dialect_attr(ctx, m->def, m->params, m->def->params.count);
}

/* ---- to attributes ------------------------------------------------------------------ */

static ir_attr int_list(ir_context *ctx, const int64_t *values, size_t count)
{
    ir_attr items[FB_MAX_CHIPS];
    for (size_t i = 0; i < count; i++)
        items[i] = ir_raw_int(ctx, values[i]);
    return ir_array_attr(ctx, items, count);
}

/* Attributes of two integers: ttcore.core_coord, ttcore.tile_size. */
static ir_attr dims_list(ir_context *ctx, const ir_attr_def *def, const fb_dim2d *dims,
                         size_t count)
{
    ir_attr items[FB_MAX_BANKS];
    for (size_t i = 0; i < count; i++) {
        making m = {.def = def};
        set(&m, "y", ir_raw_int(ctx, dims[i].y));
        set(&m, "x", ir_raw_int(ctx, dims[i].x));
        items[i] = make(ctx, &m);
    }
    return ir_array_attr(ctx, items, count);
}

static ir_attr chip_attr(ir_context *ctx, const fb_chip *chip)
{
    making m = {.def = TTCORE_ATTR(chip_desc)};
    ir_attr types[TW_COUNT(chip->data_types)];
    set(&m, "arch", ir_enum_attr(ctx, TTCORE_ATTR(arch), chip->arch + ARCH_OFFSET));
    for (size_t i = 0; i < TW_COUNT(integer_params); i++) {
        const int64_t *at =
            (const int64_t *)((const char *)chip + integer_params[i].offset);
        set(&m, integer_params[i].param, ir_raw_int(ctx, *at));
    }
    for (size_t i = 0; i < TW_COUNT(grids); i++)
        set(&m, grids[i].param,
            int_list(ctx, (const int64_t *)((const char *)chip + grids[i].offset), 2));
    for (size_t i = 0; i < chip->n_data_types; i++)
        types[i] = ir_enum_attr(ctx, TTCORE_ATTR(supportedDataTypes), chip->data_types[i]);
    set(&m, "supportedDataTypes", ir_array_attr(ctx, types, chip->n_data_types));
    set(&m, "supportedTileSizes",
        dims_list(ctx, TTCORE_ATTR(tile_size), chip->tile_sizes, chip->n_tile_sizes));
    set(&m, "dramBankToLogicalWorkerNoc0",
        dims_list(ctx, TTCORE_ATTR(core_coord), chip->banks[0], chip->n_banks[0]));
    set(&m, "dramBankToLogicalWorkerNoc1",
        dims_list(ctx, TTCORE_ATTR(core_coord), chip->banks[1], chip->n_banks[1]));
    return make(ctx, &m);
}

static ir_attr channels_attr(ir_context *ctx, const fb_system *s)
{
    ir_attr *items = tw_xcalloc(s->n_channels + 1, sizeof *items);
    for (size_t i = 0; i < s->n_channels; i++) {
        const fb_channel *c = &s->channels[i];
        making m = {.def = TTCORE_ATTR(chip_channel)};
        int64_t core0[2] = {c->core[0].y, c->core[0].x},
                core1[2] = {c->core[1].y, c->core[1].x};
        set(&m, "deviceId0", ir_raw_int(ctx, c->device[0]));
        set(&m, "ethernetCoreCoord0", int_list(ctx, core0, 2));
        set(&m, "deviceId1", ir_raw_int(ctx, c->device[1]));
        set(&m, "ethernetCoreCoord1", int_list(ctx, core1, 2));
        items[i] = make(ctx, &m);
    }
    ir_attr list = ir_array_attr(ctx, items, s->n_channels);
    free(items);
    return list;
}

static ir_attr coords_attr(ir_context *ctx, const fb_system *s)
{
    static const char *const names[] = {"rack", "shelf", "y", "x"};
    ir_attr items[FB_MAX_CHIPS];
    for (size_t i = 0; i < s->n_coords; i++) {
        making m = {.def = TTCORE_ATTR(chip_coord)};
        for (size_t k = 0; k < 4; k++)
            set(&m, names[k], ir_raw_int(ctx, s->coords[i][k]));
        items[i] = make(ctx, &m);
    }
    return ir_array_attr(ctx, items, s->n_coords);
}

ir_attr fb_system_to_attr(ir_context *ctx, const fb_system *s)
{
    ir_attr items[FB_MAX_CHIPS];
    int64_t values[FB_MAX_CHIPS];
    making cpu = {.def = TTCORE_ATTR(cpu_desc)}, m = {.def = TTCORE_ATTR(system_desc)};
    set(&cpu, "role", ir_raw_int(ctx, TTCORE_CPURole_Host));
    set(&cpu, "target_triple", ir_string_attr(ctx, tw_str_from(s->triple)));
    items[0] = make(ctx, &cpu);
    set(&m, "cpuDescs", ir_array_attr(ctx, items, 1));
    for (size_t i = 0; i < s->n_kinds; i++)
        items[i] = chip_attr(ctx, &s->kinds[i]);
    set(&m, "chipDescs", ir_array_attr(ctx, items, s->n_kinds));
    for (size_t i = 0; i < s->n_chips; i++)
        values[i] = s->kind_of[i];
    set(&m, "chipDescIndices", int_list(ctx, values, s->n_chips));
    /* a bit enum stored as a plain i32 */
    for (size_t i = 0; i < s->n_chips; i++)
        items[i] = ir_i32_attr(ctx, s->capabilities[i]);
    set(&m, "chipCapabilities", ir_array_attr(ctx, items, s->n_chips));
    set(&m, "chipCoords", coords_attr(ctx, s));
    set(&m, "chipChannels", channels_attr(ctx, s));
    return make(ctx, &m);
}

/* ---- from attributes ---------------------------------------------------------------- */

/* The length of an array parameter, or an error beyond the struct's capacity. */
static tw_status list_of(ir_attr attr, const char *name, size_t max, ir_attr *out,
                         size_t *out_count)
{
    ir_attr list = ir_attr_param(attr, name);
    if (list && list->count > max)
        return tw_error(TW_UNSUPPORTED, "system desc: %u %s, at most %zu are supported",
                        list->count, name, max);
    *out = list;
    *out_count = list ? list->count : 0;
    return TW_SUCCESS;
}

static tw_status read_dims(ir_attr attr, const char *name, fb_dim2d *out, size_t max,
                           size_t *n)
{
    ir_attr list;
    TW_TRY(list_of(attr, name, max, &list, n));
    for (size_t i = 0; i < *n; i++) {
        out[i].y = (int32_t)ir_attr_int(ir_attr_param(list->items[i], "y"), 0);
        out[i].x = (int32_t)ir_attr_int(ir_attr_param(list->items[i], "x"), 0);
    }
    return TW_SUCCESS;
}

static tw_status read_chip(ir_attr attr, fb_chip *chip)
{
    ir_attr list;
    chip->arch = ir_enum_value(ir_attr_param(attr, "arch"), ARCH_OFFSET) - ARCH_OFFSET;
    for (size_t i = 0; i < TW_COUNT(integer_params); i++)
        *(int64_t *)((char *)chip + integer_params[i].offset) =
            ir_attr_int(ir_attr_param(attr, integer_params[i].param), 0);
    for (size_t i = 0; i < TW_COUNT(grids); i++)
        ir_attr_ints(ir_attr_param(attr, grids[i].param),
                     (int64_t *)((char *)chip + grids[i].offset), 2);
    TW_TRY(list_of(attr, "supportedDataTypes", TW_COUNT(chip->data_types), &list,
                   &chip->n_data_types));
    for (size_t i = 0; i < chip->n_data_types; i++) {
        int64_t type = ir_enum_value(list->items[i], 0);
        chip->data_types[i] = type == TTCORE_DataType_Bool ? FB_DataType_Bool : type;
    }
    TW_TRY(read_dims(attr, "supportedTileSizes", chip->tile_sizes,
                     TW_COUNT(chip->tile_sizes), &chip->n_tile_sizes));
    TW_TRY(read_dims(attr, "dramBankToLogicalWorkerNoc0", chip->banks[0], FB_MAX_BANKS,
                     &chip->n_banks[0]));
    return read_dims(attr, "dramBankToLogicalWorkerNoc1", chip->banks[1], FB_MAX_BANKS,
                     &chip->n_banks[1]);
}

static tw_status read_channels(ir_attr attr, fb_system *s)
{
    ir_attr list;
    TW_TRY(list_of(attr, "chipChannels", FB_MAX_CHANNELS, &list, &s->n_channels));
    for (size_t i = 0; i < s->n_channels; i++) {
        int64_t core[2][2] = {{0}};
        ir_attr c = list->items[i];
        ir_attr_ints(ir_attr_param(c, "ethernetCoreCoord0"), core[0], 2);
        ir_attr_ints(ir_attr_param(c, "ethernetCoreCoord1"), core[1], 2);
        s->channels[i] = (fb_channel){
            .device = {(uint32_t)ir_attr_int(ir_attr_param(c, "deviceId0"), 0),
                       (uint32_t)ir_attr_int(ir_attr_param(c, "deviceId1"), 0)},
            .core = {{(int32_t)core[0][0], (int32_t)core[0][1]},
                     {(int32_t)core[1][0], (int32_t)core[1][1]}},
        };
    }
    return TW_SUCCESS;
}

static tw_status read_system(ir_attr attr, fb_system *s)
{
    static const char *const coords[] = {"rack", "shelf", "y", "x"};
    ir_attr list;
    size_t n;
    TW_TRY(list_of(attr, "cpuDescs", 1, &list, &n));
    ir_attr triple = n ? ir_attr_param(list->items[0], "target_triple") : NULL;
    if (triple && triple->ident->size >= sizeof s->triple)
        return tw_error(TW_INVALID, "a target triple has at most %zu characters",
                        sizeof s->triple - 1);
    if (triple)
        snprintf(s->triple, sizeof s->triple, "%s", triple->ident->text);
    TW_TRY(list_of(attr, "chipDescs", FB_MAX_CHIP_KINDS, &list, &s->n_kinds));
    for (size_t i = 0; i < s->n_kinds; i++)
        TW_TRY(read_chip(list->items[i], &s->kinds[i]));
    TW_TRY(list_of(attr, "chipDescIndices", FB_MAX_CHIPS, &list, &s->n_chips));
    for (size_t i = 0; i < s->n_chips; i++) {
        s->kind_of[i] = (uint32_t)ir_attr_int(list->items[i], 0);
        if (s->kind_of[i] >= s->n_kinds)
            return tw_error(TW_INVALID,
                            "system desc: chip %zu is of kind %u, but there are %zu", i,
                            s->kind_of[i], s->n_kinds);
    }
    TW_TRY(list_of(attr, "chipCapabilities", FB_MAX_CHIPS, &list, &n));
    for (size_t i = 0; i < n; i++)
        s->capabilities[i] =
            (uint32_t)ir_attr_int(list->items[i], ir_enum_value(list->items[i], 0));
    TW_TRY(list_of(attr, "chipCoords", FB_MAX_CHIPS, &list, &s->n_coords));
    for (size_t i = 0; i < s->n_coords; i++)
        for (size_t k = 0; k < 4; k++)
            s->coords[i][k] =
                (uint32_t)ir_attr_int(ir_attr_param(list->items[i], coords[k]), 0);
    return read_channels(attr, s);
}

tw_status fb_system_from_attr(ir_attr attr, fb_system **out)
{
    if (!ir_attr_is(attr, IR_ATTR_DIALECT) || attr->def != TTCORE_ATTR(system_desc))
        return tw_error(TW_INVALID, "the module has no ttcore.system_desc; run "
                                    "--ttcore-register-device first");
    fb_system *s = tw_xcalloc(1, sizeof *s);
    tw_status status = read_system(attr, s);
    if (status)
        free(s);
    else
        *out = s;
    return status;
}
