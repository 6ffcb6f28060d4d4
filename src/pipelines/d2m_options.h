/* d2m_options.h: the options that the pipelines of D2M share.
 *
 * Each is accepted by all of them, as tt-mlir's are, and has an effect in those it is
 * listed with. */
#ifndef TILEWRIGHT_PIPELINES_D2M_OPTIONS_H
#define TILEWRIGHT_PIPELINES_D2M_OPTIONS_H

#include "ir/pass/pass.h"

/* Parts of the way from TTIR to programs for the device. */
enum {
    D2M_PART_FE = 1,       /* d2m-fe-pipeline */
    D2M_PART_BUFFERS = 2,  /* ttir-bufferization-pipeline */
    D2M_PART_BE = 4,       /* d2m-be-pipeline */
    D2M_PART_TTKERNEL = 8, /* d2m-to-ttkernel-pipeline, before C++ */
    D2M_PART_HOST = 16,    /* d2m-to-ttmetal-pipeline, d2m-to-ttnn-pipeline */
    D2M_PART_EMITC = 32,   /* d2m-emitc-pipeline */
    D2M_PART_ZONES = 64,   /* the profiler's, between both */
    D2M_PART_ALL = 127,
};

#define D2M_OPTION_IN(parts, where, name, kind, value, help)                               \
    {                                                                                      \
        name, kind, value, help,                                                           \
            .no_effect = ((parts) & (where)) ? NULL : "other pipelines of D2M read it"     \
    }
#define D2M_EVERYWHERE                                                                     \
    (D2M_PART_FE | D2M_PART_BE | D2M_PART_TTKERNEL | D2M_PART_EMITC) /* canonicalize runs  \
                                                                      */

/* clang-format off */
#define D2M_OPTIONS(parts)                                                                          \
    D2M_OPTION_IN(parts, D2M_PART_FE, "mesh-shape", PASS_LIST, "", "Mesh of devices"),              \
    D2M_OPTION_IN(parts, D2M_PART_FE, "mesh-topology", PASS_LIST, "",                               \
                  "Topology of each axis of the mesh: ring, linear or disabled"),                   \
    D2M_OPTION_IN(parts, D2M_PART_FE, "override-device-shape", PASS_LIST, "",                       \
                  "Rows and columns of cores to use instead of the device's"),                      \
    D2M_OPTION_IN(parts, D2M_PART_FE, "system-desc-path", PASS_STRING, "", "A .ttsys file"),        \
    D2M_OPTION_IN(parts, D2M_PART_FE, "mock-system-desc-arch", PASS_STRING, "wormhole_b0",          \
                  "System descriptor without a file"),                                              \
    D2M_OPTION_IN(parts, D2M_PART_BE, "max-dst-physical-size-tiles", PASS_INT, "0",                 \
                  "Tiles of DST to use; 0: all"),                                                   \
    D2M_OPTION_IN(parts, D2M_PART_FE, "enable-elementwise-fusion", PASS_BOOL, "false",              \
                  "Fuse element-wise generics"),                                                    \
    D2M_OPTION_IN(parts, D2M_PART_FE, "enable-eltwise-reduction-fusion", PASS_BOOL, "false",        \
                  "Fuse element-wise generics into reductions, too"),                               \
    D2M_OPTION_IN(parts, D2M_PART_FE, "join-compute", PASS_BOOL, "false",                           \
                  "Keep what is between fused element-wise operations in DST"),                     \
    D2M_OPTION_IN(parts, D2M_PART_FE, "matmul-interchange", PASS_LIST, "",                          \
                  "The order of the loops of matrix products"),                                     \
    D2M_OPTION_IN(parts, D2M_PART_BE, "use-tile-matmul", PASS_BOOL, "false",                        \
                  "Multiply matrices tile by tile, not by blocks"),                                 \
    D2M_OPTION_IN(parts, D2M_PART_FE, "collapse-tensors-2d", PASS_BOOL, "true",                     \
                  "Collapse all dimensions but the last into one"),                                 \
    D2M_OPTION_IN(parts, D2M_PART_FE, "default-input-memspace", PASS_STRING, "l1",                  \
                  "Memory of inputs: l1 or dram"),                                                  \
    D2M_OPTION_IN(parts, D2M_PART_FE, "default-output-memspace", PASS_STRING, "l1",                 \
                  "Memory of results: l1 or dram"),                                                 \
    D2M_OPTION_IN(parts, D2M_EVERYWHERE, "disable-tolayout-folding", PASS_BOOL, "false",            \
                  "Keep every change of layout"),                                                   \
    D2M_OPTION_IN(parts, D2M_PART_ZONES, "insert-profiler-traces", PASS_BOOL, "false",              \
                  "Insert profiler zones in kernels"),                                              \
    D2M_OPTION_IN(parts, D2M_PART_ZONES, "profiler-traits", PASS_LIST, "device-zone",               \
                  "Which operations get a zone (insert-device-zone-scopes)"),                       \
    D2M_OPTION_IN(parts, D2M_PART_HOST, "set-math-fidelity", PASS_STRING, "HiFi4",                  \
                  "LoFi, HiFi2, HiFi3 or HiFi4"),                                                   \
    D2M_OPTION_IN(parts, D2M_PART_FE, "num-stream-buffers", PASS_INT, "2",                          \
                  "Blocks of a circular buffer"),                                                   \
    D2M_OPTION_IN(parts, D2M_PART_FE, "force-spill-to-dram-if-legal", PASS_BOOL, "false",           \
                  "Move all buffers to DRAM that may be there"),                                    \
    D2M_OPTION_IN(parts, D2M_PART_FE, "allow-l1-output-spilling", PASS_BOOL, "false",               \
                  "Results of generics may move from L1 to DRAM"),                                  \
    D2M_OPTION_IN(parts, D2M_PART_FE, "stream-insert-policy", PASS_STRING, "infer",                 \
                  "When operands get a circular buffer: infer, always"),                            \
    D2M_OPTION_IN(parts, D2M_PART_FE, "available-l1-addr-range", PASS_LIST, "",                     \
                  "The addresses of L1 to use: first, end"),                                        \
    D2M_OPTION_IN(parts, D2M_PART_FE, "test-assume-l1-capacity", PASS_INT, "0",                     \
                  "The bytes of L1 to use; 0: all"),                                                \
    D2M_OPTION_IN(parts, D2M_PART_FE, "test-buffer-size-policy", PASS_STRING, "auto",               \
                  "How blocks are sized: auto, bounded, auto-mn, min, max"),                        \
    D2M_OPTION_IN(parts, D2M_PART_FE | D2M_PART_BUFFERS, "ttnn-mode", PASS_BOOL, "false",           \
                  "Tensors of TTNN and function boundaries stay tensors"),                          \
    D2M_OPTION_IN(parts, D2M_PART_TTKERNEL, "force-compile-time-args", PASS_BOOL, "false",          \
                  "Arguments of kernels are known when they are compiled"),                         \
    D2M_OPTION_IN(parts, D2M_PART_FE, "global-data-format-target", PASS_STRING, "",                 \
                  "One format for all floats: f32, bf16 or bfp_bf8"),                               \
    {"enable-op-scheduler", PASS_BOOL, "true", "Schedule tile operations",                          \
     "tile operations are always scheduled"},                                                       \
    D2M_OPTION_IN(parts, D2M_PART_FE, "enable-multicast-inference", PASS_BOOL, "true",              \
                  "Send what several cores reduce from one of them to the others"),                 \
    D2M_OPTION_IN(parts, D2M_PART_BE, "debug-d2m-coalescing-inference", PASS_BOOL, "false",         \
                  "Compare both ways to find contiguous transfers"),                                \
    D2M_OPTION_IN(parts, D2M_PART_BE, "use-tensor-accessor-dma", PASS_BOOL, "false",                \
                  "Transfer pages by accessors where possible"),                                    \
    D2M_OPTION_IN(parts, D2M_PART_BE, "disable-l1-acc", PASS_BOOL, "false",                         \
                  "Sum in DST only, not in L1")
/* clang-format on */

/* Steps that several pipelines have. */
#define D2M_CANONICALIZE                                                                   \
    {"canonicalize", "!disable-tolayout-folding"},                                         \
    {                                                                                      \
        "canonicalize{disable-patterns=ttir.ToLayoutFoldRedundantPattern,"                 \
        "d2m.ToLayoutFoldRedundantPattern}",                                               \
            "disable-tolayout-folding"                                                     \
    }

#endif
