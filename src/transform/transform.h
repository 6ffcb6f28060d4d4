/* transform.h: the passes within a level, one file each. */
#ifndef TILEWRIGHT_TRANSFORM_H
#define TILEWRIGHT_TRANSFORM_H

#include "pass/pass.h"

/* MLIR's own, with its names and options */
extern const pass_def canonicalize_pass;
extern const pass_def composite_fixed_point_pass;
extern const pass_def control_flow_sink_pass;
extern const pass_def cse_pass;
extern const pass_def form_expressions_pass;
extern const pass_def inline_pass;
extern const pass_def loop_invariant_code_motion_pass;
extern const pass_def lower_affine_pass;
extern const pass_def ttcore_mark_functions_pass;
extern const pass_def ttcore_register_device_pass;
extern const pass_def print_ir_pass;
extern const pass_def print_op_stats_pass;
extern const pass_def reconcile_unrealized_casts_pass;
extern const pass_def remove_dead_values_pass;
extern const pass_def sccp_pass;
extern const pass_def snapshot_op_locations_pass;
extern const pass_def strip_debuginfo_pass;
extern const pass_def symbol_dce_pass;
extern const pass_def symbol_privatize_pass;
extern const pass_def topological_sort_pass;

extern const pass_def convert_arith_to_stablehlo_pass;
extern const pass_def stablehlo_flatten_control_flow_pass;
extern const pass_def hlo_test_infer_pass;
extern const pass_def hlo_test_speculatability_pass;
extern const pass_def stablehlo_aggressive_folder_pass;
extern const pass_def stablehlo_aggressive_simplification_pass;
extern const pass_def stablehlo_canonicalize_dynamism_pass;
extern const pass_def stablehlo_check_shape_assertions_pass;
extern const pass_def stablehlo_compatibility_expander_pass;
extern const pass_def stablehlo_complex_data_type_pass;
extern const pass_def stablehlo_complex_math_expander_pass;
extern const pass_def stablehlo_convert_to_signless_pass;
extern const pass_def stablehlo_legalize_deprecated_ops_pass;
extern const pass_def stablehlo_legalize_qdq_to_quantized_op_pass;
extern const pass_def stablehlo_legalize_quantized_op_to_qdq_pass;
extern const pass_def stablehlo_refine_arguments_pass;
extern const pass_def stablehlo_refine_shapes_pass;
extern const pass_def stablehlo_target_independent_optimization_pass;
extern const pass_def stablehlo_total_order_pass;
extern const pass_def stablehlo_wrap_in_composite_pass;
extern const pass_def stablehlo_legalize_composite_to_call_pass;
extern const pass_def ttir_decomposition_pass;
extern const pass_def ttir_erase_inverse_ops_pass;
extern const pass_def ttir_infer_kv_cache_pass;
extern const pass_def ttir_propagate_weight_dtype_pass;
extern const pass_def ttir_flatten_sliding_window_pass;
extern const pass_def ttir_move_reshape_to_constant_pass;
extern const pass_def ttir_fold_constant_shapes_pass;
extern const pass_def ttir_decompose_complex_permute_pass;
extern const pass_def ttir_decompose_complex_reshape_pass;
extern const pass_def ttir_dequantize_computation_pass;
extern const pass_def ttir_predicate_type_alignment_pass;
extern const pass_def ttir_quant_data_type_pass;
extern const pass_def ttir_fusing_pass;
extern const pass_def ttir_implicit_broadcast_fold_pass;
extern const pass_def ttir_explicate_tms_pass;
extern const pass_def ttir_reduction_force_keep_dim_pass;
extern const pass_def ttir_fold_full_to_scalar_pass;
extern const pass_def tt_populate_argument_types_pass;
extern const pass_def ttnn_deallocate_pass;
extern const pass_def ttnn_prepare_conv3d_weights_pass;
extern const pass_def ttnn_load_input_tensors_pass;
extern const pass_def ttnn_create_input_gens_pass;
extern const pass_def ttnn_tuplify_tensors_pass;
extern const pass_def ttnn_trace_hoist_transform_pass;
extern const pass_def ttnn_decomposition_pass;
extern const pass_def ttnn_resolve_composites_pass;
extern const pass_def ttnn_fusing_pass;
extern const pass_def ttcore_optimization_barrier_fold_pass;
extern const pass_def ttcore_unwrap_device_module_pass;
extern const pass_def ttcore_wrap_device_module_pass;
extern const pass_def ttnn_force_final_deallocs_pass;
extern const pass_def ttnn_remove_deallocs_pass;
extern const pass_def ttnn_adjust_deallocs_pass;
extern const pass_def ttnn_force_const_eval_to_system_memory_pass;
extern const pass_def const_eval_hoist_transform_pass;
extern const pass_def ttnn_unique_locations_pass;
extern const pass_def ttnn_configure_ccl_ops_pass;
extern const pass_def ttnn_set_compute_kernel_config_pass;
extern const pass_def ttnn_ccl_activation_dtype_lowering_pass;
extern const pass_def ttnn_kv_cache_dtype_conversion_pass;
extern const pass_def ttnn_weight_dtype_conversion_pass;
extern const pass_def ttnn_collect_perf_metrics_pass;
extern const pass_def ttnn_decompose_layouts_pass;
extern const pass_def ttnn_workaround_pass;
extern const pass_def vhlo_to_version_pass;
extern const pass_def ttkernel_dedup_inits_pass;
extern const pass_def ttkernel_lower_tensor_accessors_pass;
extern const pass_def remove_dead_emitc_expressions_pass;

/* stablehlo-pipeline (mesh/) */
extern const pass_def analyze_mesh_pass;
extern const pass_def annotate_local_shapes_pass;
extern const pass_def apply_argument_shard_status_pass;
extern const pass_def convert_xla_sdy_to_sdy_pass;
extern const pass_def decouple_const_fanout_pass;
extern const pass_def insert_explicit_reshards_pass;
extern const pass_def insert_reshards_for_unpropagated_ops_pass;
extern const pass_def partially_convert_sdy_to_stablehlo_pass;
extern const pass_def register_custom_sharding_rule_pass;
extern const pass_def register_user_sharding_rule_pass;
extern const pass_def reoutline_composite_pass;
extern const pass_def stablehlo_fusing_pass;
extern const pass_def update_global_to_local_shapes_pass;
extern const pass_def wrap_under_manual_computation_pass;

/* sdy */
extern const pass_def sdy_insert_explicit_reshards_pass;
extern const pass_def sdy_lift_inlined_meshes_pass;
extern const pass_def sdy_remove_size_one_axes_pass;
extern const pass_def sdy_inline_meshes_pass;
extern const pass_def sdy_add_data_flow_edges_pass;
extern const pass_def sdy_add_func_data_flow_edges_pass;
extern const pass_def sdy_sink_data_flow_edges_pass;
extern const pass_def sdy_sink_func_data_flow_edges_pass;
extern const pass_def sdy_apply_sharding_constraints_pass;
extern const pass_def sdy_sharding_group_import_pass;
extern const pass_def sdy_manual_axes_cleanup_pass;
extern const pass_def sdy_close_shardings_pass;
extern const pass_def sdy_drop_sharding_and_mesh_pass;
extern const pass_def sdy_remove_propagation_debug_info_pass;
extern const pass_def sdy_drop_sharding_rules_pass;
extern const pass_def sdy_remove_sharding_groups_pass;
extern const pass_def sdy_sharding_constraint_to_reshard_pass;
extern const pass_def sdy_update_non_divisible_input_output_shardings_pass;
extern const pass_def sdy_remove_sub_axes_in_input_output_shardings_pass;
extern const pass_def sdy_pre_order_funcs_pass;
extern const pass_def sdy_propagate_sharding_from_func_to_call_pass;
extern const pass_def sdy_propagate_to_func_results_pass;
extern const pass_def sdy_insert_func_call_reshards_pass;
extern const pass_def sdy_flatten_call_graph_pass;
extern const pass_def sdy_unflatten_call_graph_pass;
extern const pass_def sdy_import_func_calls_pass;
extern const pass_def sdy_export_named_computations_pass;
extern const pass_def sdy_reshard_to_collectives_pass;
extern const pass_def sdy_explicit_gather_scatter_batching_pass;
extern const pass_def sdy_convert_global_to_local_pass;
extern const pass_def sdy_constant_or_scalar_splitter_pass;
extern const pass_def sdy_constant_or_scalar_merger_pass;
extern const pass_def replicate_non_splittable_values_pass;
extern const pass_def decompose_custom_call_tuples_pass;
extern const pass_def shardy_ccl_canonicalization_pass;
extern const pass_def sdy_resolve_single_device_sharding_pass;
extern const pass_def sdy_remove_all_gather_reduce_scatter_for_cmv1_pass;
extern const pass_def flatten_or_convert_composites_pass;
extern const pass_def sdy_basic_propagate_pass;
extern const pass_def sdy_aggressive_propagate_pass;
extern const pass_def sdy_op_priority_propagate_pass;
extern const pass_def sdy_user_priority_propagate_pass;
extern const pass_def sdy_populate_op_sharding_rules_pass;

/* transform */
extern const pass_def transform_interpreter_pass;

/* ttl */
extern const pass_def convert_ttl_to_compute_pass;
extern const pass_def ttl_allocate_cbs_pass;
extern const pass_def ttl_annotate_cb_associations_pass;
extern const pass_def ttl_assign_dst_pass;
extern const pass_def ttl_bufferize_pass;
extern const pass_def ttl_canonicalize_pass;
extern const pass_def ttl_expand_threads_pass;
extern const pass_def ttl_infer_dst_requirements_pass;
extern const pass_def ttl_insert_synchronization_pass;
extern const pass_def ttl_insert_tile_regs_sync_pass;
extern const pass_def ttl_lower_to_loops_pass;
extern const pass_def ttl_schedule_pipeline_pass;
extern const pass_def ttl_set_compute_kernel_config_pass;
extern const pass_def ttl_subblock_compute_for_dst_pass;
extern const pass_def ttl_validate_pass;
extern const pass_def ttl_verify_layouts_pass;

/* Puts the bodies of const-eval functions where ttcore.load_cached asks for their results,
 * and recorded traces where they are replayed.
 * False after a diagnostic. */
bool transform_inline_cached(ir_op *func);

/* Puts each operation of a block, but for its terminator, behind what it reads; the rest
 * stays as it is. False if there is a circle. */
bool transform_sort_block(ir_block *block);

/* Moves what does not change in a loop in front of it. */
void transform_hoist_invariants(ir_op *loop);

/* Erases what only says where values are (shardings, constraints, resharding, groups), and
 * puts the bodies of named computations, and of manual ones for a single device, where they
 * stand.  Meshes stay. */
void transform_drop_shardings(ir_op *module);

/* Exchanges of a device with itself alone give what they take, and the only device has the
 * id 0. */
void transform_drop_exchanges(ir_op *module);

/* Erases the functions beside `entry` that nothing which it reaches names. */
void transform_keep_reached(ir_op *entry);

#endif
