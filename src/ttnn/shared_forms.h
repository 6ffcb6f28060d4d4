/* shared_forms.h: operands, results and attributes that TTIR's and TTNN's rows of an
 * operation have in common. */
#ifndef TILEWRIGHT_TTNN_SHARED_FORMS_H
#define TILEWRIGHT_TTNN_SHARED_FORMS_H

#define TT_ALL_TO_ALL_COMBINE                                                              \
    IN({"input_tensor", &C_AnyRankedTensor}, {"expert_metadata", &C_AnyRankedTensor},      \
       {"expert_mapping", &C_AnyRankedTensor}),                                            \
        TT_RESULT,                                                                         \
        ATTRS({"num_devices", &C_I64Attr}, {"cluster_axis", &C_I64Attr},                   \
              {"num_experts_per_tok", &C_I64Attr},                                         \
              {"output_shard_dim", &C_I64Attr, .deflt = "2"})

#define TT_ALL_TO_ALL_DISPATCH                                                             \
    IN({"input_tensor", &C_AnyRankedTensor}, {"expert_indices", &C_AnyRankedTensor},       \
       {"expert_mapping", &C_AnyRankedTensor}),                                            \
        OUT({"dispatched", &C_AnyRankedTensor}, {"metadata", &C_AnyRankedTensor}),         \
        ATTRS({"num_devices", &C_I64Attr}, {"cluster_axis", &C_I64Attr})

#define TT_DROPOUT                                                                         \
    TT_UNARY,                                                                              \
        ATTRS({"prob", &C_F32Attr, .deflt = "0.0"}, {"scale", &C_F32Attr, .deflt = "1.0"}, \
              {"seed", &C_UI32Attr, .deflt = "0"},                                         \
              {"use_per_device_seed", &C_BoolAttr, .deflt = "true"})

#define TT_GROUP_NORM                                                                      \
    IN({"input", &C_AnyRankedTensor}, {"input_mask", &C_AnyRankedTensor, IR_OPTIONAL},     \
       {"weight", &C_AnyRankedTensor, IR_OPTIONAL},                                        \
       {"bias", &C_AnyRankedTensor, IR_OPTIONAL}),                                         \
        TT_RESULT

#define TT_MOE_EXPERT_TOKEN_REMAP                                                          \
    IN({"topk_tensor", &C_AnyRankedTensor}, {"expert_mapping", &C_AnyRankedTensor},        \
       {"expert_metadata", &C_AnyRankedTensor}),                                           \
        OUT({"mapping", &C_AnyRankedTensor}, {"reduced", &C_AnyRankedTensor}),             \
        ATTRS({"reduction_size", &C_I64Attr})

#define TT_MOE_GPT                                                                         \
    IN({"input_tensor", &C_AnyRankedTensor}, {"expert_indices", &C_AnyRankedTensor},       \
       {"expert_scores", &C_AnyRankedTensor}, {"expert_mapping", &C_AnyRankedTensor},      \
       {"w0_w1_tensor", &C_AnyRankedTensor}, {"w2_tensor", &C_AnyRankedTensor}),           \
        OUT({"token_counts", &C_AnyRankedTensor},                                          \
            {"activation_records", &C_AnyRankedTensor},                                    \
            {"token_indices", &C_AnyRankedTensor}, {"tilize_out", &C_AnyRankedTensor},     \
            {"tilize_out_rm", &C_AnyRankedTensor}),                                        \
        ATTRS({"output_height_shard_dim", &C_UI32Attr, .deflt = "4"},                      \
              {"output_width_shard_dim", &C_UI32Attr, .deflt = "3"},                       \
              {"hidden_size", &C_UI32Attr, .deflt = "2880"},                               \
              {"cluster_axis", &C_UI32Attr, .optional = true})

#define TT_PAGED_FILL_CACHE                                                                \
    IN({"cache", &C_AnyRankedTensor, .effects = "write"}, {"input", &C_AnyRankedTensor},   \
       {"page_table", &C_AnyRankedTensor},                                                 \
       {"batch_idx_tensor", &C_AnyRankedTensor, IR_OPTIONAL})

#define TT_PAGED_FLASH_MULTI_LATENT_ATTENTION_DECODE                                       \
    IN({"query", &C_AnyRankedTensor}, {"key", &C_AnyRankedTensor},                         \
       {"value", &C_AnyRankedTensor, IR_OPTIONAL}, {"page_table", &C_AnyRankedTensor},     \
       {"attention_mask", &C_AnyRankedTensor, IR_OPTIONAL},                                \
       {"cur_pos_tensor", &C_AnyRankedTensor, IR_OPTIONAL},                                \
       {"attention_sink", &C_AnyRankedTensor, IR_OPTIONAL}),                               \
        TT_RESULT,                                                                         \
        ATTRS({"head_dim_v", &C_UI32Attr}, {"is_causal", &C_BoolAttr, .deflt = "true"},    \
              {"scale", &C_F32Attr, .optional = true})

#define TT_PAGED_UPDATE_CACHE                                                              \
    IN({"cache", &C_AnyRankedTensor, .effects = "write"}, {"input", &C_AnyRankedTensor},   \
       {"update_index", &C_AnyRankedTensor},                                               \
       {"page_table", &C_AnyRankedTensor, IR_OPTIONAL}),                                   \
        ATTRS({"share_cache", &C_BoolAttr, .deflt = "false"})

#define TT_SAMPLING                                                                        \
    IN({"input_values", &C_AnyRankedTensor}, {"input_indices", &C_AnyRankedTensor},        \
       {"k", &C_AnyRankedTensor}, {"p", &C_AnyRankedTensor},                               \
       {"temp", &C_AnyRankedTensor}),                                                      \
        TT_RESULT, ATTRS({"seed", &C_UI32Attr, .optional = true})

#define TT_SCALED_DOT_PRODUCT_ATTENTION                                                    \
    IN({"query", &C_AnyRankedTensor}, {"key", &C_AnyRankedTensor},                         \
       {"value", &C_AnyRankedTensor}, {"attention_mask", &C_AnyRankedTensor, IR_OPTIONAL}, \
       {"attention_sink", &C_AnyRankedTensor, IR_OPTIONAL}),                               \
        TT_RESULT,                                                                         \
        ATTRS({"is_causal", &C_BoolAttr, .deflt = "true"},                                 \
              {"scale", &C_F32Attr, .optional = true},                                     \
              {"sliding_window_size", &C_UI32Attr, .optional = true})

#define TT_SDPA_BW                                                                         \
    IN({"grad_output", &C_AnyRankedTensor}, {"attn_output", &C_AnyRankedTensor},           \
       {"query", &C_AnyRankedTensor}, {"key", &C_AnyRankedTensor},                         \
       {"value", &C_AnyRankedTensor}, {"intermediates", &C_AnyRankedTensor},               \
       {"attention_mask", &C_AnyRankedTensor, IR_OPTIONAL}),                               \
        OUT({"grad_query", &C_AnyRankedTensor}, {"grad_key", &C_AnyRankedTensor},          \
            {"grad_value", &C_AnyRankedTensor}),                                           \
        ATTRS({"mask_type", &C_TTCore_AttentionMaskTypeAttr,                               \
               .deflt = "#ttcore.attention_mask_type<arbitrary>"},                         \
              {"dropout_probability", &C_F32Attr, .deflt = "0.0"})

#define TT_SDPA_FW                                                                         \
    IN({"query", &C_AnyRankedTensor}, {"key", &C_AnyRankedTensor},                         \
       {"value", &C_AnyRankedTensor},                                                      \
       {"attention_mask", &C_AnyRankedTensor, IR_OPTIONAL}),                               \
        OUT({"output", &C_AnyRankedTensor},                                                \
            {"intermediates", &C_AnyRankedTensor, IR_OPTIONAL}),                           \
        ATTRS({"mask_type", &C_TTCore_AttentionMaskTypeAttr,                               \
               .deflt = "#ttcore.attention_mask_type<causal>"},                            \
              {"dropout_probability", &C_F32Attr, .deflt = "0.0"},                         \
              {"return_intermediates", &C_BoolAttr, .deflt = "false"})

#define TT_SELECTIVE_REDUCE_COMBINE                                                        \
    IN({"dense_input_tensor", &C_AnyRankedTensor},                                         \
       {"dense_activations_tensor", &C_AnyRankedTensor},                                   \
       {"dense_token_maps_tensor", &C_AnyRankedTensor},                                    \
       {"dense_token_counts_tensor", &C_AnyRankedTensor}),                                 \
        TT_RESULT,                                                                         \
        ATTRS({"hidden_size", &C_UI32Attr}, {"batch_size", &C_UI32Attr},                   \
              {"seq_size", &C_UI32Attr}, {"select_experts_k", &C_UI32Attr},                \
              {"experts", &C_UI32Attr})

#define TT_SLICE_DYNAMIC                                                                   \
    IN({"input", &C_AnyRankedTensor}, {"begins", &C_AnyRankedTensor},                      \
       {"ends", &C_AnyRankedTensor}),                                                      \
        TT_RESULT, ATTRS({"step", &C_I32ArrayAttr, .optional = true})

#define TT_SPLIT_QUERY_KEY_VALUE_AND_SPLIT_HEADS                                           \
    IN({"input_tensor", &C_AnyRankedTensor},                                               \
       {"kv_input_tensor", &C_AnyRankedTensor, IR_OPTIONAL}),                              \
        OUT({"query", &C_AnyRankedTensor}, {"key", &C_AnyRankedTensor},                    \
            {"value", &C_AnyRankedTensor}),                                                \
        ATTRS({"num_heads", &C_UI32Attr}, {"num_kv_heads", &C_UI32Attr, .optional = true}, \
              {"transpose_key", &C_BoolAttr})

#define TT_TOPK_ROUTER_GPT                                                                 \
    IN({"input", &C_AnyRankedTensor}, {"weight", &C_AnyRankedTensor},                      \
       {"bias", &C_AnyRankedTensor}),                                                      \
        OUT({"expert_indices", &C_AnyRankedTensor},                                        \
            {"expert_weights", &C_AnyRankedTensor}),                                       \
        ATTRS({"k", &C_I32Attr}, {"num_experts", &C_I32Attr})

#define TT_UPDATE_CACHE                                                                    \
    IN({"cache", &C_AnyRankedTensor, .effects = "write"}, {"input", &C_AnyRankedTensor},   \
       {"update_index", &C_AnyRankedTensor}),                                              \
        ATTRS({"batch_offset", &C_I32Attr})

#endif
