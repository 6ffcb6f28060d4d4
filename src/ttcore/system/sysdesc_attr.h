/* ttcore/system/sysdesc_attr.h: system descriptors as ttcore.system_desc attributes. */
#ifndef TILEWRIGHT_TTCORE_SYSTEM_SYSDESC_ATTR_H
#define TILEWRIGHT_TTCORE_SYSTEM_SYSDESC_ATTR_H

#include "ir/attr.h"
#include "ttcore/system/sysdesc.h"

ir_attr fb_system_to_attr(ir_context *ctx, const fb_system *system);
/* The caller frees *out. */
tw_status fb_system_from_attr(ir_attr attr, fb_system **out);

#endif
