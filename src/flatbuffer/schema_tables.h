/* schema_tables.h: includes the rows of every table once.  The includer defines FB_TABLE or
 * FB_FIELD or both (and FB_EMPTY_TABLE, FB_TABLE_END); all are undefined afterwards.  May
 * be included many times. */
#ifndef FB_TABLE
#define FB_TABLE(id, full)
#endif
#ifndef FB_FIELD
#define FB_FIELD(table, slot, name, ...)
#endif
#ifndef FB_EMPTY_TABLE
#define FB_EMPTY_TABLE(id, full)
#endif
#ifndef FB_TABLE_END
#define FB_TABLE_END(id)
#endif
#include "flatbuffer/schema_common.def"
#include "flatbuffer/schema_metal.def"
#include "flatbuffer/schema_ttnn.def"
#include "flatbuffer/schema_ttnn_ops.def"
#undef FB_TABLE
#undef FB_FIELD
#undef FB_EMPTY_TABLE
#undef FB_TABLE_END
