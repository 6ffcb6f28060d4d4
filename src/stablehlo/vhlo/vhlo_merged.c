/* vhlo_merged.c: attributes that are one in StableHLO and several in VHLO. */
#include "stablehlo/vhlo/vhlo_merged.h"

#include "stablehlo/stablehlo.h"

const vhlo_merged_row vhlo_merged[VHLO_MERGED_COUNT] = {
    {"dot_dimension_numbers",
     STABLEHLO_ATTR(dot),
     {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
      "rhs_contracting_dimensions"}},
    {"algorithm",
     STABLEHLO_ATTR(dot_algorithm),
     {"lhs_precision_type", "rhs_precision_type", "accumulation_type",
      "lhs_component_count", "rhs_component_count", "num_primitive_operations",
      "allow_imprecise_accumulation"}},
    {"scatter_dimension_numbers",
     STABLEHLO_ATTR(scatter),
     {"update_window_dims", "inserted_window_dims", "input_batching_dims",
      "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"}},
    {"dimension_numbers",
     STABLEHLO_ATTR(gather),
     {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
      "start_indices_batching_dims", "start_index_map", "index_vector_dim"}},
    {"dimension_numbers",
     STABLEHLO_ATTR(conv),
     {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
      "kernel_input_feature_dimension", "kernel_output_feature_dimension",
      "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
      "output_spatial_dimensions"}},
};
