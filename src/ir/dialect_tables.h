/* dialect_tables.h: the tables of a dialect, made from its rows (no guard: included once
 * per dialect).
 *
 * A dialect's file defines IR_DIALECT (ttir), IR_ROWS ("ttir/ttir.def") and, if it has
 * constraints of its own, IR_CONSTRAINTS ("ttir/ttir_constraints.def"), and includes this.
 * A row's name is its dialect's and its id (ttir.abs) unless the row states another one.
 * IR_DIALECT_TABLES are the members of its ir_dialect that hold the tables. */
#include "ir/constraints.h"

/* Lists of a row. */
#define IN(...) .operands = IR_LIST(ir_operand_def, __VA_ARGS__)
#define OUT(...) .results = IR_LIST(ir_operand_def, __VA_ARGS__)
#define ATTRS(...) .attrs = IR_LIST(ir_attr_use, __VA_ARGS__)
#define PARAMS(...) .params = IR_LIST(ir_param_def, __VA_ARGS__)
#define REGIONS(...) .regions = IR_LIST(ir_region_def, __VA_ARGS__)
#define SUCCESSORS(...) .successors = IR_LIST(ir_successor_def, __VA_ARGS__)

#ifdef IR_CONSTRAINTS
#define IR_CONSTRAINT(id, ...) static const ir_constraint C_##id = {__VA_ARGS__};
#include IR_CONSTRAINTS
#undef IR_CONSTRAINT
#endif

#define TW_ENUM(id, list, ...)                                                             \
    const ir_enum_def IR_JOIN3(IR_DIALECT, _enum_, id) = {                                 \
        .name = #id, .cases = IR_LIST(ir_enum_case, list(IR_CASE_ROW, )), __VA_ARGS__};
#include IR_ROWS

#define TW_ENUM(id, ...) &IR_JOIN3(IR_DIALECT, _enum_, id),
static const ir_enum_ref IR_JOIN(IR_DIALECT, _enums)[] = {
#include IR_ROWS
};

#define TW_ATTR(id, ...) {.mnemonic = IR_TEXT(IR_DIALECT) "." #id, __VA_ARGS__},
const ir_attr_def IR_JOIN(IR_DIALECT, _attrs)[] = {
#include IR_ROWS
};

#define TW_TYPE(id, ...) {.mnemonic = IR_TEXT(IR_DIALECT) "." #id, __VA_ARGS__},
const ir_type_def IR_JOIN(IR_DIALECT, _types)[] = {
#include IR_ROWS
};

#define TW_OP(id, ...) {.name = IR_TEXT(IR_DIALECT) "." #id, __VA_ARGS__},
const ir_op_def IR_JOIN(IR_DIALECT, _ops)[] = {
#include IR_ROWS
};

#define IR_TABLE(what)                                                                     \
    {                                                                                      \
        IR_JOIN(IR_DIALECT, what), TW_COUNT(IR_JOIN(IR_DIALECT, what))                     \
    }
#define IR_DIALECT_TABLES                                                                  \
    .ops = IR_TABLE(_ops), .enums = IR_TABLE(_enums), .attrs = IR_TABLE(_attrs),           \
    .types = IR_TABLE(_types)
