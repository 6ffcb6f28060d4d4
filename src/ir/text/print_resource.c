/* print_resource.c: the blobs of the resource keys in a text:
 *
 *   {-#
 *     dialect_resources: {
 *       builtin: {
 *         key: "0x0400000001020304"
 *       }
 *     }
 *   #-}
 *
 * A blob is its alignment in four bytes, then the data. */
#include "ir/text/print_impl.h"

#include <stdlib.h>

void ir_note_resource(ir_printer *p, ir_attr attr)
{
    ir_print_resources *list = p->resources;
    if (!list || p->collecting)
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i]->dialect == attr->dialect && list->at[i]->body == attr->body)
            return;
    TW_PUSH(list->at, list->count, list->capacity, attr);
}

void ir_text_resources(ir_attr attr, ir_type type,
                       void (*each)(void *user, ir_attr resource), void *user)
{
    ir_print_resources list = {0};
    tw_strbuf text = {0};
    ir_printer p = {.ctx = attr ? attr->ctx : type->ctx, .out = &text, .resources = &list};
    if (attr)
        ir_put_attr(&p, attr);
    else
        ir_put_type(&p, type);
    for (size_t i = 0; i < list.count; i++)
        each(user, list.at[i]);
    free(list.at);
    tw_strbuf_free(&text);
}

static const ir_blob *blob_to_print(ir_printer *p, ir_attr attr)
{
    const ir_blob *blob = ir_resource_find(p->ctx, attr->dialect, attr->body);
    int64_t limit = p->options.elide_resource;
    bool long_text = blob && limit > 0 && 2 * (blob->size + 5) > (size_t)limit;
    return long_text ? NULL : blob;
}

static void put_blob(ir_printer *p, ir_attr attr, const ir_blob *blob)
{
    uint32_t align = blob->align ? blob->align : 16;
    const unsigned char bytes[4] = {(unsigned char)align, (unsigned char)(align >> 8),
                                    (unsigned char)(align >> 16),
                                    (unsigned char)(align >> 24)};
    ir_put(p, "      ");
    ir_put_keyword_or_string(p, ir_ident_str(attr->body));
    ir_put(p, ": \"0x");
    ir_put_hex_bytes(p, bytes, sizeof bytes);
    ir_put_hex_bytes(p, blob->data, blob->size);
    ir_putc(p, '"');
}

/* All keys of one dialect, starting at the first one. */
static void put_dialect(ir_printer *p, size_t first)
{
    const ir_print_resources *list = p->resources;
    ir_ident dialect = list->at[first]->dialect;
    bool any = false;
    ir_putf(p, "    %s: {\n", dialect->text);
    for (size_t i = first; i < list->count; i++) {
        const ir_blob *blob =
            list->at[i]->dialect == dialect ? blob_to_print(p, list->at[i]) : NULL;
        if (!blob)
            continue;
        if (any)
            ir_put(p, ",\n");
        any = true;
        put_blob(p, list->at[i], blob);
    }
    ir_put(p, "\n    }");
}

void ir_put_resources(ir_printer *p)
{
    const ir_print_resources *list = p->resources;
    bool any = false;
    for (size_t i = 0; i < list->count; i++) {
        bool before = false;
        if (!blob_to_print(p, list->at[i]))
            continue;
        for (size_t k = 0; k < i; k++)
            before |= list->at[k]->dialect == list->at[i]->dialect &&
                      blob_to_print(p, list->at[k]);
        if (before)
            continue;
        ir_put(p, any ? ",\n" : "\n{-#\n  dialect_resources: {\n");
        any = true;
        put_dialect(p, i);
    }
    if (any)
        ir_put(p, "\n  }\n#-}\n");
}
