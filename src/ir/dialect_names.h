/* dialect_names.h: index enums over a dialect's rows, for its header (no guard: included
 * once per dialect).
 *
 * The header defines IR_DIALECT (ttir), IR_PREFIX (TTIR) and IR_ROWS ("ttir/ttir.def") and
 * includes this: TTIR_abs and so on are indices in ttir_ops, TTIR_ATTR_x in ttir_attrs,
 * TTIR_TYPE_x in ttir_types, TTIR_ReduceDim_RC is a case of an enum. */
#include "ir/op.h"

#define TW_ENUM(id, list, ...)                                                             \
    enum { list(IR_CASE_VALUE, IR_JOIN4(IR_PREFIX, _, id, _)) };                           \
    extern const ir_enum_def IR_JOIN3(IR_DIALECT, _enum_, id);
#include IR_ROWS

enum {
#define TW_OP(id, ...) IR_JOIN3(IR_PREFIX, _, id),
#include IR_ROWS
    IR_JOIN(IR_PREFIX, _OP_COUNT)
};
enum {
#define TW_ATTR(id, ...) IR_JOIN3(IR_PREFIX, _ATTR_, id),
#include IR_ROWS
    IR_JOIN(IR_PREFIX, _ATTR_COUNT)
};
enum {
#define TW_TYPE(id, ...) IR_JOIN3(IR_PREFIX, _TYPE_, id),
#include IR_ROWS
    IR_JOIN(IR_PREFIX, _TYPE_COUNT)
};
extern const ir_dialect IR_JOIN(IR_DIALECT, _dialect);
extern const ir_op_def IR_JOIN(IR_DIALECT, _ops)[];
extern const ir_attr_def IR_JOIN(IR_DIALECT, _attrs)[];
extern const ir_type_def IR_JOIN(IR_DIALECT, _types)[];

#undef IR_DIALECT
#undef IR_PREFIX
#undef IR_ROWS
