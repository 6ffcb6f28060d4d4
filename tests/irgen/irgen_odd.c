/* irgen_odd.c: types, attributes and locations outside the tables: every kind of the core
 * grammar, as texts to draw from. */
#include "ir/text.h"
#include "irgen.h"

static const char *const types[] = {
    "i128",
    "si7",
    "ui1",
    "f80",
    "f128",
    "tf32",
    "f8E4M3FN",
    "f8E4M3B11FNUZ",
    "none",
    "complex<i16>",
    "complex<f64>",
    "tuple<>",
    "tuple<i1, tuple<f32, index>, tensor<2xf32>>",
    "(i32) -> ()",
    "() -> (i1, (f32) -> f32)",
    "((i1) -> i1, tuple<>) -> ((i2) -> i3)",
    "vector<f32>",
    "vector<[4]xi32>",
    "vector<2x[8]x3xf16>",
    "tensor<0xf32>",
    "tensor<2x?xcomplex<f32>>",
    "tensor<4xindex, 7 : i8>",
    "tensor<?x3xf32, \"encoded\">",
    "tensor<2xf32, {a, b = [1, 2]}>",
    "tensor<2x2xvector<4xf32>>",
    "tensor<*xi1>",
    "memref<f32>",
    "memref<2x?xf32, strided<[?, 1], offset: ?>>",
    "memref<2x2xf32, strided<[2, 1]>, 3>",
    "memref<4x4xi8, affine_map<(d0, d1) -> (d1, d0)>>",
    "memref<8xi8, affine_map<(d0)[s0] -> (d0 + s0)>, \"fast\">",
    "memref<2xf32, 1 : i32>",
    "memref<*xf32, #ttcore.memory_space<dram>>",
    "memref<3xtuple<i1>, #ttcore.memory_space<l1>>",
    "memref<2xmemref<2xi8>>",
    "!builtin.f32<>",
};

static const char *const attrs[] = {
    "unit",
    "true",
    "-1 : i1",
    "-170141183460469231731687303715884105728 : i128",
    "18446744073709551615 : ui64",
    "-5 : si8",
    "3 : index",
    "0x7FC00000 : f32",
    "0xFF80 : bf16",
    "1.0e400 : f64",
    "-0.0 : f16",
    "0x7FFF8000000000000000 : f80",
    "dense<> : tensor<0xf32>",
    "dense<[]> : tensor<0x2xi8>",
    "dense<[[1, -2], [3, 4]]> : tensor<2x2xi4>",
    "dense<[true, false, true]> : tensor<3xi1>",
    "dense<(1.0, -2.5)> : tensor<2xcomplex<f32>>",
    "dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i8>>",
    "dense<[\"a\", \"b c\", \"\\22\"]> : tensor<3x!irgen.text>",
    "dense<\"0x00FF10\"> : vector<3xi8>",
    "dense<[0x7F800000, 1.5, 0xFFC00001]> : tensor<3xf32>",
    "dense<-7> : tensor<2x0x3xsi64>",
    "dense<[1.0, 2.0]> : vector<2xbf16>",
    "dense<1.0> : vector<[4]xf32>",
    "sparse<[[0, 1], [1, 0]], [2.5, -1.0]> : tensor<2x2xf32>",
    "sparse<[[0]], [7]> : tensor<3xi8>",
    "sparse<> : tensor<3xi8>",
    "array<i1: true, false>",
    "array<i8: -1, 127>",
    "array<i16>",
    "array<f64: 1.0, -0.0, 0x7FF8000000000000>",
    "array<f32: 1.0e-10>",
    "@a::@b::@\"c d\"",
    "@\"\"",
    "affine_map<(d0, d1)[s0, s1] -> (d0 * s0 + d1 mod 7, (d0 - 3) ceildiv s1, -d1)>",
    "affine_map<() -> ()>",
    "affine_set<(d0)[s0] : (d0 - s0 >= 0, -d0 + 8 >= 0, d0 mod 2 == 0)>",
    "affine_set<() : (0 == 0)>",
    "strided<[1, ?], offset: 4>",
    "strided<[], offset: ?>",
    "loc(unknown)",
    "loc(\"a.py\":3:5)",
    "loc(callsite(\"f\" at \"b\":1:2))",
    "loc(fused<\"pass\">[\"x\", \"y\"(\"z\")])",
    "!irgen.text",
    "#irgen.words<a [b, {c}] \"d>\">",
    "#irgen<\"1 + 2\">",
    "\"\\00\\FF\\0A tail\"",
    "\"typed\" : i32",
    "[]",
    "[[], [unit, [1 : i3]], {}]",
    "{a.b = 1 : i8, \"c d\", e = {f = @g}}",
    "i128",
    "(i1, (f32) -> ()) -> index",
    "distinct[0]<\"id\">",
    "dense_resource<blob_a> : tensor<2xi32>",
    "dense_resource<blob_b> : tensor<1xf64>",
};

/* Definitions of the resources named by dense_resource, for parsing a module that uses
 * them. */
const char irgen_resources[] =
    "{-#\n  dialect_resources: {\n    builtin: {\n"
    "      blob_a: \"0x040000000100000002000000\",\n"
    "      blob_b: \"0x08000000000000000000F03F\"\n    }\n  }\n#-}\n";

ir_type irgen_odd_type(irgen *g)
{
    return ir_parse_type(g->ctx, tw_str_from(types[irgen_below(g, TW_COUNT(types))]));
}

ir_attr irgen_odd_attr(irgen *g)
{
    return ir_parse_attr(g->ctx, tw_str_from(attrs[irgen_below(g, TW_COUNT(attrs))]));
}

ir_loc irgen_loc(irgen *g)
{
    static const char *const locs[] = {
        "loc(unknown)",
        "loc(\"a.py\":1:2)",
        "loc(\"a.py\":1:2)",
        "loc(\"dir/b.mlir\":4294967295:0)",
        "loc(\"a.py\":1:2 to 3:4)",
        "loc(\"name\")",
        "loc(\"outer\"(\"inner\"(\"a.py\":7:1)))",
        "loc(\"two words\"(\"b\":1:1))",
        "loc(callsite(\"callee\" at \"a.py\":10:1))",
        "loc(callsite(callsite(\"x\" at \"y\") at fused[\"a\":1:1, \"b\":2:2]))",
        "loc(fused[\"a.py\":1:2, \"name\"])",
        "loc(fused<{k = 1 : i8}>[\"a.py\":1:2, unknown])",
    };
    if (!g->locations)
        return IR_LOC_UNKNOWN;
    return ir_loc_from_attr(
        ir_parse_attr(g->ctx, tw_str_from(locs[irgen_below(g, TW_COUNT(locs))])));
}
