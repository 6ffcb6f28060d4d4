/* client.c: clients, which are their own topology descriptions. */
#include "pjrt.h"

#include <stdlib.h>
#include <string.h>

static const char *const chips[] = {"n150", "n300", "p150"};

/* The embedded board: TTLANG_CHIP's, else an n150. */
static pj_error *find_kind(const char **out)
{
    const char *name = getenv("TTLANG_CHIP");
    if (name && !strcmp(name, "none"))
        return pj_fail(PJ_NOT_FOUND, "No TT devices found (TTLANG_CHIP is none)");
    for (size_t i = 0; i < TW_COUNT(chips); i++)
        if (!strcmp(name ? name : chips[0], chips[i])) {
            *out = chips[i];
            return NULL;
        }
    return pj_fail(PJ_INVALID_ARGUMENT,
                   "TTLANG_CHIP='%s': expected n150, n300, p150 or none; unset it for n150",
                   name);
}

pj_error *pj_client_create(pj_create_args *args)
{
    const char *kind;
    pj_error *error = find_kind(&kind);
    if (error)
        return error;
    if (args->n_options)
        return pj_fail(PJ_INVALID_ARGUMENT, "the platform 'tt' has no option '%.*s'",
                       (int)args->options[0].name_size, args->options[0].name);
    pj_client *client = calloc(1, sizeof *client);
    if (!client)
        return pj_no_memory(sizeof *client);
    client->refs = 1;
    client->kind = kind;
    pthread_mutex_init(&client->lock, NULL);
    for (int i = 0; i < PJ_DEVICES; i++) {
        pj_device_init(&client->devices[i], client, &client->memories[i], i);
        pj_memory_init(&client->memories[i], &client->devices[i]);
        client->device_list[i] = &client->devices[i];
        client->memory_list[i] = &client->memories[i];
    }
    args->client = client;
    pj_log(PJ_RUNTIME_LOG, PJ_INFO, "Found %d TT devices", PJ_DEVICES);
    return NULL;
}

pj_client *pj_client_keep(pj_client *client)
{
    atomic_fetch_add(&client->refs, 1);
    return client;
}

void pj_client_release(pj_client *client)
{
    if (atomic_fetch_sub(&client->refs, 1) != 1)
        return;
    for (int i = 0; i < PJ_DEVICES; i++)
        pj_memory_clear(&client->memories[i]);
    pthread_mutex_destroy(&client->lock);
    free(client);
}

pj_error *pj_client_destroy(pj_of_args *args)
{
    pj_client_release(args->object);
    return NULL;
}

pj_error *pj_client_platform_name(pj_text_args *args)
{
    args->text = PJ_PLATFORM;
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_client_platform_version(pj_text_args *args)
{
    args->text = tw_version();
    args->size = strlen(args->text);
    return NULL;
}

pj_error *pj_client_process_index(pj_int_args *args)
{
    args->value = 0;
    return NULL;
}

pj_error *pj_client_devices(pj_list_args *args)
{
    pj_client *client = args->object;
    args->items = client->device_list;
    args->count = PJ_DEVICES;
    return NULL;
}

pj_error *pj_client_addressable_devices(pj_list_args *args)
{
    return pj_client_devices(args);
}

pj_error *pj_client_addressable_memories(pj_list_args *args)
{
    pj_client *client = args->object;
    args->items = client->memory_list;
    args->count = PJ_DEVICES;
    return NULL;
}

pj_error *pj_client_lookup_device(pj_lookup_args *args)
{
    if (args->id < 0 || args->id >= PJ_DEVICES)
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "there is no device %d; the platform 'tt' has %d", args->id,
                       PJ_DEVICES);
    args->device = args->client->device_list[args->id];
    return NULL;
}

pj_error *pj_client_lookup_addressable_device(pj_lookup_args *args)
{
    return pj_client_lookup_device(args);
}

pj_error *pj_client_default_device_assignment(pj_assignment_args *args)
{
    if (args->replicas != 1 || args->partitions != 1 || args->size < 1)
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "%d replicas of %d partitions need more devices than the platform "
                       "'tt' has (%d)",
                       args->replicas, args->partitions, PJ_DEVICES);
    args->assignment[0] = 0;
    return NULL;
}

/* ---- as a topology description ---------------------------------------------------- */

pj_error *pj_client_topology_description(pj_to_args *args)
{
    args->other = args->object;
    return NULL;
}

pj_error *pj_topology_description_destroy(pj_of_args *args)
{
    (void)args; /* it lives as long as its client */
    return NULL;
}

pj_error *pj_topology_description_platform_name(pj_text_args *args)
{
    return pj_client_platform_name(args);
}

pj_error *pj_topology_description_platform_version(pj_text_args *args)
{
    return pj_client_platform_version(args);
}

pj_error *pj_topology_description_get_device_descriptions(pj_list_args *args)
{
    return pj_client_devices(args);
}

pj_error *pj_topology_description_attributes(pj_list_args *args)
{
    args->items = NULL;
    args->count = 0;
    return NULL;
}
