/* rows_begin.h: at the head of a dialect's rows: what the reader of the rows has not
 * defined is nothing. */
#ifndef TW_ENUM
#define TW_ENUM(...)
#endif
#ifndef TW_ATTR
#define TW_ATTR(...)
#endif
#ifndef TW_TYPE
#define TW_TYPE(...)
#endif
#ifndef TW_OP
#define TW_OP(...)
#endif
