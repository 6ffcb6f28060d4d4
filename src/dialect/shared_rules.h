/* shared_rules.h: lists of rules (dialect/checks.h) that operations of more than one dialect
 * share. */
#ifndef TILEWRIGHT_DIALECT_SHARED_RULES_H
#define TILEWRIGHT_DIALECT_SHARED_RULES_H

#include "dialect/checks.h"

/* clang-format off */
/* dim_arg, keep_dim */
#define REDUCES(x)                                                                              \
    {"each d in dim_arg : d < -rank(" #x ") or d >= rank(" #x ")",                              \
     "Reduce dimension {d} is out of range for input tensor of rank {rank(" #x ")}"},           \
    {"dim_arg and not unique(dim_arg)", "Reduce dimensions are not unique"},                    \
    {"let expected = reduced(shape(" #x "), dim_arg, keep_dim)"},                               \
    {"shape(result) != expected", "Expected output shape ({expected}), got ({shape(result)})"}

/* A vector on the left is a row, one on the right a column; both ones go away again. */
#define MULTIPLIES                                                                              \
    {"rank(a) < 1", "Input A must be at least a 1D tensor"},                                    \
    {"rank(b) < 1", "Input B must be at least a 1D tensor"},                                    \
    {"let x = rank(a) == 1 ? cat({1}, shape(a)) : transpose_a ? swapped(shape(a)) : shape(a)"}, \
    {"let y = rank(b) == 1 ? cat(shape(b), {1}) : transpose_b ? swapped(shape(b)) : shape(b)"}, \
    {"x[-1] != y[-2]",                                                                          \
     "Input A[-1]({x[-1]}) and B[-2]({y[-2]}) must have matching inner dimensions"},            \
    {"let batch = broadcast(part(x, 0, -2), part(y, 0, -2))"},                                  \
    {"not batch",                                                                               \
     "Batch dimensions of input A({join(part(x, 0, -2), ',')}) and B({join(part(y, 0, -2), "    \
     "',')}) are not broadcast compatible"},                                                    \
    {"let rows = rank(a) > 1 ? cat(batch, {x[-2]}) : batch"},                                   \
    {"let expected = rank(b) > 1 ? cat(rows, {y[-1]}) : rows"}

#define FITS_PRODUCT                                                                            \
    {"|expected| == 0 and rank(result) < 1",                                                    \
     "Scalar output is not supported, output must be at least a 1D tensor"},                    \
    {"|expected| == 0 and shape(result) != {1}", "Scalar output must be a 1D tensor of size 1"},\
    {"|expected| == 0"},                                                                        \
    {"rank(result) != |expected|",                                                              \
     "Output shape rank({rank(result)}) must match the expected output shape rank("             \
     "{|expected|})"},                                                                          \
    {"each i < |expected| : dim(result, i) != expected[i]",                                     \
     "Output shape dimension[{i}]({dim(result, i)}) doesn't match the expected output shape "   \
     "dimension[{i}]({expected[i]})"}

/* Bounds of a slice along dimension `i` of the input. */
#define SLICE_BOUNDS(given, i, b, e, s)                                                         \
    {given               \
          "(wrap(" b ", dim(input, " i ")) < 0 or "                                             \
          "wrap(" b ", dim(input, " i ")) >= dim(input, " i "))",                               \
     "Invalid begin index for dimension {" i "}. Expected value in range [{-dim(input, " i      \
     ")}, {dim(input, " i ")}), got {" b "}. Input shape: ({shape(input)})"},                   \
    {given               \
          "(wrap(" e ", dim(input, " i ")) < 0 or "                                             \
          "wrap(" e ", dim(input, " i ")) > dim(input, " i "))",                                \
     "Invalid end index for dimension {" i "}. Expected value in range [{-dim(input, " i        \
     ")}, {dim(input, " i ")}], got {" e "}. Input shape: ({shape(input)})"},                   \
    {s " == 0", "Step value for dimension {" i "} cannot be zero"},                        \
    {s " > 0 and wrap(" b ", dim(input, " i ")) > wrap(" e ", dim(input, " i "))",         \
     "For positive step, begin index must be less than or equal to end index for dimension {"   \
     i "}. Got begin: {wrapped(" b ", dim(input, " i "))}, end: {wrapped(" e ", dim(input, " i  \
     "))}, step: {" s "}, input shape: ({shape(input)})"},                                      \
    {s " < 0 and wrap(" b ", dim(input, " i ")) < wrap(" e ", dim(input, " i "))",         \
     "For negative step, begin index must be greater than or equal to end index for dimension " \
     "{" i "}. Got begin: {wrapped(" b ", dim(input, " i "))}, end: {wrapped(" e ", dim(input, "\
     i "))}, step: {" s "}, input shape: ({shape(input)})"},                                    \
    { "dim(result, " i ") != (abs(wrap(" e ", dim(input, " i ")) - wrap(" b ", dim(input, " \
          i "))) + abs(" s ") - 1) / abs(" s ")",                                               \
     "Mismatch in dimension {" i "} of the output tensor: expected size {(abs(wrap(" e          \
     ", dim(input, " i ")) - wrap(" b ", dim(input, " i "))) + abs(" s ") - 1) / abs(" s        \
     ")}, but got {dim(result, " i ")}"}

#define SLICE_TYPES                                                                             \
    {"elt(input) != elt(result)",                                                               \
     "Output tensor must have the same element type as the input tensor"},                      \
    {"rank(input) != rank(result)",                                                             \
     "Output tensor must have the same rank as the input tensor"}

#define SLICES                                                                                  \
    {"rank(input) < 1", "Input must be at least a 1D tensor"},                                  \
    {"rank(input) != |begins| or rank(input) != |ends| or rank(input) != |step|",               \
     "Begins, ends, and step attributes must have the same number of elements as the input "    \
     "tensor rank"},                                                                            \
    SLICE_TYPES, {"loop i < rank(input)"},                                                      \
    SLICE_BOUNDS("wrap(begins[i], dim(input, i)) != wrap(ends[i], dim(input, i)) and ", "i",    \
                 "begins[i]", "ends[i]", "step[i]"), {"end"}

#define SPLITS_HEADS                                                                            \
    {"rank(input_tensor) != 3",                                                                 \
     "expected rank of input tensor is 3, got rank {rank(input_tensor)}"},                      \
    {"rank(query) != 4 or rank(key) != 4 or rank(value) != 4",                                  \
     "expected rank of query/key/value output tensor is 4, got query rank: {rank(query)}, key " \
     "rank: {rank(key)}, value rank: {rank(value)}"},                                           \
    {"let kv = num_kv_heads ? num_kv_heads : num_heads"},                                       \
    {"let own = not kv_input_tensor"},                                                          \
    {"let x = shape(input_tensor)"}, {"let kvin = own ? x : shape(kv_input_tensor)"},         \
    {"let size = own ? x[2] / (num_heads + 2 * kv) : x[2] / num_heads"},                      \
    {"let kvsize = own ? size : kvin[2] / (2 * kv)"},                                           \
    {"let q = {x[0], num_heads, x[1], size}"}, {"let v = {kvin[0], kv, kvin[1], kvsize}"},    \
    {"let k = transpose_key ? swapped(v) : v"},                                                 \
    {"q != shape(query)", "expected query output shape ({q}), got ({shape(query)})"},           \
    {"k != shape(key)", "expected key output shape ({k}), got ({shape(key)})"},                 \
    {"v != shape(value)", "expected value output shape ({v}), got ({shape(value)})"}

/* clang-format on */

#endif
