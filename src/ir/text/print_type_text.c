/* print_type_text.c: cached texts of types during one print.
 *
 * A program has few types and names them often.  Types that may contain an alias are not
 * cached: their text depends on what has been printed before. */
#include "ir/text/print_impl.h"
#include "support/hash.h"

#include <stdlib.h>

enum { SLOTS = 64, LONGEST = 119 };

typedef struct slot {
    ir_type type;
    uint8_t size;
    char text[LONGEST];
} slot;

struct ir_type_texts {
    slot at[SLOTS];
};

static slot *slot_of(ir_printer *p, ir_type type)
{
    return &p->type_texts->at[type->hash % SLOTS];
}

struct ir_type_texts *ir_type_texts_create(void)
{
    return tw_xcalloc(1, sizeof(struct ir_type_texts));
}

void ir_type_texts_free(struct ir_type_texts *texts)
{
    free(texts);
}

bool ir_put_cached_type(ir_printer *p, ir_type type)
{
    const slot *s = slot_of(p, type);
    if (s->type != type)
        return false;
    tw_strbuf_append(p->out, s->text, s->size);
    return true;
}

void ir_cache_type_text(ir_printer *p, ir_type type, size_t start)
{
    slot *s = slot_of(p, type);
    size_t size = p->out->size - start;
    if (size > LONGEST)
        return;
    s->type = type;
    s->size = (uint8_t)size;
    memcpy(s->text, p->out->data + start, size);
}
