/* flatbuffer/sysdesc_attr.h: system descriptors as ttcore.system_desc attributes. */
#ifndef TILEWRIGHT_TARGET_FLATBUFFER_SYSDESC_ATTR_H
#define TILEWRIGHT_TARGET_FLATBUFFER_SYSDESC_ATTR_H

#include "flatbuffer/sysdesc.h"
#include "ir/attr.h"

ir_attr fb_system_to_attr(ir_context *ctx, const fb_system *system);
/* The caller frees *out. */
tw_status fb_system_from_attr(ir_attr attr, fb_system **out);

#endif
