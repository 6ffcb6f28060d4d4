/* ir/bytecode/builtin_codes.h: codes of the builtin dialect's entries. */
#ifndef TILEWRIGHT_IR_BYTECODE_BUILTIN_CODES_H
#define TILEWRIGHT_IR_BYTECODE_BUILTIN_CODES_H

#include "ir/type.h"

enum {
    ATTR_ARRAY,
    ATTR_DICT,
    ATTR_STRING,
    ATTR_TYPED_STRING,
    ATTR_FLAT_SYMBOL,
    ATTR_SYMBOL,
    ATTR_TYPE,
    ATTR_UNIT,
    ATTR_INTEGER,
    ATTR_FLOAT,
    ATTR_LOC_CALLSITE,
    ATTR_LOC_FILE,
    ATTR_LOC_FUSED,
    ATTR_LOC_FUSED_METADATA,
    ATTR_LOC_NAME,
    ATTR_LOC_UNKNOWN,
    ATTR_RESOURCE,
    ATTR_DENSE_ARRAY,
    ATTR_DENSE,
    ATTR_DENSE_STRINGS,
    ATTR_SPARSE,
    ATTR_DISTINCT,
    ATTR_LOC_RANGE,
};

enum {
    TYPE_INTEGER,
    TYPE_INDEX,
    TYPE_FUNCTION,
    TYPE_BF16,
    TYPE_F16,
    TYPE_F32,
    TYPE_F64,
    TYPE_F80,
    TYPE_F128,
    TYPE_COMPLEX,
    TYPE_MEMREF,
    TYPE_MEMREF_SPACE,
    TYPE_NONE,
    TYPE_TENSOR,
    TYPE_TENSOR_ENCODING,
    TYPE_TUPLE,
    TYPE_UNRANKED_MEMREF,
    TYPE_UNRANKED_MEMREF_SPACE,
    TYPE_UNRANKED_TENSOR,
    TYPE_VECTOR,
    TYPE_VECTOR_SCALABLE,
    TYPE_TF32, /* this and the small floats after it: read only, since older readers expect
                  text */
};

static const ir_float_kind ir_bytecode_floats[] = {IR_BF16, IR_F16, IR_F32,
                                                   IR_F64,  IR_F80, IR_F128};

#endif
