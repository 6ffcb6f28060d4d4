/* ttnn_to_emitc.h: TTNN programs as calls of ttnn's functions in C++. */
#ifndef TILEWRIGHT_TTNN_TO_EMITC_TTNN_TO_EMITC_H
#define TILEWRIGHT_TTNN_TO_EMITC_TTNN_TO_EMITC_H

#include "ir/pass/pass.h"
#include "ttnn/emit/ttnn_calls.h"

/* Rows; their own forms of arguments are
 *
 *   @dtype @layout @memory
 *                 what the result's type says; @retype the data type only where the operand
 *                 has another, @spec all of it
 *   KIND:name       the attribute or the operand in a type of ttnn's:
 *     i32s i64s     ttsl::SmallVector of integers
 *     i32v u32v     std::vector
 *     u2 u3         std::array of 2, 3
 *     u12           one number, or std::array of two
 *     u24           std::array of two or of four, as many as there are
 *     pool          the same: those of a pooling window's edges, which ttnn takes as top,
 *                   bottom, left, right
 *     pairs         ttsl::SmallVector of std::array of two
 *     span          ttsl::Span over a vector of its own
 *     ref, maybe    the device itself, not a pointer to it; std::optional of that
 *     mesh          a mapper or composer of tensors over the device's mesh
 *     sub           the number of a sub-device
 *     queue         the number of a command queue
 *     coord         coordinates in the mesh
 *     line          a topology; a line where none is given
 *     fused         an activation by its name
 *     mask          what a mask of attention is
 *     rounding      whether it is stochastic
 *     scalar        the number that a tensor holds
 *     conv3d        a configuration that is filled in field by field */
extern const ttnn_call_row cpp_calls[];
extern const ttnn_language cpp_language;

/* How tensors are found in what a function returns. */
enum {
    CPP_TENSOR, /* it is the tensor */
    CPP_FIRST,  /* in the first part of a std::variant of tuples */
    CPP_VECTOR, /* by index */
    CPP_TUPLE,  /* by std::get */
    CPP_PAIR,   /* std::array of two, three: by index */
    CPP_TRIPLE,
    CPP_OPTIONALS, /* a vector of std::optional */
};

#define CPP_TENSOR_TYPE "::ttnn::Tensor"
#define CPP_VECTOR_TYPE "::std::vector<::ttnn::Tensor>"
#define CPP_DEVICE_TYPE "::ttnn::distributed::MeshDevice"

/* The C++ type of a value. */
ir_type cpp_type(ir_type t);
/* host_functions.c: the declaration of a function that is computed on the host, and its
 * body, a call with its text; false after a diagnostic: it has none. */
bool cpp_is_of_host(const ir_op *func);
bool cpp_convert_host_function(ir_op *func);
/* Functions for traces, and calls of them; false after a diagnostic. */
bool cpp_convert_traces(ir_op *module);
/* What `callee` gives; NULL type: nothing. */
ir_value *cpp_call(ir_builder *b, const char *callee, ir_type type,
                   ir_value *const *operands, size_t n, ir_attr args, ir_attr templates);
ir_value *cpp_list(ir_builder *b, ir_value *const *values, uint32_t count);
/* std::tuple of n tensors, and std::get<i> of one. */
ir_type cpp_tuple_type(ir_context *ctx, uint32_t n);
ir_value *cpp_part(ir_builder *b, ir_value *tuple, uint32_t i);
/* A tensor of several, by index. */
ir_value *cpp_element(ir_builder *b, ir_value *list, int64_t i, const char *type);

#endif
