/* ttcore/system/sysdesc.h: system descriptors: the chips a program is compiled for.
 *
 * The same facts have three forms: a `.ttsys` file or the descriptor inside a binary, the
 * ttcore.system_desc attribute of a module (sysdesc_attr.h), and this struct between
 * them. */
#ifndef TILEWRIGHT_TTCORE_SYSTEM_SYSDESC_H
#define TILEWRIGHT_TTCORE_SYSTEM_SYSDESC_H

#include "flatbuffer/builder.h"
#include "flatbuffer/verify.h"

enum {
    FB_MAX_CHIPS = 256,
    FB_MAX_CHIP_KINDS = 8,
    FB_MAX_BANKS = 64,
    FB_MAX_CHANNELS = 1024
};

typedef struct fb_chip {
    int64_t arch;                                  /* FB_Arch_* */
    int64_t grid[2], coord_translation_offsets[2]; /* y, x */
    int64_t l1_size, num_dram_channels, dram_channel_size;
    int64_t noc_l1_address_align_bytes, pcie_address_align_bytes,
        noc_dram_address_align_bytes;
    int64_t l1_unreserved_base, erisc_l1_unreserved_base;
    int64_t dram_unreserved_base, dram_unreserved_end;
    int64_t dst_physical_size_tiles, num_cbs, num_compute_threads, num_datamovement_threads;
    int64_t dram_grid[2];
    size_t n_data_types, n_tile_sizes, n_banks[2];
    int64_t data_types[32]; /* FB_DataType_* */
    fb_dim2d tile_sizes[32];
    fb_dim2d banks[2][FB_MAX_BANKS]; /* per NoC: the worker closest to each DRAM bank */
} fb_chip;

typedef struct fb_channel {
    uint32_t device[2];
    fb_dim2d core[2];
} fb_channel;

typedef struct fb_system {
    char triple[64]; /* of the host */
    size_t n_kinds, n_chips, n_channels, n_coords;
    fb_chip kinds[FB_MAX_CHIP_KINDS];
    uint32_t kind_of[FB_MAX_CHIPS];      /* chip -> kinds[] */
    uint32_t capabilities[FB_MAX_CHIPS]; /* FB_ChipCapability_* bits */
    uint32_t coords[FB_MAX_CHIPS][4];    /* rack, shelf, y, x */
    fb_channel channels[FB_MAX_CHANNELS];
} fb_system;

/* Presets: "wormhole_b0" and "blackhole" are the compiler's defaults when no descriptor
 * is given, "n150", "n300" and "p150" are those reported by such boards.  `n_chips`
 * repeats the chip in a ring; 0 is the preset's own count. */
tw_status fb_system_preset(const char *name, size_t n_chips, fb_system **out);
/* NULL past the last one. */
const char *fb_system_preset_name(size_t i);

/* From a verified FB_TABLE_SystemDesc; counts beyond our limits are errors. */
tw_status fb_system_read(fb_view system_desc, fb_system **out);
fb_ref fb_make_system_desc(fb_builder *b, const fb_system *system);

/* A .ttsys in memory (free fb_system and bytes with free). */
tw_status fb_sysdesc_write(const fb_system *system, void **out_data, size_t *out_size);
tw_status fb_sysdesc_of_preset(const char *name, void **out_data, size_t *out_size);
/* From a file; messages for a missing, empty or foreign one are tt-mlir's. */
tw_status fb_sysdesc_load(const char *path, fb_system **out);
tw_status fb_sysdesc_store(const fb_system *system, const char *path);

/* Writes version, schema hash and git hash into the root's given slots. */
struct fb_stamp {
    int version, schema_hash, git_hash; /* slots */
};
void fb_put_stamp(fb_builder *b, fb_row *root, fb_file_id kind, struct fb_stamp slots);

#endif
