/* rows_end.h: at the foot of a dialect's rows. */
#undef TW_ENUM
#undef TW_ATTR
#undef TW_TYPE
#undef TW_OP
