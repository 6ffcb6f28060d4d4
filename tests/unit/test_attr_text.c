/* test_attr_text.c: attributes and types as text, both ways.
 *
 * Expected floats, messages and positions were taken from mlir-opt. */
#include "ir/op.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Texts that print as written. */
static const char *const builtin_texts[] = {
    "7 : i32",
    "3 : i64",
    "1 : index",
    "255 : ui8",
    "-1 : i8",
    "true",
    "[1, 2.000000e+00, 3 : i32, [4], {x = 5 : i64}]",
    "{\"1x\" = 1 : i32, A, _b = 2 : i64, \"c-d\" = 1 : i32, for = 1 : i32}",
    "{}",
    "1.000000e+00 : f64",
    "0x7FC00000 : f32",
    "0x7FF0000000000000 : f64",
    "\"a\\\\b\\22c\\0A\\C3\\A9\"",
    "\"s\" : i32",
    "@a::@\"b c\"",
    "unit",
    "[unit]",
    "tensor<2x3xf32>",
    "tensor<?x4xbf16>",
    "tensor<*xf32>",
    "tensor<f32>",
    "tensor<2xf32, 1 : i64>",
    "memref<2xf32, 1>",
    "memref<2xf32, 1 : i32>",
    "memref<2xf32, \"x\">",
    "memref<2xf32, strided<[1], offset: ?>>",
    "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>",
    "memref<*xf32, 1>",
    "vector<4xf32>",
    "vector<[4]x2xf32>",
    "vector<4x[2]xi8>",
    "complex<f32>",
    "tuple<>",
    "tuple<i32, f32>",
    "(i32) -> i32",
    "() -> ()",
    "(i32, f32) -> (i32, f32)",
    "() -> (() -> i32)",
    "index",
    "none",
    "f8E4M3FN",
    "si8",
    "ui16",
    "dense<1> : tensor<2x2xi32>",
    "dense<[1, 2]> : tensor<2xi32>",
    "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>",
    "dense<> : tensor<0xf32>",
    "dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>",
    "dense<[true, false]> : tensor<2xi1>",
    "dense<[\"a\", \"b\"]> : tensor<2x!tf.string>",
    "array<i64: 1, 2>",
    "array<i64>",
    "array<i1: true, false>",
    "array<f32: 1.000000e+00>",
    "strided<[1, ?], offset: ?>",
    "affine_map<(d0)[s0] -> (d0 + s0)>",
    "affine_map<(d0, d1) -> (d0 mod 4, d1 floordiv 2, d0 ceildiv 3, -d0 + 4)>",
    "affine_set<(d0) : (d0 >= 0)>",
    "loc(\"f\":1:2)",
    "loc(\"f\":1:2 to :9)",
    "loc(callsite(\"a\" at \"b\"))",
    "loc(fused<\"m\">[\"a\", \"b\"])",
    "loc(\"n\"(\"f\":1:2))",
    "loc(unknown)",
    "sparse<0, 1.000000e+00> : tensor<2xf32>",
    "dense_resource<k> : tensor<2xf32>",
    "!foo.bar",
    "!foo<\"baz qux\">",
    "#foo.bar<1, 2>",
    "#foo<1 2> : i32",
};
static const char *const dialect_texts[] = {
    "#ttcore.grid<8x8>",
    "#ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), "
    "physical_to_virt_map = (d0, d1) -> (d0, d1)>",
    "!ttcore.tile<32x32, bf16>",
    "#ttcore.shard<256x32, 1>",
    "#ttcore.core_range<(0,0), (3,7)>",
    "!ttcore.dict",
    "#ttcore<core_coord 3x4>",
    "#ttnn<mesh_shape 1x1>",
    "#ttnn.core_range<(0,0), (7,0)>",
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, f32>, "
    "#ttnn.buffer_type<l1>>, <interleaved>>",
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xf32, "
    "#ttnn.buffer_type<system_memory>>>",
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xf32, "
    "#ttnn.buffer_type<l1>>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), "
    "(3,3)>]>>",
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2xf32, "
    "#ttnn.buffer_type<l1>>, <block_sharded>, core_ranges = <[#ttnn.core_range<(0,0), "
    "(3,3)>]>, "
    "ignorePhysicalLayout = true>",
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, mesh = <\"m\">, memref<2x2xf32, "
    "#ttnn.buffer_type<l1>>, <interleaved>>",
    "#ttnn.conv2d_config<weights_dtype = bf16, deallocate_activation = true, "
    "act_block_h_override = 0, shard_layout = height_sharded>",
    "#ttnn.conv2d_config<>",
    "#ttnn.unary_with_param<op_type = relu, params = [1.000000e+00 : f64]>",
    "#ttnn.unary_with_param<op_type = relu>",
    "#ttnn.shard_spec<<[#ttnn.core_range<(0,0), (3,3)>]>, <32x32>, <row_major>>",
    "#ttnn.core_range_set<>",
    "#ttnn.core_coord<1, 2>",
    "#ttcore.metal_layout<logical_shape = 32x32, dim_alignments = 32x32, "
    "collapsed_intervals = dense<[[0, -1]]> : tensor<1x2xi64>, l1, sharded>",
    "#ttcore.mesh<\"mesh\" = 1x2>",
    "#ttcore.device<workerGrid = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, "
    "d0, d1), "
    "physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>, dramGrid = #ttcore.grid<1x12>, "
    "l1Map = "
    "(d0, d1)[s0] -> (0, d0, d1, d1 + s0), dramMap = (d0) -> (0, d0, d0, d0), meshShape = "
    ", chipIds = [0]>",
    "#stablehlo.channel_handle<handle = 1, type = 0>",
    "#stablehlo<comparison_direction GT>",
    "#stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, "
    "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
    "num_primitive_operations = 1, allow_imprecise_accumulation = false>",
    "#ttkernel.arg_spec< ct_args = [<arg_type = cb_port, operand_index = 0>]>",
    "#ttkernel.arg_spec<rt_args = [<arg_type = buffer_address, operand_index = 1>] ct_args "
    "= [<arg_type = cb_port, operand_index = 0>]>",
    "!ttkernel.cb<4, f32>",
    "!ttkernel.l1_addr_ptr",
    "!ttkernel.l1_addr_ptr<16>",
    "#arith.fastmath<nnan,ninf>",
    "#arith.fastmath<fast>",
    "#arith.overflow<nsw, nuw>",
    "#emitc.opaque<\"x\">",
    "!emitc.ptr<i32>",
    "!emitc.lvalue<!emitc.opaque<\"x\">>",
    "#sdy.mesh<[\"x\"=2, \"y\"=4]>",
    "#sdy.mesh<[], device_ids=[1]>",
    "#sdy.mesh<[]>",
    "#sdy.sharding<@m, [{\"x\", ?}p1, {\"y\":(1)2}, {}], replicated={\"z\"}>",
    "#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>",
    "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=8, k=2} reduction={k}, "
    "custom>",
    "#d2m<reduce_dim R>",
    "#ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 8>",
    "!mpmd.mesh_tensor<\"m\", tensor<4xf32>>",
    "#ttnn.memory_config<<l1>, <block_sharded>, #ttnn.shard_spec<<[#ttnn.core_range<(0,0), "
    "(7,7)>]>, <32x32>, <row_major>>>",
    "#ttnn.memory_config<<dram>, <interleaved>>",
    "#ttnn.memory_config<<system_memory>>",
    "#ttnn.memory_config<<l1>, <block_sharded>, ndShardSpec = "
    "#ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (7,7)>]>, <32x32>, <row_major>, "
    "<round_robin_1d>>>",
    "#stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>",
    "#stablehlo.scatter<update_window_dims = [1], index_vector_dim = 1>",
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
    "#stablehlo.dot<>",
    "#chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_group_dimensions = [1]>",
    "#stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>",
    "#stablehlo.result_accuracy<ulps = 2, mode = "
    "#stablehlo.result_accuracy_mode<TOLERANCE>>",
    "#stablehlo.result_accuracy<atol = 1.000000e-05, mode = "
    "#stablehlo.result_accuracy_mode<TOLERANCE>>",
    "tensor<?x4xf32, #stablehlo.bounds<8, ?>>",
    "#d2m.thread<datamovement, @k0, dm_core = 1>",
    "#d2m.thread<unified>",
    "!emitc.array<2x3xi32>",
    "!emitpy.dict",
    "!emitpy.dict<Any, !emitpy.opaque<\"x\">>",
    "#vhlo.integer_v1<7 : i32>",
    "#vhlo.tensor_v1<dense<1> : tensor<2xi32>>",
    "!vhlo.tensor_v1<2x?x!vhlo.f32_v1>",
    "!vhlo.tensor_v1<!vhlo.f32_v1, #vhlo.type_extensions_v1<bounds = [3, ?]>>",
    "!vhlo.func_v1<(!vhlo.f32_v1) -> !vhlo.i32_v1>",
    "!vhlo.func_v1<(()) -> ()>",
    "!vhlo.quant_v1<!vhlo.i8_v1:!vhlo.f32_v1, 3.400000e+01:16, -128:127, 1>",
    "!vhlo.quant_per_axis_v1<!vhlo.i8_v1:!vhlo.f32_v1, 0, [3.400000e+01, 2.000000e+00], "
    "[16, 17], -128:127, 1>",
    "#vhlo.float_v1<1.000000e-03 : !vhlo.f32_v1>",
    "#vhlo.array_v1<[#vhlo.bool_v1<true>]>",
    "#vhlo.dict_v1<{#vhlo.string_v1<\"a\"> = #vhlo.bool_v1<false>}>",
    "#vhlo.result_accuracy_v1<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, mode = "
    "#vhlo<result_accuracy_mode_v1 HIGHEST>>",
    "!mpmd.mesh_tensor<\"m\", tensor<4xf32>, sharding=<@m, [{\"x\"}]>, "
    "memory_kind=\"pinned_host\">",
    "#mpmd.meshes_with_origins<\"m1\"[\"a\", \"b\"], \"m2\">",
    "#mpmd.topology<<\"m1\" : <[\"x\"=2]>>>",
    "#mpmd.user_origin<\"f\"(1)>",
    "#sdy.sharding_per_value<[<@m, [{\"x\"}, {}]>, <@m, [{?}]>]>",
    "#sdy.op_sharding_rule<([ij, k], [k, j])->([i, j]) {i=4, j=8, k=2}>",
    "#sdy<all_to_all_param_list[{\"x\"}: 0->1, {\"y\"}: 2->3]>",
    "#ttcore.system_desc<[{role = host, target_triple = \"x86_64-pc-linux\"}], [{arch = "
    "<wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, "
    "num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = "
    "16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, "
    "l1_unreserved_base = 1024, erisc_l1_unreserved_base = 1024, dram_unreserved_base = "
    "1024, dram_unreserved_end = 1073741824, supported_data_types = [<f32>, <f16>, <bf16>, "
    "<bfp_f8>, <bfp_bf8>, <bfp_f4>, <bfp_bf4>, <bfp_f2>, <bfp_bf2>, <u32>, <u16>, <u8>, "
    "<si32>], supported_tile_sizes = [ 4x16,  16x16,  32x16,  4x32,  16x32,  32x32], "
    "dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, "
    "num_datamovement_threads = 2, dram_grid = 1x12, dram_bank_to_logical_worker_noc0 = "
    "[(7, 3), (0, 0)], dram_bank_to_logical_worker_noc1 = [(7, 3)]}], [0], [1 : i32], [ "
    "0x0x0x0]>",
    "#ttnn.mesh_composer_config<dims = [0 : i32, 1 : i32]>",
    "#ttnn.placement<shard, 1 : i64>",
    "!ttl.cb<[1, 2], !ttcore.tile<32x32, bf16>, 2>",
};

/* Other spellings, and their printed form. */
typedef struct spelling {
    const char *text, *printed;
} spelling;

static const spelling spellings[] = {
    {"0x10 : i32", "16 : i32"},
    {"5", "5 : i64"},
    {"1.5", "1.500000e+00 : f64"},
    {"true", "true"},
    {"255 : i8", "-1 : i8"},
    {"- 5 : i32", "-5 : i32"},
    {"dense<[3, 3]> : tensor<2xi32>", "dense<3> : tensor<2xi32>"},
    {"dense<[[5]]> : tensor<1x1xi32>", "dense<5> : tensor<1x1xi32>"},
    {"dense<255> : tensor<2xi8>", "dense<-1> : tensor<2xi8>"},
    {"dense<\"0x0100000002000000\"> : tensor<2xi32>", "dense<[1, 2]> : tensor<2xi32>"},
    {"dense<\"0x01000000\"> : tensor<9xi32>", "dense<1> : tensor<9xi32>"},
    {"dense<\"0x0D\"> : tensor<4xi1>", "dense<[true, false, true, true]> : tensor<4xi1>"},
    {"dense<[[0, -1]]> : tensor<1x2xi64>", "dense<[[0, -1]]> : tensor<1x2xi64>"},
    {"memref<2xf32, affine_map<(d0) -> (d0)>>", "memref<2xf32>"},
    {"memref<2xf32, 0>", "memref<2xf32>"},
    {"memref<2xf32, 0 : i32>", "memref<2xf32, 0 : i32>"},
    {"affine_map<(a, b)[n] -> (b + a * 1 - 0, a + n + 2)>",
     "affine_map<(d0, d1)[s0] -> (d1 + d0, d0 + s0 + 2)>"},
    {"affine_map<(d0) -> ((d0 * 4) floordiv 4, (d0 * 4) mod 2, d0 + d0, d0 - d0)>",
     "affine_map<(d0) -> (d0, 0, d0 * 2, 0)>"},
    {"affine_set<(d0)[s0] : (d0 <= 4, d0 == s0)>",
     "affine_set<(d0)[s0] : (-d0 + 4 >= 0, d0 - s0 == 0)>"},
    {"{b = 1 : i32, a}", "{a, b = 1 : i32}"},
    {"tensor<0x4xf32>", "tensor<0x4xf32>"},
    {"!foo<bar>", "!foo.bar"},
    {"#foo<bar<1>>", "#foo.bar<1>"},
    {"#ttcore.core_coord<3x4>", NULL},
    {"#ttnn<core_range <(0, 0), (7, 0)>>", "#ttnn.core_range<(0,0), (7,0)>"},
    {"#ttnn.memory_config<#ttnn.buffer_type<l1>, #ttnn.tensor_memory_layout<interleaved>>",
     "#ttnn.memory_config<<l1>, <interleaved>>"},
    {"#stablehlo.type_extensions<bounds = [8, ?]>", "#stablehlo.bounds<8, ?>"},
    {"#stablehlo.gather<index_vector_dim = 1, offset_dims = [1],>",
     "#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>"},
    {"#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, "
     "input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, "
     "kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2], "
     "output_batch_dimension = 0, output_feature_dimension = 1, "
     "output_spatial_dimensions = [2]>",
     "#stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>"},
    {"#emitpy.opaque<\"x\"> : !emitpy.dict", "#emitpy.opaque<\"x\">"},
    {"#ttir.flattened_compat<1>", NULL},
    {"#ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 8,>",
     "#ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 8>"},
    {"#sdy.sharding<@m, [], unreduced=sum{\"a\"}>",
     "#sdy.sharding<@m, [], unreduced={\"a\"}>"},
    {"#sdy.sharding<@m, [{}p01]>", NULL},
    {"#sdy.sharding<@m, [], other={\"a\"}>", NULL},
    {"#sdy.op_sharding_rule<([z_01])->([i]) {i=1}>", NULL},
    {"#ttcore.grid<99999999999999999999x1>", NULL},
    {"#ttkernel.arg<operand_index = 1, arg_type = cb_port, arg_type = cb_port>", NULL},
    {"!ttcore.tile<32x32, f99>", NULL},
};

/* Bits of a float, and the text that mlir-opt prints for them. */
static const spelling floats[] = {
    {"0x3F8CCCCD : f32", "1.100000e+00 : f32"},
    {"0x3DCCCCCD : f32", "1.000000e-01 : f32"},
    {"0xC2A51062 : f32", "-82.5319976 : f32"},
    {"0x3089705F : f32", "9.99999971E-10 : f32"},
    {"0x38D1B717 : f32", "9.99999974E-5 : f32"},
    {"0x47C35000 : f32", "1.000000e+05 : f32"},
    {"0x4996B438 : f32", "0x4996B438 : f32"},
    {"0x7F7FFFFF : f32", "3.40282347E+38 : f32"},
    {"0x00000001 : f32", "1.401300e-45 : f32"},
    {"0x80000000 : f32", "-0.000000e+00 : f32"},
    {"0x7FC00000 : f32", "0x7FC00000 : f32"},
    {"0xFF800000 : f32", "0xFF800000 : f32"},
    {"0x3F421C4E : f32", "0.758244395 : f32"},
    {"0x7149F2CA : f32", "1.000000e+30 : f32"},
    {"0x501502F9 : f32", "1.000000e+10 : f32"},
    {"0x3F3BA5E3 : f32", "0.73299998 : f32"},
    {"0x2B8CBCCC : f32", "9.99999996E-13 : f32"},
    {"0x3FB999999999999A : f64", "1.000000e-01 : f64"},
    {"0x400921FB54442D18 : f64", "3.1415926535897931 : f64"},
    {"0x0000000000000001 : f64", "4.940660e-324 : f64"},
    {"0x7FEFFFFFFFFFFFFF : f64", "1.7976931348623157E+308 : f64"},
    {"0x3FF3C0CA428C59FB : f64", "1.2345678901234567 : f64"},
    {"0x4197D78400000000 : f64", "1.000000e+08 : f64"},
    {"0x41E0000000000000 : f64", "0x41E0000000000000 : f64"},
    {"0xBFD5555555555555 : f64", "-0.33333333333333331 : f64"},
    {"0x3EE4F8B588E368F1 : f64", "1.000000e-05 : f64"},
    {"0x3555 : f16", "3.332520e-01 : f16"},
    {"0x7BFF : f16", "6.550400e+04 : f16"},
    {"0x0001 : f16", "5.960460e-08 : f16"},
    {"0x7C00 : f16", "0x7C00 : f16"},
    {"0x2E66 : f16", "9.997550e-02 : f16"},
    {"0x3DCD : bf16", "1.000980e-01 : bf16"},
    {"0x7F7F : bf16", "3.389530e+38 : bf16"},
    {"0x0001 : bf16", "9.183550e-41 : bf16"},
    {"0x4049 : bf16", "3.140630e+00 : bf16"},
    {"0x7FC0 : bf16", "0x7FC0 : bf16"},
    {"0x7E : f8E4M3FN", "4.480000e+02 : f8E4M3FN"},
    {"0x01 : f8E5M2", "1.525880e-05 : f8E5M2"},
    {"0x7F : f8E4M3FN", "0x7F : f8E4M3FN"},
};

/* A wrong value of `k` in an operation, with the location and text of the error. */
typedef struct mistake {
    const char *text;
    uint32_t line, column;
    const char *message;
} mistake;

static const mistake mistakes[] = {
    {"256 : i8", 1, 14, "integer constant out of range for attribute"},
    {"-1 : ui8", 1, 15, "negative integer literal not valid for unsigned integer type"},
    {"99999999999999999999", 1, 14, "integer constant out of range for attribute"},
    {"0x7FC00000000 : f32", 1, 14, "hexadecimal float constant out of range for type"},
    {"-0x10 : f32", 1, 15, "hexadecimal float literal should not have a leading minus"},
    {"1 : f32", 1, 14, "unexpected decimal integer literal for a floating point value"},
    {"\"a\\q\"", 1, 16, "unknown escape in string literal"},
    {"[1 2]", 1, 16, "expected ',' or ']'"},
    {"{a = 1, a = 2}", 1, 22, "duplicate key 'a' in dictionary attribute"},
    {"{1 = 2}", 1, 15, "expected attribute name"},
    {"{\"\" = 1}", 1, 15, "expected valid attribute name"},
    {"foo", 1, 13, "expected attribute value"},
    {"tensor<4xf32", 1, 26, "expected '>' in tensor type"},
    {"tensor<4>", 1, 22, "expected 'x' in dimension list"},
    {"tensor<4xfoo>", 1, 23, "expected non-function type"},
    {"tensor<99999999999999999999xf32>", 1, 21, "invalid dimension"},
    {"tensor<*xf32, 1>", 2, 1, "cannot apply encoding to unranked tensor"},
    {"tensor 4", 1, 20, "expected '<' in tensor type"},
    {"memref<4xf32, 1, 2>", 1, 32, "multiple memory spaces specified in memref type"},
    {"memref<4xf32, 1, affine_map<(d0) -> (d0)>>", 1, 55,
     "expected memory space to be last in memref type"},
    {"vector<[4xf32>", 1, 23, "missing ']' closing scalable dimension"},
    {"complex<f32", 1, 25, "expected '>' in complex type"},
    {"i16777216", 1, 14, "integer bitwidth is limited to 16777215 bits"},
    {"dense<[1, 2]> : tensor<3xi32>", 1, 28,
     "inferred shape of elements literal ([2]) does not match type ([3])"},
    {"dense<[[1], [2, 3]]> : tensor<2x2xi32>", 1, 32,
     "tensor literal is invalid; ranks are not consistent between elements"},
    {"dense<1.0> : tensor<2xi32>", 1, 20,
     "expected integer elements, but parsed floating-point"},
    {"dense<256> : tensor<2xi8>", 1, 20, "integer constant out of range for type"},
    {"dense<> : tensor<2xi32>", 1, 22,
     "parsed zero elements, but type ('tensor<2xi32>') expected at least 1"},
    {"dense<\"0x0102\"> : tensor<4xi32>", 1, 30,
     "elements hex data size is invalid for provided type: 'tensor<4xi32>'"},
    {"dense<\"abcd\"> : tensor<4xi32>", 1, 20,
     "expected string containing hex digits starting with `0x`"},
    {"dense<1> : i32", 2, 1, "elements literal must be a shaped type"},
    {"dense<1> : tensor<?xi32>", 1, 14, "elements literal type must have static shape"},
    {"dense<foo> : tensor<2xi32>", 1, 20, "expected element literal of primitive type"},
    {"array<i65: 1>", 1, 20, "element type bitwidth must be a multiple of 8"},
    {"array<i64: 1.0>", 1, 25, "expected integer literal"},
    {"array i64", 1, 19, "expected '<' after 'array'"},
    {"affine_map<(d0) -> (d1)>", 1, 34, "use of undeclared identifier"},
    {"affine_map<(d0, d0) -> (d0)>", 1, 30, "redefinition of identifier 'd0'"},
    {"affine_map<(d0) -> (d0 * d0)>", 1, 37,
     "non-affine expression: at least one of the multiply operands has to be either a "
     "constant or symbolic"},
    {"affine_map<(d0) -> (d0 mod d0)>", 1, 37,
     "non-affine expression: right operand of mod has to be either a constant or symbolic"},
    {"affine_map<(d0) -> (d0 +)>", 1, 38, "missing right operand of binary operator"},
    {"affine_map<(d0) -> (())>", 1, 35, "no expression inside parentheses"},
    {"affine_set<(d0) : (d0 > 0)>", 1, 38,
     "expected '== affine-expr' or '>= affine-expr' at end of affine constraint"},
    {"strided<[0]>", 1, 14, "strides must not be zero"},
    {"distinct[]<1>", 1, 23, "expected distinct ID"},
    {"loc(\"a\":1:x)", 1, 24, "expected integer column number in FileLineColLoc"},
    {"loc(callsite(\"a\" \"b\"))", 1, 30, "expected 'at' in callsite location"},
    {"loc(foo)", 1, 18, "expected location instance"},
    {"#foo", 1, 18, "undefined symbol alias id 'foo'"},
    {"#foo.bar<[>]", 1, 22, "unbalanced '[' character in pretty dialect name"},
    {"#foo<]>", 1, 18, "unbalanced '<' character in pretty dialect name"},
    {"@a::b", 1, 18, "expected nested symbol reference identifier"},
    {"sparse<[[0, 0]], [1]> : tensor<2xi32>", 1, 14,
     "expected shape ([2]); inferred shape of indices literal ([1, 2]); inferred shape of "
     "values literal ([1])"},
    {"dense_resource<a> : i32", 1, 32, "`dense_resource` expected a shaped type"},
    {"1 : tensor<2xi32>", 1, 14, "integer literal not valid for specified type"},
    {".5 : f32", 1, 15, "expected three consecutive dots for an ellipsis"},
    {"~", 1, 14, "unexpected character"},
    {"unit : i32", 1, 18, "expected '}' in attribute dictionary"},
    {"#func.foo", 1, 20, "dialect 'func' provides no attribute parsing hook"},
    {"!arith.foo", 1, 21, "dialect 'arith' provides no type parsing hook"},
    {"#arith.foo", 1, 21, "unknown attribute `foo` in dialect `arith`"},
};

typedef struct report {
    uint32_t line, column;
    char text[512];
    int count;
} report;

static void note_report(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    report *r = user;
    ir_ident file;
    if (r->count++ == 0) {
        ir_loc_position(ctx, d->loc, &file, &r->line, &r->column);
        snprintf(r->text, sizeof r->text, "%s", d->text);
    }
}

static int start(void **state)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    *state = ctx;
    return 0;
}

static int finish(void **state)
{
    ir_context_destroy(*state);
    return 0;
}

static char *printed(ir_attr attr)
{
    tw_strbuf text = {0};
    ir_print_attr(attr, &text);
    return tw_strbuf_take(&text);
}

static void expect_text(ir_context *ctx, const char *text, const char *expected)
{
    ir_attr attr = ir_parse_attr(ctx, tw_str_from(text));
    if (!attr)
        fail_msg("does not parse: %s", text);
    char *out = printed(attr);
    assert_string_equal(out, expected);
    if (ir_parse_attr(ctx, tw_str_from(out)) != attr)
        fail_msg("prints as something else: %s", text);
    free(out);
}

static void test_round_trips(void **state)
{
    for (size_t i = 0; i < TW_COUNT(builtin_texts); i++)
        expect_text(*state, builtin_texts[i], builtin_texts[i]);
    for (size_t i = 0; i < TW_COUNT(dialect_texts); i++)
        expect_text(*state, dialect_texts[i], dialect_texts[i]);
}

static void test_spellings(void **state)
{
    for (size_t i = 0; i < TW_COUNT(spellings); i++) {
        const spelling *s = &spellings[i];
        if (s->printed)
            expect_text(*state, s->text, s->printed);
        else if (ir_parse_attr(*state, tw_str_from(s->text)))
            fail_msg("parses, but should not: %s", s->text);
    }
}

static void test_floats(void **state)
{
    for (size_t i = 0; i < TW_COUNT(floats); i++)
        expect_text(*state, floats[i].text, floats[i].printed);
}

static void test_mistakes(void **state)
{
    for (size_t i = 0; i < TW_COUNT(mistakes); i++) {
        const mistake *m = &mistakes[i];
        char source[512];
        report r = {0};
        int size =
            snprintf(source, sizeof source, "\"a.b\"() {k = %s\n} : () -> ()", m->text);
        ir_diagnostic_sink old =
            ir_context_set_sink(*state, (ir_diagnostic_sink){note_report, &r});
        ir_op *op = ir_parse(*state, (tw_str){source, (size_t)size}, "t.mlir",
                             &(ir_parse_options){.no_verify = true});
        ir_flush_diagnostics(*state);
        ir_context_set_sink(*state, old);
        if (op)
            fail_msg("parses, but should not: %s", m->text);
        assert_string_equal(r.text, m->message);
        if (r.line != m->line || r.column != m->column || r.count != 1)
            fail_msg("%s: reported %d times, at %u:%u, not %u:%u", m->text, r.count, r.line,
                     r.column, m->line, m->column);
    }
}

/* Truncated anywhere, or with any byte replaced, a text is parsed or rejected without a
 * crash. */
static void test_damaged(void **state)
{
    static const char bytes[] = {0,   '\n', '"', '<', '>', '(',
                                 '[', '{',  '-', '0', 'x', (char)0xFF};
    char text[2048];
    for (size_t i = 0; i < TW_COUNT(dialect_texts); i++) {
        size_t size = strlen(dialect_texts[i]);
        for (size_t cut = 0; cut < size; cut++) {
            memcpy(text, dialect_texts[i], size);
            ir_parse_attr(*state, (tw_str){text, cut});
            text[cut] = bytes[(cut + i) % sizeof bytes];
            ir_parse_attr(*state, (tw_str){text, size});
        }
    }
}

static void test_hostile(void **state)
{
    enum { DEEP = 200000 };
    static const char *const units[] = {"[",
                                        "{a=",
                                        "tuple<",
                                        "!x.y<",
                                        "#x.y<",
                                        "dense<[",
                                        "(",
                                        "#ttnn.core_range_set<[",
                                        "complex<",
                                        "loc(callsite(",
                                        "affine_map<(d0) -> (((",
                                        "tensor<1x",
                                        "-",
                                        "\\"};
    for (size_t i = 0; i < TW_COUNT(units); i++) {
        size_t n = strlen(units[i]);
        char *text = malloc(DEEP + n);
        for (size_t at = 0; at < DEEP; at += n)
            memcpy(text + at, units[i], n);
        assert_null(ir_parse_attr(*state, (tw_str){text, DEEP}));
        free(text);
    }
    /* sizes that overflow must be rejected */
    assert_null(
        ir_parse_attr(*state, TW_STR("dense<\"0x\"> : tensor<2305843009213693952xi64>")));
    assert_null(ir_parse_attr(
        *state, TW_STR("dense<[1]> : tensor<4294967296x4294967296x4294967296xi64>")));
    assert_null(ir_parse_attr(*state, TW_STR("dense<\"0x00\"> : tensor<2x3xi16>")));
}

/* Large constants print as hex, from 101 elements on; splats never do. */
static void test_hex(void **state)
{
    ir_type i8 = ir_integer_type(*state, 8, IR_SIGNLESS);
    int64_t dims[] = {101}, fewer[] = {100};
    unsigned char data[101];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)i;
    char *text = printed(ir_dense_attr(ir_tensor_type(i8, dims, 1, NULL), data, 101));
    assert_memory_equal(text, "dense<\"0x000102", 15);
    expect_text(*state, text, text);
    free(text);
    text = printed(ir_dense_attr(ir_tensor_type(i8, fewer, 1, NULL), data, 100));
    assert_memory_equal(text, "dense<[0, 1, 2", 14);
    free(text);
    text = printed(ir_dense_splat_int(ir_tensor_type(i8, dims, 1, NULL), 3));
    assert_string_equal(text, "dense<3> : tensor<101xi8>");
    free(text);
}

static void test_aliases(void **state)
{
    static const char source[] =
        "#one = 1 : i32\n!t = tensor<2x!ttcore.tile<32x32, f32>, #one>\n"
        "#two = [#one, !t]\n\"a.b\"() {k = #two, l = tensor<4xf32, #one>} : () -> ()\n";
    ir_op *module =
        ir_parse(*state, TW_STR(source), "t.mlir", &(ir_parse_options){.no_verify = true});
    assert_non_null(module);
    tw_strbuf text = {0};
    ir_print_op(module, &(ir_print_options){0}, &text);
    assert_non_null(strstr(text.data, "{k = [1 : i32, tensor<2x!ttcore.tile<32x32, f32>, "
                                      "1 : i32>], l = tensor<4xf32, 1 : i32>}"));
    tw_strbuf_free(&text);

    static const char *const wrong[] = {
        "#a = 1\n#a = 2\n",  "#a.b = 1\n", "!t = #t\n",
        "#a = #b\n#b = 1\n", "#a 1\n",     "!t = 4\n",
    };
    for (size_t i = 0; i < TW_COUNT(wrong); i++)
        assert_null(ir_parse(*state, tw_str_from(wrong[i]), "t.mlir",
                             &(ir_parse_options){.no_verify = true}));
}

/* Types are interned: equal texts give one pointer, however they were parsed. */
static void test_identity(void **state)
{
    ir_type a = ir_parse_type(*state, TW_STR("tensor<2x3xf32>"));
    ir_type b = ir_parse_type(*state, TW_STR("tensor< 2 x 3 x f32 >"));
    assert_non_null(a);
    int64_t dims[] = {2, 3};
    assert_ptr_equal(a, ir_tensor_type(ir_float_type(*state, IR_F32), dims, 2, NULL));
    if (b)
        assert_ptr_equal(a, b);
    ir_attr twice = ir_parse_attr(
        *state,
        TW_STR("[tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32, 1>, tensor<2x3xf32>]"));
    assert_non_null(twice);
    assert_ptr_equal(twice->items[0], twice->items[1]);
    assert_ptr_not_equal(twice->items[0], twice->items[2]);
    assert_ptr_equal(twice->items[0], twice->items[3]);
}

static void test_unregistered(void **state)
{
    ir_context_allow_unregistered(*state, false);
    report r = {0};
    ir_context_set_sink(*state, (ir_diagnostic_sink){note_report, &r});
    assert_null(ir_parse_attr(*state, TW_STR("!foo.bar")));
    ir_flush_diagnostics(*state);
    assert_non_null(strstr(r.text, "type created with unregistered dialect"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trips, start, finish),
        cmocka_unit_test_setup_teardown(test_spellings, start, finish),
        cmocka_unit_test_setup_teardown(test_floats, start, finish),
        cmocka_unit_test_setup_teardown(test_mistakes, start, finish),
        cmocka_unit_test_setup_teardown(test_damaged, start, finish),
        cmocka_unit_test_setup_teardown(test_hostile, start, finish),
        cmocka_unit_test_setup_teardown(test_hex, start, finish),
        cmocka_unit_test_setup_teardown(test_aliases, start, finish),
        cmocka_unit_test_setup_teardown(test_identity, start, finish),
        cmocka_unit_test_setup_teardown(test_unregistered, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
