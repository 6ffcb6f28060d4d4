/* diagnostics.c: the list of tilewright/diagnostics.h. */
#include "support/diagnostics.h"

#include "support/arena.h"

#include <stdlib.h>

TW_EXPORT tw_diagnostics *tw_diagnostics_create(void)
{
    tw_diagnostics *list = tw_xcalloc(1, sizeof *list);
    pthread_mutex_init(&list->mutex, NULL);
    return list;
}

TW_EXPORT void tw_diagnostics_destroy(tw_diagnostics *list)
{
    if (!list)
        return;
    pthread_mutex_destroy(&list->mutex);
    tw_arena_free(&list->arena);
    tw_strbuf_free(&list->report);
    free(list->at);
    free(list);
}

static const char *keep(tw_diagnostics *list, const char *text)
{
    return text ? tw_arena_copy(&list->arena, text, strlen(text)) : NULL;
}

TW_EXPORT void tw_diagnostics_add(tw_diagnostics *list, const tw_diagnostic *d)
{
    pthread_mutex_lock(&list->mutex);
    tw_diagnostic copy = *d;
    tw_diagnostic_note *notes =
        TW_ARENA_ARRAY(&list->arena, tw_diagnostic_note, d->n_notes + 1);
    copy.rule = keep(list, d->rule);
    copy.at.file = keep(list, d->at.file);
    copy.text = keep(list, d->text);
    copy.help = keep(list, d->help);
    copy.notes = notes;
    for (size_t i = 0; i < d->n_notes; i++) {
        notes[i] = d->notes[i];
        notes[i].text = keep(list, d->notes[i].text);
        notes[i].at.file = keep(list, d->notes[i].at.file);
    }
    TW_PUSH(list->at, list->count, list->capacity, copy);
    pthread_mutex_unlock(&list->mutex);
}

TW_EXPORT size_t tw_diagnostics_count(const tw_diagnostics *list)
{
    return list->count;
}

TW_EXPORT const tw_diagnostic *tw_diagnostics_at(const tw_diagnostics *list, size_t i)
{
    return i < list->count ? &list->at[i] : NULL;
}
