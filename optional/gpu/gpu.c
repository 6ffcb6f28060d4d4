/* gpu.c: the tables of the gpu dialect, limited to modules, and of nvvm, limited to their
 * targets. */
#include "gpu/gpu.h"

#include "ir/constraints.h"

static const ir_constraint targets = {
    .name = "GPUNonEmptyTargetArrayAttr",
    .pred = "ArrayAttr",
    .text = "array of GPU target attributes with at least 1 elements",
    .storage = "ArrayAttr",
};

static const ir_op_def gpu_ops[] = {
    {.name = "gpu.module",
     .attrs =
         IR_LIST(ir_attr_use, {"offloadingHandler", &C_AnyAttr, .optional = true},
                 {"sym_name", &C_SymbolNameAttr}, {"targets", &targets, .optional = true}),
     .regions = IR_LIST(ir_region_def, {"bodyRegion", "SizedRegion(1)"}),
     .traits = IR_B(ISOLATED) | IR_B(NO_REGION_ARGUMENTS) | IR_B(SYMBOL_TABLE) |
               IR_B(SYMBOL) | IR_B(NO_TERMINATOR) | IR_B(SINGLE_BLOCK) | IR_B(GRAPH_REGION),
     .format = "$sym_name (`<` $offloadingHandler^ `>`)? ($targets^)? "
               "attr-dict-with-keyword $bodyRegion"},
};

const ir_dialect gpu_dialect = {
    .name = "gpu",
    .ops = {gpu_ops, TW_COUNT(gpu_ops)},
    .uses_properties = true,
};

static const ir_attr_def nvvm_attrs[] = {
    {.mnemonic = "nvvm.target",
     .cls = "NVVMTargetAttr",
     .format = "(`<` struct($O, $triple, $chip, $features, $flags, $link)^ `>`)?",
     .params = IR_LIST(
         ir_param_def, {"O", .kind = IR_PARAM_INT, .deflt = "2", .cpp = "int"},
         {"triple", .kind = IR_PARAM_STRING, .deflt = "\"nvptx64-nvidia-cuda\"",
          .cpp = "StringRef"},
         {"chip", .kind = IR_PARAM_STRING, .deflt = "\"sm_50\"", .cpp = "StringRef"},
         {"features", .kind = IR_PARAM_STRING, .deflt = "\"+ptx60\"", .cpp = "StringRef"},
         {"flags", .kind = IR_PARAM_ATTR, .optional = true, .deflt = "",
          .cpp = "DictionaryAttr"},
         {"link", .kind = IR_PARAM_ATTR, .optional = true, .deflt = "",
          .cpp = "ArrayAttr"})},
};

const ir_dialect nvvm_dialect = {
    .name = "nvvm",
    .attrs = {nvvm_attrs, TW_COUNT(nvvm_attrs)},
};
