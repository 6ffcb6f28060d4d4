/* registry.c: the table of passes and pipelines. */
#include "pipelines/registry.h"

#include "pipelines/mpmd_pipelines.h"
#include "pipelines/passes.h"
#include "pipelines/ttnn_pipelines.h"
#include "sdy/mpmd/passes/passes.h"
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"
#include "stablehlo/to_ttir/stablehlo_to_ttir.h"
#include "stablehlo/vhlo/from_stablehlo/stablehlo_to_vhlo.h"
#include "stablehlo/vhlo/to_stablehlo/vhlo_to_stablehlo.h"
#include "ttir/from_tosa/tosa_to_ttir.h"
#include "ttir/from_ttnn/ttnn_to_ttir.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"
#include "ttkernel/sfpi/to_emitc/sfpi_to_emitc.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"
#include "ttl/to_ttkernel/ttl_to_ttkernel.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"

static const pass_def *const passes[] = {
    &canonicalize_pass,
    &chlo_legalize_to_stablehlo_pass,
    &convert_arith_to_stablehlo_pass,
    &convert_stablehlo_to_ttir_pass,
    &convert_tosa_to_ttir_pass,
    &convert_ttir_to_ttnn_pass,
    &convert_sfpi_to_emitc_pass,
    &convert_ttkernel_to_emitc_pass,
    &ttkernel_describe_programs_pass,
    &convert_ttl_to_compute_pass,
    &convert_ttnn_to_emitc_pass,
    &convert_ttnn_to_emitpy_pass,
    &convert_ttnn_to_ttir_pass,
    &emitpy_add_imports_pass,
    &emitpy_name_vars_pass,
    &convert_ttl_to_ttkernel_pass,
    &composite_fixed_point_pass,
    &control_flow_sink_pass,
    &cse_pass,
    &form_expressions_pass,
    &remove_dead_emitc_expressions_pass,
    &ttkernel_dedup_inits_pass,
    &ttkernel_lower_tensor_accessors_pass,
    &inline_pass,
    &loop_invariant_code_motion_pass,
    &lower_affine_pass,
    &legalize_stablehlo_composite_to_ttir_pass,
    &ttcore_mark_functions_pass,
    &ttcore_register_device_pass,
    &print_ir_pass,
    &print_op_stats_pass,
    &reconcile_unrealized_casts_pass,
    &remove_dead_values_pass,
    &sccp_pass,
    &stablehlo_flatten_control_flow_pass,
    &hlo_test_infer_pass,
    &hlo_test_speculatability_pass,
    &stablehlo_aggressive_folder_pass,
    &stablehlo_aggressive_simplification_pass,
    &stablehlo_canonicalize_dynamism_pass,
    &stablehlo_check_shape_assertions_pass,
    &stablehlo_compatibility_expander_pass,
    &stablehlo_complex_data_type_pass,
    &stablehlo_complex_math_expander_pass,
    &stablehlo_convert_to_signless_pass,
    &stablehlo_legalize_deprecated_ops_pass,
    &stablehlo_legalize_qdq_to_quantized_op_pass,
    &stablehlo_legalize_quantized_op_to_qdq_pass,
    &stablehlo_refine_arguments_pass,
    &stablehlo_refine_shapes_pass,
    &stablehlo_target_independent_optimization_pass,
    &stablehlo_total_order_pass,
    &stablehlo_wrap_in_composite_pass,
    &stablehlo_legalize_composite_to_call_pass,
    &stablehlo_legalize_to_vhlo_pass,
    &sdy_lift_inlined_meshes_pass,
    &sdy_remove_size_one_axes_pass,
    &sdy_inline_meshes_pass,
    &sdy_add_data_flow_edges_pass,
    &sdy_add_func_data_flow_edges_pass,
    &sdy_sink_data_flow_edges_pass,
    &sdy_sink_func_data_flow_edges_pass,
    &sdy_apply_sharding_constraints_pass,
    &sdy_sharding_group_import_pass,
    &sdy_manual_axes_cleanup_pass,
    &sdy_close_shardings_pass,
    &sdy_drop_sharding_and_mesh_pass,
    &sdy_remove_propagation_debug_info_pass,
    &sdy_drop_sharding_rules_pass,
    &sdy_remove_sharding_groups_pass,
    &sdy_sharding_constraint_to_reshard_pass,
    &sdy_update_non_divisible_input_output_shardings_pass,
    &sdy_remove_sub_axes_in_input_output_shardings_pass,
    &sdy_insert_explicit_reshards_pass,
    &sdy_pre_order_funcs_pass,
    &sdy_propagate_sharding_from_func_to_call_pass,
    &sdy_propagate_to_func_results_pass,
    &sdy_insert_func_call_reshards_pass,
    &sdy_flatten_call_graph_pass,
    &sdy_unflatten_call_graph_pass,
    &sdy_import_func_calls_pass,
    &sdy_export_named_computations_pass,
    &sdy_reshard_to_collectives_pass,
    &sdy_explicit_gather_scatter_batching_pass,
    &sdy_convert_global_to_local_pass,
    &sdy_constant_or_scalar_splitter_pass,
    &sdy_constant_or_scalar_merger_pass,
    &analyze_mesh_pass,
    &annotate_local_shapes_pass,
    &apply_argument_shard_status_pass,
    &convert_xla_sdy_to_sdy_pass,
    &decouple_const_fanout_pass,
    &insert_explicit_reshards_pass,
    &insert_reshards_for_unpropagated_ops_pass,
    &partially_convert_sdy_to_stablehlo_pass,
    &register_custom_sharding_rule_pass,
    &register_user_sharding_rule_pass,
    &reoutline_composite_pass,
    &stablehlo_fusing_pass,
    &update_global_to_local_shapes_pass,
    &wrap_under_manual_computation_pass,
    &replicate_non_splittable_values_pass,
    &decompose_custom_call_tuples_pass,
    &shardy_ccl_canonicalization_pass,
    &sdy_resolve_single_device_sharding_pass,
    &sdy_remove_all_gather_reduce_scatter_for_cmv1_pass,
    &flatten_or_convert_composites_pass,
    &sdy_basic_propagate_pass,
    &sdy_aggressive_propagate_pass,
    &sdy_op_priority_propagate_pass,
    &sdy_user_priority_propagate_pass,
    &sdy_populate_op_sharding_rules_pass,
    &snapshot_op_locations_pass,
    &strip_debuginfo_pass,
    &symbol_dce_pass,
    &symbol_privatize_pass,
    &topological_sort_pass,
    &ttir_decomposition_pass,
    &ttir_element_type_normalization_pass,
    &ttir_erase_inverse_ops_pass,
    &ttir_global_data_format_pass,
    &ttir_infer_kv_cache_pass,
    &ttir_propagate_weight_dtype_pass,
    &ttir_flatten_sliding_window_pass,
    &ttir_move_reshape_to_constant_pass,
    &ttir_fold_constant_shapes_pass,
    &ttir_decompose_complex_permute_pass,
    &ttir_decompose_complex_reshape_pass,
    &ttir_dequantize_computation_pass,
    &ttir_predicate_type_alignment_pass,
    &ttir_quant_data_type_pass,
    &ttir_fusing_pass,
    &ttir_implicit_broadcast_fold_pass,
    &ttir_explicate_tms_pass,
    &ttir_reduction_force_keep_dim_pass,
    &ttir_fold_full_to_scalar_pass,
    &tt_populate_argument_types_pass,
    &transform_interpreter_pass,
    &ttl_allocate_cbs_pass,
    &ttl_annotate_cb_associations_pass,
    &ttl_assign_dst_pass,
    &ttl_bufferize_pass,
    &ttl_canonicalize_pass,
    &ttl_expand_threads_pass,
    &ttl_infer_dst_requirements_pass,
    &ttl_insert_synchronization_pass,
    &ttl_insert_tile_regs_sync_pass,
    &ttl_lower_signpost_to_emitc_pass,
    &ttl_lower_to_loops_pass,
    &ttl_schedule_pipeline_pass,
    &ttl_set_compute_kernel_config_pass,
    &ttl_subblock_compute_for_dst_pass,
    &ttl_validate_pass,
    &ttl_verify_layouts_pass,
    &ttnn_deallocate_pass,
    &ttnn_prepare_conv3d_weights_pass,
    &ttnn_load_input_tensors_pass,
    &ttnn_create_input_gens_pass,
    &ttnn_tuplify_tensors_pass,
    &ttnn_trace_hoist_transform_pass,
    &ttnn_decomposition_pass,
    &ttnn_resolve_composites_pass,
    &ttnn_fusing_pass,
    &ttcore_optimization_barrier_fold_pass,
    &ttcore_unwrap_device_module_pass,
    &ttcore_wrap_device_module_pass,
    &ttnn_force_final_deallocs_pass,
    &ttnn_remove_deallocs_pass,
    &ttnn_adjust_deallocs_pass,
    &ttnn_force_const_eval_to_system_memory_pass,
    &const_eval_hoist_transform_pass,
    &ttnn_unique_locations_pass,
    &ttnn_configure_ccl_ops_pass,
    &ttnn_set_compute_kernel_config_pass,
    &ttnn_ccl_activation_dtype_lowering_pass,
    &ttnn_kv_cache_dtype_conversion_pass,
    &ttnn_weight_dtype_conversion_pass,
    &ttnn_collect_perf_metrics_pass,
    &ttnn_decompose_layouts_pass,
    &ttnn_layout_pass,
    &ttnn_workaround_pass,
    &vhlo_legalize_to_stablehlo_pass,
    &vhlo_to_version_pass,
#define MPMD_PASS(id, ...) &mpmd_##id##_pass,
#include "sdy/mpmd/passes/passes.def"
    NULL,
};

static const pass_pipeline_def stablehlo_pipeline = {
    .name = "stablehlo-pipeline",
    .summary = "Splits programs of StableHLO over a mesh of devices",
    .options = IR_LIST(
        pass_option_def, {"mesh-shape", PASS_LIST, "", "The mesh, as 2,4"},
        {"result-presharded", PASS_LIST, "",
         "1 for each result that is left split, else 0"},
        {"automatic-arg-analysis", PASS_BOOL, "false", "Split arguments along their batch"},
        {"enable-aggressive-simplification", PASS_BOOL, "false",
         "Simplify StableHLO first"},
        {"argument-types", PASS_STRING, "", "What each argument is"}),
    .steps =
        IR_LIST(pass_step, {"inline", NULL},
                {"tt-populate-argument-types{argument-types=$argument-types}", NULL},
                {"convert-xla-sdy-to-sdy", NULL},
                {"func.func(stablehlo-aggressive-simplification)",
                 "enable-aggressive-simplification"},
                {"stablehlo-fusing,partially-convert-sdy-to-stablehlo", NULL},
                {"apply-argument-shard-status{result-presharded=$result-presharded}", NULL},
                {"analyze-mesh{mesh-shape=$mesh-shape "
                 "automatic-arg-analysis=$automatic-arg-analysis}",
                 NULL},
                {"decouple-const-fanout,decompose-custom-call-tuples,"
                 "flatten-or-convert-composites",
                 NULL},
                {"register-custom-sharding-rule,register-user-sharding-rule,"
                 "sdy-apply-sharding-constraints",
                 NULL},
                {"sdy-user-priority-propagate{conservative-propagation=true}", NULL},
                {"func.func(sdy-sharding-constraint-to-reshard)", NULL},
                {"replicate-non-splittable-values,insert-reshards-for-unpropagated-ops,"
                 "insert-explicit-reshards,wrap-under-manual-computation",
                 NULL},
                {"func.func(sdy-reshard-to-collectives)", NULL},
                {"shardy-ccl-canonicalization,annotate-local-shapes,"
                 "update-global-to-local-shapes,reoutline-composite",
                 NULL},
                {"sdy-close-shardings,canonicalize", NULL}),
};

static const pass_pipeline_def stablehlo_to_ttir = {
    .name = "stablehlo-to-ttir-pipeline",
    .summary = "Pipeline lowering StableHLO to TTIR",
    .options = IR_LIST(
        pass_option_def,
        {"enable-arith-to-stablehlo", PASS_BOOL, "true", "Read constants of arith too"},
        {"enable-composite-to-call", PASS_BOOL, "true",
         "Replace composites by calls of their decompositions"},
        {"enable-aggressive-simplification", PASS_BOOL, "true",
         "Simplify StableHLO first"}),
    .steps = IR_LIST(pass_step, {"convert-arith-to-stablehlo", "enable-arith-to-stablehlo"},
                     {"func.func(stablehlo-aggressive-simplification)",
                      "enable-aggressive-simplification"},
                     {"legalize-stablehlo-composite-to-ttir", NULL},
                     {"stablehlo-legalize-composite-to-call", "enable-composite-to-call"},
                     {"inline", NULL},
                     {"chlo-legalize-to-stablehlo{except=" TW_CHLO_OF_TTIR "}", NULL},
                     {"func.func(stablehlo-flatten-control-flow,"
                      "stablehlo-complex-math-expander),"
                      "stablehlo-complex-data-type-conversion",
                      NULL},
                     {"convert-stablehlo-to-ttir", NULL}, {"cse", NULL}),
};

/* The options of ttnn-ttir-passes. */
#define TTIR_OPTIONS                                                                       \
    {"system-desc-path", PASS_STRING, "", "A .ttsys file"},                                \
        {"mock-system-desc-arch", PASS_STRING, "wormhole_b0",                              \
         "System descriptor when there is no file"},                                       \
        {"mesh-shape", PASS_LIST, "", "Extents of the device's mesh"},                     \
        {"argument-types", PASS_STRING, "", "What each argument is"},                      \
        {"enable-element-type-normalization", PASS_BOOL, "true",                           \
         "Give tensors element types that the hardware has"},                              \
        {"canonicalize-disable-patterns", PASS_STRING, "",                                 \
         "Patterns of canonicalize to leave out"},                                         \
        {"enable-fusing-pass", PASS_BOOL, "true", "Combine operations"},                   \
        {"enable-permute-matmul-fusion", PASS_BOOL, "true",                                \
         "Let matrix products read transposed operands as they are"},                      \
        {"enable-exact-fusing", PASS_BOOL, "false", "Take no function for a similar one"}, \
        {"enable-implicit-broadcast-folding-pass", PASS_BOOL, "true",                      \
         "Fold broadcasts into their users"},                                              \
    {                                                                                      \
        "enable-erase-inverse-ops-pass", PASS_BOOL, "true",                                \
            "Move permutes and reshapes to where they meet their inverses"                 \
    }
#define CANONICALIZE "canonicalize{disable-patterns=$canonicalize-disable-patterns}"
#define FUSING                                                                             \
    "ttir-fusing{enable-permute-matmul-fusion=$enable-permute-matmul-fusion "              \
    "exact=$enable-exact-fusing written-norms=$enable-exact-fusing}"

/* From TTIR as front ends write it to TTIR that becomes TTNN operation by operation. */
static const pass_pipeline_def ttnn_ttir_passes = {
    .name = "ttnn-ttir-passes",
    .summary = "What is done to TTIR on its way to TTNN",
    .options = IR_LIST(pass_option_def, TTIR_OPTIONS),
    .steps = IR_LIST(
        pass_step, {"ttcore-mark-functions-as-forward", NULL},
        {"ttir-element-type-normalization", "enable-element-type-normalization"},
        {"ttcore-register-device{system-desc-path=$system-desc-path "
         "mock-system-desc-arch=$mock-system-desc-arch mesh-shape=$mesh-shape}",
         NULL},
        {"tt-populate-argument-types{argument-types=$argument-types}", NULL},
        {CANONICALIZE, NULL}, {FUSING, "enable-fusing-pass"},
        {"ttir-to-ttir-decomposition", NULL}, {CANONICALIZE, NULL},
        {"ttir-implicit-broadcast-fold", "enable-implicit-broadcast-folding-pass"},
        {FUSING, "enable-fusing-pass"}, {CANONICALIZE, NULL},
        {"inline{default-pipeline=" CANONICALIZE "}", NULL},
        {"ttir-infer-kv-cache-argument-types,ttir-propagate-weight-dtype", NULL},
        {"ttir-explicate-tms", "enable-erase-inverse-ops-pass"},
        {"ttir-erase-inverse-ops", "enable-erase-inverse-ops-pass"},
        {"ttir-implicit-broadcast-fold", "enable-implicit-broadcast-folding-pass"},
        {FUSING, "enable-fusing-pass"}, {"ttir-fold-full-to-scalar", NULL}, {"cse", NULL}),
};

/* The rest of the way. */
static const pass_pipeline_def ttnn_lowering_passes = {
    .name = "ttnn-lowering-passes",
    .summary = "Layouts, TTNN's operations, lifetimes",
    .options = IR_LIST(pass_option_def, {"signed-integers", PASS_BOOL, "false",
                                         "Keep the sign of integers of 8 and 16 bits"}),
    .steps = IR_LIST(pass_step, {"ttnn-layout{signed-integers=$signed-integers}", NULL},
                     {"convert-ttir-to-ttnn", NULL}, {"canonicalize", NULL},
                     {"ttnn-prepare-conv3d-weights{channels-in-tiles=false}", NULL},
                     {"ttnn-deallocate{arguments=false}", NULL}),
};

static const pass_pipeline_def stablehlo_deserialize = {
    .name = "stablehlo-deserialize",
    .summary = "Upgrade a portable artifact and turn it into StableHLO",
    .steps =
        IR_LIST(pass_step, {"vhlo-to-version{target=current}", NULL},
                {"vhlo-legalize-to-stablehlo", NULL}, {"reconcile-unrealized-casts", NULL}),
};

static const pass_pipeline_def chlo_pre_serialization = {
    .name = "chlo-pre-serialization-pipeline",
    .summary = "Lower as much as possible to StableHLO, including CHLO and shapes",
    .steps = IR_LIST(pass_step, {"chlo-legalize-to-stablehlo", NULL},
                     {"reconcile-unrealized-casts", NULL}),
};

static const pass_pipeline_def ttl_to_ttkernel = {
    .name = "ttl-to-ttkernel-pipeline",
    .summary = "Lower TTL to TTKernel, run cleanup canonicalization/CSE, and optionally "
               "lower TTKernel to EmitC.",
    .options = IR_LIST(pass_option_def,
                       {"lower-to-emitc", PASS_BOOL, "false", "Lower TTKernel to EmitC."}),
    .steps = IR_LIST(
        pass_step, {"func.func(convert-ttl-to-compute)", NULL},
        {"func.func(ttl-set-compute-kernel-config)", NULL},
        {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL},
        {"func.func(ttl-insert-tile-regs-sync)", NULL},
        {"func.func(ttl-lower-to-loops)", NULL},
        {"func.func(ttl-annotate-cb-associations)", NULL},
        {"convert-ttl-to-ttkernel", NULL}, {"lower-affine", NULL}, {"canonicalize", NULL},
        {"cse", NULL},
        {"convert-ttkernel-to-emitc,canonicalize,form-expressions", "lower-to-emitc"}),
};

/* The names of the language's plan, for whole kernels. */
static const pass_pipeline_def ttl_lower_to_ttkernel = {
    .name = "ttl-lower-to-ttkernel",
    .summary = "Number buffers, make threads functions, lower them to TTKernel",
    .steps = IR_LIST(pass_step, {"ttl-insert-synchronization", NULL},
                     {"ttl-canonicalize", NULL}, {"ttl-allocate-cbs", NULL},
                     {"ttl-expand-threads", NULL}, {"ttl-to-ttkernel-pipeline", NULL}),
};

static const pass_pipeline_def ttl_assign_dst_registers = {
    .name = "ttl-assign-dst-registers",
    .summary = "Assign DST registers for whatever configuration computes have",
    .steps = IR_LIST(pass_step, {"func.func(ttl-set-compute-kernel-config)", NULL},
                     {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL}),
};

/* Kernels as C++, tidied up. */
static const pass_pipeline_def d2m_emitc = {
    .name = "d2m-emitc-pipeline",
    .summary = "Lower TTKernel ops to EmitC",
    .steps = IR_LIST(pass_step, {"convert-ttkernel-to-emitc", NULL}, {"canonicalize", NULL},
                     {"func.func(remove-dead-emitc-expressions)", NULL},
                     {"form-expressions", NULL}),
};

/* The plan's: kernels as C++, or a library with the host that launches them. */
static const pass_pipeline_def ttkernel_to_emitc = {
    .name = "ttkernel-to-emitc-pipeline",
    .summary = "Lower TTKernel to EmitC, and say what a host needs to launch the kernels",
    .options = IR_LIST(pass_option_def,
                       {"target-dylib", PASS_BOOL, "false",
                        "A library: functions over tensors that launch the kernels"}),
    .steps = IR_LIST(pass_step, {"ttkernel-describe-programs", "target-dylib"},
                     {"lower-affine", NULL}, {"convert-ttkernel-to-emitc", NULL},
                     {"canonicalize", NULL}, {"form-expressions", NULL}),
};

static const pass_pipeline_def ttl_allocate_circular_buffers = {
    .name = "ttl-allocate-circular-buffers",
    .summary = "Number circular buffers and check that they fit a core's memory",
    .steps = IR_LIST(pass_step, {"ttl-allocate-cbs", NULL}),
};

/* The three steps of lowering, in their order. */
static const pass_pipeline_def ttl_lower_compute = {
    .name = "ttl-lower-compute",
    .summary = "Lower what threads compute to loops over tiles and TTKernel",
    .steps = IR_LIST(pass_step, {"func.func(convert-ttl-to-compute)", NULL},
                     {"func.func(ttl-set-compute-kernel-config)", NULL},
                     {"func.func(ttl-assign-dst{reload-arguments=true spill=true})", NULL},
                     {"func.func(ttl-insert-tile-regs-sync)", NULL},
                     {"func.func(ttl-lower-to-loops)", NULL},
                     {"func.func(ttl-annotate-cb-associations)", NULL},
                     {"convert-ttl-to-ttkernel{only=compute}", NULL}),
};

static const pass_pipeline_def ttl_lower_data_movement = {
    .name = "ttl-lower-data-movement",
    .summary = "Lower copies and waits for them to accessors and the NoC",
    .steps = IR_LIST(pass_step, {"convert-ttl-to-ttkernel{only=data-movement}", NULL}),
};

static const pass_pipeline_def ttl_lower_synchronization = {
    .name = "ttl-lower-synchronization",
    .summary = "Lower buffers, semaphores and threads, what the other steps leave",
    .steps = IR_LIST(pass_step, {"convert-ttl-to-ttkernel{only=synchronization}", NULL},
                     {"lower-affine", NULL}, {"canonicalize", NULL}, {"cse", NULL}),
};

/* ---- sdy ---------------------------------------------------------------------------- */

#define SDY_DEDUP                                                                          \
    {                                                                                      \
        "dedup-functions-fully", PASS_BOOL, "false",                                       \
            "Keep one function for all calls of it, whatever their shardings"              \
    }
#define SDY_EXPORT_OPTIONS                                                                 \
    {"keep-sharding-rules", PASS_BOOL, "false", "Leave the rules on operations"},          \
        {"avoid-export-for-partitioning", PASS_BOOL, "false",                              \
         "Leave what only a partitioner needs undone"},                                    \
        {"enable-insert-explicit-collectives", PASS_BOOL, "false",                         \
         "Reshards of all operations, as collectives"},                                    \
    {                                                                                      \
        "update-non-divisible-input-output-shardings", PASS_BOOL, "true",                  \
            "Shardings of arguments and results divide their extents"                      \
    }

static const pass_pipeline_def sdy_import = {
    .name = "sdy-import-pipeline",
    .summary = "Prepare a module for the propagation of shardings",
    .options = IR_LIST(pass_option_def, SDY_DEDUP),
    .steps = IR_LIST(pass_step, {"symbol-dce", NULL}, {"sdy-lift-inlined-meshes", NULL},
                     {"sdy-remove-size-one-axes", NULL},
                     {"sdy-propagate-sharding-from-func-to-call", NULL},
                     {"sdy-constant-or-scalar-splitter", NULL}, {"symbol-dce", NULL},
                     {"sdy-manual-axes-cleanup", NULL}, {"sdy-add-data-flow-edges", NULL},
                     {"sdy-apply-sharding-constraints,sdy-sharding-group-import",
                      "dedup-functions-fully"}),
};

static const pass_pipeline_def sdy_export = {
    .name = "sdy-export-pipeline",
    .summary = "Take away what propagation needed and make its shardings hold",
    .options = IR_LIST(pass_option_def, SDY_EXPORT_OPTIONS,
                       {"inline-meshes", PASS_BOOL, "true", "Meshes inside shardings"},
                       {"remove-all-gather-reduce-scatter-for-cmv1", PASS_BOOL, "false",
                        "Leave collectives next to products to their computation"}),
    .steps =
        IR_LIST(pass_step, {"func.func(sdy-constant-or-scalar-merger)", NULL},
                {"func.func(sdy-sink-data-flow-edges)", NULL},
                {"sdy-remove-sharding-groups,func.func(sdy-sharding-constraint-to-reshard)",
                 "!avoid-export-for-partitioning"},
                {"sdy-update-non-divisible-input-output-shardings,"
                 "sdy-remove-sub-axes-in-input-output-shardings",
                 "update-non-divisible-input-output-shardings"},
                {"sdy-close-shardings", NULL},
                {"func.func(sdy-insert-explicit-reshards{enable-full-version="
                 "$enable-insert-explicit-collectives})",
                 "!avoid-export-for-partitioning"},
                {"canonicalize{enable-patterns=sdy-reshard},"
                 "func.func(sdy-reshard-to-collectives)",
                 "enable-insert-explicit-collectives"},
                {"canonicalize{enable-patterns=sdy-collective}", NULL},
                {"func.func(sdy-drop-sharding-rules)", "!keep-sharding-rules"},
                {"sdy-inline-meshes", "inline-meshes,!avoid-export-for-partitioning"}),
};

static const pass_pipeline_def sdy_propagation = {
    .name = "sdy-propagation-pipeline",
    .summary = "Propagate shardings through a whole module",
    .options = IR_LIST(pass_option_def, SDY_DEDUP, SDY_EXPORT_OPTIONS),
    .steps = IR_LIST(
        pass_step,
        {"sdy-import-pipeline{dedup-functions-fully=$dedup-functions-fully}", NULL},
        {"sdy-add-func-data-flow-edges", "dedup-functions-fully"},
        {"sdy-flatten-call-graph,symbol-dce,sdy-import-func-calls,symbol-dce,"
         "sdy-apply-sharding-constraints,sdy-sharding-group-import",
         "!dedup-functions-fully"},
        {"sdy-pre-order-funcs,sdy-user-priority-propagate{keep-sharding-rules=true}", NULL},
        {"sdy-propagate-to-func-results,func.func(sdy-sink-func-data-flow-edges)",
         "dedup-functions-fully"},
        {"sdy-export-named-computations,sdy-propagate-to-func-results",
         "!dedup-functions-fully"},
        {"sdy-unflatten-call-graph{dedup-functions-fully=$dedup-functions-fully},symbol-"
         "dce,"
         "sdy-insert-func-call-reshards",
         NULL},
        {"sdy-export-pipeline{inline-meshes=false "
         "keep-sharding-rules=$keep-sharding-rules "
         "avoid-export-for-partitioning=$avoid-export-for-partitioning "
         "enable-insert-explicit-collectives=$enable-insert-explicit-collectives "
         "update-non-divisible-input-output-shardings="
         "$update-non-divisible-input-output-shardings}",
         NULL}),
};

static const pass_pipeline_def *const pipelines[] = {
    &chlo_pre_serialization,
    &d2m_emitc,
    &ttkernel_to_emitc,
    &mpmd_export_pipeline,
    &mpmd_import_pipeline,
    &mpmd_infer_mesh_pipeline,
    &mpmd_optimize_pipeline,
    &mpmd_sharding_propagation_pipeline,
    &sdy_import,
    &sdy_export,
    &sdy_propagation,
    &stablehlo_deserialize,
    &stablehlo_pipeline,
    &stablehlo_to_ttir,
    &ttir_to_emitc_pipeline,
    &ttir_to_emitpy_pipeline,
    &ttir_to_ttnn_backend_pipeline,
    &ttir_to_ttnn_common_pipeline,
    &ttir_to_ttnn_runtime_pipeline,
    &ttl_allocate_circular_buffers,
    &ttl_assign_dst_registers,
    &ttl_lower_compute,
    &ttl_lower_data_movement,
    &ttl_lower_synchronization,
    &ttl_lower_to_ttkernel,
    &ttl_to_ttkernel,
    &ttnn_common_to_emitc_pipeline,
    &ttnn_common_to_emitpy_pipeline,
    &ttnn_common_to_runtime_pipeline,
    &ttnn_lowering_passes,
    &ttnn_ttir_passes,
    NULL,
};

const pass_registry tw_passes = {passes, pipelines};
