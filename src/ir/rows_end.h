/* rows_end.h: included at the foot of a dialect's rows: undefines the row macros. */
#undef TW_ENUM
#undef TW_ATTR
#undef TW_TYPE
#undef TW_OP
