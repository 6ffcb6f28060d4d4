/* memory.c: the memory of a device. */
#include "pjrt.h"

#include <stdio.h>
#include <string.h>

static void *get_user_data(pj_memory *memory, const void *key)
{
    return memory->key == key ? memory->data : NULL;
}

static void set_user_data(pj_memory *memory, const void *key, void *data,
                          void (*destroy)(void *))
{
    pj_memory_clear(memory);
    memory->key = key;
    memory->data = data;
    memory->destroy = destroy;
}

void pj_memory_init(pj_memory *memory, pj_device *device)
{
    static const pj_memory_table functions = {
        .struct_size = sizeof functions,
        .instance_size = sizeof(pj_memory),
        .get_user_data = get_user_data,
        .set_user_data = set_user_data,
    };
    memory->table = &functions;
    memory->device = device;
    snprintf(memory->text, sizeof memory->text, "TT_%d device", device->id);
}

void pj_memory_clear(pj_memory *memory)
{
    if (memory->destroy)
        memory->destroy(memory->data);
    memory->destroy = NULL;
    memory->data = NULL;
    memory->key = NULL;
}

pj_error *pj_memory_id(pj_int_args *args)
{
    args->value = ((pj_memory *)args->object)->device->id;
    return NULL;
}

pj_error *pj_memory_kind(pj_text_args *args)
{
    args->text = PJ_MEMORY_KIND;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_memory_kind_id(pj_int_args *args)
{
    args->value = 0; /* there is one kind */
    return NULL;
}

pj_error *pj_memory_debug_string(pj_text_args *args)
{
    args->text = ((pj_memory *)args->object)->text;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_memory_to_string(pj_text_args *args)
{
    return pj_memory_debug_string(args);
}

pj_error *pj_memory_addressable_by_devices(pj_list_args *args)
{
    pj_device *device = ((pj_memory *)args->object)->device;
    args->items = &device->client->device_list[device->id];
    args->count = 1;
    return NULL;
}
