/* d2m_bufferization.c: the pipeline that bufferizes D2M programs, with the options that
 * tt-mlir's D2M pipelines share. */
#include "ir/pass/pass.h"

#define OTHER_STEPS                                                                        \
    "bufferization has no such choice; other steps of D2M's pipelines read it"
#define UNUSED(name, kind, value, help)                                                    \
    {                                                                                      \
        name, kind, value, help, .no_effect = OTHER_STEPS                                  \
    }

const pass_pipeline_def ttir_bufferization_pipeline = {
    .name = "ttir-bufferization-pipeline",
    .summary = "Bufferize D2M programs",
    .options = IR_LIST(
        pass_option_def,
        {"ttnn-mode", PASS_BOOL, "false",
         "Tensors of TTNN and function boundaries stay tensors"},
        UNUSED("mesh-shape", PASS_LIST, "", "Mesh of devices"),
        UNUSED("mesh-topology", PASS_LIST, "", "Topology of each mesh axis"),
        UNUSED("override-device-shape", PASS_LIST, "", "Grid of cores to use"),
        UNUSED("system-desc-path", PASS_STRING, "", "File of the system descriptor"),
        UNUSED("mock-system-desc-arch", PASS_STRING, "wormhole_b0", "Architecture"),
        UNUSED("max-dst-physical-size-tiles", PASS_INT, "0", "Tiles of DST to use"),
        UNUSED("enable-elementwise-fusion", PASS_BOOL, "false", "Fuse generics"),
        UNUSED("enable-eltwise-reduction-fusion", PASS_BOOL, "false",
               "Fuse generics into reductions"),
        UNUSED("matmul-interchange", PASS_LIST, "", "Order of the loops of matmuls"),
        UNUSED("use-tile-matmul", PASS_BOOL, "false", "Multiply matrices tile by tile"),
        UNUSED("collapse-tensors-2d", PASS_BOOL, "true", "Collapse tensors to matrices"),
        UNUSED("default-input-memspace", PASS_STRING, "l1", "Memory of inputs"),
        UNUSED("default-output-memspace", PASS_STRING, "l1", "Memory of outputs"),
        UNUSED("disable-tolayout-folding", PASS_BOOL, "false", "Keep all layout changes"),
        UNUSED("insert-profiler-traces", PASS_BOOL, "false", "Insert profiler zones"),
        UNUSED("set-math-fidelity", PASS_STRING, "HiFi4", "Math fidelity"),
        UNUSED("num-stream-buffers", PASS_INT, "2", "Blocks of a circular buffer"),
        UNUSED("stream-insert-policy", PASS_STRING, "infer", "When operands are streamed"),
        UNUSED("available-l1-addr-range", PASS_LIST, "", "Addresses of L1 to use"),
        UNUSED("test-assume-l1-capacity", PASS_INT, "0", "Bytes of L1 to use"),
        UNUSED("test-buffer-size-policy", PASS_STRING, "auto", "How blocks are sized"),
        UNUSED("force-spill-to-dram-if-legal", PASS_BOOL, "false", "Spill to DRAM"),
        UNUSED("allow-l1-output-spilling", PASS_BOOL, "false", "Results may be spilled"),
        UNUSED("global-data-format-target", PASS_STRING, "", "Data format of the program"),
        UNUSED("enable-multicast-inference", PASS_BOOL, "true", "Infer multicasts")),
    .steps = IR_LIST(pass_step,
                     {"one-shot-bufferize{allow-unknown-ops=true "
                      "function-boundary-type-conversion=identity-layout-map "
                      "unknown-type-conversion=identity-layout-map}",
                      "ttnn-mode"},
                     {"ttcore-one-shot-bufferize", "!ttnn-mode"}),
};
