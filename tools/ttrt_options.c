/* ttrt_options.c: the options of ttrt, with those of tt-mlir's that have no meaning here.
 */
#include "ttrt.h"

#include <stddef.h>

#define AT(member) offsetof(ttrt, member)
#define NO_EFFECT(name, kind, value)                                                       \
    {                                                                                      \
        name, kind, kind == CLI_FLAG ? AT(accepted) : AT(ignored),                         \
            "Option of tt-mlir's ttrt", value, false, NULL,                                \
            "the embedded device has no such thing"                                        \
    }

static const char *const inits[] = {"randn", "rand", "zeros", "ones", "arange", NULL};

const cli_option ttrt_options[] = {
    {"artifact-dir", CLI_STRING, AT(artifact_dir), "Folder of artifacts", "folder", false},
    {"atol", CLI_STRING, AT(atol), "Absolute tolerance of --identity", "number", false},
    {"clean-artifacts", CLI_FLAG, AT(clean_artifacts),
     "Remove the binaries' artifacts before", NULL, false},
    {"golden", CLI_STRING, AT(golden),
     "Compare with arrays out0, out1, ... of an .npz file, or .npy files", "file,...",
     false},
    {"identity", CLI_FLAG, AT(identity), "Results must be the inputs", NULL, false},
    {"log-file", CLI_STRING, AT(log_path), "Write the log here too", "file", false},
    LIMIT_ROWS(AT(limits.memory), AT(limits.no_native)),
    {"memory", CLI_FLAG, AT(memory), "Keep the memory taken in memory_results.json", NULL,
     false},
    {"non-zero", CLI_FLAG, AT(non_zero), "Random inputs hold no zero", NULL, false},
    {"pcc", CLI_STRING, AT(pcc), "Least correlation with --golden", "number", false},
    {"rtol", CLI_STRING, AT(rtol), "Relative tolerance of --identity", "number", false},
    NO_EFFECT("benchmark", CLI_FLAG, NULL),
    NO_EFFECT("blocking-cq", CLI_FLAG, NULL),
    NO_EFFECT("check-memory-leak", CLI_FLAG, NULL),
    NO_EFFECT("disable-blackhole-workarounds", CLI_FLAG, NULL),
    NO_EFFECT("disable-device-address-validation", CLI_FLAG, NULL),
    NO_EFFECT("disable-eth-dispatch", CLI_FLAG, NULL),
    NO_EFFECT("disable-read-update-index-for-kv-cache", CLI_FLAG, NULL),
    NO_EFFECT("disable-swap-binary-operands", CLI_FLAG, NULL),
    NO_EFFECT("disable-ttrt-callbacks", CLI_FLAG, NULL),
    NO_EFFECT("debugger", CLI_FLAG, NULL),
    NO_EFFECT("dump-kernels", CLI_FLAG, NULL),
    NO_EFFECT("emitc", CLI_FLAG, NULL),
    NO_EFFECT("save-golden-tensors", CLI_FLAG, NULL),
    NO_EFFECT("atol-allclose", CLI_STRING, "number"),
    NO_EFFECT("dirty-tensor-schedule", CLI_STRING, "list"),
    NO_EFFECT("dump-device-rate", CLI_STRING, "number"),
    NO_EFFECT("fabric-config", CLI_STRING, "name"),
    NO_EFFECT("filter", CLI_STRING, "list"),
    NO_EFFECT("golden-diff-topk", CLI_STRING, "number"),
    NO_EFFECT("kernel-source-dir", CLI_STRING, "folder"),
    NO_EFFECT("memory-log-level", CLI_STRING, "name"),
    NO_EFFECT("ones-density", CLI_STRING, "number"),
    NO_EFFECT("port", CLI_STRING, "number"),
    NO_EFFECT("rtol-allclose", CLI_STRING, "number"),
    NO_EFFECT("trace-region-size", CLI_STRING, "bytes"),
    {"disable-golden", CLI_FLAG, AT(disable_golden), "Do not compare with --golden", NULL,
     false},
    NO_EFFECT("enable-golden", CLI_FLAG, NULL),
    NO_EFFECT("enable-perf-trace", CLI_FLAG, NULL),
    NO_EFFECT("enable-program-cache", CLI_FLAG, NULL),
    NO_EFFECT("host-only", CLI_FLAG, NULL),
    NO_EFFECT("load-kernels", CLI_FLAG, NULL),
    NO_EFFECT("use-loc-for-kernel-name", CLI_FLAG, NULL),
    {"device", CLI_STRING, AT(device),
     "Embedded device: wormhole_b0, blackhole, n150, n300 or p150", "name", false},
    {"entry", CLI_STRING, AT(entry), "Program to run (default: every public one)", "name",
     false},
    {"ignore-version", CLI_FLAG, AT(ignore_version), "Take binaries of another schema",
     NULL, false},
    {"init", CLI_STRING, AT(init), "Inputs: randn, rand, zeros, ones or arange", "name",
     false, inits},
    {"inputs", CLI_STRING, AT(inputs),
     "Arrays in0, in1, ... of an .npz file, or .npy files", "file,...", false},
    {"json", CLI_FLAG, AT(json), "Print the results as JSON", NULL, false},
    {"loops", CLI_INT, AT(loops), "How often to run", "number", false},
    {"print-input-output-tensors", CLI_FLAG, AT(print_tensors), "Show first elements", NULL,
     false},
    {"profile", CLI_FLAG, AT(profile), "Rank operations by time and write a trace", NULL,
     false},
    {"program-index", CLI_STRING, AT(program_index), "all, or the number of a program",
     "index", false},
    {"quiet", CLI_FLAG, AT(quiet), "No log", NULL, false},
    {"read-file", CLI_STRING, AT(read_file), "File of the sections read", "file", false},
    {"result-file", CLI_STRING, AT(result_file), "File of results (VERB_results.json)",
     "file", false},
    {"save-artifacts", CLI_FLAG, AT(save_artifacts), "Keep descriptors, inputs and outputs",
     NULL, false},
    {"section", CLI_STRING, AT(section),
     "all, version, system_desc, mlir, inputs, outputs, op_stats or mesh_shape", "name",
     false},
    {"seed", CLI_INT, AT(seed), "Seed of random inputs", "number", false},
    {"system-desc", CLI_STRING, AT(system_desc), ".ttsys file or folder to compare with",
     "path", false},
};
const size_t ttrt_n_options = TW_COUNT(ttrt_options);
