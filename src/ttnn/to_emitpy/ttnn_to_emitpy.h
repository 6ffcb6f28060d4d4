/* ttnn_to_emitpy.h: TTNN programs as calls of ttnn's functions in Python. */
#ifndef TILEWRIGHT_TTNN_TO_EMITPY_TTNN_TO_EMITPY_H
#define TILEWRIGHT_TTNN_TO_EMITPY_TTNN_TO_EMITPY_H

#include "ir/pass/pass.h"
#include "ttnn/emit/ttnn_calls.h"

/* Rows; their own forms of arguments are
 *
 *   @dtype @layout @memory @shape
 *                 what the result's type says
 *   #padding      integers of the attribute, two by two
 *   list:axis     the attribute alone in a list
 *   or:value:size the first of both that there is
 *   scalar:index  the integer that a tensor of one element holds
 *   coord:sender  coordinates in the mesh
 *   mesh:config   a mapper or composer of tensors over the device's mesh */
extern const ttnn_call_row py_calls[];
extern const ttnn_language py_language;

/* Marks calls whose results are kept (emitpy-const-eval-caching). */
#define PY_CONST_EVALED "emitpy.const_evaled"

ir_type py_opaque_type(ir_context *ctx, const char *text);
ir_attr py_opaque_attr(ir_context *ctx, const char *text);
ir_value *py_list(ir_builder *b, ir_value *const *values, uint32_t count);
ir_value *py_element(ir_builder *b, ir_value *list, int64_t i);
/* trace.c; where functions take their device as an argument there is no form. */
bool py_convert_traces(ir_op *module, bool device_is_argument);

#endif
