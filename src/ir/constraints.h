/* constraints.h: constraints of operands, results and attributes as rows.
 *
 * Rows used by one dialect lie beside its operations (<dialect>_constraints.def), shared
 * ones in ir/constraints.def.  A file of rows is included where IR_CONSTRAINT(id,
 * fields...) is defined; each row makes C_<id>.  The vocabulary of predicates is in
 * ir/rules/predicates.c; a text completes "must be". */
#ifndef TILEWRIGHT_IR_CONSTRAINTS_H
#define TILEWRIGHT_IR_CONSTRAINTS_H

#include "ir/dialect.h"

/* A trait as a constant expression, for rows. */
#define IR_B(name) ((uint64_t)1 << IR_TRAIT_BIT_##name)

/* A constraint on a type, or on a value through its type. */
#define IR_TYPE_IS(id, predicate, meaning, ...)                                            \
    IR_CONSTRAINT(id, .name = #id, .pred = predicate, .text = meaning, __VA_ARGS__)
/* An attribute stored as the C++ class `storage_class`. */
#define IR_ATTR_IS(id, storage_class, predicate, meaning, ...)                             \
    IR_TYPE_IS(id, predicate, meaning, .storage = storage_class, __VA_ARGS__)
/* An attribute or a type of a dialect, by its mnemonic. */
#define IR_OWN_ATTR_IS(id, cls, mnemonic, meaning, ...)                                    \
    IR_ATTR_IS(id, cls, cls, meaning, .def = mnemonic, __VA_ARGS__)
#define IR_OWN_TYPE_IS(id, cls, mnemonic, meaning, ...)                                    \
    IR_TYPE_IS(id, cls, meaning, .builds = "!" mnemonic, .def = mnemonic, __VA_ARGS__)
/* A case of an enum of `dialect`, as the dialect's attribute of the same name. */
#define IR_ENUM_IS(id, dialect, enum_name, mnemonic, meaning, ...)                         \
    IR_OWN_ATTR_IS(id, #enum_name "Attr", mnemonic, meaning,                               \
                   .enumeration = &dialect##_enum_##enum_name, __VA_ARGS__)

#define IR_CONSTRAINT(id, ...) extern const ir_constraint C_##id;
#include "ir/constraints.def"
#undef IR_CONSTRAINT

#endif
