/* rows_begin.h: included at the head of a dialect's rows: defines as empty every row macro
 * that the includer left undefined. */
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
