/* sysdesc.c: presets of system descriptors, and their conversion to and from
 * flatbuffers. */
#include "ttcore/system/sysdesc.h"

#include "support/arena.h"
#include "support/file.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- presets
 * -------------------------------------------------------------------------------- Sources:
 * the compiler's own defaults ("mock" descriptors) and what boards report (published
 * descriptors); device facts, sections 1.1 to 1.5. */

#define WORMHOLE_BANKS                                                                     \
    {                                                                                      \
        {7, 3}, {0, 0}, {3, 0}, {4, 0}, {0, 4}, {7, 7}, {1, 4}, {6, 4}, {5, 4}, {2, 6},    \
            {3, 4},                                                                        \
        {                                                                                  \
            4, 4                                                                           \
        }                                                                                  \
    }
#define BLACKHOLE_BANKS                                                                    \
    {                                                                                      \
        {9, 0}, {0, 0}, {7, 0}, {3, 0}, {9, 7}, {1, 7}, {6, 7},                            \
        {                                                                                  \
            4, 7                                                                           \
        }                                                                                  \
    }

#define COMMON                                                                             \
    .noc_l1_address_align_bytes = 16, .dst_physical_size_tiles = 16,                       \
    .num_compute_threads = 1, .num_datamovement_threads = 2, .n_data_types = 13,           \
    .n_tile_sizes = 6, .data_types = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},           \
    .tile_sizes = {{4, 16}, {16, 16}, {32, 16}, {4, 32}, {16, 32}, {32, 32}}

#define WORMHOLE                                                                           \
    COMMON, .arch = FB_Arch_Wormhole_b0, .grid = {8, 8},                                   \
            .coord_translation_offsets = {18, 18}, .l1_size = 1499136,                     \
            .num_dram_channels = 12, .dram_channel_size = 1073741824,                      \
            .pcie_address_align_bytes = 32, .noc_dram_address_align_bytes = 32,            \
            .dram_grid = {1, 12}, .n_banks = {12, 12},                                     \
            .banks = {WORMHOLE_BANKS, WORMHOLE_BANKS}

#define BLACKHOLE                                                                          \
    COMMON, .arch = FB_Arch_Blackhole, .l1_size = 1572864, .num_dram_channels = 8,         \
            .dram_channel_size = 4278190080, .pcie_address_align_bytes = 64,               \
            .noc_dram_address_align_bytes = 64, .dram_grid = {1, 8}, .n_banks = {8, 8},    \
            .banks = {BLACKHOLE_BANKS, BLACKHOLE_BANKS}

static const struct {
    const char *name, *triple;
    size_t n_chips;
    bool mock; /* all chips attached to the host; linked in a ring, one channel each */
    fb_chip chip;
} presets[] = {
    {"wormhole_b0",
     "x86_64-pc-linux-gnu",
     1,
     true,
     {WORMHOLE, .l1_unreserved_base = 1024, .erisc_l1_unreserved_base = 1024,
      .dram_unreserved_base = 1024, .dram_unreserved_end = 1073741824, .num_cbs = 32}},
    {"blackhole",
     "x86_64-pc-linux-gnu",
     1,
     true,
     {BLACKHOLE, .grid = {10, 13}, .coord_translation_offsets = {18, 18},
      .l1_unreserved_base = 98304, .erisc_l1_unreserved_base = 100032,
      .dram_unreserved_base = 64, .dram_unreserved_end = 4276383744, .num_cbs = 32}},
    {"n150",
     "x86_64-pc-linux",
     1,
     false,
     {WORMHOLE, .l1_unreserved_base = 103840, .erisc_l1_unreserved_base = 98304,
      .dram_unreserved_base = 2968640, .dram_unreserved_end = 1073118784, .num_cbs = 64}},
    {"n300",
     "x86_64-pc-linux",
     2,
     false,
     {WORMHOLE, .l1_unreserved_base = 103840, .erisc_l1_unreserved_base = 98304,
      .dram_unreserved_base = 2968640, .dram_unreserved_end = 1073118784, .num_cbs = 64}},
    {"p150",
     "x86_64-pc-linux",
     1,
     false,
     {BLACKHOLE, .grid = {10, 11}, .coord_translation_offsets = {2, 1},
      .l1_unreserved_base = 111104, .erisc_l1_unreserved_base = 87872,
      .dram_unreserved_base = 5848704, .dram_unreserved_end = 4276523520, .num_cbs = 64}},
};

const char *fb_system_preset_name(size_t i)
{
    return i < TW_COUNT(presets) ? presets[i].name : NULL;
}

tw_status fb_system_preset(const char *name, size_t n_chips, fb_system **out)
{
    size_t i = 0;
    while (i < TW_COUNT(presets) && strcmp(presets[i].name, name) != 0)
        i++;
    if (i == TW_COUNT(presets))
        return tw_error(TW_NOT_FOUND,
                        "there is no system '%s'; known are wormhole_b0, blackhole, "
                        "n150, n300 and p150",
                        name);
    if (!n_chips)
        n_chips = presets[i].n_chips;
    if (n_chips > FB_MAX_CHIPS)
        return tw_error(TW_INVALID, "a system of %zu chips; at most %d are supported",
                        n_chips, FB_MAX_CHIPS);
    fb_system *s = tw_xcalloc(1, sizeof *s);
    snprintf(s->triple, sizeof s->triple, "%s", presets[i].triple);
    s->n_kinds = 1;
    s->kinds[0] = presets[i].chip;
    s->n_chips = n_chips;
    s->n_coords = 1; /* one coordinate, all zeros, for any number of chips */
    s->n_channels = n_chips > 1 ? n_chips : 0;
    for (size_t chip = 0; chip < n_chips; chip++) {
        s->capabilities[chip] =
            presets[i].mock || chip == 0 ? FB_ChipCapability_HostMMIO : 0;
        uint32_t next = (uint32_t)((chip + 1) % n_chips);
        /* boards list the lower chip first, the compiler's defaults follow the ring */
        bool swap = !presets[i].mock && next < chip;
        s->channels[chip].device[swap] = (uint32_t)chip;
        s->channels[chip].device[!swap] = next;
    }
    *out = s;
    return TW_SUCCESS;
}

/* ---- flatbuffers -------------------------------------------------------------------- */

/* The integer fields of a chip: their offsets in the struct and in the table. */
static const struct {
    size_t offset;
    int slot;
} integer_fields[] = {
#define NUMBER(name)                                                                       \
    {                                                                                      \
        offsetof(fb_chip, name), FB_ChipDesc_##name                                        \
    }
    NUMBER(arch),
    NUMBER(l1_size),
    NUMBER(num_dram_channels),
    NUMBER(dram_channel_size),
    NUMBER(noc_l1_address_align_bytes),
    NUMBER(pcie_address_align_bytes),
    NUMBER(noc_dram_address_align_bytes),
    NUMBER(l1_unreserved_base),
    NUMBER(erisc_l1_unreserved_base),
    NUMBER(dram_unreserved_base),
    NUMBER(dram_unreserved_end),
    NUMBER(dst_physical_size_tiles),
    NUMBER(num_cbs),
    NUMBER(num_compute_threads),
    NUMBER(num_datamovement_threads),
#undef NUMBER
};

static int64_t *number_at(fb_chip *chip, size_t i)
{
    return (int64_t *)((char *)chip + integer_fields[i].offset);
}

static fb_ref make_chip(fb_builder *b, const fb_chip *chip)
{
    fb_row row;
    fb_start(&row, FB_TABLE_ChipDesc);
    for (size_t i = 0; i < TW_COUNT(integer_fields); i++)
        fb_put_int(&row, integer_fields[i].slot, *number_at((fb_chip *)chip, i));
    fb_put_dim2d(&row, FB_ChipDesc_grid_size, chip->grid[0], chip->grid[1]);
    fb_put_dim2d(&row, FB_ChipDesc_coord_translation_offsets,
                 chip->coord_translation_offsets[0], chip->coord_translation_offsets[1]);
    fb_put_dim2d(&row, FB_ChipDesc_dram_grid_size, chip->dram_grid[0], chip->dram_grid[1]);
    fb_put_ref(&row, FB_ChipDesc_supported_data_types,
               fb_make_ints(b, FB_U16, chip->data_types, chip->n_data_types));
    fb_put_ref(&row, FB_ChipDesc_supported_tile_sizes,
               fb_make_structs(b, FB_STRUCT_Dim2d, chip->tile_sizes, chip->n_tile_sizes));
    fb_put_ref(&row, FB_ChipDesc_dram_bank_to_logical_worker_noc0,
               fb_make_structs(b, FB_STRUCT_Dim2d, chip->banks[0], chip->n_banks[0]));
    fb_put_ref(&row, FB_ChipDesc_dram_bank_to_logical_worker_noc1,
               fb_make_structs(b, FB_STRUCT_Dim2d, chip->banks[1], chip->n_banks[1]));
    return fb_end(b, &row);
}

static fb_ref make_channels(fb_builder *b, const fb_system *s)
{
    uint32_t *words = tw_xcalloc(s->n_channels + 1, 24);
    for (size_t i = 0; i < s->n_channels; i++) {
        const fb_channel *c = &s->channels[i];
        for (size_t end = 0; end < 2; end++) {
            words[6 * i + 3 * end] = c->device[end];
            memcpy(&words[6 * i + 3 * end + 1], &c->core[end], sizeof c->core[end]);
        }
    }
    fb_ref channels = fb_make_structs(b, FB_STRUCT_ChipChannel, words, s->n_channels);
    free(words);
    return channels;
}

fb_ref fb_make_system_desc(fb_builder *b, const fb_system *s)
{
    fb_row row;
    fb_ref kinds[FB_MAX_CHIP_KINDS];
    int64_t values[FB_MAX_CHIPS];
    fb_start(&row, FB_TABLE_CPUDesc);
    fb_put_ref(&row, FB_CPUDesc_target_triple, fb_make_string(b, tw_str_from(s->triple)));
    fb_put_int(&row, FB_CPUDesc_role, FB_CPURole_Host);
    fb_ref cpu = fb_end(b, &row);
    for (size_t i = 0; i < s->n_kinds; i++)
        kinds[i] = make_chip(b, &s->kinds[i]);
    fb_start(&row, FB_TABLE_SystemDesc);
    fb_put_ref(&row, FB_SystemDesc_cpu_descs, fb_make_refs(b, &cpu, 1));
    fb_put_ref(&row, FB_SystemDesc_chip_descs, fb_make_refs(b, kinds, s->n_kinds));
    for (size_t i = 0; i < s->n_chips; i++)
        values[i] = s->kind_of[i];
    fb_put_ref(&row, FB_SystemDesc_chip_desc_indices,
               fb_make_ints(b, FB_U32, values, s->n_chips));
    for (size_t i = 0; i < s->n_chips; i++)
        values[i] = s->capabilities[i];
    fb_put_ref(&row, FB_SystemDesc_chip_capabilities,
               fb_make_ints(b, FB_U32, values, s->n_chips));
    fb_put_ref(&row, FB_SystemDesc_chip_coords,
               fb_make_structs(b, FB_STRUCT_ChipCoord, s->coords, s->n_coords));
    fb_put_ref(&row, FB_SystemDesc_chip_channels, make_channels(b, s));
    return fb_end(b, &row);
}

/* ---- reading ------------------------------------------------------------------------ */

static tw_status too_many(const char *what, size_t count, size_t max)
{
    return tw_error(TW_UNSUPPORTED, "system desc: %zu %s, at most %zu are supported", count,
                    what, max);
}

static tw_status read_dims(fb_view chip, int slot, fb_dim2d *out, size_t max,
                           size_t *out_count)
{
    fb_vec vec = fb_get_vec(chip, slot);
    if (vec.count > max)
        return too_many(chip.def->fields[slot].name, vec.count, max);
    if (vec.count)
        memcpy(out, vec.at, vec.count * sizeof *out);
    *out_count = vec.count;
    return TW_SUCCESS;
}

static tw_status read_chip(fb_view view, fb_chip *chip)
{
    for (size_t i = 0; i < TW_COUNT(integer_fields); i++)
        *number_at(chip, i) = fb_get_int(view, integer_fields[i].slot);
    static const struct {
        int slot;
        size_t offset;
    } grids[] = {
        {FB_ChipDesc_grid_size, offsetof(fb_chip, grid)},
        {FB_ChipDesc_coord_translation_offsets,
         offsetof(fb_chip, coord_translation_offsets)},
        {FB_ChipDesc_dram_grid_size, offsetof(fb_chip, dram_grid)},
    };
    for (size_t i = 0; i < TW_COUNT(grids); i++) {
        fb_dim2d dim = fb_get_dim2d(view, grids[i].slot);
        int64_t *at = (int64_t *)((char *)chip + grids[i].offset);
        at[0] = dim.y;
        at[1] = dim.x;
    }
    fb_vec types = fb_get_vec(view, FB_ChipDesc_supported_data_types);
    if (types.count > TW_COUNT(chip->data_types))
        return too_many("data types", types.count, TW_COUNT(chip->data_types));
    chip->n_data_types = fb_vec_ints(types, chip->data_types, TW_COUNT(chip->data_types));
    TW_TRY(read_dims(view, FB_ChipDesc_supported_tile_sizes, chip->tile_sizes,
                     TW_COUNT(chip->tile_sizes), &chip->n_tile_sizes));
    TW_TRY(read_dims(view, FB_ChipDesc_dram_bank_to_logical_worker_noc0, chip->banks[0],
                     FB_MAX_BANKS, &chip->n_banks[0]));
    return read_dims(view, FB_ChipDesc_dram_bank_to_logical_worker_noc1, chip->banks[1],
                     FB_MAX_BANKS, &chip->n_banks[1]);
}

static tw_status read_system(fb_view view, fb_system *s)
{
    fb_vec kinds = fb_get_vec(view, FB_SystemDesc_chip_descs);
    fb_vec indices = fb_get_vec(view, FB_SystemDesc_chip_desc_indices);
    fb_vec capabilities = fb_get_vec(view, FB_SystemDesc_chip_capabilities);
    fb_vec coords = fb_get_vec(view, FB_SystemDesc_chip_coords);
    fb_vec channels = fb_get_vec(view, FB_SystemDesc_chip_channels);
    fb_vec cpus = fb_get_vec(view, FB_SystemDesc_cpu_descs);
    if (kinds.count > FB_MAX_CHIP_KINDS)
        return too_many("kinds of chips", kinds.count, FB_MAX_CHIP_KINDS);
    if (indices.count > FB_MAX_CHIPS || coords.count > FB_MAX_CHIPS)
        return too_many("chips", TW_MAX(indices.count, coords.count), FB_MAX_CHIPS);
    if (channels.count > FB_MAX_CHANNELS)
        return too_many("channels", channels.count, FB_MAX_CHANNELS);
    if (cpus.count) {
        tw_str triple = fb_get_str(fb_vec_table(cpus, 0), FB_CPUDesc_target_triple);
        if (triple.size >= sizeof s->triple)
            return too_many("characters in a target triple", triple.size,
                            (int)sizeof s->triple - 1);
        snprintf(s->triple, sizeof s->triple, "%.*s", (int)triple.size,
                 triple.data ? triple.data : "");
    }
    s->n_kinds = kinds.count;
    for (size_t i = 0; i < kinds.count; i++)
        TW_TRY(read_chip(fb_vec_table(kinds, i), &s->kinds[i]));
    s->n_chips = indices.count;
    for (size_t i = 0; i < indices.count; i++) {
        s->kind_of[i] = (uint32_t)fb_vec_int(indices, i);
        if (s->kind_of[i] >= s->n_kinds)
            return tw_error(TW_INVALID,
                            "system desc: chip %zu is of kind %u, but there are %zu", i,
                            s->kind_of[i], s->n_kinds);
        if (i < capabilities.count)
            s->capabilities[i] = (uint32_t)fb_vec_int(capabilities, i);
    }
    s->n_coords = coords.count;
    if (coords.count)
        memcpy(s->coords, coords.at, coords.count * sizeof s->coords[0]);
    s->n_channels = channels.count;
    for (size_t i = 0; i < channels.count; i++)
        for (size_t end = 0; end < 2; end++) {
            const uint8_t *at = fb_vec_struct(channels, i) + 12 * end;
            s->channels[i].device[end] = fb_load_u32(at);
            memcpy(&s->channels[i].core[end], at + 4, sizeof(fb_dim2d));
        }
    return TW_SUCCESS;
}

tw_status fb_system_read(fb_view system_desc, fb_system **out)
{
    fb_system *s = tw_xcalloc(1, sizeof *s);
    tw_status status = read_system(system_desc, s);
    if (status)
        free(s);
    else
        *out = s;
    return status;
}

/* ---- files -------------------------------------------------------------------------- */

void fb_put_stamp(fb_builder *b, fb_row *root, fb_file_id kind, struct fb_stamp slots)
{
    struct {
        uint16_t major, minor;
        uint32_t patch;
    } version = {FB_VERSION_MAJOR, FB_VERSION_MINOR, FB_VERSION_PATCH};
    fb_put_struct(root, slots.version, &version);
    fb_put_ref(root, slots.schema_hash,
               fb_make_string(b, tw_str_from(fb_file_kinds[kind].schema_hash)));
    fb_put_ref(root, slots.git_hash, fb_make_string(b, tw_str_from(FB_GIT_HASH)));
}

tw_status fb_sysdesc_write(const fb_system *system, void **out_data, size_t *out_size)
{
    fb_builder b = {0};
    fb_row root;
    fb_start(&root, FB_TABLE_SystemDescRoot);
    fb_put_stamp(&b, &root, FB_FILE_TTSYS,
                 (struct fb_stamp){FB_SystemDescRoot_version, FB_SystemDescRoot_schema_hash,
                                   FB_SystemDescRoot_ttmlir_git_hash});
    fb_put_ref(&root, FB_SystemDescRoot_product_identifier,
               fb_make_string(&b, TW_STR("unknown")));
    fb_put_ref(&root, FB_SystemDescRoot_system_desc, fb_make_system_desc(&b, system));
    fb_ref ref = fb_end(&b, &root);
    tw_status status = fb_finish(&b, FB_FILE_TTSYS, ref, out_data, out_size);
    fb_builder_free(&b);
    return status;
}

tw_status fb_sysdesc_of_preset(const char *name, void **out_data, size_t *out_size)
{
    fb_system *system;
    TW_TRY(fb_system_preset(name, 0, &system));
    tw_status status = fb_sysdesc_write(system, out_data, out_size);
    free(system);
    return status;
}

tw_status fb_sysdesc_store(const fb_system *system, const char *path)
{
    void *data;
    size_t size;
    TW_TRY(fb_sysdesc_write(system, &data, &size));
    tw_status status = tw_file_write(path, data, size);
    free(data);
    return status;
}

static tw_status load_bytes(tw_strbuf bytes, fb_system **out)
{
    fb_view root;
    TW_TRY(fb_open(bytes.data, bytes.size, FB_FILE_TTSYS, &root));
    tw_str hash = fb_get_str(root, FB_SystemDescRoot_schema_hash);
    if (!tw_str_is(hash, fb_file_kinds[FB_FILE_TTSYS].schema_hash))
        return tw_error(
            TW_INVALID,
            "system desc schema mismatch, please collect a system desc with a runtime "
            "compiled with the same schema version (expected %s, found %.*s)",
            fb_file_kinds[FB_FILE_TTSYS].schema_hash, (int)TW_MIN(hash.size, (size_t)64),
            hash.data);
    return fb_system_read(fb_get_table(root, FB_SystemDescRoot_system_desc), out);
}

tw_status fb_sysdesc_load(const char *path, fb_system **out)
{
    if (!path || !*path)
        return tw_error(TW_INVALID, "system desc path must not be empty");
    tw_strbuf bytes = {0};
    tw_status status = tw_file_read(path, &bytes);
    if (status && tw_status_code(status) == TW_NOT_FOUND) {
        tw_status_free(status);
        return tw_error(TW_NOT_FOUND, "system desc does not exist: %s", path);
    }
    if (!status)
        status = load_bytes(bytes, out);
    tw_strbuf_free(&bytes);
    return status ? tw_annotate(status, "system desc %s", path) : TW_SUCCESS;
}
