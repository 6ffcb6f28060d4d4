/* tosa_rules.c: the verification rules of each operation of tosa, with MLIR's messages. */
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"

/* clang-format off */
/* Checks that shapes of operands broadcast to the result's, with equal ranks if ranked. */
#define SHAPE(x) "(rank(" #x ") ? shape(" #x ") : {})"
#define BROADCASTS_TO(ranked)                                                                  \
    {"not joined", "operands don't have broadcast-compatible shapes"},                         \
    {"given (" ranked ") and rank(output): rank(output) < |joined| or not fits(joined, "       \
     "part(shape(output), rank(output) - |joined|, rank(output)))",                            \
     "result type '{join(shape(output), 'x')}' not broadcast compatible with broadcasted "     \
     "operands's shapes '{join(joined, 'x')}'"}
#define SAME_RANKS(x, y)                                                                       \
    {"given rank(" #x ") and rank(" #y "): rank(" #x ") != rank(" #y ")",                      \
     "operands don't have matching ranks"}
#define RESULT_RANK(x)                                                                         \
    {"given rank(" #x ") and rank(output): rank(" #x ") != rank(output)",                      \
     "result type has different rank than operands"}
#define BINARY CHK_RULES({"let joined = broadcast(" SHAPE(input1) ", " SHAPE(input2) ")"},     \
        BROADCASTS_TO("rank(input1) or rank(input2)"), SAME_RANKS(input1, input2),             \
        RESULT_RANK(input1), RESULT_RANK(input2))

/* One element type, except for quantized types that are not uniform. */
#define COMPARED(x) "(not is_quant(elt(" #x ")) or kind(elt(" #x ")) == 'quant.uniform')"
#define SAME_ELEMENTS(x, y)                                                                    \
    {"given " COMPARED(x) " and " COMPARED(y) ": elt(" #x ") != elt(" #y ")",                  \
     "expect input and output to have same element type, got {elt(" #x ")} and {elt(" #y ")}"}

/* Zero points: of the tensor's element type, 0 unless that is i8. */
#define ZERO_TYPE(what, x, zp)                                                                 \
    {"storage(elt(" #x ")) != storage(elt(" #zp "))",                                          \
     "expect " what " the same element type, got {storage(elt(" #x "))} and "                  \
     "{storage(elt(" #zp "))}"}
#define ZERO_OF(x, zp) ZERO_TYPE("both " #x " and its zero point are", x, zp)
#define ZERO(x, zp)                                                                            \
    {"given not (is_int(elt(" #zp ")) and bits(elt(" #zp ")) == 8) and is_whole(zero_point(" #zp ")): " \
     "zero_point(" #zp ") != 0",                                                               \
     #x " zero point must be zero for non-int8 integer types"}

/* Checks the accumulator type. */
#define ACC(condition, fine, of, to)                                                           \
    {"(" condition ") and not (" fine ")", "accumulator type for " of " tensor is not " to}
#define IS_I(x, n) "is_int(" #x ") and bits(" #x ") == " #n
#define FLOAT_ACCS                                                                             \
    ACC("name(i) == 'f16'", "name(acc_type) in {'f16', 'f32'}", "f16", "f16/f32"),             \
    ACC("name(i) == 'bf16'", "name(acc_type) == 'f32'", "bf16", "f32"),                        \
    ACC("name(i) == 'f32'", "name(acc_type) == 'f32'", "f32", "f32")

#define LEAST(list, what, n)                                                                   \
    {"each v in " #list " : v < " #n, "expect all " what " values to be >= " #n ", got {" #list "}"}

#define CONV_TYPES                                                                             \
    {"let i = storage(elt(input))"}, {"let w = storage(elt(weight))"},                         \
    {"let b = storage(elt(bias))"}, {"let o = storage(elt(output))"},                          \
    {"is_float(elt(bias)) and is_float(elt(output)) and b != o",                               \
     "expect both bias and result to have same element type, got {b} and {o}"},                \
    {"(name(i) in {'f8E5M2', 'f8E4M3FN'} or name(w) in {'f8E5M2', 'f8E4M3FN'}) and i != w",    \
     "expect both input and weight to have same element type, got {i} and {w}"},               \
    {"is_float(i) != is_float(w)",                                                             \
     "expect both input and weight to be float or not together, got {i} and {w}"},             \
    ZERO_OF(input, input_zp), ZERO_OF(weight, weight_zp),                                      \
    ZERO(input, input_zp), ZERO(weight, weight_zp),                                            \
    ACC(IS_I(i, 8), IS_I(acc_type, 32), "i8", "i32"),                                          \
    ACC(IS_I(i, 16), IS_I(acc_type, 48), "i16", "i48"),                                        \
    ACC("name(i) in {'f8E5M2', 'f8E4M3'}", "name(acc_type) == 'f16'", "f8", "f16"), FLOAT_ACCS
#define CONV_WINDOW                                                                            \
    LEAST(pad, "padding", 0), LEAST(stride, "stride", 1), LEAST(dilation, "dilation", 1),      \
    {"not rank(output)"}
#define CONV_BIAS                                                                              \
    {"not rank(bias)"}, {"dynamic(dim(bias, 0)) or dynamic(dim(output, -1))"},                 \
    {"dim(bias, 0) != dim(output, -1) and dim(bias, 0) != 1",                                  \
     "bias channels expected to be equal to output channels ({dim(output, -1)}) or 1, got "    \
     "{dim(bias, 0)}"}

#define AXIS_IN(x, side, verb)                                                                 \
    {"given rank(" #x "): axis >= rank(" #x ") and not (axis == 0 and rank(" #x ") == 0)",     \
     "expect " side " tensor rank ({rank(" #x ")}) to be larger than " verb " axis ({axis})"}
#define SAME_RANK_AS(x)                                                                        \
    {"given rank(output) and rank(" #x "): rank(output) != rank(" #x ")",                      \
     "expect output tensor rank to be equal to input tensor rank"}
#define REDUCED CHK_RULES({"axis < 0", "reduce axis must not be negative"},                    \
        AXIS_IN(input, "input", "reduce"), SAME_RANK_AS(input),                                \
        AXIS_IN(output, "output", "reduce"),                                                   \
        {"given rank(output) and rank(output) != 0 and not dynamic(dim(output, axis)): "       \
         "dim(output, axis) != 1", "expect reduced dimension size to be 1, got {dim(output, axis)}"})

/* N, K, W, C of gather and scatter: from the first value where they are static. */
#define KNOWN(size, x, i) {"let " size " = " size " < 0 and rank(" x ") ? dim(" x ", " #i ") : " size}
#define DIM_IS(what, x, i, size)                                                               \
    {"given rank(" x "): not fits(dim(" x ", " #i "), " size ")",                              \
     "requires " what " dimension " #i " to have size {" size "}, got {dim(" x ", " #i ")}"}

#define IS_SHAPE_RANK(x, what)                                                                 \
    {"given rank(input1): rank(input1) != param(type(" #x "), 'rank')",                        \
     "length of " what " is not equal to rank of input shape"}

/* For resize: along one axis. */
#define RESIZED(i, n, d, at, name, axis)                                                       \
    {"given not dynamic(dim(input, " #i ")) and dim(input, " #i ") != 1: "                     \
     "((dim(input, " #i ") - 1) * s[" #n "] - ints(offset)[" #at "] + ints(border)[" #at "]) % s[" #d "] != 0", \
     "expected (input_" name " - 1) * scale_" axis "_n - offset_" axis " + border_" axis       \
     " to be wholly divisible by scale_" axis "_d, got (({dim(input, " #i ")} - 1) * {s[" #n   \
     "]} - {ints(offset)[" #at "]} + {ints(border)[" #at "]}) / {s[" #d "]}"},                 \
    {"given not dynamic(dim(input, " #i ")) and dim(input, " #i ") != 1 and "                  \
     "not dynamic(dim(output, " #i ")): ((dim(input, " #i ") - 1) * s[" #n "] - ints(offset)[" #at \
     "] + ints(border)[" #at "]) / s[" #d "] + 1 != dim(output, " #i ")",                      \
     "calculated output " name " did not match expected: calculated={((dim(input, " #i         \
     ") - 1) * s[" #n "] - ints(offset)[" #at "] + ints(border)[" #at "]) / s[" #d             \
     "] + 1}, expected={dim(output, " #i ")}"}

/* For rescale: the zero point of one side. */
#define RESCALE_TYPE(x)                                                                        \
    {"not is_int(storage(elt(" #x ")))",                                                       \
     "expect " #x " to have integer element type, got {storage(elt(" #x "))}"}
#define RESCALE_ZERO_TYPE(x)                                                                   \
    {"not is_int(storage(elt(" #x "_zp))) or "                                                 \
     "bits(storage(elt(" #x "))) != bits(storage(elt(" #x "_zp)))",                            \
     "expected " #x " and " #x "_zp to both be integer of the same bitwidth, but got "         \
     "{storage(elt(" #x "))} vs. {storage(elt(" #x "_zp))}"}
#define RESCALE_ZERO(x)                                                                        \
    {"let z = zero_point(" #x "_zp, " #x "_unsigned)"}, {"let n = bits(elt(" #x "_zp))"},      \
    {"given is_whole(z): z != 0 and n != 8 and not (n == 16 and " #x "_unsigned)",             \
     "expect " #x "_zp of 0, got {z}"},                                                        \
    {"given is_whole(z): z != 0 and n == 16 and z != 32768",                                   \
     "expect " #x "_zp of 0 or 32768 for unsigned int16 " #x ", got {z}"}
#define CHANNELS(x)                                                                            \
    {"not dynamic(dim(" #x ", 0)) and dim(" #x ", 0) != channels",                             \
     "expect shape of { '{' } {channels} } for " #x " input, got { '{' } {dim(" #x ", 0)} }"}

#define OUT_PAD(k, at, side, kernel)                                                           \
    {"given rank(weight) and not dynamic(dim(weight, " #k ")): "                               \
     "out_pad[" #at "] <= -dim(weight, " #k ")",                                               \
     "expected out_pad_" side " > -" kernel ", but got: out_pad_" side "={out_pad[" #at        \
     "]} and " kernel "={dim(weight, " #k ")}"}
#define TRANSPOSED_SIZE(i, d, o, axis, side1, side2, O, I, K)                                  \
    {"given rank(input) and rank(weight) and not dynamic(dim(input, " #i ")) and "             \
     "not dynamic(dim(output, " #i ")): dim(output, " #i ") != (dim(input, " #i ") - 1) * "    \
     "stride[" #d "] + out_pad[" #o "] + out_pad[" #o " + 1] + dim(weight, " #i ")",           \
     "dimension mismatch: expected " O " == (" I " - 1) * stride_" axis " + out_pad_" side1    \
     " + out_pad_" side2 " + " K ", but got {dim(output, " #i ")} != ({dim(input, " #i         \
     ")} - 1) * {stride[" #d "]} + {out_pad[" #o "]} + {out_pad[" #o " + 1]} + "               \
     "{dim(weight, " #i ")}"}
#define FLOAT_RESULTS {"not is_float(elt(output_real))", "requires a floating point type"}
#define POWER_OF_TWO(size, name)                                                               \
    {"given is_whole(" size ") and not dynamic(" size "): not is_power_of_2(" size ")",        \
     "expected " name " to be a power of two, got {" size "}"}

/* Data whose last dimension is in blocks of 32, and the blocks' scales. */
#define BLOCKS(data, scale)                                                                    \
    {"given rank(" #data ") and rank(" #data ") != 0 and not dynamic(dim(" #data ", -1)): "    \
     "dim(" #data ", -1) % 32 != 0",                                                           \
     "expect last dimension of " #data " ({dim(" #data ", -1)}) to be divisible by block_size (32)"}
#define SAME_DATA                                                                              \
    {"given rank(input_data) and rank(output_data): "                                          \
     "not fits(shape(input_data), shape(output_data))",                                        \
     "require compatible shapes for input_data ({type(input_data)}) and output_data "          \
     "({type(output_data)})"},                                                                 \
    BLOCKS(input_data, input_scale)

static const chk_rules own[TOSA_OP_COUNT] = {
    [TOSA_add] = BINARY, [TOSA_arithmetic_right_shift] = BINARY, [TOSA_bitwise_and] = BINARY,
    [TOSA_bitwise_or] = BINARY, [TOSA_bitwise_xor] = BINARY, [TOSA_equal] = BINARY,
    [TOSA_greater] = BINARY, [TOSA_greater_equal] = BINARY, [TOSA_intdiv] = BINARY,
    [TOSA_logical_and] = BINARY, [TOSA_logical_left_shift] = BINARY,
    [TOSA_logical_or] = BINARY, [TOSA_logical_right_shift] = BINARY,
    [TOSA_logical_xor] = BINARY, [TOSA_maximum] = BINARY, [TOSA_minimum] = BINARY,
    [TOSA_pow] = BINARY, [TOSA_sub] = BINARY,

    [TOSA_reduce_all] = REDUCED, [TOSA_reduce_any] = REDUCED, [TOSA_reduce_max] = REDUCED,
    [TOSA_reduce_min] = REDUCED, [TOSA_reduce_product] = REDUCED,
    [TOSA_reduce_sum] = REDUCED,

    [TOSA_argmax] = CHK_RULES(
        {"not is_int(elt(output))", "result tensor is not of integer type"},
        {"not rank(input)"},
        {"axis < 0 or axis >= rank(input)", "specified axis is outside the rank of the tensor"},
        {"not rank(output)"}, {"let want = without(shape(input), {axis})"},
        {"not fits(want, shape(output))",
         "expected output shape '{want}', got '{shape(output)}'"}),

    [TOSA_avg_pool2d] = CHK_RULES(
        {.run = tosa_check_pool_window},
        {"let i = storage(elt(input))"},
        ACC("is_int(i)", IS_I(acc_type, 32), "integer", "i32"), FLOAT_ACCS,
        ZERO_OF(input, input_zp), ZERO_OF(output, output_zp),
        ZERO(input, input_zp), ZERO(output, output_zp)),

    [TOSA_cast_from_block_scaled] = CHK_RULES(SAME_DATA),
    [TOSA_cast_to_block_scaled] = CHK_RULES(SAME_DATA),
    [TOSA_clamp] = CHK_RULES({.run = tosa_check_clamp}),

    [TOSA_concat] = CHK_RULES(
        {"|input1| == 0", "expect at least one input"},
        {"each x in input1 : elt(x) != elt(output)",
         "expect input and output to have same element type, got {elt(x)} and {elt(output)}"},
        {"each x in input1 : rank(x) and (axis < 0 or axis >= rank(x))",
         "expect axis to be within range 0 < axis < rank(input1[firstRankedTensorIdx]), got "
         "{axis}"},
        {"each x in input1 : not rank(x)", NULL},
        {"each k < |input1| : rank(input1[k]) != rank(input1[0])",
         "expect all operands to have the same rank, but got {rank(input1[0])} vs "
         "{rank(input1[k])} on operands 0 and {k}"},
        {"loop k < |input1|"},
        {"each i < rank(input1[0]) : i != axis and "
         "not fits(dim(input1[k], i), dim(input1[0], i))",
         "expect all operand shapes to have the same sizes on non-axis dimensions, but got "
         "{dim(input1[k], i)} vs {dim(input1[0], i)} at index {i} on operands 0 and {k}"},
        {"end"},
        {"let sum = sum_dim(input1, axis)"},
        {"given rank(output): not fits(sum, dim(output, axis))",
         "requires sum of axis dimensions of input1 equal to output axis dimension, got {sum} "
         "and {dim(output, axis)}"}),

    [TOSA_cond_if] = CHK_RULES({.run = tosa_check_cond_if}),
    [TOSA_while_loop] = CHK_RULES({.run = tosa_check_while_loop}),

    [TOSA_const] = CHK_RULES(
        {"not rank(output)",
         "failed to verify that all of {'{'}values, output} have same shape"},
        {"not is_quant(elt(output)) and elt(attr_type(values)) != elt(output)",
         "expected same attr/result element types"},
        {"is_quant(elt(output)) and elt(attr_type(values)) != storage(elt(output)) and "
         "elt(attr_type(values)) != elt(output)",
         "expected same attr/result element types"}),
    [TOSA_const_shape] = CHK_RULES(
        {"rank(attr_type(values)) != 1", "expect elements in attribute values with rank 1"},
        {"let n = dim(attr_type(values), 0)"}, {"let want = param(type(output), 'rank')"},
        {"n != want and not (n == 1 and want == 0)",
         "expect number of elements in attribute values ({n}) to be equal to the rank "
         "({want}) for the result shape type"}),

    [TOSA_conv2d] = CHK_RULES(
        CONV_TYPES, CONV_WINDOW, {.run = tosa_check_conv_window}, CONV_BIAS),
    [TOSA_conv3d] = CHK_RULES(
        CONV_TYPES, CONV_WINDOW, {.run = tosa_check_conv_window}, CONV_BIAS),
    [TOSA_depthwise_conv2d] = CHK_RULES(
        CONV_TYPES, CONV_WINDOW, {.run = tosa_check_conv_window}, CONV_BIAS),
    [TOSA_transpose_conv2d] = CHK_RULES(
        CONV_TYPES,
        {"each v in stride : v < 1", "expect all stride values to be >= 1, got [{stride}]"},
        OUT_PAD(1, 0, "top", "KH"), OUT_PAD(1, 1, "bottom", "KH"),
        OUT_PAD(2, 2, "left", "KW"), OUT_PAD(2, 3, "right", "KW"),
        {"not rank(output)"},
        TRANSPOSED_SIZE(1, 0, 0, "y", "top", "bottom", "OH", "IH", "KH"),
        TRANSPOSED_SIZE(2, 1, 2, "x", "left", "right", "OW", "IW", "KW"), CONV_BIAS),

    [TOSA_fft2d] = CHK_RULES(
        FLOAT_RESULTS,
        {"not rank(input_real) or not rank(input_imag)"},
        /* MLIR checks the second operand's sizes unless the first one's are dynamic */
        {"let height = dynamic(dim(input_real, 1)) ? dim(input_real, 1) : dim(input_imag, 1)"},
        {"let width = dynamic(dim(input_real, 2)) ? dim(input_real, 2) : dim(input_imag, 2)"},
        POWER_OF_TWO("height", "height"), POWER_OF_TWO("width", "width")),
    [TOSA_rfft2d] = CHK_RULES(
        FLOAT_RESULTS,
        {"given rank(output_real) and rank(output_imag): "
         "not fits(shape(output_real), shape(output_imag))",
         "expected output shapes to match, got {type(output_real)}, {type(output_imag)}"},
        {"not rank(input_real)"},
        POWER_OF_TWO("dim(input_real, 1)", "height"),
        POWER_OF_TWO("dim(input_real, 2)", "width"), {"not rank(output_real)"},
        {"not fits(part(shape(input_real), 0, 2), part(shape(output_real), 0, 2))",
         "expected batch and height dimensions of input/output to match, got "
         "input={type(input_real)} output={type(output_real)}"},
        {"not dynamic(dim(input_real, 2)) and not dynamic(dim(output_real, 2)) and "
         "dim(output_real, 2) != dim(input_real, 2) / 2 + 1",
         "expected output width to be equal to input_width / 2 + 1, got {dim(output_real, 2)}"}),

    [TOSA_gather] = CHK_RULES(
        SAME_ELEMENTS(values, output),
        {"let n = rank(values) ? dim(values, 0) : -1"},
        {"let c = rank(values) ? dim(values, 2) : -1"},
        {"let w = rank(indices) ? dim(indices, 1) : -1"},
        {"given rank(indices) and n >= 0: not fits(dim(indices, 0), n)",
         "requires indices dimension 0 to have size {n}, got {dim(indices, 0)}"},
        KNOWN("n", "indices", 0),
        {"given rank(output) and n >= 0: not fits(dim(output, 0), n)",
         "requires output dimension 0 to have size {n}, got {dim(output, 0)}"},
        {"given rank(output) and w >= 0: not fits(dim(output, 1), w)",
         "requires output dimension 1 to have size {w}, got {dim(output, 1)}"},
        {"given rank(output) and c >= 0: not fits(dim(output, 2), c)",
         "requires output dimension 2 to have size {c}, got {dim(output, 2)}"}),

    [TOSA_scatter] = CHK_RULES(
        SAME_ELEMENTS(values_in, values_out), SAME_ELEMENTS(input, values_out),
        {"let n = rank(values_in) ? dim(values_in, 0) : -1"},
        {"let k = rank(values_in) ? dim(values_in, 1) : -1"},
        {"let c = rank(values_in) ? dim(values_in, 2) : -1"},
        {"let w = rank(indices) ? dim(indices, 1) : -1"},
        {"given rank(indices) and n >= 0: not fits(dim(indices, 0), n)",
         "requires indices dimension 0 to have size {n}, got {dim(indices, 0)}"},
        KNOWN("n", "indices", 0),
        {"given rank(input) and n >= 0: not fits(dim(input, 0), n)",
         "requires input dimension 0 to have size {n}, got {dim(input, 0)}"},
        {"given rank(input) and w >= 0: not fits(dim(input, 1), w)",
         "requires input dimension 1 to have size {w}, got {dim(input, 1)}"},
        {"given rank(input) and c >= 0: not fits(dim(input, 2), c)",
         "requires input dimension 2 to have size {c}, got {dim(input, 2)}"},
        KNOWN("n", "input", 0), KNOWN("w", "input", 1), KNOWN("c", "input", 2),
        {"given rank(values_out) and n >= 0: not fits(dim(values_out, 0), n)",
         "requires values_out dimension 0 to have size {n}, got {dim(values_out, 0)}"},
        {"given rank(values_out) and k >= 0: not fits(dim(values_out, 1), k)",
         "requires values_out dimension 1 to have size {k}, got {dim(values_out, 1)}"},
        {"given rank(values_out) and c >= 0: not fits(dim(values_out, 2), c)",
         "requires values_out dimension 2 to have size {c}, got {dim(values_out, 2)}"},
        KNOWN("k", "values_out", 1),
        {"k >= 0 and w >= 0 and k < w",
         "requires dimensions K >= W, got K={k} and W={w}"}),

    [TOSA_matmul] = CHK_RULES(
        {"let a_uniform = kind(elt(a)) == 'quant.uniform'"},
        {"let b_uniform = kind(elt(b)) == 'quant.uniform'"},
        {"a_uniform != b_uniform",
         "expect operands to be both quantized or both not quantized, got {elt(a)} and {elt(b)}"},
        {"a_uniform and bits(storage(elt(a))) != bits(storage(elt(b)))",
         "expect quantized operands to have same widths, got {bits(storage(elt(a)))} and "
         "{bits(storage(elt(b)))}"},
        ZERO_TYPE("input a and a_zp have", a, a_zp), ZERO_TYPE("input b and b_zp have", b, b_zp),
        ZERO(a, a_zp), ZERO(b, b_zp)),

    [TOSA_max_pool2d] = CHK_RULES(
        SAME_ELEMENTS(input, output), {.run = tosa_check_pool_window}),

    [TOSA_mul] = CHK_RULES(
        {"is_int(elt(output)) and (not is_int(elt(input1)) or elt(input1) != elt(input2))",
         "requires the same element type for all operands"},
        {"is_int(elt(output)) and bits(elt(input1)) > bits(elt(output))",
         "invalid data type size for operands or result"},
        {"not is_int(elt(output)) and "
         "(elt(input1) != elt(output) or elt(input2) != elt(output))",
         "requires the same element type for all operands and results"},
        {"given not is_int(elt(output)) and is_whole(zero_point(shift)): zero_point(shift) != 0",
         "require shift to be 0 for float type"},
        {"given rank(input1) and rank(input2): rank(input1) != rank(input2)",
         "a and b operands don't have matching ranks, got {rank(input1)} and {rank(input2)}"},
        {"given rank(input1) and rank(input2): not broadcast(shape(input1), shape(input2))",
         "a and b operands don't have broadcast-compatible shapes, got {type(input1)} and "
         "{type(input2)}"},
        {"not rank(output)"},
        {"given rank(input1): rank(output) != rank(input1)",
         "result type has different rank than a, got {rank(output)} vs {rank(input1)}"},
        {"given rank(input2): rank(output) != rank(input2)",
         "result type has different rank than b, got {rank(output)} vs {rank(input2)}"}),

    [TOSA_negate] = CHK_RULES(
        SAME_ELEMENTS(input1, output),
        {"given rank(input1) and rank(output): not fits(shape(input1), shape(output))",
         "requires the same shape for input1 and output"},
        ZERO_OF(input1, input1_zp), ZERO_OF(output, output_zp),
        ZERO(input1, input1_zp), ZERO(output, output_zp)),

    [TOSA_pad] = CHK_RULES(
        SAME_ELEMENTS(input1, output), SAME_ELEMENTS(pad_const, output),
        {"not rank(input1) or not rank(output)"},
        {"rank(input1) != rank(output)",
         "expect same input and output tensor rank, but got inputRank: {rank(input1)}, "
         "outputRank: {rank(output)}"},
        {"let p = ints(padding)"}, {"not p"},
        {"|p| != 2 * rank(input1)",
         "padding tensor must have {rank(input1)} * 2 = {rank(input1) * 2} elements, but got "
         "{|p|}"},
        {"loop i < rank(input1)"},
        {"p[2 * i] < -1 or p[2 * i + 1] < -1",
         "invalid padding values at dimension {i}: values must be non-negative or -1 for "
         "dynamic padding, got [{p[2 * i]}, {p[2 * i + 1]}]"},
        {"not dynamic(dim(input1, i)) and not dynamic(dim(output, i)) and "
         "dim(output, i) != dim(input1, i) + p[2 * i] + p[2 * i + 1]",
         "mismatch in output shape at dimension {i}: expected {dim(input1, i)} + {p[2 * i]} + "
         "{p[2 * i + 1]} = {dim(input1, i) + p[2 * i] + p[2 * i + 1]}, but got "
         "{dim(output, i)}"},
        {"end"}),

    [TOSA_rescale] = CHK_RULES(
        RESCALE_TYPE(input), RESCALE_TYPE(output), RESCALE_ZERO_TYPE(input),
        RESCALE_ZERO_TYPE(output), RESCALE_ZERO(input), RESCALE_ZERO(output),
        {"scale32 and bits(elt(multiplier)) != 32",
         "expect i32 element type for multiplier for scale32=true, got {elt(multiplier)}"},
        {"not scale32 and bits(elt(multiplier)) != 16",
         "expect i16 element type for multiplier for scale32=false, got {elt(multiplier)}"},
        {"not rank(input)"},
        {"per_channel and rank(input) < 1",
         "requires input to be at least rank 1 when per_channel is true, but got rank "
         "{rank(input)}"},
        {"let channels = per_channel ? dim(input, -1) : 1"},
        CHANNELS(multiplier), CHANNELS(shift)),

    [TOSA_reshape] = CHK_RULES(
        SAME_ELEMENTS(input1, output), {"let s = ints(shape)"}, {"not s"},
        {"occurs(s, -1) > 1", "expected at most one target dimension to be -1"},
        {"not rank(output)"},
        {"|s| != rank(output)", "new shape does not match result rank"},
        {"loop i < |s|"},
        {"s[i] != -1 and not dynamic(dim(output, i)) and s[i] != dim(output, i)",
         "new shape is inconsistent with result shape"},
        {"s[i] < -1", "new shape has invalid tensor dimension size {s[i]}"},
        {"end"},
        {"not rank(input1) or dynamic(shape(input1))"},
        {"let all = product(shape(input1))"},
        {"not dynamic(shape(output)) and product(shape(output)) != all",
         "cannot reshape {all} elements into {product(shape(output))}"},
        {"let new = abs(product(s))"},
        {"occurs(s, -1) == 0 and new != all or occurs(s, -1) != 0 and new > all",
         "cannot reshape {all} elements into {new}"}),

    [TOSA_resize] = CHK_RULES(
        {"let s = ints(scale)"}, {"not s or not ints(offset) or not ints(border)"},
        {"each v in s : v <= 0", "expect all scale values to be > 0, got {s}"},
        {"not rank(input) or not rank(output)"},
        RESIZED(1, 0, 1, 0, "height", "y"), RESIZED(2, 2, 3, 1, "width", "x")),

    [TOSA_reverse] = CHK_RULES(
        SAME_ELEMENTS(input1, output), {"axis < 0", "expected non-negative reverse axis"},
        AXIS_IN(input1, "input", "reverse"), SAME_RANK_AS(input1),
        AXIS_IN(output, "output", "reverse")),

    [TOSA_select] = CHK_RULES(
        {"let joined = broadcast(broadcast(" SHAPE(input1) ", " SHAPE(input2) "), " SHAPE(input3) ")"},
        BROADCASTS_TO("rank(input1) or rank(input2) or rank(input3)"),
        SAME_RANKS(input1, input2), SAME_RANKS(input1, input3), SAME_RANKS(input2, input3),
        RESULT_RANK(input1), RESULT_RANK(input2), RESULT_RANK(input3),
        SAME_ELEMENTS(input2, output), SAME_ELEMENTS(input3, output)),

    [TOSA_slice] = CHK_RULES(
        SAME_ELEMENTS(input1, output),
        {"given rank(input1) and rank(output): rank(input1) != rank(output)",
         "expect input1 and output to have the same ranks, got {rank(input1)} and "
         "{rank(output)}"},
        IS_SHAPE_RANK(start, "start"), IS_SHAPE_RANK(size, "size")),

    [TOSA_table] = CHK_RULES(
        {"not rank(input1) or not rank(output)"},
        {"rank(input1) != rank(output)",
         "expected input tensor rank to equal result tensor rank"},
        {"each i < rank(output) : not dynamic(dim(output, i)) and "
         "dim(output, i) != dim(input1, i)",
         "dim(result, {i}) = {dim(output, i)} doesn't match dim(input, {i}) = "
         "{dim(input1, i)}"}),

    [TOSA_tile] = CHK_RULES(
        SAME_ELEMENTS(input1, output), {"let n = param(type(multiples), 'rank')"},
        {"given rank(input1): rank(input1) != n",
         "expect 'multiples' to have rank {rank(input1)} but got {n}."},
        {"given rank(input1) and rank(output): rank(input1) != rank(output)",
         "expect same input and output tensor rank."},
        {"given not rank(input1) and rank(output): rank(output) != n",
         "expect 'multiples' array to have length {rank(output)} but got {n}."},
        {"let m = ints(multiples)"},
        {"each v in m : v <= 0 and v != -1",
         "expect element of 'multiples' to be positive integer or -1."}),

    [TOSA_transpose] = CHK_RULES(
        SAME_ELEMENTS(input1, output),
        {"given rank(input1): |perms| != rank(input1)",
         "expected perms attribute to have size {rank(input1)} (input rank) but got size "
         "{|perms|}"},
        {"given rank(input1) and rank(output): rank(input1) != rank(output)",
         "expected input tensor rank to equal result tensor rank"},
        {"given rank(output): |perms| != rank(output)",
         "expected perms attribute to have size {rank(output)} (output rank) but got size "
         "{|perms|}"},
        {"not is_permutation(perms)", "expected valid permutation indices"},
        {"not rank(input1) or not rank(output)"},
        {"not dynamic(shape(input1)) and not dynamic(shape(output)) and "
         "product(shape(input1)) != product(shape(output))",
         "expected input1 and output to have same numbers of elements, got "
         "{product(shape(input1))} and {product(shape(output))}"},
        {"each i < rank(output) : not fits(dim(input1, perms[i]), dim(output, i))",
         "expected output tensor dim {i} to match input dim {perms[i]} with value of "
         "{dim(input1, perms[i])}"}),

    [TOSA_variable] = CHK_RULES({.run = tosa_check_variable}),
    [TOSA_variable_read] = CHK_RULES({.run = tosa_check_variable_use}),
    [TOSA_variable_write] = CHK_RULES({.run = tosa_check_variable_use}),
};
/* clang-format on */

chk_rules tosa_own_rules(const ir_op_def *def)
{
    return own[def - tosa_ops];
}
