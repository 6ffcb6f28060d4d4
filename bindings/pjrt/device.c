/* device.c: devices, which are their own descriptions. */
#include "pjrt.h"

#include <stdio.h>
#include <string.h>

void pj_device_init(pj_device *device, pj_client *client, pj_memory *memory, int id)
{
    device->client = client;
    device->memory = memory;
    device->id = id;
    device->coords[0] = id;
    snprintf(device->text, sizeof device->text,
             "TtDevice(id=%d, process_index=0, coords=(%d,), core_on_chip=None)", id, id);
    snprintf(device->short_text, sizeof device->short_text, "TT_%d", id);
    device->attributes[0] = (pj_named_value){.struct_size = sizeof(pj_named_value),
                                             .name = "coords",
                                             .name_size = 6,
                                             .type = PJ_INTS_VALUE,
                                             .integers = device->coords,
                                             .size = 1};
}

pj_error *pj_device_get_description(pj_to_args *args)
{
    args->other = args->object;
    return NULL;
}

pj_error *pj_device_description_id(pj_int_args *args)
{
    args->value = ((pj_device *)args->object)->id;
    return NULL;
}

pj_error *pj_device_description_process_index(pj_int_args *args)
{
    args->value = 0;
    return NULL;
}

pj_error *pj_device_description_attributes(pj_counted_args *args)
{
    pj_device *device = args->object;
    args->items = device->attributes;
    args->count = TW_COUNT(device->attributes);
    return NULL;
}

pj_error *pj_device_description_kind(pj_text_args *args)
{
    args->text = ((pj_device *)args->object)->client->kind;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_device_description_debug_string(pj_text_args *args)
{
    args->text = ((pj_device *)args->object)->short_text;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_device_description_to_string(pj_text_args *args)
{
    args->text = ((pj_device *)args->object)->text;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_device_is_addressable(pj_bool_args *args)
{
    args->value = true;
    return NULL;
}

pj_error *pj_device_local_hardware_id(pj_int_args *args)
{
    return pj_device_description_id(args);
}

pj_error *pj_device_addressable_memories(pj_list_args *args)
{
    pj_device *device = args->object;
    args->items = &device->client->memory_list[device->id];
    args->count = 1;
    return NULL;
}

pj_error *pj_device_default_memory(pj_to_args *args)
{
    args->other = ((pj_device *)args->object)->memory;
    return NULL;
}

static void own_nothing(void *owner)
{
    (void)owner;
}

/* Those that change while a program runs: none. */
pj_error *pj_device_get_attributes(pj_bytes_args *args)
{
    args->bytes = NULL;
    args->size = 0;
    args->owner = NULL;
    args->destroy = own_nothing;
    return NULL;
}

pj_error *pj_device_memory_stats(pj_memory_stats_args *args)
{
    pj_client *client = args->device->client;
    pthread_mutex_lock(&client->lock);
    args->in_use = client->in_use;
    args->peak.value = client->peak;
    args->allocations.value = client->allocations;
    args->largest.value = client->largest;
    pthread_mutex_unlock(&client->lock);
    args->peak.is_set = args->allocations.is_set = args->largest.is_set = true;
    for (size_t i = 0; i < TW_COUNT(args->rest); i++)
        if ((char *)&args->rest[i].is_set < (char *)args + args->struct_size)
            args->rest[i].is_set = false;
    return NULL;
}
